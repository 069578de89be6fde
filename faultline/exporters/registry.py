"""Exporters by name: those of this release, and those that installed packages bring by the entry point group."""

from importlib.metadata import EntryPoint, entry_points
from typing import Final

from faultline.errors import BadInputError, RefusedError
from faultline.exporters.interface import Exporter
from faultline.kinds import safe_text

GROUP: Final = "faultline.exporters"
BUILT_IN: Final = {
    "ctrf": "faultline.exporters.ctrf:CtrfExporter",
    "eee": "faultline.exporters.eee:EeeExporter",
    "harbor": "faultline.exporters.harbor:HarborExporter",
    "atif": "faultline.exporters.atif:AtifExporter",
    "croissant": "faultline.exporters.croissant:CroissantExporter",
    "hf-eval-results": "faultline.exporters.hf_eval_results:HfEvalResultsExporter",
    "in-toto": "faultline.exporters.in_toto:InTotoExporter",
    "junit": "faultline.exporters.junit:JUnitExporter",
    "csv": "faultline.exporters.tables:CsvExporter",
    "json": "faultline.exporters.tables:JsonExporter",
    "parquet": "faultline.exporters.parquet:ParquetExporter",
}
"""The same lines as in pyproject.toml, so that a checkout works before it is installed; a test compares them."""


def exporter_names() -> tuple[str, ...]:
    """Return the names of all formats, in order."""
    return tuple(sorted({*BUILT_IN, *(point.name for point in entry_points(group=GROUP))}))


def open_exporter(name: str) -> Exporter:
    """Return the exporter of a format.

    Raises :class:`RefusedError` for a name that is none or that two packages claim, :class:`BadInputError` for an entry
    point that does not lead to an exporter.
    """
    points = {point.value: point for point in entry_points(group=GROUP) if point.name == name}
    if name in BUILT_IN:
        points.setdefault(BUILT_IN[name], EntryPoint(name, BUILT_IN[name], GROUP))
    if not points:
        raise RefusedError(f"format {safe_text(name, 60)}", "there is no such format", expected=", ".join(exporter_names()))
    if len(points) > 1:
        raise RefusedError(f"format {name}", "two packages bring this format", found=", ".join(sorted(points)))
    (point,) = points.values()
    try:
        found = point.load()
    except Exception as error:  # an installed package may raise anything when it is imported
        raise BadInputError(
            f"format {name}", f"the exporter {point.value} cannot be loaded", found=safe_text(str(error), 200)
        ) from error
    if not (isinstance(found, type) and issubclass(found, Exporter)):
        raise BadInputError(f"format {name}", f"{point.value} is no exporter", expected="a class derived from Exporter")
    return found()
