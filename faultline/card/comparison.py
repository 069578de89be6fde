"""Agents compared on the tasks they share: for the people who run the benchmark, and for no page.

Paired by task, clustered by family, with Holm over all pairs. Runs under different protocols are refused and the differences
named. A trial without a verdict is never dropped in silence: three numbers stand beside each other. No page, download, feed
or chart of the site is made from this module.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from faultline.errors import RefusedError
from faultline.gates import RunFacts, protocol_differences
from faultline.kinds import Fold, RunKind
from faultline.records import Trial, digest_of_plain
from faultline.statistics import (
    ALPHA,
    Bounds,
    Difference,
    MissingBounds,
    PlannedCounts,
    RankSet,
    fisher_exact,
    holm_adjust,
    missing_outcome_bounds,
    paired_difference,
    rank_confidence_sets,
)

MISSING_APART = 0.02
"""Shares of missing verdicts that differ by more than this make the bounds the answer."""
SHOWN = 8


@dataclass(frozen=True)
class System:
    """One run of one agent, with its three numbers."""

    run: str
    agent: str
    rate: MissingBounds
    """As failures (``lower``), scoreable only (``excluded``), as passes (``upper``)."""
    copies: int
    """Trials that repeat another one's transcript and are not counted."""
    headline: str
    """The number to show, by the display rule."""
    rank_low: int
    """The best rank that is not excluded, by the rank confidence sets and by the pairs below."""
    rank_high: int


@dataclass(frozen=True)
class Pair:
    """Two systems: the first minus the second."""

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
class Comparison:
    """Everything that the records of some runs say about their agents, on the tasks they share."""

    systems: tuple[System, ...]
    pairs: tuple[Pair, ...]
    tasks: int
    families: int
    rank_note: str
    """Whether the order of the systems depends on how missing verdicts are counted."""
    notes: tuple[str, ...]


def compare(runs: Sequence[RunFacts]) -> Comparison:
    """Compare evaluations of one agent each.

    Raises :class:`RefusedError` when there are fewer than two, when one is no evaluation of a single agent, or when they
    were made under different protocols; the error names every difference.
    """
    if len(runs) < 2:  # noqa: PLR2004  (a pair)
        raise RefusedError("compare", "there is nothing to compare with", expected="two runs or more", found=str(len(runs)))
    for run in runs:
        if run.manifest.kind is RunKind.VALIDITY or len(run.agents) != 1:
            raise RefusedError(
                run.name, "this is not an evaluation of one agent", expected="evaluations", found=run.manifest.kind
            )
    found = [line for other in runs[1:] for line in protocol_differences(runs[0], other)]
    if found:
        more = [f"and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
        raise RefusedError(
            "compare",
            "these runs were made under different protocols, so a difference would not be the agents'",
            expected="the same tasks, limits, sandbox, retry policy and versions",
            found="; ".join(found[:SHOWN] + more),
            next_step="run both under one protocol",
        )
    pins = sorted(runs[0].manifest.tasks, key=lambda pin: pin.id)
    labels = [pin.family for pin in pins]
    clusters = labels if len(set(labels)) < len(labels) else None
    tables, copies = {}, {}
    for run in runs:
        tables[run.name], copies[run.name] = planned_counts(run, [pin.id for pin in pins])
    systems = tuple(_system(run, tables[run.name], copies[run.name], clusters) for run in runs)
    pairs = tuple(_pairs(systems, tables, clusters))
    ranks = rank_confidence_sets({name: [row.scoreable for row in rows] for name, rows in tables.items()}, clusters)
    systems = tuple(_ranked(system, rank, pairs) for system, rank in zip(systems, ranks, strict=True))
    return Comparison(
        systems=systems,
        pairs=pairs,
        tasks=len(pins),
        families=len(set(labels)),
        rank_note=_rank_note(systems),
        notes=tuple(_notes(runs, systems)),
    )


def planned_counts(run: RunFacts, tasks: Sequence[str]) -> tuple[list[PlannedCounts], int]:
    """Return what came of each task, planned trials without a record among the missing; copies of a transcript count once."""
    rows, copies = [], 0
    planned: dict[str, int] = {}
    for cell in run.manifest.cells:
        planned[cell.task] = planned.get(cell.task, 0) + 1
    for task in tasks:
        seen: set[str] = set()
        kept: list[Trial] = []
        repeated = 0
        for trial in run.by_task.get(task, ()):
            traces = {artifact.sha256 for artifact in trial.last.artifacts if artifact.role == "trace"}
            if trial.duplicate_of is not None or traces & seen:
                repeated += 1
                continue
            seen |= traces
            kept.append(trial)
        whole = planned.get(task, 0) - repeated
        passed = sum(trial.outcome.fold is Fold.PASSED for trial in kept)
        verdicts = sum(trial.outcome.scoreable for trial in kept)
        rows.append(PlannedCounts(passed, whole, whole - verdicts))
        copies += repeated
    return rows, copies


def _system(run: RunFacts, rows: list[PlannedCounts], copies: int, clusters: Sequence[str] | None) -> System:
    rate = missing_outcome_bounds(rows, clusters)
    return System(run.name, next(iter(run.agents)), rate, copies, _headline(rate), 1, 1)


def _ranked(system: System, rank: RankSet, pairs: Sequence[Pair]) -> System:
    """Return a system with its ranks: the wider of the confidence set, by t, and of the pairs, exact for few."""
    better = worse = 0
    for pair in pairs:
        if pair.separated and system.run in (pair.first, pair.second):
            ahead = (pair.difference.estimate or 0.0) > 0
            worse += ahead == (pair.first == system.run)
            better += ahead != (pair.first == system.run)
    return replace(system, rank_low=min(rank.low, 1 + better), rank_high=max(rank.high, rank.agents - worse))


def _headline(rate: MissingBounds) -> str:
    """Return the number to show: the scoreable one with the bounds beside it, or the bounds where they are wide."""
    if rate.lower is None or rate.upper is None:
        return "no data"
    bounds = f"{_percent(rate.lower)} to {_percent(rate.upper)}"
    lost = f"{rate.missing} of {rate.planned} trials have no verdict"
    if rate.excluded is None or rate.bounds_lead:
        return f"between {bounds} ({lost})"
    text = _percent(rate.excluded)
    interval = rate.sampling.interval
    unit = f"{rate.sampling.clusters} {'family' if rate.sampling.clusters == 1 else 'families'}"
    word = "indicative, " if rate.sampling.status == "indicative" else ""
    if interval is None:
        text += f" ({rate.sampling.reason})"
    else:
        text += f" ({word}{_percent(interval.low)} to {_percent(interval.high)}, new tasks like these; {rate.n} tasks, {unit})"
    return text + (f" ({bounds} counting {rate.missing} trials without a verdict)" if rate.missing else "")


def _pairs(systems: Sequence[System], tables: dict[str, list[PlannedCounts]], clusters: Sequence[str] | None) -> Iterator[Pair]:
    couples = list(combinations(systems, 2))
    found = [
        paired_difference([r.scoreable for r in tables[a.run]], [r.scoreable for r in tables[b.run]], clusters)
        for a, b in couples
    ]
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
            a.run,
            b.run,
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
    apart = abs(a.missing / a.planned - b.missing / b.planned)
    return apart > MISSING_APART or fisher_exact(a.missing, a.planned, b.missing, b.planned) < ALPHA


def _sentence(
    a: System, b: System, difference: Difference, p: float | None, bounds: Bounds, differ: bool, separated: bool
) -> str:
    """Return the comparison in words."""
    name = f"{a.run} - {b.run}"
    if difference.estimate is None or difference.interval is None or p is None:
        return f"{name}: not estimable, {difference.reason}"
    interval = difference.interval
    text = (
        f"{name} = {_points(difference.estimate)} points ({_points(interval.low)} to {_points(interval.high)}), "
        f"p = {difference.p_value:.2g} ({difference.test}), {p:.2g} after Holm, {difference.n} shared tasks"
    )
    if difference.mid_p is not None:
        text += f", mid-p {difference.mid_p:.2g}"
    if difference.status == "indicative":
        text += f"; indicative, {difference.reason}"
    if differ:
        text += (
            f"; verdicts are missing unevenly, so the difference lies between {_points(bounds.low)} and {_points(bounds.high)}"
        )
    if not separated:
        text += "; not distinguishable with these tasks"
        if difference.detectable is not None:
            text += f" (a true difference of {100 * difference.detectable:.0f} points would be found four times in five)"
    return text + "."


def _rank_note(systems: Sequence[System]) -> str:
    """Say whether the order of the systems depends on what is done with missing verdicts."""
    turned = []
    for a, b in combinations(systems, 2):
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
            turned.append(f"{a.run} and {b.run}")
    if not any(system.rate.missing for system in systems):
        return "Every planned trial has a verdict, so no choice about missing ones was made."
    if not turned:
        return "The order of the systems is the same however missing verdicts are counted."
    return f"The order depends on how missing verdicts are counted: {'; '.join(turned)}."


def _notes(runs: Sequence[RunFacts], systems: Sequence[System]) -> Iterator[str]:
    for system in systems:
        if system.copies:
            yield f"{system.run}: {system.copies} trials repeat another transcript and are not counted."
        if system.rate.left_out:
            yield f"{system.run}: {system.rate.left_out} tasks have no verdict at all; they are in the bounds only."
    instances = {
        digest_of_plain(sorted(item.workspace_digest for pin in run.manifest.tasks for item in pin.variants)) for run in runs
    }
    if len(instances) > 1:
        yield "The runs drew different variants of the tasks: they are paired by task, not by instance."
    agents = [digest_of_plain(run.manifest.agents[0].model_dump(mode="json")) for run in runs]
    if len(set(agents)) < len(agents):
        yield "Some runs are of one and the same agent: a difference between them is noise."


def _sign(value: float) -> int:
    return 0 if abs(value) < 1e-12 else 1 if value > 0 else -1  # noqa: PLR2004  (zero but for rounding)


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _points(value: float) -> str:
    return f"{100 * value:+.1f}"
