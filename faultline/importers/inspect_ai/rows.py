"""A row of a log as a trial: which status rule holds, the verdict, what was used, and the attempts before it.

Precedence of the rules: invalidation, error, limit, reason of the score, no score, score.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from faultline.importers.inspect_ai.sample import Sample
from faultline.importers.inspect_ai.scores import Choice, as_float, metrics, unscored
from faultline.importers.inspect_ai.tokens import Subject, spent
from faultline.importers.interface import NO_USAGE, ForeignAttempt, ForeignTrial
from faultline.importers.rules import Rule, rule_for, rules
from faultline.importers.times import iso_time

_CANCELLED = "CancelledError"
_CLOCK = 0.0015
"""Seconds by which two rounded times may differ."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What a row says about itself."""

    rule: Rule
    verdict: Literal["passed", "failed"] | None
    status: str
    message: str = ""


def judged(sample: Sample, choice: Choice) -> Judged:
    """Return the rule that holds for a row, and the verdict that the log gives, whether or not the rule lets it count."""
    value = choice.value(sample)
    verdict = choice.verdict(value)
    score = choice.score(sample)
    reason = score.reason if score else ""
    if sample.invalidation is not None:
        who = sample.invalidation
        said = f"invalidated by {who.author or 'somebody'}: {who.reason or 'no reason given'}"
        return Judged(rules()["IN-30"], verdict, "invalidated", said)
    if sample.error is not None:
        if sample.error.startswith(_CANCELLED):
            return Judged(rules()["IN-02"], None, "cancelled", sample.error)
        # A scorer that ran on what an error left has measured the error.
        return Judged(rules()["IN-03" if sample.scores else "IN-01"], None, "error", sample.error)
    if sample.limit:
        rule = rule_for("inspect", sample.limit, "IN-18") if sample.limit in _LIMITS else rules()["IN-18"]
        return Judged(
            rule, verdict, f"limit: {sample.limit}", sample.limit_reason or (f"reason of the score: {reason}" if reason else "")
        )
    if score is None:
        return Judged(rules()["IN-26"], None, "no score")
    if reason in _REASONS:
        return Judged(rule_for("inspect", reason, "IN-40"), verdict, f"reason: {reason}")
    if unscored(value):
        return Judged(rules()["IN-25"], None, "not scored", reason)
    return Judged(rules()["IN-40"], verdict, "scored", f"reason of the score: {reason}" if reason else "")


_LIMITS = {"context", "time", "working", "message", "token", "turn", "cost", "operator", "custom"}
_REASONS = {"grader_failed", "scoring_failed", "refusal", "no_response", "invalid_response_format"}


@dataclass(frozen=True, slots=True)
class Reader:
    """What the rows of one run are read with."""

    choice: Choice
    subject: Subject
    version: tuple[int, ...] | None
    names: Callable[[Sample], str]
    """The name of a row's task."""
    native_id: Callable[[Sample], str]

    def attempt(self, sample: Sample, observed: str = "") -> tuple[ForeignAttempt, str]:
        """Return what one execution took and cost, and in words what models without a role used beside it."""
        used, cost, others = spent(sample, self.subject, self.version)
        made = ForeignAttempt(
            started_at=iso_time(sample.started),
            ended_at=iso_time(sample.ended),
            agent_seconds=None if strange_clock(sample) else sample.working_seconds,
            usage=used,
            cost=cost,
            observed=observed,
        )
        return made, others

    def trial(self, sample: Sample, earlier: Sequence[Sample], trajectory: Callable[[], bytes | None] | None) -> ForeignTrial:
        """Return a row as a trial, with the rows before it and the errors that it names itself as earlier attempts."""
        found = judged(sample, self.choice)
        value = self.choice.value(sample)
        score = as_float(value)
        extra = {"epoch": str(sample.epoch)}
        if isinstance(value, str):
            extra["score value"] = value
        if sample.limit and (given := self.choice.score(sample)) and given.reason:
            extra["score reason"] = given.reason
        if (given := self.choice.score(sample)) and given.changed:
            extra["score changed"] = given.changed
        if sample.invalidation and sample.invalidation.at:
            extra["invalidated at"] = sample.invalidation.at
        if strange_clock(sample):
            extra["working time"] = f"{sample.working_seconds:g} s, more than the total of {sample.total_seconds:g} s"
        last, others = self.attempt(sample)
        if others:
            extra["other models"] = others
        return ForeignTrial(
            native_id=self.native_id(sample),
            task=self.names(sample),
            place=sample.place,
            rule=found.rule,
            verdict=found.verdict,
            index=sample.epoch - 1,
            native_status=found.status,
            message=found.message,
            score=score,
            metrics=dict(metrics(sample)),
            attempts=(*self._earlier(sample, earlier), last),
            trajectory=trajectory,
            extra=extra,
        )

    def _earlier(self, sample: Sample, earlier: Sequence[Sample]) -> list[ForeignAttempt]:
        """Return earlier attempts: rows of them, and errors named by the sample of which no row is left."""
        done = [self.attempt(row, _why(row, self.choice))[0] for row in earlier]
        told = [row.error for row in earlier if row.error is not None]
        for message in sample.retries:
            if message in told:
                told.remove(message)
            else:
                done.append(ForeignAttempt(usage=NO_USAGE, observed=message or "an error without a message"))
        return done


def strange_clock(sample: Sample) -> bool:
    """Return whether a sample worked longer than it took: then it was replayed from a cache, and neither time is a duration."""
    working, total = sample.working_seconds, sample.total_seconds
    return working is not None and total is not None and working > total + _CLOCK


def _why(sample: Sample, choice: Choice) -> str:
    found = judged(sample, choice)
    return f"{found.rule.id} {found.status}" + (f": {found.message}" if found.message else "")
