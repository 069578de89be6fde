"""The publication gate: every gate from its claim to the evidence to the file, what it lacks, what to do, and the policy.

Everything here follows the report: which gates there are, what they asked and what they found. A gate that is new needs
nothing in this module.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from faultline.card.model import EvaluationCard, GateCard, Link, PolicyRow
from faultline.kinds import Digest
from faultline.site.page import Page

ORDER = ("error", "fail", "inconclusive", "not-run", "not-applicable", "pass")
"""What a reader must know first; an outcome that this version does not know stands before the ones that hold."""
TITLES = {
    "error": "Error: evidence that cannot be read or contradicts itself",
    "fail": "Does not hold",
    "inconclusive": "Inconclusive",
    "not-run": "Not run: nothing to look at yet",
    "not-applicable": "Not applicable",
    "pass": "Holds",
}
MOST_EVIDENCE = 40
"""Beyond this many places the page counts the rest, which stand in the report for programs."""
CHECK_AGAIN = "faultline gates"


@dataclass(frozen=True)
class Place:
    """A piece of evidence: where the site shows it, and the file of the repository that it is."""

    link: Link
    path: str
    """In the repository; empty where the evidence is a page only."""
    digest: Digest | str
    """Of the evidence as the gate saw it; empty where it has none."""


@dataclass(frozen=True)
class GateView:
    """A gate as the page lays it out."""

    gate: GateCard
    meaning: str
    """What follows from its outcome."""
    policy: tuple[PolicyRow, ...]
    """Its thresholds in force."""
    evidence: tuple[Place, ...]
    more: int
    """Places of evidence that are not listed."""
    commands: tuple[str, ...]
    """What to type next, one line each; the last asks the gates again."""


@dataclass(frozen=True)
class Group:
    """Gates of one outcome."""

    outcome: str
    title: str
    views: tuple[GateView, ...]


def pages(card: EvaluationCard) -> Iterator[Page]:
    """Yield the one page."""
    views = [_view(card, gate) for gate in card.report.gates]
    known = {view.gate.outcome for view in views}
    order = [*ORDER[:-1], *sorted(known - set(ORDER)), ORDER[-1]]
    yield Page(
        path="publication-gate",
        title="Publication gate",
        template="publication_gate.html",
        context={
            "views": views,
            "groups": [
                Group(outcome, TITLES.get(outcome, outcome), tuple(view for view in views if view.gate.outcome == outcome))
                for outcome in order
                if outcome in known
            ],
            "stricter": [row for row in card.report.policy if row.value != row.floor],
        },
        summary="Each gate that must hold before a ranking may be published: what was seen, what is missing, what to do.",
    )


def _view(card: EvaluationCard, gate: GateCard) -> GateView:
    meanings = {term.word: term.meaning for term in card.glossary if term.group == "Outcome of a gate"}
    shown = gate.evidence[:MOST_EVIDENCE]
    return GateView(
        gate=gate,
        meaning=meanings.get(gate.outcome, "This version does not know the outcome, so the gate does not hold."),
        policy=tuple(row for row in card.report.policy if row.gate == gate.id),
        evidence=tuple(_place(card, link) for link in shown),
        more=len(gate.evidence) - len(shown),
        commands=(*(part.strip() for part in gate.command.split(";") if part.strip()), CHECK_AGAIN),
    )


def _place(card: EvaluationCard, link: Link) -> Place:
    """Return a link with the file behind it and the digest by which that file is known."""
    if link.kind == "task":
        digest = next((task.digest for task in card.tasks if task.id == link.target), "")
        return Place(link, f"tasks/{link.target}/", digest)
    if link.kind == "run":
        digest = next((run.seal_digest for run in card.runs if run.run == link.target), "")
        return Place(link, f"runs/{link.target}/seal.json", digest)
    return Place(link, link.target if link.kind == "file" else "", "")
