"""Intervals of one proportion."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultline.statistics import (
    Status,
    clopper_pearson_interval,
    clopper_pearson_upper,
    hypergeometric_upper,
    wilson_interval,
    zero_error_reviews,
)

counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
METHODS = pytest.mark.parametrize("method", [wilson_interval, clopper_pearson_interval])


@METHODS
@given(count=counts, level=st.sampled_from([0.8, 0.95, 0.99]))
def test_the_interval_contains_the_share_and_has_width(method, count, level):
    """
    The bounds stay inside 0 and 1, contain the observed share and never coincide.
    """
    passed, n = count
    bounds = method(passed, n, level)

    assert 0 <= bounds.low <= passed / n <= bounds.high <= 1
    assert bounds.width > 0


@METHODS
@given(n=st.integers(1, 2_000))
def test_the_boundary_is_exact(method, n):
    """
    Nothing passed gives a lower end of exactly 0, everything passed an upper end of exactly 1.
    """
    assert method(0, n).low == 0.0
    assert method(n, n).high == 1.0


@METHODS
@given(count=counts)
def test_relabelling_mirrors_the_interval(method, count):
    """
    Counting failures instead of passes gives the mirrored interval.
    """
    passed, n = count
    one, other = method(passed, n), method(n - passed, n)

    assert one.low == pytest.approx(1 - other.high, abs=1e-9)
    assert one.high == pytest.approx(1 - other.low, abs=1e-9)


@METHODS
@pytest.mark.parametrize(("passed", "n"), [(1, 0), (-1, 5), (6, 5), (0, -1)])
def test_what_is_no_proportion_is_refused(method, passed, n):
    """
    More successes than trials and negative counts raise an error.
    """
    with pytest.raises(ValueError, match="no proportion"):
        method(passed, n)


@METHODS
def test_no_trials_give_no_interval(method):
    """
    Nothing of nothing is no error and no number: the result says that there is no data.
    """
    nothing = method(0, 0)

    assert (None, None, "no data") == (nothing.estimate, nothing.interval, nothing.reason)
    assert nothing.status is Status.NOT_ESTIMABLE
    with pytest.raises(ValueError, match="without data"):
        nothing.low  # noqa: B018


@METHODS
@pytest.mark.parametrize("level", [0, 1, 1.5, -0.2])
def test_an_impossible_level_is_refused(method, level):
    """
    A level outside 0 to 1 raises an error.
    """
    with pytest.raises(ValueError, match="level"):
        method(1, 2, level)


def test_a_reviewer_who_finds_only_errors_bounds_nothing():
    """
    With an error in every review the upper bound is 1.
    """
    assert 1.0 == clopper_pearson_upper(4, 4).high


@pytest.mark.parametrize("target", [0, 1, -1])
def test_an_impossible_target_is_refused(target):
    """
    A target rate outside 0 to 1 raises an error.
    """
    with pytest.raises(ValueError, match="target"):
        zero_error_reviews(target)


class TestHypergeometric:
    """The upper bound of errors in a frame of which a part was read."""

    @given(frame=st.integers(1, 60), data=st.data())
    def test_it_is_the_largest_number_that_could_have_shown_so_few(self, frame, data):
        """
        One more error in the frame would have shown more than were seen, with a chance of at least 95 %; by enumeration.
        """
        read = data.draw(st.integers(1, frame))
        errors = data.draw(st.integers(0, read))
        bound = hypergeometric_upper(errors, read, frame)
        ways = math.comb(frame, read)

        def chance(bad):
            return sum(math.comb(bad, seen) * math.comb(frame - bad, read - seen) for seen in range(errors + 1)) / ways

        bad = round(bound.high * frame)
        assert errors <= bad <= frame - (read - errors)
        assert chance(bad) > 0.05 or bad == errors
        assert bad == frame - (read - errors) or chance(bad + 1) <= 0.05 + 1e-12

    @given(read=st.integers(1, 40), more=st.integers(0, 40))
    def test_reading_all_leaves_no_doubt_and_a_part_less_than_none(self, read, more):
        """
        With everything read the bound is what was seen; with a part of it the bound is never above that of an endless frame.
        """
        assert 0.0 == hypergeometric_upper(0, read, read).high
        assert hypergeometric_upper(0, read, read + more).high <= clopper_pearson_upper(0, read).high + 1e-12

    def test_nothing_read(self):
        """
        Without a review there is no bound.
        """
        assert Status.NOT_ESTIMABLE is hypergeometric_upper(0, 0, 10).status

    @pytest.mark.parametrize("broken", [(3, 2, 5), (0, 6, 5), (-1, 2, 5)])
    def test_contradictions_raise(self, broken):
        """
        More errors than reviews, or more reviews than the frame holds, is an error.
        """
        with pytest.raises(ValueError):
            hypergeometric_upper(*broken)
