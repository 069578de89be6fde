"""An artifact store in a bucket, or on any other file system that fsspec reaches. fsspec is imported here and nowhere else."""

from typing import BinaryIO, cast
from urllib.parse import urlsplit, urlunsplit

try:
    import fsspec
except ImportError:  # an extra; said in words when a URL needs it
    fsspec = None

from faultline.errors import BadInputError, UnfitHostError
from faultline.execution.artifacts import ArtifactStore, StoreError
from faultline.files import WriteError
from faultline.kinds import safe_text

_WHOLE = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "oci", "oss", "memory"})
"""Protocols whose object appears whole when its upload ends; elsewhere a put goes beside and is renamed."""


class BucketStore(ArtifactStore):
    """Objects below one URL."""

    def __init__(self, url: str) -> None:
        """Take a URL such as ``s3://bucket/folder``; nothing is read or written yet."""
        if fsspec is None:
            raise UnfitHostError(
                "--artifacts", "fsspec is not installed", next_step="install Faultline with its artifacts extra"
            )
        try:
            # Listings are looked up afresh: other machines write here.
            self._fs, self._root = fsspec.core.url_to_fs(url, use_listings_cache=False)
        except ImportError as error:
            found = safe_text(str(error), 160)
            raise UnfitHostError("--artifacts", "the bucket's driver is not installed", found=found) from error
        except (ValueError, TypeError) as error:
            raise BadInputError(
                "--artifacts",
                "no artifact store has such a URL",
                expected="a folder or a URL that fsspec knows",
                found=safe_text(str(error), 160),
            ) from error
        self.place = without_password(url)

    def put(self, name: str, data: bytes) -> None:
        """Upload an object."""
        path = self._path(name)
        protocols = (self._fs.protocol,) if isinstance(self._fs.protocol, str) else self._fs.protocol
        try:
            if _WHOLE.intersection(protocols):
                self._fs.pipe_file(path, data)
                return
            folder, _, last = path.rpartition("/")
            self._fs.makedirs(folder, exist_ok=True)
            beside = f"{folder}/.{last}.new"
            self._fs.pipe_file(beside, data)
            self._fs.mv(beside, path)
        except Exception as error:  # each driver raises its own kinds
            raise WriteError(
                f"{self.place}/{name}",
                "this could not be written",
                found=_words(error),
                next_step="look at the store's rights and room, then resume",
            ) from error

    def get(self, name: str) -> bytes | None:
        """Download an object."""
        try:
            return cast("bytes", self._fs.cat_file(self._path(name)))
        except FileNotFoundError:
            return None
        except Exception as error:  # each driver raises its own kinds
            raise self._unreadable(name, error) from error

    def exists(self, name: str) -> bool:
        """Ask for an object."""
        try:
            self._fs.invalidate_cache()
            return bool(self._fs.isfile(self._path(name)))
        except Exception as error:  # each driver raises its own kinds
            raise self._unreadable(name, error) from error

    def names(self, folder: str) -> tuple[str, ...]:
        """List objects."""
        try:
            self._fs.invalidate_cache()
            found = self._fs.ls(self._path(folder), detail=False)
        except FileNotFoundError:
            return ()
        except Exception as error:  # each driver raises its own kinds
            raise self._unreadable(folder, error) from error
        last = (str(path).rstrip("/").rpartition("/")[2] for path in found)
        return tuple(sorted(f"{folder}/{name}" for name in last if not name.startswith(".")))

    def open(self, name: str) -> BinaryIO:
        """Open an object."""
        return cast("BinaryIO", self._fs.open(self._path(name), "rb"))

    def _path(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}"

    def _unreadable(self, name: str, error: Exception) -> StoreError:
        return StoreError(
            f"{self.place}/{name}", "this cannot be read", found=_words(error), next_step="reach the store, then resume"
        )


def without_password(url: str) -> str:
    """Return a URL as a reader may see it."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def _words(error: Exception) -> str:
    return safe_text(" ".join(str(error).split()) or type(error).__name__, 160)
