"""Names of foreign things as records need them: unique, lower case, and nothing lost, since the native name is kept beside."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache

from faultline.importers.interface import ForeignRun
from faultline.kinds import AgentKind, safe_text, slug
from faultline.records import Absent, AgentIdentity, ImportedTask, not_applicable, unknown
from faultline.redact import Redactor

_CONTROLS = {"": AgentKind.IMPORTED, "reference": AgentKind.REFERENCE, "no-op": AgentKind.NO_OP}


@cache
def task_id(name: str) -> str:
    """Return a task's id: its name where that is one already, else a readable part and a short digest of the name."""
    return _id(name, "task")


def family_id(name: str) -> str:
    """Return the id of a family of tasks, in the same way."""
    return _id(name, "family")


def _id(name: str, word: str) -> str:
    found = slug(name, 60)
    # An id begins with a letter; the digest keeps a name that does not apart from one that begins with the word.
    if found[:1].isalpha():
        return found
    return "-".join(part for part in (word, slug(found, 40)[:40].strip("-"), _short(name)) if part)


def readable(names: Sequence[str], limit: int) -> str:
    """Return the first few names of a list as a text for people, and how many more there are."""
    rest = len(names) - limit
    return ", ".join(safe_text(name, 80) for name in names[:limit]) + (f" and {rest} more" if rest > 0 else "")


def run_id(format_name: str, run: ForeignRun) -> str:
    """Return a run's id: the same for the same native run and agent, whatever folder it was found in."""
    agent = run.agent
    tail = _short("|".join([format_name, *map(repr, (run.native_id, agent.name, agent.version, agent.model, agent.provider))]))
    return f"{format_name}-{slug(run.name, 50)}-{tail}"


def agent_identity(run: ForeignRun, redactor: Redactor) -> AgentIdentity:
    """Return the agent as a record, with the log's own words for model, provider and version."""
    agent = run.agent
    named = f"{agent.name} {agent.model}".strip() or "unnamed"
    absent = not_applicable("it was run by another harness")
    not_told = unknown("the log does not say")

    def told(text: str) -> str | Absent:
        return redactor.text(safe_text(text, 200)) if text else not_told

    return AgentIdentity(
        name=slug(named, 60),
        kind=_CONTROLS[agent.control],
        model=told(agent.model),
        provider=told(agent.provider),
        version=told(agent.version),
        command=(),
        environment=(),
        seconds=absent,
        network=not_told,
        files={},
        usage_file=absent,
    )


def imported_tasks(run: ForeignRun, planned: Mapping[str, int], redactor: Redactor) -> tuple[ImportedTask, ...]:
    """Return the tasks of a run as records, in the order of the plan."""
    not_told = unknown("the log does not say")
    found = []
    for name in planned:
        task = run.tasks.get(name)
        suite, category = (task.suite, task.category) if task else ("", "")
        found.append(
            ImportedTask(
                id=task_id(name),
                name=redactor.text(safe_text(name, 300)),
                suite=redactor.text(safe_text(suite, 200)) if suite else not_told,
                family=family_id(task.family) if task and task.family else task_id(name),
                category=safe_text(category, 200) if category else not_told,
                digests={} if task is None else {safe_text(k, 100): safe_text(v, 200) for k, v in task.digests.items()},
                split=task.split if task else "unknown",
            )
        )
    return tuple(found)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
