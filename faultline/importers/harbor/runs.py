"""Jobs as foreign runs: one for each job and agent, whatever folders their trials lie in."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from faultline.importers.atif import same_trajectories
from faultline.importers.harbor.fields import at, text
from faultline.importers.harbor.layout import JobFolder, Layout
from faultline.importers.harbor.planned import labels, plan, unaccounted
from faultline.importers.harbor.protocol import concurrency, differences, most_retries, protocol, suite
from faultline.importers.harbor.published import evaluation, headlines, miscounts
from faultline.importers.harbor.regrades import Settled, settled
from faultline.importers.harbor.rows import Row, TaskKey
from faultline.importers.harbor.status import UNKNOWN_NAME
from faultline.importers.interface import ForeignAgent, ForeignRun, ForeignTask, ForeignTrial
from faultline.importers.numbers import count
from faultline.importers.reading import Reading
from faultline.kinds import safe_text
from faultline.records import PublishedNumber

_NO_JOB = JobFolder("", {}, {}, {}, ())
_AgentKey = tuple[str, str, str]


@dataclass
class _Job:
    """One job: its own files, which may stand there more than once, and all rows that were made in it."""

    key: str
    docs: JobFolder = _NO_JOB
    copies: list[JobFolder] = field(default_factory=list)
    raw: list[Row] = field(default_factory=list)
    runs: dict[_AgentKey, list[Settled]] = field(default_factory=dict)
    """What counts, by agent."""
    published: list[tuple[_AgentKey | None, PublishedNumber]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    shared: int = 0
    """Trials whose id stands in another job as well."""


def runs(reading: Reading, layout: Layout, found: Sequence[Row]) -> Iterator[ForeignRun]:
    """Yield the runs of a tree; re-grades stand in the job where the agent worked."""
    jobs: dict[str, _Job] = {}
    for row in found:
        key = _job_key(row, layout, reading)
        jobs.setdefault(key, _Job(key)).raw.append(row)
    _documents(jobs, layout)
    _say_empty(reading, layout, jobs)
    place: dict[str, tuple[str, _AgentKey]] = {}
    for item in settled(found):
        key, agent = _job_key(item.row, layout, reading), _agent_key(item.row.agent)
        jobs[key].runs.setdefault(agent, []).append(item)
        if place.get(item.row.trial.native_id, (key,))[0] != key:
            jobs[key].shared += 1
        for row in (item.row, *item.replaced):
            place[row.trial.native_id] = (key, agent)
    for job in list(jobs.values()):
        _publish(job, jobs, place, layout, reading)
    for job in jobs.values():
        names = labels([item.row for items in job.runs.values() for item in items] + job.raw)
        for number, (agent, items) in enumerate(sorted(job.runs.items())):
            made = _run(reading, job, agent, items, names, first=number == 0)
            _say_homeless(reading, job, items, first=number == 0)
            yield made


def _say_homeless(reading: Reading, job: _Job, items: Sequence[Settled], *, first: bool) -> None:
    """Count what has no home in a run, just before it is given: what is said then belongs to it."""
    for item in items:
        reading.homeless.update(name for row in (item.row, *item.replaced) if not row.copied for name in row.homeless)
    if first:
        names = [name for item in job.copies for name in ("started_at", "updated_at", "finished_at") if item.result.get(name)]
        reading.homeless.update(f"job: {name}" for name in names)


def _job_key(row: Row, layout: Layout, reading: Reading) -> str:
    """Return the id of a row's job: its own word, else that of the folder it lies in, else the folder's name."""
    parent = row.folder.parent
    known = layout.jobs.get(parent, _NO_JOB)
    return row.job or text(known.result.get("id")) or f"folder {parent.rpartition('/')[2] or reading.tree.name}"


def _agent_key(agent: ForeignAgent) -> _AgentKey:
    return agent.name, agent.model, agent.control


def _documents(jobs: Mapping[str, _Job], layout: Layout) -> None:
    """Give each job its files: those with its id, else those of a folder that holds its trials; of copies the last written."""
    for job in jobs.values():
        parents = {row.folder.parent for row in job.raw}
        own = [item for item in layout.jobs.values() if text(item.result.get("id")) == job.key]
        own += [item for folder, item in layout.jobs.items() if folder in parents and not text(item.result.get("id"))]
        if own:
            job.copies = sorted(own, key=lambda item: (_written(item), item.folder), reverse=True)
            newest = _written(job.copies[0])
            job.docs = min((item for item in job.copies if _written(item) == newest), key=lambda item: item.folder)
        job.files = [path for item in job.copies for path in item.files]


def _say_empty(reading: Reading, layout: Layout, jobs: Mapping[str, _Job]) -> None:
    """Say of a job of which no trial lies there that its numbers rest on nothing."""
    read = {item.folder for job in jobs.values() for item in job.copies}
    for folder, item in layout.jobs.items():
        if folder not in read:
            for path in item.files:
                reading.skip(path, "of a job of which no trial lies there; its numbers cannot be computed again")


def _written(job: JobFolder) -> str:
    return next(
        (text(job.result.get(name)) for name in ("updated_at", "finished_at", "started_at") if job.result.get(name)), ""
    )


def _publish(
    job: _Job, jobs: Mapping[str, _Job], place: Mapping[str, tuple[str, _AgentKey]], layout: Layout, reading: Reading
) -> None:
    """Put a job's published numbers, checked on its own rows, where these rows went: with a re-grade into another job."""
    unique = list({row.trial.native_id: row for row in reversed(job.raw)}.values())[::-1]
    old = "n_completed_trials" not in (at(job.docs.result, "stats") or {})
    agents = {evaluation(row, old=old): place.get(row.trial.native_id) for row in unique}
    target = job
    if not job.runs:
        target = next((jobs[where[0]] for row in unique if (where := place.get(row.trial.native_id))), job)
    for key, number in headlines(job.docs.result, job.docs.config, unique):
        line = number
        where = agents.get(key)
        goal = jobs[where[0]] if where else target
        if goal is not job:
            line = line.model_copy(update={"name": f"{line.name} (re-grade {_title(reading, job.docs, unique[0])})"})
        goal.published.append((where[1] if where else None, line))
    if target is not job:
        target.files += job.files
    retries = count(at(job.docs.result, "stats.n_retries"))
    if retries:
        target.notes.append(
            f"at least {len(unique) + retries} attempts were made for {len(unique)} trials of the job: "
            f"Harbor deletes earlier attempts and counts {retries} retries"
        )
    if not job.copies:
        target.notes.append("the job's own files are not here: its plan, protocol and published numbers are not known")
    elif not job.docs.lock:
        target.notes.append("the job has no lock: Harbor's version is not known")
    parents = {row.folder.parent for row in job.raw}
    cut_short = sum(folder.rpartition("/")[0] in parents for folder in layout.unfinished)
    if cut_short:
        target.notes.append(f"trial folders without a result, cut short or still running: {cut_short}")
    if job.shared:
        target.notes.append(f"trials whose id stands in another job of the source as well, with another content: {job.shared}")
    target.notes += miscounts(job.docs.result, unique)
    reading.used(*job.files)


def _run(
    reading: Reading, job: _Job, agent: _AgentKey, items: Sequence[Settled], names: Mapping[TaskKey, str], *, first: bool
) -> ForeignRun:
    docs, every_row = job.docs, [item.row for item in items]
    own = [row for row in every_row if not row.copied]
    every = [item.row for others in job.runs.values() for item in others]
    planned = plan(docs.config, docs.lock, own, every, names)
    retries = count(at(docs.result, "stats.n_retries"))
    complete = retries == 0 or (retries is None and most_retries(docs.config, docs.lock) == 0)
    versions = sorted({row.agent.version for row in own if row.agent.version})
    notes = [*_notes(reading, own, own[0].agent), *planned.notes]
    if first:
        notes = [*job.notes, *unaccounted(docs.result, docs.lock, sum(planned.counts.values()) * len(job.runs)), *notes]
    present = Counter(names[row.task] for row in own)
    if beyond := sum(max(0, number - planned.counts.get(task, number)) for task, number in present.items()):
        notes.append(f"trials beyond the plan: {beyond}")
    files = [path for item in items for row in (item.row, *item.replaced) for path in row.files]
    return ForeignRun(
        name=_title(reading, docs, own[0]),
        native_id=job.key,
        agent=replace(own[0].agent, version=", ".join(versions)),
        tasks=_tasks(docs, every, names) | planned.unseen,
        trials=tuple(_trial(row, names, complete=complete) for row in every_row),
        files=tuple(dict.fromkeys([*files, *job.files])),
        planned=planned.counts,
        order_known=concurrency(docs.config, docs.lock) == 1 and all(row.trial.attempts[-1].started_at for row in own),
        harness="harbor",
        harness_version=text(at(docs.lock, "harbor.version")),
        harness_commit=text(at(docs.lock, "harbor.git_commit_hash")),
        protocol=protocol(docs.config, docs.lock, docs.result, own),
        differences=(*differences(docs.config, [item.lock for item in job.copies], own), *_ambiguous(names)),
        headlines=tuple(line for key, line in job.published if key == agent or (key is None and first)),
        earlier_attempts=sum(len(item.replaced) for item in items),
        notes=tuple(dict.fromkeys(notes)),
    )


def _ambiguous(names: Mapping[TaskKey, str]) -> list[str]:
    names_of_several = {key.name for key, name in names.items() if name != key.name}
    return [f"task {name}: more than one content under this name" for name in sorted(names_of_several)]


def _title(reading: Reading, docs: JobFolder, row: Row) -> str:
    """Return what a job is called, the same for a job and for one of its trials alone."""
    folders = (text(row.config.get("trials_dir")).replace("\\", "/").rstrip("/"), docs.folder, row.folder.parent)
    names = (text(docs.config.get("job_name")), *(folder.rpartition("/")[2] for folder in folders))
    return next((name for name in names if name), reading.tree.name)


def _trial(row: Row, names: Mapping[TaskKey, str], *, complete: bool) -> ForeignTrial:
    return replace(row.trial, task=names[row.task], attempts_complete=complete)


def _tasks(docs: JobFolder, found: Sequence[Row], names: Mapping[TaskKey, str]) -> dict[str, ForeignTask]:
    """Return the tasks with their digests, each under its own name: made in different ways, they are never compared."""
    graded: defaultdict[TaskKey, set[tuple[str, str]]] = defaultdict(set)
    for row in found:
        graded[row.task].add(row.graded)
    tasks = {}
    for key, name in names.items():
        digests = {}
        for position, kind in enumerate(("task_checksum", "lock digest")):
            values = {pair[position] for pair in graded[key]} - {""}
            # Where verdicts of a task come from several forms of it, no digest can speak for all of them.
            if len(values) == 1:
                digests[kind] = next(iter(values))
        tasks[name] = ForeignTask(name, suite=suite(docs.config, key.source), digests=digests)
    return tasks


def _notes(reading: Reading, own: Sequence[Row], agent: ForeignAgent) -> list[str]:
    """Return what a reader of the numbers must know about some rows."""
    flags = Counter(flag for row in own for flag in row.flags)
    found = [f"{number} of {len(own)} trials {flag}" for flag, number in sorted(flags.items())]
    unknown = Counter(row.trial.native_status for row in own if row.ending.rule.id.endswith(UNKNOWN_NAME))
    if unknown:
        listed = ", ".join(f"{safe_text(name, 80)} {number}" for name, number in sorted(unknown.items()))
        found.append(f"exceptions that Harbor's table does not name: {listed}; unknown here, and not scoreable")
    chosen = reading.option("reward")
    if chosen and not any(row.trial.extra.get("deciding reward") == chosen for row in own):
        found.append(f"the option reward={safe_text(chosen, 80)} decided no trial: each has one called reward, or only one")
    pairs = {(row.trial.native_id, row.trace_digest) for row in own if row.trace_digest}
    found += [
        f"{len(trials)} trials have the same trajectory, byte for byte: {', '.join(trials[:3])}"
        for trials in same_trajectories(sorted(pairs))
    ]
    if agent.name in ("oracle", "nop") and not agent.control:
        found.append(f"an agent that is called {agent.name} was loaded from elsewhere: it is not Harbor's, and no control")
    return [*found, *(note for row in own for note in row.notes)]
