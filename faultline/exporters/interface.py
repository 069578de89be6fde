"""What an exporter is: one abstract class, what it is given, what it hands back, its errors."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from faultline.archive import Benchmark, SealedRun
from faultline.card import EvaluationCard
from faultline.card.model import RunCard
from faultline.clock import Clock
from faultline.errors import FaultlineError, RefusedError, UnfitHostError, raise_all
from faultline.gates import Evaluation, Facts, gather
from faultline.kinds import safe_text

__all__ = ["Export", "Exporter", "MissingLibraryError", "Subject"]


class MissingLibraryError(UnfitHostError):
    """A library that only this format needs is not installed: install the extra that is named."""

    slug = "missing-library"


@dataclass(frozen=True)
class Subject:
    """What is to be exported."""

    benchmark: Benchmark
    card: EvaluationCard
    evaluation: Evaluation
    """The gates, asked about these very records; holds the pass where every gate holds."""
    names: tuple[str, ...] = ()
    """The runs that were asked for; empty for all that the format takes."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Settings of the format; only such as the exporter names."""

    @property
    def runs(self) -> tuple[SealedRun, ...]:
        """The chosen runs, by name."""
        return tuple(run for run in self.benchmark.runs if not self.names or run.name in self.names)

    @property
    def run_cards(self) -> tuple[RunCard, ...]:
        """The cards of the chosen runs, by name."""
        chosen = {run.name for run in self.runs}
        return tuple(sorted((run for run in self.card.runs if run.run in chosen), key=lambda run: run.run))

    @cached_property
    def facts(self) -> Facts:
        """The records as the gates see them."""
        return gather(self.benchmark)

    @property
    def withheld(self) -> bool:
        """Whether a gate does not hold, so that nothing of this may be published as a comparison."""
        return not self.card.is_open

    @property
    def gate_status(self) -> str:
        """The state of the gates as a sentence; stands in every export that holds a rate."""
        report = self.evaluation.report
        failing = [gate.id for gate in report.gates if not gate.holds]
        if failing:
            return (
                f"{report.holding} of {report.total} publication gates hold ({', '.join(failing)} do not): "
                "the leaderboard is withheld, and these numbers are not to be published as a comparison of agents"
            )
        if not self.evaluation.publishing:
            return "a rehearsal on records made for a test: not to be published"
        return f"{report.holding} of {report.total} publication gates hold"


@dataclass(frozen=True)
class Export:
    """What an exporter made."""

    files: Mapping[str, bytes]
    """Path below the target folder, with ``/`` between its parts, and content."""
    notes: tuple[str, ...] = ()
    """What was left out and why, as sentences; a reader sees them, nothing is lost in silence."""


class Exporter(ABC):
    """A format that records can be written in."""

    name: ClassVar[str]
    """The word on the command line."""
    title: ClassVar[str]
    """What comes out, as a clause."""
    needs: ClassVar[str]
    """What must be there: records, tasks, open gates, a library."""
    loses: ClassVar[str]
    """What the format has no place for, as a sentence."""
    options: ClassVar[Mapping[str, str]] = {}
    """Settings that ``--set`` takes, each with its meaning."""

    @abstractmethod
    def export(self, subject: Subject, clock: Clock) -> Export:
        """Return the files.

        Raises :class:`RefusedError` for what may not be exported, :class:`MissingLibraryError` for what is not installed.
        """

    def check(self, subject: Subject) -> None:
        """Raise for runs that are not there and settings that the format does not have, all at once."""
        known = {run.name for run in subject.benchmark.runs}
        faults: list[FaultlineError] = []
        for name in subject.names:
            if name not in known:
                place = f"runs/{safe_text(name, 100)}"
                broken = [problem for problem in subject.benchmark.problems if problem.place.split("/")[:2] == ["runs", name]]
                broken += [problem for problem in subject.benchmark.problems if problem.place.split("/")[0] == name]
                faults += broken or [RefusedError(place, "there is no such sealed run", next_step="faultline verify")]
        faults += [
            RefusedError(
                f"--set {safe_text(key, 60)}",
                f"the format {self.name} has no such setting",
                expected=", ".join(sorted(self.options)) or "no setting",
            )
            for key in sorted(set(subject.options) - set(self.options))
        ]
        raise_all(faults)
