"""Intervals for one proportion: Wilson's score interval and the exact one of Clopper and Pearson.

Both keep the exact boundary: nothing passed means a lower end of exactly 0, everything passed an upper end of exactly 1,
and the other end never coincides with it. The plain normal interval is absent on purpose: it has zero width there.
"""

import math

from scipy.special import betaincinv, ndtri

from faultline.statistics.results import LEVEL, Bounds, require_level


def normal_quantile(level: float) -> float:
    """Return the two-sided normal quantile of a level, such as 1.96 for 0.95."""
    return float(ndtri(0.5 + level / 2))


def wilson_interval(successes: float, trials: float, level: float = LEVEL) -> Bounds:
    """Return Wilson's score interval; ``trials`` need not be whole, since it may be an effective number.

    Wilson 1927; recommended by Brown, Cai and DasGupta 2001. Raises :class:`ValueError` without trials.
    """
    require_level(level)
    if not (math.isfinite(trials) and trials > 0 and 0 <= successes <= trials):
        raise ValueError(f"{successes!r} successes of {trials!r} trials is no proportion")
    z, p = normal_quantile(level), successes / trials
    centre = (p + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials))
    low = 0.0 if p == 0 else max(0.0, centre - half)
    high = 1.0 if p == 1 else min(1.0, centre + half)
    return Bounds(low, high)


def clopper_pearson_interval(successes: int, trials: int, level: float = LEVEL) -> Bounds:
    """Return the exact interval: the level is reached whatever the true proportion, at the price of width."""
    require_level(level)
    _require_counts(successes, trials)
    tail = (1 - level) / 2
    low = 0.0 if successes == 0 else float(betaincinv(successes, trials - successes + 1, tail))
    high = 1.0 if successes == trials else float(betaincinv(successes + 1, trials - successes, 1 - tail))
    return Bounds(low, high)


def clopper_pearson_upper(errors: int, reviewed: int, level: float = LEVEL) -> float:
    """Return the exact one-sided upper bound of an error rate; 1 when every review found an error."""
    require_level(level)
    _require_counts(errors, reviewed)
    return 1.0 if errors == reviewed else float(betaincinv(errors + 1, reviewed - errors, level))


def zero_error_reviews(target: float, level: float = LEVEL) -> int:
    """Return the smallest number of error-free reviews whose upper bound is at most ``target``."""
    require_level(level)
    if not 0 < target < 1:
        raise ValueError(f"a target lies between 0 and 1, not {target!r}")
    return math.ceil(math.log(1 - level) / math.log1p(-target))


def _require_counts(successes: int, trials: int) -> None:
    if trials < 1 or not 0 <= successes <= trials:
        raise ValueError(f"{successes!r} successes of {trials!r} trials is no proportion")
