"""What a task folder says about itself: definition, skins and parameters, corrections, audits."""

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, StringConstraints, Tag

from faultline.kinds import (
    AgentName,
    AuditQuestion,
    CheckId,
    Digest,
    FailureClass,
    ReasonCode,
    Seconds,
    ShortText,
    SignatureState,
    TaskId,
    VariantId,
)
from faultline.records.base import Record

Glob = Annotated[
    str,
    StringConstraints(
        pattern=r"^[A-Za-z0-9_*?\[\]-][A-Za-z0-9_.*?\[\]-]*(/[A-Za-z0-9_*?\[\]-][A-Za-z0-9_.*?\[\]-]*)*$", max_length=120
    ),
]
"""A pattern of relative paths."""
PublicTestId = Annotated[str, StringConstraints(pattern=r"^tests/[A-Za-z0-9_/]+\.py::[A-Za-z0-9_]+::[A-Za-z0-9_]+$")]
"""A public test: file, class and method, as in ``tests/test_split.py::TestSplit::test_sizes``."""


ParameterValue = int | float | str | bool | tuple[int | float | str | bool, ...]
"""A parameter as drawn for one variant."""


class TaskLimits(Record):
    """What an agent and a candidate may use."""

    agent_seconds: Annotated[Seconds, Field(gt=0)]
    """Wall time of one attempt of an agent."""
    check_seconds: Annotated[Seconds, Field(gt=0)]
    """Wall time that the candidate may use for one hidden check, or for all public tests."""
    memory_mib: Annotated[int, Field(ge=64, le=65_536)] = 2_048
    """Address space of each process of the candidate, in MiB."""
    processes: Annotated[int, Field(ge=1, le=4_096)] = 64
    """Processes and threads of the candidate at one time."""
    file_mib: Annotated[int, Field(ge=1, le=65_536)] = 64
    """Size of one file, and of the scratch space, in MiB."""


class TaskDefinition(Record):
    """``task.toml``: what a task is, what an agent may edit, how each control must end."""

    schema_name: Literal["faultline/task/1"] = Field(alias="schema")
    """Format and version."""
    id: TaskId
    """The folder's name; neutral."""
    title: ShortText
    """For people; neutral."""
    family: TaskId
    """Tasks made from one template share a family and count once."""
    failure_class: FailureClass
    """The kind of defect; never shown to an agent."""
    version: Annotated[int, Field(ge=1)]
    """Raised with each correction."""
    author: ShortText
    """Who wrote the task; an author cannot audit it."""
    assistance: ShortText
    """Which assistant helped, with what."""
    runtime: tuple[Literal["numpy"], ...]
    """Modules beyond the standard library that the candidate may import."""
    editable: Annotated[tuple[Glob, ...], Field(min_length=1)]
    """Files that an agent may change, add or delete; never tests."""
    public_failing: Annotated[tuple[PublicTestId, ...], Field(max_length=1)]
    """The public test that shows the symptom the issue reports, if one does."""
    baseline_code: ReasonCode
    """The reason code with which the untouched workspace must fail."""
    canary: Annotated[str, StringConstraints(pattern=r"^faultline-canary-[0-9a-f-]{36}$")]
    """A unique text in the hidden material; found anywhere else, it tells of a leak."""
    limits: TaskLimits
    """What an agent and a candidate may use."""
    wrong: Annotated[dict[AgentName, ReasonCode], Field(min_length=2)]
    """Each tempting wrong repair, with the code that must catch it."""
    codes: Annotated[dict[ReasonCode, ShortText], Field(min_length=1)]
    """What each reason code says about the evidence."""


class Skin(Record):
    """A consistent renaming of the words of a task."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z]+$", max_length=32)]
    """Part of the variant's id."""
    rename: dict[
        Annotated[str, StringConstraints(pattern=r"^[A-Za-z]+$")], Annotated[str, StringConstraints(pattern=r"^[A-Za-z]+$")]
    ]
    """Word in the workspace as written, and its word in this skin."""


class IntegerRange(Record):
    """A parameter drawn uniformly from whole numbers, both ends included."""

    low: int
    high: int


class Choices(Record):
    """A parameter drawn uniformly from a list."""

    choices: Annotated[tuple[ParameterValue, ...], Field(min_length=1)]


def _kind_of_range(value: Any) -> str:
    return "choices" if isinstance(value, Choices) or (isinstance(value, dict) and "choices" in value) else "range"


ParameterRange = Annotated[
    Annotated[IntegerRange, Tag("range")] | Annotated[Choices, Tag("choices")], Discriminator(_kind_of_range)
]
"""Where a parameter is drawn from."""


class TaskVariants(Record):
    """``variants.toml``: the skins and the ranges that variants are drawn from."""

    schema_name: Literal["faultline/variants/1"] = Field(alias="schema")
    """Format and version."""
    skin: Annotated[tuple[Skin, ...], Field(min_length=1)]
    """The first one is the workspace as written."""
    parameters: dict[CheckId, ParameterRange] = Field(default_factory=dict)
    """What the hidden checks build their inputs from."""


class Correction(Record):
    """One entry of the audit history: what was wrong with a task, and what was done."""

    id: TaskId
    """Stable; the feed and links use it."""
    title: ShortText
    corrected_at: date
    """The day on which the corrected form was committed."""
    kind: Literal["specification", "test-fairness", "test-coverage", "environment"]
    """What the flaw touched."""
    severity: Annotated[int, Field(ge=0, le=3)]
    """0 none, 1 minor, 2 a fair reading could fail, 3 the task must not be used."""
    found_by: ShortText
    before: ShortText
    """What issue and checks said."""
    after: ShortText
    """What they say now."""
    why: ShortText
    effect: ShortText
    """What it changed in published numbers."""
    before_digest: Digest
    """Digest of the task before; checked against the commit."""
    after_digest: Digest
    """Digest of the task after; checked against the commit."""
    before_commit: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
    after_commit: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]


class TaskCorrections(Record):
    """``corrections.toml``: the audit history of one task."""

    schema_name: Literal["faultline/corrections/1"] = Field(alias="schema")
    """Format and version."""
    correction: tuple[Correction, ...]
    """Oldest first."""


class CheckJudgement(Record):
    """How an auditor found one hidden check."""

    check: CheckId
    judgement: Literal["stated", "implied", "surprising"]
    """Stated in issue or README, implied by them, or surprising; one surprising check rejects the task."""


class Audit(Record):
    """``audits/*.toml``: a person's examination of a task, bound to its digest."""

    schema_name: Literal["faultline/audit/1"] = Field(alias="schema")
    """Format and version."""
    task: TaskId
    task_digest: Digest
    """The form of the task that was examined; the audit says nothing about any other."""
    auditor: ShortText
    """A person other than the author."""
    audited_at: date
    specification_severity: Annotated[int, Field(ge=0, le=3)]
    """Can the issue be understood? 0 fully, 3 not at all."""
    fairness_severity: Annotated[int, Field(ge=0, le=3)]
    """Do the checks accept every correct repair? 0 yes, 3 no."""
    judgements: tuple[CheckJudgement, ...]
    """One for each hidden check."""
    answers: dict[AuditQuestion, Literal["yes", "no"]] = Field(default_factory=dict, exclude_if=lambda value: not value)
    """One for each question of the checklist; an audit that leaves one open does not count, and one no rejects the task."""
    notes: ShortText = ""
    synthetic: bool = False
    """Made for a test; refused by the evaluator that publishes."""


class SignatureCheck(Record):
    """What looking at an audit's signature showed."""

    state: SignatureState
    key: ShortText = ""
    """Fingerprint of the key that signed; empty unless signed."""


class VariantPin(Record):
    """A variant as a run used it."""

    id: VariantId
    skin: str
    seed: Annotated[int, Field(ge=0)]
    parameters: dict[CheckId, ParameterValue]
    """Values drawn for this variant."""
    workspace_digest: Digest
    """Digest of the tree that an agent was given."""


class TaskPin(Record):
    """A task as a run used it."""

    id: TaskId
    family: TaskId
    failure_class: FailureClass
    digest: Digest
    """Digest of the whole task folder but for audits and corrections."""
    variants: Annotated[tuple[VariantPin, ...], Field(min_length=1)]
    checks: Annotated[tuple[CheckId, ...], Field(min_length=1)]
    """The required hidden checks; a verdict without all of them is none."""
    public_tests: Annotated[tuple[PublicTestId, ...], Field(min_length=1)]
    """The required public tests, in the words of the first skin."""
    limits: TaskLimits
