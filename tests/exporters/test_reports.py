"""JUnit and CTRF: what holds passes, what does not fails, what could not be evaluated is neither."""

import dataclasses
import json
from pathlib import Path

import factories
import pytest
from export_samples import foreign, subject
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from faultline.exporters import open_exporter
from faultline.exporters.ctrf import ctrf_report
from faultline.exporters.junit import junit_xml
from faultline.exporters.report import GATE_OUTCOMES, Case, Try, cases_of, gate_case
from faultline.gates.model import OUTCOMES
from faultline.kinds import Verdict

SCHEMA = Draft7Validator(json.loads((Path(__file__).parent / "schemas" / "ctrf.schema.json").read_text()))


def read(data):
    """Return what a reader that others use makes of a report."""
    return pytest.importorskip("junitparser", reason="junitparser is not installed").JUnitXml.fromstring(data)


def written(outcome, **changes):
    """Return a case after a trip through JUnit XML, as a reader sees it."""
    case = Case("suite", "name", outcome, "raw", "said", "detail", **changes)
    (suite,) = read(junit_xml([case]))
    (found,) = suite
    return suite, found


class TestCases:
    def test_every_outcome_of_a_gate_has_its_word(self):
        """No outcome but pass becomes a pass."""
        assert set(OUTCOMES) == set(GATE_OUTCOMES)
        assert ["pass"] == [word for word, outcome in GATE_OUTCOMES.items() if outcome == "passed"]

    @pytest.mark.parametrize("word", sorted(GATE_OUTCOMES))
    def test_a_gate_that_does_not_hold_says_what_it_lacks(self, word):
        """A gate that does not hold has its headline as message, and predicate, evidence and remedy as detail."""
        gate = subject().evaluation.report.gates[0].model_copy(update={"outcome": word})
        case = gate_case(gate)

        assert GATE_OUTCOMES[word] == case.outcome
        assert (word != "pass") == (gate.headline == case.message)
        assert (word != "pass") == (gate.remedy in case.detail)

    def test_every_gate_and_every_control_is_a_case(self):
        """Each gate, each task and each of its controls is there once; without a run named, no trial is."""
        of = subject()
        suites = [case.suite for case in cases_of(of)]

        assert len(of.evaluation.report.gates) == suites.count("faultline.gates")
        assert 1 + len(factories.CONTROLS) == suites.count("task validity: task-00")
        assert not any(suite.startswith("run ") for suite in suites)

    def test_a_task_without_evidence_could_not_be_evaluated(self):
        """A task that no validity run covers is an error, not a failure and not a pass."""
        of = subject(factories.benchmark(factories.small_tasks()))

        assert {"error"} == {case.outcome for case in cases_of(of) if case.suite.startswith("task validity")}

    def test_a_control_that_ends_otherwise_fails(self):
        """A wrong repair that passes is a failure of its task, and the control's case says how many trials."""
        tasks = factories.small_tasks()
        run = factories.validity_run(
            tasks, ending=lambda cell: factories.passed() if cell.agent == "wrong-half" else factories.control_ending(cell)
        )
        of = subject(factories.benchmark(tasks, [run]))
        failed = {
            case.name: case.message
            for case in cases_of(of)
            if case.suite == "task validity: task-00" and case.outcome == "failed"
        }

        assert {"both sides of the contract", "wrong-half fails with ROWS_LOST"} == set(failed)
        assert "0 of 18" in failed["wrong-half fails with ROWS_LOST"]

    def test_imported_tasks_show_what_their_own_controls_do(self, tmp_path):
        """A task of another harness without records of its controls could not be evaluated; one whose control ends otherwise fails."""
        of = subject(foreign(tmp_path))
        card = of.card.imported_tasks[0].model_copy(update={"reference": "passed", "no_op": "passed", "lacking": "a baseline"})
        changed = dataclasses.replace(of, card=of.card.model_copy(update={"imported_tasks": (card,)}))

        assert {"error"} == {case.outcome for case in cases_of(of) if case.suite.startswith("imported task")}
        assert ["passed", "failed"] == [case.outcome for case in cases_of(changed) if case.suite.startswith("imported task")]

    def test_trials_of_named_runs_are_cases(self):
        """A trial passes, fails, or has no verdict; it carries the attempts before the one that counts."""
        small = factories.small()
        run = next(run for run in small.runs if run.name == "evaluation-1")
        first, second = run.trials[0].key, run.trials[1].key
        twice = tuple(
            factories.attempt("x", start=factories.at(1), number=number, end=end)
            for number, end in ((1, "faulted"), (2, "judged"))
        )

        def change(trial):
            if trial.key == first:
                return trial.model_copy(update={"attempts": twice})
            return trial.model_copy(update={"outcome": factories.invalid()}) if trial.key == second else trial

        of = subject(factories.swap(small, factories.retrial(run, change)), "evaluation-1")
        cases = [case for case in cases_of(of) if case.suite == "run evaluation-1"]
        verdicts = [trial.outcome.verdict for trial in of.runs[0].trials]

        assert [{Verdict.PASSED: "passed", Verdict.FAILED: "failed", Verdict.NONE: "error"}[v] for v in verdicts] == [
            case.outcome for case in cases
        ]
        assert ["faulted"] == [item.end for item in cases[0].tries]
        assert "infra" == cases[1].raw


class TestJUnit:
    def test_a_consumer_counts_what_is_there(self, clock):
        """junitparser reads the report, and its counts are those of the cases."""
        of = subject(None, "evaluation-1")
        parsed = read(open_exporter("junit").export(of, clock).files["faultline.junit.xml"])
        cases = cases_of(of)

        assert len(cases) == sum(suite.tests for suite in parsed) == sum(len(list(suite)) for suite in parsed)
        assert sum(case.outcome == "failed" for case in cases) == sum(suite.failures for suite in parsed)
        assert sum(case.outcome == "error" for case in cases) == sum(suite.errors for suite in parsed)

    @pytest.mark.parametrize(
        ("outcome", "kind"), [("failed", "Failure"), ("error", "Error"), ("skipped", "Skipped"), ("passed", None)]
    )
    def test_each_outcome_has_its_element(self, outcome, kind):
        """A consumer sees failure, error, skipped or nothing, with type and message."""
        _, case = written(outcome)

        assert ([kind] if kind else []) == [type(result).__name__ for result in case.result]
        assert all(("raw", "said") == (result.type, result.message) for result in case.result)

    def test_a_time_that_nobody_measured_is_not_written(self):
        """Without a measured time there is none, also not zero."""
        assert written("passed")[1].time is None
        assert 1.5 == written("passed", seconds=1.5)[1].time

    @given(st.text(), st.text())
    def test_any_text_can_be_written(self, name, detail):
        """Whatever a run holds, the report is XML that a parser reads, and the name is the same for the same text."""
        (suite,) = read(junit_xml([Case(name, name, "failed", "raw", detail, detail)]))
        (case,) = suite

        assert suite.name == case.name

    def test_the_gates_stand_in_it(self, clock):
        """Every suite says whether the leaderboard is withheld."""
        data = open_exporter("junit").export(subject(), clock).files["faultline.junit.xml"]

        assert len(list(read(data))) == data.count(b"the leaderboard is withheld")


class TestCtrf:
    @pytest.mark.parametrize("names", [(), ("evaluation-1",), ("validity-1",)])
    def test_it_validates(self, clock, names):
        """The report is valid against the schema of CTRF 1.0, and its counts are those of its tests."""
        report = json.loads(open_exporter("ctrf").export(subject(None, *names), clock).files["faultline.ctrf.json"])
        statuses = [test["status"] for test in report["results"]["tests"]]
        summary = report["results"]["summary"]

        assert [] == [error.message for error in SCHEMA.iter_errors(report)]
        assert {word: statuses.count(word) for word in ("passed", "failed", "skipped", "pending", "other")} == {
            word: summary[word] for word in ("passed", "failed", "skipped", "pending", "other")
        }

    def test_earlier_attempts_are_retries(self):
        """An attempt that was judged before a pass makes the test flaky; one that the harness lost does not."""
        judged, lost = Try(1, "judged", "", 1.0), Try(1, "faulted", "fork failed", None)
        cases = [Case("s", str(place), "passed", "completed", "", tries=(item,)) for place, item in enumerate((judged, lost))]
        report = ctrf_report(cases, None, "")
        first, second = report["results"]["tests"]

        assert [] == [error.message for error in SCHEMA.iter_errors(report)]
        assert [{"attempt": 1, "status": "failed", "extra": {"end": "judged"}, "duration": 1000}] == first["retryAttempts"]
        assert ["other"] == [item["status"] for item in second["retryAttempts"]]
        assert (True, False, 1) == (first["flaky"], second["flaky"], report["results"]["summary"]["flaky"])

    @given(st.text(), st.text())
    def test_any_text_can_be_written(self, name, detail):
        """Whatever a run holds, the report is valid and can be written as JSON."""
        report = ctrf_report([Case(name or "x", name or "x", "failed", "raw", detail, detail)], None, "")

        assert [] == [error.message for error in SCHEMA.iter_errors(json.loads(json.dumps(report)))]

    def test_a_duration_that_nobody_measured_says_so(self):
        """CTRF asks for a duration; where there is none it is 0 and labelled as unknown."""
        (test,) = ctrf_report([Case("s", "n", "passed", "pass", "")], None, "")["results"]["tests"]

        assert (0, False) == (test["duration"], test["labels"]["duration_known"])


def test_the_same_records_give_the_same_bytes(clock):
    """Neither report depends on the time of the export."""
    for name in ("junit", "ctrf"):
        first, second = (open_exporter(name).export(subject(None, "evaluation-1"), clock) for _ in range(2))

        assert first.files == second.files
