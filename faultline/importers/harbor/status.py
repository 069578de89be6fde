"""How a trial ended: the exception that decides, through the status rules, and the reward that is the verdict."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from faultline.importers.harbor.fields import Document, at, optional_rows, optional_table, required_text, text, wrong
from faultline.importers.numbers import number
from faultline.importers.rules import Rule, rule_for, rules

UNKNOWN_NAME = "HB-90"
"""The rule for an exception that Harbor's own table does not name."""
_FIELD = "exception_info.exception_type"
_STRICTEST = {"no": 0, "if_reward": 1, "yes": 2}
_MAIN = "reward"


@dataclass(frozen=True)
class Failure:
    """One exception that a trial recorded."""

    step: str
    """Empty for the trial itself."""
    name: str
    message: str
    rule: Rule

    def __str__(self) -> str:
        """Return the exception as a native status."""
        return f"{self.step}: {self.name}" if self.step else self.name


@dataclass(frozen=True)
class Ending:
    """What decides class, blame and scoreable."""

    rule: Rule
    decisive: Failure | None
    """``None`` when nothing was raised."""
    others: tuple[Failure, ...]
    """Exceptions that were recorded besides."""


@dataclass(frozen=True)
class Judged:
    """What the rewards say."""

    name: str = ""
    """Which reward decides; empty when none does."""
    score: float | None = None
    verdict: Literal["passed", "failed"] | None = None
    why_none: str = ""
    """Why rewards that are there give no verdict."""


def rewards_of(result: Document, place: str) -> dict[str, float] | None:
    """Return a trial's rewards; ``None`` when there are none, NaN where a value is no finite number.

    Raises ``BadInputError`` when what is there is no table of numbers.
    """
    verifier = optional_table(result, "verifier_result", place)
    found = None if verifier is None else optional_table(verifier, "rewards", place, "verifier_result.")
    if not found:
        return None
    values = {}
    for name, value in found.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong(place, f"verifier_result.rewards.{name}", "a number", value)
        finite = number(value)
        values[name] = float("nan") if finite is None else finite
    return values


def ending(result: Document, rewards: Mapping[str, float] | None, place: str) -> Ending:
    """Return the rule for a trial: that of its strictest exception, on the trial or on a step; without one, of its reward.

    Harbor has one slot for an exception, and a trial of several steps keeps its failures on the steps (rule HB-93).
    """
    failures = []
    info = optional_table(result, "exception_info", place)
    if info is not None:
        failures.append(_failure(info, "", place, "exception_info."))
    for position, step in enumerate(optional_rows(result, "step_results", place)):
        inside = f"step_results[{position}]."
        info = optional_table(step, "exception_info", place, inside)
        if info is not None:
            failures.append(_failure(info, text(step.get("step_name")) or "a step", place, f"{inside}exception_info."))
    if not failures:
        return Ending(rules()["HB-91" if rewards else "HB-92"], None, ())
    decisive = min(failures, key=lambda failure: _STRICTEST[failure.rule.scoreable])
    return Ending(decisive.rule, decisive, tuple(failure for failure in failures if failure is not decisive))


def _failure(info: Document, step: str, place: str, inside: str) -> Failure:
    name = required_text(info, "exception_type", place, inside)
    found = rule_for("harbor", name, UNKNOWN_NAME)
    # An exception may be called anything, also what another field's rule is written with.
    if found.field != _FIELD or found.value != name:
        found = rules()[UNKNOWN_NAME]
    if step:
        found = replace(found, id=f"HB-93 {found.id}")
    return Failure(step, name, text(info.get("exception_message")), found)


def judged(rewards: Mapping[str, float] | None, chosen: str, maximum: float) -> Judged:
    """Return the verdict: of the reward called ``reward``, else of the only one, else of the one that was chosen.

    It passed when it equals its maximum; a fraction failed, and keeps its score. Rewards are never averaged.
    """
    if not rewards:
        return Judged()
    if _MAIN in rewards:
        name = _MAIN
    elif len(rewards) == 1:
        name = next(iter(rewards))
    elif chosen in rewards:
        name = chosen
    else:
        return Judged(why_none="several rewards, none of them called reward or chosen")
    score = rewards[name]
    if score != score:  # noqa: PLR0124  (NaN)
        return Judged(name, why_none="the reward is no finite number")
    if score > maximum:
        return Judged(name, score, why_none="the reward is above the maximum")
    return Judged(name, score, "passed" if score == maximum else "failed")


def counts_at_harbor(result: Document, rewards: Mapping[str, float] | None) -> bool:
    """Return whether Harbor 0.26 itself calls the reward valid, by its field or by what its field is computed from."""
    stated = result.get("reward_valid")
    if isinstance(stated, bool):
        return stated
    steps = result.get("step_results")
    infos = [result.get("exception_info"), *(at(step, "exception_info") for step in (steps if isinstance(steps, list) else ()))]
    return bool(rewards) and all(at(info, "policy.has_valid_reward") is not False for info in infos if info is not None)
