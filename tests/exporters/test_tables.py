"""The tables: one row a trial or attempt, absences with their reasons, the same bytes for the same records."""

import csv
import io
import json
from decimal import Decimal

import factories
import pytest
from export_samples import foreign, subject
from hypothesis import given
from hypothesis import strategies as st

from faultline.errors import UnfitHostError
from faultline.exporters import open_exporter
from faultline.exporters.tables import _cell
from faultline.records import Cost, unknown


def rows(exported, name="trials.csv"):
    return list(csv.DictReader(io.StringIO(exported.files[name].decode())))


def with_attempts(*attempts):
    """Return a subject whose first evaluated trial has the given attempts."""
    small = factories.small()
    (run,) = [run for run in small.runs if run.name == "evaluation-1"]
    first = run.trials[0].key
    made = [attempt.model_copy(update={"number": number}) for number, attempt in enumerate(attempts, start=1)]
    changed = factories.retrial(
        run, lambda trial: trial.model_copy(update={"attempts": tuple(made)}) if trial.key == first else trial
    )
    return subject(factories.swap(small, changed))


class TestRows:
    def test_there_is_a_row_for_each_trial_and_each_attempt(self, clock):
        """No trial is left out, and every attempt has its own row; exactly one of a trial counts."""
        of = with_attempts(*(factories.attempt("x", start=factories.at(1)) for _ in range(3)))
        made = open_exporter("csv").export(of, clock)
        trials, attempts = rows(made), rows(made, "attempts.csv")

        assert sum(len(run.trials) for run in of.benchmark.runs) == len(trials)
        assert len(trials) + 2 == len(attempts)
        assert len(trials) == sum(row["counts"] == "true" for row in attempts)

    def test_a_named_run_is_the_only_one(self, clock):
        """With a run named, only its trials are in the table."""
        made = open_exporter("csv").export(subject(None, "evaluation-1"), clock)

        assert {"evaluation-1"} == {row["run"] for row in rows(made)}

    def test_they_are_those_of_the_records(self, clock):
        """A row carries the digest of its record, its family and its model."""
        of = subject()
        records = {trial.content_digest() for run in of.benchmark.runs for trial in run.trials}
        found = rows(open_exporter("csv").export(of, clock))

        assert records == {row["record_digest"] for row in found}
        assert {"task-00", "task-01"} == {row["family"] for row in found}

    def test_no_run_is_an_empty_table(self, clock):
        """A benchmark without runs gives tables with a header, and an empty list."""
        of = subject(factories.benchmark(factories.small_tasks()))

        assert [] == rows(open_exporter("csv").export(of, clock))
        assert b"[]\n" == open_exporter("json").export(of, clock).files["trials.json"]


class TestAbsence:
    def test_an_unknown_cost_is_empty_and_says_why(self, clock):
        """What is not there is an empty cell, never zero, and the column beside it says why."""
        of = with_attempts(factories.attempt("x", start=factories.at(1), cost=unknown("the provider did not tell")))
        row = next(row for row in rows(open_exporter("csv").export(of, clock)) if row["run"] == "evaluation-1")

        assert "" == row["usd"]
        assert "unknown: " in row["usd_absent"]

    def test_zero_is_not_absence(self, clock):
        """A cost of nothing is a number, and no reason stands beside it."""
        nothing = Cost(usd=Decimal(0), source="a price table", complete=True)
        of = with_attempts(factories.attempt("x", start=factories.at(1), cost=nothing))
        row = next(row for row in rows(open_exporter("csv").export(of, clock)) if row["run"] == "evaluation-1")

        assert 0 == Decimal(row["usd"])
        assert "" == row["usd_absent"]

    @pytest.mark.parametrize("name", ["csv", "json"])
    def test_no_cell_is_absent_without_a_reason(self, clock, name):
        """Every empty cell of a column that can be absent has its reason in the column that the dictionary names."""
        made = open_exporter(name).export(subject(), clock)
        (described, _) = json.loads(made.files["data-dictionary.json"])["tables"]
        found = rows(made) if name == "csv" else json.loads(made.files["trials.json"])
        pairs = [(column["name"], column["absent_column"]) for column in described["columns"] if column["absent_column"]]

        assert pairs
        assert [] == [(row["run"], name) for row in found for name, why in pairs if row[name] in ("", None) and not row[why]]

    def test_an_imported_run_has_rows_too(self, clock, tmp_path):
        """What another harness's log does not tell is empty with its reason, for every column."""
        found = rows(open_exporter("csv").export(subject(foreign(tmp_path)), clock))

        assert ["passed", "failed", "none"] == [row["verdict"] for row in found]
        assert {"not-applicable: the task is another harness's"} == {row["failure_class_absent"] for row in found}
        assert {""} == {row["usd"] for row in found}
        assert ["1", "2", "3"] == [row["native_id"] for row in found]


class TestForm:
    @pytest.mark.parametrize("name", ["csv", "json"])
    def test_the_same_records_give_the_same_bytes(self, clock, name):
        """Nothing but the records decides the bytes."""
        first, second = (open_exporter(name).export(subject(), clock) for _ in range(2))

        assert first.files == second.files

    def test_the_dictionary_describes_every_column(self, clock):
        """Each column of each file is described, in the order of the file."""
        made = open_exporter("csv").export(subject(), clock)
        described = json.loads(made.files["data-dictionary.json"])["tables"]
        headers = {name: list(rows(made, name)[0]) for name in ("trials.csv", "attempts.csv")}

        assert headers == {table["file"]: [column["name"] for column in table["columns"]] for table in described}
        assert all(column["meaning"] for table in described for column in table["columns"])

    def test_csv_and_json_say_the_same(self, clock):
        """Both formats hold the same cells."""
        table = rows(open_exporter("csv").export(subject(), clock))
        objects = json.loads(open_exporter("json").export(subject(), clock).files["trials.json"])

        assert [row["record_digest"] for row in table] == [row["record_digest"] for row in objects]
        assert [row["scoreable"] == "true" for row in table] == [row["scoreable"] for row in objects]

    @given(st.text())
    def test_no_text_is_a_formula(self, text):
        """No cell starts with what a spreadsheet takes for a formula, and the text can be read again."""
        cell = _cell(text)

        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
        assert text in (cell, cell[1:])


class TestParquet:
    def test_types_are_exact(self, clock):
        """Costs are decimals, instants are in UTC, what is absent is null; the same records give the same bytes."""
        pq = pytest.importorskip("pyarrow.parquet", reason="the extra parquet is not installed")
        pa = pytest.importorskip("pyarrow")
        nothing = Cost(usd=Decimal("0.000001"), source="a price table", complete=True)
        of = with_attempts(factories.attempt("x", start=factories.at(1), cost=nothing))
        exporter = open_exporter("parquet")
        made = exporter.export(of, clock)
        table = pq.read_table(io.BytesIO(made.files["trials.parquet"]))
        costs = table.column("usd").to_pylist()

        assert pa.decimal128(15, 6) == table.schema.field("usd").type
        assert "UTC" == table.schema.field("started_at").type.tz
        assert Decimal("0.000001") in costs
        assert None in costs
        assert made.files == exporter.export(of, clock).files

    def test_without_its_library_the_extra_is_named(self, clock, monkeypatch):
        """When pyarrow is not installed, the error names the extra and another format."""
        import sys

        monkeypatch.setitem(sys.modules, "pyarrow", None)

        with pytest.raises(UnfitHostError, match=r"faultline\[parquet\]"):
            open_exporter("parquet").export(subject(), clock)
