"""JUnit XML: the last element of a name counts, the others are its attempts; set-up errors are no failures."""

import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faultline.archive import read_run
from faultline.clock import frozen_clock
from faultline.errors import BadInputError, FaultlineError
from faultline.importers import Reading, SourceTree, import_runs
from faultline.importers.junit import JUnit
from faultline.kinds import Fold, StatusClass

REPORT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites name="t"><testsuite name="s" tests="9" hostname="buildbox7" timestamp="2026-11-29T14:20:55+01:00" extra="1">
<testcase classname="m" name="ok" time="0.5"/>
<testcase classname="m" name="flaky" time="1"/><testcase classname="m" name="flaky" time="2"/>
<testcase classname="m" name="bad" time="1"/><testcase classname="m" name="bad" time="1"><failure message="no">on buildbox7</failure></testcase>
<testcase classname="m" name="broken" time="x"><error message="db"/></testcase>
<testcase classname="m" name="later" time="nan"><skipped type="pytest.skip" message="gpu"/></testcase>
</testsuite></testsuites>"""


def bring(folder, text, name="report.xml", **options):
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    reading = Reading(SourceTree(folder / name), options)
    done = import_runs(JUnit(), reading, folder / "runs", frozen_clock(datetime(2026, 12, 1, tzinfo=UTC)))
    return done, [read_run(folder / "runs" / item.run) for item in done]


@pytest.fixture
def report(tmp_path):
    (done,), (run,) = bring(tmp_path, REPORT)
    return done.report, {task.name: trial for task, trial in zip(run.manifest.imported.tasks, run.trials, strict=True)}


def test_reruns_that_look_passed_are_attempts_of_the_last_element(report):
    """
    An earlier element without a child is a rerun and not a pass.
    """
    told, trials = report

    assert (2, 2) == (len(trials["m::bad"].attempts), len(trials["m::flaky"].attempts))
    assert (Fold.FAILED, Fold.PASSED) == (trials["m::bad"].outcome.fold, trials["m::flaky"].outcome.fold)
    assert (7, 5, 2) == (told.rows_in, told.rows_out, told.earlier_attempts)


def test_an_error_of_set_up_is_no_failure_and_a_skipped_test_has_no_verdict(report):
    """
    Neither says anything about what was tested.
    """
    _, trials = report

    assert ("JU-02", StatusClass.VERIFIER, False) == (
        trials["m::broken"].outcome.rule,
        trials["m::broken"].outcome.status,
        trials["m::broken"].outcome.scoreable,
    )
    assert ("JU-03", False) == (trials["m::later"].outcome.rule, trials["m::later"].outcome.scoreable)


def test_the_attribute_that_is_no_count_is_named(report):
    """
    The number of tests comes from distinct names.
    """
    told, _ = report
    assert any("says 9; there are 5 distinct tests in 7 elements" in note for note in told.notes)
    assert any("1 passed only when run again" in note for note in told.notes)


def test_the_host_name_is_taken_out_and_unknown_attributes_are_listed(report):
    """
    What has no home is counted by name.
    """
    told, trials = report

    assert "on [redacted: host name]" in trials["m::bad"].source.native_message
    assert {"testsuite.extra": 1} == told.homeless


def test_tests_of_one_name_in_two_suites_are_two(tmp_path):
    """
    The suite is part of the key where there are several.
    """
    suite = '<testsuite name="{}"><testcase name="a"/></testsuite>'
    _, (run,) = bring(tmp_path, f"<testsuites>{suite.format('one')}{suite.format('two')}</testsuites>")

    assert ["one / a", "two / a"] == [task.name for task in run.manifest.imported.tasks]


def test_a_report_of_pytest_itself_is_read(tmp_path):
    """
    The real peer: what pytest writes today.
    """
    (tmp_path / "test_it.py").write_text(
        "import pytest\ndef test_a(): pass\ndef test_b(): assert 0\n@pytest.mark.xfail\ndef test_c(): assert 0\n"
    )
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:randomly",
            "--junit-xml=out.xml",
            "test_it.py",
        ],
        cwd=tmp_path,
        check=False,
        capture_output=True,
    )

    _, (run,) = bring(tmp_path, (tmp_path / "out.xml").read_bytes(), "out.xml")

    assert [Fold.PASSED, Fold.FAILED, Fold.INVALID_INFRA] == [trial.outcome.fold for trial in run.trials]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<testsuites><testsuite>", r"report\.xml:1:\d+: this is not XML"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><testsuites><testsuite/></testsuites>', "never read"),
        ("<testsuites><testsuite/></testsuites>", "holds no test"),
        ("<other><testsuite/></other>", "no JUnit report"),
        (b"<testsuites>\xff<testsuite/></testsuites>", "not UTF-8"),
    ],
)
def test_a_report_that_cannot_be_trusted_is_one_clear_error(tmp_path, text, problem):
    """
    Torn XML, document types, empty reports, other XML and bad bytes each have one error, and no run is left.
    """
    with pytest.raises(BadInputError, match=problem):
        bring(tmp_path, text)

    assert not (tmp_path / "runs").exists()


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_damaged_report_ends_in_a_clear_error_or_in_a_run(data, tmp_path_factory):
    """
    Whatever bytes change, nothing else is raised.
    """
    raw = bytearray(REPORT.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    del raw[data.draw(st.integers(0, len(raw))) :]
    with suppress(FaultlineError):
        bring(tmp_path_factory.mktemp("damaged"), bytes(raw))
