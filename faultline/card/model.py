"""The evaluation card: the one typed model that every page, download, chart and feed is a view of.

Everything here was computed from records. Nothing in it compares two agents unless ``leaderboard`` is a
:class:`Leaderboard`, and that can only be built from a gate pass.
"""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from faultline.card.board import (
    Amount,
    AuthorityRate,
    Frontier,
    FrontierPoint,
    Leaderboard,
    LeaderboardRow,
    PairCard,
    Protocol,
    RankRange,
)
from faultline.gates.instrument import InstrumentFinding
from faultline.gates.model import GateReport, GateResult, Lack, Link, PolicyRow
from faultline.kinds import (
    AgentKind,
    AgentName,
    CheckId,
    Count,
    Digest,
    Estimand,
    FailureClass,
    Fold,
    Instant,
    Mode,
    PublicTouch,
    ReasonCode,
    RunId,
    RunKind,
    SandboxLevel,
    Seconds,
    ShortText,
    SignatureState,
    StatusClass,
    TaskId,
    Usd,
    VariantId,
    Verdict,
)
from faultline.records.base import Absent, Record
from faultline.records.imported import Imported, ImportedTask
from faultline.records.run import AgentIdentity, ExternalSandbox, Provenance, Retry
from faultline.records.settlement import Settlement
from faultline.records.task import Correction, TaskLimits
from faultline.records.trial import ArtifactRef, Changes, Evidence, Reason, Source, Usage

__all__ = [
    "Amount",
    "AuditCard",
    "AuthorityCounts",
    "AuthorityRate",
    "CheckCard",
    "CodeCard",
    "CodeCount",
    "ControlRow",
    "ControlSummary",
    "Distribution",
    "EvaluationCard",
    "FailureClassCard",
    "Frontier",
    "FrontierPoint",
    "GateCard",
    "GateReport",
    "Headline",
    "HistoryEntry",
    "ImportedTaskCard",
    "InstrumentFinding",
    "Lack",
    "Leaderboard",
    "LeaderboardRow",
    "Link",
    "NoiseCard",
    "OutcomeCounts",
    "PairCard",
    "PolicyRow",
    "Protocol",
    "PublicFile",
    "PublishedCheck",
    "RankRange",
    "ReviewCard",
    "RunCard",
    "RunCosts",
    "RunFile",
    "SpendRow",
    "TaskCard",
    "TermCard",
    "TrialRow",
    "UnknownCounts",
    "ValidityCard",
    "Withheld",
]

GateCard = GateResult
"""A gate with what it saw; the card shows it as the gates room made it."""


class Withheld(Record):
    """There is no ranking, and this is why."""

    state: Literal["withheld"]
    gates: tuple[ShortText, ...]
    """Ids of the gates that do not hold."""


class TermCard(Record):
    """A word and what it means."""

    group: ShortText
    word: ShortText
    meaning: ShortText


class FailureClassCard(Record):
    """A kind of defect and the tasks that carry it."""

    id: FailureClass
    title: ShortText
    defect: ShortText
    """What goes wrong."""
    flatters: ShortText
    """Why the model then looks better."""
    invariance: ShortText
    """What a check changes, and what must then stay or move."""
    tasks: tuple[TaskId, ...]


class CodeCount(Record):
    """How often a reason code was seen."""

    code: ReasonCode
    count: Count


class ControlRow(Record):
    """How one control of a task ended in its validity run."""

    name: AgentName
    role: Literal["baseline", "reference", "wrong", "valid"]
    expected: Literal["passed", "failed"]
    expected_code: ReasonCode | None
    """The code that must be among the reasons, for controls that must fail."""
    planned: Count
    as_expected: Count
    """Trials that ended as expected, code included."""
    codes: tuple[CodeCount, ...]
    """Reason codes seen, by name."""
    flips: Count
    """Cells of task and variant whose repetitions did not agree."""
    holds: bool
    killed_by: tuple[CheckId, ...]
    """Checks that failed in every variant."""


class ValidityCard(Record):
    """Whether both sides of the contract are proved for the current digest."""

    state: Literal["valid", "invalid", "unproven"]
    run: RunId | None
    trials: Count
    variants: Count
    repetitions: Count
    hash_seeds: Count
    controls: tuple[ControlRow, ...]
    flips: Count
    problems: tuple[ShortText, ...]
    """What does not hold, as sentences."""
    unkilled: tuple[CheckId, ...] = Field(default=(), exclude_if=lambda value: not value)
    """Hidden checks that no wrong repair fails in every trial, so that nothing shows that they can fail."""


class PublicFile(Record):
    """A file that the agent is given."""

    path: ShortText
    text: Annotated[str, Field(max_length=400_000)]
    lines: Count
    sha256: Digest


class CheckCard(Record):
    """A hidden check: its name and codes, and the requirement it stands for."""

    id: CheckId
    requirement: ShortText
    codes: tuple[ReasonCode, ...]


class CodeCard(Record):
    """What a reason code says about the evidence."""

    code: ReasonCode
    meaning: ShortText


class AuditCard(Record):
    """An audit of a task, and whether it is of the current digest."""

    auditor: ShortText
    audited_at: date
    task_digest: Digest
    current: bool
    specification_severity: Count
    fairness_severity: Count
    notes: ShortText
    signature: SignatureState = SignatureState.UNSIGNED
    key: ShortText = ""
    """Fingerprint of the key that signed; empty unless signed."""
    refused: tuple[ShortText, ...] = ()
    """Questions that the auditor answered with no."""
    why_not: ShortText = ""
    """Why it does not count; empty when it does."""


class TrialRow(Record):
    """One trial as the pages list it; a record, public in itself."""

    run: RunId
    task: TaskId
    variant: VariantId
    agent: AgentName
    trial: Count
    anchor: ShortText
    """Stable id inside the run's page."""
    verdict: Verdict
    status: StatusClass
    fold: Fold
    mode: Mode
    rule: ShortText
    scoreable: bool
    reasons: tuple[Reason, ...]
    note: ShortText
    public_passed: Count | Absent
    public_total: Count | Absent
    regressed: tuple[ShortText, ...]
    checks_passed: Count | Absent
    checks_total: Count | Absent
    checks_not_passed: tuple[CheckId, ...]
    """Failed, in error or not run, in the order of the checks."""
    attempts: Count
    attempts_complete: bool
    usd: Usd | Absent
    usage: Usage | Absent
    agent_seconds: Seconds | Absent
    grading_seconds: Seconds | Absent
    started_at: Instant | Absent
    candidate: Digest | Absent
    changes: Changes | Absent
    artifacts: tuple[ArtifactRef, ...]
    evidence: Evidence | None = Field(default=None, exclude_if=lambda value: value is None)
    """Absent where the record has none."""
    source: Source | None = Field(default=None, exclude_if=lambda value: value is None)
    """Where an imported trial stands in its log."""


class AuthorityCounts(Record):
    """What the agent of one run did to public tests, in trials; diagnostic counts, and no rate."""

    observed: Count
    """Trials in which it was looked for; the other planned ones were made before that, or nothing was judged."""
    touched: dict[PublicTouch, Count]
    """Trials in which at least one public test was so treated; a trial can stand under several words."""
    configuration: Count
    """Trials that left configuration which changes what runs."""
    tampered: Count
    """Trials in which a public test lost its say, or such configuration was left."""
    tampered_and_passed: Count
    """Of these, the ones that passed all the same, with everything put back."""


class OutcomeCounts(Record):
    """How the planned cells of one run ended; a diagnostic count and not a claim."""

    planned: Count
    folds: dict[Fold, Count]
    """Every fold, zero included; sums to planned."""
    modes: dict[Mode, Count]
    """Modes that occurred."""
    statuses: dict[StatusClass, Count]
    """Classes that occurred."""
    authority: AuthorityCounts | None = Field(default=None, exclude_if=lambda value: value is None)
    """Absent where no trial was looked at for it, and for controls, which cannot touch public tests."""


class Distribution(Record):
    """Five numbers of a quantity, with how many values are behind them."""

    known: Count
    unknown: Count
    minimum: float
    median: float
    p90: float
    maximum: float
    total: float


class RunCosts(Record):
    """What a run used; unknown is counted, never added as zero."""

    usd: Usd | Absent
    """Sum over all attempts with a known cost."""
    usd_known: Count
    usd_unknown: Count
    usd_not_applicable: Count
    agent_seconds: Distribution | Absent
    grading_seconds: Distribution | Absent
    output_tokens: Count | Absent
    attempts: Count
    extra_attempts: Count
    """Attempts beyond the first of a trial."""


class SpendRow(Record):
    """What some attempts of a run used, by what they bought; sums are over the attempts that told, the others are counted."""

    bought: Literal["scored", "retried", "invalid", "refused", "whole"]
    meaning: ShortText
    attempts: Count
    usd: Usd | Absent
    usd_unknown: Count
    output_tokens: Count | Absent
    output_tokens_unknown: Count
    agent_seconds: Seconds | Absent
    grading_seconds: Seconds | Absent
    seconds_unknown: Count
    """Attempts that do not tell how long agent or grading took."""


class UnknownCounts(Record):
    """Writes whose reply was lost, and how each was settled; a sealed run has none that is not."""

    recorded: Count
    """The store had the result."""
    absent: Count
    """The store had not; the result was recorded later from its receipt, or another attempt was made."""
    conflicting: Count
    """The store had another result; both are kept."""
    lost_attempts: Count
    """Attempts whose worker ended without a receipt: nothing is known of them but that they started."""


class ControlSummary(Record):
    """One task of a validity run, controls folded."""

    task: TaskId
    planned: Count
    as_expected: Count
    flips: Count
    holds: bool
    grading_seconds: Distribution | Absent
    """Of the task's trials in this run."""


class NoiseCard(Record):
    """What passes of identical code show by themselves; a statement about running these very cases again."""

    agent: AgentName
    runs: tuple[RunId, ...]
    code: Digest
    """Covers agent, tasks, workspaces, limits, sandbox, retry policy and versions: one digest, one experiment."""
    cases: Count
    left_out: Count
    """Cases without a verdict in every pass."""
    passes: Count
    totals: tuple[Count, ...]
    """Passed cases of each pass."""
    status: ShortText
    """One of ok, indicative, not-estimable."""
    reason: ShortText
    critical_gap: Count | Absent
    """In cases; smaller differences between single passes are noise."""
    minimum_detectable_difference: Count | Absent
    convolution_gap: Count | Absent
    """From the flips of each case; the critical gap is the larger of the two."""
    prediction_gap: Count | Absent
    """From the totals of the passes."""
    sd: float | Absent
    a_priori_sd: float | Absent
    """Of the difference of two passes, when there is only one."""
    method: ShortText
    scope: ShortText
    seed: Count
    sentence: ShortText
    """All of it in words, as the run page shows it."""


class ReviewCard(Record):
    """How far people have read the sample of a run; counts of readings, and no verdict."""

    drawn: Count
    """Trajectories in the sample."""
    read: Count
    """Those that enough people have read, blinded, from the material on record."""
    controls: Count
    """Controls among the items."""
    readers: Count
    """Distinct people whose readings count."""
    set_aside: Count
    """Readings that do not count."""
    disagreements: Count
    """Trajectories on which a reader differs from another one or from the record."""
    settled: Count
    """Of these, the ones that a third person settled."""


class RunFile(Record):
    """A file of a run and its digest in the seal."""

    path: ShortText
    digest: Digest


class PublishedCheck(Record):
    """A number that an imported source published, and whether its rows give the same."""

    name: ShortText
    agreement: Literal["agrees", "differs", "cannot be compared"]
    published: float | Absent
    """Withheld for a run of an agent until every gate holds."""
    recomputed: float | Absent
    note: ShortText


class RunCard(Record):
    """A sealed run."""

    run: RunId
    kind: RunKind
    controls_only: bool
    """Whether every agent of the run is a control, so that its results are evidence about tasks."""
    planned_at: Instant
    sealed_at: Instant
    agents: tuple[AgentIdentity, ...]
    tasks: tuple[TaskId, ...]
    variants: tuple[VariantId, ...]
    trials_per_cell: Count
    retry: Retry | Absent
    estimand: Estimand
    estimates: ShortText
    """The estimand with its number, ``pass@1`` or ``best-of-2``; stands wherever a number of the run stands."""
    sandbox: SandboxLevel | Absent
    external: ExternalSandbox | None = Field(default=None, exclude_if=lambda value: value is None)
    """Whose sandbox it is, when it is that of an installed package."""
    provenance: Provenance
    synthetic: bool
    counts: OutcomeCounts
    conflicts: Count
    unknowns: UnknownCounts
    settlements: tuple[Settlement, ...]
    """How each attempt that was unknown was settled, with the evidence."""
    costs: RunCosts
    spend: tuple[SpendRow, ...]
    """By what it bought; the last row is the whole, refused results included."""
    review_hours: Annotated[float, Field(ge=0)] | Absent
    """Hours that people spent on reviews of this run, where they are recorded."""
    repair_hours: Annotated[float, Field(ge=0)] | Absent
    """Hours that people spent on repairing what went wrong in this run, where they are recorded."""
    trials: tuple[TrialRow, ...]
    """In the order of the plan."""
    validity: tuple[ControlSummary, ...]
    """Only for validity runs."""
    diagnostics: tuple[InstrumentFinding, ...] = ()
    """What the records say about the instrument, the worst first."""
    review: ReviewCard | None = Field(default=None, exclude_if=lambda value: value is None)
    """Absent where no sample was drawn."""
    noise: tuple[NoiseCard, ...] = ()
    """What identical code shows by itself, for each agent of an evaluation."""
    seal_digest: Digest
    files: tuple[RunFile, ...]
    stale_tasks: tuple[TaskId, ...]
    """Tasks whose digest has changed since."""
    imported: Imported | None = Field(default=None, exclude_if=lambda value: value is None)
    """What the log of another harness said, and the report of its import; without the numbers it published."""
    published: tuple[PublishedCheck, ...] = Field(default=(), exclude_if=lambda value: not value)
    """Numbers that the source published, beside the same ones from its rows."""


class TaskCard(Record):
    """A task with its evidence."""

    id: TaskId
    title: ShortText
    family: TaskId
    failure_class: FailureClass
    version: Count
    author: ShortText
    assistance: ShortText
    digest: Digest
    workspace_digest: Digest
    """Of the first skin."""
    issue: Annotated[str, Field(max_length=100_000)]
    """What the agent is told, as Markdown text."""
    files: tuple[PublicFile, ...]
    editable: tuple[ShortText, ...]
    runtime: tuple[ShortText, ...]
    limits: TaskLimits
    skins: tuple[ShortText, ...]
    parameters: dict[ShortText, ShortText]
    """Parameter and its range, as shown."""
    baseline_code: ReasonCode
    checks: tuple[CheckCard, ...]
    codes: tuple[CodeCard, ...]
    public_tests: tuple[ShortText, ...]
    public_failing: tuple[ShortText, ...]
    validity: ValidityCard
    audits: tuple[AuditCard, ...]
    corrections: tuple[Correction, ...]
    """Newest first."""
    trials: tuple[TrialRow, ...]
    """Of evaluations, by date of the run and then in the order of the plan."""


class ImportedTaskCard(Record):
    """A task of another harness, with what its own controls show."""

    task: ImportedTask
    reference: Literal["passed", "failed", "none"]
    """Whether the reference passed in the control runs of its own harness; ``none`` when there is no such record."""
    no_op: Literal["passed", "failed", "none"]
    """Whether doing nothing passed there; it must fail."""
    lacking: ShortText
    """What its contract lacks; empty when both sides are shown."""
    runs: tuple[RunId, ...]
    """Imported runs of agents on it."""


class HistoryEntry(Record):
    """A correction or an audit, with the task it belongs to."""

    kind: Literal["correction", "audit"]
    at: date
    task: TaskId
    title: ShortText
    correction: Correction | None
    audit: AuditCard | None


class Headline(Record):
    """The card at a glance."""

    failure_classes: Count
    tasks: Count
    valid_tasks: Count
    variants_per_task: Count
    required_outcomes: Count
    """Sides of the contract of each task: the baseline fails, the reference passes."""
    model_claims: Count
    """Claims about agents that are not controls; zero while the leaderboard is withheld."""
    runs: Count
    trials: Count


class EvaluationCard(Record):
    """Everything that is published."""

    schema_name: Literal["faultline/card/1"] = Field(alias="schema")
    """Format and version."""
    title: ShortText
    tagline: ShortText
    faultline_version: ShortText
    as_of: Instant | Absent
    """When the newest record was sealed."""
    headline: Headline
    leaderboard: Withheld | Leaderboard
    report: GateReport
    failure_classes: tuple[FailureClassCard, ...]
    tasks: tuple[TaskCard, ...]
    """By id."""
    runs: tuple[RunCard, ...]
    """Newest first."""
    imported_tasks: tuple[ImportedTaskCard, ...] = Field(default=(), exclude_if=lambda value: not value)
    """Tasks of imported runs, by name."""
    history: tuple[HistoryEntry, ...]
    """Newest first."""
    glossary: tuple[TermCard, ...]
    problems: tuple[ShortText, ...]
    """Records that could not be read; a card with problems cannot open a gate."""

    @property
    def is_open(self) -> bool:
        """Whether a ranking exists."""
        return isinstance(self.leaderboard, Leaderboard)

    @property
    def foreign_only(self) -> bool:
        """Whether all tasks of the card are those of other harnesses."""
        return bool(self.imported_tasks) and not self.tasks

    def agent_kinds(self) -> dict[str, AgentKind]:
        """Return each agent's kind by its name."""
        return {agent.name: agent.kind for run in self.runs for agent in run.agents}
