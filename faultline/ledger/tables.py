"""The tables of a ledger, the same in every store; instants are whole microseconds since 1970 in UTC.

A trial stands under its whole key, so that two runs never share a row and the row tells what it is without the plan.
"""

from datetime import UTC, datetime, timedelta

from sqlalchemy import BigInteger, Column, Index, Integer, MetaData, Table, Text, UniqueConstraint

SCHEMA_VERSION = 1
"""Raised when a table changes; a ledger of another version is refused."""

metadata = MetaData()


def _key() -> list[Column[str] | Column[int]]:
    """Return fresh columns for the key of a trial."""
    return [
        Column("run", Text, primary_key=True),
        Column("task", Text, primary_key=True),
        Column("variant", Text, primary_key=True),
        Column("agent", Text, primary_key=True),
        Column("trial", BigInteger, primary_key=True, autoincrement=False),
    ]


KEY = ("run", "task", "variant", "agent", "trial")

about = Table(
    "faultline_ledger",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
)
"""One row: the version of these tables."""

runs = Table(
    "faultline_runs",
    metadata,
    Column("run", Text, primary_key=True),
    Column("digest", Text, nullable=False),
    Column("manifest", Text, nullable=False),
)
"""Plans, as canonical JSON."""

cells = Table(
    "faultline_cells",
    metadata,
    *_key(),
    Column("position", Integer, nullable=False),
    Column("hash_seed", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("fence", BigInteger, nullable=False),
    Column("worker", Text),
    Column("claimed_at", BigInteger),
    Column("leased_at", BigInteger),
    Column("lease_until", BigInteger),
    UniqueConstraint("run", "position"),
)
"""Planned cells with who works on them. ``state`` is ``open``, ``unknown`` or ``recorded``; a free cell has no worker."""

Index(
    "faultline_open_cells",
    cells.c.run,
    cells.c.position,
    sqlite_where=cells.c.state == "open",
    postgresql_where=cells.c.state == "open",
)

attempts = Table(
    "faultline_attempts",
    metadata,
    *_key(),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("worker", Text, nullable=False),
    Column("fence", BigInteger, nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("note", Text, nullable=False),
)
"""Attempts, written before the agent starts."""

trials = Table(
    "faultline_trials",
    metadata,
    *_key(),
    Column("digest", Text, nullable=False),
    Column("fold", Text, nullable=False),
    Column("payload", Text, nullable=False),
)
"""Results that count: canonical JSON, never updated, never deleted."""

refused = Table(
    "faultline_refused",
    metadata,
    *_key(),
    Column("digest", Text, primary_key=True),
    Column("why", Text, nullable=False),
    Column("payload", Text, nullable=False),
)
"""Second results for a cell, each kept once."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_micros(instant: datetime) -> int:
    """Return an instant as it is stored; a naive one is a programmer's mistake and raises :class:`ValueError`."""
    if instant.tzinfo is None:
        raise ValueError("an instant needs a time zone")
    return (instant - _EPOCH) // timedelta(microseconds=1)


def from_micros(micros: int) -> datetime:
    """Return a stored instant."""
    return _EPOCH + timedelta(microseconds=micros)
