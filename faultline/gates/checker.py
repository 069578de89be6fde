"""Is the checker itself checked? What controls show about the hidden checks, apart from what they show about the task.

A check that no wrong repair fails may be vacuous, and nobody would notice. And a check that did something in an earlier form of
its task and does something else now was changed, by intent or not; the earlier run in ``runs/`` remembers it. Codes that are
seen now and then differ between runs by chance, so only what was seen often counts as gone.
"""

from collections import Counter
from collections.abc import Iterable

from faultline.gates.facts import RunFacts, TaskFacts
from faultline.gates.validity import Validity
from faultline.kinds import CheckId, RunKind
from faultline.records import Absent

OFTEN = 6
"""Trials in which something must have been seen for its absence to mean anything: chance alone hides it once in 400 runs."""


def unkilled(task: TaskFacts, validity: Validity) -> tuple[CheckId, ...]:
    """Return the checks that no wrong repair fails in every trial, in the order of the task; none before there is a run."""
    if validity.run is None:
        return ()
    killed = {check for item in validity.controls if item.control.role == "wrong" for check in item.killed_by}
    return tuple(check for check in task.checks if check not in killed)


def earlier_form(task: TaskFacts, runs: Iterable[RunFacts]) -> RunFacts | None:
    """Return the newest validity run of another form of a task."""
    found = [
        run
        for run in runs
        if run.manifest.kind is RunKind.VALIDITY and task.id in run.pins and run.pins[task.id].digest != task.digest
    ]
    return max(found, key=lambda run: (run.seal.sealed_at, run.name), default=None)


def changed_checks(task: TaskFacts, now: RunFacts, before: RunFacts) -> tuple[str, ...]:
    """Return, as sentences, which hidden checks are gone, kill a control no more, or give other reason codes than before."""
    agents = _tried(task, before) & _tried(task, now)
    old, new = _seen(task, before, agents), _seen(task, now, agents)
    kept, found = set(task.checks), list[str]()
    for check in sorted(set(before.pins[task.id].checks) - kept):
        found.append(f"{check} is gone; it judged this task in {before.name}.")
    for check in task.checks:
        if check not in before.pins[task.id].checks:
            continue
        for agent in sorted({name for place, name, _ in old if place == check}):
            was, is_now = _codes(old, check, agent), _codes(new, check, agent)
            if not is_now and sum(was.values()) >= OFTEN:
                found.append(f"{check} failed {agent} with {_words(was)} in {before.name} and does not fail it now.")
            elif sum(is_now.values()) >= OFTEN and not set(was) & set(is_now) and sum(was.values()) >= OFTEN:
                found.append(
                    f"{check} failed {agent} with {_words(was)} in {before.name} and fails it with {_words(is_now)} now."
                )
        lost = _often(old, check) - set(_codes(new, check))
        fresh = _often(new, check) - set(_codes(old, check))
        if (lost or fresh) and not any(line.startswith(f"{check} ") for line in found):
            found.append(
                f"{check} gave {_words(_codes(old, check))} in {before.name} and gives {_words(_codes(new, check))} now."
            )
    return tuple(found)


def _tried(task: TaskFacts, run: RunFacts) -> set[str]:
    """Return the controls that a run tried often enough to say what a check does not do to them."""
    counted = Counter(trial.key.agent for trial in run.by_task.get(task.id, ()))
    return {agent for agent, number in counted.items() if number >= OFTEN}


def _seen(task: TaskFacts, run: RunFacts, agents: set[str]) -> Counter[tuple[str, str, str]]:
    """Count how often each check gave each code to each of some controls."""
    return Counter(
        (check.check, trial.key.agent, check.reason.code)
        for trial in run.by_task.get(task.id, ())
        if trial.key.agent in agents and not isinstance(trial.outcome.checks, Absent)
        for check in trial.outcome.checks
        if check.reason is not None
    )


def _codes(seen: Counter[tuple[str, str, str]], check: str, agent: str | None = None) -> Counter[str]:
    found = Counter[str]()
    for (place, name, code), number in seen.items():
        if place == check and agent in (None, name):
            found[code] += number
    return found


def _often(seen: Counter[tuple[str, str, str]], check: str) -> set[str]:
    return {code for code, number in _codes(seen, check).items() if number >= OFTEN}


def _words(codes: Counter[str]) -> str:
    return ", ".join(sorted(codes)) or "no code"
