"""How often the intervals of faultline.statistics cover the truth, by a seeded simulation.

    python benchmarks/coverage.py [--replicates 2000]

Nominal 95 %. Task difficulty is Beta with an intraclass correlation of .5 between templates. The last column is the Monte
Carlo error, two standard errors of the share.
"""

import argparse
import math
import sys
from pathlib import Path

# Scripts of this folder have names of other modules, which must win.
sys.path = [place for place in sys.path if Path(place or ".").resolve() != Path(__file__).resolve().parent]

import numpy as np  # noqa: E402

from faultline.statistics import Scope, TaskCounts, paired_difference, pass_rate, resolvable_gap  # noqa: E402

SEED = 20_261_130
RATES = (
    # templates, variants, trials, rate
    (20, 1, 1, 0.9),
    (20, 1, 5, 0.7),
    (50, 1, 10, 0.95),
    (10, 5, 3, 0.7),
    (10, 20, 3, 0.9),
    (50, 4, 3, 0.5),
)


def difficulties(rng, clusters, rate, icc=0.5):
    """Return a chance to pass for each template."""
    whole = (1 - icc) / icc
    return rng.beta(rate * whole, (1 - rate) * whole, size=clusters)


def population(rng, replicates):
    for clusters, variants, trials, rate in RATES:
        labels = None if variants == trials == 1 else [place // variants for place in range(clusters * variants)]
        hits = width = 0
        for _ in range(replicates):
            chances = np.repeat(difficulties(rng, clusters, rate), variants)
            counts = [TaskCounts(int(c), trials) for c in rng.binomial(trials, chances)]
            found = pass_rate(counts, labels)
            hits += found.low <= rate <= found.high
            width += found.high - found.low
        yield f"pass rate, {clusters} templates x {variants} x {trials}, p={rate}", hits, width / replicates, 95


def task_set(rng, replicates):
    for tasks, trials, rate in ((20, 3, 0.7), (50, 10, 0.95)):
        hits = width = 0
        for _ in range(replicates):
            chances = difficulties(rng, tasks, rate)
            counts = [TaskCounts(int(c), trials) for c in rng.binomial(trials, chances)]
            found = pass_rate(counts, scope=Scope.TASK_SET)
            hits += found.low <= chances.mean() <= found.high
            width += found.high - found.low
        yield f"task set, {tasks} tasks x {trials}, p={rate}", hits, width / replicates, 95


def differences(rng, replicates):
    for clusters, variants, trials in ((30, 1, 1), (20, 1, 5), (10, 10, 3)):
        labels = None if variants == 1 else [place // variants for place in range(clusters * variants)]
        hits = width = 0
        for _ in range(replicates):
            a, b = (np.repeat(difficulties(rng, clusters, 0.6), variants) for _ in range(2))
            first = [TaskCounts(int(c), trials) for c in rng.binomial(trials, a)]
            second = [TaskCounts(int(c), trials) for c in rng.binomial(trials, b)]
            found = paired_difference(first, second, labels)
            hits += found.interval.low <= 0 <= found.interval.high
            width += found.interval.width
        yield f"difference, {clusters} templates x {variants} x {trials}", hits, width / replicates, 95


def gaps(rng, replicates):
    """Count how seldom a fresh pair of identical passes reaches the gap; with and without a shock common to a pass."""
    for tasks, passes, shock in ((20, 10, 0.0), (50, 5, 0.4), (50, 10, 0.4)):
        below = width = counted = 0
        for _ in range(replicates):
            logits = rng.normal(0, 2, size=(tasks, 1)) + rng.normal(0, shock, size=(1, passes + 2))
            y = (rng.random((tasks, passes + 2)) < 1 / (1 + np.exp(-logits))).astype(int)
            gap = resolvable_gap(y[:, :passes].tolist(), draws=199)
            if gap.critical_gap is not None:
                counted += 1
                below += abs(int(y[:, -1].sum()) - int(y[:, -2].sum())) < gap.critical_gap
                width += gap.critical_gap
        yield (
            f"gap not reached, {tasks} tasks, {passes} passes, shock {shock}",
            below * replicates / max(1, counted),
            width / max(1, counted),
            95,
        )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--replicates", type=int, default=2000)
    replicates = parser.parse_args().replicates
    rng = np.random.default_rng(SEED)
    print(f"{'design':54} {'covers':>7} {'width':>7} {'+-':>5}")
    for part in (population, task_set, differences, gaps):
        for name, hits, width, _ in part(rng, replicates):
            share = hits / replicates
            error = 2 * math.sqrt(max(share * (1 - share), 1e-9) / replicates)
            print(f"{name:54} {100 * share:6.1f}% {width:7.3f} {100 * error:4.1f}%")


if __name__ == "__main__":
    main()
