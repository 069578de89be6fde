"""The shape of a gate: what it asks, what it reads, its thresholds, and the probe that answers.

A probe is pure: facts and policy in, a :class:`Finding` out. What all gates share is done here, once: evidence that cannot
be read, and records made for a test, keep a gate from holding whatever its probe says.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from faultline.gates.facts import Area, Facts
from faultline.gates.model import GateResult, Lack, Link, OutcomeWord
from faultline.gates.policy import Policy, Threshold
from faultline.kinds import safe_text
from faultline.records import Absent, not_applicable

MOST_SHOWN = 60
"""Lacks beyond this many are counted in a last line instead of listed."""


@dataclass(frozen=True)
class Finding:
    """What a probe found."""

    outcome: OutcomeWord
    headline: str
    """In the failing voice unless the outcome is pass."""
    saw: str
    observed: str = ""
    needed: str = ""
    unit: str = ""
    share: float | None = None
    """Observed divided by needed; cut to 0…1."""
    lacking: tuple[Lack, ...] = ()
    evidence: tuple[Link, ...] = ()


@dataclass(frozen=True)
class Gate:
    """A predicate over evidence that must hold before a ranking may be shown."""

    id: str
    name: str
    predicate: str
    why: str
    remedy: str
    command: str
    reads: tuple[Area, ...]
    """Parts of the evidence that decide; ``settings`` concerns every gate and need not be named."""
    thresholds: tuple[Threshold[Any], ...]
    probe: Callable[[Facts, Policy], Finding]

    def answer(self, facts: Facts, policy: Policy, *, publishing: bool) -> GateResult:
        """Ask the probe, and hold its answer against faults of the evidence itself."""
        try:
            finding = self.probe(facts, policy)
        except Exception as error:
            return self.failed_to_answer(f"the probe raised {type(error).__name__}: {safe_text(str(error), 200)}")
        lacking, outcome = list(finding.lacking), finding.outcome
        headline = finding.headline
        unreadable = [problem.lack for problem in facts.problems if problem.area in (*self.reads, "settings")]
        if unreadable and outcome != "error":
            lacking = unreadable + lacking
            if outcome != "fail":
                outcome, headline = "error", "Some of the evidence cannot be read, so nothing is shown by the rest"
        made_up = [link for area in self.reads for link in facts.synthetic(area)] if publishing else []
        if made_up:
            outcome, headline = "error", "Records made for a test stand among the evidence"
            lacking = [Lack(what=link, needs="a real record: this one is marked synthetic") for link in made_up] + lacking
        return self._result(finding, outcome, headline, lacking)

    def failed_to_answer(self, reason: str) -> GateResult:
        """Return the result of a gate that could not be asked."""
        finding = Finding("error", "This gate could not be answered, so it does not hold", reason)
        return self._result(finding, "error", finding.headline, [])

    def _result(self, finding: Finding, outcome: OutcomeWord, headline: str, lacking: Sequence[Lack]) -> GateResult:
        shown = list(lacking[:MOST_SHOWN])
        if len(lacking) > MOST_SHOWN:
            page = Link(label=self.id, kind="gate", target=self.id)
            shown.append(Lack(what=page, needs=f"{len(lacking) - MOST_SHOWN} more of this kind"))
        share: float | Absent = not_applicable("there is nothing to count")
        if finding.share is not None:
            share = max(0.0, min(1.0, float(finding.share)))
        return GateResult(
            id=self.id,
            name=self.name,
            headline=headline,
            outcome=outcome,
            observed=finding.observed,
            needed=finding.needed,
            unit=finding.unit,
            share=share,
            saw=safe_text(finding.saw, 1_900),
            predicate=self.predicate,
            why=self.why,
            lacking=tuple(shown),
            evidence=finding.evidence,
            remedy=self.remedy,
            command=self.command,
        )


def lack(what: Link, needs: str) -> Lack:
    """Return one thing that is missing, with text from records made harmless."""
    return Lack(what=what, needs=safe_text(needs, 600))


def count_of(number: int, word: str, plural: str = "") -> str:
    """Return a number with its noun."""
    return f"{number} {word if number == 1 else plural or word + 's'}"


def and_outdated(facts: Facts) -> str:
    """Return a sentence about runs that are history, or nothing."""
    old = facts.outdated_claims
    if not old:
        return ""
    verb = "is" if len(old) == 1 else "are"
    return f" {count_of(len(old), 'run')} of earlier forms of the tasks {verb} history and not counted."
