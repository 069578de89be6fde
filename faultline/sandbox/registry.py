"""Sandboxes by name: those of this release, and those that installed packages bring by ``faultline.sandboxes``.

What a sandbox of another package is called decides nothing: its level is ``external`` in every record, whatever it promises.
"""

from typing import Final

from faultline.errors import BadInputError, RefusedError
from faultline.kinds import SandboxLevel, safe_text
from faultline.plugins import Group
from faultline.records import ExternalSandbox
from faultline.sandbox.interface import Sandbox

BUILT_IN: Final = {
    "bubblewrap": "faultline.sandbox.bubblewrap:Bubblewrap",
    "container": "faultline.sandbox.container:Container",
    "process": "faultline.sandbox.process:Process",
}
SANDBOXES: Final = Group("faultline.sandboxes", Sandbox, "sandbox", BUILT_IN)  # type: ignore[type-abstract]  # only classes derived from it are made


def sandbox_named(name: str) -> tuple[SandboxLevel, ExternalSandbox | None]:
    """Return the level that a name stands for, and whose sandbox it is when it is not one of this release.

    Raises :class:`RefusedError` for a name that is none, or a class of another package that claims another level than
    ``external``, and as :meth:`Group.package`.
    """
    if SANDBOXES.is_built_in(name):
        return SANDBOXES.load(name).level, None
    kind = SANDBOXES.load(name)
    level = getattr(kind, "level", None)
    if level is not SandboxLevel.EXTERNAL:
        raise RefusedError(
            f"entry point {name}",
            "a sandbox of another package cannot have a level of this release",
            expected="level = SandboxLevel.EXTERNAL",
            found=safe_text(str(level), 60),
        )
    said = {"alone": bool, "promises": tuple, "gaps": tuple}
    missing = [word for word, form in said.items() if not isinstance(getattr(kind, word, None), form)]
    if missing:
        raise BadInputError(
            f"entry point {name}",
            "this sandbox does not say what it promises",
            expected=", ".join(f"{word}: {said[word].__name__}" for word in missing),
        )
    package = SANDBOXES.package(name)
    pin = ExternalSandbox(name=name, distribution=package.name, version=package.version, files=dict(package.files))
    return SandboxLevel.EXTERNAL, pin


def external_sandbox(pin: ExternalSandbox) -> Sandbox:
    """Return the sandbox of another package that a manifest describes.

    Raises :class:`RefusedError` when it is not the one that is installed here, and as :func:`sandbox_named` does.
    """
    _, found = sandbox_named(pin.name)
    if found != pin:
        raise RefusedError(
            f"entry point {pin.name}",
            "the sandbox is not the one that the manifest describes",
            expected=pin.words,
            found=found.words if found else "",
            next_step="install that one again, or start a new run",
        )
    return SANDBOXES.make(pin.name)


def unfit_because(name: str, sandbox: Sandbox) -> str:
    """Return why this host cannot provide a sandbox, or an empty text; one that cannot even tell is unfit."""
    try:
        return safe_text(str(sandbox.unfit_because()), 400)
    except Exception as error:  # an installed package may raise anything
        return f"asked whether it can, {name} raised {safe_text(f'{type(error).__name__}: {error}', 200)}"
