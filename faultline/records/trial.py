"""What happened: a trial with its attempts, its outcome, and what it used."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from faultline.kinds import (
    AgentName,
    Blame,
    CheckId,
    Count,
    Digest,
    Fold,
    Instant,
    Mode,
    PublicTouch,
    ReasonCode,
    RunId,
    SandboxLevel,
    Seconds,
    ShortText,
    StatusClass,
    TaskId,
    Usd,
    VariantId,
    Verdict,
)
from faultline.records.base import Absent, Record

CANARY_NOTE = "a canary was found"
"""How the note begins where a canary was found in a trial without a verdict."""

Reading = Literal["passed", "failed", "cannot-tell"]
"""A reader's verdict: the change repairs what the issue reports, it does not, or the reader cannot tell."""
Measured = int | float | Annotated[str, Field(max_length=200)]


class TrialKey(Record):
    """What makes a trial itself; one record a key."""

    run: RunId
    task: TaskId
    variant: VariantId
    agent: AgentName
    trial: Count


class Reason(Record):
    """Why a hidden check failed, with what was measured."""

    code: ReasonCode
    measured: dict[ShortText, Measured] = Field(default_factory=dict)
    detail: ShortText = ""
    """Hostile text, such as the message of an exception."""


class CheckResult(Record):
    """How one hidden check ended."""

    check: CheckId
    result: Literal["passed", "failed", "error", "not-run"]
    """``error``: the check itself went wrong; ``not-run``: an earlier fault left no time or no process."""
    reason: Reason | None = None
    """Set unless passed."""


class PublicResult(Record):
    """How the public tests ended, restored from the pristine tree; they never decide alone."""

    passed: Count
    """How many of the required tests passed; together with the two lists below they are all of them."""
    failed: tuple[ShortText, ...]
    """Failed, raised, skipped or unexpectedly passed: only a pass is a pass."""
    missing: tuple[ShortText, ...]
    """Expected and not reported."""
    regressed: tuple[ShortText, ...]
    """Not passed, although they pass on the baseline."""
    detail: ShortText = ""


def _is_empty(value: object) -> bool:
    """Return whether a field is left out of the canonical bytes, so that records from before it was there stay canonical."""
    return value in (None, (), "", {})


class PublicChange(Record):
    """What an agent did to one public test."""

    test: ShortText
    how: PublicTouch
    on: tuple[Literal["baseline", "reference", "candidate"], ...] = Field(default=(), exclude_if=_is_empty)
    """Trees on which the test as the agent left it ends otherwise than the one that was given."""


class Evidence(Record):
    """What else was seen of a trial: what its mode rests on, and what a passing verdict must not hide."""

    lost: tuple[Reason, ...] = Field(default=(), exclude_if=_is_empty)
    """Public modules that no longer import, and public names that are gone, as the child found them; only looked for in a
    candidate that was changed and did not pass."""
    tests: tuple[PublicChange, ...] = Field(default=(), exclude_if=_is_empty)
    """The public tests that the agent touched."""
    configuration: tuple[ShortText, ...] = Field(default=(), exclude_if=_is_empty)
    """Files the agent left that change which tests run or what they run with; none of them took part in judging."""
    question: ShortText = Field(default="", exclude_if=_is_empty)
    """The last line of the agent's last message, when it is a question and the agent edited nothing."""

    @property
    def tampered(self) -> bool:
        """Whether a public test lost its say, or configuration that changes what runs was left."""
        return bool(self.configuration) or any(item.how is not PublicTouch.EDITED for item in self.tests)


class Outcome(Record):
    """Verdict, and apart from it the status; a rule with an id decides whether the trial can be scored."""

    verdict: Verdict
    status: StatusClass = Field(alias="class")
    blame: Blame
    scoreable: bool
    rule: ShortText
    """Id of the rule that decided class, blame and scoreable."""
    mode: Mode
    """What was seen."""
    reasons: tuple[Reason, ...] = ()
    """Distinct reason codes, in the order of the checks."""
    checks: tuple[CheckResult, ...] | Absent
    public: PublicResult | Absent
    note: ShortText = ""
    """What the harness itself observed, when that decided."""
    evidence: Evidence | None = Field(default=None, exclude_if=_is_empty)
    """Absent from records that were made before it was gathered, and where nothing was judged."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.scoreable == (self.verdict is Verdict.NONE):
            raise ValueError("a trial is scoreable exactly when it has a verdict")
        if self.verdict is Verdict.PASSED:
            complete = isinstance(self.checks, Absent) or (
                len(self.checks) > 0 and all(check.result == "passed" for check in self.checks)
            )
            if not complete or self.reasons:
                raise ValueError("a passed trial has only passed checks and no reason")
        return self

    @property
    def fold(self) -> Fold:
        """The word that rates are built from."""
        if not self.scoreable:
            return Fold.INVALID_INFRA
        if self.verdict is Verdict.PASSED:
            return Fold.PASSED
        return Fold.INVALID_SUBMISSION if self.status is StatusClass.AGENT_FAILURE else Fold.FAILED

    @property
    def exposed(self) -> bool:
        """Whether the harness found a canary of hidden files; also told of a trial that has no verdict for another reason."""
        found = any(reason.code == "CANARY_FOUND" for reason in self.reasons)
        return found or self.mode is Mode.EXPOSED or self.rule == "FL-07" or self.note.startswith(CANARY_NOTE)


class Usage(Record):
    """Tokens that one attempt consumed, summed over all its requests."""

    uncached_input: Count | Absent
    """Input tokens billed at the full rate; cached ones are not part of it."""
    cache_read: Count | Absent
    cache_write: Count | Absent
    output: Count | Absent
    reasoning: Count | Absent
    """Part of output."""
    requests: Count | Absent
    source: Literal["native", "derived", "estimated"]


class Cost(Record):
    """What one attempt cost."""

    usd: Usd
    source: ShortText
    """Who computed it: the harness, the provider, a price table with its date."""
    complete: bool
    """Whether every request is in it."""


class Timing(Record):
    """Durations of one attempt, from a monotonic clock."""

    setup: Seconds | Absent
    agent: Seconds | Absent
    grading: Seconds | Absent


class ArtifactRef(Record):
    """A file of the run that belongs to an attempt."""

    role: Literal["trace", "candidate", "usage"]
    path: ShortText
    """Inside the run folder."""
    sha256: Digest
    """Of the file's bytes as stored."""
    size: Count
    """In bytes."""


class Changes(Record):
    """What the agent did to the workspace, as the harness saw it byte by byte."""

    added: tuple[ShortText, ...]
    modified: tuple[ShortText, ...]
    deleted: tuple[ShortText, ...]
    ignored: tuple[ShortText, ...]
    """Outside the editable paths and so not part of the candidate."""
    restored: tuple[ShortText, ...]
    """Public tests and other protected files that were touched, and put back."""


class Attempt(Record):
    """One execution of a trial; it keeps its time and cost whether or not it counted."""

    number: Annotated[int, Field(ge=1)]
    started_at: Instant | Absent
    ended_at: Instant | Absent
    end: Literal["judged", "faulted", "superseded", "unknown"]
    """``faulted``: the harness observed a fault of its own, so that another attempt may follow."""
    observed: ShortText
    """What the harness observed; empty when all was well."""
    timing: Timing
    usage: Usage | Absent
    cost: Cost | Absent
    candidate: Digest | Absent
    """Digest of the frozen tree."""
    artifacts: tuple[ArtifactRef, ...]


class TestCounts(Record):
    """How the tests of an imported trial ended, as its harness counted them."""

    __test__ = False
    """Not a test case, whatever a test runner thinks of the name."""
    passed: Count
    failed: Count
    other: Count
    """Skipped, pending, or of another status."""


class Source(Record):
    """Where an imported trial stands in the log it came from, and what the log says that has no place elsewhere."""

    format: ShortText
    path: ShortText
    """Relative to what was imported, redacted."""
    sha256: Digest
    """Of the file as it was read."""
    member: ShortText = Field(default="", exclude_if=_is_empty)
    """Inside an archive."""
    row: Count | None = Field(default=None, exclude_if=_is_empty)
    """Line or position, counted from 1."""
    native_id: ShortText
    native_status: ShortText = Field(default="", exclude_if=_is_empty)
    native_message: ShortText = Field(default="", exclude_if=_is_empty)
    native_verdict: Literal["passed", "failed"] | None = Field(default=None, exclude_if=_is_empty)
    """What the log gives as verdict; kept also where a rule says that it cannot count."""
    score: float | None = Field(default=None, exclude_if=lambda value: value is None)
    """The score behind the verdict; a fraction is failed, with its score."""
    metrics: dict[ShortText, float] = Field(default_factory=dict, exclude_if=_is_empty)
    """Other numbers that the log gives for the trial."""
    tests: TestCounts | None = Field(default=None, exclude_if=_is_empty)
    extra: dict[ShortText, ShortText] = Field(default_factory=dict, exclude_if=_is_empty)
    """What had no other home."""


class Trial(Record):
    """One line of ``trials.jsonl``: the scored sample of a cell."""

    schema_name: Literal["faultline/trial/1"] = Field(alias="schema")
    """Format and version."""
    key: TrialKey
    index_origin: Literal["native", "inferred"]
    """Whether the trial number stood in the source or was given by order."""
    order_known: bool
    """Whether trials of a cell can be put in time order."""
    task_digest: Digest | Absent
    workspace_digest: Digest | Absent
    hash_seed: Count | Absent
    sandbox: SandboxLevel | Absent
    """Where the candidate was judged."""
    outcome: Outcome
    changes: Changes | Absent
    attempts: Annotated[tuple[Attempt, ...], Field(min_length=1)]
    """In order; exactly the last one counts."""
    attempts_complete: bool
    """False when a source deleted earlier attempts: then these are at least the attempts."""
    duplicate_of: Digest | None = None
    """Digest of the record that this one repeats."""
    source: Source | None = None
    """Set for imported trials."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        numbers = [attempt.number for attempt in self.attempts]
        if numbers != sorted(set(numbers)):
            raise ValueError("attempts are numbered in order, each once")
        if self.attempts_complete and numbers != list(range(1, len(numbers) + 1)):
            raise ValueError("a complete list of attempts is numbered from 1 without a gap")
        return self

    @property
    def last(self) -> Attempt:
        """The attempt that counts."""
        return self.attempts[-1]


class CandidateFile(Record):
    """One changed file of a candidate; exactly one of text and base64 is set."""

    text: str | None = None
    base64: str | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.text is None) == (self.base64 is None):
            raise ValueError("exactly one of text and base64 is set")
        return self


class FrozenCandidate(Record):
    """``candidates/*.json``: the tree that was judged, as a listing and the files that differ from the workspace."""

    schema_name: Literal["faultline/candidate/1"] = Field(alias="schema")
    """Format and version."""
    digest: Digest
    """Digest of ``tree``."""
    workspace_digest: Digest
    tree: dict[ShortText, Digest]
    """Path and digest of every file of the candidate."""
    files: dict[ShortText, CandidateFile]
    """Content of the files that the agent added or changed."""
    tests: dict[ShortText, CandidateFile] = Field(default_factory=dict, exclude_if=_is_empty)
    """Public tests as the agent left them, where they differ from those that were given, and files it put beside them; kept
    to be judged apart, never part of the candidate."""


class Receipt(Record):
    """What an attempt left behind before the ledger heard of it: a separate record of effects."""

    schema_name: Literal["faultline/receipt/1"] = Field(alias="schema")
    """Format and version."""
    key: TrialKey
    attempt: Annotated[int, Field(ge=1)]
    payload_digest: Digest
    """Digest of ``trial``."""
    trial: Trial
    written_at: Instant


class Review(Record):
    """One person's blinded reading of a sampled trajectory."""

    schema_name: Literal["faultline/review/1"] = Field(alias="schema")
    """Format and version."""
    key: TrialKey
    results_digest: Digest
    """Digest of the ``trials.jsonl`` that the sample was drawn from."""
    reviewer: ShortText
    reviewed_at: Instant
    blinded: bool
    """Whether agent, model and verdict were hidden."""
    verdict_seen_right: bool
    """Whether the person's own reading agrees with the recorded verdict."""
    reading: Reading | None = Field(default=None, exclude_if=_is_empty)
    """The verdict that the person gave without knowing the recorded one."""
    confidence: Annotated[int, Field(ge=1, le=3)] | None = Field(default=None, exclude_if=_is_empty)
    """1 a guess, 2 fairly sure, 3 sure."""
    material: Digest | None = Field(default=None, exclude_if=_is_empty)
    """Digest of what the person was shown."""
    notes: ShortText = ""
    synthetic: bool = False
    """Made for a test; refused by the evaluator that publishes."""
