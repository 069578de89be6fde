"""The driver inside the sandbox: loads what is slow once, then lends a fresh process to each session of calls.

Standard library only; it shares a process with candidate code, so nothing here is trusted and no expected value, check name
or result path ever reaches it. ``child.py DESCRIPTOR CANDIDATE SCRATCH ALONE MODULE_FOLDER MODULE…``. Frames are a length in
four bytes, one letter, and a body. On the descriptor itself:

=====  ==========  =========================================================================================
R      to judge    ready
O      to driver   open a session: fork a process
F      to judge    the session's own channel comes along as a descriptor
X      to driver   end the session: kill its process and all others, and clear up
=====  ==========  =========================================================================================

On a session's channel, ``C`` carries a request and ``A`` its answer, both as strict JSON; the answer repeats the
request's number.
"""

import contextlib
import ctypes
import dataclasses
import datetime
import gc
import importlib
import importlib.machinery
import importlib.util
import json
import marshal
import math
import os
import select
import shutil
import signal
import socket
import struct
import sys
import tempfile
import time
import unittest
from collections.abc import Callable, Iterable
from typing import Any

MAX_FRAME = 16 * 2**20
COMPILE_SECONDS = 10.0
KEYCTL = {"x86_64": 250, "aarch64": 219}
"""Number of the system call by machine."""
USER_KEYRING, USER_SESSION_KEYRING, SESSION_KEYRING = -4, -5, -3
PR_SET_DUMPABLE = 4
# fmt: off
COMMON = (
    "abc", "argparse", "array", "base64", "bisect", "calendar", "collections", "collections.abc", "contextlib", "copy",
    "csv", "dataclasses", "datetime", "decimal", "enum", "fractions", "functools", "gzip", "hashlib", "heapq",
    "inspect", "io", "itertools", "json", "logging", "math", "operator", "os", "pathlib", "pickle", "random", "re",
    "statistics", "string", "struct", "textwrap", "threading", "time", "traceback", "types", "typing", "unittest",
    "urllib.parse", "uuid", "warnings", "weakref", "zoneinfo",
)
# fmt: on
"""Modules of the standard library that experiments use; those a candidate names are loaded once instead of in each session."""
PARTS = {"numpy": ("random", "linalg", "fft")}
"""Parts that a module loads late; loaded early for a candidate that names them."""


def main() -> None:
    """Serve sessions until the descriptor closes."""
    number, candidate, scratch, alone, folder, *modules = sys.argv[1:]
    control = socket.socket(fileno=int(number))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    sys.path.append(folder)
    compiled = compile_aside(candidate)
    gc.disable()  # nothing that is loaded here is ever let go
    parts = [f"{module}.{part}" for module in modules for part in named(compiled, PARTS[module])]
    for name in (*named(compiled, COMMON), *modules, *parts):
        importlib.import_module(name)
    # What is empty now is the sandbox's own, and may be emptied again after each session.
    own = [place for place in (scratch, "/dev/shm") if alone == "alone" or place == scratch if not os.listdir(place)]
    # Processes of one user may look into each other's memory; a session shall not look into the driver's.
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    gc.freeze()  # fewer pages are copied by each fork
    gc.enable()
    send(control, b"R")
    while True:
        letter, _ = receive(control)
        if letter == b"O":
            lend(control, candidate, compiled, own, alone == "alone")


def named(compiled: dict[str, bytes], modules: Iterable[str]) -> list[str]:
    """Return the modules whose first name stands in any of the candidate's files."""
    text = b"".join(compiled.values())
    return [module for module in modules if module.partition(".")[0].encode() in text]


def lend(control: socket.socket, candidate: str, compiled: dict[str, bytes], own: list[str], alone: bool) -> None:
    """Fork one process, hand its channel to the judge, and clear up after it when the judge says so."""
    scratch = tempfile.mkdtemp(dir=own[0] if own else None)
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        try:
            ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
            os.setsid()
            ours.close()
            control.close()
            serve(theirs, candidate, compiled, scratch)
        finally:
            os._exit(1)
    theirs.close()
    try:
        socket.send_fds(control, [struct.pack(">I", 0) + b"F"], [ours.fileno()])
        ours.close()
        receive(control)
    finally:
        end(pid, alone)
        if alone:
            forget()
        shutil.rmtree(scratch, onerror=open_up)
        for place in own:
            empty(place)


def compile_aside(candidate: str) -> dict[str, bytes]:
    """Return the bytecode of the candidate's files by path, made in a process of its own.

    Compiling runs nothing, but a hostile source may crash or hang the compiler; then every session compiles for itself.
    """
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        with contextlib.suppress(BaseException), os.fdopen(writer, "wb") as file:
            marshal.dump(dict(bytecode(candidate)), file)
        os._exit(0)
    os.close(writer)
    data = bytearray()
    with os.fdopen(reader, "rb", buffering=0) as file:
        deadline = time.monotonic() + COMPILE_SECONDS
        while select.select([file], [], [], max(deadline - time.monotonic(), 0))[0]:
            part = file.read(1 << 20)
            if not part or len(data) > MAX_FRAME:
                break
            data += part
    end(pid, alone=False)
    try:
        found = marshal.loads(bytes(data))
    except (EOFError, ValueError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}


def bytecode(candidate: str) -> Iterable[tuple[str, bytes]]:
    """Yield path and marshalled code of each file that compiles."""
    for folder, _, names in os.walk(candidate):
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith(".py"):
                with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError), open(path, "rb") as file:
                    yield path, marshal.dumps(compile(file.read(), path, "exec", dont_inherit=True))


class Compiled(importlib.machinery.SourceFileLoader):
    """Loads a candidate's module from bytecode that was made when the driver started."""

    files: dict[str, bytes] = {}

    def get_code(self, fullname: str) -> Any:
        """Return the code of a module."""
        data = self.files.get(self.path)
        return super().get_code(fullname) if data is None else marshal.loads(data)


def use_compiled(candidate: str, compiled: dict[str, bytes]) -> None:
    """Let imports below the candidate's folder use the bytecode that is there."""
    Compiled.files = compiled
    hook = importlib.machinery.FileFinder.path_hook((Compiled, importlib.machinery.SOURCE_SUFFIXES))

    def below(path: str) -> Any:
        if path != candidate and not path.startswith(candidate + "/"):
            raise ImportError
        return hook(path)

    sys.path_hooks.insert(0, below)


def empty(place: str) -> None:
    """Remove whatever a session left in a folder of the sandbox, so that no state outlives it.

    What resists ends the driver, and with it the sandbox: the next session gets a new one.
    """
    for entry in os.scandir(place):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, onerror=open_up)
        else:
            with contextlib.suppress(OSError):
                os.unlink(entry.path)
    if os.listdir(place):
        os._exit(1)


def open_up(_: Any, path: str, __: Any) -> None:
    """Try again after giving ourselves the rights to a folder that a session closed."""
    for closed in (os.path.dirname(path), path):
        with contextlib.suppress(OSError):
            os.chmod(closed, 0o700)
    with contextlib.suppress(OSError):
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)


def forget() -> None:
    """Remove what a session kept in the kernel: shared memory, semaphores, message queues, keys."""
    libc = ctypes.CDLL(None)
    for kind in ("shm", "msg", "sem"):
        with contextlib.suppress(OSError), open(f"/proc/sysvipc/{kind}") as file:
            for line in file.readlines()[1:]:
                number = int(line.split()[1])
                if kind == "sem":
                    libc.semctl(number, 0, 0)  # IPC_RMID
                else:
                    getattr(libc, kind + "ctl")(number, 0, None)
    call = KEYCTL.get(os.uname().machine)
    for ring in (USER_KEYRING, USER_SESSION_KEYRING, SESSION_KEYRING) if call else ():
        libc.syscall(call, 7, ring)  # KEYCTL_CLEAR


def end(pid: int, alone: bool) -> None:
    """Kill the lent process and whatever it started."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)
    if alone:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(-1, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def send(channel: socket.socket, letter: bytes, body: bytes = b"") -> None:
    """Send one frame."""
    channel.sendall(struct.pack(">I", len(body)) + letter + body)


def receive(channel: socket.socket) -> tuple[bytes, bytes]:
    """Receive one frame; :class:`EOFError` when the other side is gone, :class:`ValueError` when it is too long."""
    head = exactly(channel, 5)
    length = struct.unpack(">I", head[:4])[0]
    if length > MAX_FRAME:
        raise ValueError("the frame is too long")
    return head[4:5], exactly(channel, length)


def exactly(channel: socket.socket, count: int) -> bytes:
    """Receive a number of bytes."""
    parts = []
    while count:
        part = channel.recv(min(count, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


AS_IT_IS = frozenset({str, int, bool, type(None)})
"""Types that JSON carries as they are."""


class Trouble(Exception):
    """What the judge is told instead of an answer: kind, exception type, message."""


def serve(channel: socket.socket, candidate: str, compiled: dict[str, bytes], scratch: str) -> None:
    """Answer requests in a process of their own, until the channel closes."""
    use_compiled(candidate, compiled)
    os.chdir(scratch)
    sys.argv = ["python3"]
    sys.path.append(candidate)
    objects: list[Any] = []
    while True:
        request = json.loads(receive(channel)[1])
        number = request["id"]
        try:
            answer = respond(request, objects, candidate, scratch)
            body = json.dumps({"id": number, **answer}, allow_nan=False).encode("ascii")
        except Trouble as trouble:
            kind, type_name, message = trouble.args
            body = json.dumps({"id": number, "error": [kind, type_name[:200], message[:500]]}).encode("ascii")
        except (RecursionError, ValueError, TypeError) as error:
            what = ["BAD_ANSWER", type(error).__name__, str(error)[:500]]
            body = json.dumps({"id": number, "error": what}).encode("ascii")
        send(channel, b"A", body)


def respond(request: dict[str, Any], objects: list[Any], candidate: str, scratch: str) -> dict[str, Any]:
    """Do what one request asks for."""
    match request["op"]:
        case "scratch":
            return {"value": scratch}
        case "tests":
            return {"value": {path: run_tests(candidate, path) for path in request["files"]}}
        case "surface":
            return {"value": surface(request["names"])}
        case "calls":
            return {"value": [respond(call, objects, candidate, scratch)["value"] for call in request["calls"]]}
        case "get":
            value = attempt(lambda: getattr(objects[request["handle"]], request["name"]))
            return {"value": flatten(value)}
    function = resolve(request["target"], objects)
    arguments = [restore(item, objects) for item in request["args"]]
    keywords = {name: restore(item, objects) for name, item in request["kwargs"].items()}
    value = attempt(lambda: function(*arguments, **keywords))
    if request["op"] == "make":
        objects.append(value)
        return {"handle": len(objects) - 1}
    answer = {"value": flatten(value)}
    if request["op"] == "observe":
        answer["args"] = [flatten(item) for item in arguments]
        answer["kwargs"] = {name: flatten(item) for name, item in keywords.items()}
    return answer


def attempt(action: Callable[[], Any]) -> Any:
    """Run candidate code; whatever it raises becomes an answer."""
    try:
        return action()
    except AttributeError as error:
        raise Trouble("RAISED", "AttributeError", text(error)) from None
    except BaseException as error:
        raise Trouble("RAISED", type(error).__name__, text(error)) from None


def text(error: BaseException) -> str:
    """Return an exception's message, also when asking for it raises."""
    try:
        return str(error)
    except BaseException:
        return "(no message)"


def resolve(target: Any, objects: list[Any]) -> Any:
    """Return the function that a target names: ``module:name``, or a method of a kept object."""
    if isinstance(target, list):
        try:
            return getattr(objects[target[0]], target[1])
        except AttributeError:
            raise Trouble("NAME_MISSING", "", str(target[1])) from None
        except BaseException as error:
            raise Trouble("RAISED", type(error).__name__, text(error)) from None
    module, _, name = target.partition(":")
    try:
        found = importlib.import_module(module)
    except BaseException as error:
        raise Trouble("IMPORT_FAILED", type(error).__name__, f"{module}: {text(error)}") from None
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise Trouble("NAME_MISSING", "", target) from None
        except BaseException as error:
            raise Trouble("RAISED", type(error).__name__, text(error)) from None
    return found


def surface(names: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return what is gone of some modules and names in them, with kind, exception type and message of each."""
    gone = {}
    for module, wanted in names.items():
        try:
            found = importlib.import_module(module)
        except BaseException as error:
            gone[module] = ["IMPORT_FAILED", type(error).__name__, text(error)[:200]]
            continue
        for name in wanted:
            here: Any = found
            try:
                for part in name.split("."):
                    here = getattr(here, part)
            except AttributeError:
                gone[f"{module}:{name}"] = ["NAME_MISSING", "", ""]
            except BaseException as error:
                gone[f"{module}:{name}"] = ["RAISED", type(error).__name__, text(error)[:200]]
    return gone


def restore(value: Any, objects: list[Any]) -> Any:
    """Turn an argument from strict JSON into what the check meant."""
    if isinstance(value, list):
        return [item if type(item) in AS_IT_IS else restore(item, objects) for item in value]
    if not isinstance(value, dict):
        return value
    if "$" not in value:
        return {key: item if type(item) in AS_IT_IS else restore(item, objects) for key, item in value.items()}
    content = value["v"]
    match value["$"]:
        case "map":
            return {restore(key, objects): restore(item, objects) for key, item in content}
        case "tuple":
            return tuple(restore(item, objects) for item in content)
        case "float":
            return float(content)
        case "handle":
            return objects[content]
        case "datetime":
            return datetime.datetime.fromisoformat(content)
        case "date":
            return datetime.date.fromisoformat(content)
        case "array":
            import numpy

            return numpy.array(restore(content, objects), dtype=value["d"])
    raise ValueError("unknown argument")


def flatten(value: Any) -> Any:
    """Turn an answer into strict JSON; numpy's values become plain here, since JSON knows none of them."""
    if type(value) in AS_IT_IS:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        plain = float.__float__(value)
        return plain if math.isfinite(plain) else {"$": "float", "v": repr(plain)}
    if isinstance(value, datetime.datetime):
        return {"$": "datetime", "v": value.isoformat()}
    if isinstance(value, datetime.date):
        return {"$": "date", "v": value.isoformat()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return mapping({field.name: getattr(value, field.name) for field in dataclasses.fields(value)})
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return mapping(dict(zip(value._fields, value, strict=False)))
    if isinstance(value, list | tuple):
        return [item if type(item) in AS_IT_IS else flatten(item) for item in value]
    if isinstance(value, set | frozenset):
        return [flatten(item) for item in in_order(value)]
    if isinstance(value, dict):
        return mapping(value)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        if isinstance(value, numpy.generic):
            return flatten(value.item())
        if isinstance(value, numpy.ndarray):
            return flatten(value.tolist())
    raise Trouble("BAD_ANSWER", type(value).__name__, "this is not plain data")


def mapping(value: dict[Any, Any]) -> dict[str, Any]:
    """Return a mapping with any plain keys; one with plain text keys is a JSON object as it is."""
    if all(type(key) is str for key in value) and "$" not in value:
        return {key: flatten(item) for key, item in value.items()}
    return {"$": "map", "v": [[flatten(key), flatten(item)] for key, item in value.items()]}


def in_order(values: Iterable[Any]) -> list[Any]:
    """Return a set's members in an order that does not depend on hashes where that is possible."""
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=repr)


class Collected(unittest.TestResult):
    """How each test ended; only a plain success is a pass."""

    def __init__(self) -> None:
        super().__init__()
        self.ended: dict[str, list[str]] = {}

    def note(self, test: unittest.TestCase, outcome: str, detail: str = "") -> None:
        """Keep the worst outcome of a test; a subtest's failure comes before its test's end."""
        name = f"{type(test).__name__}::{getattr(test, '_testMethodName', '')}"
        if name not in self.ended or outcome != "passed":
            self.ended[name] = [outcome, detail[-500:]]

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802
        """Count a pass."""
        self.note(test, "passed")

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        """Count a failed assertion."""
        self.note(test, "failed", f"{err[0].__name__}: {text(err[1])}")

    def addError(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        """Count an exception."""
        self.note(test, "raised", f"{err[0].__name__}: {text(err[1])}")

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802
        """Count a skip, which is no pass."""
        self.note(test, "skipped", reason)

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: ARG002, N802
        """Count an expected failure, which is no pass."""
        self.note(test, "expected failure")

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802
        """Count an unexpected success, which is no pass."""
        self.note(test, "unexpected success")

    def addSubTest(self, test: unittest.TestCase, subtest: object, err: Any) -> None:  # noqa: ARG002, N802
        """Count a failing subtest against its test."""
        if err is not None:
            self.note(test, "failed", f"{err[0].__name__}: {text(err[1])}")


def run_tests(candidate: str, path: str) -> dict[str, Any]:
    """Run the unittest classes of one file of public tests and return how each ended."""
    os.chdir(candidate)
    try:
        loader = Compiled(path.removesuffix(".py").replace("/", "."), os.path.join(candidate, path))
        module = importlib.util.module_from_spec(importlib.machinery.ModuleSpec(loader.name, loader, origin=loader.path))
        sys.modules[loader.name] = module
        loader.exec_module(module)
    except BaseException as error:
        return {"": ["IMPORT_FAILED", f"{type(error).__name__}: {text(error)}"[:500]]}
    found = Collected()
    suite = unittest.TestSuite()
    for value in list(vars(module).values()):
        if isinstance(value, type) and issubclass(value, unittest.TestCase) and value.__module__ == module.__name__:
            suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(value))
    attempt(lambda: suite.run(found))
    return mapping(found.ended)


if __name__ == "__main__":
    main()
