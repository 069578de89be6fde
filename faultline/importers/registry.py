"""The importers that are installed, found by the entry point group ``faultline.importers``; others' stand beside ours."""

from importlib.metadata import EntryPoint, entry_points

from faultline.errors import BadInputError
from faultline.importers.interface import Importer
from faultline.importers.tree import SourceTree
from faultline.kinds import safe_text

GROUP = "faultline.importers"


def importer_names() -> tuple[str, ...]:
    """Return the formats that can be named, without loading any."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))


def load_importer(name: str) -> Importer:
    """Return one importer, whatever is wrong with others.

    Raises ``BadInputError`` when there is none of this name, or two, or it cannot be loaded.
    """
    points = [point for point in entry_points(group=GROUP) if point.name == name]
    if not points:
        known = ", ".join(("auto", *importer_names()))
        raise BadInputError(safe_text(name, 80), "there is no importer for this format", expected=known)
    if len(points) > 1:
        raise BadInputError(
            f"entry point {name}",
            "two importers have this name",
            found=", ".join(sorted(point.value for point in points)),
            next_step="uninstall one of them",
        )
    return _loaded(points[0])


def importers() -> tuple[Importer, ...]:
    """Return all importers by name; raises as :func:`load_importer` does."""
    return tuple(load_importer(name) for name in importer_names())


def recognised(tree: SourceTree) -> tuple[Importer, ...]:
    """Return the importers that recognise a tree, by name; a test report beside a harness's records belongs to them."""
    found = tuple(importer for importer in importers() if importer.recognises(tree))
    return tuple(importer for importer in found if not importer.only_alone) or found


def _loaded(point: EntryPoint) -> Importer:
    try:
        made = point.load()()
    except Exception as error:
        found = safe_text(f"{type(error).__name__}: {error}", 200)
        raise BadInputError(f"entry point {point.name}", "this importer cannot be loaded", found=found) from error
    if not isinstance(made, Importer):
        raise BadInputError(f"entry point {point.name}", "this is no importer", expected="a subclass of Importer")
    return made
