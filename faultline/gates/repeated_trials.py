"""G3: does every evaluation of an agent repeat its trials, and can an interval over tasks be given?

Trials are independent runs of the plan. An attempt that was made again because of an earlier one is a retry: it belongs
into the list of attempts of its trial and is no trial of its own. A red finding about the instrument (a flat line, a model
that did nothing, transcripts that repeat) says that trials are not the draws they claim to be, so it fails this gate. No
rate or interval is shown here, only that there is one.
"""

from collections.abc import Iterator

from faultline.gates.facts import Facts, RunFacts, TaskFacts
from faultline.gates.foreign import ForeignTask, tasks_of
from faultline.gates.gate import Finding, Gate, and_outdated, count_of, lack
from faultline.gates.instrument import diagnose
from faultline.gates.model import Lack
from faultline.gates.policy import Policy, Threshold
from faultline.kinds import Estimand, RunKind
from faultline.records import Absent, Trial
from faultline.statistics import Status, TaskCounts, pass_rate

TRIALS = Threshold("G3", "trials_per_variant", 3, "more", 1_000, "Independent trials of every task variant.")


def probe(facts: Facts, policy: Policy) -> Finding:
    """Look at each evaluation of an agent for repeated, independent trials of every task and an interval with width."""
    needed = policy[TRIALS]
    if not facts.claims:
        return Finding(
            "not-run",
            "No agent that is not a control has been evaluated on the tasks as they are now",
            "No evaluation of an agent was found." + and_outdated(facts),
            observed="0",
            needed=str(needed),
            unit="trials of each task variant",
            share=0.0,
        )
    lacking: list[Lack] = []
    fewest = min(_fewest(run, facts) for run in facts.claims)
    for run in facts.claims:
        lacking += _gaps(run, facts, needed)
    agents = len({name for run in facts.claims for name in run.agents})
    return Finding(
        outcome="fail" if lacking else "pass",
        headline=(
            _headline(fewest, needed)
            if lacking
            else f"Every agent has at least {needed} independent trials of each task variant, and an interval over families"
        ),
        saw=(
            f"{count_of(len(facts.claims), 'evaluation')} of {count_of(agents, 'agent')}. Estimand: macro pass@1; "
            "interval: Wilson at the effective number of trials, clustered by family, at 95 %, for new tasks like these."
            + and_outdated(facts)
        ),
        observed=str(fewest),
        needed=str(needed),
        unit="trials of each task variant",
        share=fewest / needed,
        lacking=tuple(lacking),
        evidence=tuple(run.link for run in facts.claims),
    )


def _headline(fewest: int, needed: int) -> str:
    if fewest < needed:
        return f"Some task variants have fewer than {needed} independent trials"
    return "Some trials are not independent, or no interval can be given"


def _fewest(run: RunFacts, facts: Facts) -> int:
    """Return the smallest number of trials of a task variant, 0 when a task was not tried at all."""
    return min((len(group) for task in tasks_of(run, facts) for group in _groups(run, task).values()), default=0)


def _groups(run: RunFacts, task: TaskFacts | ForeignTask) -> dict[tuple[str, str], list[Trial]]:
    """Return the trials of a task by variant and agent; a task without trials has one empty group for each agent."""
    groups: dict[tuple[str, str], list[Trial]] = {
        (cell.variant, cell.agent): [] for cell in run.manifest.cells if cell.task == task.id
    }
    for trial in run.by_task.get(task.id, ()):
        groups.setdefault((trial.key.variant, trial.key.agent), []).append(trial)
    return groups or {("", agent): [] for agent in run.agents}


def _gaps(run: RunFacts, facts: Facts, needed: int) -> Iterator[Lack]:
    if run.manifest.estimand is not Estimand.PASS_AT_1:
        yield lack(run.link, f"trials that estimate pass@1; its retry policy estimates {run.manifest.estimand}")
    for task in tasks_of(run, facts):
        for (variant, agent), trials in sorted(_groups(run, task).items()):
            where = f"{task.id}, variant {variant}, {agent}" if variant else f"{task.id}, {agent}"
            indexes = sorted(trial.key.trial for trial in trials)
            if len(indexes) < needed:
                yield lack(run.link, f"{needed} trials of {where}; {len(indexes)} seen")
            if indexes != list(range(len(indexes))) or (variant and len(indexes) != run.manifest.trials):
                seen = ", ".join(map(str, indexes)) or "none"
                yield lack(run.link, f"trials 0 to {run.manifest.trials - 1} of {where}, each once; seen: {seen}")
    yield from _dependent(run)
    for finding in diagnose(run, facts):
        if finding.severity == "red":
            yield lack(run.link, f"trials that are independent draws: {finding.title.lower()}. {finding.saw}")
    for agent in sorted(run.agents):
        yield from _interval(run, agent, facts)


def _dependent(run: RunFacts) -> Iterator[Lack]:
    """Yield trials that are another trial again: a retry, a copy, or an order of somebody's choice."""
    seen: dict[object, Trial] = {}
    for trial in run.trials:
        if trial.duplicate_of is not None:
            yield lack(run.trial_link(trial), "a trial of its own: this record repeats another one")
        if trial.index_origin != "native":
            yield lack(run.trial_link(trial), "a trial number of its source: this one was given by order")
        if trial.attempts[0].number != 1 and run.manifest.kind is not RunKind.IMPORTED:
            yield lack(run.trial_link(trial), f"a first attempt: this begins with attempt {trial.attempts[0].number}, a retry")
        marks: list[tuple[object, ...]] = []
        for attempt in trial.attempts:
            # Two trials may end in the same tree, and then share its file; a trajectory belongs to one of them.
            marks += [("path", artifact.path) for artifact in attempt.artifacts if artifact.role != "candidate"]
            if not isinstance(attempt.started_at, Absent) and not isinstance(attempt.ended_at, Absent):
                marks.append((trial.key.task, trial.key.variant, trial.key.agent, attempt.started_at, attempt.ended_at))
        for other in {seen[mark].key: seen[mark] for mark in marks if mark in seen}.values():
            yield lack(
                run.trial_link(trial), f"an execution of its own: trial {other.key.trial} has its attempt or its trajectory too"
            )
        seen |= {mark: trial for mark in marks if mark not in seen}


def _interval(run: RunFacts, agent: str, facts: Facts) -> Iterator[Lack]:
    """Yield why no interval over families can be given; trials without a verdict count as failed here."""
    counts, clusters = [], []
    for task in tasks_of(run, facts):
        trials = [trial for trial in run.by_task.get(task.id, ()) if trial.key.agent == agent]
        counts.append(TaskCounts(sum(trial.outcome.fold == "passed" for trial in trials), len(trials)))
        clusters.append(task.family)
    rate = pass_rate(counts, clusters)
    if rate.status is Status.NOT_ESTIMABLE or rate.bounds is None or rate.bounds.width <= 0:
        yield lack(run.link, f"an interval for {agent}: {rate.reason}")


GATE = Gate(
    id="G3",
    name="Repeated trials",
    predicate=(
        "Every evaluation of an agent that is not a control has at least three independent trials of each variant of every "
        "task, numbered from 0 without a gap, and an interval over task families with a named method, level and estimand; no "
        "red finding about the instrument says that these trials are not independent draws."
    ),
    why="One run of an agent is one draw. Without repetitions nobody can tell a better agent from a luckier one.",
    remedy="Evaluate each agent with at least three trials of every task variant.",
    command="faultline run AGENT --trials 3; faultline diagnose RUN",
    reads=("tasks", "runs"),
    thresholds=(TRIALS,),
    probe=probe,
)
