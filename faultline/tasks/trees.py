"""Trees of files as values: path to bytes, with a listing and a digest; read and written with care."""

import fnmatch
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path

from faultline.errors import BadInputError, MissingInputError
from faultline.kinds import digest_bytes
from faultline.records import digest_of_plain

Tree = Mapping[str, bytes]
"""Relative path with ``/`` between its parts, and the file's bytes."""

_PORTABLE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*")
_MADE_BY_TOOLS = {"__pycache__", ".DS_Store", ".pytest_cache", ".mypy_cache", ".ruff_cache"}


def tree_listing(tree: Tree) -> dict[str, str]:
    """Return the digest of each file, by path in order."""
    return {path: digest_bytes(tree[path]) for path in sorted(tree)}


def tree_digest(tree: Tree) -> str:
    """Return the digest of a tree: that of its listing as canonical JSON; modes and times do not count."""
    return digest_of_plain(tree_listing(tree))


def read_tree(folder: Path, *, missing_ok: bool = False) -> dict[str, bytes]:
    """Read the files below a folder of the benchmark (never a submission).

    Leavings of tools such as ``__pycache__`` are passed over. Raises :class:`BadInputError` for links, special files and
    names that not every system can hold, :class:`MissingInputError` when the folder is not there.
    """
    if not folder.is_dir():
        if missing_ok:
            return {}
        raise MissingInputError(str(folder), "this folder is missing")
    found: dict[str, bytes] = {}
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - _MADE_BY_TOOLS)
        for name in sorted(set(names) - _MADE_BY_TOOLS):
            path = Path(base, name)
            relative = path.relative_to(folder).as_posix()
            if path.is_symlink() or not path.is_file():
                raise BadInputError(str(path), "only regular files belong in a task")
            if not _PORTABLE.fullmatch(relative):
                raise BadInputError(str(path), "this name is not portable", expected="letters, digits, dot, hyphen, underscore")
            if not name.endswith(".pyc"):
                found[relative] = path.read_bytes()
        for name in folders:
            if Path(base, name).is_symlink():
                raise BadInputError(str(Path(base, name)), "only regular folders belong in a task")
    return found


def write_tree(tree: Tree, folder: Path, *, mode: int = 0o644) -> None:
    """Write a tree into a folder, which must not hold any of its files yet."""
    for path in sorted(tree):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
        with os.fdopen(handle, "wb") as file:
            file.write(tree[path])


def read_beneath(folder: Path, path: str, limit: int) -> bytes | None:
    """Return a regular file below a folder that somebody hostile may have written, or None.

    No link is followed, in no part of the path; None when it is missing, no regular file, or larger than ``limit`` bytes.
    """
    opened: list[int] = []
    try:
        opened.append(os.open(folder, os.O_RDONLY | os.O_DIRECTORY))
        *folders, name = path.split("/")
        for part in folders:
            opened.append(os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=opened[-1]))
        opened.append(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=opened[-1]))
        if not stat.S_ISREG(os.fstat(opened[-1]).st_mode):
            return None
        with os.fdopen(os.dup(opened[-1]), "rb") as file:
            data = file.read(limit + 1)
    except OSError:
        return None
    finally:
        for descriptor in opened:
            os.close(descriptor)
    return data if len(data) <= limit else None


def is_editable(path: str, patterns: tuple[str, ...]) -> bool:
    """Return whether a path matches one of the globs; ``*`` does not cross a ``/``."""
    parts = path.split("/")
    return any(
        len(parts) == len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))
        for wanted in (pattern.split("/") for pattern in patterns)
    )
