"""Many agents at once: Holm's adjustment, and the ranks that the data cannot exclude."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from faultline.statistics.paired import TINY, plus_two
from faultline.statistics.rates import FEW_CLUSTERS, TaskCounts
from faultline.statistics.results import LEVEL, Bounds, Result, Scope, Status, cluster_labels, require_level


@dataclass(frozen=True, kw_only=True)
class RankSet(Result):
    """The ranks that one agent may have, 1 being best; simultaneous over all agents."""

    name: str
    low: int
    """The best rank that is not excluded."""
    high: int
    """The worst."""
    agents: int


def holm_adjust(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return adjusted p-values in the order given (Holm 1979): compare each with alpha, however many there are."""
    if any(not 0 <= p <= 1 for p in p_values):
        raise ValueError("a p-value lies between 0 and 1")
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, running = [0.0] * len(p_values), 0.0
    for place, index in enumerate(order):
        running = max(running, p_values[index] * (len(p_values) - place))
        adjusted[index] = min(1.0, running)
    return tuple(adjusted)


def ranks_from(p_better: np.ndarray, level: float = LEVEL) -> tuple[tuple[int, int], ...]:
    """Return best and worst rank of each agent; ``p_better[i, j]`` is one-sided against "i is not better than j"."""
    m = len(p_better)
    pairs = [(i, j) for i in range(m) for j in range(m) if i != j]
    adjusted = holm_adjust([float(p_better[i, j]) for i, j in pairs])
    rejected = {pair for pair, p in zip(pairs, adjusted, strict=True) if p <= 1 - level + TINY}
    beaten_by, beats = [0] * m, [0] * m
    for i, j in rejected:
        beaten_by[j] += 1
        beats[i] += 1
    return tuple((1 + beaten_by[j], m - beats[j]) for j in range(m))


def rank_confidence_sets(
    table: Mapping[str, Sequence[TaskCounts]], clusters: Sequence[Hashable] | None = None, *, level: float = LEVEL
) -> tuple[RankSet, ...]:
    """Return the ranks each agent may have (Mogstad, Romano, Shaikh and Wilhelm 2024), by Holm over all ordered pairs.

    Each row holds an agent's counts of the same tasks in the same order. Two agents are a tie when neither is shown to be
    better; ties are not transitive, so a range is all there is. A pair without two shared clusters separates nobody.
    """
    require_level(level)
    names = list(table)
    n = len(table[names[0]]) if names else 0
    if any(len(rows) != n for rows in table.values()):
        raise ValueError("a ranking needs the counts of every task for every agent")
    labels = cluster_labels(clusters, n)
    index = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    codes = np.array([index[label] for label in labels], dtype=int)
    passes = np.array([[row.passes for row in table[name]] for name in names], dtype=float).reshape(len(names), n)
    trials = np.array([[row.trials for row in table[name]] for name in names], dtype=float).reshape(len(names), n)
    means = np.divide(passes, trials, out=np.zeros_like(passes), where=trials > 0)
    p = np.ones((len(names), len(names)))
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            p[i, j] = one_sided(means[i] - means[j], np.minimum(trials[i], trials[j]), codes)
            p[j, i] = 1 - p[i, j] if p[i, j] < 1 else 1.0
    ranges = ranks_from(p, level)
    used = (trials > 0).sum(axis=1)
    found = []
    for place, (name, (low, high)) in enumerate(zip(names, ranges, strict=True)):
        count = len(set(codes[trials[place] > 0].tolist()))
        data = bool(used[place])
        status = Status.NOT_ESTIMABLE if not data else Status.OK if count >= FEW_CLUSTERS else Status.INDICATIVE
        found.append(
            RankSet(
                estimate=float(means[place][trials[place] > 0].mean()) if data else None,
                interval=Bounds(float(low), float(high)),
                n=int(used[place]),
                clusters=count,
                method="holm-paired-t",
                scope=Scope.POPULATION,
                status=status,
                reason="" if status is Status.OK else f"only {count} independent tasks or templates" if data else "no data",
                name=name,
                low=low,
                high=high,
                agents=len(names),
            )
        )
    return tuple(found)


def one_sided(d: np.ndarray, trials: np.ndarray, codes: np.ndarray) -> float:
    """Return p against "the first is not better"; 1 when fewer than two clusters are shared."""
    shared = trials > 0
    if not shared.all():
        d, trials, codes = d[shared], trials[shared], codes[shared]
        _, codes = np.unique(codes, return_inverse=True)
    sizes = np.bincount(codes) if len(codes) else np.zeros(0)
    count = len(sizes)
    if count < 2:  # noqa: PLR2004  (a spread needs two)
        return 1.0
    mean = float(d.mean())
    sums = np.bincount(codes, weights=d - mean)
    error, df = math.sqrt(count / (count - 1) * float(np.dot(sums, sums))) / len(d), float(count - 1)
    if error <= TINY:
        _, error, df = plus_two(np.bincount(codes, weights=d) / sizes, int(trials.min()))
    return float(stdtr(df, -mean / error))
