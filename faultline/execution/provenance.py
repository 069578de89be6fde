"""Who made what, with which versions, where: gathered from the checkout and the host, without names of hosts or users."""

import os
import platform
import subprocess
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from faultline import __version__
from faultline.records import Provenance, unknown
from faultline.tasks import Task

_LIBRARIES = ("numpy", "pydantic", "sqlalchemy")


def gather_provenance(root: Path, tasks: Iterable[Task], human: Iterable[str], assistant: Iterable[str]) -> Provenance:
    """Return the provenance of a run planned now in this benchmark; asks git about ``root`` only."""
    tasks = tuple(tasks)
    commit = _git(root, "rev-parse", "HEAD")
    status = _git(root, "status", "--porcelain", "--untracked-files=no")
    versions = {"faultline": __version__, "python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    bubblewrap = _first_line(["bwrap", "--version"])
    if bubblewrap:
        versions["bubblewrap"] = bubblewrap.removeprefix("bubblewrap ").strip()
    return Provenance(
        commit=commit.strip() if commit else unknown("the benchmark is not in a git checkout with a commit"),
        dirty=unknown("the benchmark is not in a git checkout") if status is None else bool(status.strip()),
        human=(*(f"{task.definition.author}: wrote the task {task.id}" for task in tasks), *human),
        assistant=(*(f"task {task.id}: {task.definition.assistance}" for task in tasks), *assistant),
        versions=versions,
        environment={
            "system": platform.system(),
            "architecture": platform.machine(),
            "processors": str(os.cpu_count() or "unknown"),
        },
    )


def _git(root: Path, *arguments: str) -> str | None:
    return _output(["git", "-C", str(root), *arguments])


def _first_line(command: list[str]) -> str:
    return (_output(command) or "").partition("\n")[0]


def _output(command: list[str]) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
