"""Do readers agree, with each other and with the record; do they know a good repair and a bad one; what may the grader miss?

Agreement is that of trajectories alone: controls are easier, and would flatter it. Rates of the grader's errors come apart
for passed and for failed trials, since a false pass costs something else than a false failure.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from faultline.kinds import Digest, Verdict
from faultline.records import Adjudication, Reading, Review, ReviewSample, SampledItem, TrialKey
from faultline.review.people import person

if TYPE_CHECKING:
    # Loading scipy takes seconds, and workers that count no agreement load this room too.
    from faultline.statistics import Agreement, Proportion

READINGS: tuple[Reading, ...] = ("passed", "failed", "cannot-tell")
LARGE_SHARE = 0.1
"""Of the frame, above which the bound takes into account that it is finite."""


@dataclass(frozen=True)
class ItemReadings:
    """One drawn item with everything that people said of it."""

    item: SampledItem
    recorded: Literal["passed", "failed"]
    """The verdict on record; of a control, the one it must have."""
    readings: tuple[tuple[str, Reading], ...]
    """Person and reading, by person."""
    adjudications: tuple[Adjudication, ...]
    """Those that weighed all of these readings, by somebody who gave none of them."""

    @property
    def disputed(self) -> bool:
        """Whether a reader differs from another one or from the record."""
        return any(reading != self.recorded for _, reading in self.readings)

    @property
    def adjudicated(self) -> Literal["passed", "failed"] | None:
        """What the dispute was settled to; ``None`` without a settlement, or with two that contradict each other."""
        found = {item.verdict for item in self.adjudications}
        return found.pop() if len(found) == 1 else None

    @property
    def is_open(self) -> bool:
        """Whether there is a dispute that nobody has settled."""
        return self.disputed and self.adjudicated is None

    @property
    def error(self) -> bool:
        """Whether the record is wrong, as far as anybody can say: an open dispute counts as one."""
        return self.disputed and self.adjudicated != self.recorded


@dataclass(frozen=True)
class Recognition:
    """How many readings of the controls of one kind were right."""

    items: int
    readings: int
    right: int

    @property
    def share(self) -> float | None:
        """Right ones among the readings; ``None`` without any."""
        return self.right / self.readings if self.readings else None


@dataclass(frozen=True)
class AgreementReport:
    """What the readings of one sample show."""

    items: tuple[ItemReadings, ...]
    alpha: "Agreement"
    ac1: "Agreement"
    good: Recognition
    bad: Recognition
    false_passes: "Proportion"
    """Errors among read trajectories that are recorded as passed, with the upper bound for all of them."""
    false_failures: "Proportion"

    @property
    def open(self) -> tuple[ItemReadings, ...]:
        """Disputes that nobody has settled."""
        return tuple(item for item in self.items if item.is_open)

    @property
    def lower(self) -> float | None:
        """The better lower end of the two agreements; ``None`` when neither can be estimated."""
        ends = [found.interval.low for found in (self.alpha, self.ac1) if found.interval is not None]
        return max(ends, default=None)


def agreement_of(
    sample: ReviewSample,
    reviews: Iterable[Review],
    adjudications: Iterable[Adjudication],
    *,
    recorded: Mapping[TrialKey, Verdict],
    families: Mapping[str, str],
    frame: Mapping[Verdict, int],
) -> AgreementReport:
    """Return what the counted reviews of a sample show.

    ``recorded`` has the verdict of each drawn trial, ``families`` the family of each task, and ``frame`` how many
    trajectories of the run were recorded under each verdict.
    """
    from faultline.statistics import gwet_ac1, krippendorff_alpha  # noqa: PLC0415  (see above)

    by_key: dict[TrialKey, list[Review]] = {item.key: [] for item in sample.items}
    for review in reviews:
        if review.results_digest == sample.results_digest and review.key in by_key and review.reading is not None:
            by_key[review.key].append(review)
    settled: dict[TrialKey, list[Adjudication]] = {}
    for adjudication in adjudications:
        if adjudication.results_digest == sample.results_digest:
            settled.setdefault(adjudication.key, []).append(adjudication)
    items = tuple(_item(item, by_key[item.key], settled.get(item.key, []), recorded) for item in sample.items)
    drawn = [item for item in items if item.item.role == "trajectory"]
    people = sorted({name for item in drawn for name, _ in item.readings})
    rows = [[dict(item.readings).get(name) for item in drawn] for name in people]
    clusters = [families.get(item.item.key.task, item.item.key.task) for item in drawn] if rows else []
    return AgreementReport(
        items=items,
        alpha=krippendorff_alpha(rows, clusters),
        ac1=gwet_ac1(rows, READINGS, clusters),
        good=_recognition(items, "good-control"),
        bad=_recognition(items, "bad-control"),
        false_passes=_bound(drawn, "passed", frame.get(Verdict.PASSED, 0)),
        false_failures=_bound(drawn, "failed", frame.get(Verdict.FAILED, 0)),
    )


def weighed(reviews: Iterable[Review]) -> tuple[Digest, ...]:
    """Return the digests of reviews in the order in which an adjudication lists them."""
    return tuple(sorted(review.content_digest() for review in reviews))


def _item(
    item: SampledItem, reviews: list[Review], adjudications: list[Adjudication], recorded: Mapping[TrialKey, Verdict]
) -> ItemReadings:
    readings: dict[str, Reading] = {}
    for review in sorted(reviews, key=lambda it: (it.reviewed_at, it.content_digest())):
        assert review.reading is not None  # filtered by the caller
        readings.setdefault(person(review.reviewer), review.reading)
    known = weighed(reviews)
    return ItemReadings(
        item=item,
        recorded=_recorded(item, recorded),
        readings=tuple(sorted(readings.items())),
        adjudications=tuple(
            found
            for found in adjudications
            if found.reviews == known and person(found.adjudicator) and person(found.adjudicator) not in readings
        ),
    )


def _recorded(item: SampledItem, recorded: Mapping[TrialKey, Verdict]) -> Literal["passed", "failed"]:
    if item.role != "trajectory":
        return "passed" if item.role == "good-control" else "failed"
    return "passed" if recorded.get(item.key) is Verdict.PASSED else "failed"


def _recognition(items: Iterable[ItemReadings], role: str) -> Recognition:
    own = [item for item in items if item.item.role == role]
    readings = [(reading, item.recorded) for item in own for _, reading in item.readings]
    return Recognition(len(own), len(readings), sum(reading == right for reading, right in readings))


def _bound(drawn: Iterable[ItemReadings], verdict: str, frame: int) -> "Proportion":
    """Return the share of errors among the trajectories of one verdict that were read, with its upper bound."""
    from faultline.statistics import clopper_pearson_upper, hypergeometric_upper  # noqa: PLC0415  (see above)

    read = [item for item in drawn if item.recorded == verdict and item.readings]
    errors = sum(item.error for item in read)
    if len(read) <= frame and len(read) > LARGE_SHARE * frame:
        return hypergeometric_upper(errors, len(read), frame)
    return clopper_pearson_upper(errors, len(read))
