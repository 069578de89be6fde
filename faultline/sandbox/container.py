"""Isolation by a container engine, podman or docker, driven by its command line.

The image holds programs and libraries of Debian and nothing else; ``container/build.sh`` makes it from Debian packages without
pulling one. Descriptors, and the environment of an agent, reach the inside over a socket that is gone before any untrusted code
runs: engines pass neither, and what stands on a command line can be read by everybody on the host.
"""

import json
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from faultline.kinds import SandboxLevel, safe_text
from faultline.sandbox.bubblewrap import give, own_uid
from faultline.sandbox.interface import (
    CONFINE,
    INSIDE_CONFINE,
    EndAll,
    Launch,
    Limits,
    Running,
    Sandbox,
    confine_argv,
    interpreter,
)

IMAGE = "localhost/faultline-sandbox:1"
ENGINES = ("podman", "docker")
_INSIDE_PASSED = "/run/passed"
_START_SECONDS = 60.0
"""How long an engine may take until the inside speaks; longer is a fault of the host."""


class Container(Sandbox):
    """A container of podman or docker without network, capabilities or a writable system.

    It cannot promise more than the kernel: an exploit of the kernel, or of the engine, is out of scope.
    """

    level = SandboxLevel.CONTAINER
    alone = True
    promises: ClassVar[tuple[str, ...]] = (
        "no network, not even the host's loopback, unless an agent's manifest allows it",
        "no sight of other processes, of the home folders, of hidden checks or of other tasks",
        "the system is an image of its own and read-only; only the scratch space and an agent's workspace can be written",
        "limits on memory of each process and of all together, number of processes, file size, open files and time",
        "the end of the container ends everything in it",
    )
    gaps: ClassVar[tuple[str, ...]] = (
        "the kernel is shared with the host: a kernel exploit is out of scope, and so is one of the engine",
        "code can recognise that it runs in a sandbox",
        "the host's interpreter is visible, read-only, beside the image's programs and libraries",
        "a start takes several times as long as that of bubblewrap",
    )

    def unfit_because(self) -> str:
        """Return why no engine can be used here; starts one container at most for each engine."""
        return _choice()[1]

    def start(self, launch: Launch, *, stdin: int, output: int, pass_fds: Sequence[int] = ()) -> Running:
        """Start a program in a container that is removed when it ends."""
        return _start(_choice()[0] or ENGINES[0], launch, (stdin, output, *pass_fds))


def _start(engine: str, launch: Launch, descriptors: Sequence[int]) -> Running:
    uid = own_uid()
    if uid is not None:
        for mount in launch.mounts:
            if mount.writable:
                give(mount.source, uid)
    name = f"faultline-{secrets.token_hex(8)}"
    said, nowhere = os.memfd_create("said"), os.open(os.devnull, os.O_RDWR)
    descriptors = [nowhere if number == subprocess.DEVNULL else number for number in descriptors]
    with tempfile.TemporaryDirectory(prefix="passed-") as folder, socket.socket(socket.AF_UNIX) as listener:
        Path(folder).chmod(0o755)
        listener.bind(f"{folder}/socket")
        Path(folder, "socket").chmod(0o666)
        listener.listen(1)
        listener.settimeout(0.05)
        try:
            process = subprocess.Popen(
                [*_command(engine), *_options(engine, name, folder, launch, uid), IMAGE, *_inside(launch, len(descriptors))],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                start_new_session=True,
            )
            running = Running(process, _Remove(engine, name))
            try:
                _pass_on(listener, process, launch, descriptors)
            except OSError as error:
                running.kill()
                words = os.pread(said, 2_000, 0).decode("utf-8", "replace").strip().rsplit("\n", 1)[-1]
                raise OSError(f"{engine}: {safe_text(words, 300) or error}") from error
        finally:
            os.close(said)
            os.close(nowhere)
    return running


def _pass_on(listener: socket.socket, process: subprocess.Popen[bytes], launch: Launch, descriptors: Sequence[int]) -> None:
    """Hand descriptors and environment to the inside, once it asks for them."""
    for _ in range(int(_START_SECONDS / 0.05)):
        try:
            channel, _ = listener.accept()
        except TimeoutError:
            if process.poll() is not None:
                raise OSError(f"the container ended with {process.returncode} before it began") from None
            continue
        with channel:
            channel.settimeout(_START_SECONDS)
            note = json.dumps({"environment": dict(launch.environment), "descriptors": [0, 1, *descriptors[2:]]}).encode()
            socket.send_fds(channel, [len(note).to_bytes(4, "big")], list(descriptors))
            channel.sendall(note)
        return
    raise OSError("the container did not begin in time")


def _inside(launch: Launch, descriptors: int) -> list[str]:
    passed: dict[str, str | int] = {"socket": f"{_INSIDE_PASSED}/socket", "count": descriptors}
    return confine_argv(launch, uid=None, python=str(interpreter()), confine=INSIDE_CONFINE, passed=passed)


def _options(engine: str, name: str, folder: str, launch: Launch, uid: int | None) -> list[str]:
    limits = launch.limits
    user = 0 if uid is None else uid  # without root outside, root inside is nobody else than the caller
    options = ["run", "--rm", "--name", name, "--pull", "never", "--log-driver", "none", "--init=false"]
    options += ["--network", ("slirp4netns" if uid is None and engine == "podman" else "bridge") if launch.network else "none"]
    options += ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--user", f"{user}:{user}"]
    options += ["--hostname", "sandbox", "--workdir", launch.cwd, "--ipc", "private", "--entrypoint", ""]
    options += ["--pids-limit", str(limits.processes + 4), "--memory", f"{2 * limits.memory_mib}m"]
    options += ["--ulimit", "nofile=4096:4096", "--ulimit", "core=0:0"]  # confine.py lowers the first
    options += ["--ulimit", f"nproc={limits.processes}:{limits.processes}"]
    options += [
        "--shm-size",
        f"{limits.file_mib}m",
        "--tmpfs",
        f"/tmp:rw,nosuid,nodev,size={limits.file_mib}m,mode=1777{_own(engine)}",
    ]
    if engine == "podman":
        options += ["--read-only-tmpfs=false", "--no-hosts", "--cgroups", "enabled"]
    if launch.script:
        # The interpreter reads some of these when it starts. An agent's variables may be secrets, and go over the socket.
        for key, value in sorted(launch.environment.items()):
            options += ["--env", f"{key}={value}"]
    options += ["--volume", f"{folder}:{_INSIDE_PASSED}:ro", "--volume", f"{CONFINE}:{INSIDE_CONFINE}:ro"]
    options += _interpreter(engine)
    for mount in launch.mounts:
        options += ["--volume", f"{mount.source}:{mount.target}:{'rw' if mount.writable else 'ro'}"]
    return options


@lru_cache(maxsize=2)
def _interpreter(engine: str) -> tuple[str, ...]:
    """Return the options that show the host's interpreter, unless it is the system's own, which the image has too."""
    prefix = interpreter().parent.parent
    if prefix == Path("/usr"):
        return ()
    options = ["--volume", f"{prefix}:{prefix}:ro"]
    for packages in sorted(prefix.glob("lib/python3*/site-packages")):
        options += [
            "--tmpfs",
            f"{packages}:ro,size=4k{_own(engine)}",
        ]  # what else is installed there is none of the candidate's business
    return tuple(options)


def _own(engine: str) -> str:
    """Return the option without which podman fills a new file system from the folder below, and takes over its mode."""
    return ",notmpcopyup" if engine == "podman" else ""


class _Remove(EndAll):
    """Ends a container: its engine kills and removes it, and the engine's own process is waited for."""

    def __init__(self, engine: str, name: str) -> None:
        self._engine, self._name = engine, name

    def __call__(self, process: subprocess.Popen[bytes]) -> None:
        if process.poll() is None or process.returncode not in range(125):
            time_out = ["--time", "0"] if self._engine == "podman" else []
            _quiet([*_command(self._engine), "rm", "--force", *time_out, self._name])
        try:
            process.wait(timeout=_START_SECONDS)
        except subprocess.TimeoutExpired:
            super().__call__(process)


def _command(engine: str) -> list[str]:
    if engine != "podman" or Path("/sys/fs/cgroup/cgroup.controllers").exists():
        return [engine]
    # On hosts with the older or with hybrid control groups, podman's default runtime and manager do not work.
    return ["podman", "--runtime", "runc", "--cgroup-manager=cgroupfs"]


_LOCK = threading.Lock()


def _choice() -> tuple[str, str]:
    with _LOCK:
        return _try_engines()


@lru_cache(maxsize=1)
def _try_engines() -> tuple[str, str]:
    """Return the first engine that runs the image, or an empty word and why there is none."""
    reasons = []
    for engine in ENGINES:
        why = _unfit(engine)
        if not why:
            return engine, ""
        reasons.append(f"{engine}: {why}")
    return "", "; ".join(reasons)


def _unfit(engine: str) -> str:
    if shutil.which(engine) is None:
        return "the program is missing"
    if _quiet([*_command(engine), "image", "inspect", IMAGE]):
        return f"it has no image {IMAGE}, or does not run (container/build.sh makes the image from Debian packages)"
    version = "import sys; sys.exit(0)"
    launch = Launch((str(interpreter()), "-S", "-c", version), (), "/tmp", {}, Limits(512, 16, 1))
    nowhere = os.open(os.devnull, os.O_RDWR)
    try:
        program = _start(engine, launch, (nowhere, nowhere))
        try:
            code = program.process.wait(timeout=_START_SECONDS)
        finally:
            program.kill()
    except (OSError, subprocess.TimeoutExpired) as error:
        return safe_text(str(error), 300)
    finally:
        os.close(nowhere)
    return "" if code == 0 else f"the trial container ended with {code}"


def _quiet(command: Sequence[str]) -> int:
    try:
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_START_SECONDS
        ).returncode
    except (OSError, subprocess.TimeoutExpired):
        return 1


__all__ = ["IMAGE", "Container"]
