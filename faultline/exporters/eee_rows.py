"""The rows of an Every Eval Ever export: one for each attempt, what is unknown left out or told in words, never zero."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from faultline.archive import SealedRun
from faultline.kinds import Blame, Verdict, safe_text
from faultline.records import Absent, Attempt, Cost, Trial, Usage
from faultline.records.imported import NATIVE_VARIANT
from faultline.tasks import Task, materialise

ATTRIBUTION = {
    Blame.AGENT: "agent",
    Blame.HARNESS: "benchmark",
    Blame.VERIFIER: "benchmark",
    Blame.TASK: "benchmark",
    Blame.ENVIRONMENT: "external",
    Blame.PROVIDER: "external",
    Blame.USER: "external",
    Blame.UNKNOWN: "unknown",
}
"""Blame in the four words of the format; every word of ours has one."""


def variants_of(tasks: Sequence[Task], run: SealedRun) -> Mapping[tuple[str, str], str]:
    """Return the issue of every variant of a run, by task and variant.

    A task whose present form is not the one that the run used no longer tells what the agent was asked; then the text says so.
    """
    known = {task.id: task for task in tasks}
    found = {}
    for pin in run.manifest.tasks:
        task = known.get(pin.id)
        for variant in pin.variants:
            if task is not None and task.digest == pin.digest:
                found[pin.id, variant.id] = safe_text(materialise(task, variant.seed).issue, 100_000)
            else:
                found[pin.id, variant.id] = f"[not known: the task {pin.id} no longer has the form {pin.digest}]"
    for foreign in run.manifest.foreign_tasks:
        found[foreign.id, NATIVE_VARIANT] = f"[not known: the task {foreign.name} is another harness's]"
    return found


def row_of(trial: Trial, attempt: Attempt, issue: str) -> dict[str, Any]:
    """Return an attempt as a row, without the fields that link it to its aggregate; hidden checks are no reference answers."""
    counts = attempt is trial.last
    correct = counts and trial.outcome.verdict is Verdict.PASSED
    row: dict[str, Any] = {
        "sample_id": f"{trial.key.task}/{trial.key.variant}",
        "sample_hash": hashlib.sha256(issue.encode()).hexdigest(),
        "interaction_type": "agentic",
        "input": {"raw": issue, "reference": []},
        "messages": [],
        "answer_attribution": _answer(attempt),
        "evaluation": {"score": 1.0 if correct else 0.0, "is_correct": correct},
        "metadata": _metadata(trial, attempt, counts=counts),
    }
    usage = _tokens(attempt)
    if usage:
        row["token_usage"] = usage
    if not isinstance(attempt.timing.agent, Absent):
        row["performance"] = {"latency_ms": round(1_000 * attempt.timing.agent, 3)}
    error = _error(trial, attempt, counts=counts)
    if error:
        row["error"] = error
    return row


def _answer(attempt: Attempt) -> list[dict[str, Any]]:
    """Return what was judged: a tree of files, known by its digest."""
    if isinstance(attempt.candidate, Absent):
        return []
    return [
        {
            "turn_idx": 0,
            "source": "workspace",
            "extracted_value": attempt.candidate,
            "extraction_method": "frozen tree of editable files",
            "is_terminal": True,
        }
    ]


def _error(trial: Trial, attempt: Attempt, *, counts: bool) -> str:
    """Return why a row has no usable verdict; empty when it has one."""
    if not counts:
        return safe_text(f"attempt {attempt.number} does not count: {attempt.end} {attempt.observed}".strip())
    outcome = trial.outcome
    if outcome.scoreable:
        return ""
    return safe_text(f"no usable verdict ({outcome.status.value}, {outcome.blame.value}): {outcome.note}".removesuffix(": "))


def _metadata(trial: Trial, attempt: Attempt, *, counts: bool) -> dict[str, str]:
    outcome, cost = trial.outcome, attempt.cost
    found = {
        "trial": str(trial.key.trial),
        "trial_origin": trial.index_origin,
        "attempt": str(attempt.number),
        "counts": "true" if counts else "false",
        "status": outcome.status.value if counts else attempt.end,
        "verdict": outcome.verdict.value if counts else "none",
        "scoreable": "true" if counts and outcome.scoreable else "false",
        "mode": outcome.mode.value if counts else "unknown",
        "rule": outcome.rule,
        "task_digest": trial.task_digest if isinstance(trial.task_digest, str) else f"unknown: {trial.task_digest.reason}",
        "record_digest": trial.content_digest(),
    }
    if trial.source is not None:
        found |= {"native_id": trial.source.native_id, "native_status": trial.source.native_status}
        if trial.source.score is not None:
            found["native_score"] = repr(trial.source.score)
    if counts and outcome.reasons:
        found["reason_codes"] = " ".join(reason.code for reason in outcome.reasons)
    if not counts or not outcome.scoreable:
        found["error_attribution"] = ATTRIBUTION[outcome.blame] if counts else "unknown"
    if isinstance(cost, Cost):
        found |= {"cost_usd": str(cost.usd), "cost_source": cost.source, "cost_complete": "true" if cost.complete else "false"}
    else:
        found["cost_usd_absent"] = f"{cost.absence.value}: {cost.reason}"
    if isinstance(attempt.usage, Absent):
        found["token_usage_absent"] = f"{attempt.usage.absence.value}: {attempt.usage.reason}"
    elif not _tokens(attempt):
        known = attempt.usage.model_dump(include={"uncached_input", "cache_read", "cache_write", "output", "reasoning"})
        found["token_usage_absent"] = "unknown: not every part of the triple is known"  # noqa: S105  (a sentence)
        found |= {f"tokens_{name}": str(value) for name, value in known.items() if isinstance(value, int)}
    return found


def _tokens(attempt: Attempt) -> dict[str, int]:
    """Return the counts that the format takes, or nothing: input with cache, output and their sum are all or nothing."""
    usage = attempt.usage
    if not isinstance(usage, Usage):
        return {}
    fresh, read, written, output = usage.uncached_input, usage.cache_read, usage.cache_write, usage.output
    if any(isinstance(value, Absent) for value in (fresh, read, written, output)):
        return {}
    assert not isinstance(fresh, Absent)
    assert not isinstance(read, Absent)
    assert not isinstance(written, Absent)
    assert not isinstance(output, Absent)
    total = fresh + read + written
    found = {
        "input_tokens": total,
        "output_tokens": output,
        "total_tokens": total + output,
        "input_tokens_cache_read": read,
        "input_tokens_cache_write": written,
    }
    return found if isinstance(usage.reasoning, Absent) else found | {"reasoning_tokens": usage.reasoning}
