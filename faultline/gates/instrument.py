"""Is the instrument alive? What a run's own records say about whether its trials were independent draws.

Findings are of three severities: *red* says that trials are not what they claim to be and keeps G3 (repeated trials) from
holding; *amber* asks for an explanation; *note* is for the reader. A pass is the set of trials with one number: every case
(task, variant and agent) once. Nothing here is a rate or compares agents.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from faultline.gates.facts import Facts, RunFacts
from faultline.kinds import Absence, Fold, ShortText
from faultline.records import Absent, Trial
from faultline.records.base import Record
from faultline.statistics import TaskCounts, cochran_q_test, fisher_exact, flip_count_test

Severity = Literal["red", "amber", "note"]
FLAT = 0.01
"""A lower tail below this is the alarm of a flat line."""
DRIFT = 0.05
UNEVEN = 0.01
"""Divided by the number of passes: the chance of a pass with so many trials without a verdict."""
FEW = 3
"""Fewer equal values than this are no pattern."""
SHOWN = 5

Case = tuple[str, str, str]


class InstrumentFinding(Record):
    """One thing that a run's records say about the instrument."""

    id: ShortText
    """Stable name of the check."""
    severity: Severity
    title: ShortText
    saw: ShortText
    """What was seen, with numbers."""


def passes_of(run: RunFacts) -> tuple[tuple[Case, ...], tuple[tuple[bool | None, ...], ...]]:
    """Return a run's cases and, for each, its outcome in every pass; ``None`` where there is no verdict."""
    found: dict[Case, dict[int, Trial]] = {}
    for trial in run.trials:
        found.setdefault((trial.key.task, trial.key.variant, trial.key.agent), {})[trial.key.trial] = trial
    numbers = range(run.manifest.trials)
    return tuple(found), tuple(tuple(_outcome(trials.get(number)) for number in numbers) for trials in found.values())


def diagnose(run: RunFacts, facts: Facts) -> tuple[InstrumentFinding, ...]:
    """Return every finding about a run, the worst first; runs sealed before it are its history."""
    key = ("diagnose", run.name)
    if key not in facts.memo:
        order = ("red", "amber", "note")
        facts.memo[key] = tuple(sorted(_findings(run, facts), key=lambda finding: order.index(finding.severity)))
    found: tuple[InstrumentFinding, ...] = facts.memo[key]
    return found


def _findings(run: RunFacts, facts: Facts) -> Iterator[InstrumentFinding]:
    with_model = [trial for trial in run.trials if _has_model(trial, run)]
    yield from _idle(with_model)
    yield from _transcripts(run)
    yield from _constant(with_model)
    cases, matrix = passes_of(run)
    yield from _dispersion(run, matrix)
    yield from _flips(run, facts, cases, matrix)
    yield from _solid(run)
    yield from _mix(run)


def _idle(trials: Sequence[Trial]) -> Iterator[InstrumentFinding]:
    """Yield trials in which a model was to work and did not."""
    idle = [trial for trial in trials if _nothing_done(trial)]
    passed = [trial for trial in idle if trial.outcome.fold is Fold.PASSED]
    if passed:
        yield InstrumentFinding(
            id="passed-without-model",
            severity="red",
            title="Passed without a model step",
            saw=f"{_some(passed)} passed with no model request or no output token: the grader or the task is at fault.",
        )
    if idle:
        yield InstrumentFinding(
            id="no-model-step",
            severity="red",
            title="No model step or no output token",
            saw=f"{_some(idle)} used no model request or no output token; such a trial is invalid whatever its verdict.",
        )
    unknown = sum(_unknown(trial) for trial in trials)
    if unknown:
        yield InstrumentFinding(
            id="usage-unknown",
            severity="amber",
            title="Nobody recorded the model's work",
            saw=f"{unknown} of {len(trials)} trials do not tell their output tokens, so that an idle trial could not be seen.",
        )


def _transcripts(run: RunFacts) -> Iterator[InstrumentFinding]:
    """Yield transcripts that several trials share: a cache or a replay where a model is said to work."""
    seen: dict[str, list[Trial]] = {}
    for trial in run.trials:
        for digest in {artifact.sha256 for artifact in trial.last.artifacts if artifact.role == "trace"}:
            seen.setdefault(digest, []).append(trial)
    shared = [trials for trials in seen.values() if len(trials) > 1]
    if shared:
        copies = sum(len(trials) - 1 for trials in shared)
        modelled = any(_has_model(trial, run) for trials in shared for trial in trials)
        yield InstrumentFinding(
            id="identical-transcripts",
            severity="red" if modelled else "note",
            title="Identical transcripts",
            saw=(
                f"{copies} of {len(run.trials)} trials repeat the transcript of another one, byte for byte: "
                f"{_some([trials[1] for trials in shared])}. "
                + ("A cache or a replay; copies are no trials." if modelled else "The agent uses no model and may do the same.")
            ),
        )


def _constant(trials: Sequence[Trial]) -> Iterator[InstrumentFinding]:
    """Yield quantities that never vary although a model worked; amber, since foreign logs may be rounded."""
    costs = [str(trial.last.cost.usd) for trial in trials if not isinstance(trial.last.cost, Absent)]
    times = [repr(trial.last.timing.agent) for trial in trials if not isinstance(trial.last.timing.agent, Absent)]
    for name, title, values in (
        ("constant-cost", "Every trial cost the same", costs),
        ("constant-latency", "Every trial took the same time", times),
    ):
        if len(values) >= FEW and len(set(values)) == 1:
            saw = f"{len(values)} trials have one value to the last digit; look for a recording that was filled in."
            yield InstrumentFinding(id=name, severity="amber", title=title, saw=saw)


def _dispersion(run: RunFacts, matrix: Sequence[Sequence[bool | None]]) -> Iterator[InstrumentFinding]:
    """Yield what Cochran's Q says: totals flatter than cases allow, or passes that differ more than they do."""
    test = cochran_q_test(matrix)
    where = f"{test.n} cases, {test.passes} passes" + (
        f", {test.left_out} cases without a verdict left out" * bool(test.left_out)
    )
    if test.p_lower is None or test.p_upper is None or test.estimate is None:
        controls = all(agent.kind.is_control for agent in run.manifest.agents)
        yield InstrumentFinding(
            id="dispersion-not-estimable",
            severity="note",
            title="Passes cannot be compared",
            saw=f"{test.reason[:1].upper()}{test.reason[1:]} ({where}).".replace("No task", "No case")
            + (" Controls must not flip." if controls else ""),
        )
        return
    numbers = f"Cochran's Q {test.estimate:.2f}, lower tail p = {test.p_lower:.4f}, upper tail p = {test.p_upper:.4f}; {where}"
    if test.p_lower < FLAT:
        yield InstrumentFinding(
            id="flat-line",
            severity="red",
            title="Pass totals are flatter than their cases allow",
            saw=f"{numbers}. Look for a cache, a replay, or results that were chosen.",
        )
    elif test.p_upper < DRIFT:
        yield InstrumentFinding(
            id="drift",
            severity="amber",
            title="Passes differ more than their cases do",
            saw=f"{numbers}. Something moves all cases at once: a provider, a limit, the machine.",
        )
    else:
        yield InstrumentFinding(id="dispersion", severity="note", title="Passes vary as their cases do", saw=f"{numbers}.")


def _flips(
    run: RunFacts, facts: Facts, cases: Sequence[Case], matrix: Sequence[Sequence[bool | None]]
) -> Iterator[InstrumentFinding]:
    """Yield whether fewer cases flipped than their own history foretells."""
    before = _history(run, facts)
    old, new = [], []
    for case, row in zip(cases, matrix, strict=True):
        known = [value for value in row if value is not None]
        task, variant, agent = case
        old.append(before.get((*_pinned(run, task, variant), run.agents[agent].content_digest()), TaskCounts(0, 0)))
        new.append(TaskCounts(sum(known), len(known)))
    test = flip_count_test(old, new)
    if test.p_value is None or not test.expected:
        return
    saw = f"{test.flips} of {test.n} cases flipped; their history foretells {test.expected:.1f} (p = {test.p_value:.4f})."
    flat = test.p_value < FLAT
    yield InstrumentFinding(
        id="flip-count",
        severity="red" if flat else "note",
        title="Fewer cases flipped than before" if flat else "Cases flip as they did before",
        saw=saw,
    )


def _history(run: RunFacts, facts: Facts) -> dict[tuple[str, str, str], TaskCounts]:
    """Return what the same agent did on the same workspaces in runs sealed before this one."""
    found: dict[tuple[str, str, str], tuple[int, int]] = {}
    for other in facts.runs:
        if other.name == run.name or other.seal.sealed_at >= run.seal.sealed_at:
            continue
        for trial in other.trials:
            if trial.outcome.scoreable and trial.key.agent in other.agents:
                digest = other.agents[trial.key.agent].content_digest()
                key = (*_pinned(other, trial.key.task, trial.key.variant), digest)
                passes, trials = found.get(key, (0, 0))
                found[key] = (passes + (trial.outcome.fold is Fold.PASSED), trials + 1)
    return {key: TaskCounts(*counts) for key, counts in found.items()}


def _pinned(run: RunFacts, task: str, variant: str) -> tuple[str, str]:
    """Return the digests of a task and of a variant's workspace; names where the manifest has none."""
    pin = run.pins.get(task)
    if pin is None:
        return task, variant
    return pin.digest, next((item.workspace_digest for item in pin.variants if item.id == variant), variant)


def _solid(run: RunFacts) -> Iterator[InstrumentFinding]:
    """Yield tasks that say nothing about how agents differ, as far as this run shows."""
    if all(agent.kind.is_control for agent in run.manifest.agents):
        return
    never, always = [], []
    for task, trials in run.by_task.items():
        verdicts = [trial.outcome.fold is Fold.PASSED for trial in trials if trial.outcome.scoreable]
        if verdicts and not any(verdicts):
            never.append(task)
        elif verdicts and all(verdicts):
            always.append(task)
    for name, title, tasks in (
        ("never-passed", "Tasks that no trial passed", never),
        ("always-passed", "Tasks that every trial passed", always),
    ):
        if tasks:
            shown = ", ".join(sorted(tasks)[:SHOWN]) + (f" and {len(tasks) - SHOWN} more" if len(tasks) > SHOWN else "")
            yield InstrumentFinding(
                id=name, severity="note", title=title, saw=f"{len(tasks)} of {len(run.by_task)} tasks: {shown}."
            )


def _mix(run: RunFacts) -> Iterator[InstrumentFinding]:
    """Yield how the trials of each pass ended, and whether one pass lost more verdicts than the others."""
    mix: dict[int, Counter[Fold]] = {}
    for trial in run.trials:
        mix.setdefault(trial.key.trial, Counter())[trial.outcome.fold] += 1
    if not mix:
        return
    rows: list[str] = []
    uneven: list[int] = []
    for number in sorted(mix):
        counts = mix[number]
        if len(rows) < 2 * SHOWN:
            rows.append(f"pass {number}: " + ", ".join(f"{counts[fold]} {fold}" for fold in Fold if counts[fold]))
        rest = sum((mix[other] for other in mix if other != number), Counter[Fold]())
        lost = (counts[Fold.INVALID_INFRA], counts.total(), rest[Fold.INVALID_INFRA], rest.total())
        if rest and counts[Fold.INVALID_INFRA] and fisher_exact(*lost) < UNEVEN / len(mix):
            uneven.append(number)
    more = f"; and {len(mix) - len(rows)} more passes" if len(mix) > len(rows) else ""
    yield InstrumentFinding(
        id="outcome-mix",
        severity="amber" if uneven else "note",
        title="One pass lost more verdicts than the others" if uneven else "How each pass ended",
        saw="; ".join(rows) + more + ".",
    )


def _outcome(trial: Trial | None) -> bool | None:
    if trial is None or not trial.outcome.scoreable:
        return None
    return trial.outcome.fold is Fold.PASSED


def _has_model(trial: Trial, run: RunFacts) -> bool:
    """Return whether a model was to work in a trial: its agent is no control, and usage does not say that it has none."""
    agent = run.agents.get(trial.key.agent)
    if agent is None or agent.kind.is_control:
        return False
    usage = trial.last.usage
    return not (isinstance(usage, Absent) and usage.absence is Absence.NOT_APPLICABLE)


def _nothing_done(trial: Trial) -> bool:
    """Return whether the attempt that counts is known to have used no request or no output token; faults are no verdicts."""
    usage = trial.last.usage
    if isinstance(usage, Absent) or not trial.outcome.scoreable:
        return False
    return usage.requests == 0 or usage.output == 0


def _unknown(trial: Trial) -> bool:
    usage = trial.last.usage
    return isinstance(usage, Absent) or isinstance(usage.output, Absent)


def _some(trials: Sequence[Trial]) -> str:
    """Return a number of trials with the first few named."""
    names = [f"{trial.key.task} {trial.key.variant} {trial.key.agent} {trial.key.trial}" for trial in trials[:SHOWN]]
    word = "trial" if len(trials) == 1 else "trials"
    return f"{len(trials)} {word} ({', '.join(names)}{' …' if len(trials) > SHOWN else ''})"
