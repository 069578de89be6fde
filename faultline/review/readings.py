"""Which reviews of a sample count: blinded, of these very results, of a drawn trajectory, free of the agent's name."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from faultline.kinds import Digest, Verdict
from faultline.records import Review, TrialKey
from faultline.review.people import names_in, person

Why = Literal[
    "other results", "not drawn", "not blinded", "the notes name the agent", "nobody named", "not read from the material"
]
"""Why a review does not count."""


@dataclass(frozen=True)
class SetAsideReview:
    """A review that does not count, and why."""

    review: Review
    why: Why


@dataclass(frozen=True)
class ItemStanding:
    """One drawn trajectory and who read it."""

    key: TrialKey
    reviewers: tuple[str, ...]
    """Distinct people whose review counts."""
    disputed_by: tuple[str, ...]
    """Those among them who read another verdict than the recorded one."""


@dataclass(frozen=True)
class ReviewStanding:
    """The reviews of one sample, sorted out."""

    items: tuple[ItemStanding, ...]
    """In the order of the sample."""
    set_aside: tuple[SetAsideReview, ...]
    counted: tuple[Review, ...] = ()
    """The reviews that count, by time."""


def countable_reviews(
    reviews: Iterable[Review],
    *,
    sample: Sequence[TrialKey],
    results_digest: Digest,
    names: Iterable[str],
    material: Digest | None = None,
    recorded: Mapping[TrialKey, Verdict] | None = None,
) -> ReviewStanding:
    """Sort the reviews of one run's sample; ``names`` are the words that a blinded reader cannot know.

    With ``material``, only readings of exactly what it shows count. With ``recorded``, whether a reader agrees with the
    record is computed, and what a review says of it can only make it stricter.
    """
    hidden = tuple(names)
    readers: dict[TrialKey, dict[str, bool]] = {key: {} for key in sample}
    aside: list[SetAsideReview] = []
    counted: list[Review] = []
    for review in sorted(reviews, key=lambda item: (item.reviewed_at, item.content_digest())):
        why = _why_not(review, readers, results_digest, hidden)
        if why is None and material is not None and (review.material != material or review.reading is None):
            why = "not read from the material"
        if why is not None:
            aside.append(SetAsideReview(review, why))
            continue
        counted.append(review)
        # A second reading by the same person adds nobody, and cannot take back a doubt.
        known = readers[review.key].get(person(review.reviewer), True)
        agrees = recorded is None or review.reading == recorded.get(review.key)
        readers[review.key][person(review.reviewer)] = known and review.verdict_seen_right and agrees
    return ReviewStanding(
        items=tuple(
            ItemStanding(key, tuple(sorted(people)), tuple(sorted(name for name, agrees in people.items() if not agrees)))
            for key, people in readers.items()
        ),
        set_aside=tuple(aside),
        counted=tuple(counted),
    )


def _why_not(
    review: Review, readers: dict[TrialKey, dict[str, bool]], results_digest: Digest, hidden: tuple[str, ...]
) -> Why | None:
    if review.results_digest != results_digest:
        return "other results"
    if review.key not in readers:
        return "not drawn"
    if not person(review.reviewer):
        return "nobody named"
    if not review.blinded:
        return "not blinded"
    if names_in(review.notes, hidden):
        return "the notes name the agent"
    return None
