"""``csv`` and ``json``: the trial table and the attempt table with a data dictionary; the same records give the same bytes."""

import csv
import io
import json
from datetime import datetime
from decimal import Decimal
from typing import Any

from faultline.clock import Clock
from faultline.exporters.columns import DICTIONARY, Table, dictionary, tables_of
from faultline.exporters.interface import Export, Exporter, Subject

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
LOSES = (
    "The text of issues, traces and candidates, measured numbers beside reason codes, and which check failed: "
    "these are in the sealed runs."
)


class CsvExporter(Exporter):
    """Comma-separated values in UTF-8 with a header and line feeds; what is absent is an empty cell."""

    name = "csv"
    title = "trials and attempts as CSV, with a data dictionary"
    needs = "sealed runs"
    loses = LOSES

    def export(self, subject: Subject, clock: Clock) -> Export:  # noqa: ARG002  (no time stands in a table of records)
        """Return one file a table, and the dictionary."""
        tables = tables_of(subject)
        files = {f"{table.name}.csv": csv_of(table) for table in tables}
        return Export({**files, DICTIONARY: dictionary(tables, "csv", subject.gate_status)})


class JsonExporter(Exporter):
    """A list of objects, one a line; what is absent is null, instants are text, costs are numbers."""

    name = "json"
    title = "trials and attempts as JSON, with a data dictionary"
    needs = "sealed runs"
    loses = LOSES

    def export(self, subject: Subject, clock: Clock) -> Export:  # noqa: ARG002  (no time stands in a table of records)
        """Return one file a table, and the dictionary."""
        tables = tables_of(subject)
        files = {f"{table.name}.json": _json(table) for table in tables}
        return Export({**files, DICTIONARY: dictionary(tables, "json", subject.gate_status)})


def csv_of(table: Table[Any]) -> bytes:
    """Return a table as CSV in UTF-8 with a header and line feeds."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.name for column in table.columns])
    writer.writerows([_cell(value) for value in row.values()] for row in table.cells())
    return text.getvalue().encode("utf-8")


def _cell(value: Any) -> str:
    """Return a value as a cell; text that a spreadsheet would take for a formula gets an apostrophe in front."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%dT%H:%M:%SZ}"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, int | Decimal):
        return str(value)
    return f"'{value}" if value.startswith(_FORMULA) else str(value)


def _json(table: Table[Any]) -> bytes:
    lines = [json.dumps({name: _plain(value) for name, value in row.items()}, allow_nan=False) for row in table.cells()]
    return ("[\n" + ",\n".join(lines) + "\n]\n").encode("ascii") if lines else b"[]\n"


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%dT%H:%M:%SZ}"
    return float(value) if isinstance(value, Decimal) else value
