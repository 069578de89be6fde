"""G13: were all agents tried under the same conditions, and is it known what they were?

Time, processors, memory, network, attempts, sandbox and versions are compared between the evaluations that a ranking would be
made of, as their manifests froze them and their trials used them. What an agent is (scaffold, model, provider) may differ and
must be told, or said to be unknown.
"""

from collections.abc import Iterator

from faultline.gates.facts import Facts, RunFacts
from faultline.gates.foreign import is_same
from faultline.gates.gate import Finding, Gate, and_outdated, count_of, lack
from faultline.gates.model import Lack
from faultline.gates.policy import Policy
from faultline.kinds import Absence, RetryPolicy
from faultline.records import Absent, AgentIdentity


def probe(facts: Facts, policy: Policy) -> Finding:  # noqa: ARG001  (every probe has the same shape)
    """Compare every evaluation of an agent with the first one, and each of its trials with its own plan."""
    if not facts.claims:
        return Finding(
            "not-run",
            "No agent that is not a control has been evaluated, so there are no conditions to compare",
            "No evaluation of an agent was found." + and_outdated(facts),
            unit="evaluations under one protocol",
            share=0.0,
        )
    lacking: list[Lack] = []
    first, equal = facts.claims[0], 0
    for run in facts.claims:
        gaps = [] if run is first else [*protocol_differences(first, run), *_conditions(first, run)]
        found = [lack(run.link, f"equal conditions: {gap}") for gap in gaps]
        found += [*_unlike_plan(run), *_undescribed(run)]
        lacking += found
        equal += not found
    total = len(facts.claims)
    return Finding(
        outcome="fail" if lacking else "pass",
        headline=(
            "Agents were tried under different conditions, or nobody knows what they were"
            if lacking
            else "Every agent was tried under the same conditions, and each says what it is"
        ),
        saw=(
            f"The manifests and trials of {count_of(total, 'evaluation')}: time, memory, processes, network, attempts, "
            "sandbox, host and versions; scaffold, model and provider of each agent." + and_outdated(facts)
        ),
        observed=str(equal),
        needed=str(total),
        unit="evaluations under one protocol",
        share=equal / total,
        lacking=tuple(lacking),
        evidence=tuple(run.link for run in facts.claims),
    )


def protocol_differences(one: RunFacts, other: RunFacts) -> Iterator[str]:
    """Yield what differs between the protocols of two runs, in words."""
    a, b = one.manifest, other.manifest
    here = f"{one.name} and {other.name}"
    for task in sorted(set(one.pins) | set(other.pins)):
        mine, theirs = one.pins.get(task), other.pins.get(task)
        if mine is None or theirs is None:
            yield f"{here}: {task} is in one of them only"
            continue
        if mine.digest != theirs.digest:
            yield f"{here}: {task} has another digest"
        if mine.limits != theirs.limits:
            fields = mine.limits.model_dump()
            parts = [
                f"{name} {value} and {getattr(theirs.limits, name)}"
                for name, value in fields.items()
                if value != getattr(theirs.limits, name)
            ]
            yield f"{here}: limits of {task} ({', '.join(parts)})"
    yield from _foreign(one, other)
    for name, x, y in (
        ("sandbox", a.sandbox_words, b.sandbox_words),
        ("retry policy", a.retry_rule, b.retry_rule),
        ("estimand", str(a.estimand), str(b.estimand)),
        ("trials a case", str(a.trials), str(b.trials)),
        ("variants a task", variants_of(one), variants_of(other)),
    ):
        if x != y:
            yield f"{here}: {name} ({x} and {y})"
    x_versions, y_versions = a.provenance.versions, b.provenance.versions
    for name in sorted(set(x_versions) | set(y_versions)):
        if x_versions.get(name) != y_versions.get(name):
            yield f"{here}: version of {name} ({x_versions.get(name, 'none')} and {y_versions.get(name, 'none')})"


def _foreign(one: RunFacts, other: RunFacts) -> Iterator[str]:
    """Yield what differs between the tasks and the protocols of two imported runs, as their logs name them."""
    mine, theirs = one.manifest.imported, other.manifest.imported
    here = f"{one.name} and {other.name}"
    if mine is None or theirs is None:
        if mine is not theirs:
            yield f"{here}: one of them was made by another harness"
        return
    tasks, others = ({task.id: task for task in found.tasks} for found in (mine, theirs))
    for name in sorted(tasks.keys() | others.keys()):
        if name not in tasks or name not in others:
            yield f"{here}: {name} is in one of them only"
        elif not is_same(tasks[name], others[name]):
            yield f"{here}: {name} has another digest or suite"
    for name in sorted(mine.protocol.keys() | theirs.protocol.keys()):
        x, y = mine.protocol.get(name, "not told"), theirs.protocol.get(name, "not told")
        if x != y:
            yield f"{here}: {name} ({x} and {y})"


def variants_of(run: RunFacts) -> str:
    """Return how many variants each task has, as one number where it is one."""
    numbers = sorted({len(pin.variants) for pin in run.manifest.tasks})
    if not numbers:
        return "not told"
    return " to ".join(map(str, numbers if len(numbers) == 1 else (numbers[0], numbers[-1])))


def _conditions(one: RunFacts, other: RunFacts) -> Iterator[str]:
    """Yield what differs between the conditions of two agents beyond the protocol: network, time, host."""
    here = f"{one.name} and {other.name}"
    x_net, y_net = ({_word(agent.network) for agent in run.agents.values()} for run in (one, other))
    if x_net != y_net:
        yield f"{here}: network ({', '.join(sorted(x_net))} and {', '.join(sorted(y_net))})"
    x_time, y_time = _seconds(one), _seconds(other)
    for task in sorted(set(x_time) & set(y_time)):
        if x_time[task] != y_time[task]:
            yield f"{here}: time for {task} ({x_time[task]:g} s and {y_time[task]:g} s)"
    x_host, y_host = one.manifest.provenance.environment, other.manifest.provenance.environment
    for name in sorted(set(x_host) | set(y_host)):
        if x_host.get(name) != y_host.get(name):
            yield f"{here}: host, {name} ({x_host.get(name, 'not told')} and {y_host.get(name, 'not told')})"


def _word(value: str | Absent) -> str:
    return "not told" if isinstance(value, Absent) else str(value)


def _seconds(run: RunFacts) -> dict[str, float]:
    """Return the time that an agent really had for each task: the task's limit, or its own when that is shorter."""
    own = [agent.seconds for agent in run.agents.values() if not isinstance(agent.seconds, Absent)]
    return {pin.id: min([pin.limits.agent_seconds, *own]) for pin in run.manifest.tasks}


def _unlike_plan(run: RunFacts) -> Iterator[Lack]:
    """Yield trials that were not made as their run's manifest says."""
    retry, sandbox = run.manifest.retry, run.manifest.sandbox
    if isinstance(retry, Absent) or isinstance(sandbox, Absent):
        yield lack(run.link, "its retry rule and its sandbox: the log that it was read from does not tell")
        return
    for trial in run.trials:
        if trial.sandbox != sandbox:
            found = _word(trial.sandbox)
            yield lack(run.trial_link(trial), f"the planned sandbox {sandbox}; where it was judged: {found}")
        if len(trial.attempts) > retry.max_attempts:
            yield lack(
                run.trial_link(trial),
                f"at most {count_of(retry.max_attempts, 'attempt')}, equal for every agent; {len(trial.attempts)} seen",
            )
        judged_before = any(attempt.end == "judged" for attempt in trial.attempts[:-1])
        if judged_before and retry.policy is not RetryPolicy.BEST_OF_K:
            yield lack(run.trial_link(trial), f"one verdict: it was tried again after one, which {retry.policy} does not allow")


def _undescribed(run: RunFacts) -> Iterator[Lack]:
    """Yield what an agent does not say about itself; unknown is an answer, an empty text is none."""
    for name, agent in run.agents.items():
        if agent.kind.is_control:
            continue
        for what, value in (("model", agent.model), ("provider", agent.provider), ("scaffold version", agent.version)):
            if not _told(value, may_not_apply=what != "scaffold version" and _has_no_model(agent)):
                yield lack(run.link, f"the {what} of {name}, or that it is unknown")


def _told(value: str | Absent, *, may_not_apply: bool) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    return value.absence is Absence.UNKNOWN or (value.absence is Absence.NOT_APPLICABLE and may_not_apply)


def _has_no_model(agent: AgentIdentity) -> bool:
    return isinstance(agent.model, Absent) and agent.model.absence is Absence.NOT_APPLICABLE


GATE = Gate(
    id="G13",
    name="Equal conditions",
    predicate=(
        "All evaluations that a ranking would be made of have the same tasks, limits of time and memory, processors, network, "
        "attempts, sandbox and versions, by their manifests and by their trials; each agent tells its scaffold's version, its "
        "model and its provider, or says that one is unknown."
    ),
    why="An agent with more time, another machine or a second try is another experiment, and not a better agent.",
    remedy="Evaluate every agent again under one protocol, and say in its agent file what it is.",
    command="faultline run AGENT",
    reads=("tasks", "runs"),
    thresholds=(),
    probe=probe,
)
