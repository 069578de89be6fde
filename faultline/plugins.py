"""What others bring: classes of installed packages, found by entry points, one group for each room that meets the world.

One mechanism for importers, exporters, agents and sandboxes. Names are listed without loading anything; a class is loaded when
it is asked for by name, so that a broken package breaks only itself. Faultline's own lines are taken from a table, never from
the metadata of an installation, which in a checkout may be older than the code.
"""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import Distribution, EntryPoint, entry_points
from pathlib import Path
from typing import Final, Generic, TypeVar

from faultline.errors import BadInputError, FaultlineError, RefusedError
from faultline.kinds import Digest, digest_bytes, safe_text

OWN: Final = "faultline"
"""The distribution whose lines are in the tables."""
_NAME = re.compile(r"[a-z0-9]+([.-][a-z0-9]+)*")
_MAX_NAME = 64
_INSTALLERS = frozenset({"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"})
"""Files that the installer wrote beside a package's own; they say how and where it was installed."""
T = TypeVar("T")


@dataclass(frozen=True)
class Package:
    """The installed distribution that a class came from, as records pin it."""

    name: str
    version: str
    files: Mapping[str, Digest]
    """Digest of each of its files, by the path that its metadata give; without bytecode and what the installer wrote."""


@dataclass(frozen=True)
class Group(Generic[T]):
    """The classes of one entry point group."""

    name: str
    """Such as ``faultline.agents``."""
    base: type[T]
    """What each class is derived from."""
    noun: str
    """What one of them is called in errors."""
    built_in: Mapping[str, str]
    """The same lines as in pyproject.toml, so that a checkout works before it is installed; a test compares them."""
    beside: tuple[str, ...] = field(default=())
    """What may be named in place of one of them."""

    def names(self) -> tuple[str, ...]:
        """Return all names in order; loads nothing."""
        return tuple(self.bringers())

    def bringers(self) -> dict[str, tuple[str, ...]]:
        """Return who brings each name, in order, as distribution and version; more than one where a name is claimed twice."""
        found: dict[str, list[str]] = {name: [OWN] for name in self.built_in}
        for point in self._foreign():
            found.setdefault(safe_text(point.name, _MAX_NAME), []).append(_bringer(point))
        return {name: tuple(sorted(found[name])) for name in sorted(found)}

    def is_built_in(self, name: str) -> bool:
        """Return whether a name is one of this release."""
        return name in self.built_in

    def load(self, name: str) -> type[T]:
        """Return the class of one name; no other one is loaded.

        Raises :class:`RefusedError` for a name that is none or that two packages bring, :class:`BadInputError` for an entry
        point that does not lead to a class of the group.
        """
        return self._loaded(self._find(name))

    def make(self, name: str, *arguments: object) -> T:
        """Return an instance of the class of one name; raises as :meth:`load` does, also when making it fails."""
        kind = self.load(name)
        try:
            return kind(*arguments)
        except FaultlineError:
            raise
        except Exception as error:  # an installed package may raise anything
            raise BadInputError(
                f"entry point {name}",
                f"this {self.noun} cannot be made",
                found=safe_text(f"{type(error).__name__}: {error}", 200),
            ) from error

    def package(self, name: str) -> Package:
        """Return the distribution of a class that is not built in, with the digests of its files; loads the class.

        Raises :class:`RefusedError` when the code of the class is not among them, so that no record could pin it, and else
        as :meth:`load` does.
        """
        point = self._find(name)
        module = sys.modules.get(self._loaded(point).__module__)
        place = f"entry point {name}"
        if point.dist is None:
            raise RefusedError(place, "it belongs to no installed package", next_step="install the package that brings it")
        files = {path: point.dist.locate_file(path) for path in map(str, point.dist.files or ()) if _is_own(path)}
        source = Path(getattr(module, "__file__", None) or "/").resolve()
        if source not in {Path(str(file)).resolve() for file in files.values()}:
            raise RefusedError(
                place,
                f"the code of this {self.noun} is not among the files of its package, so that no record could pin it",
                expected="a module that the package installs",
                next_step=f"install {safe_text(_title(point.dist), 80)} without -e",
            )
        try:
            digests = {path: digest_bytes(Path(str(file)).read_bytes()) for path, file in sorted(files.items())}
        except OSError as error:
            raise BadInputError(
                place, "a file of its package cannot be read", found=str(error.strerror), next_step="install it again"
            ) from error
        return Package(safe_text(point.dist.name, 100), safe_text(point.dist.version, 100), digests)

    def _find(self, name: str) -> EntryPoint:
        points = [point for point in self._foreign() if point.name == name]
        if name in self.built_in:
            points.append(EntryPoint(name, self.built_in[name], self.name))
        if not points:
            known = ", ".join((*self.names(), *self.beside))
            raise RefusedError(
                f"{self.noun} {safe_text(name, 60)}",
                f"there is no {self.noun} of this name",
                expected=known,
                next_step="faultline doctor",
            )
        if len(points) > 1:
            raise RefusedError(
                f"entry point {safe_text(name, 60)}",
                f"two packages bring this name in {self.name}",
                found=", ".join(sorted(f"{point.value} of {_bringer(point)}" for point in points)),
                next_step="uninstall one of them",
            )
        if not _NAME.fullmatch(name) or len(name) > _MAX_NAME:
            raise BadInputError(
                f"entry point {safe_text(name, 60)}",
                "this is no name",
                expected="lower-case letters and digits, with single hyphens or dots between them",
            )
        return points[0]

    def _loaded(self, point: EntryPoint) -> type[T]:
        place = f"entry point {point.name}"
        try:
            found = point.load()
        except Exception as error:  # an installed package may raise anything when it is imported
            said = safe_text(f"{type(error).__name__}: {error}", 200)
            raise BadInputError(place, f"this {self.noun}, {point.value}, cannot be loaded", found=said) from error
        if not (isinstance(found, type) and issubclass(found, self.base)):
            raise BadInputError(
                place, f"{point.value} is no {self.noun}", expected=f"a class derived from {self.base.__name__}"
            )
        return found

    def _foreign(self) -> list[EntryPoint]:
        """Return the entry points of packages other than Faultline."""
        return [point for point in entry_points(group=self.name) if point.dist is None or point.dist.name != OWN]


def _is_own(path: str) -> bool:
    return not path.endswith(".pyc") and not (".dist-info/" in path and path.rpartition("/")[2] in _INSTALLERS)


def _bringer(point: EntryPoint) -> str:
    if point.dist is not None:
        return safe_text(_title(point.dist), 100)
    return OWN if point.value.startswith(f"{OWN}.") else "a package without a name"


def _title(package: Distribution) -> str:
    return f"{package.name} {package.version}"
