"""The tables that ``csv``, ``json`` and ``parquet`` write: trials and attempts, with a dictionary of their columns."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from faultline.archive import SealedRun
from faultline.card.model import TrialRow
from faultline.card.tables import TRIAL_COLUMNS, Column, reason, tokens
from faultline.exporters.interface import Subject
from faultline.kinds import AgentKind
from faultline.records import Absent, AgentIdentity, Attempt, Cost, ImportedTask, TaskPin, Trial, Usage, not_applicable, unknown

T = TypeVar("T")
DICTIONARY = "data-dictionary.json"


@dataclass(frozen=True)
class TrialEntry:
    """A trial with what its run says about it."""

    run: SealedRun
    trial: Trial
    row: TrialRow
    agent: AgentIdentity
    task: TaskPin | ImportedTask
    """The task as the run used it; another harness's task has no failure class and no seeds here."""


@dataclass(frozen=True)
class AttemptEntry:
    """One attempt of a trial."""

    trial: Trial
    attempt: Attempt


@dataclass(frozen=True)
class Table(Generic[T]):
    """A table: its columns and its rows, in the order of runs by name and of their plans."""

    name: str
    row_is: str
    columns: tuple[Column[T], ...]
    rows: tuple[T, ...]

    def cells(self) -> Iterator[dict[str, Any]]:
        """Yield each row by column; what is absent is None, and the column beside it says why."""
        for row in self.rows:
            found = {column.name: column.value(row) for column in self.columns}
            yield {name: None if isinstance(value, Absent) else value for name, value in found.items()}


def tables_of(subject: Subject) -> tuple[Table[TrialEntry], Table[AttemptEntry]]:
    """Return the tables of the chosen runs."""
    entries = tuple(_entries(subject))
    attempts = tuple(AttemptEntry(entry.trial, attempt) for entry in entries for attempt in entry.trial.attempts)
    return (
        Table("trials", "one trial: the scored sample of a cell", _with_reasons(_TRIALS), entries),
        Table(
            "attempts", "one attempt: one execution of a trial; exactly the last one counts", _with_reasons(_ATTEMPTS), attempts
        ),
    )


def dictionary(tables: Sequence[Table[Any]], suffix: str, gate_status: str) -> bytes:
    """Return the data dictionary as JSON."""
    plain = {
        "schema": "faultline/data-dictionary/1",
        "gates": gate_status,
        "absence": "A cell that is empty or null is not zero; the column named by absent_column says why it is not there.",
        "tables": [
            {
                "file": f"{table.name}.{suffix}",
                "row": table.row_is,
                "rows": len(table.rows),
                "columns": [
                    {
                        "name": column.name,
                        "type": column.type,
                        "unit": column.unit or None,
                        "meaning": column.meaning,
                        "absent_column": column.absent or None,
                    }
                    for column in table.columns
                ],
            }
            for table in tables
        ],
    }
    return json.dumps(plain, indent=2, sort_keys=True).encode("ascii") + b"\n"


def _entries(subject: Subject) -> Iterator[TrialEntry]:
    cards = {run.run: run for run in subject.run_cards}
    for run in subject.runs:
        rows = {(row.task, row.variant, row.agent, row.trial): row for row in cards[run.name].trials}
        agents = {agent.name: agent for agent in run.manifest.agents}
        tasks: dict[str, TaskPin | ImportedTask] = {task.id: task for task in run.manifest.tasks}
        tasks |= {task.id: task for task in run.manifest.foreign_tasks}
        for trial in run.trials:
            key = trial.key
            row = rows[key.task, key.variant, key.agent, key.trial]
            yield TrialEntry(run, trial, row, agents[key.agent], tasks[key.task])


def _with_reasons(columns: Sequence[Column[T]]) -> tuple[Column[T], ...]:
    """Add, after the last column that points to it, each column of reasons."""
    last = {column.absent: place for place, column in enumerate(columns) if column.absent}
    found: list[Column[T]] = []
    for place, column in enumerate(columns):
        found.append(column)
        if column.absent and last[column.absent] == place:
            group = [item for item in columns if item.absent == column.absent]
            names = ", ".join(item.name for item in group)
            found.append(
                Column(column.absent, "text", f"Why cells of {names} are empty; empty when all are there.", _why(group))
            )
    return tuple(found)


def _why(group: Sequence[Column[T]]) -> Callable[[T], str]:
    def why(row: T) -> str:
        values = [column.value(row) for column in group]
        return "; ".join(dict.fromkeys(reason(value) for value in values if isinstance(value, Absent)))

    return why


def _lift(column: Column[TrialRow]) -> Column[TrialEntry]:
    value = column.value
    return Column(column.name, column.type, column.meaning, lambda entry: value(entry.row), column.unit, column.absent)


_BASE: Mapping[str, Column[TrialEntry]] = {column.name: _lift(column) for column in TRIAL_COLUMNS}
_TOKEN_WORDS = {
    "uncached_input": "Input tokens billed at the full rate; cached ones are not part of it.",
    "cache_read": "Input tokens read from a cache.",
    "cache_write": "Input tokens written to a cache.",
    "output": "Output tokens.",
    "reasoning": "Reasoning tokens; part of the output.",
    "requests": "Requests to a model.",
}


def _tokens_of_trial() -> Iterator[Column[TrialEntry]]:
    for field, meaning in _TOKEN_WORDS.items():
        name = field if field == "requests" else f"{field}_tokens"
        yield Column(name, "integer", f"{meaning} Of all attempts.", _of_row(field), absent="tokens_absent")


def _of_row(field: str) -> Callable[[TrialEntry], Any]:
    return lambda entry: tokens(entry.row, field)


def _of_attempt(field: str) -> Callable[[AttemptEntry], Any]:
    def value(entry: AttemptEntry) -> Any:
        usage = entry.attempt.usage
        return getattr(usage, field) if isinstance(usage, Usage) else usage

    return value


def _cost(field: str) -> Callable[[AttemptEntry], Any]:
    def value(entry: AttemptEntry) -> Any:
        cost = entry.attempt.cost
        return getattr(cost, field) if isinstance(cost, Cost) else cost

    return value


def _variant_seed(entry: TrialEntry) -> int | Absent:
    if isinstance(entry.task, ImportedTask):
        return _FOREIGN
    return next(pin.seed for pin in entry.task.variants if pin.id == entry.trial.key.variant)


def _of_source(field: str) -> Callable[[TrialEntry], Any]:
    def value(entry: TrialEntry) -> Any:
        source = entry.trial.source
        if source is None:
            return _OWN
        found = getattr(source, field)
        return unknown("the log gives none") if found in (None, "") else found

    return value


def _failure_class(entry: TrialEntry) -> str | Absent:
    return _FOREIGN if isinstance(entry.task, ImportedTask) else entry.task.failure_class


_FOREIGN = not_applicable("the task is another harness's")
_OWN = not_applicable("the trial was not imported")


_TRIALS: tuple[Column[TrialEntry], ...] = (
    _BASE["run"],
    Column(
        "kind", "text", "What the run is evidence of: validity, evaluation or imported.", lambda e: e.run.manifest.kind.value
    ),
    _BASE["task"],
    Column("family", "text", "Tasks made from one template share a family and count once.", lambda e: e.task.family),
    Column(
        "failure_class",
        "text",
        "The kind of defect that the task carries.",
        _failure_class,
        absent="failure_class_absent",
    ),
    Column(
        "task_digest", "text", "Digest of the task as it was used.", lambda e: e.trial.task_digest, absent="task_digest_absent"
    ),
    _BASE["variant"],
    Column(
        "variant_seed",
        "integer",
        "The seed that the variant was drawn from.",
        _variant_seed,
        absent="variant_seed_absent",
    ),
    _BASE["agent"],
    Column("control", "boolean", "Whether the agent's verdict is known in advance.", lambda e: e.agent.kind.is_control),
    Column("agent_kind", "text", f"Who repairs: {', '.join(AgentKind)}.", lambda e: e.agent.kind.value),
    Column("model", "text", "The model's id as its provider writes it.", lambda e: e.agent.model, absent="model_absent"),
    Column("provider", "text", "Who serves the model.", lambda e: e.agent.provider, absent="model_absent"),
    _BASE["trial"],
    Column(
        "trial_origin",
        "text",
        "Whether the trial number stood in the source (native) or was given by order (inferred).",
        lambda e: e.trial.index_origin,
    ),
    *(_BASE[name] for name in ("verdict", "class")),
    Column("blame", "text", "Whose doing the end was.", lambda e: e.trial.outcome.blame.value),
    *(_BASE[name] for name in ("fold", "mode", "scoreable")),
    Column("rule", "text", "The rule that decided class, blame and scoreable.", lambda e: e.trial.outcome.rule),
    _BASE["reason_codes"],
    Column("checks_passed", "integer", "Hidden checks that passed.", lambda e: e.row.checks_passed, absent="checks_absent"),
    Column("checks_total", "integer", "Hidden checks that are required.", lambda e: e.row.checks_total, absent="checks_absent"),
    *(_BASE[name] for name in ("public_passed", "public_total", "attempts", "attempts_complete", "usd")),
    *_tokens_of_trial(),
    *(_BASE[name] for name in ("agent_seconds", "grading_seconds", "started_at", "candidate")),
    Column("estimand", "text", "What verdicts of the run estimate, with its number.", lambda e: e.run.manifest.estimates),
    Column("synthetic", "boolean", "Whether the run was made for a test.", lambda e: e.run.manifest.synthetic),
    Column("native_id", "text", "Id of an imported trial in its log.", _of_source("native_id"), absent="source_absent"),
    Column("native_status", "text", "Status of it there.", _of_source("native_status"), absent="source_absent"),
    Column(
        "native_score",
        "number",
        "Score of it there; a fraction is a failure, with its score.",
        _of_source("score"),
        absent="source_absent",
    ),
    Column("record_digest", "text", "Digest of the trial's canonical record.", lambda e: e.trial.content_digest()),
)

_ATTEMPTS: tuple[Column[AttemptEntry], ...] = (
    Column("run", "text", "The run.", lambda e: e.trial.key.run),
    Column("task", "text", "The task.", lambda e: e.trial.key.task),
    Column("variant", "text", "The variant of the task.", lambda e: e.trial.key.variant),
    Column("agent", "text", "The agent by its short name.", lambda e: e.trial.key.agent),
    Column("trial", "integer", "Number of the trial within its cell, from 0.", lambda e: e.trial.key.trial),
    Column("attempt", "integer", "Number of the attempt, from 1.", lambda e: e.attempt.number),
    Column("counts", "boolean", "Whether it is the attempt that counts.", lambda e: e.attempt is e.trial.last),
    Column("end", "text", "How it ended: judged, faulted, superseded or unknown.", lambda e: e.attempt.end),
    Column("started_at", "instant", "When it started.", lambda e: e.attempt.started_at, absent="instants_absent"),
    Column("ended_at", "instant", "When it ended.", lambda e: e.attempt.ended_at, absent="instants_absent"),
    *(
        Column(f"{phase}_seconds", "number", f"How long {words} took.", value, unit="seconds", absent="seconds_absent")
        for phase, words, value in (
            ("setup", "the preparation", lambda e: e.attempt.timing.setup),
            ("agent", "the agent's work", lambda e: e.attempt.timing.agent),
            ("grading", "judging", lambda e: e.attempt.timing.grading),
        )
    ),
    *(
        Column(
            field if field == "requests" else f"{field}_tokens", "integer", meaning, _of_attempt(field), absent="tokens_absent"
        )
        for field, meaning in _TOKEN_WORDS.items()
    ),
    Column("usd", "decimal", "Cost.", _cost("usd"), unit="US dollars", absent="usd_absent"),
    Column("usd_source", "text", "Who computed the cost.", _cost("source"), absent="usd_absent"),
    Column("usd_complete", "boolean", "Whether every request is in it.", _cost("complete"), absent="usd_absent"),
    Column("candidate", "text", "Digest of the frozen candidate.", lambda e: e.attempt.candidate, absent="candidate_absent"),
)
