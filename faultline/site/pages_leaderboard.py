"""The leaderboard's address: a table behind a gate pass, or the reasons why there is none; and the badge that says which."""

import json
from collections.abc import Iterator

from faultline.card.model import EvaluationCard, Frontier, Leaderboard
from faultline.site.environment import make_environment
from faultline.site.figure_frontier import cost_against_passes
from faultline.site.page import Page

MOST_PAIRS = 105
"""Beyond this many pairs (those of fifteen agents) the page points to the download instead of listing them."""
_EM = 6.1
"""Width of an average character of the badge's type, in pixels."""


def pages(card: EvaluationCard) -> Iterator[Page]:
    """Yield the one page; it exists whether or not there is a ranking."""
    board = card.leaderboard
    drawn = None
    if isinstance(board, Leaderboard) and isinstance(board.frontier, Frontier):
        drawn = cost_against_passes(board.frontier)
    yield Page(
        path="leaderboard",
        title="Leaderboard",
        template="leaderboard_open.html" if card.is_open else "leaderboard_withheld.html",
        context={"missing": [gate for gate in card.report.gates if not gate.holds], "chart": drawn, "most_pairs": MOST_PAIRS},
        summary="The ranking, once every gate holds; until then, why it is withheld and what would open it.",
        wide=card.is_open,
    )


def state_of(card: EvaluationCard) -> str:
    """Return the state of the leaderboard and how many gates hold, as the badge says it."""
    return f"{'open' if card.is_open else 'withheld'}, {card.report.holding} of {card.report.total} gates"


def files(card: EvaluationCard) -> dict[str, bytes]:
    """Return the badge as a picture and as data."""
    label, state = "leaderboard", state_of(card)
    left, right = round(len(label) * _EM + 14), round(len(state) * _EM + 14)
    picture = (
        make_environment()
        .get_template("badge.svg")
        .render(label=label, state=state, left=left, right=right, is_open=card.is_open)
    )
    data = {
        "schemaVersion": 1,
        "label": label,
        "message": state,
        "color": "1b6b45" if card.is_open else "b5391f",
        "gates_holding": card.report.holding,
        "gates": card.report.total,
        "link": "publication-gate.html",
    }
    return {"badge.svg": picture.encode() + b"\n", "badge.json": json.dumps(data, indent=1).encode() + b"\n"}
