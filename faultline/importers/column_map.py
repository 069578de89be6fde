"""Column maps: which column of a table is which field of a trial, and how its text is read. Data, written in TOML.

A field is named by a column (``task = "Case"``), or by a table with the column and how to read it. A column of nested data is
named by its path, with dots. What a map cannot convert is an error with file and line; what it does not name is kept as extra.
"""

import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import Annotated, Any, Literal, Self, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BeforeValidator, Field, model_validator

from faultline.errors import BadInputError
from faultline.importers.numbers import number
from faultline.importers.rules import rules
from faultline.importers.times import epoch_time, iso_time
from faultline.kinds import ShortText, safe_text
from faultline.records.base import Record

UNKNOWN = ("", "n/a", "na", "none", "null", "nan", "-", "?")
"""Texts that stand for unknown; compared in lower case."""
C = TypeVar("C", bound="Column")


class Column(Record):
    """A column whose value is taken as text."""

    column: ShortText


def _named(value: object) -> object:
    """Accept the name of a column for a table with nothing but the name."""
    if isinstance(value, dict):
        # Below this validator values count as Python's, where a list is no tuple.
        return {key: tuple(item) if isinstance(item, list) else item for key, item in value.items()}
    return {"column": value} if isinstance(value, str) else value


class TrialColumn(Column):
    """The number of the trial."""

    first: Literal[0, 1] = 0


class VerdictColumn(Column):
    """The column that decides, with the texts that mean passed, failed and no verdict; compared in lower case."""

    passed: tuple[ShortText, ...] = ("true", "yes", "passed", "pass", "1")
    failed: tuple[ShortText, ...] = ("false", "no", "failed", "fail", "0")
    none: tuple[ShortText, ...] = UNKNOWN


class ScoreColumn(Column):
    """A score; with ``passed_at`` it gives the verdict where no column does."""

    passed_at: float | None = None
    tolerance: Annotated[float, Field(ge=0)] = 0.0
    lower_is_better: bool = False


class StatusColumn(Column):
    """A column whose words are status rules, by id."""

    rules: dict[ShortText, ShortText] = Field(default_factory=dict)
    """Word and rule; compared in lower case."""
    present: ShortText = ""
    """The rule for any other word; without one such a word is an error."""
    absent: ShortText = "RO-01"
    """The rule for an empty cell."""

    @model_validator(mode="after")
    def _known(self) -> Self:
        for name in (*self.rules.values(), self.present, self.absent):
            if name and name not in rules():
                raise ValueError(f"there is no status rule {name}")
        return self


class NumberColumn(Column):
    """An amount; thousands separators and a currency sign are part of how it is written."""

    zero_is_unknown: bool = False
    factor: float = 1.0
    """What one of the column's units is in the record's."""


class InputColumn(NumberColumn):
    """Input tokens, and whether those read from a cache are among them."""

    includes_cache: bool = False


class TimeColumn(Column):
    """A moment: ISO, a Unix time, or a local time by a pattern and a zone."""

    pattern: ShortText = ""
    """As for ``strptime``; empty for ISO and Unix times, in seconds or milliseconds."""
    zone: ShortText = "UTC"


class OnlyRows(Column):
    """Rows that are no trials of an agent, such as those of people."""

    values: tuple[ShortText, ...]


_Text = Annotated[Column | None, BeforeValidator(_named)]


class ColumnMap(Record):
    """The whole map."""

    task: Annotated[Column, BeforeValidator(_named)]
    id: _Text = None
    family: _Text = None
    suite: _Text = None
    category: _Text = None
    agent: _Text = None
    model: _Text = None
    provider: _Text = None
    version: _Text = None
    message: _Text = None
    trajectory: _Text = None
    """Of a nested column: a list of messages."""
    trial: Annotated[TrialColumn | None, BeforeValidator(_named)] = None
    verdict: Annotated[VerdictColumn | None, BeforeValidator(_named)] = None
    score: Annotated[ScoreColumn | None, BeforeValidator(_named)] = None
    status: Annotated[StatusColumn | None, BeforeValidator(_named)] = None
    input_tokens: Annotated[InputColumn | None, BeforeValidator(_named)] = None
    cache_read_tokens: Annotated[NumberColumn | None, BeforeValidator(_named)] = None
    cache_write_tokens: Annotated[NumberColumn | None, BeforeValidator(_named)] = None
    output_tokens: Annotated[NumberColumn | None, BeforeValidator(_named)] = None
    reasoning_tokens: Annotated[NumberColumn | None, BeforeValidator(_named)] = None
    cost: Annotated[NumberColumn | None, BeforeValidator(_named)] = None
    cost_source: ShortText = "the table"
    seconds: Annotated[NumberColumn | None, BeforeValidator(_named)] = None
    started: Annotated[TimeColumn | None, BeforeValidator(_named)] = None
    ended: Annotated[TimeColumn | None, BeforeValidator(_named)] = None
    not_trials: OnlyRows | None = None
    """Rows that are left out and counted."""
    notes: tuple[ShortText, ...] = ()
    """What a reader of the numbers must know; goes into the report."""

    @model_validator(mode="after")
    def _decides(self) -> Self:
        if self.verdict is None and (self.score is None or self.score.passed_at is None):
            raise ValueError("nothing gives a verdict: name the column verdict, or a score with passed_at")
        return self

    @cached_property
    def columns(self) -> frozenset[str]:
        """The columns that have a place, by the first part of their path."""
        named = [getattr(self, name) for name in type(self).model_fields]
        return frozenset(item.column.split(".")[0] for item in named if isinstance(item, Column))


def read_map(text: str, place: str) -> ColumnMap:
    """Return a map from TOML; raises ``BadInputError`` with the field that is wrong."""
    try:
        return ColumnMap.from_plain(tomllib.loads(text), place)
    except tomllib.TOMLDecodeError as error:
        raise BadInputError(place, "this is not TOML", found=safe_text(str(error), 160)) from error


def cell(row: Mapping[str, Any], column: Column | None) -> Any:
    """Return the value of a column, along its path; ``None`` when there is none or it stands for unknown."""
    if column is None:
        return None
    value: Any = row.get(column.column)
    if value is None and "." in column.column:
        value = row
        for part in column.column.split("."):
            value = value.get(part) if isinstance(value, dict) else None
    if isinstance(value, str) and value.strip().lower() in UNKNOWN:
        return None
    return value


def text_of(row: Mapping[str, Any], column: Column | None) -> str:
    """Return the value of a column as text; empty when it is unknown."""
    value = cell(row, column)
    return "" if value is None else value.strip() if isinstance(value, str) else str(value)


def number_of(row: Mapping[str, Any], column: NumberColumn | None, place: str) -> float | None:
    """Return the value of a column as a number; ``None`` when it is unknown, or zero where that stands for unknown.

    Raises ``BadInputError`` when it is something else.
    """
    value = cell(row, column)
    if value is None or column is None:
        return None
    found = amount(value)
    if found is None:
        raise BadInputError(f"{place}: {column.column}", "this is no number", found=safe_text(repr(value), 60))
    if found == 0 and column.zero_is_unknown:
        return None
    return found * column.factor


def amount(value: object) -> float | None:
    """Return a number as tables write it: ``1,600``, ``$0.031``; ``None`` for anything else."""
    if isinstance(value, str):
        cleaned = value.strip().lstrip("$€£").replace(",", "").replace("\u00a0", "").replace(" ", "")
        try:
            return number(float(cleaned))
        except ValueError:
            return None
    return number(value)


def time_of(row: Mapping[str, Any], column: TimeColumn | None, place: str) -> datetime | None:
    """Return the value of a column as a moment in UTC; raises ``BadInputError`` for one that is none."""
    value = cell(row, column)
    if value is None or column is None:
        return None
    if column.pattern:
        try:
            local = datetime.strptime(str(value), column.pattern)  # noqa: DTZ007  (the zone is named beside the pattern)
            return local.replace(tzinfo=ZoneInfo(column.zone)).astimezone(UTC)
        except (ValueError, ZoneInfoNotFoundError, OverflowError) as error:
            raise BadInputError(
                f"{place}: {column.column}", f"this is no time like {column.pattern}", found=safe_text(repr(value), 60)
            ) from error
    found = iso_time(value) if isinstance(value, str) else epoch_time(value)
    found = found or epoch_time(value)
    # Zero is how a start that nobody knows is written.
    if found is None and amount(value) != 0:
        raise BadInputError(f"{place}: {column.column}", "this is no time", found=safe_text(repr(value), 60))
    return found
