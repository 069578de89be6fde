"""What a job planned: by its lock, which lists every trial, else tasks times ``n_attempts``."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from faultline.importers.harbor.fields import Document, at, rows, table, text
from faultline.importers.harbor.rows import Row, TaskKey
from faultline.importers.interface import ForeignTask
from faultline.importers.numbers import count

MOST_ATTEMPTS = 10_000
"""Trials of one task; a job that asks for more is not believed."""
MOST_TRIALS = 1_000_000
"""Trials of one job, likewise."""
_NOT_SAID = "the job does not say how many trials of a task it planned; those that exist are taken as the plan"

Configured = tuple[str, str, str]
"""What a configuration calls an agent: its name, its import path, its model."""


@dataclass
class Plan:
    """Trials planned for each task of one agent."""

    counts: dict[str, int] = field(default_factory=dict)
    unseen: dict[str, ForeignTask] = field(default_factory=dict)
    """Planned tasks of which no trial exists."""
    notes: list[str] = field(default_factory=list)


def labels(job_rows: Sequence[Row]) -> dict[TaskKey, str]:
    """Return what each task of a job is called: its name, with what tells it apart where one name has several contents."""
    by_name: dict[str, set[TaskKey]] = {}
    for row in job_rows:
        by_name.setdefault(row.task.name, set()).add(row.task)
    found = {}
    for key in (key for keys in by_name.values() for key in keys):
        same = by_name[key.name]
        apart = []
        if len({other.source for other in same}) > 1:
            apart.append(key.source or "no dataset")
        if len({other.checksum for other in same if other.source == key.source}) > 1:
            apart.append(key.checksum[:12] or "no checksum")
        found[key] = f"{key.name} ({', '.join(apart)})" if apart else key.name
    return found


def configured(agent: object) -> Configured:
    """Return what a configuration calls an agent."""
    return text(at(agent, "name")), text(at(agent, "import_path")), text(at(agent, "model_name"))


def plan(
    config: Document, lock: Document, run_rows: Sequence[Row], job_rows: Sequence[Row], names: Mapping[TaskKey, str]
) -> Plan:
    """Return the plan for the agent of some rows of a job."""
    own = {configured(row.config.get("agent")) for row in run_rows}
    every = rows(lock.get("trials"))
    # Re-grades are no trials of their own, except in a job of nothing else whose source is not here.
    entries = [entry for entry in every if not at(entry, "source_trial")] or every
    if entries:
        named = [entry for entry in entries if configured(at(entry, "agent")) in own]
        if not named and len(run_rows) < len(job_rows):
            return Plan(notes=["the job's lock plans no trial of this agent; those that exist are taken as the plan"])
        return _by_lock(named or entries, job_rows, names)
    attempts = count(config.get("n_attempts"))
    if attempts is None or not 0 < attempts <= MOST_ATTEMPTS:
        return Plan(notes=[_NOT_SAID])
    alike = sum(configured(agent) in own for agent in rows(config.get("agents"))) or 1
    found = Plan(counts={names[row.task]: attempts * alike for row in run_rows})
    seen = {row.folder_name for row in job_rows}
    for task in rows(config.get("tasks")):
        name = text(at(task, "path")).replace("\\", "/").rstrip("/").rpartition("/")[2] or text(at(task, "name"))
        if name and name not in seen and name not in found.counts:
            found.counts[name] = attempts * alike
            found.unseen[name] = ForeignTask(name)
    return found if sum(found.counts.values()) <= MOST_TRIALS else Plan(notes=[_NOT_SAID])


def _by_lock(entries: Sequence[object], job_rows: Sequence[Row], names: Mapping[TaskKey, str]) -> Plan:
    by_digest = {row.lock_digest: names[row.task] for row in job_rows if row.lock_digest}
    by_folder = {row.folder_name: names[row.task] for row in job_rows}
    found, counts = Plan(), Counter[str]()
    for entry in entries:
        task = table(at(entry, "task"))
        # A lock's digest is only ever compared with a lock's digest.
        digest, folder = text(task.get("digest")), text(task.get("name"))
        name = by_digest.get(digest) or by_folder.get(folder) or folder
        if not name:
            continue
        counts[name] += 1
        if digest not in by_digest and folder not in by_folder:
            found.unseen[name] = ForeignTask(
                name, suite=text(task.get("source")), digests={"lock digest": digest} if digest else {}
            )
    found.counts = dict(counts)
    return found


def unaccounted(result: Document, lock: Document, planned: int) -> list[str]:
    """Return a note when a job counts other planned trials than its lock or its tasks give."""
    total, listed = count(result.get("n_total_trials")), rows(lock.get("trials"))
    if listed and total is not None and total != len(listed):
        return [f"the job's result counts {total} planned trials, its lock names {len(listed)}"]
    if listed or total is None or total <= planned:
        return []
    return [f"the job planned {total} trials, {total - planned} of them of tasks that nothing here names"]
