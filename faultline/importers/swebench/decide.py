"""Which status rule an instance falls under: trajectory, report, log and lists joined, best evidence first."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from faultline.importers.rules import Rule, combined, rule_for, rules
from faultline.importers.swebench.summary import Summary, Verdict
from faultline.records import TestCounts

NOT_APPLIED = b">>>>> Patch Apply Failed"
"""What the harness writes into ``run_instance.log`` when no way of applying the patch worked."""
_LIMITS = {"LimitsExceeded", "TimeExceeded"}
_EXITS = {
    "exit_cost": "SW-25",
    "exit_context": "SW-25",
    "exit_total_execution_time": "SW-25",
    "exit_command_timeout": "SW-25",
    "exit_format": "SW-26",
    "exit_forfeit": "SW-26",
    "exit_command": "SW-26",
    "early_exit": "SW-26",
    "exit_api": "SW-27",
    "exit_environment_error": "SW-28",
    "exit_error": "SW-29",
}
"""The words of SWE-agent, which hands in what it has after most of them: ``submitted (exit_cost)``."""
_COUNTED_TESTS = ("FAIL_TO_PASS", "PASS_TO_PASS")


@dataclass(frozen=True)
class Report:
    """``report.json`` of one instance."""

    resolved: bool | None
    """``None`` for a file that is empty, cut short, or of another form."""
    infra: bool = False
    reason: str = ""
    tests: TestCounts | None = None


@dataclass(frozen=True)
class Evidence:
    """All that is known of one instance in one run."""

    patch: str | None
    """``""`` for an empty one, ``None`` when no prediction is at hand."""
    exit_status: str | None
    """``None`` when nothing tells how the agent ended."""
    report: Report | None
    not_applied: bool
    summary: Summary | None
    logged: bool
    """Whether the harness left a log of this instance."""
    evaluated: bool
    """Whether there is an evaluation of the run at all."""
    other_patch: bool = False
    """Whether the report belongs to another patch than the prediction."""


@dataclass(frozen=True)
class Decision:
    """The rule, the verdict that the log gives, and its words."""

    rule: Rule
    verdict: Verdict
    words: str


def read_report(value: Any, instance: str) -> Report:
    """Return a report as the harness reads it: without a verdict for this instance it is none."""
    own = value.get(instance) if isinstance(value, dict) else None
    if not isinstance(own, dict) or not isinstance(own.get("resolved"), bool):
        return Report(None)
    reason = own.get("infra_failure_reason")
    return Report(
        own["resolved"],
        own.get("infra_failure") is True,
        reason if isinstance(reason, str) else "",
        _tests(own.get("tests_status")),
    )


def decide(instance: str, found: Evidence) -> Decision:
    """Return what becomes of an instance."""
    lists = found.summary or Summary("", "")
    empty = instance in lists.empty or (found.patch == "" and instance not in lists.resolved | lists.unresolved)
    verdict = _verdict(instance, found, lists, empty=empty)
    words = [f"exit status {found.exit_status or 'empty'}"] if found.exit_status is not None else []
    if found.other_patch:
        return Decision(rules()["SW-12"], verdict, "; ".join([*words, "the report belongs to another patch"]))
    rule, word = _rule(instance, found, lists, verdict, empty=empty)
    return Decision(rule, verdict, "; ".join([*words, *([word] if word else [])]))


def _verdict(instance: str, found: Evidence, lists: Summary, *, empty: bool) -> Verdict:
    if found.report is not None and found.report.resolved is not None:
        return "passed" if found.report.resolved else "failed"
    if not found.evaluated:
        return None
    if empty or (found.not_applied and found.report is None):
        return "failed"
    # A report that cannot be read is an error, whatever a summary of another age made of it.
    return None if found.report is not None else lists.verdict(instance)


def _rule(instance: str, found: Evidence, lists: Summary, verdict: Verdict, *, empty: bool) -> tuple[Rule, str]:
    ended = _ended(found.exit_status, empty=empty, evaluated=found.evaluated)
    if ended is not None:
        return ended, "empty patch" if empty else ""
    if not found.evaluated:
        return rules()["SW-11"], "not evaluated"
    if empty:
        return rules()["SW-07"], "empty patch"
    reason = lists.reasons.get(instance, "") or (found.report.reason if found.report else "")
    if verdict != "passed":
        if instance in lists.infra or (found.report is not None and found.report.infra):
            return rules()["SW-03"], reason or "infra_failure"
        if instance in lists.ambiguous or (found.report is not None and found.report.reason):
            return rules()["SW-04"], reason or "ambiguous_failure"
        if found.report is None and (found.not_applied or instance in lists.not_applied):
            return rules()["SW-05"], "the patch did not apply"
    if verdict is None:
        known = found.logged or instance in lists.errors
        # A prediction that an evaluation of the run does not speak of was not part of it.
        return (rules()["SW-06"], "error") if known else (rules()["SW-11"], "not evaluated")
    return (rules()["SW-01"], "resolved") if verdict == "passed" else (rules()["SW-02"], "unresolved")


def _ended(status: str | None, *, empty: bool, evaluated: bool) -> Rule | None:
    """Return the rule that the agent's end decides; ``None`` where what it handed in decides."""
    if status is None:
        return None
    word = status.lower()
    handed_in = word.startswith("submitted")
    inner = word.removeprefix("submitted").strip(" ()") if handed_in else word
    if handed_in and not inner:
        return rules()["SW-20"] if not evaluated else None
    if status in _LIMITS:
        return rules()["SW-21"]
    if status == "RepeatedFormatError":
        return rules()["SW-22"]
    if inner in _EXITS:
        own = rules()[_EXITS[inner]]
        return combined("SW-08", own) if empty and own.scoreable == "no" else own
    if not status:
        # Cut off, and yet something was handed in and judged: then that decides.
        return rules()["SW-23"] if empty or not evaluated else None
    return combined("SW-08" if empty else "SW-24", rule_for("harbor", status, "HB-90"))


def _tests(value: Any) -> TestCounts | None:
    if not isinstance(value, dict):
        return None
    counts: dict[str, int] = {"passed": 0, "failed": 0, "other": 0}
    for name, lists in value.items():
        for key, word in (("success", "passed"), ("failure", "failed")):
            tests = lists.get(key) if isinstance(lists, Mapping) else None
            if isinstance(tests, list):
                counts[word if name in _COUNTED_TESTS else "other"] += len(tests)
    return TestCounts(**counts) if any(counts.values()) else None
