"""The front page: the card at a glance."""

from collections.abc import Iterator

from faultline.card.model import EvaluationCard
from faultline.site.page import Page


def pages(card: EvaluationCard) -> Iterator[Page]:
    """Yield the front page."""
    corrections = [entry for entry in card.history if entry.correction is not None]
    yield Page(
        path="index",
        title="The card at a glance",
        template="home.html",
        context={"latest": corrections[0] if corrections else None, "corrections": len(corrections)},
        summary="Whether this benchmark may rank anything, what was measured, and what is missing.",
        wide=True,
    )
