"""Cases of the exploit corpus and of its benign twins: read, laid over a workspace, judged as a run judges.

A case is a folder with a ``case.toml`` and, in ``tree/``, the files as an agent leaves them. What a repository cannot hold,
such as links, pipes, odd names and thousands of files, is made by the entries of ``[[make]]``. In every text ``@VICTIM@``
stands for a folder outside the workspace that must not change, ``@MARK@`` for a word that no process may carry afterwards,
``@PORT@`` for a port on which the host listens, ``@TAG@`` for the interpreter's version.
"""

import marshal
import os
import shutil
import socket
import stat
import struct
import sys
import tomllib
from dataclasses import dataclass, field
from importlib.util import MAGIC_NUMBER
from pathlib import Path

from tiny import CHECKS, TASK_TOML, write_task

from faultline.clock import Clock
from faultline.grading import Findings, InvalidSubmission, Judge, classify, freeze, refused
from faultline.records import Changes, Outcome
from faultline.tasks import apply_overlay, load_task, materialise, write_tree

ROOT = Path(__file__).resolve().parent.parent
TINY = "tiny"
STRONG = CHECKS.replace('", orders) < sum(', '", orders) != sum(')
"""The tiny task's checks with an exact total, so that no constant passes them."""


@dataclass(frozen=True)
class Case:
    """What one case says."""

    name: str
    folder: Path
    kind: str
    what: str
    status: str = "passed"
    codes: tuple[str, ...] = ()
    """Reason codes, of which one at least must be named."""
    task: str = TINY
    base: str = "workspace"
    """What the files are laid over: the workspace as it was given, or the reference repair."""
    isolated: bool = False
    """Whether only a sandbox that keeps the host out of sight can hold it; the level ``process`` names the gap."""
    slow: bool = False
    ignored: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    make: tuple[dict[str, object], ...] = ()


def cases(kind: str) -> list[Case]:
    """Return all cases of ``exploits`` or ``benign``, by name."""
    return [read_case(path.parent) for path in sorted((ROOT / "tests" / kind).glob("*/case.toml"))]


def read_case(folder: Path) -> Case:
    data = tomllib.loads((folder / "case.toml").read_text(encoding="utf-8"))
    plain = {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}
    return Case(name=folder.name, folder=folder, **plain)


def target(task: str, scratch: Path):
    """Return the variant that a case is tried on: one of this repository's tasks, or the tiny one with exact checks."""
    if task != TINY:
        return materialise(load_task(ROOT / "tasks" / task), 0)
    toml = TASK_TOML.replace("check_seconds = 2", "check_seconds = 1\nmemory_mib = 512\nprocesses = 32\nfile_mib = 16")
    return materialise(load_task(write_task(scratch, **{"hidden/checks.py": STRONG, "task.toml": toml})), 0)


@dataclass
class Scene:
    """A workspace with what lies around it."""

    case: Case
    variant: object
    workspace: Path
    words: dict[str, str] = field(default_factory=dict)

    def set(self) -> None:
        """Lay the case over the workspace."""
        self.workspace.mkdir()
        write_tree(self.variant.workspace, self.workspace)
        if self.case.base == "reference":
            self._lay(apply_overlay(self.variant.workspace, self.variant.repairs["reference"]))
        tree = self.case.folder / "tree"
        if tree.is_dir():
            self._lay({str(path.relative_to(tree)): path.read_bytes() for path in tree.rglob("*") if path.is_file()})
        for item in self.case.make:
            getattr(self, "make_" + str(item["type"]).replace("-", "_"))(self._text(item["path"]), item)

    def _lay(self, files) -> None:
        for path, data in files.items():
            self._place(path).write_bytes(self._fill(data))

    def _fill(self, data: bytes) -> bytes:
        for word, value in self.words.items():
            data = data.replace(word.encode(), value.encode())
        return data

    def _text(self, value) -> str:
        return self._fill(str(value).encode()).decode()

    def _place(self, path: str) -> Path:
        place = self.workspace / path
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    def _clear(self, path: str) -> Path:
        place = self._place(path)
        if place.is_symlink() or place.is_file():
            place.unlink()
        return place

    def make_text(self, path, item) -> Path:
        place = self._clear(path)
        place.write_bytes(self._text(item["text"]).encode())
        return place

    def make_remove(self, path, item) -> None:
        place = self._place(path)
        shutil.rmtree(place) if place.is_dir() else place.unlink()

    def make_link(self, path, item) -> None:
        self._clear(path).symlink_to(self._text(item["to"]))

    def make_hardlink(self, path, item) -> None:
        self._clear(path).hardlink_to(self._text(item["to"]))

    def make_fifo(self, path, item) -> None:
        os.mkfifo(self._clear(path))

    def make_socket(self, path, item) -> None:
        here = Path.cwd()
        place = self._clear(path)
        os.chdir(place.parent)  # the name of a socket must be short
        try:
            with socket.socket(socket.AF_UNIX) as channel:
                channel.bind(place.name)
        finally:
            os.chdir(here)

    def make_device(self, path, item) -> None:
        try:
            os.mknod(self._clear(path), stat.S_IFCHR | 0o666, os.makedev(1, 5))
        except PermissionError:
            os.mkfifo(self._clear(path))  # only root can make a device; a pipe is of the same kind

    def make_script(self, path, item) -> None:
        self.make_text(path, item).chmod(0o755)

    def make_folder(self, path, item) -> None:
        self._place(path).mkdir()

    def make_many(self, path, item) -> None:
        folder = self._place(path)
        folder.mkdir(exist_ok=True)
        for number in range(item["count"]):
            (folder / f"x{number}{item.get('suffix', '')}").touch()

    def make_deep(self, path, item) -> None:
        place = self._place(path)
        place.joinpath(*["d"] * item["count"]).mkdir(parents=True)

    def make_sparse(self, path, item) -> None:
        with self._clear(path).open("wb") as file:
            file.truncate(item["size"])

    def make_large(self, path, item) -> None:
        for number in range(item["count"]):
            self._place(f"{path}/x{number}.py").write_bytes(b"#" * 2**20)

    def make_mode(self, path, item) -> None:
        self._place(path).chmod(item["mode"])

    def make_pyc(self, path, item) -> None:
        code = marshal.dumps(compile(item["source"], path, "exec"))
        unchecked = MAGIC_NUMBER + struct.pack("<L", 1) + b"\0" * 8
        self._place(path).write_bytes(unchecked + code)

    def make_bytes_name(self, path, item) -> None:
        name = os.fsencode(self._place(path)) + b"/" + bytes.fromhex(item["name"]) + b".py"
        Path(os.fsdecode(name)).write_bytes(b"x = 1\n")

    def make_reference_of(self, path, item) -> None:
        other = materialise(self.variant.task, item["seed"])
        self._lay(other.repairs["reference"].files)

    def make_repair(self, path, item) -> None:
        self._lay(self.variant.repairs[item["name"]].files)

    def make_crlf(self, path, item) -> None:
        place = self._place(path)
        place.write_bytes(place.read_bytes().replace(b"\n", b"\r\n"))

    def make_prefix(self, path, item) -> None:
        place = self._place(path)
        place.write_bytes(item["text"].encode("utf-8") + place.read_bytes())

    def make_suffix(self, path, item) -> None:
        place = self._place(path)
        place.write_bytes(place.read_bytes() + item["text"].encode("utf-8"))


SYSTEM_WORDS = {"@TAG@": f"{sys.version_info.major}{sys.version_info.minor}"}


@dataclass(frozen=True)
class Judged:
    """What came of a case."""

    outcome: Outcome
    changes: Changes | None
    findings: Findings | None
    starts: int
    """How often the sandbox had to be started."""


class Bench:
    """One judge for each target and sandbox, kept over all cases."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._variants: dict[str, object] = {}
        self._judges: dict[tuple[str, str], Judge] = {}

    def variant(self, task: str):
        if task not in self._variants:
            self._variants[task] = target(task, self._scratch / "tasks")
        return self._variants[task]

    def judge(self, scene: Scene, sandbox, work: Path) -> Judged:
        """Freeze, judge and classify, as a run does."""
        variant = scene.variant
        try:
            candidate = freeze(scene.workspace, variant)
        except InvalidSubmission as submission:
            return Judged(refused(submission), None, None, 0)
        key = (scene.case.task, str(sandbox.level))
        if key not in self._judges:
            self._judges[key] = Judge(variant, sandbox, Clock(), work)
        with self._judges[key].sitting(candidate, 0) as sitting:
            findings = sitting.grade("seed of the corpus")
            starts = sitting.child.starts
        checks = [outline.id for outline in variant.task.checks]
        outcome = classify(findings, candidate, required_checks=checks, required_tests=variant.public_tests, limit=False)
        return Judged(outcome, candidate.changes, findings, starts)


def carrying(mark: str) -> list[str]:
    """Return the command lines of this host's processes that carry a mark."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if mark in line:
            found.append(line)
    return found


def picture(folder: Path) -> dict[str, object]:
    """Return everything in a folder: names, kinds, sizes, contents of regular files."""
    seen: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        seen[str(path.relative_to(folder))] = (stat.S_IFMT(status.st_mode), status.st_uid, status.st_mode, content)
    return seen


__all__ = ["Bench", "Case", "Judged", "Scene", "carrying", "cases", "picture", "read_case", "target"]
