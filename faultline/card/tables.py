"""The trial table, as the site's download and the exporters have it: one row a trial, columns that say what they hold."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from faultline.card.model import TrialRow
from faultline.records import Absent, Usage

T = TypeVar("T")

ColumnType = Literal["text", "integer", "decimal", "number", "boolean", "instant"]
"""``decimal`` is exact, ``number`` is a double, ``instant`` is a moment in UTC."""


@dataclass(frozen=True)
class Column(Generic[T]):
    """One column of a table of rows ``T``."""

    name: str
    type: ColumnType
    meaning: str
    """What a cell holds, as a sentence."""
    value: Callable[[T], Any]
    """The cell of a row: a value of the type, or an :class:`Absent`."""
    unit: str = ""
    absent: str = ""
    """The name of the column that says why a cell is not there; empty where a cell always is."""


def tokens(row: TrialRow, field: str) -> Any:
    """Return one kind of token of a trial, or why it is not there."""
    return getattr(row.usage, field) if isinstance(row.usage, Usage) else row.usage


TRIAL_COLUMNS: tuple[Column[TrialRow], ...] = (
    Column("run", "text", "The run.", lambda row: row.run),
    Column("task", "text", "The task.", lambda row: row.task),
    Column("variant", "text", "The variant of the task: its skin and its seed.", lambda row: row.variant),
    Column("agent", "text", "The agent by its short name.", lambda row: row.agent),
    Column("trial", "integer", "Number of the trial within its cell, from 0.", lambda row: row.trial),
    Column("verdict", "text", "What the judge decided: passed, failed or none.", lambda row: row.verdict.value),
    Column("class", "text", "What kind of end the trial had, apart from its verdict.", lambda row: row.status.value),
    Column("fold", "text", "The one of four words that rates are built from.", lambda row: row.fold.value),
    Column("mode", "text", "What was seen.", lambda row: row.mode.value),
    Column("scoreable", "boolean", "Whether the trial has a usable verdict.", lambda row: row.scoreable),
    Column(
        "reason_codes",
        "text",
        "Why checks failed: reason codes with blanks between them, in the order of the checks.",
        lambda row: " ".join(reason.code for reason in row.reasons),
    ),
    Column("public_passed", "integer", "Public tests that passed.", lambda row: row.public_passed, absent="public_absent"),
    Column("public_total", "integer", "Public tests that are required.", lambda row: row.public_total, absent="public_absent"),
    Column("attempts", "integer", "Attempts that are recorded.", lambda row: row.attempts),
    Column(
        "attempts_complete",
        "boolean",
        "False when earlier attempts were deleted by the source: then there were at least so many.",
        lambda row: row.attempts_complete,
    ),
    Column(
        "usd",
        "decimal",
        "Cost of all attempts of the trial.",
        lambda row: row.usd,
        unit="US dollars",
        absent="usd_absent",
    ),
    Column(
        "output_tokens",
        "integer",
        "Output tokens of all attempts of the trial.",
        lambda row: tokens(row, "output"),
        absent="tokens_absent",
    ),
    Column(
        "agent_seconds",
        "number",
        "How long the agent worked in the attempt that counts.",
        lambda row: row.agent_seconds,
        unit="seconds",
        absent="seconds_absent",
    ),
    Column(
        "grading_seconds",
        "number",
        "How long judging took in the attempt that counts.",
        lambda row: row.grading_seconds,
        unit="seconds",
        absent="seconds_absent",
    ),
    Column("started_at", "instant", "When the first attempt started.", lambda row: row.started_at, absent="started_at_absent"),
    Column("candidate", "text", "Digest of the frozen candidate.", lambda row: row.candidate, absent="candidate_absent"),
)
"""The columns of the site's ``trials.csv``; an exporter adds to them."""


def reason(value: Absent) -> str:
    """Return why a value is not there: the kind of absence and the reason."""
    return f"{value.absence.value}: {value.reason}"
