"""The evaluation card: one typed model computed from records, of which everything public is a view.

Front doors: :class:`EvaluationCard` and :func:`build_card`. Pure: it gets values and returns values.
"""

from faultline.card.build import assemble, build_card, rehearse_card
from faultline.card.model import EvaluationCard, Leaderboard, Withheld

__all__ = ["EvaluationCard", "Leaderboard", "Withheld", "assemble", "build_card", "rehearse_card"]
