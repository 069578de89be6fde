"""Set limits on this process, give up privileges, then become another program.

Runs inside a sandbox with the standard library only, before any untrusted code: ``confine.py SPEC PROGRAM ARGUMENT…``.
"""

import ctypes
import fcntl
import json
import os
import resource
import socket as sockets
import sys

PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, SIGKILL = 1, 38, 9


def main() -> None:
    """Apply the limits of the first argument, then run the rest."""
    spec = json.loads(sys.argv[1])
    if spec["passed"] is not None:
        _take_over(**spec["passed"])
    libc = ctypes.CDLL(None)
    for kind, amount in (
        (resource.RLIMIT_AS, spec["memory"]),
        (resource.RLIMIT_FSIZE, spec["file"]),
        (resource.RLIMIT_NOFILE, spec["open_files"]),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MSGQUEUE, 0),  # a queue would outlive the process that made it
    ):
        _limit(kind, amount)
    if spec["uid"] is not None:
        os.setgroups([])
        os.setresgid(spec["uid"], spec["uid"], spec["uid"])
        os.setresuid(spec["uid"], spec["uid"], spec["uid"])
    _limit(resource.RLIMIT_NPROC, spec["processes"])
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
    program = sys.argv[2:]
    if spec["how"] == "script":
        sys.argv = program
        _become(program[0])
    else:
        os.execvpe(program[0], program, os.environ)  # noqa: S606  (becomes the program; there is no shell)


def _become(path: str) -> None:
    """Run a file as the main module in place of this one; the library's way to do so loads much that nothing here needs."""
    main = sys.modules["__main__"] = type(sys)("__main__")
    main.__file__ = path
    with open(path, "rb") as file:  # noqa: PTH123  (nothing more is loaded here than is needed)
        exec(compile(file.read(), path, "exec"), main.__dict__)  # noqa: S102  (the harness's own driver)


def _take_over(socket: str, count: int) -> None:
    """Receive descriptors, under the numbers that they have outside, and the environment."""
    with sockets.socket(sockets.AF_UNIX) as channel:
        channel.connect(socket)
        head, received, _, _ = sockets.recv_fds(channel, 4, count)
        note = b""
        while len(note) < int.from_bytes(head, "big"):
            note += channel.recv(1 << 16)
    said = json.loads(note)
    # First out of the way of the numbers they are to get, then into place.
    aside = [fcntl.fcntl(number, fcntl.F_DUPFD, 2_048) for number in received]
    for number in received:
        os.close(number)
    for number, wanted in zip(aside, said["descriptors"], strict=True):
        os.dup2(number, wanted)
        os.close(number)
    os.dup2(1, 2)
    os.environ.clear()
    os.environ.update(said["environment"])


def _limit(kind: int, amount: int) -> None:
    hard = resource.getrlimit(kind)[1]
    if hard != resource.RLIM_INFINITY:
        amount = min(amount, hard)
    resource.setrlimit(kind, (amount, amount))


if __name__ == "__main__":
    main()
