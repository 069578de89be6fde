"""One sample at one epoch as a log holds it: typed, small, and the same whether it was read in full or as its summary."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from faultline.errors import BadInputError
from faultline.importers.interface import Place
from faultline.importers.numbers import count, number
from faultline.kinds import safe_text

MAX_EPOCH = 10_000
MAX_TEXT = 4_000
"""Characters of an error that are kept; records keep fewer."""
_KNOWN = {
    "id", "epoch", "uuid", "scores", "error", "limit", "limit_reason", "error_retries", "retries", "invalidation",
    "model_usage", "role_usage", "started_at", "completed_at", "total_time", "working_time", "completed",
    "messages", "events", "events_data", "attachments", "message_count", "transcript",
}  # fmt: skip
"""Fields that a record or its trajectory is made from; all others are counted as having no home."""

_SCORE = {"value", "reason", "history"}

COUNTED = (
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "input_tokens_cache_read",
    "input_tokens_cache_write",
    "reasoning_tokens",
    "total_cost",
)
"""Of a model's usage."""

Value = str | float | bool | dict[str, Any] | list[Any] | None


@dataclass(frozen=True, slots=True)
class Score:
    """What one scorer said."""

    value: Value
    reason: str = ""
    changed: str = ""
    """By whom and why it was changed last; empty when it stands as it was given."""


@dataclass(frozen=True, slots=True)
class Invalidation:
    """That somebody took a sample out of the count, and why."""

    author: str
    reason: str
    at: str


@dataclass(frozen=True, slots=True)
class Sample:
    """A row of a log."""

    place: Place
    id: int | str
    epoch: int
    uuid: str
    scores: Mapping[str, Score]
    error: str | None
    limit: str
    limit_reason: str
    retries: tuple[str, ...]
    """The messages of errors after which the sample was run again."""
    invalidation: Invalidation | None
    usage: Mapping[str, Mapping[str, Any]]
    """By model."""
    role_usage: Mapping[str, Mapping[str, Any]]
    started: str | None
    ended: str | None
    total_seconds: float | None
    working_seconds: float | None
    family: str = ""
    category: str = ""
    where: Any = field(default=None, compare=False, repr=False)
    """Where the whole sample can be read again; ``None`` when the log does not hold it."""


def is_complete(plain: object, *, edited: bool) -> bool:
    """Return whether a summary says everything that a record needs; if not, the sample itself must be read.

    Summaries of older versions lack ids, tokens and errors, none tells what became of earlier attempts, and in a log that
    was edited none tells what was invalidated.
    """
    return (
        isinstance(plain, dict)
        and plain.get("completed") is True
        and "uuid" in plain
        and not plain.get("retries")
        and not edited
    )


def sample_of(plain: object, place: Place, where: Any = None) -> Sample:
    """Return a sample or summary as a row.

    Raises ``BadInputError`` when what identifies or judges the sample has the wrong type; measurements of a wrong type are
    unknown.
    """
    if not isinstance(plain, dict):
        raise BadInputError(str(place), "this sample is no object")
    row, given = _Fields(plain, place), plain
    key, epoch = given.get("id"), count(given.get("epoch", 1))
    if isinstance(key, bool) or not isinstance(key, int | str) or (isinstance(key, int) and abs(key) >= 2**63):
        raise row.bad("id", "a whole number or text")
    if epoch is None or not 1 <= epoch <= MAX_EPOCH:
        raise row.bad("epoch", f"a whole number from 1 to {MAX_EPOCH}")
    limit = given.get("limit")
    if isinstance(limit, dict):
        kind, reason = limit.get("type"), limit.get("reason")
    else:
        kind, reason = limit, given.get("limit_reason")
    if kind is not None and not isinstance(kind, str):
        raise row.bad("limit", "the name of a limit")
    metadata = given.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    return Sample(
        place,
        key,
        epoch,
        _text(given.get("uuid")),
        row.scores(),
        row.error(),
        _text(kind),
        _text(reason),
        row.retries(),
        row.invalidation(),
        _usages(given.get("model_usage")),
        _usages(given.get("role_usage")),
        _text(given.get("started_at")) or None,
        _text(given.get("completed_at")) or None,
        _seconds(given.get("total_time")),
        _seconds(given.get("working_time")),
        _text(metadata.get("family"))[:200],
        _text(metadata.get("category"))[:200],
        where,
    )


def homeless(plain: object) -> list[str]:
    """Return the names of fields of a sample or summary that become no part of a record, one level down in scores."""
    if not isinstance(plain, dict):
        return []
    names = [f"samples.{name}" for name, value in plain.items() if name not in _KNOWN and value not in (None, {}, [])]
    scores = plain.get("scores")
    for score in scores.values() if isinstance(scores, dict) else ():
        if isinstance(score, dict):
            names += [f"samples.scores.{name}" for name, value in score.items() if name not in _SCORE and value]
    return list(dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class _Fields:
    plain: dict[str, Any]
    place: Place

    def bad(self, name: str, expected: str) -> BadInputError:
        found = safe_text(repr(self.plain.get(name)), 80)
        return BadInputError(str(self.place), f"the sample's {name} is unreadable", expected=expected, found=found)

    def scores(self) -> dict[str, Score]:
        plain = self.plain.get("scores")
        if plain is None:
            return {}
        if not isinstance(plain, dict) or not all(isinstance(score, dict) for score in plain.values()):
            raise self.bad("scores", "an object of scores by scorer")
        return {
            _text(name, 200): Score(_value(score.get("value")), _reason(score), _changed(score))
            for name, score in plain.items()
        }

    def error(self) -> str | None:
        plain = self.plain.get("error")
        message = plain.get("message") if isinstance(plain, dict) else plain
        if plain is not None and not isinstance(message, str):
            raise self.bad("error", "a message")
        return None if message is None else _text(message)

    def retries(self) -> tuple[str, ...]:
        plain = self.plain.get("error_retries")
        if not isinstance(plain, list):
            return ()
        return tuple(_text(item.get("message")) if isinstance(item, dict) else _text(item) for item in plain[:1_000])

    def invalidation(self) -> Invalidation | None:
        plain = self.plain.get("invalidation")
        if plain is None:
            return None
        if not isinstance(plain, dict):
            raise self.bad("invalidation", "an object with author and reason")
        return Invalidation(_text(plain.get("author")), _text(plain.get("reason")), _text(plain.get("timestamp")))


def _value(plain: Any) -> Value:
    """Return a score's value, ``None`` for what is none."""
    if plain is None or isinstance(plain, str | bool | dict | list):
        return plain
    if isinstance(plain, int | float):
        found = number(plain)
        return math.nan if found is None else found
    return None


def _reason(score: dict[str, Any]) -> str:
    """Return why a score is what it is; logs from before there was a field for it have it among the metadata."""
    metadata = score.get("metadata")
    older = metadata.get("unscored_reason") if isinstance(metadata, dict) else None
    return _text(score.get("reason"), 200) or _text(older, 200)


def _changed(score: dict[str, Any]) -> str:
    """Return by whom and why a score was changed last."""
    history = score.get("history")
    if not isinstance(history, list) or not history:
        return ""
    last = history[-1].get("provenance") if isinstance(history[-1], dict) else None
    who = last if isinstance(last, dict) else {}
    return f"by {_text(who.get('author'), 200) or 'somebody'}: {_text(who.get('reason'), 500) or 'no reason given'}"


def _usages(plain: object) -> dict[str, dict[str, Any]]:
    if not isinstance(plain, dict):
        return {}
    # Only what is used, under names that all rows share: there may be a hundred thousand of them.
    return {
        _text(name, 300): {key: usage[key] for key in COUNTED if usage.get(key) is not None}
        for name, usage in plain.items()
        if isinstance(usage, dict)
    }


def _seconds(plain: object) -> float | None:
    found = number(plain)
    return found if found is not None and found >= 0 else None


def _text(plain: object, limit: int = MAX_TEXT) -> str:
    return plain[:limit] if isinstance(plain, str) else ""
