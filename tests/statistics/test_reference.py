"""Each function against numbers from published sources or from an independent computation (``reference.json``).

``COMPUTE`` holds what the room computes. ``ORACLE`` holds entries that the room has no function for on purpose, such as
intervals it must not use and planning numbers: they are recomputed here, so that no entry is carried along unread.
"""

import json
import math
import warnings
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from scipy import integrate, stats
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from faultline.statistics import (
    TaskCounts,
    bonett_price_interval,
    clopper_pearson_interval,
    clopper_pearson_upper,
    cluster_error,
    cochran_q_test,
    corrected_rate,
    flat_line_bounds,
    flip_count_test,
    frontier_shares,
    holm_adjust,
    imbens_manski,
    kaplan_meier,
    krippendorff_alpha,
    mcnemar_exact,
    missing_outcome_bounds,
    paired_difference,
    pareto_frontier,
    pass_at_k,
    pass_hat_k,
    pass_rate,
    poisson_binomial,
    quantile_interval,
    quantile_ranks,
    ranks_from,
    ratio_of_means,
    resolvable_gap,
    restricted_mean,
    sign_flip_test,
    tail_chances,
    tango_interval,
    task_set_error,
    variance_components,
    wilson_interval,
    zero_error_reviews,
)
from faultline.statistics.missing import PlannedCounts
from faultline.statistics.variance import trial_variances

ENTRIES = {entry["name"]: entry for entry in json.loads((Path(__file__).parent / "reference.json").read_text())["entries"]}
Z = stats.norm.ppf(0.975)
Z80 = stats.norm.ppf(0.8)


def _ends(interval):
    return [interval.low, interval.high]


def _rate(i):
    return pass_rate(
        [TaskCounts(passes, i["trials"]) for passes in i["task_pass_counts"]], list(range(len(i["task_pass_counts"])))
    )


def _all(i):
    return [i["trials"]] * len(i["task_pass_counts"])


def _noise(i):
    return trial_variances(i["task_pass_counts"], _all(i))


def _taubench(i):
    rate = _rate(i)
    return [rate.estimate, rate.error, rate.effective_n, rate.low, rate.high]


def _components(i):
    parts = variance_components(i["task_pass_counts"], _all(i))
    return [parts.between, parts.within, parts.icc]


def _clustered(i):
    naive = cluster_error(i["values"], range(len(i["values"])))
    robust = cluster_error(i["values"], i["clusters"])
    count = len(set(i["clusters"]))
    return [float(np.mean(i["values"])), naive, robust * ((count - 1) / count) ** 0.5, robust]


def _macro(i):
    counts = [TaskCounts(passes, trials) for passes, trials in zip(i["task_passes"], i["task_trials"], strict=True)]
    return [pass_rate(counts).estimate, sum(i["task_passes"]) / sum(i["task_trials"])]


def _median(i):
    interval = quantile_interval(range(1, i["n"] + 1), i["p"], i["conf"])
    return [interval.low, interval.high, interval.coverage]


def _smallest(quantile, level):
    return next(n for n in range(1, 1000) if None not in quantile_ranks(n, quantile, level))


def _mcnemar_gaps(i):
    found = []
    for total in i["discordant"]:
        gaps = (gap for gap in range(total + 1) if (total - gap) % 2 == 0)
        found.append(next(gap for gap in gaps if mcnemar_exact((total + gap) // 2, (total - gap) // 2).p_value <= i["alpha"]))
    return found


def _paired_t(i):
    """Differences are tenths over five trials, so that two agents can show them."""
    d = [round(5 * value) for value in i["differences"]]
    first = [TaskCounts(max(0, value), 5) for value in d]
    second = [TaskCounts(max(0, -value), 5) for value in d]
    found = paired_difference(first, second)
    return [found.estimate, found.error, 2 * stats.t.sf(abs(found.estimate) / found.error, len(d) - 1)]


def _ranks(i):
    values = np.array(i["estimates"])
    apart = (values[:, None] - values[None, :]) / (i["se"] * math.sqrt(2))
    return [list(ranks) for ranks in zip(*ranks_from(stats.norm.sf(apart), i["conf"]), strict=True)]


def _step_down(i):
    """Romano and Wolf's step-down with simulated critical values; the room uses Holm, one rank wider in places."""
    values, se, m = np.array(i["estimates"]), i["se"], len(i["estimates"])
    draws = np.random.default_rng(1).normal(size=(40_000, m))
    pairs = [(a, b) for a in range(m) for b in range(m) if a != b]
    noise = np.stack([(draws[:, a] - draws[:, b]) / math.sqrt(2) for a, b in pairs])
    seen = np.array([(values[a] - values[b]) / (se * math.sqrt(2)) for a, b in pairs])
    kept = np.ones(len(pairs), dtype=bool)
    while kept.any():
        rejected = kept & (seen > np.quantile(noise[kept].max(axis=0), i["conf"]))
        if not rejected.any():
            break
        kept &= ~rejected
    beats = [
        [pair for pair, keep in zip(pairs, kept, strict=True) if not keep and pair[side] == a]
        for side in (1, 0)
        for a in range(m)
    ]
    return [[1 + len(beats[a]) for a in range(m)], [m - len(beats[m + a]) for a in range(m)]]


def _two_tasks(i):
    found = []
    for times in i["flipping_task_passes"]:
        flipping = [int(place < times) for place in range(i["passes"])]
        found.append(resolvable_gap([[1] * i["passes"], flipping], i["alpha"]).critical_gap)
    return found


def _one_case(i):
    tails = tail_chances(trial_variances(i["flipping_case_counts"], [i["trials"]]))
    return [tails[1], next(g for g, tail in enumerate([*tails, 0.0]) if tail <= i["alpha"])]


def _matrix(i):
    return [[int(digit) for digit in row] for row in i["outcomes"]]


def _gap(i):
    gap = resolvable_gap(_matrix(i))
    assert max(gap.convolution_gap, gap.prediction_gap) == gap.critical_gap
    spread = math.sqrt(2 * _noise(i).sum())
    return [spread, gap.convolution_gap, gap.prediction_gap, max(gap.pass_totals) - min(gap.pass_totals) + 1]


def _detectable(i):
    whole = [(Z + Z80) * math.sqrt(_noise(i).sum() * 2 / k) for k in i["passes_per_arm"]]
    matrix = _matrix(ENTRIES["taubench_resolvable_gap"]["inputs"])
    for exact, k in zip(whole, i["passes_per_arm"], strict=True):
        assert math.ceil(exact) == resolvable_gap(matrix, passes_per_arm=k).minimum_detectable_difference
    return whole


def _range_rule(passes):
    def density(x):
        return 2 * stats.norm.pdf(x / math.sqrt(2)) / math.sqrt(2) * stats.studentized_range.cdf(x, passes, np.inf)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return integrate.quad(density, 0, 12, limit=200, epsabs=1e-7)[0]


def _manski(i):
    n = i["passed"] + i["failed"] + i["invalid"]
    rows = [PlannedCounts(int(place < i["passed"]), 1, int(place >= n - i["invalid"])) for place in range(n)]
    found = missing_outcome_bounds(rows)
    return [found.lower, found.upper, found.excluded]


def _imbens(i):
    bounds, critical = imbens_manski(i["lower"], i["upper"], (i["se_lower"], i["se_upper"]), i["conf"])
    return [bounds.low, bounds.high, critical]


def _excluded(i):
    rows = [dict(zip(i["columns"], row, strict=True)) for row in i["agents"]]
    return [missing_outcome_bounds([PlannedCounts(r["passed"], r["trials"], r["dropped"])]).excluded for r in rows]


def _cochran(i):
    test = cochran_q_test(_matrix(i))
    return [test.estimate, test.p_upper, test.p_lower_chi_square]


def _flips(i):
    history = [TaskCounts(count, i["history_trials"]) for count in i["history_counts"]]
    current = [TaskCounts(count, 5) for count in i["new_counts"]]
    return [flip_count_test(history[:1], current[:1]).p_value, flip_count_test(history, current).p_value]


def _survival(i):
    steps = kaplan_meier(i["time"], [bool(event) for event in i["event"]])
    return [[after for moment, after, _, _ in steps if moment <= at][-1] for at in i["at"]]


def _restricted(i):
    found = restricted_mean(i["time"], i["tau"], [bool(event) for event in i["event"]])
    return [found.estimate, found.error]


def _wrongly_censored(i):
    wrong = 1 - kaplan_meier(i["time"], [bool(value) for value in i["passed"]])[-1][1]
    return [wrong, float(np.mean([p and t <= i["horizon"] for p, t in zip(i["passed"], i["time"], strict=True)]))]


def _fieller(i):
    found = ratio_of_means(i["cost"], i["pass_rate"], level=i["conf"])
    return [found.estimate, found.low, found.high]


def _kappa(table):
    return cohens_kappa(np.array(table)).kappa


def _paradox(i):
    table = np.array(i["table"], dtype=float)
    n = table.sum()
    raw = np.trace(table) / n
    share = (table.sum(axis=0) + table.sum(axis=1))[0] / (2 * n)
    chance = 2 * share * (1 - share)
    return [raw, _kappa(table), (raw - chance) / (1 - chance)]


def _normal_coverage(n, p, level):
    x = np.arange(n + 1)
    share = x / n
    half = stats.norm.ppf(0.5 + level / 2) * np.sqrt(share * (1 - share) / n)
    inside = (share - half <= p) & (p <= share + half)
    return float(stats.binom.pmf(x, n, p)[inside].sum())


def _average_coverage(n, level):
    x = np.arange(n + 1)
    share = x / n
    half = stats.norm.ppf(0.5 + level / 2) * np.sqrt(share * (1 - share) / n)
    mass = stats.beta.cdf(share + half, x + 1, n - x + 1) - stats.beta.cdf(share - half, x + 1, n - x + 1)
    return float(mass.sum() / (n + 1))


def _connor(i):
    z, z80, psi, d = stats.norm.ppf(1 - i["alpha"] / 2), stats.norm.ppf(i["power"]), i["discordant"], i["difference"]
    return math.ceil((z * math.sqrt(psi) + z80 * math.sqrt(psi - d * d)) ** 2 / d**2)


def _tasks_needed(i, noise):
    z = stats.norm.ppf(1 - i["alpha"] / 2) + stats.norm.ppf(i["power"])
    return z**2 * (i["omega2"] + noise) / i["delta"] ** 2


def _kept_on_frontier(i):
    """Exact here; the room's seeded bootstrap of independent draws is another design and is tested in test_quantities."""
    n = i["A"]["tasks"]
    a = stats.binom.pmf(range(n + 1), n, i["A"]["passed"] / n)
    b = stats.binom.pmf(range(n + 1), n, i["B"]["passed"] / n)
    return sum(b[more] * a[:more].sum() for more in range(n + 1))


def _rated(i):
    return [tuple(row) for row in i["ratings"]]


def _pooled(i):
    n, k = len(i["task_pass_counts"]), i["trials"]
    p = sum(i["task_pass_counts"]) / (n * k)
    pooled = math.sqrt(p * (1 - p) / (n * k))
    return [pooled, _rate(i).error / pooled]


def _wrong_reference(i):
    n, p = len(i["task_pass_counts"]), _rate(i).estimate
    honest = float(_noise(i).sum())
    return [n * p * (1 - p), honest, honest / (n * p * (1 - p))]


COMPUTE = {
    "wilson_81_of_263": lambda i: _ends(wilson_interval(i["passed"], i["n"], i["conf"])),
    "wilson_0_of_20": lambda i: _ends(wilson_interval(i["passed"], i["n"], i["conf"])),
    "wilson_5_of_5": lambda i: _ends(wilson_interval(i["passed"], i["n"], i["conf"])),
    "clopper_pearson_81_of_263": lambda i: _ends(clopper_pearson_interval(i["passed"], i["n"], i["conf"])),
    "clopper_pearson_0_of_20": lambda i: _ends(clopper_pearson_interval(i["passed"], i["n"], i["conf"])),
    "audit_n_for_zero_errors": lambda i: [zero_error_reviews(target, i["conf"]) for target in i["target_upper"]],
    "audit_upper_bounds_n60": lambda i: [clopper_pearson_upper(errors, i["n"], i["conf"]).high for errors in i["errors"]],
    "rogan_gladen": lambda i: corrected_rate(i["observed"], i["sensitivity"], i["specificity"]),
    "clustered_se_small": _clustered,
    "pass_at_k_n20_c5_k10": lambda i: pass_at_k(i["n"], i["c"], i["k"]),
    "pass_at_k_naive_plugin_bias": lambda i: [
        (naive := 1 - (1 - i["c"] / i["n"]) ** i["k"]),
        naive - pass_at_k(i["n"], i["c"], i["k"]),
    ],
    "taubench_gpt4o_airline_pass_hat_k": lambda i: [
        float(np.mean([pass_hat_k(i["trials"], c, k) for c in i["task_pass_counts"]])) for k in i["k"]
    ],
    "variance_components_taubench": _components,
    "taubench_pass_rate_interval_effective_n_wilson": _taubench,
    "pooling_trials_understates_se": _pooled,
    "fixed_task_se_vs_superpopulation_se": lambda i: [task_set_error(i["task_pass_counts"], _all(i)), _rate(i).error],
    "macro_vs_micro_unbalanced": _macro,
    "all_pass_20_tasks_5_trials": lambda i: _ends(_rate(i)),
    "mcnemar_exact_1_7": lambda i: mcnemar_exact(i["b"], i["c"]).p_value,
    "mcnemar_midp_1_7": lambda i: mcnemar_exact(i["b"], i["c"]).mid_p,
    "mcnemar_exact_smallest_significant_sweep": lambda i: [
        mcnemar_exact(b, c).p_value for b, c in zip(i["b"], i["c"], strict=True)
    ],
    "mcnemar_no_discordant_pairs": lambda i: mcnemar_exact(i["b"], i["c"]).p_value,
    "mcnemar_smallest_significant_gap": _mcnemar_gaps,
    "paired_ci_tango_bentur": lambda i: _ends(tango_interval(i["b"], i["c"], i["a"] + i["b"] + i["c"] + i["d"], i["conf"])),
    "paired_ci_bonett_price_bentur": lambda i: _ends(
        bonett_price_interval(i["b"], i["c"], i["a"] + i["b"] + i["c"] + i["d"], i["conf"])
    ),
    "sign_flip_exact": lambda i: sign_flip_test(i["differences"]).p_value,
    "paired_t_task_differences": _paired_t,
    "holm_adjusted_bh1995": lambda i: holm_adjust(i["p"]),
    "bh1995_rejections": lambda i: [
        sum(p * len(i["p"]) <= i["alpha"] for p in i["p"]),
        sum(p <= i["alpha"] for p in holm_adjust(i["p"])),
        int((stats.false_discovery_control(i["p"]) <= i["alpha"]).sum()),
    ],
    "rank_sets_holm_ordered_pairs": _ranks,
    "ten_passes_scoring_1_or_2_gap": _two_tasks,
    "ten_passes_one_flipping_case_convolution": _one_case,
    "taubench_aa_tail_probabilities": lambda i: tail_chances(_noise(i))[i["gap"]],
    "taubench_resolvable_gap": _gap,
    "taubench_mdd_cases": _detectable,
    "manski_bounds_500": _manski,
    "imbens_manski_500": _imbens,
    "terminal_bench2_null_reward_exclusion": _excluded,
    "taubench_cochran_q": _cochran,
    "taubench_underdispersion_permutation_p": lambda i: cochran_q_test(_matrix(i)).p_lower,
    "binomial_reference_is_wrong": _wrong_reference,
    "flat_line_probability_bounds": lambda i: [flat_line_bounds(i["p_two_passes_differ"], r) for r in i["passes"]],
    "flat_probability_poisson_binomial": lambda i: float((poisson_binomial(i["task_p"]) ** i["passes"]).sum()),
    "flip_count_test_exact_conditional": _flips,
    "median_order_statistic_ci_n20": _median,
    "quantile_ci_minimum_n": lambda i: [_smallest(p, i["conf"]) for p in i["p"]],
    "kaplan_meier_6mp": _survival,
    "rmst_6mp_35": _restricted,
    "km_treating_failures_as_censored_overstates": _wrongly_censored,
    "cost_of_pass_fieller": _fieller,
    "pareto_frontier_membership": lambda i: pareto_frontier([(cost, rate) for _, cost, rate in i["points"]]).members,
    "krippendorff_alpha_nominal": lambda i: krippendorff_alpha(_rated(i)).estimate,
}
ORACLE = {
    "pass_rate_1400_of_2000": lambda i: [
        i["passed"] / i["n"],
        (proportion_confint(i["passed"], i["n"])[1] - proportion_confint(i["passed"], i["n"])[0]) / 2,
    ],
    "duplicate_bias_20_failing_rows": lambda i: [
        (biased := i["passed"] / (i["n"] + i["duplicated_failed_rows"])),
        biased - i["passed"] / i["n"],
    ],
    "jeffreys_7_of_10": lambda i: proportion_confint(i["passed"], i["n"], 1 - i["conf"], "jeffreys"),
    "swebench_verified_500_max_se": lambda i: [(se := math.sqrt(i["p"] * (1 - i["p"]) / i["n"])), Z * se],
    "miller_table_iid_se": lambda i: [math.sqrt(p * (1 - p) / n) for _, p, n in i["rows"]],
    "wald_coverage_n10_p07": lambda i: _normal_coverage(i["n"], i["p"], i["nominal"]),
    "wald_average_coverage_uniform_theta": lambda i: [_average_coverage(n, i["nominal"]) for n in i["n"]],
    "retry_turns_pass1_into_pass2": lambda i: 1 - (1 - i["p"]) ** 2,
    "miller_power_sample_size_969": lambda i: _tasks_needed(i, i["sigma2_A_over_K"] + i["sigma2_B_over_K"]),
    "miller_power_sample_size_by_K": lambda i: [_tasks_needed(i, (i["sigma2_A"] + i["sigma2_B"]) / k) for k in i["K"]],
    "miller_resampling_variance_reduction": lambda i: [
        1 - (i["var_p"] + i["e_pq"] / k) / (i["var_p"] + i["e_pq"]) for k in i["K"]
    ],
    "pass_level_design_minimum_baseline": lambda i: [
        next(r for r in range(1, 100) if 2 / math.comb(r + m, m) <= i["alpha"]) for m in i["candidate_passes"]
    ],
    "rank_sets_step_down_csranks": _step_down,
    "max_t_critical_value_10_agents": lambda i: stats.studentized_range.ppf(i["conf"], i["agents"], np.inf) / math.sqrt(2),
    "mcnemar_sample_size_connor": _connor,
    "mdd_power_check": lambda i: stats.norm.sf(stats.norm.ppf(1 - i["alpha"] / 2) - i["delta_cases"] / i["sd"]),
    "observed_range_rule_false_alarm": lambda i: [_range_rule(passes) for passes in i["passes"]],
    "expected_cost_until_first_pass": lambda i: i["cost_per_attempt"] / i["p"],
    "pareto_membership_probability": _kept_on_frontier,
    "cohen_kappa_abstractors": lambda i: _kappa(i["table"]),
    "fleiss_kappa_10x14": lambda i: fleiss_kappa(np.array(i["counts"])),
    "krippendorff_alpha_interval": lambda i: krippendorff.alpha(
        np.array([[np.nan if value is None else value for value in row] for row in i["ratings"]]),
        level_of_measurement="interval",
    ),
    "kappa_paradox": _paradox,
}


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_entry(name):
    """
    The room computes what the source of each reference entry says, within the entry's tolerance.
    """
    entry = ENTRIES[name]
    compute = COMPUTE.get(name) or ORACLE[name]

    np.testing.assert_allclose(compute(entry["inputs"]), entry["expected"], rtol=0, atol=entry["tolerance"])


def test_every_entry_is_computed():
    """
    No reference entry is carried along without a function that it tests.
    """
    assert 75 == len(ENTRIES)
    assert sorted(ENTRIES) == sorted(COMPUTE | ORACLE)


def test_holm_agrees_with_statsmodels():
    """
    Adjusted p-values are those of an independent library, in the order given.
    """
    p = [0.04, 0.001, 0.2, 0.04, 1.0]

    np.testing.assert_allclose(holm_adjust(p), multipletests(p, method="holm")[1], atol=1e-12)


def test_the_frontier_of_clones_is_shared():
    """
    Two agents with the same results are both on the frontier in every replicate.
    """
    assert (1.0, 1.0) == frontier_shares([[1, 2, 3]] * 2, [[0, 1, 1]] * 2, replicates=200)
