"""One trial as the pages list it, with what it used; what is unknown stays unknown and is never added as zero."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import TypeVar

from faultline.card.model import TrialRow
from faultline.gates import RunFacts, cell_label
from faultline.kinds import Absence
from faultline.records import Absent, Trial, Usage, not_applicable

T = TypeVar("T", int, float, Decimal)
_TOKENS = ("uncached_input", "cache_read", "cache_write", "output", "reasoning", "requests")
NO_COST = not_applicable("a control repairs without a model")
"""Why a control has neither cost nor tokens."""


def trial_row(trial: Trial, run: RunFacts) -> TrialRow:
    """Return a trial as a row; cost and tokens are those of all its attempts, times those of the one that counts."""
    key, outcome, last = trial.key, trial.outcome, trial.last
    agent = run.agents.get(key.agent)
    control = agent is not None and agent.kind.is_control
    public, checks = outcome.public, outcome.checks
    return TrialRow(
        run=key.run,
        task=key.task,
        variant=key.variant,
        agent=key.agent,
        trial=key.trial,
        anchor=cell_label(trial),
        verdict=outcome.verdict,
        status=outcome.status,
        fold=outcome.fold,
        mode=outcome.mode,
        rule=outcome.rule,
        scoreable=outcome.scoreable,
        reasons=outcome.reasons,
        note=outcome.note,
        public_passed=public if isinstance(public, Absent) else public.passed,
        public_total=public if isinstance(public, Absent) else public.passed + len(public.failed) + len(public.missing),
        regressed=() if isinstance(public, Absent) else public.regressed,
        checks_passed=checks if isinstance(checks, Absent) else sum(check.result == "passed" for check in checks),
        checks_total=checks if isinstance(checks, Absent) else len(checks),
        checks_not_passed=()
        if isinstance(checks, Absent)
        else tuple(check.check for check in checks if check.result != "passed"),
        attempts=len(trial.attempts),
        attempts_complete=trial.attempts_complete,
        usd=cost_of_trial(trial, control=control),
        usage=usage_of_trial(trial, control=control),
        agent_seconds=last.timing.agent,
        grading_seconds=last.timing.grading,
        started_at=trial.attempts[0].started_at,
        candidate=last.candidate,
        changes=trial.changes,
        artifacts=last.artifacts,
        evidence=outcome.evidence,
        source=trial.source,
    )


def cost_of_trial(trial: Trial, *, control: bool) -> Decimal | Absent:
    """Return what all attempts of a trial cost together; one unknown part makes the whole unknown."""
    costs = costs_of(trial, control=control)
    return total(costs, lambda parts: sum(parts, Decimal(0)))


def costs_of(trial: Trial, *, control: bool) -> tuple[Decimal | Absent, ...]:
    """Return the cost of each attempt; that of a control does not apply."""
    return tuple(
        (NO_COST if control else attempt.cost) if isinstance(attempt.cost, Absent) else attempt.cost.usd
        for attempt in trial.attempts
    )


def usage_of_trial(trial: Trial, *, control: bool) -> Usage | Absent:
    """Return the tokens of all attempts of a trial, summed field by field."""
    parts = [attempt.usage for attempt in trial.attempts]
    used = [part for part in parts if isinstance(part, Usage)]
    if not used:
        return NO_COST if control else first_absence(parts)
    if len(parts) == 1:
        return used[0]
    fields: dict[str, int | Absent] = {}
    for name in _TOKENS:
        fields[name] = total(tuple(part if isinstance(part, Absent) else getattr(part, name) for part in parts), sum)
    sources = {part.source for part in used}
    return Usage(**fields, source=used[0].source if len(sources) == 1 else "derived")


def total(parts: Sequence[T | Absent], add: Callable[[Iterable[T]], T]) -> T | Absent:
    """Return the sum of parts, or why there is none: unknown as soon as one part is."""
    absent = [part for part in parts if isinstance(part, Absent)]
    known = [part for part in parts if not isinstance(part, Absent)]
    # A step that did not take place, or cannot have a value, adds nothing; one that nobody recorded leaves the sum open.
    unknown = [part for part in absent if part.absence not in (Absence.NOT_RUN, Absence.NOT_APPLICABLE)]
    if unknown or not known:
        return first_absence(parts)
    return add(known)


def first_absence(parts: Iterable[object]) -> Absent:
    """Return the absence that stands for all of them; an unknown one before the others."""
    absent = [part for part in parts if isinstance(part, Absent)]
    unknown = [part for part in absent if part.absence is Absence.UNKNOWN]
    return (unknown or absent or [not_applicable("there is no attempt")])[0]
