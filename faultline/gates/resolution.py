"""G9: could this design tell two agents apart, and is every ranking by ranges?

What can be found follows from the number of families and of trials alone; no result enters the number that is shown. That each
pair of agents has a paired interval and each agent a range of ranks is computed here and not shown: nothing about agents is
said while a gate does not hold.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from faultline.gates.facts import Facts, RunFacts
from faultline.gates.gate import Finding, Gate, and_outdated, count_of, lack
from faultline.gates.model import Lack, Link
from faultline.gates.policy import Policy, Threshold
from faultline.kinds import Fold
from faultline.statistics import (
    POWER,
    Status,
    TaskCounts,
    detectable_by_design,
    paired_difference,
    rank_confidence_sets,
)

DETECTABLE = Threshold(
    "G9", "detectable_difference", 0.3, "less", 0.001, "True difference of two agents that the design finds four times in five."
)


def probe(facts: Facts, policy: Policy) -> Finding:
    """Compute what the design can find, and whether every pair has an interval and every agent a range of ranks."""
    allowed = policy[DETECTABLE]
    if not facts.claims:
        return Finding(
            "not-run",
            "No agent that is not a control has been evaluated, so there is nothing to tell apart",
            "No evaluation of an agent was found." + and_outdated(facts),
            unit="points between two agents that the design can find",
            share=0.0,
        )
    families, trials = _shared_families(facts), _fewest(facts.claims)
    lacking: list[Lack] = []
    found = detectable_by_design(families, trials) if families and trials else 1.0
    if round(found, 3) > allowed:
        page = Link(label="Design", kind="gate", target="G1")
        lacking.append(
            lack(page, f"more task families: {families} with {trials} trials of each variant find {_points(found)} points")
        )
    table = _table(facts)
    lacking += _without_range(table, facts)
    lacking += _without_interval(table, facts)
    pairs = len(table) * (len(table) - 1) // 2
    return Finding(
        outcome="fail" if lacking else "pass",
        headline=(
            f"The design is too small: a true difference of {_points(allowed)} points between two agents can go unseen"
            if round(found, 3) > allowed
            else "Some agents have neither a paired interval nor a range of ranks"
            if lacking
            else "The design finds differences of the size that is asked for, and agents are ranked by ranges"
        ),
        saw=(
            f"{count_of(families, 'task family', 'task families')} with {count_of(trials, 'trial')} of each variant: a true "
            f"difference of {_points(found)} points between two agents would be found {100 * POWER:g} times in 100, smaller "
            "ones less often. Above three to five trials more families help and more trials hardly do. "
            f"{count_of(pairs, 'pair')} of agents; a tie is shown as a tie." + and_outdated(facts)
        ),
        observed=_points(found),
        needed=_points(allowed),
        unit="points between two agents that the design can find; less is better",
        share=allowed / found,
        lacking=tuple(lacking),
        evidence=tuple(run.link for run in facts.claims),
    )


def _points(share: float) -> str:
    return f"{100 * share:.1f}"


def _shared_families(facts: Facts) -> int:
    """Return how many families every evaluation planned trials of, in every task."""
    tried = [{cell.task for cell in run.manifest.cells} for run in facts.claims]
    return sum(all(task.id in seen for task in tasks for seen in tried) for tasks in facts.families.values())


def _fewest(runs: Sequence[RunFacts]) -> int:
    """Return the smallest planned number of trials of a task variant; other variants are no repetitions of it."""
    counts = [
        number
        for run in runs
        for number in Counter((cell.task, cell.variant, cell.agent) for cell in run.manifest.cells).values()
    ]
    return min(counts, default=0)


def _table(facts: Facts) -> Mapping[str, tuple[TaskCounts, ...]]:
    """Return each agent's passes and planned trials of every task, all its evaluations together; no verdict is no pass."""
    planned: Counter[tuple[str, str]] = Counter()
    passed: Counter[tuple[str, str]] = Counter()
    for run in facts.claims:
        planned.update((cell.agent, cell.task) for cell in run.cells.values())
        keys = {(t.key.task, t.key.variant, t.key.agent, t.key.trial): t.outcome.fold is Fold.PASSED for t in run.trials}
        passed.update((key[2], key[0]) for key, yes in keys.items() if yes and key in run.cells)
    agents = sorted({name for run in facts.claims for name, agent in run.agents.items() if not agent.kind.is_control})
    return {
        agent: tuple(TaskCounts(passed[agent, task.id], planned[agent, task.id]) for task in facts.tasks) for agent in agents
    }


def _without_range(table: Mapping[str, Sequence[TaskCounts]], facts: Facts) -> Iterator[Lack]:
    """Yield agents for which no range of ranks can be given."""
    for rank in rank_confidence_sets(table, [task.family for task in facts.tasks]):
        if rank.status is Status.NOT_ESTIMABLE or not 1 <= rank.low <= rank.high <= rank.agents:
            yield lack(_link(facts, rank.name), f"a range of ranks for {rank.name}: {rank.reason}")


def _without_interval(table: Mapping[str, Sequence[TaskCounts]], facts: Facts) -> Iterator[Lack]:
    """Yield pairs of agents for which no paired interval with a width can be given."""
    labels = [task.family for task in facts.tasks]
    for one, other in combinations(table, 2):
        found = paired_difference(table[one], table[other], labels)
        if found.status is Status.NOT_ESTIMABLE or found.interval is None or found.interval.width <= 0:
            yield lack(_link(facts, other), f"a paired interval for {one} and {other}: {found.reason}")


def _link(facts: Facts, agent: str) -> Link:
    return next(run.link for run in facts.claims if agent in run.agents)


GATE = Gate(
    id="G9",
    name="Resolution",
    predicate=(
        "By its number of families and trials the design finds a true difference of 30 points between two agents four times in "
        "five; every two agents have a paired interval with a width, and every agent a range of ranks, so that a tie is a tie."
    ),
    why="Twenty tasks cannot order agents that are close. An order without ranges says more than the records do.",
    remedy="Add task families; the number of trials helps little beyond five. Or show no order.",
    command="faultline compare RUN RUN",
    reads=("tasks", "runs"),
    thresholds=(DETECTABLE,),
    probe=probe,
)
