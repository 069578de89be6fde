"""A ledger in PostgreSQL, for many machines, through psycopg 3."""

import os
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Engine, Table, create_engine, event, inspect, select, text
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError, OperationalError, SQLAlchemyError

from faultline.clock import Clock
from faultline.errors import BadInputError, LedgerError, MissingInputError, UnfitHostError
from faultline.kinds import safe_text
from faultline.ledger.recording import at_once
from faultline.ledger.sql import SqlLedger, Store
from faultline.ledger.tables import SCHEMA_VERSION, about, metadata

IDLE_SECONDS = 5.0
"""A connection that was not used for so long is asked whether it still lives before it is used again."""
_CLOCK = Clock()
LOCK_SECONDS = 60
"""How long a write waits for another one to the same cell; beyond it the write is refused with an error."""
_CREATION_LOCK = 0x464C4C44
"""Number of the advisory lock under which the tables are made."""
_DRIVER = "postgresql+psycopg"
_RECORD = {held: at_once(held=held) for held in (False, True)}
_CONNECTION = {
    "connect_timeout": 10,
    # A server that vanished without a word is noticed, instead of waited for without end.
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}


def open_postgresql(where: str, *, create: bool) -> SqlLedger:
    """Open a ledger by its URL, making the tables when they are not there and ``create`` says so."""
    try:
        url = make_url(where).set(drivername=_DRIVER)
    except (ArgumentError, ValueError) as error:
        raise BadInputError("--ledger", "this is not a database URL", expected="postgresql://…") from error
    try:
        store = PostgresqlStore(url)
    except ImportError as error:
        raise UnfitHostError(
            "--ledger", "psycopg is not installed", next_step="install Faultline with its postgresql extra"
        ) from error
    try:
        _prepare(store, create=create)
    except SQLAlchemyError as error:
        problem, next_step = store.explain(error)
        store.close()
        raise LedgerError(store.place, problem, next_step=next_step) from error
    except BaseException:
        store.close()
        raise
    return SqlLedger(store)


class PostgresqlStore(Store):
    """One PostgreSQL database."""

    records_alone = True
    reading: Mapping[str, Any] = {"isolation_level": "REPEATABLE READ"}

    def __init__(self, url: URL) -> None:
        """Use a database by its URL; nothing is connected yet."""
        self.place = url.set(drivername="postgresql").render_as_string(hide_password=True)
        self._url = url
        self._process = os.getpid()
        self._engine = _engine(url)

    def engine(self) -> Engine:
        """Return the engine; after a fork a new one, since two processes cannot talk on one connection."""
        if self._process != os.getpid():
            self._engine.dispose(close=False)
            self._engine, self._process = _engine(self._url), os.getpid()
        return self._engine

    def insert_new(self, table: Table) -> Any:
        """Return an INSERT that does nothing when the row is there already."""
        return postgresql_insert(table).on_conflict_do_nothing()

    def record_first(self, db: Connection, values: Mapping[str, Any], *, held: bool) -> bool:
        """Record a result in one journey to the server."""
        return bool(db.execute(_RECORD[held], values).scalar())

    def surely_undone(self, error: DBAPIError, *, alone: bool = False) -> bool:
        """Whether the server itself answered that nothing is left: a COMMIT by its class 40, a statement by any refusal.

        A connection that ended, or a server that is going down, has answered nothing.
        """
        state = getattr(error.orig, "sqlstate", None) or ""
        if alone:
            return bool(state) and not state.startswith(("08", "57P")) and state != "40003"
        return state.startswith("40") and state != "40003"

    def explain(self, error: SQLAlchemyError) -> tuple[str, str]:
        """Return what is wrong and what to do next."""
        said = error.orig if isinstance(error, DBAPIError) else error
        state = getattr(said, "sqlstate", None) or ""
        words = safe_text(" ".join(str(said).split()), 160)
        if state == "55P03":
            return "another process kept the cell busy; nothing was written", "end what holds it, then resume"
        if state.startswith("53"):
            return f"the database is out of room: {words}", "make room on the server, then resume"
        if isinstance(error, OperationalError) and not state:
            return f"the database cannot be reached: {words}", "start the server or correct the URL, then resume"
        return f"the database refused: {words}", "look at the server's log"

    def close(self) -> None:
        """Close all connections of this process."""
        if self._process == os.getpid():
            self._engine.dispose()


def _engine(url: URL) -> Engine:
    engine = create_engine(url, pool_size=2, max_overflow=14, connect_args=dict(_CONNECTION))

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: Any) -> None:
        with connection.cursor() as cursor:
            # A server set to answer before its log is on disk would make "recorded" untrue after a power cut.
            cursor.execute("SET synchronous_commit TO on")
            cursor.execute(f"SET lock_timeout TO '{LOCK_SECONDS}s'")
            cursor.execute("SET default_transaction_isolation TO 'read committed'")
        connection.commit()

    # A connection that lay idle may have been closed by the server or by something between; asking each time would make
    # every transaction a third longer.
    @event.listens_for(engine, "checkin")
    def _note(_connection: Any, record: Any) -> None:
        record.info["idle_since"] = _CLOCK.monotonic()

    @event.listens_for(engine, "checkout")
    def _ask(connection: Any, record: Any, _proxy: Any) -> None:
        since = record.info.get("idle_since")
        if since is not None and _CLOCK.monotonic() - since > IDLE_SECONDS:
            try:
                with connection.cursor() as cursor:
                    cursor.execute("SELECT 1")
                connection.rollback()
            except connection_errors() as error:
                raise DisconnectionError from error  # the pool then opens another one

    return engine


def connection_errors() -> type[Exception]:
    """Return what the driver raises when a connection is gone."""
    import psycopg  # noqa: PLC0415  (an extra)

    return psycopg.Error


def _prepare(store: PostgresqlStore, *, create: bool) -> None:
    """Make the tables if they are not there, and refuse those of another version."""
    with store.engine().begin() as db:
        db.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _CREATION_LOCK})
        if not inspect(db).has_table(about.name):
            if not create:
                raise MissingInputError(store.place, "there is no ledger in this database", next_step="start a run")
            metadata.create_all(db, checkfirst=False)
            db.execute(about.insert().values(version=SCHEMA_VERSION))
        versions = db.execute(select(about.c.version)).scalars().all()
    if versions != [SCHEMA_VERSION]:
        found = ", ".join(map(str, versions)) or "none"
        raise LedgerError(store.place, "this ledger has another version", expected=str(SCHEMA_VERSION), found=found)
