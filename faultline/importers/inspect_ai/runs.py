"""Logs of one task as one run: which log is the newest, which rows count, which became earlier attempts, what was planned.

An eval-retry keeps the ``task_id`` and makes a new log; what was finished is copied with its ``uuid``, what failed is run
again. So the newest row of a sample and epoch counts, rows under other ids before it are its earlier attempts, and a row that
stands again under its own id is a copy.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from faultline.errors import BadInputError, FaultlineError
from faultline.importers.inspect_ai.headlines import headlines
from faultline.importers.inspect_ai.log import Log
from faultline.importers.inspect_ai.protocol import differences, protocol
from faultline.importers.inspect_ai.rows import Reader, strange_clock
from faultline.importers.inspect_ai.sample import MAX_EPOCH, Sample
from faultline.importers.inspect_ai.scores import choose
from faultline.importers.inspect_ai.tokens import Subject, subject_of, version_of
from faultline.importers.inspect_ai.traces import trajectory
from faultline.importers.interface import ForeignAgent, ForeignRun, ForeignTask, ForeignTrial
from faultline.importers.numbers import count
from faultline.importers.reading import Reading
from faultline.importers.times import iso_time
from faultline.kinds import safe_text

MAX_CELLS = 1_000_000
_ENDED_EARLY = {"started", "error", "cancelled"}
_Key = tuple[str, int]


def lineages(logs: Iterable[Log], reading: Reading) -> Iterator[list[Log]]:
    """Yield the logs of each task and model, oldest first; copies of one log stay beside each other."""
    found: dict[tuple[str, str], list[Log]] = defaultdict(list)
    for log in logs:
        try:
            model = subject_of(log, reading.option("role")).model
        except FaultlineError as error:
            reading.unreadable(error)
            continue
        found[log.text("eval", "task_id") or _log_id(log), model].append(log)
    for group in found.values():
        yield sorted(group, key=_age)


def _age(log: Log) -> tuple[str, str, str]:
    created = iso_time(log.text("eval", "created"))
    return created.isoformat() if created else "", _log_id(log), log.path


def _log_id(log: Log) -> str:
    """Return what makes two files copies of one log: ids that Inspect gave it, else its path."""
    return log.text("eval", "eval_id") or log.text("eval", "run_id") or log.path


def run_of(logs: list[Log], reading: Reading) -> ForeignRun | None:
    """Return logs of one task, oldest first, as a run; ``None`` when they neither hold nor plan a sample.

    Raises ``BadInputError`` when the subject, the scorer or the plan cannot be told.
    """
    newest = logs[-1]
    subject = subject_of(newest, reading.option("role"))
    choice = choose(logs, scorer=reading.option("scorer"), key=reading.option("key"), passed=reading.option("passed"))
    names = _Names(logs)
    run_ids = {log.path: log.text("eval", "run_id") or log.path for log in logs}
    reader = Reader(
        choice,
        subject,
        version_of(newest),
        names.of,
        lambda sample: sample.uuid or f"{run_ids[sample.place.path]} {names.of(sample)} {sample.epoch}",
    )
    agent = _agent(newest, subject)
    told = _trials(logs, reader, agent, reading)
    trials = told.trials
    planned, extra_notes = _planned(logs, names, trials)
    if not planned and not trials:
        return None
    notes = [note for note in (choice.note,) if note]
    notes += extra_notes
    if told.again:
        notes.append(f"{told.again} earlier attempts stand in more than one log of this task")
    if told.changed:
        notes.append(f"{told.changed} rows of earlier logs of this task were changed in later ones, which count")
    if clocks := sum(strange_clock(sample) for log in logs for sample in log.samples):
        notes.append(f"{clocks} samples worked longer than they took: replayed from a cache; their working time is no duration")
    if changed := sum(any(score.changed for score in sample.scores.values()) for log in logs for sample in log.samples):
        notes.append(f"{changed} rows have scores that were changed after they were given")
    notes += [f"{log.path} holds no samples, only a header" for log in logs if not log.samples and not log.unreadable]
    notes += [f"{log.path} was never finished: status started" for log in logs if not log.finished]
    notes += [f"{log.path} ended in an error: {said}" for log in logs if (said := log.text("error", "message"))]
    limits = newest.part("eval", "config").get("max_samples")
    return ForeignRun(
        name=f"{newest.text('eval', 'task') or 'task'}-{subject.model.rsplit('/', 1)[-1]}",
        native_id=newest.text("eval", "task_id") or _log_id(newest),
        agent=agent,
        tasks={name: _task(name, newest, names) for name in {*planned, *(trial.task for trial in trials)}},
        trials=tuple(trials),
        files=tuple(log.path for log in logs),
        planned=planned,
        missing_rule="IN-31" if newest.status in _ENDED_EARLY else "FL-90",
        order_known=count(limits) == 1 and all(trial.attempts[-1].started_at for trial in trials),
        harness="inspect_ai",
        harness_version=newest.text("eval", "packages", "inspect_ai"),
        protocol=protocol(newest),
        differences=differences(logs),
        headlines=tuple(headlines(newest)),
        earlier_attempts=told.earlier,
        notes=tuple(notes),
    )


@dataclass
class _Told:
    """What became of the rows of a run's logs, beside its trials."""

    trials: list[ForeignTrial] = field(default_factory=list)
    """Copies among them; the core tells them apart and lists them."""
    earlier: int = 0
    changed: int = 0
    """Copies that say something else than the row that counts."""
    again: int = 0
    """Earlier attempts that stand in the source more than once."""


def _trials(logs: list[Log], reader: Reader, agent: ForeignAgent, reading: Reading) -> _Told:
    """Return the trials of logs, oldest first, with their earlier attempts."""
    history: dict[_Key, list[tuple[Log, Sample]]] = defaultdict(list)
    for log in logs:
        for sample in (*log.earlier, *log.samples):
            history[reader.names(sample), sample.epoch].append((log, sample))
    told = _Told()
    for rows in history.values():
        log, current = rows[-1]
        copies: list[tuple[Log, Sample]] = []
        before: dict[str, Sample] = {}
        for other, sample in rows[:-1]:
            # A row of the same log in another file is held against its twin whatever id it has.
            twin = other is not log and _log_id(other) == _log_id(log) and not other.archive_holds_earlier(sample)
            if twin or (sample.uuid and sample.uuid == current.uuid):
                copies.append((other, sample))
            else:
                # Logs from before there were ids of rows: each row that is not the same log again is an attempt of its own.
                known = sample.uuid or f"{len(before)} {sample.place}"
                told.again += known in before
                before[known] = sample
        trial = reader.trial(current, list(before.values()), _trace(log, current, agent, reading))
        told.trials.append(trial)
        told.earlier += len(trial.attempts) - 1
        for other, sample in copies:
            copy = reader.trial(sample, list(before.values()), None)
            if _log_id(other) == _log_id(log) or replace(copy, place=trial.place, trajectory=trial.trajectory) == trial:
                told.trials.append(copy)
            else:
                told.changed += 1
    return told


def _trace(log: Log, sample: Sample, agent: ForeignAgent, reading: Reading) -> Callable[[], bytes | None] | None:
    if sample.where is None or reading.option("trajectories") == "no":
        return None

    def read() -> bytes | None:
        try:
            return trajectory(log.whole(sample, reading), name=agent.name, model=agent.model)
        except (FaultlineError, RecursionError) as error:
            reading.notes.append(f"the trajectory of {sample.place} cannot be read and was left out: {error}")
            return None

    return read


class _Names:
    """Names of tasks: the sample's id, with the text ``"7"`` told apart from the number 7 where a log has both."""

    def __init__(self, logs: list[Log]) -> None:
        ids = {sample.id for log in logs for sample in log.samples} | {key for log in logs for key in planned_ids(log)}
        self._twice = {str(key) for key in ids if isinstance(key, int) and str(key) in ids}
        self.about: dict[str, Sample] = {}
        for log in logs:
            for sample in log.samples:
                self.about.setdefault(self.of(sample), sample)

    def of(self, sample: Sample) -> str:
        return self.name(sample.id)

    def name(self, key: int | str) -> str:
        return f'"{key}"' if isinstance(key, str) and key in self._twice else str(key) or '""'


def planned_ids(log: Log) -> list[int | str]:
    """Return the ids of the samples that a log planned, cut by its limit; empty when it does not list them.

    Inspect lists them after the cut since it lists them at all; cutting again changes nothing then.
    """
    plain = log.part("eval", "dataset").get("sample_ids")
    ids = [key for key in plain if isinstance(key, int | str) and not isinstance(key, bool)] if isinstance(plain, list) else []
    ids = list(dict.fromkeys(ids))
    limit = log.part("eval", "config").get("limit")
    if isinstance(limit, list):
        ends = [count(end) for end in limit]
        first, last = ends if len(ends) == 2 else (None, None)  # noqa: PLR2004  (from and to)
        return ids[first:last] if first is not None and last is not None and len(ids) > last - first else ids
    return ids[: count(limit)] if count(limit) else ids


def _planned(logs: list[Log], names: _Names, trials: list[ForeignTrial]) -> tuple[Mapping[str, int], list[str]]:
    newest = logs[-1]
    given = newest.part("eval", "config").get("epochs")
    epochs = count(given) or 1
    ids = [names.name(key) for key in planned_ids(newest)]
    found = {trial.task for trial in trials}
    notes = []
    if not ids:
        total = count(newest.part("results").get("total_samples"))
        if total is not None and total > len(found) * epochs:
            notes.append(f"the log speaks of {total} samples, holds {len(trials)}, and does not name those that are missing")
        ids = sorted(found)
    elif beyond := len(found - set(ids)):
        notes.append(f"{beyond} samples are not among those that the log says were planned")
    most = max(epochs, *((trial.index or 0) + 1 for trial in trials), 1)
    if most > MAX_EPOCH or len({*ids, *found}) * most > MAX_CELLS:
        raise BadInputError(
            safe_text(newest.path, 300),
            "the log plans too many trials",
            expected=f"at most {MAX_CELLS}",
            found=f"{len(ids)} samples, {most} epochs",
        )
    return dict.fromkeys(ids, epochs), notes


def _task(name: str, log: Log, names: _Names) -> ForeignTask:
    row = names.about.get(name)
    version = log.part("eval").get("task_version")
    suite = log.text("eval", "task")
    if suite and isinstance(version, int | str) and str(version) not in ("", "0"):
        suite = f"{suite} {version}"
    return ForeignTask(name, suite=suite, family=row.family if row else "", category=row.category if row else "")


def _agent(log: Log, subject: Subject) -> ForeignAgent:
    steps = log.part("plan").get("steps")
    solvers = [step.get("solver") for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    names = [log.text("eval", "solver")] if log.text("eval", "solver") else [name for name in solvers if isinstance(name, str)]
    name = "+".join(name.rsplit("/", 1)[-1] for name in names[:5])
    provider = subject.model.split("/", 1)[0] if "/" in subject.model else ""
    return ForeignAgent(name or "inspect", model=subject.model, provider=provider)
