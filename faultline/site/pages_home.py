"""The front page: the card at a glance."""

from collections.abc import Iterator
from dataclasses import dataclass

from faultline.card.model import EvaluationCard
from faultline.records import Absent
from faultline.site.page import Page


@dataclass(frozen=True)
class FormatRow:
    """The imported runs of one format."""

    name: str
    harnesses: tuple[str, ...]
    """With their versions, as far as the logs tell."""
    runs: int
    controls: int
    trials: int


@dataclass(frozen=True)
class Readings:
    """What was imported, in numbers that say nothing about an agent."""

    formats: tuple[FormatRow, ...]
    runs: int
    trials: int
    """Planned ones."""
    tasks: int
    shown: int
    """Tasks for which both sides of the contract are shown."""


def pages(card: EvaluationCard) -> Iterator[Page]:
    """Yield the front page."""
    corrections = [entry for entry in card.history if entry.correction is not None]
    yield Page(
        path="index",
        title="The card at a glance",
        template="home.html",
        context={
            "latest": corrections[0] if corrections else None,
            "corrections": len(corrections),
            "readings": readings(card),
        },
        summary="Whether this benchmark may rank anything, what was measured, and what is missing.",
        wide=True,
    )


def readings(card: EvaluationCard) -> Readings:
    """Return what was imported, formats by name."""
    foreign = [(run, run.imported) for run in card.runs if run.imported is not None]
    rows = []
    for name in sorted({imported.format for _, imported in foreign}):
        own = [(run, imported) for run, imported in foreign if imported.format == name]
        told = {
            f"{imported.harness} {'' if isinstance(imported.harness_version, Absent) else imported.harness_version}".strip()
            for _, imported in own
            if not isinstance(imported.harness, Absent)
        }
        rows.append(
            FormatRow(
                name,
                tuple(sorted(told)),
                len(own),
                sum(run.controls_only for run, _ in own),
                sum(run.counts.planned for run, _ in own),
            )
        )
    return Readings(
        formats=tuple(rows),
        runs=len(foreign),
        trials=sum(run.counts.planned for run, _ in foreign),
        tasks=len(card.imported_tasks),
        shown=sum(not item.lacking for item in card.imported_tasks),
    )
