"""What a run spent, by what it bought: scored trials, retries, trials without a verdict, refused results."""

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal

from faultline.card.build_trials import NO_COST
from faultline.card.model import SpendRow, UnknownCounts
from faultline.gates import RunFacts
from faultline.kinds import Absence
from faultline.records import Absent, Attempt, Trial, not_applicable, unknown

_MEANINGS = {
    "scored": "Attempts that ended a trial with a verdict.",
    "retried": "Attempts that another one followed: faults, attempts of workers that died, all but the last of best-of-k.",
    "invalid": "Attempts that ended a trial without a verdict.",
    "refused": "Attempts whose result was refused, since the cell had one already or its worker had lost the claim.",
    "whole": "All of it.",
}


def spend_of(run: RunFacts, trials: Sequence[Trial]) -> tuple[SpendRow, ...]:
    """Return a row for each thing that attempts bought, and the whole; an attempt stands in one row besides the whole."""
    groups: dict[str, list[tuple[Attempt, str]]] = {word: [] for word in _MEANINGS}
    counted = set()
    for trial in trials:
        agent = trial.key.agent
        groups["retried"] += [(attempt, agent) for attempt in trial.attempts[:-1]]
        groups["scored" if trial.outcome.scoreable else "invalid"].append((trial.last, agent))
        counted |= {(trial.key, attempt.number, attempt.started_at, attempt.ended_at) for attempt in trial.attempts}
    for conflict in run.refused:
        last = conflict.trial.last
        # The same execution may stand in the result that counts, when only something beside it differs.
        mark = (conflict.key, last.number, last.started_at, last.ended_at)
        if mark not in counted:
            groups["refused"].append((last, conflict.key.agent))
            counted.add(mark)
    groups["whole"] = [item for word in _MEANINGS for item in groups[word]]
    controls = {name for name, agent in run.agents.items() if agent.kind.is_control}
    return tuple(_row(word, [(attempt, agent in controls) for attempt, agent in groups[word]]) for word in _MEANINGS)


def unknowns_of(run: RunFacts, trials: Sequence[Trial]) -> UnknownCounts:
    """Count how writes whose reply was lost were settled, and attempts of which nothing is known."""
    states = Counter[str](settlement.state for settlement in run.settlements)
    return UnknownCounts(
        recorded=states["recorded"],
        absent=states["absent"],
        conflicting=states["conflicting"],
        lost_attempts=sum(attempt.end == "unknown" for trial in trials for attempt in trial.attempts),
    )


def _row(bought: str, attempts: Sequence[tuple[Attempt, bool]]) -> SpendRow:
    costs = [(NO_COST if control and isinstance(item.cost, Absent) else item.cost) for item, control in attempts]
    usages = [(NO_COST if control and isinstance(item.usage, Absent) else item.usage) for item, control in attempts]
    dollars = [cost if isinstance(cost, Absent) else cost.usd for cost in costs]
    tokens = [usage if isinstance(usage, Absent) else usage.output for usage in usages]
    agent = [item.timing.agent for item, _ in attempts]
    grading = [item.timing.grading for item, _ in attempts]
    return SpendRow(
        bought=bought,  # type: ignore[arg-type]  # the model checks the word
        meaning=_MEANINGS[bought],
        attempts=len(attempts),
        usd=_nothing(dollars) or sum((item for item in dollars if not isinstance(item, Absent)), Decimal(0)),
        usd_unknown=_unknowns(dollars),
        output_tokens=_nothing(tokens) or sum(item for item in tokens if not isinstance(item, Absent)),
        output_tokens_unknown=_unknowns(tokens),
        agent_seconds=_nothing(agent) or round(sum(item for item in agent if not isinstance(item, Absent)), 6),
        grading_seconds=_nothing(grading) or round(sum(item for item in grading if not isinstance(item, Absent)), 6),
        seconds_unknown=sum(_is_unknown(one) or _is_unknown(other) for one, other in zip(agent, grading, strict=True)),
    )


def _nothing(values: Sequence[object]) -> Absent | None:
    """Return why there is no sum, or None when some value is known: nothing known is not zero."""
    if not values:
        return not_applicable("there is no such attempt")
    if any(not isinstance(value, Absent) for value in values):
        return None
    return unknown("no such attempt told") if _unknowns(values) else not_applicable("no such attempt has one")


def _unknowns(values: Iterable[object]) -> int:
    return sum(_is_unknown(value) for value in values)


def _is_unknown(value: object) -> bool:
    return isinstance(value, Absent) and value.absence is Absence.UNKNOWN
