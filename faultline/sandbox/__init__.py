"""Where untrusted code runs: one interface, one implementation for each way of keeping it apart.

Starts and ends processes on this host; reads and writes nothing else. Front door: :func:`open_sandbox`.
"""

from faultline.errors import UnfitHostError
from faultline.kinds import SandboxLevel
from faultline.records import ExternalSandbox
from faultline.sandbox.bubblewrap import Bubblewrap
from faultline.sandbox.container import Container
from faultline.sandbox.interface import (
    LOOK_SECONDS,
    Captured,
    Ended,
    Launch,
    Limits,
    Mount,
    Running,
    Sandbox,
    python_runtime,
)
from faultline.sandbox.process import Process
from faultline.sandbox.registry import SANDBOXES, external_sandbox, sandbox_named, unfit_because

__all__ = [
    "IMPLEMENTATIONS",
    "LOOK_SECONDS",
    "SANDBOXES",
    "Captured",
    "Ended",
    "Launch",
    "Limits",
    "Mount",
    "Running",
    "Sandbox",
    "best_sandbox",
    "open_sandbox",
    "python_runtime",
    "sandbox_named",
    "unfit_because",
]

IMPLEMENTATIONS: tuple[type[Sandbox], ...] = (Bubblewrap, Container, Process)
"""Those of this release, strongest first."""


def open_sandbox(level: SandboxLevel, external: ExternalSandbox | None = None) -> Sandbox:
    """Return a sandbox of one level; ``external`` says which, when it is that of an installed package.

    Raises :class:`UnfitHostError` when this host cannot provide it; a weaker one is never put in its place.
    """
    if external is not None:
        return _fit(external_sandbox(external), external.name)
    for implementation in IMPLEMENTATIONS:
        if implementation.level is level:
            return _fit(implementation(), str(level))
    raise UnfitHostError(f"sandbox {level}", "this release has no such sandbox", next_step="faultline doctor")


def _fit(sandbox: Sandbox, name: str) -> Sandbox:
    why = unfit_because(name, sandbox)
    if why:
        raise UnfitHostError(f"sandbox {name}", "this host cannot provide it", found=why, next_step="faultline doctor")
    return sandbox


def best_sandbox() -> Sandbox:
    """Return the strongest sandbox that this host can provide."""
    return next(sandbox for kind in IMPLEMENTATIONS if not (sandbox := kind()).unfit_because())
