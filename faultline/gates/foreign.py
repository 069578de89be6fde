"""Tasks of other harnesses: known by name, suite and digest, without hidden checks here, proved only by their own controls.

A job of a harness's oracle shows that the reference passes, and one of its do-nothing agent that doing nothing fails. They
count for a task with the same digest; where a log names no digest, for the task of the same name and suite.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from faultline.gates.facts import Facts, RunFacts, TaskFacts
from faultline.gates.model import Link
from faultline.kinds import AgentKind, RunKind, Verdict
from faultline.records import ImportedTask


@dataclass(frozen=True)
class ForeignTask:
    """One imported task with what the imported runs show about it."""

    task: ImportedTask
    """As the newest run describes it."""
    runs: tuple[str, ...]
    """Imported runs of agents on it, oldest first."""
    reference: Literal["passed", "failed", "none"]
    """Whether the reference passed in every scored trial of a control run; ``none`` when there is no such trial."""
    no_op: Literal["passed", "failed", "none"]
    """Whether doing nothing passed in any scored trial; it must fail."""

    @property
    def id(self) -> str:
        """The task's id."""
        return self.task.id

    @property
    def family(self) -> str:
        """Tasks from one template count once."""
        return self.task.family

    @property
    def link(self) -> Link:
        """The task's place on the page of imported tasks."""
        return Link(label=self.task.name, kind="page", target="imported-tasks", anchor=self.id)

    @property
    def valid(self) -> bool:
        """Whether both sides of the contract are shown."""
        return self.reference == "passed" and self.no_op == "failed"

    @property
    def lacking(self) -> str:
        """What is missing or wrong, as a noun phrase; empty when valid."""
        parts = []
        if self.reference != "passed":
            parts.append("a reference that passes" + ("; it failed" if self.reference == "failed" else "; no record of it"))
        if self.no_op != "failed":
            seen = "doing nothing passed" if self.no_op == "passed" else "no record of it"
            parts.append(f"a baseline that fails; {seen}")
        return ", and ".join(parts)


def foreign_tasks(facts: Facts) -> tuple[ForeignTask, ...]:
    """Return the imported tasks by name; two forms of one name are two tasks, and without ``runs`` only controls tried it."""
    if "foreign" not in facts.memo:
        facts.memo["foreign"] = _foreign_tasks(facts)
    found: tuple[ForeignTask, ...] = facts.memo["foreign"]
    return found


def _foreign_tasks(facts: Facts) -> tuple[ForeignTask, ...]:
    imported = [run for run in facts.runs if run.manifest.kind is RunKind.IMPORTED]
    controls = [run for run in imported if not run.makes_claims]
    forms: dict[tuple[str, ...], list[tuple[RunFacts, ImportedTask]]] = {}
    for run in imported:
        for task in run.manifest.foreign_tasks:
            forms.setdefault((task.name, _suite(task), repr(sorted(task.digests.items()))), []).append((run, task))
    found = []
    for key in sorted(forms):
        task = forms[key][-1][1]
        names = tuple(dict.fromkeys(run.name for run, _ in forms[key] if run.makes_claims))
        found.append(ForeignTask(task, names, _reference(task, controls), _no_op(task, controls)))
    return tuple(found)


def _verdicts(task: ImportedTask, controls: Sequence[RunFacts], kind: AgentKind) -> list[Verdict]:
    """Return the verdicts of one kind of control on a task."""
    found = []
    for run in controls:
        if any(agent.kind is not kind for agent in run.agents.values()):
            continue
        same = {other.id for other in run.manifest.foreign_tasks if is_same(task, other)}
        found += [trial.outcome.verdict for trial in run.trials if trial.key.task in same and trial.outcome.scoreable]
    return found


def _reference(task: ImportedTask, controls: Sequence[RunFacts]) -> Literal["passed", "failed", "none"]:
    found = _verdicts(task, controls, AgentKind.REFERENCE)
    return "none" if not found else "passed" if all(verdict is Verdict.PASSED for verdict in found) else "failed"


def _no_op(task: ImportedTask, controls: Sequence[RunFacts]) -> Literal["passed", "failed", "none"]:
    found = _verdicts(task, controls, AgentKind.NO_OP)
    return "none" if not found else "failed" if all(verdict is Verdict.FAILED for verdict in found) else "passed"


def is_same(one: ImportedTask, other: ImportedTask) -> bool:
    """Return whether two descriptions are of one form of a task: by a digest of one name, never of two different names."""
    shared = one.digests.keys() & other.digests.keys()
    if shared:
        return all(one.digests[name] == other.digests[name] for name in shared)
    return not one.digests and not other.digests and one.name == other.name and _suite(one) == _suite(other)


def _suite(task: ImportedTask) -> str:
    return task.suite if isinstance(task.suite, str) else ""


def tasks_of(run: RunFacts, facts: Facts) -> tuple[TaskFacts | ForeignTask, ...]:
    """Return the tasks that a run has to answer for: all of the benchmark, or those that an imported run describes."""
    if run.manifest.kind is not RunKind.IMPORTED:
        return facts.tasks
    return tuple(ForeignTask(task, (run.name,), "none", "none") for task in run.manifest.foreign_tasks)


def partial_imports(facts: Facts) -> tuple[tuple[RunFacts, int], ...]:
    """Return the imported runs from which rows were left out by request, with the number of rows."""
    return tuple(
        (run, len(run.manifest.imported.report.unreadable))
        for run in facts.runs
        if run.manifest.imported is not None and run.manifest.imported.report.partial
    )
