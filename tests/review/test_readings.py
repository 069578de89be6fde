"""Which reviews count."""

import factories
import pytest

from faultline.kinds import digest_bytes
from faultline.review import countable_reviews, sample_for_review

RUN = factories.evaluation_run([factories.task()])
SAMPLE = sample_for_review(RUN.results_digest, RUN.trials, 2)
ELSEWHERE = next(trial.key for trial in RUN.trials if trial.key not in SAMPLE)
NAMES = ("tinker", "made-up-model-1")


def standing(*reviews):
    return countable_reviews(reviews, sample=SAMPLE, results_digest=RUN.results_digest, names=NAMES)


def test_two_readers_of_an_item():
    """
    Every drawn item is listed with the distinct people who read it.
    """
    found = standing(*(factories.review(RUN, SAMPLE[0], who) for who in ("Dot", "dot", "Eli")))

    assert [("dot", "eli"), ()] == [item.reviewers for item in found.items]


@pytest.mark.parametrize(
    ("key", "changes", "why"),
    [
        (SAMPLE[0], {"results_digest": digest_bytes(b"other results")}, "other results"),
        (ELSEWHERE, {}, "not drawn"),
        (SAMPLE[0], {"blinded": False}, "not blinded"),
        (SAMPLE[0], {"notes": "As Made-up model 1, I split by row"}, "the notes name the agent"),
        (SAMPLE[0], {"reviewer": ""}, "nobody named"),
    ],
)
def test_a_review_that_does_not_count_says_why(key, changes, why):
    """
    A review of other results, of an item nobody drew, with open eyes or a name in its notes is set aside with its reason.
    """
    found = standing(factories.review(RUN, key, "Dot", **changes))

    assert [why] == [item.why for item in found.set_aside]
    assert [(), ()] == [item.reviewers for item in found.items]


@pytest.mark.parametrize("doubts", [(False, True), (True, False)])
def test_a_doubt_stays(doubts):
    """
    A person who read another verdict once has doubts, whatever they wrote before or after.
    """
    found = standing(
        *(
            factories.review(RUN, SAMPLE[0], "Dot", verdict_seen_right=right, reviewed_at=factories.at(n))
            for n, right in enumerate(doubts)
        )
    )

    assert ("dot",) == found.items[0].disputed_by
