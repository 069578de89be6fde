"""The ledger on SQLAlchemy Core; what differs between databases is a :class:`Store`.

It is one piece because every method is one transaction over the same five tables, and the order of the statements in each
is what makes a cell be counted once.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Table, and_, func, insert, select, update
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from faultline.errors import ConflictError, IntegrityError, LedgerError, MissingInputError, RefusedError
from faultline.kinds import Fold, RunId, digest_bytes, safe_text
from faultline.ledger import recording
from faultline.ledger.interface import (
    RECENT_SECONDS,
    AttemptRow,
    AttemptState,
    Claim,
    Conflict,
    Lease,
    Ledger,
    LostClaimError,
    Progress,
    Recorded,
    UnknownWriteError,
)
from faultline.ledger.recording import FREE, OPEN, RECORDED, UNKNOWN
from faultline.ledger.tables import KEY, attempts, cells, from_micros, refused, runs, to_micros, trials
from faultline.records import Absent, Cell, RunManifest, Trial, TrialKey, not_run, unknown

_Row = Any
"""A row of a result: SQLAlchemy's own type cannot name its columns."""
_LOOK_AGAIN = "ask the store what it has before writing again: faultline reconcile"
_SETTLEMENTS = (AttemptState.RECORDED, AttemptState.ABSENT, AttemptState.CONFLICTING)


class Store(ABC):
    """One database: how to reach it and what it says in its own way."""

    place: str
    """The store for a reader; without any password."""
    records_alone: bool = False
    """Whether :meth:`record_first` is one statement, so that it can be a transaction by itself."""
    reading: Mapping[str, Any] = {"faultline_reads": True}
    """Execution options of a transaction that only looks, so that it sees one instant of the store."""

    @abstractmethod
    def engine(self) -> Engine:
        """Return the engine of this process; connections never cross a fork."""

    @abstractmethod
    def insert_new(self, table: Table) -> Any:
        """Return an INSERT that does nothing when the row is there already."""

    def record_first(self, db: Connection, values: Mapping[str, Any], *, held: bool) -> bool:
        """Record a result unless the cell has one, or is not held any more; return whether that happened."""
        if db.execute(recording.TAKE[held], values).rowcount != 1:
            return False
        db.execute(recording.INSERT, values)
        db.execute(recording.MARK, values)
        return True

    @abstractmethod
    def surely_undone(self, error: DBAPIError, *, alone: bool = False) -> bool:
        """Whether a COMMIT, or a statement ``alone`` in its transaction, has certainly left nothing when it ended so."""

    @abstractmethod
    def explain(self, error: SQLAlchemyError) -> tuple[str, str]:
        """Return what is wrong and what to do next, for an error that the database raised."""

    @abstractmethod
    def close(self) -> None:
        """Close all connections of this process."""


@dataclass
class _Alone:
    """A statement that commits itself, in the form of a transaction, so that a reply can be lost in tests of both."""

    send: Callable[[], bool]
    answer: bool = False

    def commit(self) -> None:
        self.answer = self.send()

    def rollback(self) -> None:
        """Nothing was sent."""


class SqlLedger(Ledger):
    """Runs in an SQL database."""

    def __init__(self, store: Store) -> None:
        """Use a store that holds the tables."""
        self._store = store

    # --- the plan -----------------------------------------------------------------------------------------------

    def register(self, manifest: RunManifest) -> bool:
        """Keep a plan; see :meth:`Ledger.register`."""
        canonical = manifest.canonical()
        digest = digest_bytes(canonical)
        with self._write() as db:
            row = {"run": manifest.run, "digest": digest, "manifest": canonical.decode("ascii")}
            new = db.execute(self._store.insert_new(runs).returning(runs.c.run), row).one_or_none() is not None
            if new:
                db.execute(insert(cells), [_cell_row(manifest.run, at, cell) for at, cell in enumerate(manifest.cells)])
            else:
                kept = db.execute(select(runs.c.digest).where(runs.c.run == manifest.run)).scalar_one()
        if not new and kept != digest:
            raise ConflictError(
                f"{self._store.place}: {manifest.run}",
                "the ledger holds another plan under this run id",
                expected=kept,
                found=digest,
                next_step="give the new plan a run id of its own",
            )
        return new

    def manifest(self, run: RunId) -> RunManifest:
        """Return the plan of a run."""
        with self._read() as db:
            row = db.execute(select(runs.c.digest, runs.c.manifest).where(runs.c.run == run)).one_or_none()
        if row is None:
            raise self._no_run(run)
        self._same_bytes(f"the manifest of {run}", row.manifest, row.digest)
        return RunManifest.parse(row.manifest, f"{self._store.place}: manifest of {run}")

    def runs(self) -> tuple[RunId, ...]:
        """Return the ids of all runs, sorted."""
        with self._read() as db:
            return tuple(sorted(db.execute(select(runs.c.run)).scalars()))

    # --- claims -------------------------------------------------------------------------------------------------

    def claim(self, run: RunId, worker: str, now: datetime, lease_seconds: float, start: int = 0) -> Claim | None:
        """Give the first free cell of the plan; see :meth:`Ledger.claim`."""
        free = (
            select(cells)
            .where(cells.c.run == run, cells.c.state == OPEN, ~_leased(to_micros(now)))
            .order_by(cells.c.position)
            .limit(1)
            # Rows that another worker is just claiming are passed over, not waited for; SQLite has one writer anyhow.
            .with_for_update(skip_locked=True)
        )
        with self._write() as db:
            for stretch in (cells.c.position >= start, cells.c.position < start)[: 2 if start else 1]:
                row = db.execute(free.where(stretch)).one_or_none()
                if row is not None:
                    return self._take(db, row, worker, now, lease_seconds)
            self._require_run(db, run)
            return None

    def _take(self, db: Connection, row: _Row, worker: str, now: datetime, lease_seconds: float) -> Claim:
        """Give a cell, whose row this transaction has locked, to a worker."""
        key, instant = _key_of(row), to_micros(now)
        until = instant + _micros(lease_seconds)
        taken = {"fence": row.fence + 1, "worker": worker, "claimed_at": instant, "leased_at": instant, "lease_until": until}
        db.execute(update(cells).where(_is(cells, key)).values(taken))
        return Claim(
            key=key,
            cell=Cell(task=key.task, variant=key.variant, agent=key.agent, trial=key.trial, hash_seed=row.hash_seed),
            position=row.position,
            worker=worker,
            fence=row.fence + 1,
            claimed_at=now,
            expires_at=from_micros(until),
            attempts=_attempts(db, key),
        )

    def renew(self, claim: Claim, now: datetime, lease_seconds: float) -> Claim:
        """Prolong a lease; see :meth:`Ledger.renew`."""
        instant = to_micros(now)
        lease = {"leased_at": instant, "lease_until": instant + _micros(lease_seconds)}
        with self._write() as db:
            if db.execute(update(cells).where(_held(claim)).values(lease)).rowcount != 1:
                raise self._lost(claim)
        return replace(claim, expires_at=from_micros(lease["lease_until"]))

    def release(self, claim: Claim) -> bool:
        """Give a cell back; see :meth:`Ledger.release`."""
        with self._write() as db:
            return db.execute(update(cells).where(_held(claim)).values(FREE)).rowcount == 1

    def evict(self, run: RunId, worker: str) -> int:
        """Free the cells of a dead worker; see :meth:`Ledger.evict`."""
        with self._write() as db:
            held = and_(cells.c.run == run, cells.c.worker == worker)
            return db.execute(update(cells).where(held).values(fence=cells.c.fence + 1, **FREE)).rowcount

    # --- attempts -----------------------------------------------------------------------------------------------

    def begin_attempt(self, claim: Claim, now: datetime) -> AttemptRow:
        """Note that an attempt starts; see :meth:`Ledger.begin_attempt`."""
        with self._write() as db:
            if db.execute(select(cells.c.fence).where(_held(claim)).with_for_update()).one_or_none() is None:
                raise self._lost(claim)
            last = db.execute(select(func.max(attempts.c.number)).where(_is(attempts, claim.key))).scalar()
            row = AttemptRow(claim.key, (last or 0) + 1, claim.worker, claim.fence, now, AttemptState.STARTED)
            values = {
                "number": row.number,
                "worker": row.worker,
                "fence": row.fence,
                "started_at": to_micros(now),
                "state": row.state.value,
                "note": "",
            }
            db.execute(insert(attempts).values(**claim.key.model_dump(), **values))
        return row

    def mark(self, key: TrialKey, number: int, state: AttemptState, note: str = "") -> AttemptRow:
        """Set the state of an attempt; see :meth:`Ledger.mark`."""
        if state is AttemptState.RECORDED:
            raise RefusedError(f"{_label(key)}, attempt {number}", "only a record makes an attempt recorded")
        with self._write() as db:
            _lock(db, key)
            row = self._attempt(db, key, number)
            if row.state is AttemptState.RECORDED and state is not AttemptState.UNKNOWN:
                raise RefusedError(f"{_label(key)}, attempt {number}", "this attempt is recorded", found=state.value)
            if row.state is AttemptState.UNKNOWN and state is not AttemptState.UNKNOWN:
                raise RefusedError(
                    f"{_label(key)}, attempt {number}", "this attempt is unknown", next_step=f"faultline reconcile {key.run}"
                )
            return self._set_state(db, row, state, note)

    def attempts(self, key: TrialKey) -> tuple[AttemptRow, ...]:
        """Return the attempts at a cell in order."""
        with self._read() as db:
            return _attempts(db, key)

    def all_attempts(self, run: RunId) -> Iterator[AttemptRow]:
        """Yield every attempt of a run in plan order, then by number."""
        yield from map(_attempt_of, self._in_plan_order(run, attempts, attempts.c.number))

    # --- results ------------------------------------------------------------------------------------------------

    def record(self, trial: Trial, claim: Claim | None = None) -> Recorded:
        """Record the result of a cell exactly once; see :meth:`Ledger.record`."""
        key = trial.key
        canonical = trial.canonical()
        payload, digest = canonical.decode("ascii"), digest_bytes(canonical)
        if claim is not None and claim.key != key:
            raise RefusedError(_label(key), "the claim is for another cell", found=_label(claim.key))
        values = {f"of_{name}": value for name, value in key.model_dump().items()}
        values |= {"of_digest": digest, "of_fold": trial.outcome.fold.value, "of_payload": payload}
        values |= {"of_number": trial.last.number}
        if claim is not None:
            values |= {"of_fence": claim.fence, "of_worker": claim.worker}
        if self._store.records_alone and self._record_alone(values, held=claim is not None):
            return Recorded(trial, digest, new=True)
        with self._write() as db:
            if self._store.record_first(db, values, held=claim is not None):
                return Recorded(trial, digest, new=True)
            answer = self._second(db, trial, payload, digest, claim)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _second(
        self, db: Connection, trial: Trial, payload: str, digest: str, claim: Claim | None
    ) -> Recorded | ConflictError | LostClaimError:
        """Deal with a result that is not the first: it is the same, or it is kept and refused."""
        key = trial.key
        state = _lock(db, key)
        if state is None:
            raise RefusedError(
                f"{self._store.place}: {_label(key)}", "this cell is not planned", next_step="resume another run"
            )
        stored = db.execute(select(trials.c.digest, trials.c.payload).where(_is(trials, key))).one_or_none()
        if stored is not None and stored.digest == digest:
            return Recorded(self._trial(stored, key), digest, new=False)
        overtaken = claim is not None and db.execute(select(cells.c.fence).where(_is(cells, key))).scalar_one() != claim.fence
        why = "lost-claim" if overtaken or stored is None else "other-payload"
        kept = {**key.model_dump(), "digest": digest, "why": why, "payload": payload}
        db.execute(self._store.insert_new(refused), kept)
        if claim is not None and why == "lost-claim":
            live = attempts.c.state.in_([AttemptState.STARTED.value, AttemptState.RECEIPTED.value])
            ours = and_(_is(attempts, key), attempts.c.number == trial.last.number, live)
            note = f"refused, and kept as {digest}"
            db.execute(update(attempts).where(ours).values(state=AttemptState.SUPERSEDED.value, note=note))
            return self._lost(claim)
        return ConflictError(
            f"{self._store.place}: {_label(key)}",
            "this cell has another result; both are kept and the first one counts",
            expected=stored.digest if stored is not None else "",
            found=digest,
            next_step=f"faultline verify {key.run}",
        )

    def lookup(self, key: TrialKey) -> Recorded | None:
        """Return what the store holds for a cell; see :meth:`Ledger.lookup`."""
        # A write whose reply was lost may still be under way in the server; it holds the cell's row, so taking the row waits.
        with self._write() as db:
            _lock(db, key)
            row = db.execute(select(trials.c.digest, trials.c.payload).where(_is(trials, key))).one_or_none()
        return None if row is None else Recorded(self._trial(row, key), row.digest, new=False)

    def trials(self, run: RunId) -> Iterator[Trial]:
        """Yield the recorded trials in plan order; see :meth:`Ledger.trials`."""
        for row in self._in_plan_order(run, trials):
            yield self._trial(row, _key_of(row))

    def conflicts(self, run: RunId) -> Iterator[Conflict]:
        """Yield the refused results in plan order; see :meth:`Ledger.conflicts`."""
        with self._read() as db:
            digests = select(trials.c.digest).where(*(trials.c[name] == refused.c[name] for name in KEY)).scalar_subquery()
            query = (
                select(refused, digests.label("recorded"))
                .join(cells, and_(*(cells.c[name] == refused.c[name] for name in KEY)))
                .where(refused.c.run == run)
                .order_by(cells.c.position, refused.c.digest)
                .execution_options(yield_per=200)
            )
            for row in db.execute(query):
                # A worker that lost its claim may have its result recorded later, from its receipt.
                if row.recorded == row.digest:
                    continue
                trial = self._trial(row, _key_of(row))
                recorded: str | Absent = row.recorded or unknown("the cell has no recorded result yet")
                yield Conflict(
                    schema_name="faultline/conflict/1",
                    key=trial.key,
                    why=row.why,
                    recorded=recorded,
                    refused=row.digest,
                    trial=trial,
                )

    # --- reconcile ----------------------------------------------------------------------------------------------

    def unsettled(self, run: RunId) -> tuple[AttemptRow, ...]:
        """Return the attempts that are unknown, in plan order."""
        unknown_only = attempts.c.state == AttemptState.UNKNOWN.value
        return tuple(map(_attempt_of, self._in_plan_order(run, attempts, attempts.c.number, where=unknown_only)))

    def settle(self, key: TrialKey, number: int, state: AttemptState, evidence: str) -> AttemptRow:
        """Settle an unknown attempt; see :meth:`Ledger.settle`."""
        place = f"{_label(key)}, attempt {number}"
        if state not in _SETTLEMENTS:
            raise RefusedError(place, "this does not settle anything", expected="recorded, absent or conflicting", found=state)
        with self._write() as db:
            _lock(db, key)
            row = self._attempt(db, key, number)
            if row.state is not AttemptState.UNKNOWN:
                raise RefusedError(place, "this attempt is not unknown", found=row.state.value)
            stored = db.execute(select(trials.c.digest, trials.c.payload).where(_is(trials, key))).one_or_none()
            last = None if stored is None else self._trial(stored, key).last.number
            right = last == number
            if state is AttemptState.CONFLICTING and last == number:
                # The attempt's row is there with another payload than its receipt: then that one was refused, and kept.
                second = select(refused.c.digest).where(_is(refused, key)).limit(1)
                right = db.execute(second).one_or_none() is None
            if (state is AttemptState.RECORDED) != right or (state is AttemptState.CONFLICTING and last is None):
                held = "no result" if last is None else f"the result of attempt {last}"
                raise RefusedError(place, "the store says otherwise", expected=held, found=state.value)
            return self._set_state(db, row, state, evidence)

    def progress(self, run: RunId, now: datetime) -> Progress:
        """Count where a run stands; see :meth:`Ledger.progress`."""
        instant = to_micros(now)
        with self._read() as db:
            self._require_run(db, run)
            planned = db.execute(select(func.count()).select_from(cells).where(cells.c.run == run)).scalar_one()
            folds = _counts(db, trials.c.fold, trials.c.run == run)
            states = _counts(db, attempts.c.state, attempts.c.run == run)
            recorded_too = select(trials.c.digest).where(
                *(trials.c[name] == refused.c[name] for name in KEY), trials.c.digest == refused.c.digest
            )
            whys = _counts(db, refused.c.why, and_(refused.c.run == run, ~recorded_too.exists()))
            first = db.execute(select(func.min(attempts.c.started_at)).where(attempts.c.run == run)).scalar()
            of_late = and_(
                attempts.c.run == run,
                attempts.c.state == AttemptState.RECORDED.value,
                attempts.c.started_at.between(instant - _micros(RECENT_SECONDS), instant),
            )
            recent, since = db.execute(select(func.count(), func.min(attempts.c.started_at)).where(of_late)).one()
            live = select(cells).where(cells.c.run == run, cells.c.state == OPEN, _leased(instant)).order_by(cells.c.position)
            leases = tuple(_lease(row, instant) for row in db.execute(live))
        return Progress(
            planned=planned,
            recorded={fold: folds.get(fold.value, 0) for fold in Fold},
            leases=leases,
            unknown=states.get(AttemptState.UNKNOWN.value, 0),
            conflicts=whys.get("other-payload", 0),
            superseded=whys.get("lost-claim", 0),
            attempts={state: states.get(state.value, 0) for state in AttemptState},
            started_at=not_run("no attempt has started") if first is None else from_micros(first),
            recent=recent,
            recent_since=None if since is None else from_micros(since),
        )

    def close(self) -> None:
        """Close all connections of this process."""
        self._store.close()

    # --- transactions -------------------------------------------------------------------------------------------

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        """Open the one transaction of a writing method; a commit without a reply is an :class:`UnknownWriteError`."""
        with self._translated(), self._store.engine().connect() as db, db.begin() as transaction:
            yield db
            try:
                self._commit(transaction)
            except DBAPIError as error:
                if self._store.surely_undone(error):
                    raise
                problem, _ = self._store.explain(error)
                raise UnknownWriteError(
                    self._store.place, "the reply to a write was lost", found=problem, next_step=_LOOK_AGAIN
                ) from error

    def _record_alone(self, values: Mapping[str, Any], *, held: bool) -> bool:
        """Record by one statement that is a transaction of its own: one journey to the server instead of three."""
        with self._translated(), self._store.engine().connect() as db:
            alone = _Alone(
                lambda: self._store.record_first(db.execution_options(isolation_level="AUTOCOMMIT"), values, held=held)
            )
            try:
                self._commit(alone)
            except DBAPIError as error:
                if self._store.surely_undone(error, alone=True):
                    raise
                problem, _ = self._store.explain(error)
                raise UnknownWriteError(
                    self._store.place, "the reply to a write was lost", found=problem, next_step=_LOOK_AGAIN
                ) from error
        return alone.answer

    def _commit(self, transaction: Any) -> None:
        """Commit; apart, so that a test can lose the reply."""
        transaction.commit()

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        """Open a transaction that only looks."""
        with self._translated(), self._store.engine().connect() as db:
            db.execution_options(**self._store.reading)
            with db.begin():
                yield db

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn what SQLAlchemy raises into the error that a reader can act on."""
        try:
            yield
        except SQLAlchemyError as error:
            problem, next_step = self._store.explain(error)
            raise LedgerError(self._store.place, problem, next_step=next_step) from error

    # --- parts --------------------------------------------------------------------------------------------------

    def _in_plan_order(
        self, run: RunId, table: Table, *then: ColumnElement[Any], where: ColumnElement[bool] | None = None
    ) -> Iterator[_Row]:
        """Yield a table's rows of a run, a few at a time, in the order of the plan."""
        with self._read() as db:
            self._require_run(db, run)
            query = select(table).join(cells, and_(*(cells.c[name] == table.c[name] for name in KEY))).where(table.c.run == run)
            if where is not None:
                query = query.where(where)
            yield from db.execute(query.order_by(cells.c.position, *then).execution_options(yield_per=200))

    def _trial(self, row: _Row, key: TrialKey) -> Trial:
        """Return a stored trial, after a look at its digest."""
        place = f"{self._store.place}: {_label(key)}"
        self._same_bytes(place, row.payload, row.digest)
        trial = Trial.parse(row.payload, place)
        if trial.key != key:
            raise IntegrityError(
                place, "the row holds the trial of another cell", expected=_label(key), found=_label(trial.key)
            )
        return trial

    def _same_bytes(self, place: str, payload: str, digest: str) -> None:
        found = digest_bytes(payload.encode("utf-8", "surrogatepass"))
        if found != digest:
            raise IntegrityError(place, "the stored bytes are not those that were recorded", expected=digest, found=found)

    def _attempt(self, db: Connection, key: TrialKey, number: int) -> AttemptRow:
        row = db.execute(select(attempts).where(_is(attempts, key), attempts.c.number == number)).one_or_none()
        if row is None:
            raise RefusedError(f"{_label(key)}, attempt {number}", "there is no such attempt")
        return _attempt_of(row)

    def _set_state(self, db: Connection, row: AttemptRow, state: AttemptState, note: str) -> AttemptRow:
        """Change an attempt, and let the cell be claimed exactly when nothing about it is unknown."""
        note = safe_text(note)
        this = and_(_is(attempts, row.key), attempts.c.number == row.number)
        db.execute(update(attempts).where(this).values(state=state.value, note=note))
        unsure = (
            select(attempts.c.number).where(_is(attempts, row.key), attempts.c.state == AttemptState.UNKNOWN.value).limit(1)
        )
        if db.execute(unsure).one_or_none() is not None:
            changes: dict[str, Any] = {"state": UNKNOWN}
        elif row.state is AttemptState.UNKNOWN:
            # Whoever held the cell gave up when the reply was lost; its lease must not keep others out.
            changes = {"state": OPEN, "fence": cells.c.fence + 1, **FREE}
        else:
            changes = {"state": OPEN}
        db.execute(update(cells).where(_is(cells, row.key), cells.c.state != RECORDED).values(changes))
        return replace(row, state=state, note=note)

    def _require_run(self, db: Connection, run: RunId) -> None:
        if db.execute(select(runs.c.run).where(runs.c.run == run)).one_or_none() is None:
            raise self._no_run(run)

    def _no_run(self, run: RunId) -> MissingInputError:
        return MissingInputError(f"{self._store.place}: {run}", "the ledger does not hold this run")

    def _lost(self, claim: Claim) -> LostClaimError:
        return LostClaimError(
            f"{self._store.place}: {_label(claim.key)}",
            "the claim was lost",
            found=f"{claim.worker} under fence {claim.fence}",
            next_step="claim another cell",
        )


def _cell_row(run: RunId, position: int, cell: Cell) -> Mapping[str, Any]:
    key = {"run": run, "task": cell.task, "variant": cell.variant, "agent": cell.agent, "trial": cell.trial}
    return {**key, "position": position, "hash_seed": cell.hash_seed, "state": OPEN, "fence": 0, **FREE}


def _is(table: Table, key: TrialKey) -> ColumnElement[bool]:
    """Return the condition for the rows of one cell."""
    return and_(*(table.c[name] == getattr(key, name) for name in KEY))


def _held(claim: Claim) -> ColumnElement[bool]:
    """Return the condition for a cell that is still this claim's; a lapsed lease that nobody took is still held."""
    return and_(_is(cells, claim.key), cells.c.fence == claim.fence, cells.c.worker == claim.worker)


def _leased(instant: int) -> ColumnElement[bool]:
    """Return the condition for a cell with a live lease.

    A lease given more than its own length in the future is none: the clock that gave it was wrong and has been set back.
    """
    span = cells.c.lease_until - cells.c.leased_at
    live = and_(cells.c.lease_until > instant, cells.c.leased_at - span <= instant)
    return and_(cells.c.worker.is_not(None), live)


def _lock(db: Connection, key: TrialKey) -> str | None:
    """Take the cell's row until the end of the transaction and return its state, or None for a cell that is not planned."""
    state: str | None = db.execute(select(cells.c.state).where(_is(cells, key)).with_for_update()).scalar()
    return state


def _counts(db: Connection, column: ColumnElement[str], where: ColumnElement[bool]) -> dict[str, int]:
    query = select(column, func.count()).where(where).group_by(column)
    return {word: count for word, count in db.execute(query)}  # noqa: C416  (dict() of rows is not typed)


def _attempts(db: Connection, key: TrialKey) -> tuple[AttemptRow, ...]:
    return tuple(map(_attempt_of, db.execute(select(attempts).where(_is(attempts, key)).order_by(attempts.c.number))))


def _attempt_of(row: _Row) -> AttemptRow:
    return AttemptRow(
        _key_of(row), row.number, row.worker, row.fence, from_micros(row.started_at), AttemptState(row.state), row.note
    )


def _key_of(row: _Row) -> TrialKey:
    return TrialKey(run=row.run, task=row.task, variant=row.variant, agent=row.agent, trial=row.trial)


def _lease(row: _Row, instant: int) -> Lease:
    age, left = max(0, instant - row.claimed_at), max(0, row.lease_until - instant)
    return Lease(_key_of(row), row.worker, age / 1e6, left / 1e6)


def _micros(seconds: float) -> int:
    """Return a length of time in whole microseconds; it must be positive."""
    if not 0 < seconds < 10**9:
        raise ValueError("a lease needs a positive length")
    return max(1, round(seconds * 1e6))


def _label(key: TrialKey) -> str:
    return f"{key.run} {key.task}.{key.variant}.{key.agent}.{key.trial}"
