"""Exporters by name: those of this release, and those that installed packages bring by ``faultline.exporters``."""

from typing import Final

from faultline.exporters.interface import Exporter
from faultline.plugins import Group

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
EXPORTERS: Final = Group("faultline.exporters", Exporter, "exporter", BUILT_IN)  # type: ignore[type-abstract]  # only classes derived from it are made


def exporter_names() -> tuple[str, ...]:
    """Return the names of all formats, in order."""
    return EXPORTERS.names()


def open_exporter(name: str) -> Exporter:
    """Return the exporter of a format; raises as :meth:`Group.load` does."""
    return EXPORTERS.make(name)
