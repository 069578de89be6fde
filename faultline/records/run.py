"""A run's manifest, frozen before the first attempt, and its seal, written last."""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from faultline.kinds import (
    AgentKind,
    AgentName,
    Count,
    Digest,
    Estimand,
    Instant,
    RetryPolicy,
    RunId,
    RunKind,
    SandboxLevel,
    Seconds,
    ShortText,
    TaskId,
    VariantId,
    short_digest,
)
from faultline.records.base import Absent, Record
from faultline.records.imported import NATIVE_VARIANT, Imported, ImportedTask
from faultline.records.task import TaskPin


class AgentIdentity(Record):
    """Model plus scaffold plus settings; two agents that differ in any of them are two agents."""

    name: AgentName
    kind: AgentKind
    model: ShortText | Absent
    """The model's id as its provider writes it."""
    provider: ShortText | Absent
    version: ShortText | Absent
    """The scaffold's version."""
    command: tuple[ShortText, ...]
    """The command line of a ``command`` agent; empty for others."""
    environment: tuple[ShortText, ...]
    """Names of the environment variables that are passed; never their values."""
    seconds: Seconds | Absent
    """The agent's own time limit, when it is shorter than the task's."""
    network: Literal["none", "allow"] | Absent
    """Whether the agent could reach a network."""
    files: dict[ShortText, Digest]
    """Digests of the program files that the agent was given."""
    usage_file: ShortText | Absent
    """Where the agent leaves its usage, relative to the workspace."""


class ExternalSandbox(Record):
    """A sandbox that an installed package brought: whose it is, for its level says only that it is not one of ours."""

    name: AgentName
    """The entry point by which it was chosen."""
    distribution: ShortText
    version: ShortText
    files: dict[ShortText, Digest]
    """Digests of the files of its package."""

    @property
    def words(self) -> str:
        """Name, package and the beginning of a digest over all of it, for people."""
        return f"{self.name} of {self.distribution} {self.version} ({short_digest(self.content_digest())})"


class Cell(Record):
    """One planned unit of a run: task, variant, agent, trial number."""

    task: TaskId
    variant: VariantId
    agent: AgentName
    """An evaluation has one agent; a validity run has one for each control."""
    trial: Count
    hash_seed: Annotated[int, Field(ge=0, lt=2**32)] | Absent
    """``PYTHONHASHSEED`` of the judged process; absent only from a plan that was read from a foreign log."""

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What makes the cell itself inside its run."""
        return (self.task, self.variant, self.agent, self.trial)

    @property
    def label(self) -> str:
        """The cell for people and file names."""
        return f"{self.task}.{self.variant}.{self.agent}.{self.trial}"


class Retry(Record):
    """When another attempt at a trial may be made."""

    policy: RetryPolicy
    max_attempts: Annotated[int, Field(ge=1, le=20)]
    """Attempts at one trial, the first included; equal for every agent."""

    @property
    def estimates(self) -> str:
        """The quantity that verdicts under this rule estimate, with its number: ``pass@1``, ``best-of-2``."""
        return f"best-of-{self.max_attempts}" if self.policy is RetryPolicy.BEST_OF_K else Estimand.PASS_AT_1.value


class Provenance(Record):
    """Who made what, with which versions, where."""

    commit: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")] | Absent
    """The exact commit of the benchmark."""
    dirty: bool | Absent
    """Whether tracked files differed from that commit."""
    human: tuple[ShortText, ...]
    """Contributions of people, one a line."""
    assistant: tuple[ShortText, ...]
    """Contributions of assistants, one a line."""
    versions: dict[ShortText, ShortText]
    """Faultline, Python and the libraries that bear on a verdict."""
    environment: dict[ShortText, ShortText]
    """Operating system, architecture, processors; no host or user name."""


class RunManifest(Record):
    """``manifest.json``: everything that selects or changes the work of a run."""

    schema_name: Literal["faultline/manifest/1"] = Field(alias="schema")
    """Format and version."""
    run: RunId
    kind: RunKind
    planned_at: Instant
    """When the plan was frozen."""
    agents: Annotated[tuple[AgentIdentity, ...], Field(min_length=1)]
    """One for an evaluation; the controls for a validity run."""
    tasks: tuple[TaskPin, ...]
    """Empty exactly when the run was imported: a foreign task has no hidden checks to pin."""
    cells: Annotated[tuple[Cell, ...], Field(min_length=1)]
    """Every planned cell; the denominator of every rate."""
    trials: Annotated[int, Field(ge=1)]
    """Trials for each task, variant and agent."""
    retry: Retry | Absent
    estimand: Estimand
    sandbox: SandboxLevel | Absent
    """Where candidates are judged, and agents that are programs work."""
    external: ExternalSandbox | None = Field(default=None, exclude_if=lambda value: value is None)
    """Whose sandbox it is; set exactly when the level is ``external``."""
    judge_seed: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")] | Absent
    """Drawn when the plan was frozen; the hidden inputs of every cell derive from it."""
    prices: Digest | Absent
    """Digest of the price table that costs were computed from."""
    provenance: Provenance
    synthetic: bool = False
    """Made for a test; refused by the evaluator that publishes."""
    imported: Imported | None = Field(default=None, exclude_if=lambda value: value is None)
    """What the log of another harness said of the run; set exactly when the run was imported."""

    @property
    def foreign_tasks(self) -> tuple[ImportedTask, ...]:
        """The tasks of an imported run; empty for every other."""
        return self.imported.tasks if self.imported is not None else ()

    @property
    def retry_rule(self) -> str:
        """The retry policy in words, or that nothing tells."""
        return "not told" if isinstance(self.retry, Absent) else f"{self.retry.policy}, {self.retry.max_attempts}"

    @property
    def estimates(self) -> str:
        """The quantity that the verdicts estimate, with its number where it has one."""
        return self.estimand.value if isinstance(self.retry, Absent) else self.retry.estimates

    @property
    def sandbox_words(self) -> str:
        """The sandbox in words, or that nothing tells."""
        if isinstance(self.sandbox, Absent):
            return "not told"
        return f"{self.sandbox}: {self.external.words}" if self.external is not None else str(self.sandbox)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        agents = {agent.name for agent in self.agents}
        if self.imported is not None:
            pins = {(task.id, NATIVE_VARIANT) for task in self.imported.tasks}
        else:
            pins = {(task.id, variant.id) for task in self.tasks for variant in task.variants}
        if (self.imported is not None) != (self.kind is RunKind.IMPORTED):
            raise ValueError("a run of the kind imported says what it was read from, and no other run does")
        if (not self.tasks) != (self.imported is not None):
            raise ValueError("a run pins its tasks, and an imported run describes them")
        own = (self.retry, self.sandbox, self.judge_seed, *(cell.hash_seed for cell in self.cells))
        if self.imported is None and any(isinstance(value, Absent) for value in own):
            raise ValueError("only an imported run may leave out its retry policy, sandbox, judge seed or hash seeds")
        if (self.external is not None) != (self.sandbox is SandboxLevel.EXTERNAL):
            raise ValueError("a run says whose its sandbox is exactly when the level is external")
        keys = set()
        for cell in self.cells:
            if cell.agent not in agents:
                raise ValueError(f"the cell {cell.label} names an agent that the manifest does not describe")
            if (cell.task, cell.variant) not in pins:
                raise ValueError(f"the cell {cell.label} names a task variant that the manifest does not pin")
            if cell.key in keys:
                raise ValueError(f"the cell {cell.label} is planned twice")
            keys.add(cell.key)
        if len(agents) != len(self.agents):
            raise ValueError("two agents have one name")
        if self.kind is RunKind.EVALUATION and len(self.agents) != 1:
            raise ValueError("an evaluation has exactly one agent")
        if isinstance(self.retry, Absent):
            return self
        if (self.retry.policy is RetryPolicy.BEST_OF_K) != (self.estimand is Estimand.BEST_OF_K):
            raise ValueError(
                f"the retry policy {self.retry.policy} does not estimate {self.estimand}: best-of-k goes with best-of-k only"
            )
        if self.retry.policy is RetryPolicy.NEVER and self.retry.max_attempts != 1:
            raise ValueError("the retry policy never allows one attempt")
        return self


class Seal(Record):
    """``seal.json``: the digests of all other files of a finished run."""

    schema_name: Literal["faultline/seal/1"] = Field(alias="schema")
    """Format and version."""
    run: RunId
    sealed_at: Instant
    planned: Count
    """Cells in the plan."""
    recorded: Count
    """Trials in ``trials.jsonl``; equal to ``planned``."""
    conflicts: Count
    """Refused second results, kept in ``conflicts.jsonl``."""
    files: dict[ShortText, Digest]
    """Digest of each file of the run, by its path inside the run folder."""
