"""Where attempts leave their effects: receipts, candidates, traces; a folder, or a bucket through fsspec.

The store knows names and bytes, and nothing of what they mean. A name that was put can be read whole or not at all.
"""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import BinaryIO

from faultline.errors import FaultlineError
from faultline.files import atomic_write, write_failed

__all__ = ["ArtifactStore", "FolderStore", "StoreError", "open_artifacts"]


class StoreError(FaultlineError):
    """The artifact store cannot be reached or read: look at its URL, its rights and the network, then resume."""

    slug = "artifact-store"
    exit_code = 8


class ArtifactStore(ABC):
    """Bytes by name; a name is a relative path with forward slashes."""

    place: str
    """The store for a reader; without any password."""

    @abstractmethod
    def put(self, name: str, data: bytes) -> None:
        """Keep bytes under a name, in place of what was there, as one step; raises ``WriteError`` when that fails."""

    @abstractmethod
    def get(self, name: str) -> bytes | None:
        """Return what stands under a name, or None."""

    @abstractmethod
    def exists(self, name: str) -> bool:
        """Whether something stands under a name."""

    @abstractmethod
    def names(self, folder: str) -> tuple[str, ...]:
        """Return the names directly below a folder, sorted; none when there is no such folder."""

    @abstractmethod
    def open(self, name: str) -> BinaryIO:
        """Open what stands under a name for reading; raises ``FileNotFoundError``."""


class FolderStore(ArtifactStore):
    """A folder of this machine, or one that several machines mount; every put survives a power cut."""

    def __init__(self, folder: Path) -> None:
        """Use a folder, which need not exist yet."""
        self._folder = folder
        self.place = folder.name

    def put(self, name: str, data: bytes) -> None:
        """Write beside, sync, rename."""
        path = self._folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise write_failed(name, error) from error
        atomic_write(path, data)

    def get(self, name: str) -> bytes | None:
        """Return a file's bytes, or None."""
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"{self.place}/{name}", "this cannot be read", found=error.strerror or "") from error

    def exists(self, name: str) -> bool:
        """Whether the file is there."""
        return (self._folder / name).exists()

    def names(self, folder: str) -> tuple[str, ...]:
        """Return the files of a folder; hidden ones are half-written."""
        below = self._folder / folder
        found = below.iterdir() if below.is_dir() else ()
        return tuple(sorted(f"{folder}/{path.name}" for path in found if not path.name.startswith(".")))

    def open(self, name: str) -> BinaryIO:
        """Open a file."""
        return (self._folder / name).open("rb")


def open_artifacts(where: str | Path) -> ArtifactStore:
    """Open a store by a path, a ``file://`` URL, or any other URL that fsspec understands, such as ``s3://bucket/folder``.

    Raises ``UnfitHostError`` when fsspec or the bucket's own driver is not installed, ``BadInputError`` for a URL of no kind.
    """
    text = str(where)
    if "://" not in text:
        return FolderStore(Path(text))
    if text.startswith("file://"):
        return FolderStore(Path(text.removeprefix("file://")))
    from faultline.execution.buckets import BucketStore  # noqa: PLC0415  (fsspec is an extra)

    return BucketStore(text)
