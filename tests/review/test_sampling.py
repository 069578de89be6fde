"""The sample that people read."""

import factories
from hypothesis import given
from hypothesis import strategies as st

from faultline.kinds import digest_bytes
from faultline.review import sample_for_review

RUN = factories.evaluation_run([factories.task("one"), factories.task("longer")])
ONE, OTHER = digest_bytes(b"one"), digest_bytes(b"other")


@given(order=st.permutations(RUN.trials), size=st.integers(0, 20))
def test_the_draw_depends_on_digest_and_records_only(order, size):
    """
    The same results give the same sample, in whatever order the trials are given.
    """
    assert sample_for_review(ONE, RUN.trials, size) == sample_for_review(ONE, order, size)


def test_other_results_draw_another_sample():
    """
    Nobody can choose the sample without changing the results.
    """
    assert sample_for_review(ONE, RUN.trials, 6) != sample_for_review(OTHER, RUN.trials, 6)


def test_a_larger_sample_contains_the_smaller():
    """
    Asking for more keeps what was drawn.
    """
    assert sample_for_review(ONE, RUN.trials, 4) == sample_for_review(ONE, RUN.trials, 9)[:4]


def test_passed_and_failed_take_turns():
    """
    False passes and false failures are both looked for, whatever the pass rate is.
    """
    verdicts = {trial.key: trial.outcome.verdict for trial in RUN.trials}

    assert {"passed": 3, "failed": 3} == _count(verdicts[key] for key in sample_for_review(ONE, RUN.trials, 6))


def test_all_are_drawn_when_there_are_few():
    """
    A sample larger than the results holds each trial once.
    """
    assert {trial.key for trial in RUN.trials} == set(sample_for_review(ONE, RUN.trials, 1_000))


def test_trials_without_a_verdict_are_not_drawn():
    """
    Where there is no verdict there is nothing to confirm.
    """
    run = factories.retrial(RUN, lambda trial: trial.model_copy(update={"outcome": factories.invalid()}))

    assert () == sample_for_review(ONE, run.trials, 5)


def _count(words):
    found = {}
    for word in words:
        found[str(word)] = found.get(str(word), 0) + 1
    return found
