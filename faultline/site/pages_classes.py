"""The failure classes: what goes wrong, why the model then looks better, and what a check changes to see it."""

from collections.abc import Iterator

from faultline.card.model import EvaluationCard
from faultline.site.page import Page


def pages(card: EvaluationCard) -> Iterator[Page]:
    """Yield the one page of failure classes."""
    titles = {task.id: task for task in card.tasks}
    yield Page(
        "failure-classes",
        "Failure classes",
        "failure_classes.html",
        {"tasks_by_id": titles},
        summary="The kinds of defect that tasks carry: what goes wrong, why it flatters, and what a check changes"
        + "".join(f"; {item.id.replace('-', ' ')}" for item in card.failure_classes)
        + ".",
    )
