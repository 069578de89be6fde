"""Gates, task validity and trials as test cases, which JUnit and CTRF both are views of."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from faultline.archive import SealedRun
from faultline.card.model import ImportedTaskCard, TaskCard
from faultline.exporters.interface import Subject
from faultline.gates.model import GateResult, OutcomeWord
from faultline.kinds import Verdict, safe_text
from faultline.records import Absent, Attempt, Trial

CaseOutcome = Literal["passed", "failed", "error", "skipped"]
"""``failed``: the evidence speaks against it; ``error``: it could not be evaluated; ``skipped``: it does not arise."""

GATE_OUTCOMES: dict[OutcomeWord, CaseOutcome] = {
    "pass": "passed",
    "fail": "failed",
    "inconclusive": "failed",
    "not-run": "failed",
    "error": "error",
    "not-applicable": "skipped",
}
"""What each outcome of a gate becomes: only ``pass`` holds, and only a gate that could not be evaluated is an error."""
GATES_SUITE = "faultline.gates"


@dataclass(frozen=True)
class Try:
    """An attempt before the one that counts."""

    number: int
    end: str
    observed: str
    seconds: float | None


@dataclass(frozen=True)
class Case:
    """One question with its answer."""

    suite: str
    name: str
    """Stable, and the only one of its suite."""
    outcome: CaseOutcome
    raw: str
    """Faultline's own word for how it ended."""
    message: str
    """One line; empty when passed."""
    detail: str = ""
    seconds: float | None = None
    """Measured time, where there is one."""
    started_at: datetime | None = None
    tries: tuple[Try, ...] = ()
    saw: str = ""
    """What evidence was looked at, also where it passed."""


def cases_of(subject: Subject) -> tuple[Case, ...]:
    """Return the gates, the validity of every task, and the trials of the runs that were named."""
    found = [gate_case(gate) for gate in subject.evaluation.report.gates]
    for task in subject.card.tasks:
        found += _validity(task)
    for foreign in subject.card.imported_tasks:
        found += _foreign(foreign)
    for run in subject.runs if subject.names else ():
        found += [_trial(run, trial) for trial in run.trials]
    return tuple(found)


def gate_case(gate: GateResult) -> Case:
    """Return a gate as a test case."""
    saw = f"{gate.observed} of {gate.needed} {gate.unit}" if gate.needed else f"{gate.observed} {gate.unit}"
    lines = [f"must hold: {gate.predicate}"]
    lines += [f"lacks: {lack.what.label}: {lack.needs}" for lack in gate.lacking]
    lines.append(f"next: {gate.remedy}{f' ({gate.command})' if gate.command else ''}")
    return Case(
        GATES_SUITE,
        f"{gate.id} {gate.name}",
        GATE_OUTCOMES[gate.outcome],
        gate.outcome,
        "" if gate.holds else gate.headline,
        "" if gate.holds else "\n".join(lines),
        saw=f"{gate.saw} ({saw.strip()})",
    )


def _validity(task: TaskCard) -> Iterator[Case]:
    """Yield whether a task is valid, then each of its controls."""
    suite, validity = f"task validity: {task.id}", task.validity
    outcomes: dict[str, CaseOutcome] = {"valid": "passed", "invalid": "failed", "unproven": "error"}
    said = "" if validity.state == "valid" else f"the task is {validity.state} in its present form"
    problems = "\n".join(validity.problems)
    yield Case(suite, "both sides of the contract", outcomes[validity.state], validity.state, said, problems)
    for row in validity.controls:
        must = "passes" if row.expected == "passed" else f"fails with {row.expected_code}"
        found = f"{row.as_expected} of {row.planned} trials ended as expected, {row.flips} cells flipped"
        codes = "\n".join(f"{item.code} {item.count}" for item in row.codes)
        outcome: CaseOutcome = "passed" if row.holds else "failed" if row.planned else "error"
        yield Case(suite, f"{row.name} {must}", outcome, outcome, "" if row.holds else found, "" if row.holds else codes)


def _foreign(card: ImportedTaskCard) -> Iterator[Case]:
    """Yield both sides of the contract of another harness's task, as its own controls show them."""
    suite = f"imported task validity: {card.task.id}"
    for name, found, needed in (
        ("the reference passes", card.reference, "passed"),
        ("doing nothing fails", card.no_op, "failed"),
    ):
        outcome: CaseOutcome = "passed" if found == needed else "error" if found == "none" else "failed"
        yield Case(suite, name, outcome, found, "" if outcome == "passed" else f"lacks {card.lacking}")


def _trial(run: SealedRun, trial: Trial) -> Case:
    key, outcome, timing = trial.key, trial.outcome, trial.last.timing
    words: dict[Verdict, CaseOutcome] = {Verdict.PASSED: "passed", Verdict.FAILED: "failed", Verdict.NONE: "error"}
    codes = " ".join(reason.code for reason in outcome.reasons)
    message = "" if outcome.verdict is Verdict.PASSED else " ".join(filter(None, (outcome.mode.value, codes)))
    parts = [part for part in (timing.setup, timing.agent, timing.grading) if not isinstance(part, Absent)]
    started = trial.last.started_at
    return Case(
        f"run {run.name}",
        f"{key.task}.{key.variant}.{key.agent}.{key.trial}",
        words[outcome.verdict],
        outcome.status.value,
        message,
        safe_text(outcome.note, 2_000) if message else "",
        sum(parts) if parts else None,
        None if isinstance(started, Absent) else started,
        tuple(_try(attempt) for attempt in trial.attempts[:-1]),
    )


def _try(attempt: Attempt) -> Try:
    agent = attempt.timing.agent
    return Try(attempt.number, attempt.end, attempt.observed, None if isinstance(agent, Absent) else agent)
