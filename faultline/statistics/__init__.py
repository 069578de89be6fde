"""Intervals, tests and summaries: arrays in, frozen results out.

Uses numpy and scipy only, no clock and no file. No NaN leaves the room: what cannot be estimated is a result with the
status ``not-estimable`` and a reason. Broken preconditions raise :class:`ValueError`. Random numbers occur in three places,
each with its seed in the result: permutations within tasks, the bootstrap of the frontier, the bootstrap of alpha.
Front doors: :func:`pass_rate` for a share of passed trials, :func:`describe` for a quantity, :func:`paired_difference` for
two agents, :func:`resolvable_gap` for what identical code shows by itself.
"""

from faultline.statistics.agreement import Agreement, gwet_ac1, krippendorff_alpha
from faultline.statistics.dispersion import (
    CochranQ,
    FlipCount,
    cochran_q_test,
    flat_line_bounds,
    flip_count_test,
    poisson_binomial,
)
from faultline.statistics.distributions import QuantileInterval, Summary, describe, quantile_interval, quantile_ranks
from faultline.statistics.dominance import clearly_dominated
from faultline.statistics.gap import Gap, resolvable_gap, tail_chances
from faultline.statistics.latency import TimeQuantile, time_quantile
from faultline.statistics.many import RankSet, holm_adjust, rank_confidence_sets, ranks_from
from faultline.statistics.missing import MissingBounds, PlannedCounts, imbens_manski, missing_outcome_bounds
from faultline.statistics.paired import (
    Difference,
    TestResult,
    bonett_price_interval,
    mcnemar_exact,
    paired_difference,
    pass_permutation_test,
    sign_flip_test,
    tango_interval,
)
from faultline.statistics.planning import detectable_by_design
from faultline.statistics.proportions import (
    Proportion,
    clopper_pearson_interval,
    clopper_pearson_upper,
    corrected_rate,
    fisher_exact,
    hypergeometric_upper,
    wilson_interval,
    zero_error_reviews,
)
from faultline.statistics.quantities import (
    Frontier,
    Ratio,
    RestrictedMean,
    frontier_shares,
    kaplan_meier,
    paired_cost_ratio,
    pareto_frontier,
    ratio_of_means,
    restricted_mean,
)
from faultline.statistics.rates import TaskCounts, macro_rate, pass_at_k, pass_hat_k, pass_k_rate, pass_rate
from faultline.statistics.results import ALPHA, LEVEL, POWER, SEED, Bounds, Estimate, Result, Scope, Status
from faultline.statistics.variance import VarianceComponents, cluster_error, task_set_error, variance_components

__all__ = [
    "ALPHA",
    "LEVEL",
    "POWER",
    "SEED",
    "Agreement",
    "Bounds",
    "CochranQ",
    "Difference",
    "Estimate",
    "FlipCount",
    "Frontier",
    "Gap",
    "MissingBounds",
    "PlannedCounts",
    "Proportion",
    "QuantileInterval",
    "RankSet",
    "Ratio",
    "RestrictedMean",
    "Result",
    "Scope",
    "Status",
    "Summary",
    "TaskCounts",
    "TestResult",
    "TimeQuantile",
    "VarianceComponents",
    "bonett_price_interval",
    "clearly_dominated",
    "clopper_pearson_interval",
    "clopper_pearson_upper",
    "cluster_error",
    "cochran_q_test",
    "corrected_rate",
    "describe",
    "detectable_by_design",
    "fisher_exact",
    "flat_line_bounds",
    "flip_count_test",
    "frontier_shares",
    "gwet_ac1",
    "holm_adjust",
    "hypergeometric_upper",
    "imbens_manski",
    "kaplan_meier",
    "krippendorff_alpha",
    "macro_rate",
    "mcnemar_exact",
    "missing_outcome_bounds",
    "paired_cost_ratio",
    "paired_difference",
    "pareto_frontier",
    "pass_at_k",
    "pass_hat_k",
    "pass_k_rate",
    "pass_permutation_test",
    "pass_rate",
    "poisson_binomial",
    "quantile_interval",
    "quantile_ranks",
    "rank_confidence_sets",
    "ranks_from",
    "ratio_of_means",
    "resolvable_gap",
    "restricted_mean",
    "sign_flip_test",
    "tail_chances",
    "tango_interval",
    "task_set_error",
    "time_quantile",
    "variance_components",
    "wilson_interval",
    "zero_error_reviews",
]
