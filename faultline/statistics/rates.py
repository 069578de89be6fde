"""Pass rates: the mean over tasks of the share of passed trials, with an interval that respects tasks and clusters.

The unit of analysis is the cluster (tasks made from one template). Trials are never pooled: a pooled interval covered the
truth in 27 to 76 % of simulations at a nominal 95 %. A t interval on task means fails near the ends of the scale, where
benchmarks live; Wilson's interval at the effective number of trials, adjusted by the t quantile, holds its level in both
places, so it is the only one here.
"""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from faultline.statistics.proportions import normal_quantile, wilson_interval
from faultline.statistics.results import LEVEL, Estimate, Scope, Status, cluster_labels, no_estimate, require_level
from faultline.statistics.variance import cluster_error, task_set_error

FEW_CLUSTERS = 5
"""Below this a population interval is only indicative."""
ONE_SIDED = 3
"""With fewer clusters' worth of passes or failures than this, the effective number under-covers and clusters are counted."""


@dataclass(frozen=True)
class TaskCounts:
    """What one agent did on one task."""

    passes: int
    trials: int
    """Usable trials; a trial without a verdict is not among them."""

    def __post_init__(self) -> None:
        """Refuse counts that cannot be."""
        if not 0 <= self.passes <= self.trials:
            raise ValueError(f"{self.passes} passes of {self.trials} trials is no count")


def pass_rate(
    counts: Iterable[TaskCounts],
    clusters: Sequence[Hashable] | None = None,
    *,
    scope: Scope = Scope.POPULATION,
    conservative: bool = False,
    level: float = LEVEL,
) -> Estimate:
    """Return macro pass@1 with its interval.

    Estimand: the mean over tasks of the chance that one trial passes. Unit of resampling: the cluster, or the task when no
    clusters are given. Tasks without a usable trial are left out and counted. Not estimable: without data; in population
    scope from one cluster; in task-set scope when a task has a single trial.
    """
    rows = list(counts)
    labels = cluster_labels(clusters, len(rows))
    kept = [(row, label) for row, label in zip(rows, labels, strict=True) if row.trials]
    left_out = len(rows) - len(kept)
    if not kept:
        require_level(level)
        return no_estimate("no data", scope=scope, level=level, left_out=left_out)
    tasks = [row for row, _ in kept]
    if scope is Scope.TASK_SET:
        return _task_set(tasks, level, left_out)
    if clusters is None and not conservative and len(tasks) > 1 and all(row.trials == 1 for row in tasks):
        passed = sum(row.passes for row in tasks)
        bounds = wilson_interval(passed, len(tasks), level)
        return Estimate(
            estimate=passed / len(tasks),
            low=bounds.low,
            high=bounds.high,
            error=None,
            n=len(tasks),
            clusters=len(tasks),
            trials=len(tasks),
            effective_n=float(len(tasks)),
            left_out=left_out,
            level=level,
            method="wilson",
            scope=scope,
            status=_few(len(tasks))[0],
            reason=_few(len(tasks))[1],
        )
    values = [row.passes / row.trials for row in tasks]
    trials = sum(row.trials for row in tasks)
    return macro_rate(
        values, [label for _, label in kept], trials=trials, conservative=conservative, level=level, left_out=left_out
    )


def macro_rate(
    values: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
    *,
    trials: int,
    conservative: bool = False,
    level: float = LEVEL,
    left_out: int = 0,
) -> Estimate:
    """Return the mean of shares, one a task, with Wilson's interval at the effective number of trials.

    Franco, Little, Louis and Slud 2019 for the effective number; Korn and Graubard 1998 for the adjustment by degrees of
    freedom. The share may be of passed trials, pass@k or pass^k. Not estimable from fewer than two clusters.
    """
    require_level(level)
    if any(not (0 <= value <= 1) for value in values):
        raise ValueError("a share lies between 0 and 1")
    labels = cluster_labels(clusters, len(values))
    count = len(set(labels))
    if not values:
        return no_estimate("no data", scope=Scope.POPULATION, level=level, left_out=left_out)
    if count < 2:  # noqa: PLR2004  (a spread needs two)
        reason = "one task, or one template, says nothing about others"
        return no_estimate(reason, scope=Scope.POPULATION, level=level, n=len(values), clusters=count, left_out=left_out)
    theta = min(1.0, max(0.0, math.fsum(values) / len(values)))
    error = cluster_error(values, labels)
    z, t = normal_quantile(level), float(stdtrit(count - 1, 0.5 + level / 2))
    adjustment = (z / t) ** 2
    effective = float(count)
    if conservative:
        method, size = "wilson-clusters", float(count)
    elif theta in (0.0, 1.0):
        method, size = "wilson-clusters-t", count * adjustment
    elif count * min(theta, 1 - theta) < ONE_SIDED:
        method, size = "wilson-clusters", float(count)
    elif error <= 1e-12:  # noqa: PLR2004  (zero but for rounding)
        method, size = "wilson-clusters-t", count * adjustment
    else:
        effective = min(theta * (1 - theta) / error**2, float(max(trials, 1)))
        method, size = "wilson-neff-t", effective * adjustment
    bounds = wilson_interval(theta * size, size, level)
    return Estimate(
        estimate=theta,
        low=bounds.low,
        high=bounds.high,
        error=error,
        n=len(values),
        clusters=count,
        trials=trials,
        effective_n=effective,
        left_out=left_out,
        level=level,
        method=method,
        scope=Scope.POPULATION,
        status=_few(count)[0],
        reason=_few(count)[1],
    )


def pass_at_k(trials: int, passes: int, k: int) -> float | None:
    """Return the unbiased chance that at least one of ``k`` trials passes; ``None`` with fewer trials (Chen et al. 2021)."""
    _require_k(trials, passes, k)
    return None if trials < k else 1 - math.comb(trials - passes, k) / math.comb(trials, k)


def pass_hat_k(trials: int, passes: int, k: int) -> float | None:
    """Return the unbiased chance that all of ``k`` trials pass; ``None`` with fewer trials (Yao et al. 2024)."""
    _require_k(trials, passes, k)
    return None if trials < k else math.comb(passes, k) / math.comb(trials, k)


def pass_k_rate(
    counts: Iterable[TaskCounts],
    k: int,
    clusters: Sequence[Hashable] | None = None,
    *,
    every: bool,
    level: float = LEVEL,
) -> Estimate:
    """Return the mean over tasks of pass^k (``every``) or pass@k, with the interval of a rate.

    Not estimable as soon as one task with a usable trial has fewer than ``k`` of them: it would be neither 0 nor 1.
    """
    rows = list(counts)
    kept = [(row, label) for row, label in zip(rows, cluster_labels(clusters, len(rows)), strict=True) if row.trials]
    one = pass_hat_k if every else pass_at_k
    values = [one(row.trials, row.passes, k) for row, _ in kept]
    known = [value for value in values if value is not None]
    left_out = len(rows) - len(kept)
    if len(known) < len(values):
        reason = f"{len(values) - len(known)} tasks have fewer than {k} trials"
        return no_estimate(reason, scope=Scope.POPULATION, level=level, n=len(values), left_out=left_out)
    trials = sum(row.trials for row, _ in kept)
    return macro_rate(known, [label for _, label in kept], trials=trials, level=level, left_out=left_out)


def _task_set(tasks: list[TaskCounts], level: float, left_out: int) -> Estimate:
    """Return the interval for running these very tasks again; the effective number is not capped."""
    require_level(level)
    if min(row.trials for row in tasks) < 2:  # noqa: PLR2004  (a spread needs two)
        reason = "running these tasks again cannot be foreseen from a single trial of one of them"
        return no_estimate(reason, scope=Scope.TASK_SET, level=level, n=len(tasks), clusters=len(tasks), left_out=left_out)
    passes, trials = [row.passes for row in tasks], [row.trials for row in tasks]
    theta = float(np.mean(np.asarray(passes) / np.asarray(trials)))
    error, total = task_set_error(passes, trials), sum(trials)
    flat = error == 0 or theta in (0.0, 1.0)
    effective = float(total) if flat else theta * (1 - theta) / error**2
    bounds = wilson_interval(theta * effective, effective, level)
    return Estimate(
        estimate=theta,
        low=bounds.low,
        high=bounds.high,
        error=error,
        n=len(tasks),
        clusters=len(tasks),
        trials=total,
        effective_n=effective,
        left_out=left_out,
        level=level,
        method="wilson-task-set",
        scope=Scope.TASK_SET,
        status=Status.OK,
        reason="no run-to-run variation seen" if flat else "",
    )


def _few(clusters: int) -> tuple[Status, str]:
    """Return status and reason: too few clusters make an estimate indicative."""
    if clusters >= FEW_CLUSTERS:
        return Status.OK, ""
    return Status.INDICATIVE, f"only {clusters} independent tasks or templates"


def _require_k(trials: int, passes: int, k: int) -> None:
    if k < 1 or not 0 <= passes <= trials:
        raise ValueError(f"{passes} passes of {trials} trials, {k} at a time, is no count")
