"""How some agents stand on the tasks they share: the one computation behind the leaderboard and ``faultline compare``.

Estimand: macro pass@1, the mean over tasks of the share of passed trials; a task counts once. The unit of resampling is the
family, so that tasks of one template are one cluster. A trial without a verdict is never dropped in silence: it is counted as
failed, left out and counted as passed, and a claim that one agent is better has to hold whatever it would have been.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from faultline.gates import RunFacts
from faultline.kinds import Fold
from faultline.records import Trial
from faultline.statistics import (
    ALPHA,
    Bounds,
    Difference,
    MissingBounds,
    PlannedCounts,
    TaskCounts,
    fisher_exact,
    holm_adjust,
    missing_outcome_bounds,
    paired_difference,
    rank_confidence_sets,
)

MISSING_APART = 0.02
"""Shares of missing verdicts that differ by more than this make the bounds the answer."""


@dataclass(frozen=True)
class TaskOutcomes:
    """What came of the planned trials of one agent."""

    rows: tuple[PlannedCounts, ...]
    """A row a task, in one order for all agents."""
    copies: int
    """Trials that repeat another one's transcript and are not counted."""


@dataclass(frozen=True)
class Standing:
    """One agent with its three numbers and the ranks that the data cannot exclude."""

    name: str
    rate: MissingBounds
    """As failures (``lower``), scoreable only (``excluded``), as passes (``upper``)."""
    copies: int
    headline: str
    """The number to show, by the display rule."""
    rank_low: int
    """The best rank that is not excluded, by the rank confidence sets and by the pairs below."""
    rank_high: int


@dataclass(frozen=True)
class Pair:
    """Two agents: the first minus the second."""

    first: str
    second: str
    difference: Difference
    p_holm: float | None
    """Adjusted over all pairs."""
    bounds: Bounds
    """Of the difference, whatever the missing verdicts would have been."""
    missing_differ: bool
    """Whether the shares of missing verdicts differ, so that the bounds are the answer."""
    separated: bool
    sentence: str


@dataclass(frozen=True)
class Field:
    """All agents of a comparison, in the order they were given."""

    standings: tuple[Standing, ...]
    pairs: tuple[Pair, ...]
    order_note: str
    """Whether the order of the agents depends on how missing verdicts are counted."""


def outcomes_of(runs: Sequence[RunFacts], agent: str, tasks: Sequence[str]) -> TaskOutcomes:
    """Return what came of each task for an agent over all of some runs.

    Planned trials without a record are among the missing; trials that repeat a transcript of the same task count once.
    """
    planned = dict.fromkeys(tasks, 0)
    for run in runs:
        for cell in run.manifest.cells:
            if cell.agent == agent and cell.task in planned:
                planned[cell.task] += 1
    rows, copies = [], 0
    for task in tasks:
        kept, repeated = _distinct(trial for run in runs for trial in run.by_task.get(task, ()) if trial.key.agent == agent)
        whole = max(planned[task] - repeated, len(kept))
        passed = sum(trial.outcome.fold is Fold.PASSED for trial in kept)
        verdicts = sum(trial.outcome.scoreable for trial in kept)
        rows.append(PlannedCounts(passed, whole, whole - verdicts))
        copies += repeated
    return TaskOutcomes(tuple(rows), copies)


def field_of(outcomes: Mapping[str, TaskOutcomes], families: Sequence[str]) -> Field:
    """Return how agents stand; ``families`` has the family of each task, in the order of the rows."""
    clusters = families if len(set(families)) < len(families) else None
    standings = tuple(_standing(name, item, clusters) for name, item in outcomes.items())
    pairs = tuple(_pairs(standings, outcomes, clusters))
    return Field(tuple(_ranked(standings, pairs, outcomes, clusters)), pairs, _order_note(standings))


def _distinct(trials: Iterator[Trial]) -> tuple[list[Trial], int]:
    """Return the trials with a transcript of their own, and how many repeat one."""
    seen: set[str] = set()
    kept: list[Trial] = []
    repeated = 0
    for trial in trials:
        traces = {artifact.sha256 for artifact in trial.last.artifacts if artifact.role == "trace"}
        if trial.duplicate_of is not None or traces & seen:
            repeated += 1
            continue
        seen |= traces
        kept.append(trial)
    return kept, repeated


def _standing(name: str, outcomes: TaskOutcomes, clusters: Sequence[str] | None) -> Standing:
    rate = missing_outcome_bounds(outcomes.rows, clusters)
    return Standing(name, rate, outcomes.copies, _headline(rate), 1, 1)


def _ranked(
    standings: Sequence[Standing],
    pairs: Sequence[Pair],
    outcomes: Mapping[str, TaskOutcomes],
    clusters: Sequence[str] | None,
) -> Iterator[Standing]:
    """Yield the agents with the ranks that nothing here excludes.

    The widest of the confidence sets by t, with missing verdicts left out and counted as failed, and of the pairs, which are
    exact for few clusters and hold whatever the missing verdicts would have been.
    """
    scoreable = {name: [row.scoreable for row in item.rows] for name, item in outcomes.items()}
    sets = [rank_confidence_sets(scoreable, clusters)]
    if any(standing.rate.missing for standing in standings):
        as_failures = {name: [TaskCounts(row.passes, row.planned) for row in item.rows] for name, item in outcomes.items()}
        sets.append(rank_confidence_sets(as_failures, clusters))
    better, worse = dict.fromkeys(outcomes, 0), dict.fromkeys(outcomes, 0)
    for pair in pairs:
        if pair.separated:
            ahead = (pair.difference.estimate or 0.0) > 0
            winner, loser = (pair.first, pair.second) if ahead else (pair.second, pair.first)
            worse[winner] += 1
            better[loser] += 1
    for place, standing in enumerate(standings):
        yield replace(
            standing,
            rank_low=min(1 + better[standing.name], *(found[place].low for found in sets)),
            rank_high=max(len(standings) - worse[standing.name], *(found[place].high for found in sets)),
        )


def _headline(rate: MissingBounds) -> str:
    """Return the number to show: the scoreable one with the bounds beside it, or the bounds where they are wide."""
    if rate.lower is None or rate.upper is None:
        return "no data"
    bounds = f"{percent(rate.lower)} to {percent(rate.upper)}"
    lost = f"{rate.missing} of {rate.planned} trials have no verdict"
    if rate.excluded is None or rate.bounds_lead:
        return f"between {bounds} ({lost})"
    text = percent(rate.excluded)
    interval = rate.sampling.interval
    unit = f"{rate.sampling.clusters} {'family' if rate.sampling.clusters == 1 else 'families'}"
    word = "indicative, " if rate.sampling.status == "indicative" else ""
    if interval is None:
        text += f" ({rate.sampling.reason})"
    else:
        few = "; few tasks on one side: conservative interval" if rate.sampling.method.startswith("wilson-clusters") else ""
        text += (
            f" ({word}{percent(interval.low)} to {percent(interval.high)}, new tasks like these; {rate.n} tasks, {unit}{few})"
        )
    return text + (f" ({bounds} counting {rate.missing} trials without a verdict)" if rate.missing else "")


def _pairs(
    standings: Sequence[Standing], outcomes: Mapping[str, TaskOutcomes], clusters: Sequence[str] | None
) -> Iterator[Pair]:
    couples = list(combinations(standings, 2))
    counts = {name: [row.scoreable for row in item.rows] for name, item in outcomes.items()}
    found = [paired_difference(counts[a.name], counts[b.name], clusters) for a, b in couples]
    # A pair that cannot be tested separates nobody, and still counts among the claims.
    adjusted = holm_adjust([1.0 if item.p_value is None else item.p_value for item in found])
    for (a, b), difference, p in zip(couples, found, adjusted, strict=True):
        bounds = Bounds(
            (a.rate.lower or 0.0) - (1.0 if b.rate.upper is None else b.rate.upper),
            (1.0 if a.rate.upper is None else a.rate.upper) - (b.rate.lower or 0.0),
        )
        differ = _missing_differ(a.rate, b.rate)
        shown = difference.p_value is not None and p <= ALPHA
        # Where verdicts are missing unevenly, no choice about them may make the difference.
        separated = shown and not (differ and bounds.low <= 0 <= bounds.high)
        p_holm = None if difference.p_value is None else p
        yield Pair(
            a.name,
            b.name,
            difference,
            p_holm,
            bounds,
            differ,
            separated,
            _sentence(a, b, difference, p_holm, bounds, differ, separated),
        )


def _missing_differ(a: MissingBounds, b: MissingBounds) -> bool:
    """Return whether the shares of missing verdicts differ: by Fisher's test, or by more than two points."""
    if not a.planned or not b.planned:
        return True
    if not a.missing and not b.missing:
        return False
    apart = abs(a.missing / a.planned - b.missing / b.planned)
    return apart > MISSING_APART or fisher_exact(a.missing, a.planned, b.missing, b.planned) < ALPHA


def _sentence(
    a: Standing, b: Standing, difference: Difference, p: float | None, bounds: Bounds, differ: bool, separated: bool
) -> str:
    """Return the comparison in words."""
    name = f"{a.name} - {b.name}"
    if difference.estimate is None or difference.interval is None or p is None:
        return f"{name}: not estimable, {difference.reason}"
    interval = difference.interval
    text = (
        f"{name} = {points(difference.estimate)} points ({points(interval.low)} to {points(interval.high)}), "
        f"p = {difference.p_value:.2g} ({difference.test}), {p:.2g} after Holm, {difference.n} shared tasks"
    )
    if difference.mid_p is not None:
        text += f", mid-p {difference.mid_p:.2g}"
    if difference.status == "indicative":
        text += f"; indicative, {difference.reason}"
    if differ:
        text += (
            f"; verdicts are missing unevenly, so the difference lies between {points(bounds.low)} and {points(bounds.high)}"
        )
    if not separated:
        text += "; not distinguishable with these tasks"
        if difference.detectable is not None:
            text += f" (a true difference of {100 * difference.detectable:.0f} points would be found four times in five)"
    return text + "."


def _order_note(standings: Sequence[Standing]) -> str:
    """Say whether the order of the agents depends on what is done with missing verdicts."""
    turned = []
    for a, b in combinations(standings, 2):
        x, y = a.rate, b.rate
        if not x.missing and not y.missing:
            continue
        lower = (x.lower or 0.0) - (y.lower or 0.0)
        signs = {_sign(lower)}
        if x.excluded is not None and y.excluded is not None:
            signs.add(_sign(x.excluded - y.excluded))
        signs.add(_sign((x.lower or 0.0) - (1.0 if y.upper is None else y.upper)))
        signs.add(_sign((1.0 if x.upper is None else x.upper) - (y.lower or 0.0)))
        if len(signs) > 1:
            turned.append(f"{a.name} and {b.name}")
    if not any(standing.rate.missing for standing in standings):
        return "Every planned trial has a verdict, so no choice about missing ones was made."
    if not turned:
        return "The order is the same however missing verdicts are counted."
    return f"The order depends on how missing verdicts are counted: {'; '.join(turned)}."


def _sign(value: float) -> int:
    return 0 if abs(value) < 1e-12 else 1 if value > 0 else -1  # noqa: PLR2004  (zero but for rounding)


def percent(value: float) -> str:
    """Return a share as people read it."""
    return f"{100 * value:.1f} %"


def points(value: float) -> str:
    """Return a difference of two shares in points, with its sign."""
    return f"{100 * value:+.1f}"
