"""Other harnesses' logs, read: what they hold becomes sealed runs, and what they do not hold is said.

Front doors: :func:`import_runs`, :func:`importers`; a format is a subclass of :class:`Importer`, found by its entry point.
"""

from faultline.importers.build import ImportedRun, import_runs
from faultline.importers.interface import (
    NO_COST,
    NO_TIME,
    NO_USAGE,
    ForeignAgent,
    ForeignAttempt,
    ForeignRun,
    ForeignTask,
    ForeignTrial,
    Importer,
    Place,
)
from faultline.importers.reading import Reading, parsed_options
from faultline.importers.registry import IMPORTERS, importer_names, importers, load_importer, recognised
from faultline.importers.rules import Rule, combined, rule_for, rules
from faultline.importers.tree import SourceTree, decoded, foreign_json

__all__ = [
    "IMPORTERS",
    "NO_COST",
    "NO_TIME",
    "NO_USAGE",
    "ForeignAgent",
    "ForeignAttempt",
    "ForeignRun",
    "ForeignTask",
    "ForeignTrial",
    "ImportedRun",
    "Importer",
    "Place",
    "Reading",
    "Rule",
    "SourceTree",
    "combined",
    "decoded",
    "foreign_json",
    "import_runs",
    "importer_names",
    "importers",
    "load_importer",
    "parsed_options",
    "recognised",
    "rule_for",
    "rules",
]
