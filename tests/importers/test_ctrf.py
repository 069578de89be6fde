"""CTRF: retries are attempts, ``rawStatus`` tells set-up from failure, and an older plugin's seconds are no milliseconds."""

import json
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faultline.archive import read_run
from faultline.clock import frozen_clock
from faultline.errors import BadInputError, FaultlineError
from faultline.importers import Reading, SourceTree, ctrf, import_runs, recognised
from faultline.kinds import Fold


def report(*tests, **top):
    results = {"tool": {"name": "pytest", "version": "9"}, "summary": {"passed": 1}, "tests": list(tests)}
    return {"reportFormat": "CTRF", "specVersion": "1.0.0", "reportId": "r1", "results": results} | top


def bring(folder, plain, **options):
    (folder / "ctrf.json").write_text(plain if isinstance(plain, str) else json.dumps(plain))
    reading = Reading(SourceTree(folder), options)
    (done,) = import_runs(
        ctrf.Ctrf(), reading, folder.parent / f"{folder.name}-runs", frozen_clock(datetime(2026, 12, 1, tzinfo=UTC))
    )
    return done.report, read_run(folder.parent / f"{folder.name}-runs" / done.run)


@pytest.mark.parametrize(
    ("test", "rule", "fold"),
    [
        ({"status": "passed"}, "CT-04", Fold.PASSED),
        ({"status": "failed"}, "CT-05", Fold.FAILED),
        ({"status": "failed", "rawStatus": "call_failed"}, "CT-01", Fold.FAILED),
        ({"status": "failed", "rawStatus": "setup_failed"}, "CT-02", Fold.INVALID_INFRA),
        ({"status": "failed", "rawStatus": "teardown_failed"}, "CT-03", Fold.INVALID_INFRA),
        ({"status": "skipped", "rawStatus": "xfailed"}, "CT-06", Fold.INVALID_INFRA),
        ({"status": "pending"}, "CT-06", Fold.INVALID_INFRA),
        ({"status": "other"}, "CT-07", Fold.INVALID_INFRA),
    ],
)
def test_each_status_has_its_rule(tmp_path, test, rule, fold):
    """
    A set-up that failed is no failure of what was tested.
    """
    _, run = bring(tmp_path, report({"name": "t", "duration": 1} | test))

    assert (rule, fold) == (run.trials[0].outcome.rule, run.trials[0].outcome.fold)


def test_retries_are_attempts_and_a_number_beyond_them_says_that_some_are_gone(tmp_path):
    """
    What the report counts and does not hold makes the attempts a lower bound.
    """
    retried = {"name": "a", "status": "passed", "retries": 3, "retryAttempts": [{"duration": 65, "status": "failed"}]}

    told, run = bring(tmp_path, report(retried))

    assert (2, False) == (len(run.trials[0].attempts), run.trials[0].attempts_complete)
    assert any("1 passed only when run again" in note for note in told.notes)


@pytest.mark.parametrize(("top", "seconds"), [({}, 0.25), ({"reportFormat": None}, 250.0)])
def test_durations_are_milliseconds_unless_an_older_plugin_wrote_them(tmp_path, top, seconds):
    """
    A report without the format's name gives seconds.
    """
    _, run = bring(tmp_path, report({"name": "a", "status": "passed", "duration": 250}, **top))

    assert seconds == run.trials[0].last.timing.grading


def test_a_report_is_recognised_by_its_own_word(tmp_path):
    """
    ``auto`` finds it.
    """
    (tmp_path / "x.json").write_text(json.dumps(report()))

    assert ["ctrf"] == [item.name for item in [ctrf.Ctrf()] if item.recognises(SourceTree(tmp_path))]
    assert recognised is not None


def test_the_tests_of_a_report_can_be_counted_for_a_trial(tmp_path):
    """
    A harness that keeps a report beside its verdict gets its counts.
    """
    del tmp_path
    found = ctrf.counts(report({"status": "passed"}, {"status": "failed"}, {"status": "skipped"}))

    assert (1, 1, 1) == (found.passed, found.failed, found.other)
    assert ctrf.counts({"results": 3}) is None


@pytest.mark.parametrize(
    ("plain", "problem"),
    [
        (report(), "holds no test"),
        (report({"name": "a"}), "status is not one"),
        (report({"name": 3, "status": "passed"}), "object with a name"),
        ('{"reportFormat": "CTRF"', "not JSON"),
        ('{"reportFormat": "CTRF", "a": 1, "a": 2}', "stands twice"),
    ],
)
def test_a_report_that_cannot_be_read_is_one_clear_error(tmp_path, plain, problem):
    """
    The error names the file, and no run is left.
    """
    with pytest.raises(BadInputError, match=rf"ctrf\.json.*{problem}"):
        bring(tmp_path, plain)


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(
    key=st.sampled_from(["name", "status", "rawStatus", "duration", "start", "retries", "retryAttempts", "message"]),
    value=VALUES,
)
def test_a_value_of_another_type_ends_in_a_clear_error_or_in_a_run(key, value, tmp_path_factory):
    """
    No field's type is trusted.
    """
    test = {"name": "t", "status": "failed", "rawStatus": "call_failed", "duration": 1, "start": 1, "retries": 0}
    with suppress(FaultlineError):
        bring(tmp_path_factory.mktemp("damaged"), report(test | {key: value}))
