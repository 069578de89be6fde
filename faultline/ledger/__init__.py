"""The exactly-once store in which a run lives while it is executed: SQLite, or PostgreSQL for many machines.

Front doors: :func:`open_ledger` and the abstract class :class:`Ledger`. It touches one database and nothing else; instants
come in as arguments. SQLAlchemy lives here and is imported when a ledger is opened.
"""

from pathlib import Path

from faultline.ledger.interface import (
    AttemptRow,
    AttemptState,
    Claim,
    Lease,
    Ledger,
    LostClaimError,
    Progress,
    Recorded,
    UnknownWriteError,
)

__all__ = [
    "AttemptRow",
    "AttemptState",
    "Claim",
    "Lease",
    "Ledger",
    "LostClaimError",
    "Progress",
    "Recorded",
    "UnknownWriteError",
    "open_ledger",
]


def open_ledger(where: str | Path, *, create: bool = True) -> Ledger:
    """Open a ledger: a path (or ``sqlite:///path``), or ``postgresql://…``.

    Raises ``MissingInputError`` when there is none and ``create`` is false, ``LedgerError`` when the file is truncated, is
    not a ledger of this version, or the server cannot be reached.
    """
    text = str(where)
    if text.startswith(("postgresql://", "postgresql+psycopg://", "postgres://")):
        from faultline.ledger.postgresql import open_postgresql  # noqa: PLC0415  (heavy, and not needed for SQLite)

        return open_postgresql(text, create=create)
    from faultline.ledger.sqlite import open_sqlite  # noqa: PLC0415  (heavy; --help stays quick)

    return open_sqlite(text, create=create)
