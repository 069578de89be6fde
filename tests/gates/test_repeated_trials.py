"""G3: repeated, independent trials with an interval."""

import dataclasses

import factories
import pytest

from faultline.gates.repeated_trials import GATE
from faultline.kinds import AgentKind, Estimand, RetryPolicy, digest_bytes
from faultline.records import ArtifactRef, Retry

SMALL = factories.small()
TASKS = SMALL.tasks
VALIDITY, EVALUATION = SMALL.runs


def changed(change):
    """Return the small benchmark with every trial of the evaluation changed and the run sealed again."""
    return factories.swap(SMALL, factories.retrial(EVALUATION, change))


def test_no_evaluation_of_an_agent(ask):
    """
    Controls alone say nothing about agents: the gate has not been asked.
    """
    control = factories.evaluation_run(TASKS, who=factories.agent("reference", AgentKind.REFERENCE))
    found = ask(GATE, factories.benchmark(TASKS, [VALIDITY, control]))

    assert ("not-run", "0") == (found.outcome, found.observed)


def test_three_trials_hold_and_show_no_rate(ask):
    """
    Three independent trials of every variant hold; neither a rate nor an interval is in the text.
    """
    found = ask(GATE, SMALL)

    assert ("pass", "3") == (found.outcome, found.observed)
    assert "0." not in found.saw + found.headline


@pytest.mark.parametrize("trials", [1, 2])
def test_too_few_trials(ask, needs, trials):
    """
    One or two trials of a variant are too few, and the run is named.
    """
    found = ask(GATE, factories.benchmark(TASKS, [factories.evaluation_run(TASKS, trials=trials)]))

    assert ("fail", str(trials)) == (found.outcome, found.observed)
    assert f"3 trials of task-00, variant clinic-0000, tinker; {trials} seen" in needs(found)


def test_a_task_that_was_left_out(ask, needs):
    """
    An evaluation of some of the tasks only is not repeated on the others.
    """
    found = ask(GATE, factories.benchmark(TASKS, [factories.evaluation_run(TASKS[:1])]))

    assert ("fail", "0") == (found.outcome, found.observed)
    assert "3 trials of task-01, tinker; 0 seen" in needs(found)


def test_one_family_gives_no_interval(ask, needs):
    """
    From one family nothing can be said about others, however many trials there are.
    """
    tasks = [factories.task("one", family="same"), factories.task("two", family="same")]
    found = ask(GATE, factories.benchmark(tasks, [factories.evaluation_run(tasks, trials=9)]))

    assert "fail" == found.outcome
    assert "an interval for tinker: one task, or one template, says nothing about others" in needs(found)


def test_runs_of_earlier_forms_are_history(ask):
    """
    An evaluation of a task that changed since is no evidence and no fault.
    """
    tasks = [factories.task("task-00", version=2), *TASKS[1:]]
    found = ask(GATE, dataclasses.replace(SMALL, tasks=tuple(tasks)))

    assert "not-run" == found.outcome
    assert "1 run of earlier forms of the tasks is history" in found.saw


def is_first(trial):
    return trial.key.trial == 1 and trial.key.task == "task-00" and trial.key.variant == "clinic-0000"


def later_attempt(trial):
    return (trial.attempts[0].model_copy(update={"number": 2}),)


TRICKS = {
    "a retry relabelled as a trial": (
        lambda trial: trial.model_copy(update={"attempts": later_attempt(trial), "attempts_complete": False}),
        "this begins with attempt 2, a retry",
    ),
    "an execution counted twice": (
        lambda trial: trial.model_copy(update={"attempts": EVALUATION.trials[0].attempts}),
        "trial 0 has its attempt or its trajectory too",
    ),
    "a copy": (lambda trial: trial.model_copy(update={"duplicate_of": digest_bytes(b"x")}), "repeats another one"),
    "a number given by order": (lambda trial: trial.model_copy(update={"index_origin": "inferred"}), "given by order"),
    "a dropped trial": (lambda _: None, "trials 0 to 2 of task-00, variant clinic-0000, tinker, each once; seen: 0, 2"),
}


@pytest.mark.parametrize("trick", TRICKS)
def test_trials_that_are_not_independent(ask, needs, trick):
    """
    Each way to make one execution look like two trials is named with its cell.
    """
    change, words = TRICKS[trick]
    found = ask(GATE, changed(lambda trial: change(trial) if is_first(trial) else trial))

    assert "fail" == found.outcome
    assert words in needs(found)


def test_best_of_k_is_another_quantity(ask, needs):
    """
    A run that retries on the verdict estimates something else than pass@1.
    """
    run = factories.evaluation_run(
        TASKS, retry=Retry(policy=RetryPolicy.BEST_OF_K, max_attempts=3), estimand=Estimand.BEST_OF_K
    )
    found = ask(GATE, factories.benchmark(TASKS, [run]))

    assert "fail" == found.outcome
    assert "its retry policy estimates best-of-k" in needs(found)


def test_two_trials_may_end_in_the_same_tree(ask):
    """
    An agent that always writes the same repair has independent trials all the same; its candidates share one file.
    """
    shared = ArtifactRef(role="candidate", path="candidates/same.json", sha256=digest_bytes(b"same"), size=4)

    def share(trial):
        attempts = tuple(one.model_copy(update={"artifacts": (*one.artifacts, shared)}) for one in trial.attempts)
        return trial.model_copy(update={"attempts": attempts})

    assert "pass" == ask(GATE, changed(share)).outcome
