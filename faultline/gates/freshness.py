"""G14: are the results still about what lies here today?

Results age: tasks change, agents learn them, faults come to light. So the settings name the day until which results may be used
(``valid_until``), not further from the oldest evaluation than the policy allows, and past it the ranking is withheld by itself.
A change of a task needs an entry in its history, and its version says how many there are. Tasks that every trial passed, or
none, are often broken ones, and somebody must have audited them again after the result was there. Whether it was every trial
or none is a result and not said here.
"""

from collections.abc import Iterator
from datetime import timedelta

from faultline.gates.facts import Facts, TaskFacts
from faultline.gates.gate import Finding, Gate, and_outdated, count_of, lack
from faultline.gates.model import Lack, Link
from faultline.gates.policy import Policy, Threshold
from faultline.gates.saturation import ends
from faultline.review import countable_audits

DAYS = Threshold("G14", "valid_days", 366, "less", 1, "Days after the oldest evaluation until which results may be used.")
AGAIN = Threshold("G14", "auditors_again", 1, "more", 20, "People who audit a task again that all trials end alike on.")


def probe(facts: Facts, policy: Policy) -> Finding:
    """Look at the day until which results are valid, at changes since the audits, and at audits of tasks at either end."""
    if not facts.claims or not facts.tasks:
        return Finding(
            "not-run",
            "No agent but controls has been evaluated on tasks that lie here, so there is nothing to keep fresh",
            "No evaluation of an agent on tasks that lie here was found." + and_outdated(facts),
            unit="tasks without an open question",
            share=0.0,
        )
    dated = list(_dated(facts, policy))
    open_tasks = [(task, gap) for task in facts.tasks for gap in _changed(task)]
    open_tasks += [
        (task, gap) for task in (*ends(facts)[0], *ends(facts)[1]) for gap in _not_audited_again(task, facts, policy)
    ]
    lacking = [*dated, *(lack(task.link, gap) for task, gap in open_tasks)]
    total = len(facts.tasks)
    good = total - len({task.id for task, _ in open_tasks})
    until = "no day is named" if facts.valid_until is None else f"the results may be used until {facts.valid_until}"
    return Finding(
        outcome="fail" if lacking else "pass",
        headline=(
            "Nobody says until when the results may be used, or that day has passed or is too far off"
            if dated
            else "Tasks changed, or need another audit, since they were audited"
            if lacking
            else "The results may still be used, and no task has an open question"
        ),
        saw=(
            f"The settings: {until}. {count_of(len(facts.claims), 'evaluation')}, the first sealed on "
            f"{min(run.seal.sealed_at for run in facts.claims).date()}; the history and the audits of "
            f"{count_of(total, 'task')}. " + and_outdated(facts)
        ).strip(),
        observed=str(good),
        needed=str(total),
        unit="tasks without an open question",
        share=good / total if total else 0.0,
        lacking=tuple(lacking),
        evidence=tuple(task.link for task in facts.tasks),
    )


def _dated(facts: Facts, policy: Policy) -> Iterator[Lack]:
    """Yield what is wrong with the day until which the results may be used."""
    where = Link(label="valid_until", kind="file", target="pyproject.toml")
    oldest = min(run.seal.sealed_at for run in facts.claims).date()
    last = oldest + timedelta(days=policy[DAYS])
    if facts.valid_until is None:
        yield lack(where, f"a day in [tool.faultline], not after {last}: valid_until = {last}")
    elif facts.valid_until > last:
        yield lack(where, f"a day not after {last}, {policy[DAYS]} days from the oldest evaluation")
    elif facts.valid_until < facts.read_on:
        yield lack(where, f"results that are still valid: they were until {facts.valid_until}")


def _changed(task: TaskFacts) -> Iterator[str]:
    """Yield what is open about a task's changes: one that no entry tells of, or an audit that is older than the last."""
    # The version is part of the digest: a history that was deleted, or an entry of it, is missed by its number.
    missing = task.version - 1 - len(task.corrections)
    if missing > 0:
        yield f"{count_of(missing, 'more entry', 'more entries')} in corrections.toml: this is version {task.version}"
    if not task.corrections:
        return
    newest = task.corrections[-1]
    if newest.after_digest != task.digest:
        yield f"an entry in corrections.toml for its last change: {newest.id} ends in another form than the task has"
    for audit in task.audits:
        if audit.task_digest == task.digest and audit.audited_at < newest.corrected_at:
            yield f"an audit since {newest.corrected_at}, when it was corrected: that of {audit.audited_at} is older"


def _not_audited_again(task: TaskFacts, facts: Facts, policy: Policy) -> Iterator[str]:
    """Yield that a task on which all trials ended alike was not audited since the newest result."""
    newest = max(run.seal.sealed_at for run in facts.claims).date()
    since = [audit for audit in task.audits if audit.audited_at >= newest]
    standing = countable_audits(since, digest=task.digest, author=task.author, checks=task.checks)
    missing = policy[AGAIN] - len(standing.auditors)
    if missing > 0:
        yield f"an audit since {newest} by {count_of(missing, 'more person', 'more people')}: all trials on it ended alike"


GATE = Gate(
    id="G14",
    name="Freshness",
    predicate=(
        "The settings name a day until which the results may be used, at most 366 days after the oldest evaluation, and it "
        "has not passed; each task's history has an entry for every version, the last of which ends in the task as it is now, "
        "and no audit is older; a task that every trial of every agent passed, or none, was audited again after the newest "
        "evaluation."
    ),
    why="A ranking outlives its tasks: what all agents fail is often broken, and what was secret gets known.",
    remedy="Set valid_until in [tool.faultline], write down what was changed, and audit the named tasks again.",
    command="",
    reads=("tasks", "audits", "runs"),
    thresholds=(DAYS, AGAIN),
    probe=probe,
)
