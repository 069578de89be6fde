"""Where untrusted code runs: one interface, one implementation for each way of keeping it apart.

Starts and ends processes on this host; reads and writes nothing else. Front door: :func:`open_sandbox`.
"""

from faultline.errors import UnfitHostError
from faultline.kinds import SandboxLevel
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

__all__ = [
    "IMPLEMENTATIONS",
    "LOOK_SECONDS",
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
]

IMPLEMENTATIONS: tuple[type[Sandbox], ...] = (Bubblewrap, Container, Process)
"""Strongest first."""


def open_sandbox(level: SandboxLevel) -> Sandbox:
    """Return a sandbox of one level.

    Raises :class:`UnfitHostError` when this host cannot provide it; a weaker one is never put in its place.
    """
    for implementation in IMPLEMENTATIONS:
        if implementation.level is level:
            sandbox = implementation()
            why = sandbox.unfit_because()
            if why:
                raise UnfitHostError(f"sandbox {level}", "this host cannot provide it", found=why, next_step="faultline doctor")
            return sandbox
    raise UnfitHostError(f"sandbox {level}", "this release has no such sandbox", next_step="faultline doctor")


def best_sandbox() -> Sandbox:
    """Return the strongest sandbox that this host can provide."""
    return next(sandbox for kind in IMPLEMENTATIONS if not (sandbox := kind()).unfit_because())
