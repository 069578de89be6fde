"""Summaries of a quantity such as seconds or tokens, in which a missing value is counted and never becomes a number."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, bdtrc

from faultline.statistics.results import LEVEL, Bounds, Scope, Status, require_level


@dataclass(frozen=True)
class Summary:
    """Five numbers of the values that are known, and how many are not; the numbers are ``None`` exactly when none is known."""

    known: int
    unknown: int
    minimum: float | None
    median: float | None
    p90: float | None
    """Linear interpolation between order statistics, as numpy does by default."""
    maximum: float | None
    total: float | None
    """Sum over the known values only."""


@dataclass(frozen=True)
class QuantileInterval:
    """Distribution-free limits of a quantile; a limit that the sample is too small for is ``None``."""

    quantile: float
    estimate: float | None
    low: float | None
    high: float | None
    n: int
    level: float
    coverage: float | None
    """Exact chance to cover; ``None`` unless both limits exist."""
    status: Status
    reason: str = ""
    method: str = "order-statistics"
    scope: Scope = Scope.POPULATION

    @property
    def interval(self) -> Bounds | None:
        """Both limits, when both exist."""
        return None if self.low is None or self.high is None else Bounds(self.low, self.high)

    @property
    def clusters(self) -> int:
        """Values, each its own cluster: give one a task."""
        return self.n


def describe(values: Iterable[float | None]) -> Summary:
    """Summarise a quantity; ``None`` stands for an unknown value. Raises :class:`ValueError` on NaN and infinity."""
    everything = list(values)
    known = sorted(float(value) for value in everything if value is not None)
    if any(not math.isfinite(value) for value in known):
        raise ValueError("a quantity is finite, or unknown")
    unknown = len(everything) - len(known)
    if not known:
        return Summary(0, unknown, None, None, None, None, None)
    median, p90 = (float(value) for value in np.quantile(known, (0.5, 0.9)))
    return Summary(len(known), unknown, known[0], median, p90, known[-1], math.fsum(known))


def quantile_ranks(n: int, quantile: float, level: float = LEVEL) -> tuple[int | None, int | None]:
    """Return the 1-based ranks of the order statistics that bound a quantile, at most half of 1 - level in each tail."""
    require_level(level)
    if n < 0 or not 0 < quantile < 1:
        raise ValueError(f"no quantile {quantile!r} of {n!r} values")
    tail = (1 - level) / 2
    lows = [rank for rank in range(1, n + 1) if float(bdtr(rank - 1, n, quantile)) <= tail]
    highs = [rank for rank in range(1, n + 1) if float(bdtrc(rank - 1, n, quantile)) <= tail]
    return (max(lows) if lows else None, min(highs) if highs else None)


def quantile_interval(values: Sequence[float], quantile: float, level: float = LEVEL) -> QuantileInterval:
    """Return a quantile between two order statistics; give it one value a task, since trials of one task are alike."""
    data = sorted(float(value) for value in values)
    if any(not math.isfinite(value) for value in data):
        raise ValueError("a quantity is finite, or unknown")
    low, high = quantile_ranks(len(data), quantile, level)
    coverage = None
    if low is not None and high is not None:
        coverage = float(bdtr(high - 1, len(data), quantile) - bdtr(low - 1, len(data), quantile))
    return QuantileInterval(
        quantile=quantile,
        estimate=float(np.quantile(data, quantile)) if data else None,
        low=None if low is None else data[low - 1],
        high=None if high is None else data[high - 1],
        n=len(data),
        level=level,
        coverage=coverage,
        status=Status.OK if coverage is not None else Status.NOT_ESTIMABLE,
        reason="" if coverage is not None else f"{len(data)} values are too few for both limits" if data else "no data",
    )
