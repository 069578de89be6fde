"""Pass rates with intervals over tasks and clusters."""

import math
from dataclasses import astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultline.statistics import Scope, Status, TaskCounts, macro_rate, pass_at_k, pass_hat_k, pass_rate, variance_components

task = st.integers(0, 6).flatmap(lambda k: st.builds(TaskCounts, st.integers(0, k), st.just(k)))
tasks = st.lists(task, max_size=30)
scopes = st.sampled_from(list(Scope))


def counts(*pairs):
    return [TaskCounts(*pair) for pair in pairs]


class TestLaws:
    @given(rows=tasks, scope=scopes, conservative=st.booleans())
    def test_no_nan_and_no_zero_width(self, rows, scope, conservative):
        """
        Every result is either an interval with width that contains the estimate, or not estimable with a reason.
        """
        rate = pass_rate(rows, scope=scope, conservative=conservative)

        if rate.status is Status.NOT_ESTIMABLE:
            assert rate.reason
            assert (rate.estimate, rate.low, rate.high, rate.bounds) == (None, None, None, None)
        else:
            assert 0 <= rate.low <= rate.estimate <= rate.high <= 1
            assert rate.bounds.width > 0
        assert not any(isinstance(value, float) and math.isnan(value) for value in astuple(rate))

    @given(rows=st.lists(task, min_size=2, max_size=12), seed=st.randoms(use_true_random=False))
    def test_order_does_not_matter(self, rows, seed):
        """
        Permuting the tasks changes nothing.
        """
        shuffled = list(rows)
        seed.shuffle(shuffled)
        one, other = pass_rate(rows), pass_rate(shuffled)

        assert one.method == other.method
        assert (one.low, one.high) == (pytest.approx(other.low), pytest.approx(other.high))

    @given(rows=st.lists(task.filter(lambda row: row.trials > 1), min_size=2, max_size=12), copies=st.integers(2, 5))
    def test_copies_inside_a_cluster_never_shrink_the_interval(self, rows, copies):
        """
        Repeating every task inside its own cluster leaves an interval at least as wide: copies are no evidence.
        """
        one = pass_rate(rows, range(len(rows)))
        more = pass_rate(rows * copies, list(range(len(rows))) * copies)

        assert more.bounds.width >= one.bounds.width - 1e-9 or one.effective_n == one.trials

    @given(rows=st.lists(task.filter(lambda row: row.trials > 0), min_size=2, max_size=12))
    def test_relabelling_mirrors_the_interval(self, rows):
        """
        Counting failures instead of passes gives the mirrored interval.
        """
        one, other = pass_rate(rows), pass_rate([TaskCounts(row.trials - row.passes, row.trials) for row in rows])

        assert one.low == pytest.approx(1 - other.high, abs=1e-6)
        assert one.high == pytest.approx(1 - other.low, abs=1e-6)


class TestMethods:
    @pytest.mark.parametrize(
        ("rows", "clusters", "method", "status"),
        [
            pytest.param(counts((1, 1), (0, 1), (1, 1), (1, 1), (0, 1)), None, "wilson", Status.OK, id="one trial a task"),
            pytest.param(counts((1, 1), (0, 1)), None, "wilson", Status.INDICATIVE, id="two tasks are few"),
            pytest.param(counts(*[(5, 5)] * 20), None, "wilson-clusters-t", Status.OK, id="everything passed"),
            pytest.param(
                counts(*[(5, 5)] * 19, (0, 5)), None, "wilson-clusters", Status.OK, id="one cluster's worth of failures"
            ),
            pytest.param(counts(*[(2, 4)] * 8), None, "wilson-clusters-t", Status.OK, id="no spread between tasks"),
            pytest.param(counts(*[(4, 4), (0, 4)] * 4), None, "wilson-neff-t", Status.OK, id="the usual case"),
            pytest.param(counts(*[(4, 4), (0, 4)] * 4), "aabbccdd", "wilson-clusters", Status.INDICATIVE, id="few templates"),
            pytest.param([], None, "none", Status.NOT_ESTIMABLE, id="no task"),
            pytest.param(counts((0, 0), (0, 0)), None, "none", Status.NOT_ESTIMABLE, id="no usable trial"),
            pytest.param(counts((1, 3)), None, "none", Status.NOT_ESTIMABLE, id="one task"),
            pytest.param(counts((1, 3), (2, 3)), "aa", "none", Status.NOT_ESTIMABLE, id="one template"),
        ],
    )
    def test_method_and_status(self, rows, clusters, method, status):
        """
        The method follows from the data and is named; too little data is a status and not a number.
        """
        rate = pass_rate(rows, clusters and list(clusters))

        assert (method, status) == (rate.method, rate.status)

    def test_tasks_without_usable_trials_are_counted(self):
        """
        A task without a usable trial does not enter the mean, and the result says how many there were.
        """
        rate = pass_rate(counts((1, 2), (2, 2), (0, 0)))

        assert (0.75, 2, 1) == (rate.estimate, rate.n, rate.left_out)

    def test_conservative_counts_clusters(self):
        """
        On request the interval is Wilson's at the number of clusters.
        """
        assert "wilson-clusters" == pass_rate(counts(*[(4, 4), (0, 4)] * 4), conservative=True).method

    def test_task_set_needs_two_trials(self):
        """
        The noise of running these tasks again cannot be seen from single trials.
        """
        rate = pass_rate(counts((1, 1), (1, 2)), scope=Scope.TASK_SET)

        assert (Status.NOT_ESTIMABLE, None) == (rate.status, rate.estimate)

    def test_task_set_without_variation_says_so(self):
        """
        Tasks that never flip give an interval with width and a note, not certainty.
        """
        rate = pass_rate(counts((3, 3), (0, 3)), scope=Scope.TASK_SET)

        assert "no run-to-run variation seen" == rate.reason
        assert rate.bounds.width > 0.3


class TestRefusals:
    @pytest.mark.parametrize(
        ("broken", "words"),
        [
            pytest.param(lambda: TaskCounts(3, 2), "no count", id="more passes than trials"),
            pytest.param(lambda: TaskCounts(-1, 2), "no count", id="negative"),
            pytest.param(lambda: pass_rate(counts((1, 2)), ["a", "b"]), "cluster", id="labels of other length"),
            pytest.param(lambda: pass_rate(counts((1, 2)), [None]), "cluster", id="unlabelled task"),
            pytest.param(lambda: macro_rate([0.5, 1.2], trials=2), "share", id="share above one"),
            pytest.param(lambda: macro_rate([0.5, float("nan")], trials=2), "share", id="NaN"),
            pytest.param(lambda: pass_at_k(3, 4, 1), "no count", id="pass@k of impossible counts"),
            pytest.param(lambda: pass_hat_k(3, 2, 0), "no count", id="k of zero"),
        ],
    )
    def test_contradictory_input_raises(self, broken, words):
        """
        Counts that cannot be, and tasks without a cluster, raise an error instead of being dropped.
        """
        with pytest.raises(ValueError, match=words):
            broken()


class TestPassAtK:
    def test_too_few_trials_are_undefined(self):
        """
        With fewer than k trials both numbers are undefined: neither 0 nor 1.
        """
        assert (None, None) == (pass_at_k(2, 1, 3), pass_hat_k(2, 1, 3))


class TestVariance:
    def test_a_negative_estimate_is_shown_as_zero(self):
        """
        When trials vary more than tasks can explain, the variance between tasks is 0 and a note says so.
        """
        parts = variance_components([1, 1, 1], [2, 2, 2])

        assert (0.0, 0.5, 0.0) == (parts.between, parts.within, parts.icc)
        assert "negative" in parts.reason

    def test_constant_outcomes_have_no_ratio(self):
        """
        Without any variance the share between tasks is absent.
        """
        assert None is variance_components([2, 2], [2, 2]).icc

    @pytest.mark.parametrize(("passes", "trials"), [([1], [2]), ([1, 1], [1, 2])])
    def test_too_little_data(self, passes, trials):
        """
        One task, or a task with one trial, gives no components.
        """
        assert Status.NOT_ESTIMABLE == variance_components(passes, trials).status
