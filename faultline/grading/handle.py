"""The judge's end of the call protocol: a child in the sandbox, sessions in it, and the handle that checks are given."""

import contextlib
import json
import os
import socket
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faultline.checks import CANDIDATE_ERRORS, CandidateError, Handle, Method, Observation, decode, encode
from faultline.clock import Clock
from faultline.errors import FaultlineError
from faultline.kinds import safe_text
from faultline.records import strict_json
from faultline.sandbox import LOOK_SECONDS, Launch, Limits, Mount, Running, Sandbox, python_runtime

CHILD = Path(__file__).with_name("child.py")
MAX_FRAME = 16 * 2**20
INSIDE_SCRATCH = "/tmp"  # noqa: S108  (a folder of the sandbox, not of the host)
START_SECONDS = 60.0
"""How long a child may take to say that it is ready; longer is a fault of the host."""
REOPEN_SECONDS = 10.0
"""How long a driver may take for a further session, once candidate code has run beside it; then it is replaced."""
OBSERVED = frozenset({"CRASHED", "TIME_LIMIT", "MEMORY_LIMIT"})
"""Kinds of candidate errors that the judge itself observes; a child that claims one has answered badly."""


class HarnessFault(Exception):  # noqa: N818  (an observation, not an error to mend)
    """The harness itself could not do its work; says what it observed. Never raised for anything a candidate did."""


@dataclass(frozen=True)
class ChildSpec:
    """What a child is started with."""

    candidate: Path
    """Folder of the frozen tree."""
    runtime: tuple[str, ...]
    limits: Limits
    hash_seed: int


class Child:
    """A sandbox with the driver in it, started when first needed and again after it died."""

    def __init__(self, sandbox: Sandbox, spec: ChildSpec, clock: Clock) -> None:
        """Prepare; nothing is started yet."""
        self._sandbox, self._spec, self.clock = sandbox, spec, clock
        self._running: Running | None = None
        self._channel: socket.socket | None = None
        self.starts = 0
        self._used = False
        """Whether candidate code has run beside the driver."""

    def _start(self) -> socket.socket:
        if self._channel is not None:
            return self._channel
        spec, self.starts = self._spec, self.starts + 1
        ours, theirs = socket.socketpair()
        nowhere = os.open(os.devnull, os.O_RDONLY)
        said = os.memfd_create("said")  # what the sandbox prints before the driver is ready, to tell why it did not start
        try:
            mounts, modules = python_runtime(spec.runtime)  # type: ignore[arg-type]  # the record's type allows no other names
            alone = "alone" if self._sandbox.alone else "shared"
            launch = Launch(
                argv=("/run/child.py", str(theirs.fileno()), "/candidate", INSIDE_SCRATCH, alone, modules, *spec.runtime),
                mounts=(*mounts, Mount(CHILD, "/run/child.py"), Mount(spec.candidate, "/candidate")),
                cwd=INSIDE_SCRATCH,
                environment={
                    "PYTHONHASHSEED": str(spec.hash_seed),
                    "OPENBLAS_NUM_THREADS": "1",
                    "OMP_NUM_THREADS": "1",
                    "TMPDIR": INSIDE_SCRATCH,
                    "PATH": "/usr/bin:/bin",
                    "LANG": "C.UTF-8",
                    "TZ": "UTC",
                },
                limits=spec.limits,
                script=True,
            )
            self._running = self._sandbox.start(launch, stdin=nowhere, output=said, pass_fds=(theirs.fileno(),))
            theirs.close()
            ours.settimeout(START_SECONDS)
            letter, _ = _receive(ours)
        except (OSError, EOFError, ValueError) as error:
            ours.close()
            self.close()
            last = safe_text(os.pread(said, 2_000, 0).decode("utf-8", "replace").strip().rsplit("\n", 1)[-1], 200)
            raise HarnessFault(f"the child did not start: {last or error or type(error).__name__}") from error
        finally:
            theirs.close()
            os.close(nowhere)
            os.close(said)
        if letter != b"R":
            self.close()
            raise HarnessFault("the child did not say that it is ready")
        self._channel, self._used = ours, False
        return ours

    @contextlib.contextmanager
    def session(self, seconds: float) -> Iterator["ChildSession"]:
        """Open a fresh process of the candidate; its calls together may take a number of seconds.

        Raises :class:`HarnessFault` when the host cannot start a child.
        """
        started, used = self.clock.monotonic(), self.starts if self._used else -1
        session = ChildSession(self, self._open(), seconds)
        if used not in (-1, self.starts):
            # An earlier session took the driver down, or stopped it: the candidate pays for that with its own time.
            session.waited = self.clock.monotonic() - started
        try:
            yield session
        finally:
            session.end()

    def _open(self) -> socket.socket:
        """Return the channel of a new session, from a new driver when an earlier session took the old one down with it."""
        for _ in range(2):
            control = self._start()
            try:
                control.settimeout(REOPEN_SECONDS if self._used else START_SECONDS)
                _send(control, b"O")
                data, descriptors, _, _ = socket.recv_fds(control, 5, 1)
                if len(descriptors) == 1 and data[4:] == b"F":
                    self._used = True
                    return socket.socket(fileno=descriptors[0])
                for descriptor in descriptors:
                    os.close(descriptor)
            except OSError:
                pass
            self.close()
        raise HarnessFault("the driver does not open a session")

    def end_session(self) -> None:
        """Have the driver kill what a session left, and clear up after it."""
        if self._channel is not None:
            try:
                _send(self._channel, b"X")
            except OSError:
                self.close()

    def too_much_memory(self) -> bool:
        """Return whether all processes inside together hold more than they may."""
        return self._running is not None and self._running.memory() > self._spec.limits.total_bytes

    def close(self) -> None:
        """End everything inside the sandbox."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if self._running is not None:
            self._running.kill()
            self._running = None


class ChildSession:
    """Several calls in one process of the candidate; a :class:`faultline.checks.Session`."""

    def __init__(self, child: Child, channel: socket.socket, seconds: float) -> None:
        """Wrap an open session."""
        self._child, self._channel, self._seconds = child, channel, seconds
        self._over = ""
        """Why the session cannot be used any more, as a kind of candidate error."""
        self._number = 0
        self.waited = 0.0
        """Seconds spent waiting for the candidate; the judge's own work does not count."""
        self._scratch = ""

    @property
    def scratch(self) -> str:
        """A private writable folder inside the child's world."""
        if not self._scratch:
            self._scratch = str(self._ask({"op": "scratch"})["value"])
        return self._scratch

    def call(self, target: str | Method, *arguments: Any, **keywords: Any) -> Any:
        """Call and return the answer as plain data; raises :class:`CandidateError`."""
        return self._value(self._ask(_request("call", target, arguments, keywords)), "value")

    def calls(self, *requests: tuple[Any, ...]) -> list[Any]:
        """Make several calls in one exchange and return their answers as plain data; raises :class:`CandidateError`."""
        calls = [_request("call", target, tuple(arguments), {}) for target, *arguments in requests]
        answers = self._value(self._ask({"op": "calls", "calls": calls}), "value")
        if not isinstance(answers, list) or len(answers) != len(requests):
            raise CandidateError("BAD_ANSWER", "", "not one answer for each call")
        return answers

    def make(self, target: str | Method, *arguments: Any, **keywords: Any) -> Handle:
        """Call, keep the result in the child, and return a handle to it."""
        number = self._ask(_request("make", target, arguments, keywords)).get("handle")
        if type(number) is not int:
            raise CandidateError("BAD_ANSWER", "", "no handle")
        return Handle(number)

    def get(self, handle: Handle, attribute: str) -> Any:
        """Read an attribute as plain data."""
        return self._value(self._ask({"op": "get", "handle": handle.number, "name": attribute}), "value")

    def observe(self, target: str | Method, *arguments: Any, **keywords: Any) -> Observation:
        """Call, and return the answer with the arguments as they are afterwards."""
        answer = self._ask(_request("observe", target, arguments, keywords))
        left, right = answer.get("args"), answer.get("kwargs")
        if not isinstance(left, list) or not isinstance(right, dict):
            raise CandidateError("BAD_ANSWER", "", "no arguments")
        return Observation(
            self._value(answer, "value"),
            [self._decode(item) for item in left],
            {name: self._decode(item) for name, item in right.items()},
        )

    def surface(self, names: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, str, str]]:
        """Return what is gone of some modules and names in them: kind, exception type and message by place."""
        value = self._value(
            self._ask({"op": "surface", "names": {module: list(found) for module, found in names.items()}}), "value"
        )
        if not isinstance(value, dict):
            raise CandidateError("BAD_ANSWER", "", "not one answer for each name")
        gone = {}
        for place, said in value.items():
            if isinstance(said, list) and len(said) == 3 and all(isinstance(part, str) for part in said):  # noqa: PLR2004
                gone[safe_text(str(place), 200)] = (_said(said[0]), safe_text(said[1], 80), safe_text(said[2], 200))
        return gone

    def run_tests(self, paths: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Run files of public tests and return outcome and detail by ``file::Class::method``.

        A file that does not import has one entry, ``file::``.
        """
        value = self._value(self._ask({"op": "tests", "files": list(paths)}), "value")
        if not isinstance(value, dict) or not all(isinstance(tests, dict) for tests in value.values()):
            raise CandidateError("BAD_ANSWER", "", "no test results")
        return {
            f"{path}::{name}": (str(ended[0]), str(ended[1]))
            for path, tests in value.items()
            for name, ended in tests.items()
            if isinstance(ended, list) and len(ended) == 2  # noqa: PLR2004  (outcome and detail)
        }

    def end(self) -> None:
        """Close the session; the driver clears up after it."""
        self._channel.close()
        self._child.end_session()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._over:
            raise CandidateError(self._over)
        self._number += 1
        frame = json.dumps({"id": self._number, **request}, allow_nan=False).encode("ascii")
        started = self._child.clock.monotonic()
        try:
            self._channel.settimeout(max(self._seconds - self.waited, 0.001))
            _send(self._channel, b"C", frame)
            letter, body = _receive(self._channel, self._deadline(started))
        except TimeoutError:
            self._over = "TIME_LIMIT"
            raise CandidateError("TIME_LIMIT") from None
        except (OSError, EOFError):
            self._over = "CRASHED"
            raise CandidateError("CRASHED") from None
        except MemoryError:
            self._over = "MEMORY_LIMIT"
            self._child.close()
            raise CandidateError("MEMORY_LIMIT") from None
        except ValueError:
            self._over = "CRASHED"
            raise CandidateError("BAD_ANSWER", "", "the answer is too long") from None
        finally:
            self.waited += self._child.clock.monotonic() - started
        return self._parse(letter, body)

    def _deadline(self, started: float) -> Callable[[], float]:
        """Return a function that tells how long the candidate may still take for this answer.

        The function raises :class:`MemoryError` when all processes together hold too much.
        """
        clock, end, looked = self._child.clock, started + self._seconds - self.waited, started

        def left() -> float:
            nonlocal looked
            now = clock.monotonic()
            if now - looked >= LOOK_SECONDS:
                if self._child.too_much_memory():
                    raise MemoryError
                looked = now
            return end - now

        return left

    def _parse(self, letter: bytes, body: bytes) -> dict[str, Any]:
        try:
            answer = strict_json(body, "the candidate's answer")
        except FaultlineError as error:
            raise CandidateError("BAD_ANSWER", "", error.problem) from None
        if letter != b"A" or not isinstance(answer, dict) or type(answer.get("id")) is not int or answer["id"] != self._number:
            self._over = "BAD_ANSWER"  # whatever follows on this channel cannot be told apart from a forged answer
            raise CandidateError("BAD_ANSWER", "", "the answer has another form")
        trouble = answer.get("error")
        if trouble is not None:
            if not (isinstance(trouble, list) and len(trouble) == 3 and all(isinstance(part, str) for part in trouble)):  # noqa: PLR2004
                raise CandidateError("BAD_ANSWER", "", "the answer has another form")
            kind, type_name, message = trouble
            raise CandidateError(_said(kind), safe_text(type_name, 80), safe_text(message, 500))
        return answer

    def _value(self, answer: dict[str, Any], name: str) -> Any:
        if name not in answer:
            raise CandidateError("BAD_ANSWER", "", "the answer has another form")
        return self._decode(answer[name])

    def _decode(self, value: Any) -> Any:
        try:
            return decode(value)
        except (ValueError, TypeError, RecursionError) as error:
            raise CandidateError("BAD_ANSWER", type(error).__name__, safe_text(str(error), 200)) from None


class CandidateHandle:
    """What a check is given: the only way to the candidate; a :class:`faultline.checks.Candidate`."""

    def __init__(self, child: Child, seconds: float) -> None:
        """Allow a number of seconds for all sessions together."""
        self._child, self._left = child, seconds

    @contextlib.contextmanager
    def session(self) -> Iterator[ChildSession]:
        """Open one process for several calls."""
        if self._left <= 0:
            raise CandidateError("TIME_LIMIT")
        with self._child.session(self._left) as session:
            try:
                yield session
            finally:
                self._left -= session.waited

    def call(self, target: str, *arguments: Any, **keywords: Any) -> Any:
        """Call a function in a fresh process and return its answer."""
        with self.session() as session:
            return session.call(target, *arguments, **keywords)


def _said(kind: str) -> str:
    """Return a kind of error as a child may tell it."""
    return kind if kind in CANDIDATE_ERRORS and kind not in OBSERVED else "BAD_ANSWER"


def _request(op: str, target: str | Method, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
    return {
        "op": op,
        "target": [target.number, target.name] if isinstance(target, Method) else target,
        "args": [encode(item) for item in arguments],
        "kwargs": {name: encode(item) for name, item in keywords.items()},
    }


def _send(channel: socket.socket, letter: bytes, body: bytes = b"") -> None:
    channel.sendall(struct.pack(">I", len(body)) + letter + body)


def _receive(channel: socket.socket, left: Callable[[], float] = lambda: START_SECONDS) -> tuple[bytes, bytes]:
    """Receive one frame in the time that is left; a peer that sends byte by byte gains none."""
    head = _exactly(channel, 5, left)
    length = struct.unpack(">I", head[:4])[0]
    if length > MAX_FRAME:
        raise ValueError("the frame is too long")
    return head[4:5], _exactly(channel, length, left)


def _exactly(channel: socket.socket, count: int, left: Callable[[], float]) -> bytes:
    parts = []
    while count:
        seconds = left()
        if seconds <= 0:
            raise TimeoutError
        channel.settimeout(min(seconds, LOOK_SECONDS))
        try:
            part = channel.recv(min(count, 1 << 20))
        except TimeoutError:
            continue
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


__all__ = ["CandidateHandle", "Child", "ChildSession", "ChildSpec", "HarnessFault"]
