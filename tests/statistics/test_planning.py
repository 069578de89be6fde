"""What a design can find before anything is run."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultline.statistics import detectable_by_design

TABLE = {
    20: (0.418, 0.295, 0.264),
    40: (0.295, 0.209, 0.187),
    100: (0.187, 0.132, 0.118),
    300: (0.108, 0.076, 0.068),
}
"""Tasks, and the difference that 1, 3 and 5 trials find; computed from the closed form with 2.80 for both quantiles."""


@pytest.mark.parametrize("tasks", TABLE)
def test_the_table(tasks):
    """
    The closed form gives the table of the literature to three places.
    """
    assert TABLE[tasks] == pytest.approx([detectable_by_design(tasks, trials) for trials in (1, 3, 5)], abs=6e-4)


def test_miller_needs_969_tasks_for_three_points():
    """
    The published example: without run-to-run noise 969 tasks find a difference of three points, and 968 do not.
    """
    assert detectable_by_design(969, 1, within=0.0) <= 0.03 < detectable_by_design(967, 1, within=0.0)


@given(st.integers(1, 10_000), st.integers(1, 1_000))
def test_more_finds_smaller_differences(tasks, trials):
    """
    More tasks or more trials never need a larger difference, trials alone have an end, and nothing exceeds 1.
    """
    found = detectable_by_design(tasks, trials)

    assert 0 < detectable_by_design(tasks + 1, trials) <= found <= 1
    assert detectable_by_design(tasks, trials + 1) <= found
    assert found >= min(1.0, 2.8 * math.sqrt(1 / 9 / tasks))


@pytest.mark.parametrize(
    ("tasks", "trials", "settings"),
    [(0, 3, {}), (20, 0, {}), (20, 3, {"between": -0.1}), (20, 3, {"level": 1.0}), (20, 3, {"power": 0.0})],
)
def test_what_is_no_design_is_refused(tasks, trials, settings):
    """
    No task, no trial, a negative variance, or a level that is none.
    """
    with pytest.raises(ValueError, match=r"a design|a level"):
        detectable_by_design(tasks, trials, **settings)
