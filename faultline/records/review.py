"""What a blinded review is made of: the drawn sample, what readers are shown, what they answer, how disputes are settled."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from faultline.kinds import Count, Digest, Instant, RunId, ShortText
from faultline.records.base import Absent, Record
from faultline.records.trial import Reading, TrialKey

ItemId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
"""A drawn trial under a name that tells nothing of it: a hash of the results and its key."""
LongText = Annotated[str, Field(max_length=400_000)]
ItemRole = Literal["trajectory", "good-control", "bad-control"]
"""What a drawn trial is: an agent's, or a control whose verdict is known and that readers cannot tell apart."""


class SampledItem(Record):
    """One drawn trial."""

    item: ItemId
    key: TrialKey
    role: ItemRole


class ReviewSample(Record):
    """``reviews/sample.json``: which trials of a run people read; anybody can draw the same again."""

    schema_name: Literal["faultline/review-sample/1"] = Field(alias="schema")
    """Format and version."""
    run: RunId
    results_digest: Digest
    """Digest of the ``trials.jsonl`` that was drawn from; the draw depends on it, so that nobody picks."""
    size: Annotated[int, Field(ge=1, le=100_000)]
    """Trajectories asked for; all of them are drawn when there are fewer."""
    controls_run: RunId
    """The validity run that the controls are from."""
    controls_digest: Digest
    """Digest of its ``trials.jsonl``."""
    controls_each: Annotated[int, Field(ge=1, le=10_000)]
    """Good controls asked for, and as many bad ones."""
    items: tuple[SampledItem, ...]
    """By item, so that the order tells nothing."""


class FileDiff(Record):
    """What a candidate changed in one file, as a unified diff; redacted."""

    path: ShortText
    diff: LongText


class MaterialItem(Record):
    """What a reader sees of one drawn trial: redacted, with neither agent nor verdict."""

    item: ItemId
    issue: LongText
    readme: LongText
    """What the project promised before the change; empty when it has none."""
    diffs: tuple[FileDiff, ...]
    """Empty when the workspace was left as it was."""
    public_passed: Count | Absent
    """Public tests that passed."""
    public_failed: tuple[ShortText, ...]
    """Public tests that did not."""


class ReviewMaterial(Record):
    """``reviews/material.json``: what all readers of a sample are shown, so that the scan for names can be repeated."""

    schema_name: Literal["faultline/review-material/1"] = Field(alias="schema")
    """Format and version."""
    sample: Digest
    """Digest of the sample."""
    masked: bool
    """Whether lines that still named somebody after redaction were hidden whole."""
    items: tuple[MaterialItem, ...]
    """In the order of the sample; each reader gets them in an order of their own."""


class ReviewAnswer(Record):
    """What one reader says of one item."""

    item: ItemId
    reading: Reading
    confidence: Annotated[int, Field(ge=1, le=3)]
    """1 a guess, 2 fairly sure, 3 sure."""
    recognised: bool
    """Whether the reader knows who made the change; such a reading does not count as blinded."""
    notes: ShortText = ""


class ReviewAnswers(Record):
    """What a reader's packet saves: one answer for each item."""

    schema_name: Literal["faultline/review-answers/1"] = Field(alias="schema")
    """Format and version."""
    sample: Digest
    """Digest of the sample."""
    material: Digest
    """Digest of what was shown."""
    reviewer: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    saved_at: Instant
    answers: tuple[ReviewAnswer, ...]


class Adjudication(Record):
    """``reviews/adjudications/*.json``: how a disagreement about one trial was settled, by whom and why."""

    schema_name: Literal["faultline/adjudication/1"] = Field(alias="schema")
    """Format and version."""
    item: ItemId
    key: TrialKey
    results_digest: Digest
    """Of the results that the sample was drawn from."""
    adjudicator: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    """Somebody who did not read the item before."""
    adjudicated_at: Instant
    verdict: Literal["passed", "failed"]
    """What the trial deserves."""
    why: Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
    reviews: tuple[Digest, ...]
    """Digests of the reviews that were weighed, in order; a later review opens the question again."""
    synthetic: bool = False
    """Made for a test; refused by the evaluator that publishes."""
