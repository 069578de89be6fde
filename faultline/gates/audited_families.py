"""G1: have enough task families been audited by people other than their author?

A family counts when every task of it, as it is now, carries enough complete audits by distinct people who are not its author,
the worst label on both scales is low enough, no check was found surprising, and its validity run holds. Families whose
hidden checks have one shape are one template and count once.
"""

from faultline.gates.facts import Facts, TaskFacts
from faultline.gates.gate import Finding, Gate, count_of, lack
from faultline.gates.likeness import templates
from faultline.gates.model import Lack, Link
from faultline.gates.policy import Policy, Threshold
from faultline.gates.validity import validity_of
from faultline.review import AuditStanding, countable_audits

FAMILIES = Threshold("G1", "audited_families", 20, "more", 10_000, "Task families that must be audited.")
AUDITORS = Threshold("G1", "auditors_per_task", 2, "more", 20, "Distinct people other than the author who audit each task.")
SEVERITY = Threshold("G1", "worst_severity", 1, "less", 0, "The worst label that a counted task may have on either scale.")


def probe(facts: Facts, policy: Policy) -> Finding:
    """Count the families that are audited, and say what each of the others lacks."""
    needed = policy[FAMILIES]
    lacking: list[Lack] = []
    sound: list[str] = []
    for family, tasks in facts.families.items():
        gaps = [gap for task in tasks for gap in _gaps(task, facts, policy)]
        lacking += gaps
        if not gaps:
            sound.append(family)
    groups = templates({family: [task.shape for task in tasks] for family, tasks in facts.families.items()})
    audited = sum(any(family in sound for family in group) for group in groups)
    for group in groups:
        lacking += [
            lack(
                facts.families[family][0].link,
                f"a template of its own: its hidden checks have the shape of those of {group[0]}",
            )
            for family in group[1:]
        ]
    if audited < needed:
        page = Link(label="Audits", kind="gate", target="G1")
        known = len(groups)
        if known < needed:
            lacking.append(lack(page, f"{count_of(needed - known, 'more task family', 'more task families')} to audit"))
    number = sum(len(task.audits) for task in facts.tasks)
    saw = (
        f"{count_of(number, 'audit')} of {count_of(len(facts.tasks), 'task')} in "
        f"{count_of(len(groups), 'family', 'families')}; an audit counts for the form of the task that it examined."
    )
    passed = audited >= needed
    return Finding(
        outcome="pass" if passed else "fail",
        headline=_headline(audited, needed, passed=passed),
        saw=saw,
        observed=str(audited),
        needed=str(needed),
        unit="audited task families",
        share=audited / needed,
        lacking=() if passed else tuple(lacking),
        evidence=tuple(task.link for task in facts.tasks),
    )


def _headline(audited: int, needed: int, *, passed: bool) -> str:
    if passed:
        return f"{count_of(audited, 'task family', 'task families')} have been audited by people other than their authors"
    if audited == 0:
        return "No task family has been audited by two people other than its author"
    return f"Only {audited} of {needed} task families have been audited by people other than their authors"


def _gaps(task: TaskFacts, facts: Facts, policy: Policy) -> list[Lack]:
    """Return what keeps a task from counting."""
    gaps = audit_gaps(task, policy)
    validity = validity_of(task, facts)
    if validity.state != "valid":
        gaps.append(f"a validity run that holds: {validity.problems[0]}")
    return [lack(task.link, gap) for gap in gaps]


def standing_of(task: TaskFacts) -> AuditStanding:
    """Return the audits of a task, sorted out."""
    return countable_audits(task.audits, digest=task.digest, author=task.author, checks=task.checks, signatures=task.signatures)


def audit_gaps(task: TaskFacts, policy: Policy) -> list[str]:
    """Return what keeps the audits of a task from being enough, as clauses that follow "lacks"."""
    standing = standing_of(task)
    gaps = [f"an end to the audit that was begun in audits/{name}: finish it, or take it away" for name in task.unfinished]
    missing = policy[AUDITORS] - len(standing.auditors)
    if missing > 0:
        needed = policy[AUDITORS]
        gaps.append(
            f"{count_of(missing, 'more independent auditor')} of its current form, {needed} in all{_set_aside(standing)}"
        )
    if standing.worst is not None and standing.worst > policy[SEVERITY]:
        gaps.append(f"a correction: an auditor gave severity {standing.worst}, and {policy[SEVERITY]} is the most allowed")
    if standing.surprising:
        gaps.append(f"a correction: an auditor found {', '.join(standing.surprising)} surprising")
    if standing.refused:
        gaps.append(f"a correction: an auditor answered no to {', '.join(standing.refused)}")
    return gaps


def _set_aside(standing: AuditStanding) -> str:
    """Return why the other audits do not count, with the people's names."""
    if not standing.set_aside:
        return ""
    return " (not counted: " + "; ".join(f"{item.audit.auditor}, {item.why}" for item in standing.set_aside) + ")"


GATE = Gate(
    id="G1",
    name="Independent audits",
    predicate=(
        "At least 20 distinct task families, every task of which in its current form has been audited by at least two "
        "people other than its author, with a worst severity below 2 on both scales, no surprising check, and a validity "
        "run that holds."
    ),
    why=(
        "A task that only its author has read measures the author's mistakes. Twenty seeds of one template are one task, and "
        "an audit of an older form says nothing about this one."
    ),
    remedy="Ask two people who did not write the task to audit it, and add their records under tasks/<task>/audits.",
    command="faultline audit new <task>",
    reads=("tasks", "audits", "runs"),
    thresholds=(FAMILIES, AUDITORS, SEVERITY),
    probe=probe,
)
