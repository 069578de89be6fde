"""Cost against pass rate: who is on the frontier, how surely, and who is clearly dominated."""

from collections.abc import Mapping, Sequence

from faultline.card.board import ApartPoint, Frontier, FrontierPoint, LeaderboardRow
from faultline.card.build_money import BY_TASK, mean_costs
from faultline.records import Absent
from faultline.statistics import SEED, clearly_dominated, frontier_shares, pareto_frontier

REPLICATES = 4_000


def frontier_of(
    rows: Sequence[LeaderboardRow],
    shares: Mapping[str, Mapping[str, float]],
    trials: Mapping[str, BY_TASK],
    families: Mapping[str, str],
) -> Frontier:
    """Return the frontier of some rows; agents without a cost stand apart and are compared with nobody on this axis.

    ``shares`` and ``trials`` are by agent and task. A point that is seldom on the frontier when families are drawn again says
    so; "clearly dominated" needs two tests of one rival, for cost and for passes (see ``clearly_dominated``).
    """
    priced = [(row, row.cost.per_trial) for row in rows if not isinstance(row.cost.per_trial, Absent)]
    apart = tuple(
        ApartPoint(agent=row.agent, why=row.cost.per_trial, pass_at_1=row.pass_at_1, low=row.low, high=row.high)
        for row in rows
        if isinstance(row.cost.per_trial, Absent)
    )
    names = [row.agent for row, _ in priced]
    members = pareto_frontier([(round(cost.usd, 12), row.pass_at_1) for row, cost in priced]).members
    often: Sequence[float] = [1.0] * len(names)
    beaten: Sequence[Sequence[int]] = [()] * len(names)
    if len(names) > 1:
        clusters = list(families.values())
        costs = [list(mean_costs(trials[name]).values()) for name in names]
        rates = [[shares[name][task] for task in families] for name in names]
        fewest = min(len(items) for name in names for items in trials[name].values())
        often = frontier_shares(costs, rates, clusters, replicates=REPLICATES)
        beaten = clearly_dominated(costs, rates, clusters, trials=max(fewest, 1))
    points = [
        FrontierPoint(
            agent=row.agent,
            cost=cost,
            pass_at_1=row.pass_at_1,
            low=row.low,
            high=row.high,
            member=members[place],
            share=often[place],
            # A claim beside the ranking must not say more than the ranking does.
            dominated_by=tuple(sorted({names[rival] for rival in beaten[place]} - set(row.rank.ties))),
        )
        for place, (row, cost) in enumerate(priced)
    ]
    return Frontier(
        points=tuple(points),
        apart=apart,
        seed=SEED,
        replicates=REPLICATES,
        method=(
            "Points: mean cost of a trial and pass@1, missing verdicts as failed. Shares: paired bootstrap of families. "
            "Clearly dominated: both one-sided paired t tests against one rival, Holm over rivals, and separated on the "
            "leaderboard."
        ),
    )
