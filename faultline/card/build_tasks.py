"""A task as its page shows it: what an agent is given, how it is judged in outline, and what is known about it.

Neither the source of the hidden checks nor the canary reaches the card; a check is shown by its name, the sentence of its
requirement and its reason codes.
"""

from collections.abc import Sequence

from faultline.card.model import (
    AuditCard,
    CheckCard,
    CodeCard,
    CodeCount,
    ControlRow,
    FailureClassCard,
    HistoryEntry,
    PublicFile,
    TaskCard,
    TrialRow,
    ValidityCard,
)
from faultline.gates import ControlEvidence, Facts, TaskFacts, unkilled, validity_of
from faultline.gates.audited_families import standing_of
from faultline.kinds import SignatureState, digest_bytes, safe_text
from faultline.records import Choices, IntegerRange, SignatureCheck
from faultline.tasks import FAILURE_CLASSES, ISSUE_FILE, Task, materialise

_LONGEST_FILE = 400_000
_LONGEST_ISSUE = 100_000


def task_card(task: Task, known: TaskFacts, facts: Facts, trials: tuple[TrialRow, ...]) -> TaskCard:
    """Return the card of a task; ``trials`` are those of evaluations, in the order in which they are shown."""
    definition, first = task.definition, materialise(task, 0)
    return TaskCard(
        id=task.id,
        title=definition.title,
        family=definition.family,
        failure_class=definition.failure_class,
        version=definition.version,
        author=definition.author,
        assistance=definition.assistance,
        digest=task.digest,
        workspace_digest=first.pin.workspace_digest,
        issue=first.issue[:_LONGEST_ISSUE],
        files=tuple(_file(path, data) for path, data in sorted(first.workspace.items()) if path != ISSUE_FILE),
        editable=first.editable,
        runtime=definition.runtime,
        limits=definition.limits,
        skins=tuple(skin.name for skin in task.variants.skin),
        parameters={name: _range(value) for name, value in sorted(task.variants.parameters.items())},
        baseline_code=definition.baseline_code,
        checks=tuple(
            CheckCard(id=outline.id, requirement=safe_text(outline.requirement), codes=outline.codes) for outline in task.checks
        ),
        codes=tuple(CodeCard(code=code, meaning=meaning) for code, meaning in sorted(definition.codes.items())),
        public_tests=task.public_tests,
        public_failing=definition.public_failing,
        validity=validity_card(known, facts),
        audits=audit_cards(known),
        corrections=tuple(sorted(task.corrections, key=lambda item: (item.corrected_at, item.id), reverse=True)),
        trials=trials,
    )


def validity_card(task: TaskFacts, facts: Facts) -> ValidityCard:
    """Return what the newest validity run of a task's current form shows."""
    found = validity_of(task, facts)
    return ValidityCard(
        state=found.state,
        run=None if found.run is None else found.run.name,
        trials=found.trials,
        variants=found.variants,
        repetitions=found.repetitions,
        hash_seeds=found.hash_seeds,
        controls=tuple(_control(item) for item in found.controls),
        flips=found.flips,
        problems=found.problems,
        unkilled=unkilled(task, found),
    )


def _control(item: ControlEvidence) -> ControlRow:
    return ControlRow(
        name=item.control.name,
        role=item.control.role,
        expected="passed" if item.control.code is None else "failed",
        expected_code=item.control.code,
        planned=item.planned,
        as_expected=item.as_expected,
        codes=tuple(CodeCount(code=code, count=count) for code, count in item.codes),
        flips=item.flips,
        holds=item.holds,
        killed_by=item.killed_by,
    )


def audit_cards(task: TaskFacts) -> tuple[AuditCard, ...]:
    """Return the audits of a task, newest first, each with whether it is of the current form, signed and counted."""
    aside = {item.audit.content_digest(): item.why for item in standing_of(task).set_aside}
    unsigned = SignatureCheck(state=SignatureState.UNSIGNED)
    found = []
    for audit in sorted(task.audits, key=lambda item: (item.audited_at, item.auditor), reverse=True):
        digest = audit.content_digest()
        check = task.signatures.get(digest, unsigned)
        found.append(
            AuditCard(
                auditor=audit.auditor,
                audited_at=audit.audited_at,
                task_digest=audit.task_digest,
                current=audit.task_digest == task.digest,
                specification_severity=audit.specification_severity,
                fairness_severity=audit.fairness_severity,
                notes=audit.notes,
                signature=check.state,
                key=check.key,
                refused=tuple(sorted(str(name) for name, answer in audit.answers.items() if answer == "no")),
                why_not=aside.get(digest, ""),
            )
        )
    return tuple(found)


def history_of(tasks: Sequence[TaskCard]) -> tuple[HistoryEntry, ...]:
    """Return all corrections and audits, newest first."""
    entries = [
        HistoryEntry(kind="correction", at=item.corrected_at, task=task.id, title=item.title, correction=item, audit=None)
        for task in tasks
        for item in task.corrections
    ]
    entries += [
        HistoryEntry(
            kind="audit",
            at=item.audited_at,
            task=task.id,
            title=safe_text(f"Audit by {item.auditor}", 200),
            correction=None,
            audit=item,
        )
        for task in tasks
        for item in task.audits
    ]
    return tuple(sorted(entries, key=lambda entry: (entry.at, entry.task, entry.title), reverse=True))


def failure_class_cards(tasks: Sequence[Task]) -> tuple[FailureClassCard, ...]:
    """Return every failure class with the tasks that carry it."""
    return tuple(
        FailureClassCard(
            id=name,
            title=definition.title,
            defect=definition.defect,
            flatters=definition.flatters,
            invariance=definition.invariance,
            tasks=tuple(sorted(task.id for task in tasks if task.definition.failure_class == name)),
        )
        for name, definition in FAILURE_CLASSES.items()
    )


def _file(path: str, data: bytes) -> PublicFile:
    text = data.decode("utf-8", "replace")[:_LONGEST_FILE]
    return PublicFile(path=path, text=text, lines=len(text.splitlines()), sha256=digest_bytes(data))


def _range(value: IntegerRange | Choices) -> str:
    """Return where a parameter is drawn from, for people."""
    if isinstance(value, IntegerRange):
        return f"{value.low} to {value.high}"
    return safe_text(", ".join(_shown(choice) for choice in value.choices), 400)


def _shown(choice: object) -> str:
    return " ".join(map(str, choice)) if isinstance(choice, tuple) else str(choice)
