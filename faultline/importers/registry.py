"""The importers that are installed, found by the entry point group ``faultline.importers``; others' stand beside ours."""

from typing import Final

from faultline.importers.interface import Importer
from faultline.importers.tree import SourceTree
from faultline.plugins import Group

BUILT_IN: Final = {
    "ctrf": "faultline.importers.ctrf:Ctrf",
    "eee": "faultline.importers.eee:EveryEvalEver",
    "harbor": "faultline.importers.harbor:Harbor",
    "inspect": "faultline.importers.inspect_ai:Inspect",
    "junit": "faultline.importers.junit:JUnit",
    "rows": "faultline.importers.rows:Rows",
    "swebench": "faultline.importers.swebench:SweBench",
    "terminal-bench": "faultline.importers.terminal_bench:TerminalBench",
}
IMPORTERS: Final = Group("faultline.importers", Importer, "importer", BUILT_IN, beside=("auto",))  # type: ignore[type-abstract]  # only classes derived from it are made


def importer_names() -> tuple[str, ...]:
    """Return the formats that can be named, without loading any."""
    return IMPORTERS.names()


def load_importer(name: str) -> Importer:
    """Return one importer, whatever is wrong with others; raises as :meth:`Group.load` does."""
    return IMPORTERS.make(name)


def importers() -> tuple[Importer, ...]:
    """Return all importers by name; raises as :func:`load_importer` does."""
    return tuple(load_importer(name) for name in importer_names())


def recognised(tree: SourceTree) -> tuple[Importer, ...]:
    """Return the importers that recognise a tree, by name; a test report beside a harness's records belongs to them."""
    found = tuple(importer for importer in importers() if importer.recognises(tree))
    return tuple(importer for importer in found if not importer.only_alone) or found
