"""What every sandbox is: the abstract class, what is launched in it, and how it ended."""

import contextlib
import importlib.util
import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal

from faultline.kinds import SandboxLevel

CONFINE = Path(__file__).with_name("confine.py")
"""The program that sets limits inside the sandbox and then becomes the launched one."""
INSIDE_CONFINE = "/run/confine.py"
LOOK_SECONDS = 0.1
"""How often the memory of all processes inside together is looked at while they are waited for."""


@dataclass(frozen=True)
class Limits:
    """What the processes inside may use."""

    memory_mib: int
    """Address space of each process."""
    processes: int
    """Processes and threads at one time."""
    file_mib: int
    """Size of one file, and of the scratch space."""
    open_files: int = 256

    @property
    def total_bytes(self) -> int:
        """What all processes together may hold: twice what one of them may."""
        return 2 * self.memory_mib * 2**20


@dataclass(frozen=True)
class Mount:
    """A file or folder of the host that is visible inside."""

    source: Path
    target: str
    """Absolute path inside."""
    writable: bool = False


@dataclass(frozen=True)
class Launch:
    """A program to run: everything it can see is listed here."""

    argv: tuple[str, ...]
    """Program and arguments, with paths as they are inside."""
    mounts: tuple[Mount, ...]
    cwd: str
    environment: Mapping[str, str]
    """The whole environment; nothing is inherited."""
    limits: Limits
    script: bool = False
    """Whether ``argv`` is a Python file with arguments, to be run by the interpreter that sets the limits."""
    network: bool = False


@dataclass(frozen=True)
class Ended:
    """How a launched program ended, as the harness observed it."""

    returncode: int
    """Negative: the number of the signal."""
    timed_out: bool
    out_of_memory: bool = field(default=False, kw_only=True)
    """Whether the harness ended it because its processes together held more memory than they may."""


@dataclass(frozen=True)
class Captured(Ended):
    """An ended program with what it printed; the middle of long output is dropped, and counted."""

    output: bytes
    dropped: int
    """Bytes of output that were not kept."""


@dataclass
class Running:
    """A program inside a sandbox."""

    process: subprocess.Popen[bytes]
    end_all: "EndAll"
    _ended: bool = field(default=False)

    def alive(self) -> bool:
        """Return whether the first process still runs."""
        return self.process.poll() is None

    def memory(self) -> int:
        """Return the bytes that the processes inside hold together, without what they share."""
        return sum(map(_own_memory, _family(self.process.pid)))

    def kill(self) -> None:
        """End every process inside, and wait until they are gone."""
        if not self._ended:
            self._ended = True
            self.end_all(self.process)


def _family(pid: int) -> Iterator[int]:
    """Yield a process and everything below it; orphans inside a sandbox are adopted by its first process."""
    yield pid
    with contextlib.suppress(OSError, ValueError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text(encoding="ascii").split():
                yield from _family(int(child))


def _own_memory(pid: int) -> int:
    try:
        _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


class EndAll:
    """Ends a sandbox: kills the first process, whose end takes the others with it, and waits."""

    def __call__(self, process: subprocess.Popen[bytes]) -> None:
        """End everything that the launch started."""
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGKILL)
        process.wait()


class Sandbox(ABC):
    """A way of keeping untrusted code apart; ``promises`` and ``gaps`` are printed by ``faultline doctor``."""

    level: ClassVar[SandboxLevel]
    promises: ClassVar[tuple[str, ...]]
    gaps: ClassVar[tuple[str, ...]]
    alone: ClassVar[bool]
    """Whether processes inside see only each other, so that one of them can end all others."""

    @abstractmethod
    def unfit_because(self) -> str:
        """Return why this host cannot provide the sandbox, or an empty text; starts one trial program at most."""

    @abstractmethod
    def start(self, launch: Launch, *, stdin: int, output: int, pass_fds: Sequence[int] = ()) -> Running:
        """Start a program; ``stdin`` and ``output`` are descriptors, ``pass_fds`` keep their numbers inside.

        Raises :class:`OSError` when the host cannot start it: that is the harness's observation, never the candidate's.
        """

    @contextlib.contextmanager
    def running(self, launch: Launch, *, stdin: int, output: int, pass_fds: Sequence[int] = ()) -> Iterator[Running]:
        """Start a program, and end everything inside when the block is left."""
        program = self.start(launch, stdin=stdin, output=output, pass_fds=pass_fds)
        try:
            yield program
        finally:
            program.kill()

    def capture(self, launch: Launch, *, stdin: bytes, seconds: float, keep: int = 4 * 2**20) -> Captured:
        """Run a program to its end or to its time limit and return what it printed, at most ``keep`` bytes of it."""
        read_end, write_end = os.pipe()
        source = _feed(stdin)
        try:
            with self.running(launch, stdin=source, output=write_end) as program:
                os.close(write_end)
                write_end = -1
                sink = _Sink(read_end, keep)
                over = _watch(program, launch.limits, seconds)
                program.kill()
                output, dropped = sink.finish()
                return Captured(program.process.returncode, over == "time", output, dropped, out_of_memory=over == "memory")
        finally:
            for descriptor in (read_end, write_end, source):
                if descriptor >= 0:
                    os.close(descriptor)


def _watch(program: Running, limits: Limits, seconds: float) -> Literal["", "time", "memory"]:
    """Wait for a program and return which limit it ran into, or nothing when it ended by itself."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        with contextlib.suppress(subprocess.TimeoutExpired):
            program.process.wait(timeout=min(left, LOOK_SECONDS))
            return ""
        if program.memory() > limits.total_bytes:
            return "memory"
    return "time"


def _feed(data: bytes) -> int:
    """Return a descriptor from which the data can be read, however long it is."""
    handle = os.memfd_create("stdin")
    os.write(handle, data)
    os.lseek(handle, 0, os.SEEK_SET)
    return handle


class _Sink:
    """Reads a pipe to its end in a thread, keeping the beginning and the end of what comes."""

    def __init__(self, descriptor: int, keep: int) -> None:
        self._descriptor = descriptor
        self._head, self._tail, self._half = bytearray(), bytearray(), keep // 2
        self._total = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._descriptor, selectors.EVENT_READ)
            while True:
                ready = selector.select(timeout=0.05)
                if ready:
                    block = os.read(self._descriptor, 1 << 16)
                    if not block:
                        return
                    self._keep(block)
                elif self._stop.is_set():
                    return  # a process that escaped still holds the pipe: do not wait for it

    def _keep(self, block: bytes) -> None:
        self._total += len(block)
        room = self._half - len(self._head)
        self._head += block[:room]
        self._tail += block[max(room, 0) :]
        if len(self._tail) > 2 * self._half:
            del self._tail[: -self._half]

    def finish(self) -> tuple[bytes, int]:
        self._stop.set()
        self._thread.join()
        tail = bytes(self._tail[-self._half :])
        return bytes(self._head) + tail, self._total - len(self._head) - len(tail)


def confine_argv(
    launch: Launch, *, uid: int | None, python: str, confine: str, passed: Mapping[str, str | int] | None = None
) -> list[str]:
    """Return the command line that sets the limits inside and then becomes the launched program.

    ``passed`` names a socket that hands over descriptors and environment, for sandboxes that pass neither by themselves.
    """
    limits = launch.limits
    spec = {
        "memory": limits.memory_mib * 2**20,
        "processes": limits.processes,
        "file": limits.file_mib * 2**20,
        "open_files": limits.open_files,
        "uid": uid,
        "how": "script" if launch.script else "exec",
        "passed": passed,
    }
    # -P -s -S: nothing but the standard library is on the path, and no start-up file runs; -B: no bytecode is written.
    # Not -I, which would ignore PYTHONHASHSEED too.
    return [python, "-P", "-s", "-S", "-B", confine, json.dumps(spec), *launch.argv]


def python_runtime(modules: Sequence[Literal["numpy"]]) -> tuple[tuple[Mount, ...], str]:
    """Return the mounts of the interpreter's extra modules, and the folder inside that holds them.

    Raises :class:`OSError` when a module is not installed on this host.
    """
    mounts: list[Mount] = []
    for name in modules:
        spec = importlib.util.find_spec(name)
        if spec is None or not spec.submodule_search_locations:
            raise OSError(f"the module {name} is not installed beside Faultline")
        package = Path(spec.submodule_search_locations[0])
        mounts.append(Mount(package, f"/run/modules/{name}"))
        libraries = package.with_name(f"{name}.libs")
        if libraries.is_dir():
            mounts.append(Mount(libraries, f"/run/modules/{name}.libs"))
    return tuple(mounts), "/run/modules"


def interpreter() -> Path:
    """Return the real interpreter below any virtual environment."""
    return Path(os.path.realpath(sys.executable))
