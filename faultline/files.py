"""Writing files so that a reader sees the whole of the old or the whole of the new, also after a power cut.

The only writers of the project: beside, fsync, rename, fsync of the folder.
"""

import os
import secrets
from pathlib import Path

from faultline.errors import BadInputError, FaultlineError

__all__ = ["ExistsError", "WriteError", "atomic_write", "create_file", "sync_file", "sync_folder", "write_failed"]


class WriteError(FaultlineError):
    """A file could not be written: make room on the disk or allow writing, then repeat; nothing half written is left."""

    slug = "write-failed"
    exit_code = 8


class ExistsError(BadInputError):
    """A file would have been overwritten: what is there stays; move it away, or choose another name."""

    slug = "exists"


def create_file(path: Path, data: bytes) -> None:
    """Write a file that must not exist yet, as one step, so that nobody's work is overwritten.

    Raises :class:`ExistsError`, or :class:`WriteError`; then nothing has changed.
    """
    beside = path.parent / f".{path.name[:80]}.{secrets.token_hex(8)}.new"
    try:
        try:
            with beside.open("xb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            # A second name for the same file: unlike a rename, it fails when the name is taken.
            path.hardlink_to(beside)
        finally:
            beside.unlink(missing_ok=True)
        sync_folder(path.parent)
    except FileExistsError as error:
        raise ExistsError(
            path.name, "there is such a file already", next_step="move it away, or choose another name"
        ) from error
    except OSError as error:
        raise write_failed(path.name, error) from error


def atomic_write(path: Path, data: bytes) -> None:
    """Replace a file as one step: write a hidden sibling, fsync it, rename it, fsync the folder.

    Raises :class:`WriteError`; then the old file, or its absence, is as it was.
    """
    # Neither a secret nor part of any record: a name that two writers in one folder do not share.
    beside = path.parent / f".{path.name[:80]}.{secrets.token_hex(8)}.new"
    try:
        try:
            with beside.open("xb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            beside.replace(path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)
    except OSError as error:
        raise write_failed(path.name, error) from error


def sync_file(path: Path) -> None:
    """Make the content of a file that was written by other means survive a power cut."""
    _sync(path, os.O_RDONLY)


def sync_folder(path: Path) -> None:
    """Make the names in a folder survive a power cut; does nothing where the system cannot open folders."""
    if os.name == "posix":
        _sync(path, os.O_RDONLY | os.O_DIRECTORY)


def write_failed(place: str, error: OSError) -> WriteError:
    """Return the error for a reader when the system refused to write."""
    return WriteError(
        place,
        "this could not be written",
        found=error.strerror or type(error).__name__,
        next_step="look at free space and permissions of the folder, then repeat",
    )


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
