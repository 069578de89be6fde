"""Who is clearly dominated: another agent is shown to be cheaper and, by a test of its own, shown to pass more."""

from collections.abc import Hashable, Sequence

import numpy as np

from faultline.statistics.many import holm_adjust, one_sided
from faultline.statistics.results import LEVEL, cluster_labels, require_finite, require_level


def clearly_dominated(
    costs: Sequence[Sequence[float]],
    rates: Sequence[Sequence[float]],
    clusters: Sequence[Hashable] | None = None,
    *,
    trials: int = 1,
    level: float = LEVEL,
) -> tuple[tuple[int, ...], ...]:
    """Return, for each agent, the rivals that clearly dominate it, by their places.

    A row an agent, a column a task; ``trials`` is the smallest number of trials of a task. A rival counts when both
    one-sided paired tests over clusters reject (intersection-union: the larger p of the two), with Holm over the rivals of
    an agent. The costs tested are means of the very amounts given, so that the verdict agrees with the axis they stand on.
    """
    require_level(level)
    cost, rate = np.asarray(costs, dtype=float), np.asarray(rates, dtype=float)
    if cost.ndim != 2 or cost.shape != rate.shape or cost.shape[1] == 0:  # noqa: PLR2004  (agents and tasks)
        raise ValueError("every agent needs cost and rate of every task")
    require_finite([*cost.ravel().tolist(), *rate.ravel().tolist()], "a cost or a rate")
    labels = cluster_labels(clusters, cost.shape[1])
    index = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    codes = np.array([index[label] for label in labels], dtype=int)
    behind = np.full(cost.shape[1], float(trials))
    # The guard of the test, where every difference is the same, is made for shares; costs are scaled into their range.
    scale = float(cost.max()) or 1.0
    found = []
    for place in range(len(cost)):
        rivals = [other for other in range(len(cost)) if other != place]
        p_values = [
            max(
                one_sided((cost[place] - cost[other]) / scale, behind, codes),
                one_sided(rate[other] - rate[place], behind, codes),
            )
            for other in rivals
        ]
        adjusted = holm_adjust(p_values)
        found.append(tuple(rival for rival, p in zip(rivals, adjusted, strict=True) if p <= 1 - level))
    return tuple(found)
