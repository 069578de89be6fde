"""``parquet``: the trial and attempt tables as Apache Parquet; pyarrow, an extra, is imported here and nowhere else."""

import io
from typing import Any

from faultline.clock import Clock
from faultline.exporters.columns import DICTIONARY, Table, dictionary, tables_of
from faultline.exporters.interface import Export, Exporter, MissingLibraryError, Subject
from faultline.exporters.tables import LOSES


class ParquetExporter(Exporter):
    """Typed columns: exact decimals, instants in UTC, nulls with the reason in the column beside."""

    name = "parquet"
    title = "trials and attempts as Parquet, with a data dictionary"
    needs = "sealed runs, and the extra parquet"
    loses = LOSES

    def export(self, subject: Subject, clock: Clock) -> Export:  # noqa: ARG002  (no time stands in a table of records)
        """Return one file a table, and the dictionary; one version of pyarrow gives the same bytes each time."""
        tables = tables_of(subject)
        files = {f"{table.name}.parquet": _parquet(table) for table in tables}
        return Export({**files, DICTIONARY: dictionary(tables, "parquet", subject.gate_status)})


def _parquet(table: Table[Any]) -> bytes:
    try:
        import pyarrow as pa  # noqa: PLC0415  (an extra)
        import pyarrow.parquet as pq  # noqa: PLC0415
    except ImportError as error:
        raise MissingLibraryError(
            "format parquet", "pyarrow is not installed", next_step="pip install 'faultline[parquet]', or export csv"
        ) from error
    types = {
        "text": pa.string(),
        "integer": pa.int64(),
        "decimal": pa.decimal128(15, 6),
        "number": pa.float64(),
        "boolean": pa.bool_(),
        "instant": pa.timestamp("ms", tz="UTC"),
    }
    schema = pa.schema(
        [pa.field(column.name, types[column.type], metadata={"meaning": column.meaning}) for column in table.columns]
    )
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(table.cells()), schema=schema), sink, compression="zstd")
    return sink.getvalue()
