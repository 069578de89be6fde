"""What a statistic returns: a frozen estimate that says how it was made, or why there is none."""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from faultline.kinds import Word

LEVEL = 0.95
"""The two-sided level of every published interval."""
ALPHA = 0.05
"""The two-sided significance level of every published claim."""
POWER = 0.8
"""The chance to find a difference of the size that is called detectable."""
SEED = 20_261_130
"""Of the few computations that draw random numbers; it is recorded in their results."""


class Status(Word):
    """How far an estimate can be relied on."""

    OK = "ok", "The method's assumptions are met as far as the data can tell."
    INDICATIVE = "indicative", "Computed from too few clusters or passes; the word stands beside the number."
    NOT_ESTIMABLE = "not-estimable", "The data cannot give the number; the reason stands in its place."


class Scope(Word):
    """What an interval is a statement about."""

    POPULATION = "population", "New tasks like these."
    TASK_SET = "task-set", "Running these very tasks again."


@dataclass(frozen=True)
class Bounds:
    """Two ends that belong together."""

    low: float
    high: float

    @property
    def width(self) -> float:
        """The distance between the ends."""
        return self.high - self.low


@dataclass(frozen=True, kw_only=True)
class Result:
    """What every statistic carries: a number with its interval, what it was made of and how, or why there is none."""

    estimate: float | None
    """The point estimate; ``None`` when the data cannot give one."""
    interval: Bounds | None
    """Both ends; ``None`` when the method has none, or the data cannot give it."""
    n: int
    """Rows that were used: tasks, values or rated items."""
    clusters: int
    """Independent groups among them."""
    method: str
    """Stable name of the method."""
    scope: Scope
    status: Status
    reason: str = ""
    """Why the status is not ``ok``, or what a reader must know beside the number, as a clause."""


@dataclass(frozen=True)
class Estimate:
    """A number with its uncertainty; estimate, error and bounds are ``None`` exactly when it is not estimable."""

    estimate: float | None
    """The point estimate."""
    low: float | None
    """Lower end of the interval."""
    high: float | None
    """Upper end; always above ``low``, since no method here has zero width."""
    error: float | None
    """Standard error, where the method has one."""
    n: int
    """Tasks that the estimate is made of."""
    clusters: int
    """Independent groups among them."""
    trials: int
    """Trials behind the tasks."""
    effective_n: float | None
    """Independent trials that would be as informative, before the adjustment for few clusters."""
    left_out: int
    """Tasks without any usable trial; counted, never silently dropped."""
    level: float
    method: str
    """Stable name of the method, such as ``wilson-neff-t``."""
    scope: Scope
    status: Status
    reason: str = ""
    """Why the status is not ``ok``, as a clause."""

    @property
    def bounds(self) -> Bounds | None:
        """Both ends, when there are any."""
        if self.low is None or self.high is None:
            return None
        return Bounds(self.low, self.high)

    @property
    def interval(self) -> Bounds | None:
        """Both ends, under the name that every result has."""
        return self.bounds


def no_estimate(reason: str, *, scope: Scope, level: float, n: int = 0, clusters: int = 0, left_out: int = 0) -> Estimate:
    """Return the absence of an estimate, with its reason."""
    return Estimate(
        estimate=None,
        low=None,
        high=None,
        error=None,
        n=n,
        clusters=clusters,
        trials=0,
        effective_n=None,
        left_out=left_out,
        level=level,
        method="none",
        scope=scope,
        status=Status.NOT_ESTIMABLE,
        reason=reason,
    )


def require_finite(values: Iterable[float], what: str) -> None:
    """Refuse NaN and infinity, which are no measurements."""
    if not all(math.isfinite(value) for value in values):
        raise ValueError(f"{what} is finite, or unknown")


def cluster_labels(clusters: Sequence[Hashable] | None, wanted: int) -> list[Hashable]:
    """Return one label a row; without clusters every row is its own. A row without a label raises :class:`ValueError`."""
    labels: list[Hashable] = list(range(wanted)) if clusters is None else list(clusters)
    if len(labels) != wanted or any(label is None or label != label for label in labels):  # noqa: PLR0124  (NaN)
        raise ValueError("every task needs a cluster")
    return labels


def require_level(level: float) -> None:
    """Refuse a level outside the open interval from 0 to 1."""
    if not 0 < level < 1:
        raise ValueError(f"a level lies between 0 and 1, not {level!r}")
