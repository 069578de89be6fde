"""G7: complete records that are what their digests say."""

from dataclasses import replace

import factories
import pytest

from faultline.errors import BadInputError, IntegrityError
from faultline.gates.record_integrity import GATE
from faultline.kinds import digest_bytes
from faultline.records import unknown

SMALL = factories.small()
EVALUATION = SMALL.runs[1]


def test_no_record(ask):
    """
    Without a run there is no record to check.
    """
    assert "not-run" == ask(GATE, factories.benchmark()).outcome


def test_complete_records_hold_and_say_what_cannot_be_seen(ask):
    """
    Runs that are complete hold; the gate admits that a run that was removed whole cannot be missed.
    """
    found = ask(GATE, SMALL)

    assert ("pass", "2", "2") == (found.outcome, found.observed, found.needed)
    assert "cannot be seen in a folder" in found.saw


@pytest.mark.parametrize(
    "problem",
    [
        IntegrityError("runs/lost-run/trials.jsonl", "the file's digest is not the sealed one"),
        BadInputError("tasks/bad/task.toml: id", "this field is missing"),
        BadInputError("runs/evaluation-1/reviews/one.json", "this is not JSON"),
        BadInputError("elsewhere", "this cannot be read"),
    ],
)
def test_what_cannot_be_read_is_an_error(ask, needs, problem):
    """
    A record that does not read or verify is an error, whatever kind it is, and is named.
    """
    found = ask(GATE, replace(SMALL, problems=(problem,)))

    assert "error" == found.outcome
    assert problem.place in needs(found)


def swapped(change):
    return factories.swap(SMALL, factories.retrial(EVALUATION, change))


FIRST = EVALUATION.trials[0]
TRICKS = {
    "a record dropped": (
        swapped(lambda t: None if t == FIRST else t),
        "evaluation-1: task-00.clinic-0000.tinker.0: one record of this planned trial; 0 found",
    ),
    "a trial that was not planned": (
        swapped(lambda t: t.model_copy(update={"key": t.key.model_copy(update={"trial": 9})}) if t == FIRST else t),
        "task-00.clinic-0000.tinker.9: a place in the plan",
    ),
    "a record twice": (
        factories.swap(SMALL, factories.sealed(EVALUATION.manifest, (*EVALUATION.trials, FIRST), hours=2.0)),
        "one record of this planned trial; 2 found",
    ),
    "a trial of another run": (
        swapped(lambda t: t.model_copy(update={"key": t.key.model_copy(update={"run": "other"})}) if t == FIRST else t),
        "it belongs to other",
    ),
    "a trial of another task form": (
        swapped(lambda t: t.model_copy(update={"task_digest": digest_bytes(b"other")}) if t == FIRST else t),
        "the task digest that the manifest pins",
    ),
    "a trial that forgot its task form": (
        swapped(lambda t: t.model_copy(update={"task_digest": unknown("lost")}) if t == FIRST else t),
        "the task digest that the manifest pins",
    ),
    "a refused second result": (
        factories.swap(SMALL, factories.sealed(EVALUATION.manifest, EVALUATION.trials, hours=2.0, conflicts=1)),
        "1 second result was refused",
    ),
    "a seal of other records": (
        factories.swap(SMALL, replace(EVALUATION, seal=EVALUATION.seal.model_copy(update={"recorded": 17}))),
        "it counts 18 planned and 17 recorded",
    ),
    "a seal that leaves the trials out": (
        factories.swap(SMALL, replace(EVALUATION, seal=EVALUATION.seal.model_copy(update={"files": {}}))),
        "a seal that covers trials.jsonl",
    ),
    "one name for two agents": (
        replace(
            SMALL,
            runs=(
                *SMALL.runs,
                factories.evaluation_run(SMALL.tasks, "evaluation-2", factories.agent(model="other-model"), hours=3.0),
            ),
        ),
        "evaluation-2: a name of its own: tinker stands for 2 different agents",
    ),
}


@pytest.mark.parametrize("trick", TRICKS)
def test_records_that_are_not_complete(ask, needs, trick):
    """
    Each kind of incomplete or contradictory record is named, also when the seal was made again to fit.
    """
    benchmark, words = TRICKS[trick]
    found = ask(GATE, benchmark)

    assert "fail" == found.outcome
    assert words in needs(found)


def test_many_lacks_are_counted(ask):
    """
    Beyond sixty entries a list ends with how many more there are.
    """
    run = factories.validity_run(SMALL.tasks)
    empty = factories.retrial(run, lambda _: None)
    found = ask(GATE, factories.benchmark(SMALL.tasks, [empty]))

    assert (61, "120 more of this kind") == (len(found.lacking), found.lacking[-1].needs)
