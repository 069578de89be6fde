"""``croissant``: the run table as a described dataset, Croissant 1.1 (https://mlcommons.org/croissant); never of a holdout.

The description says only what the records or the settings say; address, creator and licence are nobody's to guess.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from faultline import __version__
from faultline.archive import SealedRun
from faultline.card.published import published
from faultline.card.tables import ColumnType
from faultline.clock import Clock
from faultline.errors import FaultlineError, RefusedError, raise_all
from faultline.exporters.columns import Table, tables_of
from faultline.exporters.interface import Export, Exporter, Subject
from faultline.exporters.tables import LOSES, csv_of
from faultline.kinds import digest_bytes
from faultline.records import Absent

CONFORMS_TO = "http://mlcommons.org/croissant/1.1"
TYPES: Mapping[ColumnType, str] = {
    "text": "sc:Text",
    "integer": "sc:Integer",
    "decimal": "sc:Float",
    "number": "sc:Float",
    "boolean": "sc:Boolean",
    "instant": "sc:DateTime",
}
_TERMS = """
    arrayShape citeAs column containedIn equivalentProperty extract field fileProperty fileObject fileSet format includes
    isArray isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace samplingRate
    separator source subField transform
"""
CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    **{term: f"cr:{term}" for term in _TERMS.split()},
}
"""The vocabulary of the format, as its readers expect it."""


class CroissantExporter(Exporter):
    """The trial table with a description that loaders of datasets read."""

    name = "croissant"
    title = "the run table as a described dataset, Croissant 1.1"
    needs = "sealed runs on public tasks; the settings url, creator and license"
    loses = LOSES
    options: ClassVar[Mapping[str, str]] = {
        "url": "where the dataset is or will be published; needed",
        "creator": "who made it; needed",
        "license": "address of the licence of the records; needed",
    }

    def export(self, subject: Subject, clock: Clock) -> Export:  # noqa: ARG002  (the records carry their own times)
        """Return table and description.

        Raises :class:`RefusedError` for a setting that is missing, for a run on a holdout that was named, and when no run
        is left.
        """
        missing: list[FaultlineError] = [
            RefusedError(
                f"--set {name}",
                "this setting is needed",
                expected=meaning.removesuffix("; needed"),
                next_step=f"--set {name}=…",
            )
            for name, meaning in self.options.items()
            if not subject.options.get(name)
        ]
        closed = {run.name: why for run in subject.runs if (why := not_public(run))}
        missing += [
            RefusedError(f"runs/{name}", f"this run is not to be published as a dataset: {why}")
            for name, why in closed.items()
            if name in subject.names
        ]
        raise_all(missing)
        names = tuple(run.name for run in subject.runs if run.name not in closed)
        if not names:
            raise RefusedError("croissant", "no run can be published as a dataset", expected="a sealed run on public tasks")
        trials, _ = tables_of(replace(subject, names=names))
        table = csv_of(trials)
        document = described(subject, trials, table)
        files = {"trials.csv": table, "croissant.json": json.dumps(document, indent=2).encode("ascii") + b"\n"}
        return Export(files, tuple(f"{name} was left out: {why}" for name, why in sorted(closed.items())))


def not_public(run: SealedRun) -> str:
    """Return why a run's rows are not to be published as a dataset, or an empty text.

    Tasks of a benchmark's own folder are public. Another harness's task is public only when its log says so.
    """
    splits = {task.split for task in run.manifest.foreign_tasks}
    if "holdout" in splits:
        return "it has tasks of a holdout"
    return "nothing says that its tasks are no holdout" if "unknown" in splits else ""


def described(subject: Subject, trials: Table[Any], table: bytes) -> dict[str, Any]:
    """Return the description of a table as JSON-LD."""
    card, options = subject.card, subject.options
    about = card.tagline or "Trials of a benchmark of coding agents."
    document: dict[str, Any] = {
        "@context": dict(CONTEXT),
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": card.title,
        "description": f"{about} One row is {trials.row_is}. {subject.gate_status}.",
        "license": options["license"],
        "url": options["url"],
        "creator": {"@type": "sc:Organization", "name": options["creator"]},
        "version": f"0.0.0+{published(card).content_digest().removeprefix('sha256:')[:12]}",
        "keywords": ["benchmark", "coding agents", f"faultline {__version__}"],
        "isLiveDataset": False,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": "trials.csv",
                "name": "trials.csv",
                "description": "The trial table; an empty cell is no zero, and the column beside it says why it is empty.",
                "contentUrl": "trials.csv",
                "encodingFormat": "text/csv",
                "sha256": digest_bytes(table).removeprefix("sha256:"),
            }
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "trials",
                "name": "trials",
                "description": f"One row is {trials.row_is}.",
                "field": [
                    {
                        "@type": "cr:Field",
                        "@id": f"trials/{column.name}",
                        "name": column.name,
                        "description": f"{column.meaning}{f' In {column.unit}.' if column.unit else ''}",
                        "dataType": TYPES[column.type],
                        "source": {"fileObject": {"@id": "trials.csv"}, "extract": {"column": column.name}},
                    }
                    for column in trials.columns
                ],
            }
        ],
    }
    if not isinstance(card.as_of, Absent):
        document["datePublished"] = document["dateModified"] = f"{card.as_of:%Y-%m-%d}"
    return document
