"""The tasks: an index with the validity of each, and a page for each with everything that may be known about it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from faultline.card.model import EvaluationCard, ImportedTaskCard, RunCard, TaskCard, TrialRow
from faultline.records import Absent
from faultline.site.page import Page
from faultline.site.prose import inline, prose

ROLES = {
    "baseline": "untouched workspace",
    "reference": "reference repair",
    "valid": "other valid repair",
    "wrong": "wrong repair",
}
"""What people call the controls, in the order in which they are shown."""


UNKNOWN_SPLIT = "unknown"


@dataclass(frozen=True)
class TrialGroup:
    """The trials of one task in one run."""

    run: RunCard
    rows: tuple[TrialRow, ...]


def pages(card: EvaluationCard) -> Iterator[Page]:
    """Yield the index and a page for each task."""
    yield Page(
        "tasks/index",
        "Tasks",
        "tasks.html",
        summary="Every task with its failure class and whether both sides of its contract are proved for its current digest.",
        wide=True,
    )
    yield from (_task(card, task) for task in card.tasks)
    if card.imported_tasks:
        yield Page(
            "imported-tasks",
            "Imported tasks",
            "imported_tasks.html",
            _imported(card),
            summary="Tasks of other harnesses: suite, category, digest, and what their own controls show.",
            wide=True,
        )


def _task(card: EvaluationCard, task: TaskCard) -> Page:
    return Page(
        f"tasks/{task.id}",
        task.title,
        "task.html",
        {
            "task": task,
            "issue": prose(task.issue),
            "controls": [
                (word, tuple(row for row in task.validity.controls if row.role == role)) for role, word in ROLES.items()
            ],
            "requirements": {check.id: inline(check.requirement) for check in task.checks},
            "meanings": {item.code: inline(item.meaning) for item in task.codes},
            "groups": trial_groups(card, task),
            "failure_class": next((item for item in card.failure_classes if item.id == task.failure_class), None),
        },
        # Its id and its failure class stand in the page's body alone, which search does not read.
        summary=f"{task.title} ({task.id}, {task.failure_class.replace('-', ' ')}): what an agent is told and given, "
        "how it is judged, and the evidence that the task is sound.",
    )


def _imported(card: EvaluationCard) -> dict[str, Any]:
    """Return what the page of imported tasks shows: columns that some log fills, and what the contracts lack, by how often."""
    tasks = [item.task for item in card.imported_tasks]
    told = [name for name in ("suite", "category") if not all(isinstance(getattr(task, name), Absent) for task in tasks)]
    told += ["split"] if any(task.split != UNKNOWN_SPLIT for task in tasks) else []
    digests = any(task.digests for task in tasks)
    return {
        "tasks": _anchored(card),
        "told": told,
        "untold": [name for name in ("suite", "category", "split") if name not in told] + ([] if digests else ["digests"]),
        "digests": digests,
        "needs": Counter(item.lacking for item in card.imported_tasks if item.lacking).most_common(),
    }


def _anchored(card: EvaluationCard) -> list[tuple[ImportedTaskCard, str]]:
    """Return the imported tasks, each with its anchor: that of the first form of a name, nothing for its others."""
    seen: set[str] = set()
    found = []
    for item in card.imported_tasks:
        found.append((item, "" if item.task.id in seen else item.task.id))
        seen.add(item.task.id)
    return found


def trial_groups(card: EvaluationCard, task: TaskCard) -> tuple[TrialGroup, ...]:
    """Return the task's trials by run, newest run first; inside a run in the order of the plan."""
    return tuple(
        TrialGroup(run, rows) for run in card.runs if (rows := tuple(row for row in task.trials if row.run == run.run))
    )
