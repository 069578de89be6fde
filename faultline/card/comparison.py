"""Agents compared on the tasks they share: for the people who run the benchmark, and for no page.

Paired by task, clustered by family, with Holm over all pairs, by the same functions as the leaderboard. Runs under different
protocols are refused and the differences named. No page, download, feed or chart of the site is made from this module.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from faultline.card.protocol import differences_among
from faultline.card.standing import Pair, Standing, field_of, outcomes_of
from faultline.errors import RefusedError
from faultline.gates import RunFacts
from faultline.kinds import RunKind
from faultline.records import ImportedTask, TaskPin, digest_of_plain
from faultline.statistics import MissingBounds


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
    """The best rank that is not excluded."""
    rank_high: int


@dataclass(frozen=True)
class Comparison:
    """Everything that the records of some runs say about their agents, on the tasks they share."""

    systems: tuple[System, ...]
    pairs: tuple[Pair, ...]
    tasks: int
    families: int
    rank_note: str
    """Whether the order depends on how missing verdicts are counted."""
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
    found = differences_among(runs)
    if found:
        raise RefusedError(
            "compare",
            "these runs were made under different protocols, so a difference would not be the agents'",
            expected="the same tasks, limits, sandbox, retry policy and versions",
            found="; ".join(found),
            next_step="run both under one protocol",
        )
    first = runs[0].manifest
    pins: list[TaskPin | ImportedTask] = sorted([*first.tasks, *first.foreign_tasks], key=lambda pin: pin.id)
    families = [pin.family for pin in pins]
    tasks = [pin.id for pin in pins]
    field = field_of({run.name: outcomes_of([run], next(iter(run.agents)), tasks) for run in runs}, families)
    systems = tuple(_system(run, standing) for run, standing in zip(runs, field.standings, strict=True))
    return Comparison(
        systems=systems,
        pairs=field.pairs,
        tasks=len(pins),
        families=len(set(families)),
        rank_note=field.order_note,
        notes=tuple(_notes(runs, systems)),
    )


def _system(run: RunFacts, of: Standing) -> System:
    return System(run.name, next(iter(run.agents)), of.rate, of.copies, of.headline, of.rank_low, of.rank_high)


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
