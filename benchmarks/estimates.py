"""Print the figures that the statistics are held to, each on made-up data with a recorded seed.

python benchmarks/estimates.py [--repeat 3]

card statistics for 1,000,000 trials (50 agents, 500 tasks) from memory   within 5 s
rank sets for 50 agents on 500 tasks                                      within 2 s
leaderboard of the same: three numbers, pairs, ranks, frontier            within 5 s
resolvable gap for 500 tasks and 10 passes                                within 0.5 s
"""

import argparse
import sys
import time
from pathlib import Path

# This script has the name of a module of the standard library, which must win.
sys.path = [place for place in sys.path if Path(place or ".").resolve() != Path(__file__).resolve().parent]

import numpy as np  # noqa: E402

from faultline.card.standing import TaskOutcomes, field_of  # noqa: E402
from faultline.statistics import (  # noqa: E402
    SEED,
    PlannedCounts,
    Scope,
    TaskCounts,
    clearly_dominated,
    describe,
    frontier_shares,
    missing_outcome_bounds,
    pass_rate,
    rank_confidence_sets,
    ratio_of_means,
    resolvable_gap,
    time_quantile,
    variance_components,
)

AGENTS, TASKS, TRIALS = 50, 500, 40
LIMIT = 120.0
"""Seconds after which a made-up trial was ended."""


def made_up(rng):
    """Return a million trials as columns: agent, task, fold (0 passed, 1 failed, 2 no verdict), seconds, dollars."""
    n = AGENTS * TASKS * TRIALS
    agent = np.repeat(np.arange(AGENTS), TASKS * TRIALS)
    task = np.tile(np.repeat(np.arange(TASKS), TRIALS), AGENTS)
    order = rng.permutation(n)
    chance = 1 / (1 + np.exp(-(rng.normal(0, 0.4, AGENTS)[agent] + rng.normal(0, 1.5, TASKS)[task])))
    fold = np.where(rng.random(n) < 0.01, 2, (rng.random(n) >= chance).astype(int))
    return agent[order], task[order], fold[order], rng.gamma(2, 30, n), rng.gamma(2, 0.05, n)


def card(agent, task, fold, seconds, dollars):
    """Return what a card says of each agent: rate in both scopes, bounds, components, cost of a pass, five numbers."""
    cell = agent * TASKS + task
    counts = np.bincount(cell * 3 + fold, minlength=AGENTS * TASKS * 3).reshape(AGENTS, TASKS, 3)
    spent = np.bincount(cell, weights=dollars, minlength=AGENTS * TASKS).reshape(AGENTS, TASKS)
    order = np.argsort(agent, kind="stable")
    times = np.split(seconds[order], np.cumsum(np.bincount(agent, minlength=AGENTS))[:-1])
    clusters = [place // 5 for place in range(TASKS)]
    table, found = {}, []
    for who in range(AGENTS):
        passed, failed, lost = (counts[who, :, kind].tolist() for kind in range(3))
        rows = [TaskCounts(c, c + f) for c, f in zip(passed, failed, strict=True)]
        table[f"agent-{who}"] = rows
        planned = [PlannedCounts(c, c + f + u, u) for c, f, u in zip(passed, failed, lost, strict=True)]
        found.append(
            (
                pass_rate(rows, clusters),
                pass_rate(rows, clusters, scope=Scope.TASK_SET),
                missing_outcome_bounds(planned, clusters),
                variance_components(passed, [row.trials for row in rows]),
                ratio_of_means((spent[who] / TRIALS).tolist(), [row.passes / row.trials for row in rows]),
                describe(times[who].tolist()),
                time_quantile(np.minimum(times[who], LIMIT).tolist(), (times[who] < LIMIT).tolist(), 0.9),
            )
        )
    return table, found


def standing(agent, task, fold, dollars):
    """Return what a leaderboard says beside that: how agents stand on all tasks, and who is clearly dominated."""
    cell = agent * TASKS + task
    counts = np.bincount(cell * 3 + fold, minlength=AGENTS * TASKS * 3).reshape(AGENTS, TASKS, 3)
    costs = (np.bincount(cell, weights=dollars, minlength=AGENTS * TASKS) / TRIALS).reshape(AGENTS, TASKS).tolist()
    families = [f"family-{place // 5}" for place in range(TASKS)]
    outcomes = {
        f"agent-{who}": TaskOutcomes(tuple(PlannedCounts(c, c + f + u, u) for c, f, u in counts[who].tolist()), 0)
        for who in range(AGENTS)
    }
    field = field_of(outcomes, families)
    rates = [[row.passes / row.planned for row in item.rows] for item in outcomes.values()]
    return field, frontier_shares(costs, rates, families), clearly_dominated(costs, rates, families, trials=TRIALS)


def timed(repeat, work, *arguments):
    """Return the least and the most of several runs, and the last result."""
    taken = []
    for _ in range(repeat):
        start = time.perf_counter()
        result = work(*arguments)
        taken.append(time.perf_counter() - start)
    return min(taken), max(taken), result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=3)
    repeat = parser.parse_args().repeat
    rng = np.random.default_rng(SEED)
    columns = made_up(rng)
    least, most, (table, _) = timed(repeat, card, *columns)
    print(
        f"card statistics, {len(columns[0]):,} trials, {AGENTS} agents, {TASKS} tasks: "
        f"{least:.2f} to {most:.2f} s (held to 5 s)"
    )
    clusters = [place // 5 for place in range(TASKS)]
    least, most, _ = timed(repeat, rank_confidence_sets, table, clusters)
    print(f"rank sets, {AGENTS} agents: {least:.2f} to {most:.2f} s (held to 2 s)")
    agent, task, fold, _, dollars = columns
    least, most, (field, _, _) = timed(repeat, standing, agent, task, fold, dollars)
    print(
        f"leaderboard, {AGENTS} agents, {len(field.pairs):,} pairs: {least:.2f} to {most:.2f} s (held to 5 s); "
        f"{sum(pair.separated for pair in field.pairs):,} separated"
    )
    matrix = (rng.random((TASKS, 10)) < rng.beta(1, 1, (TASKS, 1))).astype(int).tolist()
    least, most, gap = timed(repeat, resolvable_gap, matrix)
    print(f"resolvable gap, {TASKS} tasks, 10 passes: {least:.3f} to {most:.3f} s (held to 0.5 s); {gap.critical_gap} cases")


if __name__ == "__main__":
    main()
