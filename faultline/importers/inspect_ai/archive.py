"""A ``.eval`` archive, read as hostile: a ZIP whose directory the standard library parses and whose members are unpacked here.

The standard library cannot unpack Zstandard (method 93) before Python 3.14, and trusts what an archive says of itself. Here
every size has a bound, no two members share a byte, nothing is unpacked beyond the size that was declared, and names are only
ever compared, never written to.
"""

import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any, BinaryIO

from faultline.errors import BadInputError, FaultlineError, UnfitHostError
from faultline.importers.tree import MAX_WHOLE, SourceTree, shown

MAX_MEMBERS = 1_000_000
MAX_DIRECTORY = 128 * 2**20
"""Bytes of an archive's directory, which is held in memory."""
MAX_TOTAL = 64 * 2**30
"""Bytes of all members of an archive together, unpacked."""
MAX_RATIO = 500
"""Bytes that one packed byte may become, beyond the slack; logs reach about 200."""
_SLACK = 16 * 2**20
_WINDOW = 27
"""Logarithm of the largest window of a Zstandard frame, which is memory that the packed data asks for."""
_STORED, _DEFLATE, _ZSTANDARD = 0, 8, 93
_UTF8, _SEALED = 0x800, 0x2061
"""Flags of a member: its name is UTF-8; it or the directory is encrypted, or it is a patch."""
_LOCAL = 30
"""Bytes of a member's own header before its name."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an archive; several may have one name."""

    name: str
    method: int
    offset: int
    packed: int
    size: int
    crc: int
    end: int
    """Where the next member or the directory begins."""


class Archive:
    """A ZIP archive of a source tree; its directory is read once, members when they are asked for."""

    def __init__(self, tree: SourceTree, path: str) -> None:
        """Read and check the directory.

        Raises ``BadInputError`` for what is no archive, and for members that are encrypted, packed by another method, too
        large, packed too well to be true, named to lead out of the archive, or share bytes.
        """
        self.path = path
        self._tree = tree
        self._open: BinaryIO | None = None
        with tree.open(path) as stream:
            if stream.read(64).startswith(b"version https://git-lfs"):
                raise self._bad("this is a Git LFS pointer, not the log itself", next_step="fetch it: git lfs pull")
            infos, start = self._directory(stream)
        if len(infos) > MAX_MEMBERS:
            raise self._bad("the archive has too many members", expected=f"at most {MAX_MEMBERS}")
        infos.sort(key=lambda info: info.header_offset)
        ends = [info.header_offset for info in infos[1:]] + [start]
        self.members = tuple(self._member(info, end) for info, end in zip(infos, ends, strict=False))
        """In the order in which they were written."""
        if sum(member.size for member in self.members) > MAX_TOTAL:
            raise self._bad("the archive would become too large unpacked", expected=f"at most {MAX_TOTAL} bytes")

    def named(self, name: str) -> Member | None:
        """Return the last member of a name, which is the current one."""
        return next((member for member in reversed(self.members) if member.name == name), None)

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Keep the file open while many members are read."""
        with self._tree.open(self.path) as stream:
            self._open = stream
            try:
                yield
            finally:
                self._open = None

    @contextmanager
    def _stream(self) -> Iterator[BinaryIO]:
        if self._open is not None:
            yield self._open
            return
        with self._tree.open(self.path) as stream:
            yield stream

    def read(self, member: Member) -> bytes:
        """Unpack a member.

        Raises ``BadInputError`` when it is cut off, larger or smaller than declared, or does not match its checksum;
        ``UnfitHostError`` when it is packed with Zstandard and nothing here can unpack that.
        """
        with self._stream() as stream:
            stream.seek(member.offset)
            header = stream.read(_LOCAL)
            if len(header) < _LOCAL or not header.startswith(b"PK\3\4"):
                raise self._bad("this member has no header where the directory says", member)
            name, extra = int.from_bytes(header[26:28], "little"), int.from_bytes(header[28:30], "little")
            if member.offset + _LOCAL + name + extra + member.packed > member.end:
                raise self._bad("this member overlaps the next one", member)
            stream.seek(name + extra, io.SEEK_CUR)
            packed = stream.read(member.packed)
        if len(packed) < member.packed:
            raise self._bad("this member is cut off", member)
        try:
            data = _UNPACK[member.method](packed, member.size)
        except FaultlineError:
            raise
        except Exception as error:
            raise self._bad("this member cannot be unpacked", member, found=f"{type(error).__name__}: {error}") from error
        if len(data) != member.size:
            word = "more" if len(data) > member.size else "fewer"
            raise self._bad(f"this member has {word} bytes than declared", member, expected=f"{member.size} bytes")
        if zlib.crc32(data) != member.crc:
            raise self._bad("this member does not match its checksum", member)
        return data

    def _directory(self, stream: BinaryIO) -> tuple[list[zipfile.ZipInfo], int]:
        guarded: Any = _Guarded(stream)
        try:
            with zipfile.ZipFile(guarded) as archive:
                return archive.infolist(), archive.start_dir
        except _TooLargeError as error:
            raise self._bad("the archive's directory is too large", expected=f"at most {MAX_DIRECTORY} bytes") from error
        except Exception as error:  # zipfile raises what struct, codecs and seek raise on a damaged directory
            raise self._bad("this is no ZIP archive, or it is cut off or damaged", found=str(error)) from error

    def _member(self, info: zipfile.ZipInfo, end: int) -> Member:
        member = Member(
            info.filename, info.compress_type, info.header_offset, info.compress_size, info.file_size, info.CRC, end
        )
        parts = info.filename.split("/")
        if info.orig_filename != info.filename or ".." in parts or info.filename.startswith("/"):
            raise self._bad("a member's name leads out of the archive", member)
        if info.flag_bits & _SEALED:
            raise self._bad("a member is encrypted or patched", member)
        if info.compress_type not in _UNPACK:
            expected = "stored (0), deflate (8) or Zstandard (93)"
            raise self._bad("a member is packed by a method that logs do not use", member, expected, str(info.compress_type))
        if member.size > MAX_WHOLE or member.packed > MAX_WHOLE:
            raise self._bad("a member is too large", member, f"at most {MAX_WHOLE} bytes")
        if member.size > member.packed * MAX_RATIO + _SLACK:
            raise self._bad("a member is packed too well to be a log", member, f"at most {MAX_RATIO} bytes for each packed one")
        name = info.filename.encode() if info.flag_bits & _UTF8 else info.filename  # otherwise one byte a character
        if member.offset + _LOCAL + len(name) + member.packed > end:
            raise self._bad("two members of the archive overlap", member)
        return member

    def _bad(
        self, problem: str, member: Member | None = None, expected: str = "", found: str = "", next_step: str = ""
    ) -> BadInputError:
        place = shown(self.path) + (f"!{shown(member.name)}" if member else "")
        return BadInputError(place, problem, expected=expected, found=shown(found), next_step=next_step)


class _TooLargeError(Exception):
    pass


class _Guarded:
    """A stream for ``zipfile`` that refuses to read more than a directory may hold at once."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.seek, self.tell, self.seekable = stream.seek, stream.tell, stream.seekable

    def read(self, size: int = -1) -> bytes:
        if size > MAX_DIRECTORY:
            raise _TooLargeError
        data = self._stream.read(MAX_DIRECTORY + 1 if size < 0 else size)
        if len(data) > MAX_DIRECTORY:
            raise _TooLargeError
        return data


def _stored(packed: bytes, _size: int) -> bytes:
    return packed


def _deflate(packed: bytes, size: int) -> bytes:
    stream = zlib.decompressobj(-zlib.MAX_WBITS)
    data = stream.decompress(packed, size + 1)
    if len(data) <= size and (not stream.eof or stream.unused_data):
        raise ValueError("the packed data ends too early or too late")
    return data


def _zstandard(packed: bytes, size: int) -> bytes:
    return _unpacker()(packed, size)


@cache
def _unpacker() -> Callable[[bytes, int], bytes]:
    """Return what unpacks Zstandard here: the standard library from Python 3.14 on, else the package ``zstandard``."""
    for module, unpack in (("compression.zstd", _by_standard_library), ("zstandard", _by_package)):
        try:
            found = import_module(module)
        except ImportError:
            continue
        return partial(unpack, found)
    raise UnfitHostError(
        "Inspect log",
        "its members are packed with Zstandard, which nothing here can unpack",
        expected="Python 3.14, or the package zstandard",
        next_step="pip install 'faultline[inspect]'",
    )


def _by_package(zstandard: Any, packed: bytes, size: int) -> bytes:
    stream = zstandard.ZstdDecompressor(max_window_size=2**_WINDOW).stream_reader(packed, read_across_frames=True)
    data: bytes = stream.read(size + 1)
    return data


def _by_standard_library(zstd: Any, packed: bytes, size: int) -> bytes:
    data = bytearray()
    while packed and len(data) <= size:
        frame = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _WINDOW})
        data += frame.decompress(packed, size + 1 - len(data))
        if not frame.eof:
            break
        packed = frame.unused_data
    return bytes(data)


_UNPACK = {_STORED: _stored, _DEFLATE: _deflate, _ZSTANDARD: _zstandard}
