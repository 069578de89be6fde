"""Isolation by ``bwrap``: own namespaces, a read-only system, limits, and an end that takes everything along.

As root, the program inside becomes a user of its own without privileges, so that the limit on processes counts. As another
user, a user namespace does the same. What it promises and cannot promise stands in the class.
"""

import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from faultline.kinds import SandboxLevel
from faultline.sandbox.interface import (
    CONFINE,
    INSIDE_CONFINE,
    EndAll,
    Launch,
    Limits,
    Mount,
    Running,
    Sandbox,
    confine_argv,
    interpreter,
)

_PIPE = 60_000
"""A pipe holds 64 KiB unread; options beyond that would block, and are refused as a fault of the host."""
_FIRST_UID, _UIDS = 61_184, 4_096
"""Users that no Debian system hands out; one is drawn for each sandbox."""


class Bubblewrap(Sandbox):
    """Own network, process, mount, IPC and host-name namespaces under bubblewrap."""

    level = SandboxLevel.BUBBLEWRAP
    alone = True
    promises: ClassVar[tuple[str, ...]] = (
        "no network, not even the host's loopback, unless an agent's manifest allows it",
        "no sight of other processes, of the home folders, of hidden checks or of other tasks",
        "the system is read-only; only the scratch space and an agent's workspace can be written",
        "limits on memory of each process and of all together, number of processes, file size, open files and time",
        "the end of the first process ends all others",
    )
    gaps: ClassVar[tuple[str, ...]] = (
        "the kernel is shared with the host: a kernel exploit is out of scope",
        "memory of all processes together is looked at ten times a second, so a short burst gets through",
        "code can recognise that it runs in a sandbox",
        "the interpreter and the system's programs and libraries are visible, read-only",
    )

    def unfit_because(self) -> str:
        """Return why bubblewrap cannot be used here; runs ``/bin/true`` in it once."""
        return _unfit()

    def start(self, launch: Launch, *, stdin: int, output: int, pass_fds: Sequence[int] = ()) -> Running:
        """Start a program behind bubblewrap; its own command line is passed out of sight of ``/proc``."""
        uid = own_uid()
        if uid is not None:
            for mount in launch.mounts:
                if mount.writable:
                    give(mount.source, uid)
        read_end, write_end = os.pipe()
        try:
            options = b"".join(option.encode() + b"\0" for option in _options(launch, uid))
            if len(options) > _PIPE:
                raise OSError("too many mounts for one sandbox")
            os.write(write_end, options)
            os.close(write_end)
            write_end = -1
            inner = confine_argv(launch, uid=uid, python=str(interpreter()), confine=INSIDE_CONFINE)
            process = subprocess.Popen(
                ["bwrap", "--args", str(read_end), "--", *inner],
                stdin=stdin,
                stdout=output,
                stderr=output,
                env={"PATH": os.environ.get("PATH", os.defpath)},
                pass_fds=(read_end, *pass_fds),
                start_new_session=True,
            )
        finally:
            os.close(read_end)
            if write_end >= 0:
                os.close(write_end)
        return Running(process, EndAll())


def _options(launch: Launch, uid: int | None) -> list[str]:
    options = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent", "--new-session"]
    options += ["--hostname", "sandbox", "--clearenv"]
    options += ["--cap-drop", "ALL"]
    if uid is None:
        options += ["--unshare-user", "--uid", "1000", "--gid", "1000"]
    else:
        # Needed to become the sandbox's own user; gone with it before any untrusted code runs.
        options += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    if not launch.network:
        options += ["--unshare-net"]
    for name, value in sorted(launch.environment.items()):
        options += ["--setenv", name, value]
    options += _system(network=launch.network)
    options += ["--proc", "/proc", "--dev", "/dev"]
    scratch = str(launch.limits.file_mib * 2**20)
    for folder in ("/tmp", "/dev/shm"):  # noqa: S108  (folders of the sandbox)
        options += ["--perms", "1777", "--size", scratch, "--tmpfs", folder]
    options += ["--perms", "0755", "--dir", "/run", "--ro-bind", str(CONFINE), INSIDE_CONFINE]
    options += ["--perms", "0755", "--dir", "/run/modules"]
    for mount in launch.mounts:
        options += ["--bind" if mount.writable else "--ro-bind", str(mount.source), mount.target]
    return [*options, "--remount-ro", "/", "--chdir", launch.cwd]


@lru_cache(maxsize=2)
def _system(*, network: bool) -> tuple[str, ...]:
    """Return the options that show the system's programs and the interpreter, and nothing of the users."""
    options = ["--ro-bind", "/usr", "/usr"]
    for name in ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"):
        path = Path(name)
        if path.is_symlink():
            options += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            options += ["--ro-bind", name, name]
    for name in ("/etc/ld.so.cache", "/etc/alternatives"):
        options += ["--ro-bind-try", name, name]
    if network:
        for name in ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/ca-certificates", "/etc/pki"):
            options += ["--ro-bind-try", name, name]
    prefix = interpreter().parent.parent
    if not prefix.is_relative_to("/usr") or prefix.is_relative_to("/usr/local"):
        # The interpreter may lie in somebody's home: its parents are made anew, empty but for it, open to the sandbox's user.
        for parent in reversed(prefix.parents[:-1]):
            options += ["--perms", "0755", "--dir", str(parent)]
        options += ["--ro-bind", str(prefix), str(prefix)]
        for packages in sorted(prefix.glob("lib/python3*/site-packages")):
            options += ["--tmpfs", str(packages)]  # what else is installed there is none of the candidate's business
    return tuple(options)


def own_uid() -> int | None:
    """Return a user for one sandbox, or None when this process is not root and cannot become another."""
    return _FIRST_UID + secrets.randbelow(_UIDS) if os.geteuid() == 0 else None


def give(folder: Path, uid: int) -> None:
    """Make a writable mount the property of the sandbox's user; links are not followed."""
    os.chown(folder, uid, uid, follow_symlinks=False)
    for base, folders, names in os.walk(folder):
        for name in (*folders, *names):
            os.chown(Path(base, name), uid, uid, follow_symlinks=False)


@lru_cache(maxsize=1)
def _unfit() -> str:
    if shutil.which("bwrap") is None:
        return "the program bwrap is missing (Debian package bubblewrap)"
    launch = Launch(("/bin/true",), (), "/tmp", {}, Limits(memory_mib=512, processes=8, file_mib=1))  # noqa: S108  (inside)
    with tempfile.TemporaryFile() as output:
        sandbox = Bubblewrap()
        with sandbox.running(launch, stdin=subprocess.DEVNULL, output=output.fileno()) as program:
            code = program.process.wait(timeout=30)
        output.seek(0)
        said = output.read(300).decode("utf-8", "replace").strip()
    return "" if code == 0 else f"bwrap ended with {code}: {said}"


__all__ = ["Bubblewrap", "Mount"]
