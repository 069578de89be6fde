"""Limits only: an ordinary process group with resource limits. Not fit for publication; a gate says so."""

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from faultline.kinds import SandboxLevel
from faultline.sandbox.interface import CONFINE, EndAll, Launch, Mount, Running, Sandbox, confine_argv, interpreter

_MARK = "FAULTLINE_SANDBOX"


class Process(Sandbox):
    """A process group with limits on memory, file size, open files and time."""

    level = SandboxLevel.PROCESS
    alone = False
    promises: ClassVar[tuple[str, ...]] = (
        "limits on memory of each process, file size, open files and time",
        "its whole environment is named, nothing is inherited",
        "processes that it leaves behind are ended, also in other sessions, unless they changed their environment",
    )
    gaps: ClassVar[tuple[str, ...]] = (
        "files, network and processes of the host are within reach, hidden checks and Faultline's own files among them",
        "what a call leaves behind, in files, shared memory or processes, may still be there at the next call",
        "code that runs as the same user can end or change any process of that user, the judge's included",
        "the number of processes is not limited when the harness runs as root",
        "memory of all processes together is limited only for those that are still descendants of the first",
        "records made at this level cannot open a gate",
    )

    def __init__(self, uid: int | None = None) -> None:
        """Run programs as another user, whom only root can become; by default as the user who is there."""
        self._uid = uid

    def unfit_because(self) -> str:
        """Return an empty text: every host can do this."""
        return ""

    def start(self, launch: Launch, *, stdin: int, output: int, pass_fds: Sequence[int] = ()) -> Running:
        """Start a program with limits; paths inside are translated to those of the host."""
        mark = secrets.token_hex(8)
        scratch = Path(tempfile.mkdtemp(prefix="sandbox-"))
        if self._uid is not None:
            os.chown(scratch, self._uid, self._uid)
        visible = (*launch.mounts, Mount(scratch, "/tmp", writable=True))  # noqa: S108  (the path inside)
        translated = Launch(
            argv=tuple(_outside(item, visible) for item in launch.argv),
            mounts=launch.mounts,
            cwd=_outside(launch.cwd, visible),
            environment={name: _outside(value, visible) for name, value in launch.environment.items()},
            limits=launch.limits,
            script=launch.script,
        )
        process = subprocess.Popen(
            confine_argv(translated, uid=self._uid, python=str(interpreter()), confine=str(CONFINE)),
            stdin=stdin,
            stdout=output,
            stderr=output,
            env={**translated.environment, _MARK: mark},
            cwd=translated.cwd,
            pass_fds=tuple(pass_fds),
            start_new_session=True,
        )
        return Running(process, _EndGroup(mark, scratch))


def _outside(item: str, mounts: Sequence[Mount]) -> str:
    """Return an argument with a path inside replaced by the host's path."""
    for mount in mounts:
        if item == mount.target or item.startswith(mount.target + "/"):
            return str(mount.source) + item.removeprefix(mount.target)
        parent = mount.target.rsplit("/", 1)[0]
        if item == parent:
            return str(mount.source.parent)
    return item


class _EndGroup(EndAll):
    """Ends the group, then whatever still carries the mark in its environment."""

    def __init__(self, mark: str, scratch: Path) -> None:
        self._mark = f"{_MARK}={mark}".encode()
        self._scratch = scratch

    def __call__(self, process: subprocess.Popen[bytes]) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for _ in range(20):
            left = [pid for pid in _pids() if self._mark in _environment(pid)]
            if not left:
                break
            for pid in left:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self._scratch, ignore_errors=True)


def _pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()] if Path("/proc").is_dir() else []


def _environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""
