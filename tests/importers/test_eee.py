"""Every Eval Ever: means over epochs are no verdicts, a row with an error has none, and checksums are looked at."""

import hashlib
import json
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faultline.archive import read_run
from faultline.clock import frozen_clock
from faultline.errors import BadInputError, FaultlineError
from faultline.importers import Reading, SourceTree, import_runs
from faultline.importers.eee import EveryEvalEver
from faultline.kinds import Fold
from faultline.records import Absent


def row(sample="s1", *, score=1.0, correct=True, **more):
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "e/1",
        "evaluation_result_id": "r",
        "sample_id": sample,
        "evaluation": {"score": score, "is_correct": correct},
        "token_usage": {"input_tokens": 12, "output_tokens": 5, "total_tokens": 17},
        "metadata": {},
    } | more


def write(folder, rows, **top):
    """Write an aggregate and its rows; keywords replace top-level fields."""
    data = folder / "data" / "demo" / "org" / "model"
    data.mkdir(parents=True)
    text = "".join(json.dumps(item) + "\n" for item in rows)
    (data / "x_samples.jsonl").write_text(text)
    aggregate = {
        "schema_version": "0.3.0",
        "evaluation_id": "e/1",
        "evaluation_timestamp": "1750000000",
        "retrieved_timestamp": "1750000001.5",
        "source_metadata": {"source_type": "evaluation_run", "source_organization_name": "demo"},
        "eval_library": {"name": "unknown", "version": "unknown"},
        "model_info": {"name": "m", "id": "org/m", "developer": "org"},
        "evaluation_results": [
            {
                "evaluation_result_id": "r",
                "evaluation_name": "bench",
                "source_data": {"dataset_name": "bench", "sample_ids": ["s1", "s2"]},
                "score_details": {"score": 0.5},
            }
        ],
        "detailed_evaluation_results": {
            "file_path": "data/demo/org/model/x_samples.jsonl",
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(text.encode()).hexdigest(),
            "total_rows": len(rows),
        },
    } | top
    (data / "x.json").write_text(json.dumps(aggregate))
    return folder / "data"


def bring(source, **options):
    reading = Reading(SourceTree(source), options)
    runs = source.parent / "runs"
    (done,) = import_runs(EveryEvalEver(), reading, runs, frozen_clock(datetime(2026, 12, 1, tzinfo=UTC)))
    return done, read_run(runs / done.run)


def test_a_row_is_a_trial_with_estimated_tokens_and_no_cost(tmp_path):
    """
    Converters give the tokens of the last call only, and no cost at all.
    """
    _, run = bring(write(tmp_path, [row()]))
    (trial,) = run.trials

    assert (Fold.PASSED, "EE-03", "estimated", 12) == (
        trial.outcome.fold,
        trial.outcome.rule,
        trial.last.usage.source,
        trial.last.usage.uncached_input,
    )
    assert isinstance(trial.last.cost, Absent)
    assert "inferred" == trial.index_origin


def test_a_row_with_an_error_has_no_verdict_whatever_stands_beside_it(tmp_path):
    """
    ``is_correct`` is not trusted beside an error.
    """
    _, run = bring(write(tmp_path, [row(error="container died")]))

    assert ("EE-01", False, "passed") == (
        run.trials[0].outcome.rule,
        run.trials[0].outcome.scoreable,
        run.trials[0].source.native_verdict,
    )


def test_means_over_epochs_are_no_verdicts_of_trials(tmp_path):
    """
    Where every row of a sample repeats one fraction, the trial's own verdict is not in the file.
    """
    rows = [row("s1", score=1 / 3, metadata={"epoch": str(epoch)}) for epoch in (1, 2, 3)]

    done, run = bring(write(tmp_path, rows))

    assert [("EE-04", None)] * 3 == [(trial.outcome.rule, trial.source.native_verdict) for trial in run.trials]
    assert any(note.startswith("reduced:") for note in done.report.notes)


def test_epochs_with_scores_of_their_own_are_native_trials(tmp_path):
    """
    An epoch counts from 1, a trial here from 0.
    """
    rows = [row("s1", score=score, correct=bool(score), metadata={"epoch": str(n)}) for n, score in ((1, 1.0), (2, 0.0))]

    _, run = bring(write(tmp_path, rows))

    assert [(0, "native", Fold.PASSED), (1, "native", Fold.FAILED)] == [
        (trial.key.trial, trial.index_origin, trial.outcome.fold) for trial in run.trials
    ]


def test_the_headline_stands_beside_the_mean_of_the_rows(tmp_path):
    """
    Both numbers are kept, whatever they say of each other.
    """
    done, _ = bring(write(tmp_path, [row()]))

    assert [(0.5, 1.0)] == [(item.published, item.recomputed) for item in done.report.headlines]


@pytest.mark.parametrize(
    ("details", "said"),
    [
        ({"checksum": "0" * 64, "hash_algorithm": "sha256"}, "checksum"),
        ({"total_rows": 5000}, "says 5000 rows; the file has 1"),
    ],
)
def test_an_aggregate_that_does_not_fit_its_rows_is_named(tmp_path, details, said):
    """
    Checksum and number of rows are compared with the file.
    """
    done, _ = bring(write(tmp_path, [row()], detailed_evaluation_results=details))

    assert any(said in note for note in done.report.notes)


def test_samples_of_an_aggregate_without_rows_are_planned_and_missing(tmp_path):
    """
    Nothing is recomputed from nothing.
    """
    source = write(tmp_path, [])
    next(source.rglob("*.jsonl")).unlink()

    done, run = bring(source)

    assert (2, 2) == (done.report.missing, len(run.trials))
    assert isinstance(done.report.headlines[0].recomputed, Absent)


def test_another_conversion_of_the_same_evaluation_is_the_same_run(tmp_path):
    """
    The time of retrieval is no identity: the run has the same id, and the changed file is a conflict to look at.
    """
    first, _ = bring(write(tmp_path / "a", [row()]))
    second, _ = bring(write(tmp_path / "b", [row()], retrieved_timestamp="1760000000"))

    assert first.run == second.run


def test_what_faultline_exported_is_read_back_with_its_status(tmp_path):
    """
    A row that carries our own words keeps class and whether it counts.
    """
    told = {"status": "infra", "scoreable": "false", "error_attribution": "external", "trial": "0"}

    _, run = bring(write(tmp_path, [row(error="host died", metadata=told)]))

    assert ("EE-02", "infra", "environment", False) == (
        run.trials[0].outcome.rule,
        run.trials[0].outcome.status,
        run.trials[0].outcome.blame,
        run.trials[0].outcome.scoreable,
    )


def test_rows_of_several_results_need_a_choice(tmp_path):
    """
    Which result gives the verdict is asked and not guessed.
    """
    source = write(tmp_path, [row(), row(evaluation_result_id="other")])
    with pytest.raises(BadInputError, match="--option result="):
        bring(source)

    _, run = bring(source, result="other")
    assert 1 == len(run.trials)


@settings(max_examples=60, deadline=None)
@given(
    key=st.sampled_from(["sample_id", "evaluation", "token_usage", "error", "metadata", "evaluation_result_id", "performance"]),
    value=st.none()
    | st.booleans()
    | st.floats()
    | st.text(max_size=5)
    | st.lists(st.integers(), max_size=2)
    | st.just({"epoch": {}}),
)
def test_a_value_of_another_type_ends_in_a_clear_error_or_in_a_run(key, value, tmp_path_factory):
    """
    No field's type is trusted.
    """
    with suppress(FaultlineError):
        bring(write(tmp_path_factory.mktemp("damaged"), [row() | {key: value}]))
