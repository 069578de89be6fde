"""Trajectories as ATIF: valid, redacted, tied to their records; what does not fit is left out by name."""

import dataclasses
import gzip
import json
from pathlib import Path

import factories
import pytest
from export_samples import foreign, subject
from jsonschema import Draft202012Validator

from faultline.errors import BadInputError
from faultline.exporters import atif as module
from faultline.exporters import open_exporter
from faultline.exporters.atif import conform
from faultline.kinds import digest_bytes
from faultline.records import ArtifactRef
from faultline.review import sample_for_review

SCHEMA = Draft202012Validator(json.loads((Path(__file__).parent / "schemas" / "atif_trajectory_v1.8.schema.json").read_text()))
PLAIN = {
    "schema_version": "ATIF-v1.8",
    "session_id": "one",
    "agent": {"name": "tinker", "version": "1"},
    "steps": [{"step_id": 1, "source": "user", "message": "mend it"}, {"step_id": 2, "source": "agent", "message": "done"}],
}
KEY = "sk-" + "ant-" + "x7Qp" * 8


@pytest.fixture
def with_trace(tmp_path):
    """Return a subject in which one trial of an evaluation has the given trace on disk; no other trial has one."""

    def make(data, *, name="trace.json.gz", stored=None, **options):
        small = factories.small()
        run = next(run for run in small.runs if run.name == "evaluation-1")
        raw = stored if stored is not None else gzip.compress(data) if name.endswith("gz") else data
        (tmp_path / name).write_bytes(raw)
        artifact = ArtifactRef(role="trace", path=name, sha256=digest_bytes(raw), size=len(raw))
        first = run.trials[0].key

        def change(trial):
            kept = (artifact,) if trial.key == first else ()
            return trial.model_copy(
                update={"attempts": tuple(item.model_copy(update={"artifacts": kept}) for item in trial.attempts)}
            )

        changed = dataclasses.replace(factories.retrial(run, change), path=tmp_path)
        return subject(factories.swap(small, changed), "evaluation-1", **({"sample": "all"} | options))

    return make


def made(of, clock):
    exported = open_exporter("atif").export(of, clock)
    return [json.loads(data) for data in exported.files.values()], exported.notes


class TestDocuments:
    @pytest.mark.parametrize(
        "change",
        [
            {},
            {"schema_version": "ATIF-v1.2"},
            {"agent": {"name": "tinker", "temperature": 0.5}},
            {"mood": "good", "extra": {"kept": 1}},
            {"mood": "good", "extra": None},
            {"steps": [{"step_id": 7, "source": "agent", "message": [{"type": "text", "text": "hm"}], "mood": "bad"}]},
        ],
        ids=["plain", "older", "agent without version", "unknown field", "no extra", "odd step"],
    )
    def test_each_validates(self, with_trace, clock, change):
        """The file is valid against the schema of ATIF 1.8; what the format does not know is in extra."""
        (document,), notes = made(with_trace(json.dumps(PLAIN | change).encode()), clock)

        assert [] == [error.message for error in SCHEMA.iter_errors(document)]
        assert () == notes
        if "mood" in change:
            assert "good" == document["extra"]["mood"]

    def test_it_is_tied_to_its_record(self, with_trace, clock):
        """Key, attempt and digest of the record stand in extra.faultline, whatever the agent wrote there."""
        of = with_trace(json.dumps(PLAIN | {"extra": {"faultline": "mine", "other": 1}}).encode())
        (document,), _ = made(of, clock)
        trial = of.runs[0].trials[0]

        assert trial.content_digest() == document["extra"]["faultline"]["record_id"]
        assert ("evaluation-1", 1) == (document["extra"]["faultline"]["run"], document["extra"]["faultline"]["attempt"])
        assert 1 == document["extra"]["other"]

    def test_secrets_are_taken_out_and_counted(self, with_trace, clock):
        """A key in a message, also as the name of a field, is not in the file; the notes count it and do not repeat it."""
        steps = [{"step_id": 1, "source": "agent", "message": f"key {KEY}", "extra": {KEY: f"mail ada{'@'}lovelace.io"}}]
        exported = open_exporter("atif").export(with_trace(json.dumps(PLAIN | {"steps": steps}).encode()), clock)
        (data,) = exported.files.values()

        assert KEY.encode() not in data
        assert b"lovelace" not in data
        assert KEY not in " ".join(exported.notes)
        assert 2 == len([note for note in exported.notes if note.startswith("taken out")])

    def test_an_uncompressed_trace_is_read_too(self, with_trace, clock):
        """A trace need not be packed."""
        documents, _ = made(with_trace(json.dumps(PLAIN).encode(), name="trace.json"), clock)

        assert 1 == len(documents)


class TestLeftOut:
    @pytest.mark.parametrize(
        ("data", "said"),
        [
            (b"[]", "no trajectory"),
            (b"{", "not JSON"),
            (b'{"a": NaN}', "JSON"),
            (json.dumps(PLAIN | {"steps": []}).encode(), "at least one step"),
            (json.dumps(PLAIN | {"agent": "me"}).encode(), "an agent with a name"),
            (json.dumps(PLAIN | {"schema_version": "ATIF-v9"}).encode(), "not known"),
            (json.dumps(PLAIN | {"steps": [{"source": "nobody", "message": ""}]}).encode(), "no step"),
            (json.dumps(PLAIN | {"steps": [{"source": "agent"}]}).encode(), "no message"),
        ],
    )
    def test_what_is_no_trajectory_is_named(self, with_trace, clock, data, said):
        """A trace that is not ATIF is left out, and a note names it with what is wrong."""
        documents, (note,) = made(with_trace(data), clock)

        assert [] == documents
        assert said in note
        assert "runs/evaluation-1/trace.json.gz" in note

    def test_a_trace_with_a_canary_is_left_out(self, with_trace, clock):
        """What shows hidden files does not leave, and the note does not repeat the canary."""
        canary = factories.small().tasks[0].definition.canary
        steps = [{"step_id": 1, "source": "agent", "message": f"I found {canary}"}]
        documents, (note,) = made(with_trace(json.dumps(PLAIN | {"steps": steps}).encode()), clock)

        assert [] == documents
        assert "canary" in note
        assert canary not in note

    @pytest.mark.parametrize("stored", [b"no gzip", gzip.compress(json.dumps(PLAIN).encode())[:-9]], ids=["not packed", "torn"])
    def test_a_damaged_trace_is_named(self, with_trace, clock, stored):
        """A trace that cannot be unpacked is left out with a note."""
        documents, (note,) = made(with_trace(b"", stored=stored), clock)

        assert [] == documents
        assert "this trace" in note

    def test_a_trace_that_unpacks_to_too_much_is_left_out(self, with_trace, clock, monkeypatch):
        """Unpacking stops at a limit, however small the packed file is."""
        monkeypatch.setattr(module, "MAX_TRACE", 10_000)
        documents, (note,) = made(with_trace(b" " * 10_000_000), clock)

        assert [] == documents
        assert "too long" in note

    def test_a_trace_that_is_another_is_left_out(self, with_trace, clock, tmp_path):
        """A file whose digest is not that of the record is not exported."""
        of = with_trace(json.dumps(PLAIN).encode())
        (tmp_path / "trace.json.gz").write_bytes(gzip.compress(b"{}"))
        documents, (note,) = made(of, clock)

        assert [] == documents
        assert "not the one of the record" in note


class TestSample:
    def test_it_is_the_one_of_the_review(self, clock):
        """So many trials as asked for are drawn from each run, those that reviewers would read."""
        of = subject(None, "evaluation-1", sample="5")
        (run,) = of.runs
        drawn = set(sample_for_review(run.seal.files["trials.jsonl"], run.trials, 5))
        chosen = module._chosen(run, 5)

        assert drawn == set(chosen)
        assert 5 == len(open_exporter("atif").export(of, clock).notes)  # their files exist in memory only

    @pytest.mark.parametrize("text", ["0", "-1", "some", "", "1e3", "٣"])
    def test_what_is_no_number_is_refused(self, clock, text):
        """A sample is a number or all."""
        with pytest.raises(BadInputError, match="number of trajectories"):
            open_exporter("atif").export(subject(sample=text), clock)


def test_own_and_foreign_runs_of_this_repository_validate(clock, tmp_path):
    """The traces that the harness itself writes are valid as they leave; imported runs without traces give none."""
    from faultline.archive import read_run

    own = read_run(Path(__file__).resolve().parent.parent.parent / "runs" / "rule-based-2026-11-30-0de7f0")
    of = subject(factories.benchmark((), [own]), own.name, sample="3")
    documents, notes = made(of, clock)

    assert 3 == len(documents)
    assert [] == [error.message for document in documents for error in SCHEMA.iter_errors(document)]
    assert not any("left out" in note for note in notes)
    assert ([], ()) == made(subject(foreign(tmp_path)), clock)


def test_conforming_twice_changes_nothing():
    """A trajectory in the form of the format stays as it is."""
    once = conform(PLAIN | {"mood": "good"}, "x")

    assert once == conform(once, "x")
