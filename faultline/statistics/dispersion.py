"""Is the instrument alive? Whether passes of identical code vary as much as their tasks do: no more, and no less.

Pass totals are never compared with a binomial: tasks differ, so honest totals vary less than that. Both tests here
condition on each task's own total.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import chdtr, chdtrc

from faultline.statistics.rates import TaskCounts
from faultline.statistics.results import SEED, Result, Scope, Status

DRAWS = 20_000
CELLS = 2_000_000
"""Words that are drawn at a time, so that memory stays small."""
MOST_SUBSETS = 20_000

Outcomes = Sequence[Sequence[bool | int | None]]
"""A row a task, a column a pass; ``None`` where there is no verdict."""


@dataclass(frozen=True, kw_only=True)
class CochranQ(Result):
    """Cochran's Q over passes, both tails; ``estimate`` is Q."""

    p_upper: float | None
    """Small when passes differ from one another: drift or shocks. From chi-square."""
    p_lower: float | None
    """Small when totals are flatter than their tasks allow. From a seeded permutation within tasks, since ties matter."""
    p_lower_chi_square: float | None
    passes: int
    left_out: int
    """Tasks dropped because a verdict is missing."""
    draws: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class FlipCount(Result):
    """How many tasks flipped in new passes, against their history; ``estimate`` is that number."""

    flips: int
    expected: float | None
    p_value: float | None
    """The chance of so few flips, or fewer."""


def complete_rows(outcomes: Outcomes) -> tuple[np.ndarray, int]:
    """Return the tasks with a verdict in every pass as a matrix of 0 and 1, and how many were left out."""
    rows = [list(row) for row in outcomes]
    width = len(rows[0]) if rows else 0
    if any(len(row) != width for row in rows):
        raise ValueError("every task needs a place for every pass")
    if any(value not in (None, 0, 1) for row in rows for value in row):
        raise ValueError("an outcome is passed, failed, or none")
    kept = [row for row in rows if None not in row]
    return np.array(kept, dtype=np.int64).reshape(len(kept), width), len(rows) - len(kept)


def cochran_q_test(outcomes: Outcomes, *, seed: int = SEED, draws: int = DRAWS) -> CochranQ:
    """Return Cochran's Q with both tails; not estimable from one pass, or when no task ever flipped."""
    y, left_out = complete_rows(outcomes)
    n, passes = y.shape
    c, totals = y.sum(axis=1), y.sum(axis=0)
    below = float(passes * c.sum() - (c**2).sum())
    q = upper = lower = chi = None
    reason = ""
    if n == 0 or passes < 2:  # noqa: PLR2004  (nothing to compare)
        reason = "no data" if n == 0 else "one pass has no other to be compared with"
    elif below == 0:
        reason = f"no task flipped in {passes} passes"
    else:
        q = (passes - 1) * float(passes * (totals**2).sum() - totals.sum() ** 2) / below
        upper, chi = float(chdtrc(passes - 1, q)), float(chdtr(passes - 1, q))
        reached = _as_flat(c, passes, int((totals**2).sum()), seed, draws)
        lower = (reached + 1) / (draws + 1)
    return CochranQ(
        estimate=q,
        interval=None,
        n=n,
        clusters=n,
        method="cochran-q",
        scope=Scope.TASK_SET,
        status=Status.NOT_ESTIMABLE if q is None else Status.OK,
        reason=reason,
        p_upper=upper,
        p_lower=lower,
        p_lower_chi_square=chi,
        passes=passes,
        left_out=left_out,
        draws=0 if q is None else draws,
        seed=seed,
    )


def flip_count_test(history: Sequence[TaskCounts], current: Sequence[TaskCounts]) -> FlipCount:
    """Return the exact chance that so few tasks flip in new passes, given what each did before.

    Tasks without history or with fewer than two new trials say nothing and are left out.
    """
    if len(history) != len(current):
        raise ValueError("every task needs its history and its new passes")
    flat, flips = [], 0
    for old, new in zip(history, current, strict=True):
        if old.trials and new.trials >= 2:  # noqa: PLR2004  (one trial cannot flip)
            whole, passed, r = old.trials + new.trials, old.passes + new.passes, new.trials
            flat.append((math.comb(passed, r) + math.comb(whole - passed, r)) / math.comb(whole, r))
            flips += 0 < new.passes < new.trials
    chances = [1 - value for value in flat]
    p = float(min(1.0, poisson_binomial(chances)[: flips + 1].sum())) if chances else None
    return FlipCount(
        estimate=float(flips) if chances else None,
        interval=None,
        n=len(chances),
        clusters=len(chances),
        method="flip-count",
        scope=Scope.TASK_SET,
        status=Status.OK if chances else Status.NOT_ESTIMABLE,
        reason="" if chances else "no task has both a history and two new passes",
        flips=flips,
        expected=math.fsum(chances) if chances else None,
        p_value=p,
    )


def poisson_binomial(chances: Sequence[float]) -> np.ndarray:
    """Return the distribution of the number of successes of independent trials with chances of their own."""
    pmf = np.ones(1)
    for chance in chances:
        pmf = np.convolve(pmf, (1 - chance, chance))
    return pmf


def flat_line_bounds(differ: float, passes: int) -> tuple[float, float]:
    """Return bounds of the chance that passes all have one total, when two of them differ with a known chance."""
    if not 0 <= differ <= 1 or passes < 2:  # noqa: PLR2004  (nothing to compare)
        raise ValueError(f"no bounds for {passes!r} passes that differ with chance {differ!r}")
    return float((1 - differ) ** (passes - 1)), float((1 - differ) ** (passes / 2))


def _as_flat(counts: np.ndarray, passes: int, seen: int, seed: int, draws: int) -> int:
    """Count permutations within tasks whose totals are at least as flat as the ones seen.

    The totals of a draw are packed into a few whole numbers, one field a pass, so that a task is one look-up and one addition.
    """
    rng = np.random.default_rng(seed)
    groups = [(int(c), int(number)) for c, number in zip(*np.unique(counts, return_counts=True), strict=True)]
    always = sum(number for c, number in groups if c == passes)
    moving = [(c, number) for c, number in groups if 0 < c < passes]
    bits = max(1, sum(number for _, number in moving)).bit_length()
    each = 62 // bits
    words = -(-passes // each)
    tables = {c: _packed(passes, c, bits, each, words) for c, _ in moving if math.comb(passes, c) <= MOST_SUBSETS}
    reached, done = 0, 0
    step = max(1, CELLS // max(1, sum(number for _, number in moving)))
    while done < draws:
        size = min(step, draws - done)
        totals = np.zeros((size, passes), dtype=np.int64)
        sums = np.zeros((size, words), dtype=np.int64)
        for c, number in moving:
            if c in tables:
                picks = rng.integers(0, len(tables[c]), size=(size, number), dtype=np.int32)
                for word in range(words):
                    sums[:, word] += tables[c][:, word][picks].sum(axis=1)
            else:
                order = rng.random((size, number, passes)).argsort(axis=2)
                totals += (order < c).sum(axis=1)
        for place in range(passes):
            totals[:, place] += (sums[:, place // each] >> (bits * (place % each))) & ((1 << bits) - 1)
        reached += int((((totals + always) ** 2).sum(axis=1) <= seen).sum())
        done += size
    return reached


def _packed(passes: int, passed: int, bits: int, each: int, words: int) -> np.ndarray:
    """Return every way to spread passes over places, each as a few packed numbers."""
    table = np.zeros((math.comb(passes, passed), words), dtype=np.int64)
    for row, places in enumerate(combinations(range(passes), passed)):
        for place in places:
            table[row, place // each] += 1 << (bits * (place % each))
    return table
