"""The chart of cost against pass rate of a leaderboard; agents without a known cost stand beside it, and not at zero."""

from faultline.card.model import Frontier, FrontierPoint
from faultline.records import Absent
from faultline.site import charts
from faultline.site.environment import shown


def cost_against_passes(frontier: Frontier) -> charts.Chart | None:
    """Return the drawing with its sentence and its table, or ``None`` without two agents whose cost is known."""
    if len(frontier.points) < 2:  # noqa: PLR2004  (a single point is compared with nothing)
        return None
    return charts.Chart(
        title="Cost against pass rate",
        description=(
            "Mean cost of a trial in dollars against pass@1 in percent, each with its 95 % interval. Up and to the left is "
            "better. A disc is on the frontier of the estimates, joined by a line; a ring is not."
        ),
        svg=charts.scatter(
            [_mark(point) for point in frontier.points],
            f"Cost of a trial against pass rate of {len(frontier.points)} agents",
        ),
        columns=(
            "Agent",
            "Cost of a trial",
            "pass@1, failures included",
            "Interval",
            "On the frontier",
            "In replicates",
            "Clearly dominated by",
        ),
        rows=tuple(
            (
                point.agent,
                point.cost.words,
                f"{100 * point.pass_at_1:.1f} %",
                f"{100 * point.low:.1f} % to {100 * point.high:.1f} %",
                "yes" if point.member else "no",
                f"{100 * point.share:.0f} %",
                ", ".join(point.dominated_by) or "nobody",
            )
            for point in frontier.points
        )
        + tuple(
            (
                item.agent,
                f"{shown(item.why)}: {item.why.reason}",
                f"{100 * item.pass_at_1:.1f} %",
                f"{100 * item.low:.1f} % to {100 * item.high:.1f} %",
                "not drawn",
                "not drawn",
                "not compared",
            )
            for item in frontier.apart
        ),
    )


def _mark(point: FrontierPoint) -> dict[str, object]:
    """Return a point as it is drawn; an end that the data do not give is left out, and its line with it."""
    cost = point.cost
    mark: dict[str, object] = {
        "name": point.agent,
        "x": cost.usd,
        "y": 100 * point.pass_at_1,
        "y_low": 100 * point.low,
        "y_high": 100 * point.high,
        "member": point.member,
    }
    if not isinstance(cost.low, Absent) and not isinstance(cost.high, Absent):
        mark |= {"x_low": cost.low, "x_high": cost.high}
    return mark
