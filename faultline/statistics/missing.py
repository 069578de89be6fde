"""Trials without a verdict: never dropped in silence, but counted as failed, left out, and bounded both ways."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from scipy.optimize import brentq
from scipy.special import ndtr

from faultline.statistics.paired import TINY
from faultline.statistics.rates import TaskCounts, pass_rate
from faultline.statistics.results import LEVEL, Bounds, Estimate, Result, Scope, Status, cluster_labels, require_level
from faultline.statistics.variance import cluster_error


@dataclass(frozen=True)
class PlannedCounts:
    """What was planned for one agent on one task, and what came of it."""

    passes: int
    planned: int
    missing: int
    """Planned trials without a verdict."""

    def __post_init__(self) -> None:
        """Refuse counts that cannot be."""
        if min(self.passes, self.missing) < 0 or self.passes + self.missing > self.planned:
            raise ValueError(f"{self.passes} passes and {self.missing} missing of {self.planned} trials is no count")

    @property
    def scoreable(self) -> TaskCounts:
        """The trials that have a verdict."""
        return TaskCounts(self.passes, self.planned - self.missing)


@dataclass(frozen=True, kw_only=True)
class MissingBounds(Result):
    """Three numbers instead of one; ``estimate`` leaves the missing trials out, ``interval`` is that of Imbens and Manski."""

    lower: float | None
    """Every missing trial counted as failed."""
    excluded: float | None
    """Missing trials left out."""
    upper: float | None
    """Every missing trial counted as passed."""
    critical: float | None
    """The quantile that the interval uses; between the one-sided and the two-sided one."""
    sampling: Estimate
    """The rate of the trials that have a verdict, with its own interval."""
    missing: int
    planned: int
    left_out: int
    """Tasks without any verdict: inside the bounds, outside the other number."""
    level: float

    @property
    def bounds_lead(self) -> bool:
        """Whether the pair of bounds is the headline: it is wider than half the sampling interval, or there is none."""
        if self.lower is None or self.upper is None:
            return False
        interval = self.sampling.interval
        return self.missing > 0 and (interval is None or self.upper - self.lower > interval.width / 2)


def imbens_manski(lower: float, upper: float, errors: tuple[float, float], level: float = LEVEL) -> tuple[Bounds, float]:
    """Return the interval of a rate that is known to lie between two estimated bounds, and its quantile (2004)."""
    require_level(level)
    largest = max(errors)
    if upper < lower or min(errors) < 0 or largest <= 0:
        raise ValueError("an interval needs ordered bounds and an error")
    width = (upper - lower) / largest
    c = float(brentq(lambda value: float(ndtr(value + width) - ndtr(-value)) - level, 0.0, 10.0, xtol=1e-13))
    return Bounds(max(0.0, lower - c * errors[0]), min(1.0, upper + c * errors[1])), c


def missing_outcome_bounds(
    counts: Iterable[PlannedCounts], clusters: Sequence[Hashable] | None = None, *, level: float = LEVEL
) -> MissingBounds:
    """Return the rate with missing trials as failed, left out, and as passed; macro over tasks.

    The bounds are facts of the plan and are given even where no interval over tasks can be.
    """
    require_level(level)
    everything = list(counts)
    labelled = zip(everything, cluster_labels(clusters, len(everything)), strict=True)
    rows = [(row, label) for row, label in labelled if row.planned]
    labels = None if clusters is None else [label for _, label in rows]
    names = [label for _, label in rows]
    sampling = pass_rate([row.scoreable for row, _ in rows], labels, level=level)
    missing, planned = sum(row.missing for row, _ in rows), sum(row.planned for row, _ in rows)
    lower = upper = excluded = critical = None
    interval = None
    if rows:
        lows = [row.passes / row.planned for row, _ in rows]
        highs = [(row.passes + row.missing) / row.planned for row, _ in rows]
        lower, upper = sum(lows) / len(lows), sum(highs) / len(highs)
        means = [row.passes / row.scoreable.trials for row, _ in rows if row.scoreable.trials]
        excluded = sum(means) / len(means) if means else None
        if not missing:
            interval = sampling.interval
        elif len(set(names)) > 1:
            errors = (cluster_error(lows, names), cluster_error(highs, names))
            worst = pass_rate([TaskCounts(row.passes, row.planned) for row, _ in rows], labels, level=level).bounds
            best = pass_rate([TaskCounts(row.passes + row.missing, row.planned) for row, _ in rows], labels, level=level).bounds
            assert worst is not None
            assert best is not None
            found = Bounds(worst.low, best.high)
            if max(errors) > TINY:
                found, critical = imbens_manski(lower, upper, errors, level)
            # A bound without spread is not certain: the interval of a rate says what it may be.
            interval = Bounds(worst.low if errors[0] <= TINY else found.low, best.high if errors[1] <= TINY else found.high)
    return MissingBounds(
        estimate=excluded,
        interval=interval,
        n=len(rows),
        clusters=len(set(names)),
        method="imbens-manski" if missing else sampling.method,
        scope=Scope.POPULATION,
        status=Status.NOT_ESTIMABLE if interval is None else sampling.status if sampling.interval else Status.INDICATIVE,
        reason=sampling.reason,
        lower=lower,
        excluded=excluded,
        upper=upper,
        critical=critical,
        sampling=sampling,
        missing=missing,
        planned=planned,
        left_out=sampling.left_out,
        level=level,
    )
