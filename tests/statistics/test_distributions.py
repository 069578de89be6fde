"""Summaries of quantities."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultline.statistics import Summary, describe, quantile_interval, quantile_ranks

numbers = st.floats(0, 1e6)


class TestDescribe:
    def test_unknown_is_counted_and_never_zero(self):
        """
        A missing value is counted apart and moves no number.
        """
        assert Summary(2, 1, 2.0, 3.0, 3.8, 4.0, 6.0) == describe([4, None, 2])

    @pytest.mark.parametrize("values", [[], [None, None]])
    def test_nothing_known_gives_no_number(self, values):
        """
        Without a known value there is no minimum, median or total.
        """
        assert Summary(0, len(values), None, None, None, None, None) == describe(values)

    @pytest.mark.parametrize("bad", [float("nan"), float("inf")])
    def test_what_is_not_finite_is_refused(self, bad):
        """
        NaN and infinity are no measurements.
        """
        with pytest.raises(ValueError, match="finite"):
            describe([1.0, bad])

    @given(values=st.lists(numbers, min_size=1, max_size=40))
    def test_the_five_numbers_are_ordered(self, values):
        """
        Minimum, median, 90th percentile and maximum do not cross.
        """
        summary = describe(values)

        assert summary.minimum <= summary.median <= summary.p90 * (1 + 1e-12) + 1e-12
        assert summary.p90 <= summary.maximum * (1 + 1e-12) + 1e-12


class TestQuantiles:
    def test_a_sample_that_is_too_small_has_no_limit(self):
        """
        Five values cannot bound a median at 95 %; the limits are absent and so is the coverage.
        """
        interval = quantile_interval([1, 2, 3, 4, 5], 0.5)

        assert (3.0, None, None, None) == (interval.estimate, interval.low, interval.high, interval.coverage)

    def test_no_values_give_no_estimate(self):
        """
        Without a value even the point estimate is absent.
        """
        assert None is quantile_interval([], 0.9).estimate

    @given(values=st.lists(numbers, min_size=6, max_size=60), quantile=st.sampled_from([0.1, 0.5, 0.9]))
    def test_limits_enclose_and_cover(self, values, quantile):
        """
        Where both limits exist they are ordered and their exact coverage reaches the level.
        """
        interval = quantile_interval(values, quantile)

        if interval.coverage is not None:
            assert interval.low <= interval.high
            assert interval.coverage >= 0.95 - 1e-12

    @pytest.mark.parametrize("quantile", [0, 1, -0.5])
    def test_an_impossible_quantile_is_refused(self, quantile):
        """
        Only quantiles strictly between 0 and 1 exist.
        """
        with pytest.raises(ValueError, match="no quantile"):
            quantile_ranks(10, quantile)

    def test_what_is_not_finite_is_refused(self):
        """
        NaN and infinity are no measurements.
        """
        with pytest.raises(ValueError, match="finite"):
            quantile_interval([float("nan")], 0.5)
