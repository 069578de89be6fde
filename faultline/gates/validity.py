"""Are both sides of a task's contract proved? Computed from the newest validity run of the task as it is now.

The untouched workspace must fail with the task's reason code, the reference and the other valid repairs must pass every
hidden check and public test, each tempting wrong repair must fail with its own code, and no repetition may disagree.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from faultline.gates.facts import Control, Facts, RunFacts, TaskFacts
from faultline.kinds import CheckId, Mode, ReasonCode, RunKind, Verdict
from faultline.records import Absent, Cell, TaskPin, Trial

_NO_EVIDENCE = frozenset({"IMPORT_FAILED"})
"""A repair that does not import shows nothing about a check, whatever else is among its reasons."""


@dataclass(frozen=True)
class ControlEvidence:
    """How one control ended."""

    control: Control
    planned: int
    as_expected: int
    codes: tuple[tuple[ReasonCode, int], ...]
    """Reason codes seen, by name."""
    given_by: tuple[tuple[ReasonCode, CheckId], ...]
    """Which check gave which of them, by name."""
    flips: int
    """Variants whose repetitions did not agree about verdict and expected reason; a trial without a verdict agrees with any."""
    killed_by: tuple[str, ...]
    """Checks that failed in every trial."""
    variants: int
    """Distinct variants that were recorded."""
    hash_seeds: int
    """Distinct hash seeds of the variant that has fewest."""
    repetitions: int
    """Trials of the variant and hash seed that have fewest."""

    @property
    def holds(self) -> bool:
        """Whether every planned trial ended as expected."""
        return self.planned > 0 and self.as_expected == self.planned and self.flips == 0


@dataclass(frozen=True)
class Validity:
    """What the newest validity run of a task's current form shows."""

    state: Literal["valid", "invalid", "unproven"]
    run: RunFacts | None
    controls: tuple[ControlEvidence, ...]
    trials: int
    variants: int
    """Distinct variants that every control was tried on."""
    hash_seeds: int
    repetitions: int
    flips: int
    problems: tuple[str, ...]
    """What does not hold, as sentences."""


def validity_of(task: TaskFacts, facts: Facts) -> Validity:
    """Return the validity of a task; the newest run of its form speaks."""
    key = ("validity", task.id, task.digest)
    if key not in facts.memo:
        runs = validity_runs(task, facts.runs)
        facts.memo[key] = validity_in(task, runs[-1] if runs else None)
    found: Validity = facts.memo[key]
    return found


def validity_in(task: TaskFacts, run: RunFacts | None) -> Validity:
    """Return what one validity run shows about a task."""
    if run is None:
        return Validity("unproven", None, (), 0, 0, 0, 0, 0, ("No validity run exists for the task as it is now.",))
    pin = run.pins[task.id]
    cells = [cell for cell in run.manifest.cells if cell.task == task.id]
    trials = list(run.by_task.get(task.id, ()))
    controls = tuple(_control(control, cells, trials, pin) for control in task.controls)
    problems = [problem for evidence in controls for problem in _problems(evidence)]
    known = {control.name for control in task.controls}
    problems += [f"{name} is no control of this task." for name in sorted({cell.agent for cell in cells} - known)]
    problems += [
        f"{name} is not run as a control."
        for name, agent in sorted(run.agents.items())
        if name in known and not agent.kind.is_control
    ]
    if set(pin.checks) != set(task.checks):
        problems.append("The run judged by other hidden checks than the task has.")
    return Validity(
        state="invalid" if problems else "valid",
        run=run,
        controls=controls,
        trials=len(trials),
        variants=min((evidence.variants for evidence in controls), default=0),
        hash_seeds=min((evidence.hash_seeds for evidence in controls), default=0),
        repetitions=min((evidence.repetitions for evidence in controls), default=0),
        flips=sum(evidence.flips for evidence in controls),
        problems=tuple(problems),
    )


def validity_runs(task: TaskFacts, runs: Iterable[RunFacts]) -> tuple[RunFacts, ...]:
    """Return the validity runs of the task as it is now, in the order given."""
    return tuple(
        run
        for run in runs
        if run.manifest.kind is RunKind.VALIDITY and task.id in run.pins and run.pins[task.id].digest == task.digest
    )


def distinct_variants(task_id: str, run: RunFacts) -> int:
    """Return how many variants of a task a run has trials of, counting two with the same workspace and values once."""
    tried = {trial.key.variant for trial in run.by_task.get(task_id, ())}
    pin = run.pins.get(task_id)
    if pin is None:
        return 0
    return len({(item.workspace_digest, repr(sorted(item.parameters.items()))) for item in pin.variants if item.id in tried})


def as_expected(trial: Trial, control: Control, pin: TaskPin) -> bool:
    """Return whether a control ended as it must; everything that a pass rests on is looked at again."""
    outcome = trial.outcome
    if control.code is None:
        if outcome.verdict is not Verdict.PASSED or isinstance(outcome.checks, Absent) or isinstance(outcome.public, Absent):
            return False
        every_check = {check.check for check in outcome.checks if check.result == "passed"} >= set(pin.checks)
        public = outcome.public
        return every_check and not (public.failed or public.missing) and public.passed >= len(pin.public_tests)
    codes = {reason.code for reason in outcome.reasons}
    return (
        outcome.verdict is Verdict.FAILED
        and control.code in codes
        and not codes & _NO_EVIDENCE
        and outcome.mode is not Mode.DAMAGED
    )


def _control(control: Control, cells: list[Cell], trials: list[Trial], pin: TaskPin) -> ControlEvidence:
    planned = sum(cell.agent == control.name for cell in cells)
    own = [trial for trial in trials if trial.key.agent == control.name]
    by_variant: dict[str, list[Trial]] = {}
    for trial in own:
        by_variant.setdefault(trial.key.variant, []).append(trial)
    ends = [{_end(trial, control, pin) for trial in group if trial.outcome.scoreable} for group in by_variant.values()]
    seeds = [Counter(trial.hash_seed for trial in group if isinstance(trial.hash_seed, int)) for group in by_variant.values()]
    failed = [_failed_checks(trial) for trial in own]
    return ControlEvidence(
        control=control,
        planned=planned,
        as_expected=sum(as_expected(trial, control, pin) for trial in own),
        codes=tuple(sorted(Counter(reason.code for trial in own for reason in trial.outcome.reasons).items())),
        given_by=tuple(
            sorted(
                {
                    (check.reason.code, check.check)
                    for trial in own
                    if not isinstance(trial.outcome.checks, Absent)
                    for check in trial.outcome.checks
                    if check.reason is not None
                }
            )
        ),
        flips=sum(len(seen) > 1 for seen in ends),
        killed_by=tuple(sorted(frozenset.intersection(*failed))) if failed else (),
        variants=len(by_variant),
        hash_seeds=min((len(counted) for counted in seeds), default=0),
        repetitions=min((min(counted.values(), default=0) for counted in seeds), default=0),
    )


def _end(trial: Trial, control: Control, pin: TaskPin) -> tuple[str, bool]:
    """Return what repetitions must agree about; further reason codes may differ, since each has fresh hidden inputs."""
    return trial.outcome.verdict, as_expected(trial, control, pin)


def _failed_checks(trial: Trial) -> frozenset[str]:
    checks = trial.outcome.checks
    return frozenset() if isinstance(checks, Absent) else frozenset(check.check for check in checks if check.result == "failed")


def _problems(evidence: ControlEvidence) -> list[str]:
    control, found = evidence.control, list[str]()
    if evidence.planned == 0:
        return [f"{control.name} was not tried."]
    missing = evidence.planned - evidence.as_expected
    if missing:
        wanted = "pass" if control.code is None else f"fail with {control.code}"
        seen = ", ".join(_with_checks(code, evidence) for code, _ in evidence.codes) or "no reason code"
        found.append(f"{control.name} must {wanted} and did not in {missing} of {evidence.planned} trials ({seen}).")
    if evidence.flips:
        found.append(f"{control.name} ended differently in repetitions of {evidence.flips} of {evidence.variants} variants.")
    return found


def _with_checks(code: str, evidence: ControlEvidence) -> str:
    """Return a reason code with the checks that gave it."""
    checks = [check for given, check in evidence.given_by if given == code]
    return f"{code} by {' and '.join(checks)}" if checks else code
