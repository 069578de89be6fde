"""G11: trials without a verdict are few, even, and the harness's own doing."""

import factories
import pytest

from faultline.gates.invalid_runs import GATE
from faultline.kinds import Blame, StatusClass
from faultline.records import not_run

FULL = factories.full()
TINKER, MENDER = FULL.runs[1:3]


def losing(run, number, change=factories.lost):
    """Return a run in which the first trials ended without a verdict."""
    gone = {trial.key for trial in run.trials[:number]}
    return factories.retrial(run, lambda t: change(t) if t.key in gone else t)


def test_no_evaluation_of_an_agent(ask):
    """
    Without an agent there is no trial to lose.
    """
    assert "not-run" == ask(GATE, factories.benchmark(FULL.tasks, FULL.runs[:1])).outcome


def test_few_and_even_losses_hold(shut):
    """
    Nine of 180 trials of each agent, all with a fault that the harness observed, shut no gate.
    """
    assert {} == shut(factories.read_again(FULL, losing(TINKER, 9), losing(MENDER, 9)))


def test_more_than_one_in_twenty(shut):
    """
    Ten of 180 are too many: each agent's run is named, without its number.
    """
    found = shut(factories.read_again(FULL, losing(TINKER, 10), losing(MENDER, 10)))

    assert ["G11"] == list(found)
    assert "evaluation-1: verdicts: more than 5 % of the trials of tinker have none" in found["G11"]
    assert "10" not in found["G11"]


def test_uneven_losses(shut):
    """
    Four trials lost by one agent and none by the other differ by more than two points; three do not.
    """
    assert {} == shut(factories.read_again(FULL, losing(TINKER, 3)))

    found = shut(factories.read_again(FULL, losing(TINKER, 4)))
    assert ["G11"] == list(found)
    assert "mender and tinker differ by more than 2 points" in found["G11"]


def without_evidence(trial):
    return trial.model_copy(update={"outcome": factories.invalid()})


TRICKS = {
    "a judged trial called a fault": (without_evidence, "its last attempt ended as judged"),
    "a fault that nobody observed": (
        lambda t: _attempt(factories.lost(t), observed=" "),
        "its last attempt does not say what was observed",
    ),
    "a fault for which the agent is blamed": (
        lambda t: _outcome(factories.lost(t), blame=Blame.AGENT),
        "the record blames the agent",
    ),
    "a trial that somebody stopped": (
        lambda t: _outcome(factories.lost(t), status=StatusClass.CANCELLED),
        "the class cancelled is nobody's observation",
    ),
    "a trial of which nothing is known": (
        lambda t: _outcome(factories.lost(t), status=StatusClass.UNKNOWN),
        "the class unknown is nobody's observation",
    ),
    "a lost worker that left a candidate": (
        lambda t: _attempt(without_evidence(t), end="unknown", observed="gone"),
        "its last attempt ended as unknown",
    ),
}


def _attempt(trial, **changes):
    return trial.model_copy(update={"attempts": (trial.last.model_copy(update=changes),)})


def _outcome(trial, **changes):
    return trial.model_copy(update={"outcome": trial.outcome.model_copy(update=changes)})


@pytest.mark.parametrize("trick", TRICKS)
def test_failures_relabelled(ask, needs, trick):
    """
    Three failures that were relabelled without a fault that the harness recorded are named, though they are few.
    """
    change, words = TRICKS[trick]
    found = ask(GATE, factories.swap(FULL, losing(TINKER, 3, change)))

    assert "fail" == found.outcome
    assert f"evaluation-1: task-00.clinic-0000.tinker.0: a fault that the harness observed: {words}" in needs(found)


def test_a_worker_that_was_lost_is_an_observation(ask):
    """
    An attempt of which only its start is known, and that left nothing, is a fault that the harness observed.
    """
    gone = losing(TINKER, 1, lambda t: _attempt(factories.lost(t), end="unknown", candidate=not_run("nothing came back")))

    assert "pass" == ask(GATE, factories.swap(FULL, gone)).outcome


def test_a_planned_trial_without_a_record_has_no_verdict(ask):
    """
    Dropping records instead of relabelling them changes nothing here.
    """
    dropped = factories.retrial(TINKER, lambda t: None if t.key.trial == 0 else t)

    assert "fail" == ask(GATE, factories.swap(FULL, dropped)).outcome
