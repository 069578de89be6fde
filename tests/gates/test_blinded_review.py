"""G5: blinded review of sampled trajectories."""

import dataclasses

import factories
import pytest

from faultline.gates.blinded_review import GATE
from faultline.kinds import digest_bytes

SMALL = factories.small()
EVALUATION = SMALL.runs[1]


def with_reviews(readings):
    return dataclasses.replace(SMALL, reviews=tuple(readings))


def test_no_agent_no_trajectory(ask):
    """
    Without an evaluation of an agent there is nothing to review yet.
    """
    assert "not-run" == ask(GATE, factories.benchmark(SMALL.tasks, SMALL.runs[:1])).outcome


def test_no_review(ask):
    """
    Without reviews none of the drawn trajectories counts, and each is named.
    """
    found = ask(GATE, with_reviews(()))

    assert ("fail", "0", "18", 18) == (found.outcome, found.observed, found.needed, len(found.lacking))
    assert "No sampled trajectory has been reviewed blindly by enough people" == found.headline


def test_two_readers_of_each_hold(ask):
    """
    Two blinded readers of each drawn trajectory hold.
    """
    assert ("pass", "18") == (ask(GATE, SMALL).outcome, ask(GATE, SMALL).observed)


def test_only_the_sample_is_asked_for(ask):
    """
    Thirty of a larger evaluation are drawn, not all.
    """
    run = factories.evaluation_run(SMALL.tasks, trials=8)

    assert ("pass", "30") == (
        ask(GATE, factories.benchmark(SMALL.tasks, [run], factories.reviews(run))).outcome,
        ask(GATE, factories.benchmark(SMALL.tasks, [run], factories.reviews(run))).needed,
    )


def first_changed(**changes):
    first, *rest = SMALL.reviews
    return (first.model_copy(update=changes), *rest)


TRICKS = {
    "one reader only": (SMALL.reviews[1:], "1 more blinded reviewer"),
    "one person under two names": (first_changed(reviewer="ELI  judge"), "1 more blinded reviewer"),
    "open eyes": (first_changed(blinded=False), "1 review does not (not blinded)"),
    "the agent named in the notes": (first_changed(notes="As tinker, I ..."), "1 review does not (the notes name the agent)"),
    "reviews of other results": (first_changed(results_digest=digest_bytes(b"old")), "1 review does not (other results)"),
    "another verdict seen": (first_changed(verdict_seen_right=False), "dot onlooker read another verdict"),
}


@pytest.mark.parametrize("trick", TRICKS)
def test_a_trajectory_that_does_not_count(ask, needs, trick):
    """
    Each way in which one review falls short leaves one trajectory open and says why.
    """
    readings, words = TRICKS[trick]
    found = ask(GATE, with_reviews(readings))

    assert ("fail", "17") == (found.outcome, found.observed)
    assert words in needs(found)


def test_a_sample_picked_by_hand(ask, needs):
    """
    Swapping a drawn item for another leaves the drawn one unread.
    """
    run = factories.evaluation_run(SMALL.tasks, trials=8)
    readings = factories.reviews(run)
    drawn = {item.key for item in readings}
    nicer = next(trial.key for trial in run.trials if trial.key not in drawn)
    swapped = [item.model_copy(update={"key": nicer}) if item.key == readings[0].key else item for item in readings]
    found = ask(GATE, factories.benchmark(SMALL.tasks, [run], swapped))

    assert ("fail", "29") == (found.outcome, found.observed)
    assert "2 reviews do not (not drawn)" in needs(found)


def test_a_verdict_without_a_trajectory(ask, needs):
    """
    A trial that left no trace cannot have been reviewed.
    """
    run = factories.retrial(
        EVALUATION, lambda t: t.model_copy(update={"attempts": (t.attempts[0].model_copy(update={"artifacts": ()}),)})
    )
    found = ask(GATE, factories.benchmark(SMALL.tasks, [run], factories.reviews(run)))

    assert ("fail", "0") == (found.outcome, found.observed)
    assert "a trajectory: none is recorded" in needs(found)


def test_nothing_to_draw_from(ask, needs):
    """
    An evaluation in which nothing could be judged has nothing to review, and does not hold.
    """
    run = factories.evaluation_run(SMALL.tasks, ending=lambda _: factories.invalid())
    found = ask(GATE, factories.benchmark(SMALL.tasks, [run]))

    assert "fail" == found.outcome
    assert "there is none to review" in needs(found)
