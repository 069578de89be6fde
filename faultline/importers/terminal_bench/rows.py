"""One result of Terminal-Bench as a trial: status rules TB-01 to TB-12, zeros as unknown, the number from the trial's name."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from faultline.errors import BadInputError
from faultline.importers.interface import ForeignAttempt, ForeignTrial, Place
from faultline.importers.numbers import count, usage
from faultline.importers.rules import Rule, combined, rules
from faultline.importers.times import iso_time, seconds_between
from faultline.kinds import safe_text
from faultline.records import TestCounts

_WITH_VERDICT = {
    "agent_timeout": "TB-03",
    "context_length_exceeded": "TB-08",
    "output_length_exceeded": "TB-09",
    "fatal_llm_parse_error": "TB-10",
}
_ALWAYS = {
    "parse_error": "TB-04",
    "test_timeout": "TB-05",
    "unknown_agent_error": "TB-06",
    "agent_installation_failed": "TB-07",
    "unknown": "TB-11",
}
_ORDINARY = ("", "unset", "none")
_NUMBER = re.compile(r"([0-9]{1,6})-of-([0-9]{1,6})(?:\.(.*))?", re.DOTALL)
_NAME = re.compile(r"(.+)\.([0-9]{1,6})-of-([0-9]{1,6})(?:\.(.*))?", re.DOTALL)
_TIMES = ("trial_started_at", "trial_ended_at", "agent_started_at", "agent_ended_at", "test_started_at", "test_ended_at")
_HOMES = {
    *("id", "uuid", "trial_name", "task_id", "is_resolved", "failure_mode", "parser_results"),
    *("total_input_tokens", "total_output_tokens", *_TIMES),
}
TIMEOUT_SHARE = 0.9
"""An agent that stopped before this share of the configured limit met another limit than that one."""


@dataclass
class Seen:
    """What the rows of a run show beside the trials."""

    homeless: Counter[str] = field(default_factory=Counter)
    modes: set[str] = field(default_factory=set)
    """Failure modes that no rule knows."""
    early: int = 0
    """Time-outs long before the configured limit."""
    contradicted: int = 0
    """Resolved although a test failed."""
    typed: Counter[str] = field(default_factory=Counter)
    """Values of another type than the format has, taken as unknown."""
    planned: int = 0
    """The largest number of attempts that a trial's name tells."""


def trial_of(row: Mapping[str, Any], place: Place, run: str, limit: float | None, seen: Seen) -> ForeignTrial:
    """Return one row as a trial; ``run`` stands in for ids that are missing, ``limit`` is the configured agent time in seconds.

    Raises ``BadInputError`` when the row names no task, or verdict or failure mode are of another type.
    """
    name = str(row["trial_name"]) if isinstance(row.get("trial_name"), str) else ""
    task, index, planned = named(name, row.get("task_id"))
    if not task:
        raise BadInputError(str(place), "this result names no task", expected="task_id, or a trial_name that begins with it")
    seen.planned = max(seen.planned, planned)
    seen.homeless.update(key for key, value in row.items() if key not in _HOMES and value is not None)
    resolved, mode = row.get("is_resolved"), row.get("failure_mode")
    if resolved is not None and not isinstance(resolved, bool):
        raise BadInputError(
            f"{place}: is_resolved", "not a verdict", expected="true, false or null", found=safe_text(repr(resolved), 80)
        )
    if mode is not None and not isinstance(mode, str):
        raise BadInputError(f"{place}: failure_mode", "not a word", found=safe_text(repr(mode), 80))
    verdict: Literal["passed", "failed"] | None = None if resolved is None else ("passed" if resolved else "failed")
    attempt = _attempt(row, seen)
    extra = {}
    short = attempt.agent_seconds is not None and limit is not None and attempt.agent_seconds < TIMEOUT_SHARE * limit
    if mode == "agent_timeout" and short:
        seen.early += 1
        extra["time-out"] = f"after {attempt.agent_seconds:.0f} s of {limit:.0f} s: another limit than the configured one"
    tests = _tests(row.get("parser_results"), seen)
    if resolved and tests is not None and tests.failed:
        seen.contradicted += 1
    return ForeignTrial(
        native_id=native_id(row, run, name, place),
        task=task,
        place=place,
        rule=_rule(mode or "", resolved, seen),
        verdict=verdict,
        index=index,
        native_status=mode or "",
        tests=tests,
        attempts=(attempt,),
        extra=extra,
    )


def native_id(row: Mapping[str, Any], run: str, name: str, place: Place) -> str:
    """Return what makes a result itself: ``id``, up to 0.2.7 ``uuid``, else its name within the run."""
    for key in ("id", "uuid"):
        if isinstance(row.get(key), str) and row[key]:
            return str(row[key])
    if not name:
        raise BadInputError(str(place), "this result has neither an id nor a trial name")
    return f"{run}/{name}"


def named(name: str, task: object) -> tuple[str, int | None, int]:
    """Return task, trial number from 0 and attempts as a trial's name tells them: ``task.i-of-n[.run]``.

    Task ids hold dots, so that the name is read from the right unless the task is known. With one attempt there is no number.
    """
    known = task if isinstance(task, str) else ""
    found = None
    if known and name.startswith(known + "."):
        found = _NUMBER.fullmatch(name, len(known) + 1)
    elif match := _NAME.fullmatch(name):
        known = known or match[1]
        found = _NUMBER.fullmatch(name, match.end(1) + 1)
    if found is None:
        return known, None, 0
    at, of = int(found[1]), int(found[2])
    return known, at - 1 if 1 <= at <= of and of > 1 else None, of if at <= of else 0


def run_in_name(name: object) -> str:
    """Return the run id at the end of a trial's name; empty up to 0.2.7."""
    match = _NAME.fullmatch(name) if isinstance(name, str) else None
    return (match[4] or "") if match else ""


def _rule(mode: str, resolved: object, seen: Seen) -> Rule:
    if mode in _ORDINARY:
        return rules()["TB-02" if resolved is None else "TB-01"]
    if mode in _WITH_VERDICT:
        own = rules()[_WITH_VERDICT[mode]]
        return combined("TB-12", own) if resolved is None else own
    if mode not in _ALWAYS:
        seen.modes.add(mode)
    return rules()[_ALWAYS.get(mode, "TB-11")]


def _attempt(row: Mapping[str, Any], seen: Seen) -> ForeignAttempt:
    at: dict[str, datetime | None] = {}
    for key in _TIMES:
        at[key] = iso_time(row.get(key))
        if at[key] is None and row.get(key) not in (None, ""):
            seen.typed[key] += 1
    return ForeignAttempt(
        started_at=at["trial_started_at"],
        ended_at=at["trial_ended_at"],
        setup_seconds=seconds_between(at["trial_started_at"], at["agent_started_at"]),
        agent_seconds=seconds_between(at["agent_started_at"], at["agent_ended_at"]),
        grading_seconds=seconds_between(at["test_started_at"], at["test_ended_at"]),
        usage=usage(
            uncached_input=_tokens(row, "total_input_tokens", seen),
            output=_tokens(row, "total_output_tokens", seen),
            why="the log says 0 or null, which both stand for unknown there",
        ),
    )


def _tokens(row: Mapping[str, Any], key: str, seen: Seen) -> int | None:
    value = row.get(key)
    found = count(value)
    if found is None and value is not None:
        seen.typed[key] += 1
    return found or None


def _tests(value: object, seen: Seen) -> TestCounts | None:
    if not isinstance(value, dict) or not value:
        if value not in (None, {}):
            seen.typed["parser_results"] += 1
        return None
    passed = sum(word == "passed" for word in value.values())
    failed = sum(word == "failed" for word in value.values())
    return TestCounts(passed=passed, failed=failed, other=len(value) - passed - failed)
