"""Intervals and summaries: arrays in, frozen results out.

Uses numpy and scipy only, no clock, no file, no random number. No NaN leaves the room: what cannot be estimated is an
:class:`Estimate` with the status ``not-estimable`` and a reason. Broken preconditions raise :class:`ValueError`.
Front doors: :func:`pass_rate` for a share of passed trials, :func:`describe` for a quantity.
"""

from faultline.statistics.distributions import QuantileInterval, Summary, describe, quantile_interval, quantile_ranks
from faultline.statistics.proportions import (
    clopper_pearson_interval,
    clopper_pearson_upper,
    wilson_interval,
    zero_error_reviews,
)
from faultline.statistics.rates import TaskCounts, macro_rate, pass_at_k, pass_hat_k, pass_rate
from faultline.statistics.results import LEVEL, Bounds, Estimate, Scope, Status
from faultline.statistics.variance import VarianceComponents, cluster_error, task_set_error, variance_components

__all__ = [
    "LEVEL",
    "Bounds",
    "Estimate",
    "QuantileInterval",
    "Scope",
    "Status",
    "Summary",
    "TaskCounts",
    "VarianceComponents",
    "clopper_pearson_interval",
    "clopper_pearson_upper",
    "cluster_error",
    "describe",
    "macro_rate",
    "pass_at_k",
    "pass_hat_k",
    "pass_rate",
    "quantile_interval",
    "quantile_ranks",
    "task_set_error",
    "variance_components",
    "wilson_interval",
    "zero_error_reviews",
]
