"""G10: do the tasks still tell agents apart, and does nothing trivial pass them?

A task that every trial of every agent passes, or none, says nothing about how agents differ. Which end of the scale it is
stands on the runs' own pages and is not said here: it would be a result. An agent that leaves the workspace as it was, one
that deletes the tests and one that edits at random repair nothing; each task must have trials of all three, so that losing
them opens nothing.
"""

from collections.abc import Iterator

from faultline.agents import TRIVIAL as REPAIRING_NOTHING
from faultline.gates.facts import Facts, RunFacts, TaskFacts
from faultline.gates.gate import Finding, Gate, and_outdated, count_of, lack
from faultline.gates.model import Lack
from faultline.gates.policy import Policy, Threshold
from faultline.kinds import AgentKind, Fold
from faultline.records import Trial

AT_ONE_END = Threshold(
    "G10", "saturated_share", 0.8, "less", 0.0, "Share of tasks that every trial of every agent passed, or that none did."
)
TRIVIAL = Threshold(
    "G10", "trivial_pass_share", 0.05, "less", 0.0, "Share of its trials that an agent which repairs nothing passes."
)
IDLE = "no-op"
NAMES = (IDLE, *sorted(REPAIRING_NOTHING))
"""Agents that every benchmark must stop."""


def probe(facts: Facts, policy: Policy) -> Finding:
    """Count the tasks at either end of the scale, and what agents pass that repair nothing."""
    if not facts.claims or not facts.tasks:
        return Finding(
            "not-run",
            "No agent but controls has been evaluated on tasks that lie here, so nobody knows whether they tell agents apart",
            "No evaluation of an agent on tasks that lie here was found." + and_outdated(facts),
            unit="tasks that tell agents apart",
            share=0.0,
        )
    never, always = ends(facts)
    tasks = len(facts.tasks)
    worst = max((never, always), key=len)
    crowded = len(worst) > policy[AT_ONE_END] * tasks
    lacking = [lack(task.link, "trials that tell agents apart: all of them ended alike") for task in worst if crowded]
    tried = {task.id: _trials_of_trivial(task, facts) for task in facts.tasks}
    trivial = list(_trivial(tried, facts, policy))
    lacking += trivial
    telling = tasks - len(never) - len(always)
    fewest = tasks - int(policy[AT_ONE_END] * tasks)
    return Finding(
        outcome="fail" if lacking else "pass",
        headline=(
            f"Too many tasks are at one end of the scale: {telling} of {tasks} tell agents apart"
            if crowded
            else "An agent that repairs nothing passes, or was not tried on every task"
            if trivial
            else "The tasks tell agents apart, and nothing trivial passes them"
        ),
        saw=(
            f"{count_of(tasks, 'task')} over all trials of {count_of(len(facts.claims), 'evaluation')}; "
            f"{count_of(sum(len(own) for found in tried.values() for own in found.values()), 'trial')} of "
            f"{', '.join(NAMES)}, which repair nothing." + and_outdated(facts)
        ),
        observed=str(telling),
        needed=str(fewest) if crowded else "",
        unit="tasks that tell agents apart",
        share=telling / tasks if tasks else 0.0,
        lacking=tuple(lacking),
        evidence=tuple(run.link for run in facts.claims),
    )


def ends(facts: Facts) -> tuple[tuple[TaskFacts, ...], tuple[TaskFacts, ...]]:
    """Return the tasks that no trial of any agent passed, and those that every one did; trials without a verdict do not say."""
    never: list[TaskFacts] = []
    always: list[TaskFacts] = []
    for task in facts.tasks:
        verdicts = [
            trial.outcome.fold is Fold.PASSED
            for run in facts.claims
            for trial in run.by_task.get(task.id, ())
            if trial.outcome.scoreable
        ]
        if verdicts and not any(verdicts):
            never.append(task)
        elif verdicts and all(verdicts):
            always.append(task)
    return tuple(never), tuple(always)


def _trials_of_trivial(task: TaskFacts, facts: Facts) -> dict[str, list[Trial]]:
    """Return the trials of the task as it is now by agents that repair nothing, by agent; the untouched baseline is a no-op."""
    found: dict[str, list[Trial]] = {name: [] for name in NAMES}
    for run in facts.runs:
        if task.id not in run.pins or run.pins[task.id].digest != task.digest:
            continue
        for trial in run.by_task.get(task.id, ()):
            name = _trivial_name(run, trial)
            if name in found and trial.outcome.scoreable:
                found[name].append(trial)
    return found


def _trivial_name(run: RunFacts, trial: Trial) -> str:
    """Return the name of an agent that repairs nothing, or an empty text."""
    agent = run.agents.get(trial.key.agent)
    if agent is None:
        return ""
    return IDLE if agent.kind is AgentKind.NO_OP else agent.name if agent.kind is AgentKind.TRIVIAL else ""


def _trivial(tried: dict[str, dict[str, list[Trial]]], facts: Facts, policy: Policy) -> Iterator[Lack]:
    """Yield tasks that a trivial agent was not tried on, and those that let one through that passes too much."""
    links = {task.id: task.link for task in facts.tasks}
    for name in NAMES:
        trials = {task: found[name] for task, found in tried.items()}
        for task, own in trials.items():
            if not own:
                yield lack(links[task], f"a trial of {name}, which repairs nothing, in its current form: faultline run {name}")
        passed = {task: sum(trial.outcome.fold is Fold.PASSED for trial in own) for task, own in trials.items()}
        if sum(passed.values()) > policy[TRIVIAL] * sum(map(len, trials.values())):
            for task, number in passed.items():
                if number:
                    yield lack(links[task], f"checks that {name}, which repairs nothing, fails")


GATE = Gate(
    id="G10",
    name="Saturation and floor",
    predicate=(
        "At most 80 % of the tasks are passed by every trial of every agent, and at most 80 % by none; agents that repair "
        "nothing (no-op, delete-tests, random-edit) were tried on every task in its current form, and none of them passes more "
        "than 5 % of its trials."
    ),
    why="A benchmark that everybody passes, or nobody, orders noise; one that a do-nothing agent passes measures nothing.",
    remedy="Run the agents that repair nothing. Add harder or easier tasks, or retire what no longer tells agents apart.",
    command="faultline run delete-tests; faultline run random-edit; faultline diagnose RUN",
    reads=("tasks", "runs"),
    thresholds=(AT_ONE_END, TRIVIAL),
    probe=probe,
)
