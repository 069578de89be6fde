"""Quantiles of times, some of which were cut short at a limit: a cut time says "at least this long" and no more."""

from collections.abc import Sequence
from dataclasses import dataclass

from faultline.statistics.quantities import kaplan_meier
from faultline.statistics.results import require_finite


@dataclass(frozen=True)
class TimeQuantile:
    """A quantile of times; where it lies beyond what was seen, all that is known is that it is at least the longest time."""

    quantile: float
    estimate: float | None
    """``None`` exactly when it lies beyond the times that were cut short, or there is none."""
    at_least: float | None
    """The longest time, when the quantile is only known to be no less."""
    n: int
    cut: int
    """Times that were cut short."""
    method: str = "kaplan-meier"


def time_quantile(times: Sequence[float], ended: Sequence[bool], quantile: float) -> TimeQuantile:
    """Return the first time by which a share of ``quantile`` had ended; an order statistic when nothing was cut short.

    With one limit for all this reads ">= limit" as soon as more than a share of 1 - ``quantile`` reached it. With several
    limits it is the quantile of the Kaplan-Meier curve. Raises :class:`ValueError` for NaN, negative times and no quantile.
    """
    require_finite(times, "a time")
    if not 0 < quantile < 1 or any(time < 0 for time in times):
        raise ValueError("a quantile lies between 0 and 1, and a time is not negative")
    n, cut = len(times), len(ended) - sum(ended)
    # Rounding in a product of survival shares must not move a quantile to the next time.
    reached = [moment for moment, survival, _, _ in kaplan_meier(times, ended) if survival <= 1 - quantile + 1e-12]
    if reached:
        return TimeQuantile(quantile, reached[0], None, n, cut)
    return TimeQuantile(quantile, None, float(max(times)) if n else None, n, cut)
