"""Money and time: the cost of a pass, the restricted mean of times that end at a limit, and the frontier of both."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from faultline.statistics.proportions import normal_quantile
from faultline.statistics.results import (
    LEVEL,
    SEED,
    Bounds,
    Result,
    Scope,
    Status,
    cluster_labels,
    require_finite,
    require_level,
)

TINY = 1e-12
LEAST_RATE = 1e-9
"""A share of passes below this is none: no number of trials gives it, and a ratio over it would overflow."""
MOST_COST = 1e15


@dataclass(frozen=True, kw_only=True)
class Ratio(Result):
    """A ratio of means; ``high`` is ``None`` when the data cannot bound it from above."""

    low: float | None
    high: float | None
    total: float
    """Sum of the numerator, printed where the ratio cannot be given."""
    level: float


@dataclass(frozen=True, kw_only=True)
class RestrictedMean(Result):
    """The mean of times cut at one limit."""

    error: float | None
    limit: float
    at_limit: int
    """Times that reached it."""


@dataclass(frozen=True, kw_only=True)
class Frontier(Result):
    """Which points no other point beats on both axes; ``estimate`` is their number."""

    members: tuple[bool, ...]


def ratio_of_means(cost: Sequence[float], passes: Sequence[float], *, level: float = LEVEL) -> Ratio:
    """Return total cost over total passes with Fieller's limits; one row a task, the cost of failed trials included.

    Not estimable without a pass, from one task, or where the data exclude no ratio.
    """
    require_level(level)
    require_finite([*cost, *passes], "a cost or a rate")
    if len(cost) != len(passes) or any(not 0 <= value < MOST_COST for value in (*cost, *passes)):
        raise ValueError("every task needs its cost and its passes, none negative")
    y, x, n = np.asarray(cost, dtype=float), np.asarray(passes, dtype=float), len(cost)
    total = math.fsum(cost)
    if n == 0 or x.mean() < LEAST_RATE:
        return _no_ratio("no data" if n == 0 else "nothing passed", None, n, total, level)
    estimate = float(y.sum() / x.sum())
    if n < 2:  # noqa: PLR2004  (a spread needs two)
        return _no_ratio("one task says nothing about others", estimate, n, total, level)
    spread = np.cov(x, y, ddof=1) / n
    t2 = float(stdtrit(n - 1, 0.5 + level / 2)) ** 2
    a = float(x.mean()) ** 2 - t2 * float(spread[0, 0])
    b = -(float(x.mean()) * float(y.mean()) - t2 * float(spread[0, 1]))
    c = float(y.mean()) ** 2 - t2 * float(spread[1, 1])
    root = math.sqrt(max(0.0, b * b - a * c))
    if a > 0 and root <= TINY * max(1.0, abs(b)):
        return _no_ratio("no variation between tasks", estimate, n, total, level)
    low: float
    high: float | None = None
    if a > 0:
        low, high = max(0.0, (-b - root) / a), (-b + root) / a
    elif c > 0 and (a < 0 or b < 0):
        low = (-b - root) / a if a < 0 else -c / (2 * b)
    else:
        return _no_ratio("too few passes to bound the ratio", estimate, n, total, level)
    return Ratio(
        estimate=estimate,
        interval=None if high is None else Bounds(low, high),
        n=n,
        clusters=n,
        method="fieller",
        scope=Scope.POPULATION,
        status=Status.OK,
        reason="" if high is not None else "unbounded above: too few passes",
        low=low,
        high=high,
        total=total,
        level=level,
    )


def kaplan_meier(times: Sequence[float], ended: Sequence[bool]) -> tuple[tuple[float, float, int, int], ...]:
    """Return, for each time at which something ended: the time, survival just after it, how many ended, how many could."""
    if len(times) != len(ended):
        raise ValueError("every time needs to say whether it ended")
    moments = np.asarray(times, dtype=float)
    steps, events = np.unique(moments[np.asarray(ended, dtype=bool)], return_counts=True)
    at_risk = len(moments) - np.searchsorted(np.sort(moments), steps, side="left")
    survival = np.cumprod(1 - events / at_risk)
    rows = zip(steps.tolist(), survival.tolist(), events.tolist(), at_risk.tolist(), strict=True)
    return tuple(rows)


def restricted_mean(
    times: Sequence[float], limit: float, ended: Sequence[bool] | None = None, *, level: float = LEVEL
) -> RestrictedMean:
    """Return the mean of times cut at a limit; with ``ended`` it is the area under the Kaplan-Meier curve.

    One common limit needs no ``ended``. Not estimable when the last time is cut short before the limit.
    """
    require_level(level)
    require_finite([*times, limit], "a time")
    if limit <= 0 or any(time < 0 for time in times):
        raise ValueError("times and limits are not negative")
    n, at_limit = len(times), sum(time >= limit for time in times)
    estimate = error = None
    reason = "" if n else "no data"
    if n and ended is None:
        cut = np.minimum(np.asarray(times, dtype=float), limit)
        estimate = float(cut.mean())
        error = float(cut.std(ddof=1) / math.sqrt(n)) if n > 1 else None
    elif n and ended is not None:
        if max(times) < limit and not all(over for time, over in zip(times, ended, strict=True) if time == max(times)):
            reason = "the longest time was cut short before the limit"
        else:
            estimate, error = _area(times, ended, limit)
    sure = error is not None and error > TINY
    if estimate is not None and not sure:
        reason = "every time reached the limit" if at_limit == n else "no variation between times"
    half = normal_quantile(level) * error if error is not None else 0.0
    interval = Bounds(max(0.0, estimate - half), min(limit, estimate + half)) if estimate is not None and sure else None
    status = Status.NOT_ESTIMABLE if estimate is None else Status.OK if sure else Status.INDICATIVE
    return RestrictedMean(
        estimate=estimate,
        interval=interval,
        n=n,
        clusters=n,
        method="mean-of-cut-times" if ended is None else "kaplan-meier-area",
        scope=Scope.POPULATION,
        status=status,
        reason=reason,
        error=error,
        limit=float(limit),
        at_limit=at_limit,
    )


def pareto_frontier(points: Sequence[tuple[float, float]]) -> Frontier:
    """Return which points (cost, rate) no other beats: at least as good on both and better on one. Exact ties stay together."""
    require_finite([value for point in points for value in point], "a point")
    members = tuple(not any(x <= cost and y >= rate and (x < cost or y > rate) for x, y in points) for cost, rate in points)
    return Frontier(
        estimate=float(sum(members)) if points else None,
        interval=None,
        n=len(points),
        clusters=len(points),
        method="pareto",
        scope=Scope.TASK_SET,
        status=Status.OK if points else Status.NOT_ESTIMABLE,
        reason="" if points else "no data",
        members=members,
    )


def frontier_shares(
    costs: Sequence[Sequence[float]],
    rates: Sequence[Sequence[float]],
    clusters: Sequence[Hashable] | None = None,
    *,
    replicates: int = 4_000,
    seed: int = SEED,
) -> tuple[float, ...]:
    """Return the share of replicates in which each agent is on the frontier; a paired bootstrap of clusters.

    A row an agent, a column a task. All agents share the weights of a replicate, since they share the tasks.
    """
    cost, rate = np.asarray(costs, dtype=float), np.asarray(rates, dtype=float)
    if cost.ndim != 2 or cost.shape != rate.shape or cost.shape[1] == 0:  # noqa: PLR2004  (agents and tasks)
        raise ValueError("every agent needs cost and rate of every task")
    require_finite([*cost.ravel().tolist(), *rate.ravel().tolist()], "a cost or a rate")
    labels = cluster_labels(clusters, cost.shape[1])
    names = {name: place for place, name in enumerate(dict.fromkeys(labels))}
    codes = [names[label] for label in labels]
    weights = np.random.default_rng(seed).multinomial(len(names), [1 / len(names)] * len(names), size=replicates)[:, codes]
    sizes = weights.sum(axis=1, keepdims=True)
    # Rounded, so that a tie of two agents is one in every replicate.
    x, y = np.round(weights @ cost.T / sizes, 12), np.round(weights @ rate.T / sizes, 12)
    on = np.ones_like(x, dtype=bool)
    for other in range(cost.shape[0]):
        ox, oy = x[:, [other]], y[:, [other]]
        on &= ~((ox <= x) & (oy >= y) & ((ox < x) | (oy > y)))
    return tuple(float(share) for share in on.mean(axis=0))


def paired_cost_ratio(
    first: Sequence[float], second: Sequence[float], clusters: Sequence[Hashable] | None = None, *, level: float = LEVEL
) -> Ratio:
    """Return how many times as much the first costs: the geometric mean of the ratio over tasks, with a cluster t interval."""
    require_level(level)
    require_finite([*first, *second], "a cost")
    if len(first) != len(second) or any(not TINY < value < MOST_COST for value in (*first, *second)):
        raise ValueError("a ratio needs two costs above zero of every task; a missing cost is not zero")
    labels = cluster_labels(clusters, len(first))
    count = len(set(labels))
    if count < 2:  # noqa: PLR2004  (a spread needs two)
        return _no_ratio(
            "no data" if not first else "one task says nothing about others", None, len(first), math.fsum(first), level
        )
    logs = np.log(np.asarray(first, dtype=float) / np.asarray(second, dtype=float))
    names = {name: place for place, name in enumerate(dict.fromkeys(labels))}
    sums = np.bincount([names[label] for label in labels], weights=logs - logs.mean())
    error = math.sqrt(count / (count - 1) * float(np.dot(sums, sums))) / len(logs)
    mean, half = float(logs.mean()), float(stdtrit(count - 1, 0.5 + level / 2)) * error
    if error <= TINY:
        return _no_ratio("no variation between tasks", math.exp(mean), len(logs), math.fsum(first), level)
    bounds = Bounds(math.exp(mean - half), math.exp(mean + half))
    return Ratio(
        estimate=math.exp(mean),
        interval=bounds,
        n=len(logs),
        clusters=count,
        method="geometric-mean-t",
        scope=Scope.POPULATION,
        status=Status.OK,
        low=bounds.low,
        high=bounds.high,
        total=math.fsum(first),
        level=level,
    )


def _area(times: Sequence[float], ended: Sequence[bool], limit: float) -> tuple[float, float]:
    """Return the area under the survival curve up to a limit, and its standard error (Greenwood)."""
    steps = [step for step in kaplan_meier(times, ended) if step[0] < limit]
    edges = [0.0, *(step[0] for step in steps), float(limit)]
    heights = [1.0, *(step[1] for step in steps)]
    pieces = [(right - left) * height for left, right, height in zip(edges[:-1], edges[1:], heights, strict=True)]
    variance = 0.0
    for place, (_, _, events, at_risk) in enumerate(steps):
        if at_risk > events:
            variance += math.fsum(pieces[place + 1 :]) ** 2 * events / (at_risk * (at_risk - events))
    return math.fsum(pieces), math.sqrt(variance)


def _no_ratio(reason: str, estimate: float | None, n: int, total: float, level: float) -> Ratio:
    return Ratio(
        estimate=estimate,
        interval=None,
        n=n,
        clusters=n,
        method="none",
        scope=Scope.POPULATION,
        status=Status.NOT_ESTIMABLE,
        reason=reason,
        low=None,
        high=None,
        total=total,
        level=level,
    )
