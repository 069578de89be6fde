"""Times that a limit cut, and agents that are clearly dominated."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultline.statistics import clearly_dominated, time_quantile

TIMES = st.lists(st.tuples(st.floats(0, 100), st.booleans()), min_size=1, max_size=40)


class TestTimeQuantile:
    def test_without_a_limit_it_is_an_order_statistic(self):
        """
        Of ten times that all ended the median is the fifth and the ninth decile the ninth.
        """
        times = [float(value) for value in range(1, 11)]

        assert (5.0, 9.0) == tuple(time_quantile(times, [True] * 10, q).estimate for q in (0.5, 0.9))

    def test_beyond_the_limit_only_a_lower_end_is_known(self):
        """
        With six of ten runs at a limit of 60 the median is no number: it is at least 60.
        """
        found = time_quantile([10, 20, 30, 40, *[60] * 6], [True] * 4 + [False] * 6, 0.5)

        assert (None, 60.0, 6) == (found.estimate, found.at_least, found.cut)

    def test_one_common_limit_leaves_lower_quantiles_alone(self):
        """
        Four of ten at the limit: the median is what it would be without one.
        """
        found = time_quantile([10, 20, 30, 40, 50, 55, *[60] * 4], [True] * 6 + [False] * 4, 0.5)

        assert (50.0, None) == (found.estimate, found.at_least)

    def test_times_cut_earlier_than_others_count_until_then(self):
        """
        The published 6-MP data of Freireich: median survival 23 weeks, though twelve of 21 were cut short.
        """
        ended = [6, 6, 6, 7, 10, 13, 16, 22, 23]
        cut = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35]

        found = time_quantile([*ended, *cut], [True] * len(ended) + [False] * len(cut), 0.5)

        assert 23.0 == found.estimate

    def test_nothing_gives_nothing(self):
        """
        Without a time there is neither a quantile nor a lower end.
        """
        found = time_quantile([], [], 0.5)

        assert (None, None, 0) == (found.estimate, found.at_least, found.n)

    @pytest.mark.parametrize(("times", "quantile"), [([float("nan")], 0.5), ([-1.0], 0.5), ([1.0], 0.0), ([1.0], 1.0)])
    def test_what_is_no_time_is_refused(self, times, quantile):
        """
        NaN, negative times and quantiles at the ends are refused.
        """
        with pytest.raises(ValueError):
            time_quantile(times, [True] * len(times), quantile)

    @given(TIMES)
    def test_cutting_a_time_short_never_lowers_a_quantile(self, rows):
        """
        A time that is only known to be at least so long can move a quantile up, or leave it; never down.
        """
        times, ended = [time for time, _ in rows], [over for _, over in rows]
        whole, cut = time_quantile(times, [True] * len(times), 0.5), time_quantile(times, ended, 0.5)

        assert (cut.estimate if cut.estimate is not None else cut.at_least) >= whole.estimate - 1e-9


class TestClearlyDominated:
    DEAR, CHEAP = [1.0, 1.1, 0.9, 1.05, 0.95, 1.2, 1.0, 1.1], [0.4, 0.5, 0.3, 0.45, 0.4, 0.5, 0.42, 0.38]
    BAD, GOOD = [0.1, 0.2, 0.0, 0.1, 0.3, 0.2, 0.1, 0.0], [0.8, 0.9, 0.7, 1.0, 0.8, 0.9, 0.9, 0.7]

    def test_dearer_and_worse_is_dominated(self):
        """
        An agent that is shown to cost more and shown to pass less is dominated by that rival, and the rival by nobody.
        """
        assert ((1,), ()) == clearly_dominated([self.DEAR, self.CHEAP], [self.BAD, self.GOOD])

    def test_both_tests_must_reject(self):
        """
        Dearer and better, or cheaper and worse, is a choice and no domination.
        """
        assert ((), ()) == clearly_dominated([self.DEAR, self.CHEAP], [self.GOOD, self.BAD])

    def test_equals_dominate_nobody(self):
        """
        Two agents that did exactly the same are on one point.
        """
        assert ((), ()) == clearly_dominated([self.CHEAP] * 2, [self.GOOD] * 2)

    def test_tasks_of_one_family_are_one_cluster(self):
        """
        What eight tasks show is not shown by the two families that they come from.
        """
        cost, rate = [[1.0, 0.5] * 4, [0.4, 0.45] * 4], [[0.2, 0.5] * 4, [0.9, 0.6] * 4]

        assert ((1,), ()) == clearly_dominated(cost, rate)
        assert ((), ()) == clearly_dominated(cost, rate, ["a", "b"] * 4)

    @pytest.mark.parametrize("rates", [[[0.1]], [[0.1, 0.2], [0.1, float("nan")]]])
    def test_every_agent_needs_both_numbers_of_every_task(self, rates):
        """
        Rows of other lengths, and NaN, are refused.
        """
        with pytest.raises(ValueError):
            clearly_dominated([[1.0, 1.0], [2.0, 2.0]], rates)
