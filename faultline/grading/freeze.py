"""Freeze a candidate: what an agent left behind becomes a tree of bytes with a digest, or is refused.

Opens relative to directory descriptors without following links, looks at every entry before it reads it, and reads only
what an agent may edit (grading threats E1, E2, E7, E13). Never runs anything, git included.
"""

import base64
import errno
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from faultline.grading.configuration import SECTIONS, changes_what_runs
from faultline.kinds import safe_text
from faultline.records import CandidateFile, Changes, FrozenCandidate
from faultline.tasks import TaskVariant, Tree, apply_overlay, is_editable, read_beneath, tree_digest, tree_listing

MAX_FILE = 1 * 2**20
"""Bytes of one editable file."""
MAX_TOTAL = 16 * 2**20
"""Bytes of all editable files together."""
MAX_FILES = 1_000
"""Editable files."""
MAX_ENTRIES = 20_000
"""Entries looked at."""
MAX_TESTS = 256 * 2**10
"""Bytes kept of what an agent left in ``tests/``; files beyond that count as not there."""
MAX_TEST_FILES = 200
"""Entries of ``tests/`` that are looked at."""
MAX_LISTED = 200
"""Paths kept in each list of changes; the rest is counted in a last entry."""

_PORTABLE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")

LEAVINGS = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".git"})
"""Folders that tools leave behind; nobody wrote them."""

INVALID_CODES = {
    "SPECIAL_FILE": "An editable path is a pipe, a device, a socket or a folder where a file belongs.",
    "LINKED_FILE": "An editable path is a symbolic link, or a file with more than one name.",
    "FILE_TOO_LARGE": "An editable file, or all of them together, are larger than a submission may be.",
    "TOO_MANY_FILES": "The workspace holds more entries than a submission may hold.",
    "ODD_NAME": "An editable path has a name that not every system can hold.",
    "UNREADABLE": "An editable path cannot be read.",
    "NO_WORKSPACE": "The workspace itself is gone or is no folder.",
}
"""Reason codes of an invalid submission, and what each says."""


class InvalidSubmission(Exception):  # noqa: N818  (an outcome, not an error to mend)
    """The tree that an agent left holds what no submission may hold."""

    def __init__(self, code: str, path: str) -> None:
        """Name the code and the place; the path is hostile."""
        super().__init__(code, path)
        self.code, self.path = code, safe_text(path, 200)


@dataclass(frozen=True)
class Candidate:
    """The frozen tree: the pristine workspace with the editable files as the agent left them."""

    tree: Tree
    digest: str
    changes: Changes
    record: FrozenCandidate
    tests: Mapping[str, bytes] = field(default_factory=dict)
    """What lies in ``tests/`` as the agent left it; judged apart, and only when a public test is among what differs."""
    configuration: tuple[str, ...] = ()
    """Files the agent left that change which tests run or what they run with."""

    @property
    def unchanged(self) -> bool:
        """Whether the candidate is the workspace as it was given."""
        return self.digest == self.record.workspace_digest


def freeze(workspace: Path, variant: TaskVariant) -> Candidate:
    """Return the candidate in a workspace; nothing there is trusted or run.

    Raises :class:`InvalidSubmission`.
    """
    pristine, editable = variant.workspace, variant.editable
    try:
        root = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        raise InvalidSubmission("NO_WORKSPACE", ".") from error
    try:
        found: dict[str, bytes] = {}
        ignored: list[str] = []
        walk = _Walk(editable)
        for path, parent, name in walk.files(root, ""):
            if not is_editable(path, editable):
                if path not in pristine:
                    ignored.append(path)
                continue
            found[path] = _read(path, parent, name, MAX_TOTAL - sum(map(len, found.values())))
            if len(found) > MAX_FILES:
                raise InvalidSubmission("TOO_MANY_FILES", path)
        ignored += walk.passed_over
        tests, beside = _left_tests(root, workspace, pristine)
        ignored += beside
        restored = [path for path in pristine if not is_editable(path, editable) and _differs(workspace, path, pristine[path])]
    finally:
        os.close(root)
    kept = {path: data for path, data in pristine.items() if not is_editable(path, editable)}
    touched = {path for path in (*ignored, *restored, *found) if found.get(path) != pristine.get(path) or path not in found}
    return _candidate(
        kept | found,
        pristine,
        ignored=ignored,
        restored=restored,
        tests=tests,
        configuration=tuple(sorted(path for path in touched if _is_configuration(workspace, path, found, pristine))),
    )


def plain_candidate(variant: TaskVariant, tree: Tree) -> Candidate:
    """Return a tree that nobody left in a workspace as a candidate."""
    return _candidate(tree, variant.workspace, ignored=[], restored=[])


def reference_candidate(variant: TaskVariant) -> Candidate:
    """Return the reference repair of a variant as a candidate, without a workspace on disk."""
    return plain_candidate(variant, apply_overlay(variant.workspace, variant.repairs["reference"]))


def _left_tests(root: int, workspace: Path, pristine: Tree) -> tuple[dict[str, bytes], list[str]]:
    """Return what lies in ``tests/``, the public tests first, and the paths there that the workspace did not have.

    No link is followed, and no name is kept that could not be written into a fresh folder.
    """
    seen: list[str] = []
    try:
        for base, folders, names, _ in os.fwalk("tests", dir_fd=root, follow_symlinks=False):
            folders[:] = sorted(name for name in folders if name not in LEAVINGS)
            seen += [f"{base}/{name}" for name in sorted(names) if not name.endswith(".pyc")]
            if len(seen) > MAX_TEST_FILES:
                break
    except OSError:
        pass  # a folder that is gone or is none: then there are no tests
    public = [path for path in pristine if path.startswith("tests/")]
    beside = [path for path in seen[:MAX_TEST_FILES] if path not in pristine]
    kept: dict[str, bytes] = {}
    for path in (*public, *beside):
        if all(_PORTABLE.fullmatch(part) for part in path.split("/")):
            data = read_beneath(workspace, path, MAX_TESTS - sum(map(len, kept.values())))
            if data is not None:
                kept[path] = data
    return kept, beside


def _is_configuration(workspace: Path, path: str, found: Mapping[str, bytes], pristine: Tree) -> bool:
    if path.endswith("/"):  # a folder that was not entered; in the root it may hide a module
        return (
            "/" not in path[:-1]
            and changes_what_runs(f"{path}__init__.py", b"", None)
            and (read_beneath(workspace, f"{path}__init__.py", MAX_FILE) is not None)
        )
    wanted = path.startswith("tests/") or path.rsplit("/", 1)[-1] in SECTIONS
    data = found.get(path) if path in found or not wanted else read_beneath(workspace, path, MAX_FILE)
    return changes_what_runs(path, data, pristine.get(path))


def _candidate(
    tree: Tree,
    pristine: Tree,
    *,
    ignored: list[str],
    restored: list[str],
    tests: Mapping[str, bytes] | None = None,
    configuration: tuple[str, ...] = (),
) -> Candidate:
    given = {path: data for path, data in pristine.items() if path.startswith("tests/")}
    left = given if tests is None else tests
    changed = {path: data for path, data in tree.items() if pristine.get(path) != data}
    changes = Changes(
        added=_listed([path for path in changed if path not in pristine]),
        modified=_listed([path for path in changed if path in pristine]),
        deleted=_listed([path for path in pristine if path not in tree]),
        ignored=_listed(ignored),
        restored=_listed(restored),
    )
    record = FrozenCandidate(
        schema_name="faultline/candidate/1",
        digest=tree_digest(tree),
        workspace_digest=tree_digest(pristine),
        tree=tree_listing(tree),
        files={path: _content(data) for path, data in sorted(changed.items())},
        tests={path: _content(data) for path, data in sorted(left.items()) if given.get(path) != data},
    )
    return Candidate(tree, record.digest, changes, record, left, _listed(list(configuration)))


def _content(data: bytes) -> CandidateFile:
    try:
        return CandidateFile(text=data.decode("utf-8"))
    except UnicodeDecodeError:
        return CandidateFile(base64=base64.b64encode(data).decode("ascii"))


def _listed(paths: list[str]) -> tuple[str, ...]:
    shown = sorted(safe_text(path, 200) for path in paths)
    rest = len(shown) - MAX_LISTED
    return (*shown[:MAX_LISTED], f"… and {rest} more") if rest > 0 else tuple(shown)


class _Walk:
    """Visits the entries of a workspace that could be editable; other folders are named and not entered."""

    def __init__(self, editable: tuple[str, ...]) -> None:
        self._editable = editable
        self._entries = 0
        self.passed_over: list[str] = []

    def files(self, folder: int, prefix: str) -> Iterator[tuple[str, int, str]]:
        """Yield path, descriptor of the folder and name of every entry that is no folder."""
        with os.scandir(folder) as entries:
            names = sorted(entries, key=lambda entry: entry.name)
        for entry in names:
            self._entries += 1
            if self._entries > MAX_ENTRIES:
                raise InvalidSubmission("TOO_MANY_FILES", prefix or ".")
            path = prefix + entry.name
            if not entry.is_dir(follow_symlinks=False):
                yield path, folder, entry.name
            elif is_editable(path, self._editable):
                raise InvalidSubmission("SPECIAL_FILE", path)
            elif self._leads_to_editable(path):
                inner = os.open(entry.name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
                try:
                    yield from self.files(inner, path + "/")
                finally:
                    os.close(inner)
            elif path != "tests":
                self.passed_over.append(path + "/")

    def _leads_to_editable(self, path: str) -> bool:
        depth = path.count("/") + 1
        heads = tuple("/".join(pattern.split("/")[:depth]) for pattern in self._editable if pattern.count("/") >= depth)
        return is_editable(path, heads)


def _read(path: str, parent: int, name: str, room: int) -> bytes:
    """Read one editable file: regular, one name, portable, small enough; all decided before a byte is read."""
    if not all(_PORTABLE.fullmatch(part) for part in path.split("/")):
        raise InvalidSubmission("ODD_NAME", path)
    try:
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=parent)
    except OSError as error:
        code = "LINKED_FILE" if error.errno == errno.ELOOP else "SPECIAL_FILE" if error.errno == errno.ENXIO else "UNREADABLE"
        raise InvalidSubmission(code, path) from error
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise InvalidSubmission("SPECIAL_FILE", path)
        if status.st_nlink != 1:
            raise InvalidSubmission("LINKED_FILE", path)
        limit = min(MAX_FILE, room)
        data = file.read(limit + 1)
        if status.st_size > limit or len(data) > limit:
            raise InvalidSubmission("FILE_TOO_LARGE", path)
        return data


def _differs(workspace: Path, path: str, wanted: bytes) -> bool:
    """Return whether a protected file is not as it was given."""
    return read_beneath(workspace, path, len(wanted)) != wanted
