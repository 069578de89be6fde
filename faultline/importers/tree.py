"""What is imported, as a tree of hostile files: bounded in number, depth and size, no link followed, nothing executed.

Every path is relative to what was named, so that no error, record or page tells where it lay.
"""

import hashlib
import io
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from faultline.errors import BadInputError, MissingInputError
from faultline.kinds import safe_text

MAX_FILES = 500_000
"""Entries of a tree; more are refused."""
MAX_DEPTH = 24
"""Folders below what was named."""
MAX_WHOLE = 256 * 2**20
"""Bytes of a file that is read as a whole."""
MAX_LINE = 16 * 2**20
"""Bytes of one line of a file of lines."""
_CHUNK = 2**20
_SKIPPED_FOLDERS = {".git", ".venv", "node_modules", "__pycache__"}


class SourceTree:
    """A file, or a folder with everything below it; files are known by their path, with slashes."""

    def __init__(self, root: Path) -> None:
        """Walk the tree once.

        Raises ``MissingInputError`` when there is nothing, ``BadInputError`` when it is too large or too deep.
        """
        self.name = safe_text(root.name or root.resolve().name, 200)
        self.links: list[str] = []
        """Links and special files, which are never opened."""
        self._digests: dict[str, str] = {}
        self._sizes: dict[str, int] = {}
        if root.is_file() and not root.is_symlink():
            self._folder = root.parent
            self._sizes[root.name] = root.stat().st_size
        elif root.is_dir():
            self._folder = root
            self._walk(root, "", 0)
        else:
            raise MissingInputError(self.name, "there is nothing to import here", expected="a file or a folder")
        self.files: tuple[str, ...] = tuple(sorted(self._sizes))
        """All regular files."""

    def _walk(self, folder: Path, prefix: str, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise BadInputError(shown(prefix), "folders are nested too deeply", expected=f"at most {MAX_DEPTH}")
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            raise BadInputError(shown(prefix or self.name), "this folder cannot be read", found=str(error.strerror)) from error
        for entry in entries:
            path = f"{prefix}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _SKIPPED_FOLDERS:
                    self._walk(Path(entry.path), f"{path}/", depth + 1)
            elif entry.is_file(follow_symlinks=False):
                self._sizes[path] = entry.stat(follow_symlinks=False).st_size
            else:
                self.links.append(path)
            if len(self._sizes) + len(self.links) > MAX_FILES:
                raise BadInputError(self.name, "there are too many files", expected=f"at most {MAX_FILES}")

    def size(self, path: str) -> int:
        """Return the size of a file in bytes, as it was found."""
        return self._sizes[path]

    def has(self, path: str) -> bool:
        """Return whether the tree holds a file."""
        return path in self._sizes

    def below(self, folder: str) -> Iterator[str]:
        """Yield the files below a folder (``""`` for all), in order."""
        prefix = f"{folder}/" if folder else ""
        return (path for path in self.files if path.startswith(prefix))

    def open(self, path: str) -> BinaryIO:
        """Open a file of the tree; a link or special file that took its place since is refused."""
        if path not in self._sizes:
            raise MissingInputError(shown(path), "this file is not in the source")
        try:
            descriptor = os.open(self._folder / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError as error:
            raise BadInputError(shown(path), "this file cannot be read", found=str(error.strerror)) from error
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise BadInputError(shown(path), "this is no regular file")
        return os.fdopen(descriptor, "rb")

    def content(self, path: str, limit: int = MAX_WHOLE) -> bytes:
        """Read a whole file; raises ``BadInputError`` when it is larger than the limit."""
        with self.open(path) as stream:
            data = stream.read(limit + 1)
        if len(data) > limit:
            raise BadInputError(shown(path), "this file is too large", expected=f"at most {limit} bytes")
        self._digests[path] = "sha256:" + hashlib.sha256(data).hexdigest()
        return data

    def digest(self, path: str) -> str:
        """Return the digest of a file's bytes."""
        if path not in self._digests:
            hashed = hashlib.sha256()
            with self.open(path) as stream:
                while chunk := stream.read(_CHUNK):
                    hashed.update(chunk)
            self._digests[path] = "sha256:" + hashed.hexdigest()
        return self._digests[path]

    def head(self, path: str, size: int = 4096) -> bytes:
        """Return the first bytes of a file, by which a format is recognised."""
        with self.open(path) as stream:
            return stream.read(size)

    def text(self, path: str, limit: int = MAX_WHOLE) -> str:
        """Read a whole file as UTF-8, with or without a byte order mark."""
        return decoded(self.content(path, limit), path)

    def json(self, path: str, limit: int = MAX_WHOLE) -> Any:
        """Read a whole file as one JSON value; see :func:`foreign_json`."""
        return foreign_json(self.content(path, limit), path)

    def lines(self, path: str) -> Iterator[tuple[int, bytes]]:
        """Yield the lines of a file that are not blank, each with its number from 1 and without its line feed."""
        with self.open(path) as stream:
            reader = io.BufferedReader(stream, _CHUNK)  # type: ignore[type-var]  # a binary stream is a raw one here
            number = 0
            while line := reader.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    raise BadInputError(
                        f"{shown(path)}:{number}", "this line is too long", expected=f"at most {MAX_LINE} bytes"
                    )
                if line.strip():
                    yield number, line.rstrip(b"\r\n")


def foreign_json(data: bytes | str, place: str) -> Any:
    """Parse JSON as other harnesses write it: bare ``NaN`` and ``Infinity`` are read as floats, all else is strict.

    Raises ``BadInputError`` for a key that stands twice, nesting that is too deep, an endless number, and what is no UTF-8.
    """
    with translated(place):
        return json.loads(decoded(data, place) if isinstance(data, bytes) else data, object_pairs_hook=unique_keys)


@contextmanager
def translated(place: str) -> Iterator[None]:
    """Turn what the JSON parser raises into a ``BadInputError`` that names the place."""
    try:
        yield
    except json.JSONDecodeError as error:
        where = f"{shown(place)}:{error.lineno}:{error.colno}" if error.lineno > 1 else f"{shown(place)}, column {error.colno}"
        raise BadInputError(where, "this is not JSON", found=error.msg) from error
    except RecursionError as error:
        raise BadInputError(shown(place), "JSON is nested too deeply") from error
    except ValueError as error:
        raise BadInputError(shown(place), "this is not strict JSON", found=safe_text(str(error), 160)) from error


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; raises ``ValueError`` for a key that stands twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {safe_text(twice, 80)!r} stands twice")
    return found


def decoded(data: bytes, place: str) -> str:
    """Return bytes as UTF-8 text; raises ``BadInputError`` with the first byte that is none."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInputError(
            shown(place), "this is not UTF-8", found=f"byte {error.object[error.start]:#04x} at {error.start}"
        ) from error


def shown(path: str) -> str:
    """Return a path for people: harmless and of bounded length."""
    return safe_text(path, 300).replace("\n", "\\n")
