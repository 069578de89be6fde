"""Where the site gets its card: the only place of the room that reads a benchmark."""

from pathlib import Path

from faultline.card import build_card
from faultline.card.model import EvaluationCard


def load_card(root: Path) -> EvaluationCard:
    """Return the card of the benchmark in a folder."""
    from faultline.archive import load_benchmark  # noqa: PLC0415  (the shell around the room, not part of rendering)

    return build_card(load_benchmark(root))
