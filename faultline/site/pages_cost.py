"""Cost and latency: what is recorded, what is not, and how long controls take. Nothing about agents side by side."""

from collections.abc import Iterator

from faultline.card.model import Distribution, EvaluationCard
from faultline.site import charts
from faultline.site.page import Page


def pages(card: EvaluationCard) -> Iterator[Page]:
    """Yield the one page."""
    controls = [run for run in card.runs if run.controls_only]
    timed = [(run.run, run.costs.grading_seconds) for run in controls if isinstance(run.costs.grading_seconds, Distribution)]
    yield Page(
        "cost-and-latency",
        "Cost and latency",
        "cost.html",
        {
            "controls": controls,
            "others": [run for run in card.runs if not run.controls_only],
            "chart": charts.spreads(
                timed, "How long grading a control takes", "Grading time of one trial, by run of controls", "Run"
            ),
        },
        summary="What is recorded about cost, tokens and time, what unknown means, and how long the judge takes.",
    )
