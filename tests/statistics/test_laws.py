"""What holds for every statistic, whatever the data."""

import dataclasses
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faultline.statistics import (
    PlannedCounts,
    Scope,
    Status,
    TaskCounts,
    clopper_pearson_interval,
    clopper_pearson_upper,
    cochran_q_test,
    flip_count_test,
    gwet_ac1,
    holm_adjust,
    kaplan_meier,
    krippendorff_alpha,
    mcnemar_exact,
    missing_outcome_bounds,
    paired_cost_ratio,
    paired_difference,
    pareto_frontier,
    pass_k_rate,
    pass_permutation_test,
    pass_rate,
    quantile_interval,
    rank_confidence_sets,
    ratio_of_means,
    resolvable_gap,
    restricted_mean,
    sign_flip_test,
    tango_interval,
    variance_components,
    wilson_interval,
)

counts = st.integers(0, 5).flatmap(lambda k: st.builds(TaskCounts, st.integers(0, k), st.just(k)))
pairs = st.lists(st.tuples(counts, counts, st.integers(0, 6)), max_size=18)
matrices = st.integers(1, 6).flatmap(
    lambda r: st.lists(st.lists(st.sampled_from([0, 1, 1, 0, None]), min_size=r, max_size=r), max_size=10)
)
planned = st.integers(0, 5).flatmap(
    lambda k: st.integers(0, k).flatmap(lambda u: st.builds(PlannedCounts, st.integers(0, k - u), st.just(k), st.just(u)))
)
money = st.floats(0, 1_000, allow_nan=False)


def numbers(value):
    """Yield every number inside a result."""
    if isinstance(value, float):
        yield value
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from numbers(getattr(value, field.name))
    elif isinstance(value, tuple | list):
        for item in value:
            yield from numbers(item)


def sound(result, *, ranged=True):
    """Assert what every result promises."""
    for name in ("estimate", "interval", "n", "clusters", "method", "scope", "status"):
        assert hasattr(result, name)
    assert isinstance(result.status, Status)
    assert isinstance(result.scope, Scope)
    assert all(math.isfinite(number) for number in numbers(result))
    if result.status is Status.NOT_ESTIMABLE:
        assert result.reason
    if ranged and result.interval is not None and result.estimate is not None:
        assert result.interval.low <= result.estimate + 1e-12
        assert result.estimate <= result.interval.high + 1e-12
        assert result.interval.width > 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.n = 1


class TestPairedDifference:
    @given(rows=pairs, clustered=st.booleans())
    @settings(deadline=None)
    def test_it_is_sound(self, rows, clustered):
        """Bounds contain the difference, have width, and stay within -1 and 1; p is a probability."""
        found = paired_difference(
            [a for a, _, _ in rows], [b for _, b, _ in rows], [c for _, _, c in rows] if clustered else None
        )

        sound(found)
        if found.interval:
            assert -1 <= found.interval.low < found.interval.high <= 1
            assert 0 <= found.p_value <= 1

    @given(rows=pairs, seed=st.integers(0, 99))
    @settings(deadline=None)
    def test_order_and_sides_do_not_matter(self, rows, seed):
        """Permuting tasks changes nothing; exchanging the agents mirrors the interval."""
        shuffled = random.Random(seed).sample(rows, len(rows))
        one = paired_difference([a for a, _, _ in rows], [b for _, b, _ in rows], [c for _, _, c in rows])
        other = paired_difference([b for _, b, _ in shuffled], [a for a, _, _ in shuffled], [c for _, _, c in shuffled])

        assert one.p_value == pytest.approx(other.p_value, abs=1e-9)
        if one.interval:
            assert one.interval.low == pytest.approx(-other.interval.high, abs=1e-9)

    @given(rows=st.lists(st.tuples(counts, counts), min_size=2, max_size=10), copies=st.integers(2, 4))
    @settings(deadline=None)
    def test_copies_are_no_evidence(self, rows, copies):
        """Repeating every task inside its own cluster never narrows the interval."""
        labels = list(range(len(rows)))
        one = paired_difference([a for a, _ in rows], [b for _, b in rows], labels)
        more = paired_difference([a for a, _ in rows] * copies, [b for _, b in rows] * copies, labels * copies)

        if one.interval:
            assert more.interval.width >= one.interval.width - 1e-9

    def test_mcnemar_is_used_only_where_it_is_valid(self):
        """One trial a task without clusters takes McNemar and a score interval; clusters or more trials take the paired t."""
        first, second = [TaskCounts(1, 1)] * 6 + [TaskCounts(0, 1)] * 4, [TaskCounts(0, 1)] * 10

        assert ("tango", "mcnemar-exact") == ((f := paired_difference(first, second)).method, f.test)
        assert "paired-t-clusters" == paired_difference(first, second, range(10)).method
        assert None is paired_difference(first, second, range(10)).mid_p

    def test_equal_differences_are_not_certain(self):
        """Six equal differences take the plus-two guard and an exact p instead of a certainty."""
        found = paired_difference([TaskCounts(5, 5)] * 6, [TaskCounts(4, 5)] * 6)

        assert ("plus-two", 2**-5) == (found.method, found.p_value)
        assert found.interval.width > 0.1

    def test_agents_that_never_differ_are_not_shown_to_differ(self):
        """All differences zero: difference 0, p 1, and an interval with width."""
        found = paired_difference([TaskCounts(3, 5)] * 6, [TaskCounts(3, 5)] * 6)

        assert (0.0, 1.0) == (found.estimate, found.p_value)
        assert found.interval.low < 0 < found.interval.high


class TestSignFlip:
    @given(values=st.lists(st.integers(-3, 3), max_size=9))
    @settings(deadline=None)
    def test_it_is_the_share_of_sign_vectors(self, values):
        """p equals plain enumeration."""
        import itertools

        moved = [value for value in values if value]
        reached = [
            abs(sum(s * v for s, v in zip(signs, moved, strict=True))) >= abs(sum(moved))
            for signs in itertools.product((1, -1), repeat=len(moved))
        ]

        assert sum(reached) / len(reached) == pytest.approx(sign_flip_test(values).p_value, abs=1e-12)

    def test_too_many_unequal_clusters_are_not_enumerated(self):
        """Beyond forty clusters of unequal difference there is no exact p, and the result says so."""
        assert Status.NOT_ESTIMABLE is sign_flip_test([1 + place / 100 for place in range(41)]).status


class TestPassPermutation:
    @pytest.mark.parametrize(("baseline", "candidate"), [(39, 1), (8, 2), (5, 3), (4, 4), (10, 2), (3, 3)])
    def test_its_smallest_p(self, baseline, candidate):
        """Complete separation gives 2 / C(R + m, m); three passes against three can never reach .05."""
        test = pass_permutation_test(list(range(baseline)), [100 + place for place in range(candidate)])

        assert test.p_value == pytest.approx(2 / math.comb(baseline + candidate, candidate))

    def test_it_agrees_with_scipy(self):
        """p is that of an independent enumeration."""
        from scipy.stats import permutation_test

        a, b = [20, 21, 21, 22, 19], [24, 22, 25]
        there = permutation_test((a, b), lambda x, y: sum(x) / len(x) - sum(y) / len(y), vectorized=False)

        assert there.pvalue == pytest.approx(pass_permutation_test(a, b).p_value)

    def test_one_side_alone_says_nothing(self):
        """Without a pass on each side there is no p."""
        assert Status.NOT_ESTIMABLE is pass_permutation_test([1, 2], []).status


class TestGap:
    @given(matrix=matrices, seed=st.integers(0, 99))
    @settings(max_examples=40, deadline=None)
    def test_it_is_sound_and_permutes(self, matrix, seed):
        """The result is sound, and the order of tasks does not matter."""
        one = resolvable_gap(matrix, draws=99)
        other = resolvable_gap(random.Random(seed).sample(matrix, len(matrix)), draws=99)

        sound(one)
        assert one.pass_totals == other.pass_totals
        if one.critical_gap is not None and other.critical_gap is not None:
            assert (one.convolution_gap, one.prediction_gap) == (other.convolution_gap, other.prediction_gap)
        if one.critical_gap is not None:
            assert one.critical_gap == max(one.convolution_gap, one.prediction_gap)
            assert one.minimum_detectable_difference >= 1

    @pytest.mark.parametrize(
        ("matrix", "words"),
        [
            pytest.param([], "no data", id="nothing"),
            pytest.param([[1], [0]], "single pass", id="one pass"),
            pytest.param([[1, 1], [0, 0]], "no run-to-run variation seen in 2 passes", id="flat"),
            pytest.param([[1, None], [None, 0]], "no task has a verdict in every pass", id="never complete"),
            pytest.param([[int((i + r) % 10 < 5) for r in range(10)] for i in range(40)], "flatter", id="replay"),
        ],
    )
    def test_what_cannot_be_estimated_says_why(self, matrix, words):
        """Too little data, no variation and too little variation are statuses with a reason, not gaps of one."""
        gap = resolvable_gap(matrix)

        assert (None, Status.NOT_ESTIMABLE) == (gap.critical_gap, gap.status)
        assert words in gap.reason

    def test_few_passes_are_indicative(self):
        """Below five passes the status says so; a gap beyond the suite says that nothing can be resolved."""
        gap = resolvable_gap([[1, 0, 1], [0, 1, 1], [0, 0, 1]])

        assert Status.INDICATIVE is gap.status
        assert "no difference on this suite can be resolved" in gap.reason

    def test_a_missing_outcome_drops_its_task_everywhere(self):
        """A task without a verdict in one pass leaves every pass, and is counted."""
        gap = resolvable_gap([[1, 0], [1, None], [0, 1]])

        assert (2, 1, (1, 1)) == (gap.n, gap.left_out, gap.pass_totals)


class TestDispersion:
    @given(matrix=matrices)
    @settings(max_examples=40, deadline=None)
    def test_cochran_is_sound(self, matrix):
        """Q and its tails are numbers, or absent with a reason."""
        sound(cochran_q_test(matrix, draws=99))

    def test_it_agrees_with_statsmodels(self):
        """Q and its upper tail are those of an independent library."""
        import numpy as np
        from statsmodels.stats.contingency_tables import cochrans_q

        y = np.random.default_rng(3).integers(0, 2, size=(30, 5))
        there, here = cochrans_q(y), cochran_q_test(y.tolist(), draws=99)

        assert there.statistic == pytest.approx(here.estimate)
        assert there.pvalue == pytest.approx(here.p_upper)

    def test_many_passes_permute_too(self):
        """Where the ways to spread passes are too many to list, they are drawn; the answer is of the same kind."""
        test = cochran_q_test([[int(r < 9 + i % 3) for r in range(18)] for i in range(6)], draws=300)

        assert test.p_lower > 0.9

    @given(rows=st.lists(st.tuples(counts, counts), max_size=10))
    @settings(deadline=None)
    def test_flip_counts_are_sound(self, rows):
        """p is a probability, or absent with a reason."""
        found = flip_count_test([a for a, _ in rows], [b for _, b in rows])

        sound(found)
        assert found.p_value is None or 0 <= found.p_value <= 1


class TestMissing:
    @given(rows=st.lists(st.tuples(planned, st.integers(0, 5)), max_size=15), clustered=st.booleans())
    @settings(deadline=None)
    def test_bounds_contain_everything(self, rows, clustered):
        """As failures, left out, as passes: in this order for each task mean, and the interval contains both bounds."""
        found = missing_outcome_bounds([row for row, _ in rows], [c for _, c in rows] if clustered else None)

        sound(found, ranged=False)
        if found.lower is not None:
            assert found.lower <= found.upper + 1e-12
        if found.interval is not None:
            assert found.interval.low <= found.lower + 1e-9
            assert found.upper <= found.interval.high + 1e-9
            assert found.interval.width > 0

    def test_wide_bounds_lead(self):
        """Bounds wider than half the sampling interval are the headline; narrow ones stand beside the number."""
        few = [PlannedCounts(int(i % 3 < 2), 1, 0) for i in range(200)] + [PlannedCounts(0, 1, 1)] * 2
        many = [PlannedCounts(int(i % 3 < 2), 1, 0) for i in range(200)] + [PlannedCounts(0, 1, 1)] * 60

        assert (False, True) == (missing_outcome_bounds(few).bounds_lead, missing_outcome_bounds(many).bounds_lead)

    def test_a_task_without_verdict_stays_in_the_bounds(self):
        """A task of which nothing is known enters the bounds as 0 and 1, and leaves the other number, counted."""
        found = missing_outcome_bounds([PlannedCounts(1, 1, 0), PlannedCounts(0, 1, 0), PlannedCounts(0, 1, 1)])

        assert (1 / 3, 1 / 2, 2 / 3, 1) == pytest.approx((found.lower, found.excluded, found.upper, found.left_out))


class TestRanks:
    @given(rows=st.lists(st.lists(counts, min_size=6, max_size=6), min_size=1, max_size=5), seed=st.integers(0, 99))
    @settings(deadline=None)
    def test_ranges_hold_the_order_and_ignore_names(self, rows, seed):
        """Ranges lie within 1 and the number of agents, and permuting the agents permutes the ranges."""
        table = {f"a{place}": row for place, row in enumerate(rows)}
        names = random.Random(seed).sample(list(table), len(table))
        one = {found.name: found for found in rank_confidence_sets(table)}
        other = {found.name: found for found in rank_confidence_sets({name: table[name] for name in names})}

        for name, found in one.items():
            sound(found, ranged=False)
            assert 1 <= found.low <= found.high <= len(rows)
            assert (found.low, found.high) == (other[name].low, other[name].high)

    def test_one_agent_is_first_of_one(self):
        """A ranking of one is rank 1 to 1 of 1."""
        (only,) = rank_confidence_sets({"a": [TaskCounts(1, 2)] * 8})

        assert (1, 1, 1) == (only.low, only.high, only.agents)

    def test_a_clear_difference_separates(self):
        """An agent that passes what the other fails is first."""
        first, second = rank_confidence_sets({"a": [TaskCounts(5, 5)] * 30, "b": [TaskCounts(0, 5)] * 30})

        assert (1, 1, 2, 2) == (first.low, first.high, second.low, second.high)

    @given(p=st.lists(st.floats(0, 1), max_size=12))
    @settings(deadline=None)
    def test_holm_never_lowers_a_p(self, p):
        """Adjusted values are at least the raw ones, at most 1, and keep their order."""
        adjusted = holm_adjust(p)

        assert all(0 <= raw <= new <= 1 for raw, new in zip(p, adjusted, strict=True))
        assert sorted(adjusted) == [new for _, new in sorted(zip(p, adjusted, strict=True))]

    def test_a_broken_p_is_refused(self):
        """NaN is no p-value; nothing at all is no claim."""
        assert () == holm_adjust([])
        with pytest.raises(ValueError, match="p-value"):
            holm_adjust([float("nan")])


class TestQuantities:
    @given(rows=st.lists(st.tuples(money, st.floats(0, 1)), max_size=12))
    @settings(deadline=None)
    def test_cost_of_pass_is_sound(self, rows):
        """Fieller's limits contain the ratio, or are absent with a reason; no passes give no ratio."""
        found = ratio_of_means([cost for cost, _ in rows], [rate for _, rate in rows])

        assert found.reason or found.status is Status.OK
        assert all(math.isfinite(number) for number in numbers(found))
        if found.interval and found.estimate is not None:
            assert found.low <= found.estimate * (1 + 1e-6) + 1e-9
            assert found.estimate <= found.high * (1 + 1e-6) + 1e-9

    def test_next_to_no_passes_are_none(self):
        """A share of passes that no number of trials gives is no divisor."""
        assert (None, "nothing passed") == ((f := ratio_of_means([1.0], [5e-324])).estimate, f.reason)

    def test_an_unbounded_cost_says_so(self):
        """One pass in many tasks bounds the cost from below only."""
        found = ratio_of_means([1.0, 1.2, 0.9, 1.1, 1.3, 0.8], [0, 0, 0, 1.0, 0, 0])

        assert None is found.high
        assert found.low > 0
        assert "unbounded" in found.reason

    @given(times=st.lists(st.floats(0, 100, allow_nan=False), max_size=15), limit=st.floats(1, 50))
    @settings(deadline=None)
    def test_restricted_means_are_sound(self, times, limit):
        """The mean of cut times lies between 0 and the limit, as the area under the curve of the same data does."""
        plain = restricted_mean(times, limit)
        area = restricted_mean([min(time, limit) for time in times], limit, [time < limit for time in times])

        sound(plain)
        if plain.estimate is not None:
            assert plain.estimate == pytest.approx(area.estimate, abs=1e-6)

    def test_it_agrees_with_scipy(self):
        """Survival is that of an independent library."""
        from scipy.stats import CensoredData, ecdf

        times, ended = [2.0, 3.0, 3.0, 5.0, 8.0, 9.0], [True, True, False, True, False, True]
        there = ecdf(CensoredData.right_censored(times, [not over for over in ended])).sf

        for moment, survival, _, _ in kaplan_meier(times, ended):
            assert there.evaluate(moment) == pytest.approx(survival)

    def test_it_agrees_with_lifelines(self):
        """The restricted mean is that of an independent library, where it is installed (the extra `oracles`)."""
        lifelines = pytest.importorskip("lifelines", reason="it asks for pandas below 3; install the extra oracles to compare")
        from lifelines.utils import restricted_mean_survival_time

        times, ended = [2.0, 3.0, 3.0, 5.0, 8.0, 9.0], [True, True, False, True, False, True]
        there = restricted_mean_survival_time(lifelines.KaplanMeierFitter().fit(times, ended), t=7)

        assert float(there) == pytest.approx(restricted_mean(times, 7, ended).estimate)

    def test_a_curve_that_stops_early_is_not_extended(self):
        """A longest time that was cut short before the limit leaves the area open."""
        assert Status.NOT_ESTIMABLE is restricted_mean([1, 2], 9, [True, False]).status

    @pytest.mark.parametrize("bad", [[float("nan")], [float("inf")]])
    def test_no_nan_enters(self, bad):
        """NaN and infinity raise an error where a quantity is asked for."""
        for broken in (
            lambda: restricted_mean(bad, 1),
            lambda: ratio_of_means(bad, [1]),
            lambda: pareto_frontier([(bad[0], 1)]),
            lambda: sign_flip_test(bad),
        ):
            with pytest.raises(ValueError, match="finite"):
                broken()

    def test_a_free_trial_has_no_ratio(self):
        """A cost of zero is an error in a ratio and never a number."""
        with pytest.raises(ValueError, match="zero"):
            paired_cost_ratio([0.0, 1.0], [1.0, 1.0])
        assert 2.0 == pytest.approx(paired_cost_ratio([2.0, 4.1, 3.9], [1.0, 2.05, 1.95]).estimate)

    def test_the_frontier_of_nothing_is_empty(self):
        """No points, no members."""
        assert ((), Status.NOT_ESTIMABLE) == ((f := pareto_frontier([])).members, f.status)


class TestAgreement:
    @given(rows=st.lists(st.lists(st.sampled_from(["a", "b", None]), min_size=3, max_size=3), min_size=1, max_size=8))
    @settings(max_examples=40, deadline=None)
    def test_alpha_is_sound(self, rows):
        """Alpha is a number or undefined; raw agreement stands beside it whenever an item was rated twice."""
        found = krippendorff_alpha([list(column) for column in zip(*rows, strict=True)])

        sound(found)
        assert (found.raw_agreement is None) == (found.n == 0)

    def test_one_label_is_undefined(self):
        """Reviewers who all give one label agree fully, and alpha is undefined."""
        found = krippendorff_alpha([["right"] * 4, ["right"] * 4])

        assert (None, 1.0, "all reviewers gave one label") == (found.estimate, found.raw_agreement, found.reason)

    @given(rows=st.lists(st.lists(st.sampled_from(["a", "b", None]), min_size=3, max_size=3), min_size=1, max_size=8))
    @settings(max_examples=40, deadline=None)
    def test_ac1_is_sound_and_sees_what_alpha_sees(self, rows):
        """AC1 is a number whenever an item was rated twice, with an interval that has a width; raw agreement is that of alpha."""
        columns = [list(column) for column in zip(*rows, strict=True)]
        found = gwet_ac1(columns, ["a", "b"])

        sound(found)
        assert (found.estimate is None) == (found.n == 0)
        assert krippendorff_alpha(columns).raw_agreement == found.raw_agreement
        assert found.interval is None or found.interval.low < found.interval.high or found.estimate < 1

    def test_ac1_where_one_label_prevails(self):
        """The table 118/5/2/0: raw agreement .944 and AC1 .941, where kappa is below zero."""
        found = gwet_ac1(_table(118, 5, 2, 0), ["yes", "no"])

        assert (0.944, 0.9405) == (pytest.approx(found.raw_agreement, abs=5e-4), pytest.approx(found.estimate, abs=5e-4))

    @pytest.mark.parametrize(("groups", "low"), [(1, 0.05), (10, 0.741), (20, 0.861), (60, 0.951)])
    def test_agreement_of_few_proves_little(self, groups, low):
        """Without a dispute the lower end is that of so many groups without one: .05 to the power of 1 over their number."""
        items = [place % groups for place in range(60)]
        found = gwet_ac1([["yes"] * 60] * 2, ["yes", "no"], items)

        assert (1.0, pytest.approx(low, abs=1e-3)) == (found.estimate, found.interval.low)

    def test_copying_rows_proves_nothing_more(self):
        """Items of one group together weigh as one: copies do not raise the lower end."""
        one = gwet_ac1(_table(8, 1, 1, 4), ["yes", "no"], list(range(14)))
        twice = gwet_ac1([row * 2 for row in _table(8, 1, 1, 4)], ["yes", "no"], list(range(14)) * 2)

        assert one.interval == twice.interval


def _table(both, first, second, neither):
    """Return the ratings of two raters by how often they said yes."""
    pairs = [("yes", "yes")] * both + [("yes", "no")] * first + [("no", "yes")] * second + [("no", "no")] * neither
    return [list(column) for column in zip(*pairs, strict=True)]


def test_every_kind_of_result_is_frozen_and_complete():
    """Each function of the room returns a frozen result with estimate, interval, n, clusters, method, scope and status."""
    one = [TaskCounts(1, 2), TaskCounts(2, 2), TaskCounts(0, 2)]
    for result in (
        wilson_interval(1, 3),
        clopper_pearson_interval(1, 3),
        pass_rate(one),
        pass_rate(one, scope=Scope.TASK_SET),
        pass_k_rate(one, 2, every=True),
        pass_k_rate(one, 3, every=False),
        variance_components([1, 2, 0], [2, 2, 2]),
        mcnemar_exact(1, 2),
        quantile_interval([1, 2, 3], 0.5),
        quantile_interval(range(9), 0.5),
        pareto_frontier([(1, 1)]),
    ):
        sound(result, ranged=not isinstance(result, type(mcnemar_exact(0, 0))))
    sound(clopper_pearson_upper(1, 3))


def test_two_identical_agents_are_not_different():
    """No discordant task gives p = 1, and the score interval still has width."""
    assert (1.0, 1.0) == ((test := mcnemar_exact(0, 0)).p_value, test.mid_p)
    assert tango_interval(0, 0, 12).width > 0.3


@given(b=st.integers(0, 12), c=st.integers(0, 12), rest=st.integers(0, 12))
@settings(deadline=None)
def test_tango_contains_the_difference(b, c, rest):
    """The score interval contains the observed difference and has width."""
    if b + c + rest:
        bounds = tango_interval(b, c, b + c + rest)

        assert -1 <= bounds.low <= (b - c) / (b + c + rest) <= bounds.high <= 1
        assert bounds.width > 0


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(lambda: paired_difference([TaskCounts(1, 1)], []), id="one side missing"),
        pytest.param(lambda: paired_difference([TaskCounts(1, 1)], [TaskCounts(1, 1)], [None]), id="unlabelled task"),
        pytest.param(lambda: PlannedCounts(2, 3, 2), id="more than planned"),
        pytest.param(lambda: resolvable_gap([[1, 0], [1]]), id="ragged"),
        pytest.param(lambda: resolvable_gap([[2, 0]]), id="no outcome"),
        pytest.param(lambda: resolvable_gap([[1, 0]], passes_per_arm=0), id="no pass"),
        pytest.param(lambda: rank_confidence_sets({"a": [TaskCounts(1, 1)], "b": []}), id="ragged table"),
        pytest.param(lambda: krippendorff_alpha([["a"], []]), id="ragged ratings"),
        pytest.param(lambda: gwet_ac1([["a"], []], ["a", "b"]), id="ragged ratings of AC1"),
        pytest.param(lambda: gwet_ac1([["a"], ["c"]], ["a", "b"]), id="a label that nobody could give"),
        pytest.param(lambda: gwet_ac1([["a"], ["a"]], ["a"]), id="no choice"),
        pytest.param(lambda: tango_interval(3, 3, 5), id="more discordant than tasks"),
        pytest.param(lambda: mcnemar_exact(-1, 3), id="negative"),
    ],
)
def test_contradictory_input_raises(broken):
    """Input that cannot be raises an error instead of being mended."""
    with pytest.raises(ValueError):
        broken()
