"""The importers that are installed, found by the entry point group ``faultline.importers``; others' stand beside ours."""

from importlib.metadata import EntryPoint, entry_points

from faultline.errors import BadInputError
from faultline.importers.interface import Importer
from faultline.importers.tree import SourceTree
from faultline.kinds import safe_text

GROUP = "faultline.importers"


def importers() -> dict[str, Importer]:
    """Return one of each importer by name.

    Raises ``BadInputError`` for an entry point that cannot be loaded, is no importer, or takes a name that is taken.
    """
    found: dict[str, Importer] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda item: (item.value, item.name)):
        made = _loaded(point)
        if made.name in found:
            raise _taken(point, made.name)
        found[made.name] = made
    return dict(sorted(found.items()))


def importer_named(name: str) -> Importer:
    """Return the importer of one name, without loading the others.

    Raises ``BadInputError`` when there is none, or two, or it cannot be loaded.
    """
    points = entry_points(group=GROUP)
    named = sorted((point for point in points if point.name == name), key=lambda item: item.value)
    if not named:
        raise BadInputError(
            safe_text(name, 80),
            "there is no importer for this format",
            expected=", ".join(("auto", *sorted({point.name for point in points}))),
        )
    if len(named) > 1:
        raise _taken(named[1], name)
    return _loaded(named[0])


def _loaded(point: EntryPoint) -> Importer:
    try:
        made = point.load()()
    except Exception as error:
        raise BadInputError(
            f"entry point {point.name}", "this importer cannot be loaded", found=f"{type(error).__name__}: {error}"
        ) from error
    if not isinstance(made, Importer):
        raise BadInputError(f"entry point {point.name}", "this is no importer", expected="a subclass of Importer")
    return made


def _taken(point: EntryPoint, name: str) -> BadInputError:
    return BadInputError(f"entry point {point.name}", f"two importers are called {name}", next_step="uninstall one of them")


def recognised(tree: SourceTree) -> tuple[Importer, ...]:
    """Return the importers that recognise a tree, by name."""
    return tuple(importer for importer in importers().values() if importer.recognises(tree))
