"""A foreign trial as a record: the rule's class, blame and scoreable; the verdict only where it may count."""

from dataclasses import dataclass, replace
from functools import lru_cache

from faultline.importers.interface import NO_TIME, ForeignAttempt, ForeignTrial
from faultline.importers.rules import Rule
from faultline.kinds import Mode, StatusClass, Verdict, safe_text
from faultline.records import (
    NATIVE_VARIANT,
    Absent,
    ArtifactRef,
    Attempt,
    Outcome,
    Source,
    Timing,
    Trial,
    TrialKey,
    not_applicable,
    unknown,
)
from faultline.redact import Redactor

_NOT_OURS = not_applicable("it was judged by another harness")
_NO_DIGEST = unknown("the log names no digest that was computed here")
_NOT_TOLD = unknown("the log does not say")
_NO_RECORD = unknown("the source holds no record of this trial")
_MODES = {StatusClass.INFRA: Mode.INFRASTRUCTURE, StatusClass.VERIFIER: Mode.VERIFIER_ERROR}
_MESSAGE = 2_000


def redacted(trial: ForeignTrial, index: int, redactor: Redactor) -> ForeignTrial:
    """Return a trial with its number, whose texts are harmless, cut and redacted."""

    def clean(text: str, limit: int) -> str:
        return redactor.text(safe_text(text, limit)) if text else ""

    return replace(
        trial,
        index=index,
        native_id=clean(trial.native_id, 300),
        native_status=clean(trial.native_status, 300),
        message=clean(trial.message, _MESSAGE - 100),
        extra={safe_text(key, 100): clean(value, 1_000) for key, value in sorted(trial.extra.items())},
        metrics={safe_text(key, 100): value for key, value in sorted(trial.metrics.items())},
    )


@dataclass(frozen=True)
class Origin:
    """What the trials of one imported run share."""

    run: str
    agent: str
    format: str
    order_known: bool


def trial_record(
    trial: ForeignTrial,
    artifacts: tuple[ArtifactRef, ...],
    origin: Origin,
    *,
    task: str,
    sha256: str,
    path: str,
    native_index: bool,
) -> Trial:
    """Return the record of a trial that was numbered and redacted."""
    assert trial.index is not None
    last = len(trial.attempts)
    return Trial(
        schema_name="faultline/trial/1",
        key=TrialKey(run=origin.run, task=task, variant=NATIVE_VARIANT, agent=origin.agent, trial=trial.index),
        index_origin="native" if native_index else "inferred",
        order_known=origin.order_known,
        task_digest=_NO_DIGEST,
        workspace_digest=_NO_DIGEST,
        hash_seed=_NOT_TOLD,
        sandbox=_NOT_TOLD,
        outcome=outcome(trial.rule, trial.verdict, trial.native_status),
        changes=_NOT_OURS,
        attempts=tuple(
            _attempt(number, attempt, artifacts if number == last else (), final=number == last, verdict=trial.verdict)
            for number, attempt in enumerate(trial.attempts, start=1)
        ),
        attempts_complete=trial.attempts_complete,
        source=Source(
            format=origin.format,
            path=path,
            sha256=sha256,
            member=safe_text(trial.place.member, 300),
            row=trial.place.row,
            native_id=trial.native_id,
            native_status=trial.native_status,
            native_message=trial.message,
            native_verdict=trial.verdict,
            score=trial.score,
            metrics=dict(trial.metrics),
            tests=trial.tests,
            extra=dict(trial.extra),
        ),
    )


@lru_cache(maxsize=1024)
def outcome(rule: Rule, verdict: str | None, native_status: str) -> Outcome:
    """Return what a rule makes of a verdict: a verdict of a trial that is not scoreable is kept in the source only."""
    scoreable = rule.scoreable != "no" and verdict is not None
    mode = _MODES.get(rule.status, Mode.UNKNOWN)
    if rule.status is StatusClass.LIMIT and not (scoreable and verdict == "passed"):
        mode = Mode.LIMIT_REACHED
    elif scoreable:
        mode = Mode.SCORED
    return Outcome(
        verdict=Verdict(verdict) if scoreable and verdict is not None else Verdict.NONE,
        status=rule.status,
        blame=rule.blame,
        scoreable=scoreable,
        rule=rule.id,
        mode=mode,
        checks=_NOT_OURS,
        public=_NOT_OURS,
        note="" if rule.status is StatusClass.COMPLETED else native_status,
    )


def missing_trial(origin: Origin, task: str, index: int, rule: Rule) -> Trial:
    """Return the record of a planned trial of which the source holds none."""
    return Trial(
        schema_name="faultline/trial/1",
        key=TrialKey(run=origin.run, task=task, variant=NATIVE_VARIANT, agent=origin.agent, trial=index),
        index_origin="inferred",
        order_known=False,
        task_digest=_NO_RECORD,
        workspace_digest=_NO_RECORD,
        hash_seed=_NO_RECORD,
        sandbox=_NO_RECORD,
        outcome=outcome(rule, None, ""),
        changes=_NO_RECORD,
        attempts=(_attempt(1, ForeignAttempt(usage=_NO_RECORD, cost=_NO_RECORD), (), final=True, verdict=None),),
        attempts_complete=False,
    )


def _attempt(
    number: int, attempt: ForeignAttempt, artifacts: tuple[ArtifactRef, ...], *, final: bool, verdict: str | None
) -> Attempt:
    return Attempt(
        number=number,
        started_at=attempt.started_at or NO_TIME,
        ended_at=attempt.ended_at or NO_TIME,
        end=("judged" if verdict is not None else "unknown") if final else "superseded",
        observed=safe_text(attempt.observed, 500),
        timing=_timing(attempt.setup_seconds, attempt.agent_seconds, attempt.grading_seconds),
        usage=attempt.usage,
        cost=attempt.cost,
        candidate=_NOT_OURS,
        artifacts=artifacts,
    )


@lru_cache(maxsize=64)
def _timing(setup: float | None, agent: float | None, grading: float | None) -> Timing:
    return Timing(setup=_seconds(setup), agent=_seconds(agent), grading=_seconds(grading))


def _seconds(value: float | None) -> float | Absent:
    return NO_TIME if value is None else float(value)
