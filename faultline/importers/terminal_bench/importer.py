"""Terminal-Bench 1 as an importer: run folders into runs, copies known by their trials, and what each run does not tell."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from faultline.errors import BadInputError, FaultlineError
from faultline.importers.identity import readable
from faultline.importers.interface import ForeignRun, ForeignTask, ForeignTrial, Importer, Place
from faultline.importers.reading import Reading
from faultline.importers.terminal_bench.described import Described, described, differences, homeless
from faultline.importers.terminal_bench.headline import headlines
from faultline.importers.terminal_bench.layout import RunFiles, holds_runs, read_runs
from faultline.importers.terminal_bench.rows import Seen, trial_of
from faultline.importers.tree import SourceTree
from faultline.records import PublishedNumber, digest_of_plain


class TerminalBench(Importer):
    """Runs of ``tb``; one run a run id."""

    name = "terminal-bench"
    summary = "Terminal-Bench 1: runs/<run id>/, or a run-level result file on its own"
    options: ClassVar[Mapping[str, str]] = {
        "join": "agent: the runs of one agent, model and dataset are trials of one run, numbered by start time",
        "agent": "the agent of runs that name none",
        "model": "the model of runs that name none",
    }

    def recognises(self, tree: SourceTree) -> bool:
        """Return whether there is a ``tb.lock``, or a result file whose first bytes tell."""
        return holds_runs(tree)

    def read(self, reading: Reading) -> Iterator[ForeignRun]:
        """Yield the runs, copies of one run as one."""
        join = reading.option("join")
        if join not in ("", "agent"):
            raise BadInputError("--option join", "this cannot be joined", expected="agent", found=join[:80])
        sources = list(read_runs(reading))
        for source in sources:
            reading.redactor.learn("user name", [source.metadata.get("username")])
        units = [_unit(group, reading) for group in _copies(sources)]
        for members in _entries(units):
            # Runs without an agent's name are no entry: nothing says that they belong together.
            unlike = differences([unit.told for unit in members]) if members[0].told.agent.name else ()
            if join and len(members) > 1 and members[0].told.agent.name:
                runs = [(members, _joined(members, unlike))]
            else:
                runs = [([unit], _run(unit, unlike)) for unit in members]
            for units_of, run in runs:
                for unit in units_of:
                    reading.homeless.update(unit.homeless)
                # The name becomes part of the run's id, and may hold the user's.
                yield replace(run, name=reading.redactor.text(run.name))


@dataclass
class _Unit:
    """One run, whatever number of folders and files it was found in."""

    told: Described
    native_id: str
    sources: Sequence[RunFiles]
    trials: list[ForeignTrial]
    planned: dict[str, int]
    headlines: tuple[PublishedNumber, ...]
    notes: list[str]
    homeless: Counter[str]

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(path for source in self.sources for path in source.paths)


def _copies(sources: Sequence[RunFiles]) -> list[list[RunFiles]]:
    """Return the sources grouped into runs: one uuid is one run, and what names no run belongs where its trials stand too."""
    groups: list[list[RunFiles]] = []
    by_uuid: dict[str, int] = {}
    by_trial: dict[str, int] = {}
    for source in sorted(sources, key=lambda item: (not item.metadata, item.lone, item.folder, item.results_path)):
        uuid = source.metadata.get("uuid")
        ids = _trial_ids(source)
        if isinstance(uuid, str) and uuid:
            at = by_uuid.setdefault(uuid, len(groups))
        else:
            at = next((by_trial[name] for name in ids if name in by_trial), len(groups))
        if at == len(groups):
            groups.append([])
        groups[at].append(source)
        for name in ids:
            by_trial.setdefault(name, at)
    return groups


def _trial_ids(source: RunFiles) -> list[str]:
    rows = [row for _, row in source.trials] + [row for row in source.results.get("results", ()) if isinstance(row, dict)]
    return [str(row.get("id") or row["uuid"]) for row in rows if row.get("id") or row.get("uuid")]


def _unit(group: Sequence[RunFiles], reading: Reading) -> _Unit:
    first = group[0]
    told = described(first, reading.option("agent"), reading.option("model"))
    seen = Seen()
    notes: list[str] = []
    trials: list[ForeignTrial] = []
    published: tuple[PublishedNumber, ...] = ()
    for source in group:
        own = _trials(source, told, seen, notes, reading)
        trials += own
        seen.homeless.update(homeless(source))
        published = published or headlines(source.results, source.metadata, own)
    if len(group) > 1:
        notes.append(f"{told.run} was found {len(group)} times; each result counts once")
    results_id = next((found for source in group if isinstance(found := source.results.get("id"), str) and found), "")
    native = told.native_id or results_id or digest_of_plain(sorted({trial.native_id for trial in trials}))
    attempts = told.attempts or seen.planned or 1
    planned = dict.fromkeys([*told.tasks, *(trial.task for trial in trials)], attempts)
    notes += _not_told(first, told, {trial.task for trial in trials}, seen)
    return _Unit(told, native, group, trials, planned, published, notes, seen.homeless)


def _trials(source: RunFiles, told: Described, seen: Seen, notes: list[str], reading: Reading) -> list[ForeignTrial]:
    """Return the trials of one folder: the result files of trials win, since the harness makes the run's from them."""
    found: dict[str, ForeignTrial] = {}
    own: dict[str, tuple[ForeignTrial, dict[str, Any]]] = {}
    for path, row in source.trials:
        try:
            trial = trial_of(row, Place(path), told.run, told.agent_limit, seen)
        except FaultlineError as error:
            reading.unreadable(error)
            continue
        found[path] = trial
        if isinstance(row["trial_name"], str) and row["trial_name"]:
            own.setdefault(row["trial_name"], (trial, row))
    unlike, beyond, listed = [], [], set()
    for number, row in enumerate(source.results.get("results", ()), start=1):
        place = Place(source.results_path, row=number)
        name = row.get("trial_name") if isinstance(row, dict) else None
        if isinstance(name, str) and name in own:
            listed.add(name)
            if not _same(row, *own[name]):
                unlike.append(name)
            continue
        try:
            if not isinstance(row, dict):
                raise BadInputError(str(place), "this result is no object", found=type(row).__name__)
            trial = trial_of(row, place, told.run, told.agent_limit, seen)
        except FaultlineError as error:
            reading.unreadable(error)
            continue
        found[f"{source.results_path}:{number}"] = trial
        beyond.append(trial.native_id)
    if unlike:
        notes.append(f"results.json disagrees with the files of {len(unlike)} trials, which count: {readable(unlike, 3)}")
    if own and source.results and beyond:
        notes.append(f"{len(beyond)} trials stand in results.json only, without a file of their own")
    if source.results and (alone := len(own) - len(listed)):
        notes.append(f"{alone} trials have a file of their own and are not in results.json")
    if told.resumed:
        return [replace(trial, attempts_complete=False) for trial in found.values()]
    return list(found.values())


def _same(row: Mapping[str, Any], trial: ForeignTrial, own: Mapping[str, Any]) -> bool:
    """Return whether a row of the run's result says the same as the file of the trial; it is not counted a second time."""
    if row == own:
        return True
    try:
        again = trial_of(row, trial.place, "", None, Seen())
    except FaultlineError:
        return False
    return replace(again, extra={}) == replace(trial, extra={})


def _not_told(source: RunFiles, told: Described, tasks: set[str], seen: Seen) -> list[str]:
    """Return what a reader of the numbers must know about this run."""
    notes = []
    if not told.known:
        notes.append("neither run_metadata.json nor tb.lock is there: agent, model, versions, limits and plan are unknown")
    if not source.results:
        notes.append("the run has no results.json of its own: it was interrupted, and publishes nothing")
    if told.resumed:
        notes.append("the run was resumed: what it had begun before was removed by the harness")
    if told.dataset_size is not None and not told.tasks and told.dataset_size > len(tasks):
        notes.append(
            f"the dataset has {told.dataset_size} tasks, of which {len(tasks)} left a result; the others are not named"
        )
    if seen.modes:
        notes.append(f"failure modes that no rule knows, taken as unknown: {readable(sorted(seen.modes), 5)}")
    if seen.early:
        notes.append(f"{seen.early} time-outs of the agent came long before the configured limit: another limit ended them")
    if seen.contradicted:
        notes.append(f"{seen.contradicted} trials are called resolved although a test failed")
    notes += [
        f"{key} is of another type in {number} results, and taken as unknown" for key, number in sorted(seen.typed.items())
    ]
    return notes


def _run(unit: _Unit, unlike: Sequence[str]) -> ForeignRun:
    told = unit.told
    return ForeignRun(
        name=told.run,
        native_id=unit.native_id,
        agent=told.agent,
        tasks={task: ForeignTask(task, suite=told.dataset) for task in unit.planned},
        trials=tuple(unit.trials),
        files=unit.files,
        planned=unit.planned,
        order_known=_ordered(unit.trials),
        harness="terminal-bench",
        harness_version=told.version,
        harness_commit=told.commit,
        protocol=told.protocol,
        differences=tuple(unlike),
        headlines=unit.headlines,
        notes=(*unit.notes, "whether input tokens include cached ones is up to each agent, and not told"),
    )


def _entries(units: Sequence[_Unit]) -> list[list[_Unit]]:
    """Return the runs of one agent, model and dataset together."""
    found: dict[tuple[str, str, str], list[_Unit]] = defaultdict(list)
    for unit in units:
        found[unit.told.agent.name, unit.told.agent.model, unit.told.dataset.partition("==")[0]].append(unit)
    return list(found.values())


def _joined(members: Sequence[_Unit], unlike: Sequence[str]) -> ForeignRun:
    """Return several runs as one, because the user says that they are trials of one; numbers are inferred from times."""
    first = _run(members[0], unlike)
    planned: Counter[str] = Counter()
    for unit in members:
        planned.update(unit.planned)
    trials = tuple(replace(trial, index=None) for unit in members for trial in unit.trials)
    alike = {
        key: value
        for key, value in first.protocol.items()
        if all(unit.told.protocol.get(key) == value for unit in members) and key not in ("attempts a task", "resumed at")
    }
    return replace(
        first,
        name=f"{first.agent.name or 'unnamed'} joined",
        native_id="joined " + digest_of_plain(sorted(unit.native_id for unit in members)),
        tasks={task: ForeignTask(task, suite=first.tasks[task].suite if task in first.tasks else "") for task in planned},
        trials=trials,
        files=tuple(path for unit in members for path in unit.files),
        planned=dict(planned),
        order_known=_ordered(trials),
        harness_version=alike.get("harness version", ""),
        harness_commit=alike.get("harness commit", "").replace("unknown", ""),
        protocol=alike,
        headlines=tuple(
            item.model_copy(update={"name": f"{item.name} of {unit.told.run}"}) for unit in members for item in unit.headlines
        ),
        notes=(
            f"{len(members)} runs were joined, as asked: {readable(sorted(unit.told.run for unit in members), 10)}",
            *dict.fromkeys(note for unit in members for note in unit.notes),
        ),
    )


def _ordered(trials: Sequence[ForeignTrial]) -> bool:
    return bool(trials) and all(trial.attempts[-1].started_at is not None for trial in trials)
