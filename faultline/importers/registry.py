"""The importers that are installed, found by the entry point group ``faultline.importers``; others' stand beside ours."""

from importlib.metadata import entry_points

from faultline.errors import BadInputError
from faultline.importers.interface import Importer
from faultline.importers.tree import SourceTree

GROUP = "faultline.importers"


def importers() -> dict[str, Importer]:
    """Return one of each importer by name.

    Raises ``BadInputError`` for an entry point that cannot be loaded, is no importer, or takes a name that is taken.
    """
    found: dict[str, Importer] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda item: (item.value, item.name)):
        try:
            made = point.load()()
        except Exception as error:
            raise BadInputError(
                f"entry point {point.name}", "this importer cannot be loaded", found=f"{type(error).__name__}: {error}"
            ) from error
        if not isinstance(made, Importer):
            raise BadInputError(f"entry point {point.name}", "this is no importer", expected="a subclass of Importer")
        if made.name in found:
            raise BadInputError(
                f"entry point {point.name}", f"two importers are called {made.name}", next_step="uninstall one of them"
            )
        found[made.name] = made
    return dict(sorted(found.items()))


def recognised(tree: SourceTree) -> tuple[Importer, ...]:
    """Return the importers that recognise a tree, by name."""
    return tuple(importer for importer in importers().values() if importer.recognises(tree))
