"""The card as one file may hold it; its digest names the published state of the evidence."""

from faultline.card.model import EvaluationCard, RunCard


def published(card: EvaluationCard) -> EvaluationCard:
    """Return the card as one file may hold it; its digest is the card digest on every page.

    While the leaderboard is withheld, a run of agents is a file of its own: the counts of two agents in one file would be
    the comparison that does not exist yet. Their trials are records and stay, task by task.
    """
    left_out = {run.run for run in apart(card)}
    return card.model_copy(update={"runs": tuple(run for run in card.runs if run.run not in left_out)})


def apart(card: EvaluationCard) -> tuple[RunCard, ...]:
    """Return the runs that are files of their own, by date."""
    return () if card.is_open else tuple(run for run in card.runs if not run.controls_only)
