"""A ledger in one SQLite file, for one machine: write-ahead log, every commit synced, one writer at a time.

The file is made complete beside its place and then linked there, so that processes that open it at once agree on one.
Not for network file systems, whose locks SQLite cannot trust; use PostgreSQL there.
"""

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, create_engine, event
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from faultline.errors import FaultlineError, LedgerError, MissingInputError
from faultline.files import sync_file, sync_folder, write_failed
from faultline.kinds import digest_bytes, safe_text
from faultline.ledger.sql import SqlLedger, Store
from faultline.ledger.tables import SCHEMA_VERSION, about, metadata
from faultline.records import Trial

APPLICATION_ID = 0x464C4C44
"""``FLLD`` in the file's header: tells a ledger from another program's database."""
BUSY_MILLISECONDS = 60_000
"""How long a writer waits for another one; beyond it the write is refused with an error, never dropped."""
_RESTORE = "restore the file from a copy; read_salvage() yields the trials of its undamaged beginning"


def open_sqlite(where: str, *, create: bool) -> SqlLedger:
    """Open a ledger by its path or ``sqlite:///path``, making it when it is not there and ``create`` says so."""
    path = Path(where.removeprefix("sqlite:///"))
    place = path.name
    if not path.exists():
        if not create:
            raise MissingInputError(place, "there is no such ledger", next_step="start a run, or name the ledger's file")
        _make(path)
    _inspect(path)
    return SqlLedger(SqliteStore(path))


class SqliteStore(Store):
    """One SQLite file."""

    def __init__(self, path: Path) -> None:
        """Use a file that holds the tables."""
        self.place = path.name
        self._path = path
        self._process = os.getpid()
        self._engine = _engine(path)

    def engine(self) -> Engine:
        """Return the engine; after a fork a new one, since SQLite's locks belong to the process that took them."""
        if self._process != os.getpid():
            self._engine.dispose(close=False)
            self._engine, self._process = _engine(self._path), os.getpid()
        return self._engine

    def insert_new(self, table: Table) -> Any:
        """Return an INSERT that does nothing when the row is there already."""
        return sqlite_insert(table).on_conflict_do_nothing()

    def surely_undone(self, error: DBAPIError, *, alone: bool = False) -> bool:  # noqa: ARG002  (never alone here)
        """Whether a COMMIT that ended so has left nothing: these are answered before the last page of the commit is written."""
        code = getattr(error.orig, "sqlite_errorcode", None)
        return code is not None and code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY)

    def explain(self, error: SQLAlchemyError) -> tuple[str, str]:
        """Return what is wrong and what to do next."""
        return _explain(error.orig if isinstance(error, DBAPIError) else error)

    def close(self) -> None:
        """Close all connections of this process."""
        if self._process == os.getpid():
            self._engine.dispose()


def read_salvage(path: Path) -> Iterator[Trial]:
    """Yield the trials of a truncated or damaged ledger, in the order of recording, until the first that cannot be read.

    What comes out is whole and has the digest that was recorded. It does not tell what is lost, so nothing is ever sealed from
    it: it is for looking, and for comparing with receipts.
    """
    # With the write-ahead log first; without it when the two do not fit together any more.
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        found = False
        for trial in _salvage(path, mode):
            found = True
            yield trial
        if found:
            return


def _salvage(path: Path, mode: str) -> Iterator[Trial]:
    try:
        with closing(sqlite3.connect(f"file:{_quoted(path)}?{mode}", uri=True)) as db:
            # SQLite refuses a file that is shorter than its header says, unless the schema may be repaired.
            db.execute("PRAGMA writable_schema=ON")
            rows = db.execute("SELECT digest, payload FROM faultline_trials NOT INDEXED ORDER BY rowid")
            for number, (digest, payload) in enumerate(rows, start=1):
                if digest_bytes(str(payload).encode("utf-8", "surrogatepass")) != digest:
                    return
                yield Trial.parse(payload, f"{path.name}: trial {number}")
    except (sqlite3.Error, FaultlineError):
        return


def _engine(path: Path, synchronous: str = "FULL") -> Engine:
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        poolclass=QueuePool,
        pool_size=1,
        max_overflow=15,
        connect_args={"check_same_thread": False, "timeout": BUSY_MILLISECONDS / 1000},
    )

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: Any) -> None:
        # Transactions are begun below and not by the driver, which would begin them too late.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
        connection.execute(f"PRAGMA synchronous={synchronous}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A transaction that reads first and writes later would fail instead of wait when another one wrote in between.
        reads = connection.get_execution_options().get("faultline_reads", False)
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    return engine


def _make(path: Path) -> None:
    """Make an empty ledger complete beside its place, and link it there unless another process was quicker."""
    beside = path.parent / f".{path.name}.{secrets.token_hex(8)}.new"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with closing(sqlite3.connect(beside)) as db:
                db.execute("PRAGMA synchronous=OFF")
                db.execute("PRAGMA journal_mode=WAL")
                db.execute(f"PRAGMA application_id={APPLICATION_ID}")
            # Nobody sees the file before it is synced as a whole.
            engine = _engine(beside, "OFF")
            with engine.begin() as connection:
                metadata.create_all(connection, checkfirst=False)
                connection.execute(about.insert().values(version=SCHEMA_VERSION))
            engine.dispose()
            sync_file(beside)
            path.hardlink_to(beside)
            sync_folder(path.parent)
        except FileExistsError:
            pass
        finally:
            for suffix in ("", "-wal", "-shm", "-journal"):
                beside.with_name(beside.name + suffix).unlink(missing_ok=True)
    except OSError as error:
        raise write_failed(path.name, error) from error
    except (sqlite3.Error, SQLAlchemyError) as error:
        problem, next_step = _explain(error.orig if isinstance(error, DBAPIError) else error)
        raise LedgerError(path.name, problem, next_step=next_step) from error


def _inspect(path: Path) -> None:
    """Refuse a file that is empty, truncated, damaged, or not a ledger of this version."""
    place = path.name
    if not path.is_file():
        raise LedgerError(place, "this is not a file")
    try:
        if path.stat().st_size == 0:
            raise LedgerError(place, "this ledger is empty: it was cut to nothing", next_step=_RESTORE)
        with closing(sqlite3.connect(path, timeout=BUSY_MILLISECONDS / 1000)) as db:
            application = db.execute("PRAGMA application_id").fetchone()[0]
            if application != APPLICATION_ID:
                raise LedgerError(place, "this is another program's database", expected="a ledger of Faultline")
            versions = [version for (version,) in db.execute("SELECT version FROM faultline_ledger")]
    except sqlite3.Error as error:
        problem, next_step = _explain(error)
        raise LedgerError(place, problem, next_step=next_step) from error
    except OSError as error:
        raise LedgerError(place, "this ledger cannot be read", found=error.strerror or "") from error
    if versions != [SCHEMA_VERSION]:
        raise LedgerError(
            place,
            "this ledger has another version",
            expected=str(SCHEMA_VERSION),
            found=", ".join(map(str, versions)) or "none",
        )


def _explain(error: BaseException | None) -> tuple[str, str]:
    """Return what SQLite says in words of ours."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & 0xFF if isinstance(code, int) else None
    if primary == sqlite3.SQLITE_CORRUPT:
        return "the ledger's file is truncated or damaged", _RESTORE
    if primary == sqlite3.SQLITE_NOTADB:
        return "this is not a ledger: the file is no SQLite database", "name the ledger's file"
    if primary == sqlite3.SQLITE_FULL:
        return "the disk is full; nothing was written", "make room, then resume"
    if primary == sqlite3.SQLITE_BUSY:
        return "another process kept the ledger busy; nothing was written", "end what holds it, then resume"
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
        return "the ledger cannot be opened for writing", "allow writing to the file and its folder, then resume"
    return f"SQLite refused: {safe_text(str(error), 160)}", "look at the disk and the file"


def _quoted(path: Path) -> str:
    """Return a path for SQLite's URI form."""
    return str(path.resolve()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
