"""The audit history: corrections and audits, newest first, as a page and as a feed; and how far reviews have come."""

from collections.abc import Iterator

from faultline.card.model import EvaluationCard
from faultline.site.feed import anchor_of, audit_feed
from faultline.site.page import Page


def pages(card: EvaluationCard) -> Iterator[Page]:
    """Yield the one page."""
    yield Page(
        path="audit-history",
        title="Audit history",
        template="audit_history.html",
        context={
            "anchors": [anchor_of(entry) for entry in card.history],
            "corrections": sum(entry.correction is not None for entry in card.history),
            "audits": sum(entry.audit is not None for entry in card.history),
            "reviewed": [run for run in card.runs if run.review is not None],
        },
        summary="What was wrong with a task, who found it, what it said before and says now, and what that changed.",
    )


def files(card: EvaluationCard) -> dict[str, bytes]:
    """Return the same history as an Atom feed."""
    return {"audit.xml": audit_feed(card)}
