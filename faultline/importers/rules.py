"""The status rules: which words of another harness mean which class, whose doing, and whether the trial can be scored.

The table is data (``rules.json``), each rule with an id that the record carries. A rule that depends on another one (the
exception behind an empty patch) is combined with it, and carries both ids.
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from faultline.kinds import Blame, StatusClass

Scoreable = Literal["yes", "no", "if_reward"]


@dataclass(frozen=True)
class Rule:
    """One row of the table."""

    id: str
    format: str
    field: str
    """Where the words stand in the source."""
    value: str
    """The words, or when the rule holds."""
    status: StatusClass
    blame: Blame
    scoreable: Scoreable
    """``if_reward``: only when there is a verdict; without one it counts against the agent and is shown as invalid."""
    note: str


@cache
def rules() -> dict[str, Rule]:
    """Return all rules by id."""
    plain = json.loads(files("faultline.importers").joinpath("rules.json").read_text("utf-8"))
    found = {}
    for row in plain["rules"]:
        # A rule that takes its class from another one ("as the exception type") stands for unknown until it is combined.
        own = not row["class"].startswith("<")
        found[row["id"]] = Rule(
            row["id"],
            row["format"],
            row["field"],
            row["value"],
            StatusClass(row["class"]) if own else StatusClass.UNKNOWN,
            Blame(row["blame"]) if own and not row["blame"].startswith("<") else Blame.UNKNOWN,
            row["scoreable"] if row["scoreable"] in ("yes", "no", "if_reward") else "no",
            row["note"],
        )
    return found


@cache
def _by_value() -> dict[tuple[str, str], Rule]:
    return {(rule.format, rule.value): rule for rule in rules().values()}


def rule_for(format_name: str, value: str, default: str) -> Rule:
    """Return the rule of a format for a native word, or the rule with the id ``default``."""
    return _by_value().get((format_name, value)) or rules()[default]


def combined(outer: str, inner: Rule) -> Rule:
    """Return the rule ``outer`` with class and blame of another, never more scoreable than itself, under both ids."""
    first = rules()[outer]
    return Rule(
        f"{first.id} {inner.id}",
        first.format,
        first.field,
        first.value,
        inner.status,
        inner.blame,
        "no" if first.scoreable == "no" else inner.scoreable,
        first.note,
    )
