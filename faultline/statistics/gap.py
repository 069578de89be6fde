"""The resolvable gap: the smallest difference between single passes that identical code almost never shows.

Two estimators, and the larger counts. The convolution of each task's own flips uses all the data but cannot see a bad day of
a provider, which moves all tasks at once. The prediction from pass totals sees it, and is costly for few passes.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from faultline.statistics.dispersion import DRAWS, Outcomes, cochran_q_test, complete_rows
from faultline.statistics.proportions import wilson_interval
from faultline.statistics.results import ALPHA, POWER, SEED, Result, Scope, Status, require_level

FEW_PASSES = 5
"""Below this a gap is only indicative."""
FLAT = 0.01
"""A lower tail below this is the alarm of a flat line, and the gap is withheld."""
SHOCK = 0.05
TINY = 1e-12


@dataclass(frozen=True, kw_only=True)
class Gap(Result):
    """What identical code shows by itself; ``estimate`` is the critical gap, in cases."""

    critical_gap: int | None
    """The smallest whole difference that identical code reaches with a chance of at most alpha."""
    minimum_detectable_difference: int | None
    """The true difference that would be found four times in five, in cases."""
    convolution_gap: int | None
    prediction_gap: int | None
    pass_totals: tuple[int, ...]
    sd: float | None
    """Of the total of one pass, in cases: the larger of the two estimates."""
    passes: int
    passes_per_arm: int
    left_out: int
    """Tasks dropped from every pass because a verdict is missing in one."""
    p_upper: float | None
    """Of Cochran's Q; small when passes differ more than their tasks do."""
    p_lower: float | None
    """Small when they differ less."""
    a_priori_sd: float | None
    """For a single pass: the most that the difference of two can vary, whatever the tasks are like."""
    alpha: float
    power: float
    seed: int


def tail_chances(flip_chances: np.ndarray) -> np.ndarray:
    """Return P(|D| >= g) for g = 0, 1, …, where D sums a step of +1 or -1 a task, each with its own chance."""
    pmf = np.ones(1)
    for chance in flip_chances[flip_chances > 0]:
        pmf = np.convolve(pmf, (chance, 1 - 2 * chance, chance))
    centre = len(pmf) // 2
    both = pmf[centre:].copy()
    both[1:] += pmf[:centre][::-1]
    return np.asarray(np.cumsum(both[::-1])[::-1])


def resolvable_gap(
    outcomes: Outcomes,
    alpha: float = ALPHA,
    power: float = POWER,
    *,
    passes_per_arm: int = 1,
    seed: int = SEED,
    draws: int = DRAWS,
) -> Gap:
    """Return the critical gap and the minimum detectable difference from passes of identical code.

    Rows are tasks, columns passes. Not estimable from one pass, when no task ever flipped, or when totals are flatter than
    their tasks allow. Indicative below five passes. With several ``passes_per_arm`` it is the gap between mean pass totals.
    """
    require_level(alpha)
    require_level(power)
    if passes_per_arm < 1:
        raise ValueError("an arm has at least one pass")
    y, left_out = complete_rows(outcomes)
    n, passes = y.shape
    totals = tuple(int(total) for total in y.sum(axis=0))
    test = cochran_q_test(y.tolist(), seed=seed, draws=draws) if n and passes > 1 else None
    p_upper, p_lower = (test.p_upper, test.p_lower) if test else (None, None)
    convolution = prediction = critical = detectable = None
    sd = a_priori = None
    reason = ""
    if n == 0:
        reason = "no task has a verdict in every pass" if left_out else "no data"
    elif passes < 2:  # noqa: PLR2004  (nothing to compare)
        rate = totals[0] / n if passes else 0.5
        if rate in (0.0, 1.0):
            # Nothing passed, or everything: the rate that is still likely, since no spread at all would be a claim.
            bounds = wilson_interval(rate * n, n)
            rate = bounds.high if rate == 0 else bounds.low
        a_priori = math.sqrt(2 * n * rate * (1 - rate))
        reason = "a single pass has no noise floor"
    elif test is None or test.estimate is None:
        reason = f"no run-to-run variation seen in {passes} passes"
    elif p_lower is not None and p_lower < FLAT:
        reason = "pass totals are flatter than their own tasks allow; look for a cache or a replay before any gap is believed"
    else:
        c = y.sum(axis=1).astype(float)
        q = c * (passes - c) / (passes * (passes - 1))
        z, k = float(ndtri(1 - alpha / 2)), passes_per_arm
        spread, within = float(np.std(totals, ddof=1)), float(q.sum())
        if k == 1:
            tails = tail_chances(q)
            convolution = next((g for g, tail in enumerate(tails.tolist()) if tail <= alpha + TINY), len(tails))
        else:
            convolution = math.ceil(z * math.sqrt(2 * within / k) - TINY)
        t = float(stdtrit(passes - 1, 1 - alpha / 2))
        prediction = math.floor(t * spread * math.sqrt(2 / k) + TINY) + 1
        critical = max(convolution, prediction, 1)
        sd = max(math.sqrt(within), spread)
        detectable = math.ceil((z + float(ndtri(power))) * sd * math.sqrt(2 / k) - TINY)
        reason = _remark(critical, n, passes, p_upper)
    few = passes < FEW_PASSES
    status = Status.NOT_ESTIMABLE if critical is None else Status.INDICATIVE if few else Status.OK
    return Gap(
        estimate=None if critical is None else float(critical),
        interval=None,
        n=n,
        clusters=n,
        method="max-convolution-t",
        scope=Scope.TASK_SET,
        status=status,
        reason=reason,
        critical_gap=critical,
        minimum_detectable_difference=detectable,
        convolution_gap=convolution,
        prediction_gap=prediction,
        pass_totals=totals,
        sd=sd,
        passes=passes,
        passes_per_arm=passes_per_arm,
        left_out=left_out,
        p_upper=p_upper,
        p_lower=p_lower,
        a_priori_sd=a_priori,
        alpha=alpha,
        power=power,
        seed=seed,
    )


def _remark(critical: int, n: int, passes: int, p_upper: float | None) -> str:
    """Return what a reader must know beside a gap that could be given."""
    parts = []
    if passes < FEW_PASSES:
        parts.append(f"only {passes} passes")
    if critical > n:
        parts.append("no difference on this suite can be resolved by single passes")
    if p_upper is not None and p_upper < SHOCK:
        parts.append("passes differ more than their tasks do: something moves all tasks at once")
    return "; ".join(parts)
