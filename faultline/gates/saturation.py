"""G10: do the tasks still tell agents apart, and does nothing trivial pass them?

A task that every trial of every agent passes, or none, says nothing about how agents differ. Which end of the scale it is
stands on the runs' own pages and is not said here: it would be a result. The untouched workspace is an agent too, the most
trivial one; each task must have trials of it, so that losing them opens nothing.
"""

from collections.abc import Iterator

from faultline.gates.facts import Facts, RunFacts, TaskFacts
from faultline.gates.gate import Finding, Gate, and_outdated, count_of, lack
from faultline.gates.model import Lack, Link
from faultline.gates.policy import Policy, Threshold
from faultline.kinds import AgentKind, Fold
from faultline.records import Trial

AT_ONE_END = Threshold(
    "G10", "saturated_share", 0.8, "less", 0.0, "Share of tasks that every trial of every agent passed, or that none did."
)
TRIVIAL = Threshold(
    "G10", "trivial_pass_share", 0.05, "less", 0.0, "Share of its trials that an agent which does nothing passes."
)


def probe(facts: Facts, policy: Policy) -> Finding:
    """Count the tasks at either end of the scale, and what agents pass that do nothing."""
    if not facts.claims:
        return Finding(
            "not-run",
            "No agent that is not a control has been evaluated, so nobody knows whether the tasks tell agents apart",
            "No evaluation of an agent was found." + and_outdated(facts),
            observed="0",
            unit="tasks that tell agents apart",
            share=0.0,
        )
    never, always = ends(facts)
    tasks = len(facts.tasks)
    worst = max((never, always), key=len)
    crowded = len(worst) > policy[AT_ONE_END] * tasks
    lacking = [lack(task.link, "trials that tell agents apart: all of them ended alike") for task in worst if crowded]
    trivial = list(_trivial(facts, policy))
    lacking += trivial
    telling = tasks - len(never) - len(always)
    fewest = tasks - int(policy[AT_ONE_END] * tasks)
    return Finding(
        outcome="fail" if lacking else "pass",
        headline=(
            f"Too many tasks are at one end of the scale: {telling} of {tasks} tell agents apart"
            if crowded
            else "An agent that does nothing passes, or was not tried on every task"
            if trivial
            else "The tasks tell agents apart, and doing nothing passes none of them"
        ),
        saw=(
            f"{count_of(tasks, 'task')} over all trials of {count_of(len(facts.claims), 'evaluation')}; "
            f"{count_of(sum(len(_idle(task, facts)) for task in facts.tasks), 'trial')} of agents that leave the workspace "
            "as it was." + and_outdated(facts)
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


def _idle(task: TaskFacts, facts: Facts) -> list[Trial]:
    """Return the trials of the task as it is now in which the workspace was left as it was, by plan."""
    return [
        trial
        for run in facts.runs
        if task.id in run.pins and run.pins[task.id].digest == task.digest
        for trial in run.by_task.get(task.id, ())
        if trial.outcome.scoreable and _is_idle(run, trial)
    ]


def _is_idle(run: RunFacts, trial: Trial) -> bool:
    agent = run.agents.get(trial.key.agent)
    return agent is not None and agent.kind is AgentKind.NO_OP


def _trivial(facts: Facts, policy: Policy) -> Iterator[Lack]:
    """Yield tasks that no agent without an effort was tried on, and those that let too many of its trials pass."""
    passed = trials = 0
    letting: list[TaskFacts] = []
    for task in facts.tasks:
        idle = _idle(task, facts)
        if not idle:
            yield lack(task.link, "a trial of an agent that changes nothing, in its current form")
        through = sum(trial.outcome.fold is Fold.PASSED for trial in idle)
        letting += [task] if through else []
        passed, trials = passed + through, trials + len(idle)
    if passed > policy[TRIVIAL] * trials:
        for task in letting:
            yield lack(Link(label=task.id, kind="task", target=task.id), "checks that an untouched workspace fails")


GATE = Gate(
    id="G10",
    name="Saturation and floor",
    predicate=(
        "At most 80 % of the tasks are passed by every trial of every agent, and at most 80 % by none; an agent that changes "
        "nothing was tried on every task in its current form and passes at most 5 % of its trials."
    ),
    why="A benchmark that everybody passes, or nobody, orders noise; one that a do-nothing agent passes measures nothing.",
    remedy="Add harder or easier tasks, or retire what no longer tells agents apart; a run's own page names its tasks.",
    command="faultline diagnose RUN",
    reads=("tasks", "runs"),
    thresholds=(AT_ONE_END, TRIVIAL),
    probe=probe,
)
