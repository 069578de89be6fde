"""One trial as Harbor recorded it, read whole: who worked on what, how it ended, and what lies beside it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from faultline.importers.harbor.evidence import Evidence, gather, trace_of
from faultline.importers.harbor.fields import Document, at, optional_rows, required_text, rows, table, text
from faultline.importers.harbor.layout import LOCK, RESULT, TrialFolder
from faultline.importers.harbor.spent import all_input, attempt, dollars, oddities
from faultline.importers.harbor.status import UNKNOWN_NAME, Ending, counts_at_harbor, ending, judged, rewards_of
from faultline.importers.interface import ForeignAgent, ForeignTrial, Place
from faultline.importers.numbers import number
from faultline.importers.reading import Reading
from faultline.kinds import safe_text

_CONTROLS: Mapping[str, str] = {"oracle": "reference", "nop": "no-op"}
"""Harbor's own agents that are evidence about tasks."""
_USER = re.compile(r"/(?:home|Users)/([^/]+)/")
_WHOLE = {"id", "task_name", "trial_name", "trial_uri", "source", "task_checksum", "started_at", "finished_at", "reward_valid"}
_PARTS = {
    "schema_version",
    "task_id.path",
    "task_id.git_url",
    "task_id.git_commit_id",
    "task_id.org",
    "task_id.name",
    "task_id.ref",
    "agent_info.name",
    "agent_info.version",
    "agent_info.model_info",
    "agent_result.n_input_tokens",
    "agent_result.n_cache_tokens",
    "agent_result.n_output_tokens",
    "agent_result.cost_usd",
    "verifier_result.rewards",
    "exception_info.exception_type",
    "exception_info.exception_message",
    "step_results",
    *(
        f"{phase}.{end}"
        for phase in ("environment_setup", "agent_setup", "agent_execution", "verifier")
        for end in ("started_at", "finished_at")
    ),
    *(
        f"config.{name}"
        for name in (
            "schema_version",
            "task",
            "trial_name",
            "job_id",
            "source_trial",
            "agent",
            "environment",
            "verifier",
            "timeout_multiplier",
            "agent_timeout_multiplier",
            "verifier_timeout_multiplier",
            "agent_setup_timeout_multiplier",
            "environment_build_timeout_multiplier",
            "override_error_policy",
        )
    ),
}


@dataclass(frozen=True)
class TaskKey:
    """What makes a task itself inside one job: the same name may stand for two contents."""

    name: str
    source: str
    checksum: str


@dataclass(frozen=True, eq=False)
class Row:
    """One trial, and what is needed to place it."""

    folder: TrialFolder
    trial: ForeignTrial
    trial_name: str
    task: TaskKey
    lock_digest: str
    """The digest in the lock, made in another way than the checksum of the result."""
    graded: tuple[str, str]
    """Checksum and lock digest of the task whose verifier gave the verdict; a re-grade may take another form of it."""
    folder_name: str
    """Of the task's folder, as locks call it."""
    job: str
    """Id of the job as the trial says; empty when it does not."""
    agent: ForeignAgent
    rewards: Mapping[str, float] | None
    counts: bool
    """Whether Harbor calls the reward valid."""
    ending: Ending
    re_grade_of: Document
    """Which trial this one graded again; empty for none."""
    flags: frozenset[str]
    """What a note has to say, each the end of a sentence about trials."""
    notes: tuple[str, ...]
    """What lies beside it and cannot be read."""
    homeless: tuple[str, ...]
    """Fields with a value that have no place in a record."""
    files: tuple[str, ...]
    trace_digest: str
    copied: bool = False
    """Whether the same result was read before from another place."""

    @property
    def config(self) -> Document:
        """The trial's own configuration."""
        return table(self.folder.result.get("config"))

    @property
    def trial_version(self) -> str:
        """The agent's version, as this trial names it."""
        return self.agent.version or "unknown"

    @property
    def dollars(self) -> float | None:
        """What it cost, when all of it is known."""
        return dollars(self.folder.result)


def learn_names(reading: Reading, result: Document) -> None:
    """Take the account name in a trial's address out of all texts."""
    reading.redactor.learn("user name", _USER.findall(text(result.get("trial_uri"))))


def read_row(reading: Reading, folder: TrialFolder, maximum: float) -> Row:
    """Read one trial; raises ``BadInputError`` when what decides it has the wrong type."""
    result, place = folder.result, folder.path(RESULT)
    native = required_text(result, "id", place)
    name = required_text(result, "task_name", place)
    steps = tuple(text(step.get("step_name")) for step in optional_rows(result, "step_results", place))
    agent = _agent(result, place)
    rewards = rewards_of(result, place)
    end = ending(result, rewards, place)
    verdict = judged(rewards, reading.option("reward"), maximum)
    beside = gather(reading.tree, folder, steps)
    counts = counts_at_harbor(result, rewards)
    regrade = table(at(folder.lock, "source_trial")) or table(at(result, "config.source_trial"))
    metrics = {key: value for key, value in (rewards or {}).items() if number(value) is not None}
    for step in optional_rows(result, "step_results", place):
        for key, value in table(at(step, "verifier_result.rewards")).items():
            if (finite := number(value)) is not None:
                metrics[f"step {text(step.get('step_name'))}: {key}"] = finite
    extra = {"trial name": text(result.get("trial_name"))}
    if end.others:
        extra["other exceptions"] = ", ".join(str(failure) for failure in end.others)
    if verdict.name not in ("", "reward"):
        extra["deciding reward"] = verdict.name
    inputs = all_input(result)
    if inputs is not None:
        metrics["input tokens with cache"] = float(inputs)
    trial = ForeignTrial(
        native_id=native,
        task=name,
        place=Place(place),
        rule=end.rule,
        verdict=verdict.verdict,
        native_status=", ".join(dict.fromkeys(map(str, (end.decisive, *end.others)))) if end.decisive else "",
        message=end.decisive.message if end.decisive else "",
        score=verdict.score,
        metrics=metrics | beside.metrics,
        tests=beside.tests,
        attempts=(attempt(result),),
        trajectory=partial(trace_of, reading.tree, beside.trajectories, native) if beside.trajectories else None,
        extra=extra,
    )
    return Row(
        folder=folder,
        trial=trial,
        trial_name=text(result.get("trial_name")),
        task=TaskKey(name, text(result.get("source")), text(result.get("task_checksum"))),
        lock_digest=text(at(folder.lock, "task.digest")),
        graded=(text(result.get("task_checksum")), text(at(folder.lock, "task.digest"))),
        folder_name=_folder_name(result),
        job=text(at(result, "config.job_id")),
        agent=agent,
        rewards=rewards,
        counts=counts,
        ending=end,
        re_grade_of=regrade,
        flags=_flags(result, end, verdict.why_none, beside, rewards, counts=counts),
        notes=tuple(safe_text(fault, 400) for fault in beside.faults),
        homeless=tuple(_homeless(result)),
        files=_files(reading, folder, beside),
        trace_digest=beside.digest,
    )


def copy_of(row: Row, folder: TrialFolder) -> Row:
    """Return a row for another copy of the same result, which may lack what lies beside it."""
    return replace(
        row,
        folder=folder,
        trial=replace(row.trial, place=Place(folder.path(RESULT))),
        files=(folder.path(RESULT),),
        flags=frozenset(),
        notes=(),
        trace_digest="",
        copied=True,
    )


def _agent(result: Document, place: str) -> ForeignAgent:
    """Return who worked; both ways to write a model (``acme/model-b``, or ``model-b`` of ``acme``) give one id."""
    name = required_text(result, "agent_info.name", place)
    version = text(at(result, "agent_info.version"))
    model, provider = text(at(result, "agent_info.model_info.name")), text(at(result, "agent_info.model_info.provider"))
    if model and provider and not model.startswith(f"{provider}/"):
        model = f"{provider}/{model}"
    configured = table(at(result, "config.agent"))
    own = not configured.get("import_path") and configured.get("name") in (None, name)
    control = _CONTROLS.get(name, "") if own else ""
    return ForeignAgent(
        name=name,
        version="" if version == "unknown" else version,
        model=model,
        provider=provider or (model.partition("/")[0] if "/" in model else ""),
        control=control,  # type: ignore[arg-type]  # a value of the table above
    )


def _folder_name(result: Document) -> str:
    """Return the task's name in locks: that of its folder, or of its package."""
    path = text(at(result, "task_id.path")) or text(at(result, "config.task.path"))
    if path:
        return path.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return text(at(result, "task_id.name")) or text(result.get("trial_name")).rpartition("__")[0]


def _flags(
    result: Document, end: Ending, why_none: str, beside: Evidence, rewards: Mapping[str, float] | None, *, counts: bool
) -> frozenset[str]:
    found = set(oddities(result))
    if end.rule.id.endswith(UNKNOWN_NAME) and counts:
        found.add("count at Harbor and not here: its table does not know their exception, and takes it for harmless")
    elif end.rule.scoreable == "no" and counts:
        found.add("count at Harbor and not here: their exception stands for a fault that is not the agent's")
    elif end.rule.scoreable != "no" and rewards and not counts:
        found.add("count here and not at Harbor: it calls their reward invalid")
    if end.rule.scoreable == "if_reward" and not rewards:
        found.add(
            "ended with a failure of the agent and have no reward: Harbor has one slot for an exception, "
            "so a verifier that failed as well would be masked"
        )
    if why_none and end.rule.scoreable != "no":
        found.add(f"have rewards and no verdict: {why_none}")
    if rewards and beside.rewards is not None and beside.rewards != dict(rewards):
        found.add("have another reward in the verifier's own file than in their result; the result counts")
    if at(result, "config.verifier.disable") is True:
        found.add("ran with the verifier switched off")
    return frozenset(found)


def _files(reading: Reading, folder: TrialFolder, beside: Evidence) -> tuple[str, ...]:
    names = [folder.path(name) for name in (RESULT, LOCK) if reading.tree.has(folder.path(name))]
    found = (*names, *beside.files)
    reading.used(*found)
    return found


def _homeless(result: Document) -> Iterator[str]:
    """Yield the fields with a value that have no place in a record, to one level below the top."""
    for name, value in result.items():
        if name in _WHOLE:
            continue
        inner = value.items() if isinstance(value, dict) and value else [("", value)]
        for key, item in inner:
            path = f"{name}.{key}" if key else name
            if item not in (None, "", [], {}) and path not in _PARTS:
                yield safe_text(path, 120)
    for step in rows(result.get("step_results")):
        for name in ("model_usage", "rollout_details", "metadata"):
            if at(step, f"agent_result.{name}"):
                yield f"step_results.agent_result.{name}"
