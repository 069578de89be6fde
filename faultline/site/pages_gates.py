"""The publication gate: every gate with what it saw, what it lacks and what to do, and the policy in force."""

from collections.abc import Iterator

from faultline.card.model import EvaluationCard
from faultline.site.page import Page


def pages(card: EvaluationCard) -> Iterator[Page]:
    """Yield the one page."""
    yield Page(
        path="publication-gate",
        title="Publication gate",
        template="publication_gate.html",
        context={
            "missing": [gate for gate in card.report.gates if not gate.holds],
            "holding": [gate for gate in card.report.gates if gate.holds],
        },
        summary="Each gate that must hold before a ranking may be published: what was seen, what is missing, what to do.",
    )
