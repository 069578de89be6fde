"""Intervals for one proportion: Wilson's score interval and the exact one of Clopper and Pearson.

Both keep the exact boundary: nothing passed means a lower end of exactly 0, everything passed an upper end of exactly 1,
and the other end never coincides with it. The plain normal interval is absent on purpose: it has zero width there.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, gammaln, ndtri
from scipy.stats import hypergeom

from faultline.statistics.results import LEVEL, Bounds, Result, Scope, Status, require_level


@dataclass(frozen=True, kw_only=True)
class Proportion(Result):
    """A share with its interval; the ends of one that has no data are ``None``."""

    level: float

    @property
    def low(self) -> float:
        """Lower end. Raises :class:`ValueError` without data."""
        return self._ends().low

    @property
    def high(self) -> float:
        """Upper end. Raises :class:`ValueError` without data."""
        return self._ends().high

    @property
    def width(self) -> float:
        """The distance between the ends. Raises :class:`ValueError` without data."""
        return self._ends().width

    def _ends(self) -> Bounds:
        if self.interval is None:
            raise ValueError("there is no interval without data")
        return self.interval


def _proportion(estimate: float | None, bounds: Bounds | None, n: float, method: str, level: float) -> Proportion:
    return Proportion(
        estimate=estimate,
        interval=bounds,
        n=math.floor(n),
        clusters=math.floor(n),
        method=method,
        scope=Scope.POPULATION,
        status=Status.OK if bounds else Status.NOT_ESTIMABLE,
        reason="" if bounds else "no data",
        level=level,
    )


def normal_quantile(level: float) -> float:
    """Return the two-sided normal quantile of a level, such as 1.96 for 0.95."""
    return float(ndtri(0.5 + level / 2))


def wilson_interval(successes: float, trials: float, level: float = LEVEL) -> Proportion:
    """Return Wilson's score interval; ``trials`` need not be whole, since it may be an effective number.

    Wilson 1927; recommended by Brown, Cai and DasGupta 2001. Not estimable without trials.
    """
    require_level(level)
    if not (math.isfinite(trials) and 0 <= successes <= trials):
        raise ValueError(f"{successes!r} successes of {trials!r} trials is no proportion")
    if trials == 0:
        return _proportion(None, None, 0, "wilson", level)
    z, p = normal_quantile(level), successes / trials
    centre = (p + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials))
    low = 0.0 if p == 0 else max(0.0, centre - half)
    high = 1.0 if p == 1 else min(1.0, centre + half)
    return _proportion(p, Bounds(low, high), trials, "wilson", level)


def clopper_pearson_interval(successes: int, trials: int, level: float = LEVEL) -> Proportion:
    """Return the exact interval: the level is reached whatever the true proportion, at the price of width."""
    require_level(level)
    _require_counts(successes, trials)
    if trials == 0:
        return _proportion(None, None, 0, "clopper-pearson", level)
    tail = (1 - level) / 2
    low = 0.0 if successes == 0 else float(betaincinv(successes, trials - successes + 1, tail))
    high = 1.0 if successes == trials else float(betaincinv(successes + 1, trials - successes, 1 - tail))
    return _proportion(successes / trials, Bounds(low, high), trials, "clopper-pearson", level)


def clopper_pearson_upper(errors: int, reviewed: int, level: float = LEVEL) -> Proportion:
    """Return the exact one-sided upper bound of an error rate, as the upper end of an interval from 0.

    The bound is 1 when every review found an error; not estimable without a review.
    """
    require_level(level)
    _require_counts(errors, reviewed)
    if reviewed == 0:
        return _proportion(None, None, 0, "clopper-pearson-upper", level)
    bound = 1.0 if errors == reviewed else float(betaincinv(errors + 1, reviewed - errors, level))
    return _proportion(errors / reviewed, Bounds(0.0, bound), reviewed, "clopper-pearson-upper", level)


def hypergeometric_upper(errors: int, reviewed: int, frame: int, level: float = LEVEL) -> Proportion:
    """Return the exact one-sided upper bound of the share of errors in a frame of which ``reviewed`` were drawn and read.

    The largest number of errors in the frame that leaves a chance above 1 - ``level`` of seeing no more than ``errors``;
    tighter than :func:`clopper_pearson_upper` where much of the frame was read. Not estimable without a review.
    """
    require_level(level)
    _require_counts(errors, reviewed)
    _require_counts(reviewed, frame)
    if reviewed == 0:
        return _proportion(None, None, 0, "hypergeometric-upper", level)
    bad = np.arange(errors, frame - (reviewed - errors) + 1)
    chances = hypergeom.cdf(errors, frame, bad, reviewed)
    bound = int(bad[np.nonzero(chances > 1 - level)[0].max()]) / frame
    return _proportion(errors / reviewed, Bounds(0.0, max(bound, errors / reviewed)), reviewed, "hypergeometric-upper", level)


def corrected_rate(observed: float, sensitivity: float, specificity: float) -> float | None:
    """Return a rate corrected for a grader's known errors (Rogan and Gladen 1978): a sensitivity analysis, never a headline.

    ``None`` when the grader is no better than chance.
    """
    if not all(0 <= value <= 1 for value in (observed, sensitivity, specificity)):
        raise ValueError("a rate lies between 0 and 1")
    gain = sensitivity + specificity - 1
    return None if gain <= 0 else min(1.0, max(0.0, (observed + specificity - 1) / gain))


def fisher_exact(first: int, of_first: int, second: int, of_second: int) -> float:
    """Return Fisher's exact two-sided p of two shares being one; 1 without data."""
    for part, whole in ((first, of_first), (second, of_second)):
        if not 0 <= part <= whole:
            raise ValueError(f"{part!r} of {whole!r} is no proportion")
    total, hits = of_first + of_second, first + second

    counts = np.arange(max(0, hits - of_second), min(of_first, hits) + 1)
    chances = _log_comb(of_first, counts) + _log_comb(of_second, hits - counts) - _log_comb(total, np.array(hits))
    seen = chances[first - int(counts[0])]
    return min(1.0, math.fsum(np.exp(chances[chances <= seen + 1e-7]).tolist()))


def _log_comb(whole: int, parts: np.ndarray) -> np.ndarray:
    found: np.ndarray = gammaln(whole + 1) - gammaln(parts + 1) - gammaln(whole - parts + 1)
    return found


def zero_error_reviews(target: float, level: float = LEVEL) -> int:
    """Return the smallest number of error-free reviews whose upper bound is at most ``target``."""
    require_level(level)
    if not 0 < target < 1:
        raise ValueError(f"a target lies between 0 and 1, not {target!r}")
    return math.ceil(math.log(1 - level) / math.log1p(-target))


def _require_counts(successes: int, trials: int) -> None:
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes!r} successes of {trials!r} trials is no proportion")
