"""Where the variation of a pass rate comes from: between clusters, between tasks, between trials of one task."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from faultline.statistics.results import Bounds, Scope, Status


@dataclass(frozen=True)
class VarianceComponents:
    """Variance of task difficulty and of trials; numbers are ``None`` exactly when they are not estimable."""

    between: float | None
    """Variance of the tasks' own pass probabilities; a negative estimate is reported as 0 with a note."""
    within: float | None
    """Mean over tasks of p(1-p), the noise of one trial."""
    icc: float | None
    """Share of the whole that lies between tasks."""
    n: int
    status: Status
    reason: str = ""
    method: str = "law-of-total-variance"
    scope: Scope = Scope.POPULATION

    @property
    def estimate(self) -> float | None:
        """The share between tasks, under the name that every result has."""
        return self.icc

    @property
    def interval(self) -> Bounds | None:
        """None is given: the parts are descriptions."""
        return None

    @property
    def clusters(self) -> int:
        """Tasks, each its own cluster here."""
        return self.n


def cluster_error(values: Sequence[float], clusters: Sequence[Hashable]) -> float:
    """Return the cluster-robust standard error of a mean (CR1; Miller 2024, appendix A).

    ``values`` holds one number a task. With every task its own cluster this is the usual standard error.
    """
    data = np.asarray(values, dtype=float)
    names = {name: index for index, name in enumerate(dict.fromkeys(clusters))}
    if len(clusters) != len(data) or len(names) < 2:  # noqa: PLR2004  (a spread needs two)
        raise ValueError("a standard error needs at least two clusters and a label for each value")
    sums = np.bincount([names[name] for name in clusters], weights=data - data.mean())
    count = len(names)
    return float(math.sqrt(count / (count - 1) * float(np.dot(sums, sums))) / len(data))


def trial_variances(passes: Sequence[int], trials: Sequence[int]) -> np.ndarray:
    """Return the unbiased estimate of p(1-p) of each task; every task needs two trials."""
    c, k = np.asarray(passes, dtype=float), np.asarray(trials, dtype=float)
    if len(k) == 0 or k.min() < 2:  # noqa: PLR2004  (a spread needs two)
        raise ValueError("the noise of trials needs at least two trials of every task")
    return np.asarray(c * (k - c) / (k * (k - 1)))


def task_set_error(passes: Sequence[int], trials: Sequence[int]) -> float:
    """Return the standard error of the mean over these very tasks: the noise of trials only."""
    noise = trial_variances(passes, trials)
    return float(math.sqrt(float(np.sum(noise / np.asarray(trials, dtype=float)))) / len(noise))


def variance_components(passes: Sequence[int], trials: Sequence[int]) -> VarianceComponents:
    """Split the variance of outcomes into tasks and trials (law of total variance; Miller 2024, Wang 2025)."""
    if len(passes) < 2 or min(trials) < 2:  # noqa: PLR2004  (a spread needs two)
        return VarianceComponents(
            None,
            None,
            None,
            len(passes),
            Status.NOT_ESTIMABLE,
            "it takes two tasks with two trials each to tell tasks from trials",
        )
    noise = trial_variances(passes, trials)
    k = np.asarray(trials, dtype=float)
    raw = float(np.var(np.asarray(passes, dtype=float) / k, ddof=1) - np.mean(noise / k))
    between, within = max(0.0, raw), float(np.mean(noise))
    whole = between + within
    return VarianceComponents(
        between=between,
        within=within,
        icc=between / whole if whole > 0 else None,
        n=len(passes),
        status=Status.OK,
        reason="the estimate between tasks was negative and is shown as 0" if raw < 0 else "",
    )
