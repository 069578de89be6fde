"""G15: what is declared follows from what was recorded."""

import dataclasses

import factories
import pytest

from faultline.errors import BadInputError
from faultline.gates.recomputed import GATE, recomputed
from faultline.kinds import Mode, RunKind, StatusClass, Verdict, digest_bytes
from faultline.records import CheckResult, PublicResult, Reason, Source, not_run, unknown

FULL = factories.full()
MENDER = FULL.runs[2]
FIRST = MENDER.trials[0]


def declared(**changes):
    """Return the full benchmark with another outcome of one trial."""
    outcome = FIRST.outcome.model_copy(update=changes)
    return factories.read_again(
        FULL, factories.retrial(MENDER, lambda t: t.model_copy(update={"outcome": outcome}) if t == FIRST else t)
    )


def test_no_run(ask):
    """
    Without a run there is nothing to compute again.
    """
    assert "not-run" == ask(GATE, factories.benchmark(FULL.tasks)).outcome


def test_verdicts_that_follow_hold(ask):
    """
    Every verdict of every run is computed again, those of controls too.
    """
    assert ("pass", "2200") == (ask(GATE, FULL).outcome, ask(GATE, FULL).observed)


FAILED_CHECK = (
    CheckResult(check=factories.CHECKS[0], result="failed", reason=Reason(code="ROWS_LOST")),
    CheckResult(check=factories.CHECKS[1], result="passed"),
)
TRICKS = {
    "a failed check and a pass": ({"checks": FAILED_CHECK}, "failed does, and passed is declared"),
    "a check left out and a pass": ({"checks": factories.passed().checks[:1]}, "none does, and passed is declared"),
    "a check twice and a pass": ({"checks": factories.passed().checks[:1] * 2}, "none does, and passed is declared"),
    "no check and a pass": ({"checks": not_run("none was asked")}, "none does, and passed is declared"),
    "a public test failed and a pass": (
        {"public": PublicResult(passed=0, failed=("tests/test_all.py::TestAll::test_one",), missing=(), regressed=())},
        "failed does, and passed is declared",
    ),
    "a canary and a pass": ({"rule": "FL-07"}, "failed does, and passed is declared"),
    "all passed and a failure": ({"verdict": Verdict.FAILED}, "passed does, and failed is declared"),
}


@pytest.mark.parametrize("trick", TRICKS)
def test_a_verdict_that_does_not_follow(ask, needs, trick):
    """
    A verdict that its own checks contradict is named with both words.
    """
    changes, words = TRICKS[trick]
    found = ask(GATE, declared(**changes))

    assert "fail" == found.outcome
    assert f"evaluation-2: task-00.clinic-0000.mender.0: a verdict that follows from its checks: {words}" in needs(found)


@pytest.mark.parametrize("trick", sorted(set(TRICKS) - {"a canary and a pass"}))
def test_no_other_gate_notices(shut, trick):
    """
    That a declared verdict is false is seen by this gate alone.
    """
    assert ["G15"] == list(shut(declared(**TRICKS[trick][0])))


@pytest.mark.parametrize(
    "outcome",
    [
        factories.passed(),
        factories.failed(),
        factories.invalid(),
        factories.passed(
            verdict=Verdict.FAILED,
            status=StatusClass.AGENT_FAILURE,
            mode=Mode.INVALID_SUBMISSION,
            rule="FL-01",
            checks=not_run("refused"),
            public=not_run("refused"),
            reasons=(Reason(code="LINK"),),
        ),
        factories.invalid(
            status=StatusClass.VERIFIER,
            checks=(
                CheckResult(check=factories.CHECKS[0], result="error", reason=Reason(code="X")),
                factories.passed().checks[1],
            ),
            public=factories.passed().public,
        ),
    ],
    ids=["passed", "failed", "fault", "refused", "judge-error"],
)
def test_what_the_judge_writes_follows(outcome):
    """
    Each kind of outcome that the judge gives is what is computed again.
    """
    trial = FIRST.model_copy(update={"outcome": outcome})

    assert outcome.verdict is recomputed(trial, MENDER.manifest.tasks[0])


def test_another_workspace_than_the_pinned_one(ask, needs):
    """
    A trial on another workspace than its variant's is no trial of the plan.
    """
    run = factories.retrial(
        MENDER, lambda t: t.model_copy(update={"workspace_digest": digest_bytes(b"x")}) if t == FIRST else t
    )

    assert "the workspace that the manifest pins" in needs(ask(GATE, factories.swap(FULL, run)))


@pytest.mark.parametrize("place", ["tasks/a/task.toml", "runs/b", "runs/b/reviews/c.json", "pyproject.toml"])
def test_what_cannot_be_read_is_no_evidence(ask, needs, place):
    """
    Whatever part of the evidence is missing or malformed, the gate is an error that names it.
    """
    found = ask(GATE, dataclasses.replace(FULL, problems=(BadInputError(place, "this is not JSON"),)))

    assert "error" == found.outcome
    assert place in needs(found)


class TestImports:
    @staticmethod
    def imported(**changes):
        outcome = FIRST.outcome.model_copy(update={"checks": unknown("the log does not tell")})
        run = factories.retrial(
            factories.remanifest(MENDER, kind=RunKind.IMPORTED),
            lambda t: t.model_copy(update={"outcome": outcome, "workspace_digest": unknown("the log does not tell")} | changes),
        )
        return factories.swap(FULL, run)

    @staticmethod
    def source(**changes):
        fields = {
            "format": "f",
            "path": "log.json",
            "sha256": digest_bytes(b"log"),
            "native_id": "1",
            "native_verdict": "passed",
        }
        return Source(**(fields | changes))

    def test_a_log_stands_for_itself_with_its_source(self, ask, needs):
        """
        A verdict of another harness is its log's word: with the log named it stands, without it is a declaration.
        """
        assert "pass" == ask(GATE, self.imported(source=self.source())).outcome
        assert "the log that it was read from" in needs(ask(GATE, self.imported()))

    @pytest.mark.parametrize(("said", "words"), [("failed", "which says failed"), (None, "which says nothing")])
    def test_a_pass_that_the_log_does_not_have(self, ask, needs, said, words):
        """
        A trial that passed here and not in its log is named.
        """
        found = ask(GATE, self.imported(source=self.source(native_verdict=said)))

        assert "fail" == found.outcome
        assert f"a pass in its log, {words}" in needs(found)
