"""Tokens and cost of the agent alone, in one convention.

Since 0.3.184 Inspect's ``input_tokens`` leave cached tokens out for every provider; before, some providers' held them. The
version decides, else the sums of the row. What graders, auditors and other roles used is theirs.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from faultline.errors import BadInputError
from faultline.importers.inspect_ai.log import Log
from faultline.importers.inspect_ai.sample import COUNTED, Sample
from faultline.importers.interface import NO_COST, NO_USAGE
from faultline.importers.numbers import cost, count, usage
from faultline.kinds import safe_text
from faultline.records import Absent, Cost, Usage

CACHE_LEFT_OUT = (0, 3, 184)
"""From this version on, input tokens leave out cached ones for every provider."""
WRITES_LEFT_OUT = (0, 3, 260)
"""From this version on, input tokens of OpenAI's models leave out cache writes as well."""
NOT_THE_AGENT = {"grader", "judge", "auditor", "scorer", "critic", "monitor", "simulator", "user"}
_NO_MODEL = {"", "none", "none/none"}
_COUNTS = tuple(name for name in COUNTED if name != "total_cost")
_ZEROS = "the log counts nothing but zeros, which stand for unknown there"


@dataclass(frozen=True, slots=True)
class Subject:
    """Whose results a log holds."""

    model: str
    role: str
    """Empty when the log has a model of its own."""
    others: Mapping[str, str]
    """Models of the other roles, by role."""


def subject_of(log: Log, role: str) -> Subject:
    """Return the model that is under test.

    Raises ``BadInputError`` when the log has only roles, and it is not clear which of them that is.
    """
    plain = log.eval.get("model_roles")
    roles = {name: _model(item) for name, item in plain.items()} if isinstance(plain, dict) else {}
    model = log.eval.get("model")
    model = model if isinstance(model, str) else ""
    if role in roles or model in _NO_MODEL:
        chosen = role or ("target" if "target" in roles else "")
        agents = [name for name in roles if name.lower() not in NOT_THE_AGENT]
        if not chosen and len(agents) == 1:
            chosen = agents[0]
        if chosen in roles:
            return Subject(roles[chosen], chosen, {name: other for name, other in roles.items() if name != chosen})
        if roles:
            raise BadInputError(
                safe_text(log.path, 300),
                "the log has only models by role, and which of them is under test is not clear",
                expected=safe_text(", ".join(roles), 300),
                next_step="--option role=NAME",
            )
    return Subject("" if model in _NO_MODEL else model, "", roles)


def version_of(log: Log) -> tuple[int, ...] | None:
    """Return the version of Inspect that wrote a log, ``None`` when it does not say."""
    found = re.match(r"(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?", log.text("eval", "packages", "inspect_ai"))
    return tuple(int(part or 0) for part in found.groups()) if found else None


def spent(sample: Sample, subject: Subject, version: tuple[int, ...] | None) -> tuple[Usage | Absent, Cost | Absent, str]:
    """Return what the agent used and cost in a sample, and in words what models without a role used beside it."""
    roles = set(subject.others.values())
    beside = {
        name: row for name, row in sample.usage.items() if name != subject.model and name not in roles and not _empty(row)
    }
    others = "; ".join(f"{name}: {_words(row)}" for name, row in sorted(beside.items()))
    row: Mapping[str, Any] | None
    if subject.role and subject.role in sample.role_usage:
        row = sample.role_usage[subject.role]
    else:
        row = sample.usage.get(subject.model)
        shared = [
            sample.role_usage[name]
            for name, model in subject.others.items()
            if model == subject.model and name in sample.role_usage
        ]
        row = _less(row, shared) if row is not None else None
    if row is None:
        return NO_USAGE, NO_COST, others
    if _empty(row):
        return usage(why=_ZEROS), NO_COST, others
    uncached, source = _uncached(row, version, subject.model)
    used = usage(
        uncached_input=uncached,
        cache_read=_count(row, "input_tokens_cache_read"),
        cache_write=_count(row, "input_tokens_cache_write"),
        output=_count(row, "output_tokens"),
        reasoning=_count(row, "reasoning_tokens"),
        source=source,
    )
    # Whether a model that has no role worked for the agent or for a scorer is not told: then the cost may lack some.
    return used, cost(row.get("total_cost"), "Inspect's log, from its price table", complete=not beside), others


def _uncached(
    row: Mapping[str, Any], version: tuple[int, ...] | None, model: str
) -> tuple[int | None, Literal["native", "derived", "estimated"]]:
    """Return input tokens without cached ones, and how they are known."""
    given, out = _count(row, "input_tokens"), _count(row, "output_tokens") or 0
    total = _count(row, "total_tokens")
    read, write = _count(row, "input_tokens_cache_read") or 0, _count(row, "input_tokens_cache_write") or 0
    if given is None:
        return None, "native"
    if version is not None and version >= CACHE_LEFT_OUT:
        inside = write and version < WRITES_LEFT_OUT and model.startswith("openai/") and total == given + out + read
        return (given - write, "derived") if inside and write <= given else (given, "native")
    source: Literal["derived", "estimated"] = "estimated" if version is None else "derived"
    if not read and not write:
        return given, "native" if version is not None else source
    if read > given or total in (given + out + read, given + out + read + write):
        return given, source
    if total == given + out and read <= given:
        return given - read, source
    return None, source


def _less(row: Mapping[str, Any], shared: list[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return a model's counts without those of other roles that use the same model; ``None`` when they cannot be told apart."""
    if not shared:
        return row
    rest: dict[str, Any] = {}
    for name in _COUNTS:
        whole, parts = _count(row, name), [count(part.get(name)) for part in shared]
        known = [part for part in parts if part is not None]
        if whole is not None and len(known) == len(parts):
            if whole < sum(known):
                return None
            rest[name] = whole - sum(known)
    return rest


def _count(row: Mapping[str, Any], name: str) -> int | None:
    found = row.get(name)
    if type(found) is int and 0 <= found < 2**53:  # nearly always; a bool is none
        return found
    return None if found is None else count(found)


def _empty(row: Mapping[str, Any]) -> bool:
    return not any(row.get(name) for name in _COUNTS)


def _words(row: Mapping[str, Any]) -> str:
    return f"{count(row.get('input_tokens'))} input, {count(row.get('output_tokens'))} output"


def _model(plain: object) -> str:
    found = plain.get("model") if isinstance(plain, dict) else plain
    return found if isinstance(found, str) else ""
