"""Every Eval Ever: valid against its schemas, one row an attempt, and no verdict where there was none."""

import json
import shutil
import subprocess
from decimal import Decimal
from pathlib import Path, PurePosixPath

import factories
import pytest
from export_samples import foreign, subject
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from faultline.clock import Clock
from faultline.errors import RefusedError
from faultline.exporters import export, open_exporter, write_export
from faultline.exporters.eee import model_of
from faultline.exporters.eee_rows import ATTRIBUTION
from faultline.kinds import Blame, digest_bytes
from faultline.records import Cost, Usage, not_applicable, unknown

SCHEMAS = Path(__file__).parent / "schemas"
AGGREGATE, INSTANCE = (
    Draft7Validator(json.loads((SCHEMAS / f"{name}.schema.json").read_text())) for name in ("eval", "instance_level_eval")
)
FIRST = Usage(uncached_input=100, cache_read=20, cache_write=3, output=7, reasoning=2, requests=1, source="native")


def with_first(benchmark=None, **changes):
    """Return a subject whose first evaluated trial is changed."""
    small = factories.small()
    run = next(run for run in small.runs if run.name == "evaluation-1")
    first = run.trials[0].key
    return subject(
        factories.swap(small, factories.retrial(run, lambda t: t.model_copy(update=changes) if t.key == first else t))
    )


def made(of, clock):
    """Return the one aggregate and its rows."""
    files = open_exporter("eee").export(of, clock).files
    (aggregate,) = [json.loads(data) for path, data in files.items() if path.endswith(".json")]
    (rows,) = [data for path, data in files.items() if path.endswith(".jsonl")]
    return aggregate, [json.loads(line) for line in rows.splitlines()]


def attempt(**changes):
    return factories.attempt("x", start=factories.at(1), **changes)


class TestForm:
    @pytest.mark.parametrize(
        "changes",
        [
            {},
            {"outcome": factories.invalid()},
            {"attempts": (attempt(end="faulted"), attempt(number=2))},
            {"attempts": (attempt(usage=unknown("nobody told"), cost=unknown("nobody told"), candidate=unknown("lost")),)},
        ],
        ids=["plain", "no verdict", "two attempts", "nothing known"],
    )
    def test_it_validates(self, clock, changes):
        """Aggregate and rows are valid against the schemas of 0.3.0, whatever happened in a trial."""
        aggregate, rows = made(with_first(**changes), clock)

        assert [] == [error.message for error in AGGREGATE.iter_errors(aggregate)]
        assert [] == [error.message for row in rows for error in INSTANCE.iter_errors(row)]

    def test_the_aggregate_names_its_rows(self, clock):
        """Path, number and checksum of the rows are those of the file beside the aggregate; both share a UUID of version 4."""
        files = open_exporter("eee").export(subject(), clock).files
        (path,) = [path for path in files if path.endswith(".json")]
        detail = json.loads(files[path])["detailed_evaluation_results"]
        rows = files[detail["file_path"]]

        assert path.removesuffix(".json") + "_samples.jsonl" == detail["file_path"]
        assert (rows.count(b"\n"), digest_bytes(rows)) == (detail["total_rows"], f"sha256:{detail['checksum']}")
        assert "4" == PurePosixPath(path).stem.split("-")[2][0]

    def test_identity_does_not_depend_on_the_time(self, clock):
        """Exported at another time, a run has the same ids, paths and rows."""
        first, later = (open_exporter("eee").export(subject(), at).files for at in (clock, Clock()))

        assert list(first) == list(later)
        assert [data for path, data in first.items() if path.endswith("jsonl")] == [
            data for path, data in later.items() if path.endswith("jsonl")
        ]

    def test_its_own_validator_takes_it(self, tmp_path, clock):
        """The validator of the format's own package finds no error and nothing to warn of."""
        program = shutil.which("every_eval_ever")
        if program is None:
            pytest.skip("every-eval-ever, which needs Python 3.12, is not installed")
        write_export(export(open_exporter("eee"), subject(), clock), tmp_path / "out", Clock())
        files = sorted(str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out" / "data").rglob("*.json*"))
        done = subprocess.run([program, "validate", *files], cwd=tmp_path / "out", capture_output=True, text=True, check=False)

        assert 0 == done.returncode
        assert "0 errors, 0 warnings" in done.stdout

    @given(st.text(max_size=200), st.text(max_size=200) | st.none())
    def test_any_model_has_a_portable_place(self, model, provider):
        """Whatever a model is called, developer and model are parts of a path on every system."""
        absent = not_applicable("none")
        who = factories.agent(model=model, provider=absent if provider is None else provider)

        for part in model_of(who):
            assert part
            assert part not in (".", "..", "data", "unknown")
            assert all(letter.isascii() and (letter.isalnum() or letter in "._-") for letter in part)
            assert part.split(".")[0].upper() not in ("CON", "NUL", "COM1")


class TestRows:
    def test_there_is_one_for_each_attempt(self, clock):
        """An attempt that does not count is a row of its own, not correct, with the reason as its error."""
        of = with_first(attempts=(attempt(end="faulted", observed="fork failed"), attempt(number=2)))
        _, rows = made(of, clock)
        (lost, kept) = rows[:2]

        assert len(of.benchmark.runs[1].trials) + 1 == len(rows)
        assert (False, "false") == (lost["evaluation"]["is_correct"], lost["metadata"]["counts"])
        assert "fork failed" in lost["error"]
        assert "error" not in kept

    def test_one_without_a_verdict_is_an_error(self, clock):
        """A trial that cannot be scored is not correct, has an error, and says whose doing it was."""
        _, rows = made(with_first(outcome=factories.invalid("disk full")), clock)

        assert (0.0, False) == (rows[0]["evaluation"]["score"], rows[0]["evaluation"]["is_correct"])
        assert "disk full" in rows[0]["error"]
        assert ("false", "benchmark") == (rows[0]["metadata"]["scoreable"], rows[0]["metadata"]["error_attribution"])

    def test_every_blame_has_its_word(self):
        """Each word of blame is one of the format's four."""
        assert set(Blame) == set(ATTRIBUTION)
        assert {"agent", "benchmark", "external", "unknown"} == set(ATTRIBUTION.values())

    def test_tokens_are_all_or_nothing(self, clock):
        """Input includes what a cache had; when a part is unknown there are no counts, and what is known is in the metadata."""
        part = FIRST.model_copy(update={"cache_read": unknown("nobody told")})
        _, whole = made(with_first(attempts=(attempt(usage=FIRST),)), clock)
        _, torn = made(with_first(attempts=(attempt(usage=part),)), clock)

        assert (123, 7, 130, 2) == tuple(
            whole[0]["token_usage"][name] for name in ("input_tokens", "output_tokens", "total_tokens", "reasoning_tokens")
        )
        assert "token_usage" not in torn[0]
        assert ("7", True) == (torn[0]["metadata"]["tokens_output"], "token_usage_absent" in torn[0]["metadata"])

    def test_cost_is_told_or_its_absence_is(self, clock):
        """A known cost is exact text; an unknown one has its reason and no number."""
        paid = Cost(usd=Decimal("0.000001"), source="a price table", complete=True)
        _, known = made(with_first(attempts=(attempt(cost=paid),)), clock)
        _, none = made(with_first(attempts=(attempt(cost=unknown("nobody told")),)), clock)

        assert Decimal("0.000001") == Decimal(known[0]["metadata"]["cost_usd"])
        assert ("unknown: nobody told", False) == (
            none[0]["metadata"]["cost_usd_absent"],
            "cost_usd" in none[0]["metadata"],
        )

    def test_the_issue_is_the_one_of_the_variant(self, clock):
        """The input is what the agent was told; when the task has changed since, the text says that it is not known."""
        small = factories.small()
        of = subject(factories.benchmark([factories.task("task-00", version=2), small.tasks[1]], small.runs))
        _, rows = made(of, clock)
        texts = {row["sample_id"].split("/")[0]: row["input"]["raw"] for row in rows}

        assert "no longer has the form" in texts["task-00"]
        assert texts["task-01"].startswith("The numbers of task-01")

    def test_nothing_hidden_is_in_them(self, clock):
        """No hidden source, no repair and no canary is in any file."""
        files = open_exporter("eee").export(subject(), clock).files

        assert [] == [
            path for path, data in files.items() for word in (b"SECRET_SOURCE", b"secret repair", b"canary") if word in data
        ]

    def test_an_imported_run_is_an_evaluation_too(self, clock, tmp_path):
        """Another harness's log leaves as it came: valid, with what it does not tell left out."""
        aggregate, rows = made(subject(foreign(tmp_path)), clock)

        assert [] == [error.message for error in AGGREGATE.iter_errors(aggregate)]
        assert [] == [error.message for row in rows for error in INSTANCE.iter_errors(row)]
        assert [True, False, False] == [row["evaluation"]["is_correct"] for row in rows]
        assert "no usable verdict" in rows[2]["error"]
        assert {"generation_args": {}} == {
            key: value for key, value in aggregate["evaluation_results"][0]["generation_config"].items() if "args" in key
        }


class TestRates:
    def test_three_numbers_stand_beside_each_other(self, clock):
        """Missing verdicts as failures, left out, as passes: in this order of size, and the first is that of the rows."""
        aggregate, rows = made(with_first(outcome=factories.invalid()), clock)
        scores = [result["score_details"]["score"] for result in aggregate["evaluation_results"]]
        tasks = {}
        for row in rows:
            tasks.setdefault(row["sample_id"].split("/")[0], []).append(row["evaluation"]["score"])
        shares = [sum(found) / len(found) for found in tasks.values()]

        assert sorted(scores) == scores
        assert 3 == len(set(scores))
        assert scores[0] == pytest.approx(sum(shares) / len(shares))
        assert {aggregate["evaluation_results"][0]["evaluation_result_id"]} == {row["evaluation_result_id"] for row in rows}

    def test_an_interval_names_its_method(self, clock):
        """Each interval has level and method, and holds its rate."""
        aggregate, _ = made(subject(), clock)

        for result in aggregate["evaluation_results"]:
            interval = result["score_details"]["uncertainty"]["confidence_interval"]
            assert interval["lower"] <= result["score_details"]["score"] <= interval["upper"]
            assert "wilson" in interval["method"]

    def test_withheld_stands_beside_every_rate(self, clock):
        """While a gate does not hold, the aggregate and each of its results say that it is not to be published."""
        aggregate, _ = made(subject(), clock)
        said = [result["score_details"]["details"]["publication_gates"] for result in aggregate["evaluation_results"]]

        assert "true" == aggregate["source_metadata"]["additional_details"]["withheld"]
        assert all("not to be published" in text for text in said)


class TestChoice:
    def test_controls_are_left_out_and_named(self, clock):
        """Runs of controls are no evaluations; each is named in a note."""
        exported = open_exporter("eee").export(subject(None, "validity-1"), clock)

        assert {} == exported.files
        assert ["validity-1 is no evaluation of one agent and was left out"] == list(exported.notes)

    def test_a_word_that_the_format_lacks_is_refused(self, clock):
        """The relationship is one of the format's four words."""
        with pytest.raises(RefusedError, match="first_party"):
            open_exporter("eee").export(subject(relationship="friend"), clock)
