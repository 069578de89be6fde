"""A sealed run as its page shows it: plan, provenance, diagnostic counts, what it used. No rate and no rank."""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Literal

from faultline.card.build_reviews import review_card
from faultline.card.build_spend import spend_of, unknowns_of
from faultline.card.build_trials import costs_of, total, trial_row, usage_of_trial
from faultline.card.model import (
    AuthorityCounts,
    ControlSummary,
    Distribution,
    OutcomeCounts,
    PublishedCheck,
    RunCard,
    RunCosts,
    RunFile,
)
from faultline.card.noise import noise_of
from faultline.gates import Facts, RunFacts, validity_in
from faultline.gates.instrument import diagnose
from faultline.kinds import Absence, Fold, Mode, PublicTouch, RunKind, StatusClass
from faultline.records import Absent, Imported, PublishedNumber, Trial, not_applicable, unknown
from faultline.statistics import describe

WITHHELD_NUMBER = Absent(absence=Absence.WITHHELD, reason="a rate of an agent stands nowhere until every gate holds")
ROUNDING = 0.0005 + 1e-9
"""Published numbers are rounded to three digits at best."""


def run_card(run: RunFacts, facts: Facts, *, opened: bool = False) -> RunCard:
    """Return the card of a run; ``opened`` says that every gate holds, so that rates of agents may stand on it."""
    manifest = run.manifest
    current = {task.id: task.digest for task in facts.tasks}
    order = {key: place for place, key in enumerate(run.cells)}
    planned = {_key(trial): trial for trial in run.trials if _key(trial) in order}
    trials = tuple(planned[key] for key in sorted(planned, key=order.__getitem__))
    return RunCard(
        run=run.name,
        kind=manifest.kind,
        controls_only=all(agent.kind.is_control for agent in manifest.agents),
        planned_at=manifest.planned_at,
        sealed_at=run.seal.sealed_at,
        agents=manifest.agents,
        tasks=tuple(task.id for task in manifest.tasks or manifest.foreign_tasks),
        variants=tuple(sorted({cell.variant for cell in manifest.cells})),
        trials_per_cell=manifest.trials,
        retry=manifest.retry,
        estimand=manifest.estimand,
        estimates=manifest.estimates,
        sandbox=manifest.sandbox,
        external=manifest.external,
        provenance=manifest.provenance,
        synthetic=manifest.synthetic,
        counts=counts_of(trials, len(manifest.cells), controls=all(agent.kind.is_control for agent in manifest.agents)),
        conflicts=run.conflicts,
        unknowns=unknowns_of(run, trials),
        settlements=run.settlements,
        costs=costs_of_run(run, trials),
        spend=spend_of(run, trials),
        review_hours=unknown("reviews do not say how long they took"),
        repair_hours=unknown("nobody recorded hours of repair"),
        trials=tuple(trial_row(trial, run) for trial in trials),
        validity=tuple(_controls(run, facts)) if manifest.kind is RunKind.VALIDITY else (),
        diagnostics=diagnose(run, facts),
        review=review_card(run, facts),
        noise=() if manifest.kind is RunKind.VALIDITY else noise_of([run]),
        seal_digest=run.seal_digest,
        files=tuple(RunFile(path=path, digest=digest) for path, digest in sorted(run.seal.files.items())),
        imported=_imported(run),
        published=_published(run, opened=opened),
        stale_tasks=tuple(pin.id for pin in manifest.tasks if current.get(pin.id) != pin.digest),
    )


def _imported(run: RunFacts) -> Imported | None:
    """Return what the log said, but for the rates it published, which stand apart and may be withheld."""
    imported = run.manifest.imported
    if imported is None:
        return None
    return imported.model_copy(update={"report": imported.report.model_copy(update={"headlines": ()})})


def _published(run: RunFacts, *, opened: bool) -> tuple[PublishedCheck, ...]:
    if run.manifest.imported is None:
        return ()
    shown = opened or not run.makes_claims
    return tuple(
        PublishedCheck(
            name=item.name,
            agreement=_agreement(item),
            published=item.published if shown else WITHHELD_NUMBER,
            recomputed=item.recomputed if shown else WITHHELD_NUMBER,
            note=item.note,
        )
        for item in run.manifest.imported.report.headlines
    )


def _agreement(item: PublishedNumber) -> Literal["agrees", "differs", "cannot be compared"]:
    if isinstance(item.published, Absent) or isinstance(item.recomputed, Absent):
        return "cannot be compared"
    return "agrees" if abs(item.published - item.recomputed) < ROUNDING else "differs"


def counts_of(trials: Sequence[Trial], planned: int, *, controls: bool = False) -> OutcomeCounts:
    """Count how planned cells ended; a cell without a record has no verdict and is unknown."""
    missing = planned - len(trials)
    folds = Counter[Fold](trial.outcome.fold for trial in trials)
    modes = Counter[Mode](trial.outcome.mode for trial in trials)
    statuses = Counter[StatusClass](trial.outcome.status for trial in trials)
    if missing > 0:
        folds[Fold.INVALID_INFRA] += missing
        modes[Mode.UNKNOWN] += missing
        statuses[StatusClass.UNKNOWN] += missing
    return OutcomeCounts(
        planned=planned,
        folds={fold: folds[fold] for fold in Fold},
        modes={mode: modes[mode] for mode in Mode if modes[mode]},
        statuses={status: statuses[status] for status in StatusClass if statuses[status]},
        authority=None if controls else authority_of(trials),
    )


def authority_of(trials: Sequence[Trial]) -> AuthorityCounts | None:
    """Count in how many trials public tests were touched; nothing when no record tells."""
    seen = [(trial.outcome.evidence, trial.outcome.fold) for trial in trials if trial.outcome.evidence is not None]
    if not seen:
        return None
    words = Counter(how for evidence, _ in seen for how in {change.how for change in evidence.tests})
    return AuthorityCounts(
        observed=len(seen),
        touched={how: words[how] for how in PublicTouch},
        configuration=sum(bool(evidence.configuration) for evidence, _ in seen),
        tampered=sum(evidence.tampered for evidence, _ in seen),
        tampered_and_passed=sum(evidence.tampered and fold is Fold.PASSED for evidence, fold in seen),
    )


def costs_of_run(run: RunFacts, trials: Sequence[Trial]) -> RunCosts:
    """Sum what a run used; unknown is counted apart, and what does not apply apart from that."""
    controls = {name for name, agent in run.agents.items() if agent.kind.is_control}
    costs = [cost for trial in trials for cost in costs_of(trial, control=trial.key.agent in controls)]
    known = [cost for cost in costs if not isinstance(cost, Absent)]
    unknowns = sum(isinstance(cost, Absent) and cost.absence is Absence.UNKNOWN for cost in costs)
    usages = [usage_of_trial(trial, control=trial.key.agent in controls) for trial in trials]
    outputs = [usage if isinstance(usage, Absent) else usage.output for usage in usages]
    attempts = sum(len(trial.attempts) for trial in trials)
    return RunCosts(
        usd=sum(known, Decimal(0)) if known else _nothing_known(unknowns, "cost"),
        usd_known=len(known),
        usd_unknown=unknowns,
        usd_not_applicable=len(costs) - len(known) - unknowns,
        agent_seconds=_distribution([trial.last.timing.agent for trial in trials]),
        grading_seconds=_distribution([trial.last.timing.grading for trial in trials]),
        output_tokens=total(outputs, sum),
        attempts=attempts,
        extra_attempts=attempts - len(trials),
    )


def _distribution(values: Sequence[float | Absent]) -> Distribution | Absent:
    """Return five numbers of the known values; what cannot exist is left out, what is unknown is counted."""
    asked = [
        None if isinstance(value, Absent) else value
        for value in values
        if not isinstance(value, Absent) or value.absence is Absence.UNKNOWN
    ]
    found = describe(asked)
    if found.minimum is None or found.median is None or found.p90 is None or found.maximum is None or found.total is None:
        return _nothing_known(found.unknown, "time")
    return Distribution(
        known=found.known,
        unknown=found.unknown,
        minimum=found.minimum,
        median=found.median,
        p90=found.p90,
        maximum=found.maximum,
        total=found.total,
    )


def _nothing_known(unknowns: int, what: str) -> Absent:
    return unknown(f"no attempt recorded its {what}") if unknowns else not_applicable(f"no attempt has a {what}")


def _controls(run: RunFacts, facts: Facts) -> list[ControlSummary]:
    """Return the controls folded by task, for the tasks that are still as the run used them."""
    found = []
    for task in facts.tasks:
        pin = run.pins.get(task.id)
        if pin is not None and pin.digest == task.digest:
            validity = validity_in(task, run)
            found.append(
                ControlSummary(
                    task=task.id,
                    planned=sum(item.planned for item in validity.controls),
                    as_expected=sum(item.as_expected for item in validity.controls),
                    flips=validity.flips,
                    holds=validity.state == "valid",
                    grading_seconds=_distribution(
                        [trial.last.timing.grading for trial in run.trials if trial.key.task == task.id]
                    ),
                )
            )
    return found


def _key(trial: Trial) -> tuple[str, str, str, int]:
    return trial.key.task, trial.key.variant, trial.key.agent, trial.key.trial
