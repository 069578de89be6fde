"""The runs: an index by date, and a page for each. Counts of a run stand on its own page only."""

from collections.abc import Iterator
from dataclasses import dataclass

from faultline.card.model import ControlRow, EvaluationCard, RunCard, TaskCard, TrialRow
from faultline.kinds import RunKind
from faultline.site import charts
from faultline.site.page import Page

MOST_ROWS = 300
"""Beyond this many trials a run's page lists none of them in full; the download has them all."""
MOST_FILES = 40
"""Beyond this many traces and candidates the seal is named instead of listing them."""


@dataclass(frozen=True)
class TaskTrials:
    """The trials of one task in the run whose page this is."""

    task: str
    title: str
    rows: tuple[TrialRow, ...]


@dataclass(frozen=True)
class TaskControls:
    """How each control of a task ended in the run whose page this is."""

    task: TaskCard
    controls: dict[str, tuple[ControlRow, ...]]
    """By role."""


def pages(card: EvaluationCard) -> Iterator[Page]:
    """Yield the index and a page for each run."""
    yield Page(
        "runs/index",
        "Runs",
        "runs.html",
        summary="Every sealed run by date: what it is evidence of, over which tasks, and how it was kept apart.",
        wide=True,
    )
    yield from (_run(card, run) for run in card.runs)


def _run(card: EvaluationCard, run: RunCard) -> Page:
    validity = run.kind is RunKind.VALIDITY
    drawn = [charts.as_expected(run), charts.grading_by_task(run)] if validity else [charts.outcomes_by_mode(run)]
    listed = not validity and len(run.trials) <= MOST_ROWS
    artifacts = [file for file in run.files if "/" in file.path]
    return Page(
        f"runs/{run.run}",
        run.run,
        "run.html",
        {
            "run": run,
            "heading": heading(run),
            "outcome_charts": [chart for chart in drawn[:1] if chart],
            "time_charts": [chart for chart in (drawn[1:] if validity else [charts.agent_time(run)]) if chart],
            "groups": _by_task(card, run) if listed else (),
            "top_files": [file for file in run.files if "/" not in file.path],
            "shown_files": artifacts if len(artifacts) <= MOST_FILES else [],
            "hidden_files": len(artifacts),
            "matrix": _matrix(card, run) if validity else (),
        },
        summary=f"The run {run.run}: plan, provenance, outcomes as diagnostic counts, cost, time and every trial.",
        wide=True,
    )


def heading(run: RunCard) -> str:
    """Return what a run is, in a few words."""
    tasks = f"{len(run.tasks)} {'task' if len(run.tasks) == 1 else 'tasks'}"
    if run.kind is RunKind.VALIDITY:
        return f"The controls of {tasks}"
    return f"{', '.join(sorted(agent.name for agent in run.agents))} on {tasks}"


def _by_task(card: EvaluationCard, run: RunCard) -> tuple[TaskTrials, ...]:
    titles = {task.id: task.title for task in card.tasks}
    return tuple(
        TaskTrials(name, titles.get(name, ""), tuple(row for row in run.trials if row.task == name)) for name in run.tasks
    )


def _matrix(card: EvaluationCard, run: RunCard) -> tuple[TaskControls, ...]:
    """Return the controls of the tasks for which this run is the newest evidence."""
    roles = ("baseline", "reference", "valid", "wrong")
    return tuple(
        TaskControls(task, {role: tuple(row for row in task.validity.controls if row.role == role) for role in roles})
        for task in card.tasks
        if task.validity.run == run.run
    )
