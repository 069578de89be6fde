"""How far the sample of a run has been read, as the pages show it: counts, and nothing that tells a verdict."""

from faultline.card.model import ReviewCard
from faultline.gates import Facts, RunFacts
from faultline.gates.blinded_review import REVIEWERS, standing_of
from faultline.gates.reviewer_agreement import report_of
from faultline.review import person


def review_card(run: RunFacts, facts: Facts) -> ReviewCard | None:
    """Return how far people have read the sample of a run; ``None`` when none was drawn."""
    room, report = facts.rooms.get(run.name), report_of(run, facts)
    if room is None or room.sample is None or report is None:
        return None
    standing = standing_of(run, facts, [item.key for item in room.sample.items])
    drawn = [item for item in report.items if item.item.role == "trajectory"]
    disputed = [item for item in drawn if item.disputed]
    return ReviewCard(
        drawn=len(drawn),
        read=sum(len(item.readings) >= REVIEWERS.floor for item in drawn),
        controls=len(report.items) - len(drawn),
        readers=len({person(review.reviewer) for review in standing.counted}),
        set_aside=len(standing.set_aside),
        disagreements=len(disputed),
        settled=sum(not item.is_open for item in disputed),
    )
