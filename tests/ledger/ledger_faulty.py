"""Four tempting ledgers, each wrong in one way that is often shipped; the conformance suite must reject every one."""

import threading
from contextlib import suppress

from sqlalchemy import delete, select, update

from faultline.errors import ConflictError, LedgerError
from faultline.ledger.interface import Recorded
from faultline.ledger.sql import SqlLedger, _is, _leased
from faultline.ledger.tables import cells, to_micros, trials


class DedupesByItemAlone(SqlLedger):
    """Takes task and variant for the identity of a trial: anything seen before, in any run, is not recorded again."""

    def record(self, trial, claim=None):
        for run in self.runs():
            for known in self.trials(run):
                if (known.key.task, known.key.variant) == (trial.key.task, trial.key.variant):
                    return Recorded(known, known.content_digest(), new=False)
        return super().record(trial, claim)


class RemembersInMemoryOnly(SqlLedger):
    """Keeps results in a dictionary of the process, which is quick and gone after a restart."""

    def __init__(self, store):
        super().__init__(store)
        self._memory = {}

    def record(self, trial, claim=None):
        known = self._memory.setdefault(trial.key, trial)
        digest = trial.content_digest()
        if known != trial:
            raise ConflictError("memory", "another result", expected=known.content_digest(), found=digest)
        return Recorded(known, digest, new=known is trial)

    def lookup(self, key):
        known = self._memory.get(key)
        return known and Recorded(known, known.content_digest(), new=False)

    def trials(self, run):
        yield from (trial for key, trial in sorted(self._memory.items(), key=lambda item: str(item[0])) if key.run == run)


class RetriesAnyFailure(SqlLedger):
    """Meets every failure, a lost reply and a conflict included, by writing again until it succeeds."""

    def record(self, trial, claim=None):
        with suppress(LedgerError, ConflictError):
            return super().record(trial, claim)
        commit, self._commit = self._commit, lambda transaction: transaction.commit()
        try:
            with self._write() as db:
                db.execute(delete(trials).where(_is(trials, trial.key)))
                db.execute(update(cells).where(_is(cells, trial.key)).values(state="open"))
            return super().record(trial)
        finally:
            self._commit = commit


class KnowsSequentialWorkersOnly(SqlLedger):
    """Looks for a free cell in one transaction and takes it in the next; right as long as workers come one by one."""

    gap = None
    """Where two workers meet between looking and taking, so that the fault shows every time and not now and then."""

    def claim(self, run, worker, now, lease_seconds, start=0):
        with self._read() as db:
            free = select(cells).where(cells.c.run == run, cells.c.state == "open", ~_leased(to_micros(now)))
            row = db.execute(free.order_by(cells.c.position).limit(1)).one_or_none()
        if self.gap is not None:
            self.gap.wait()
        if row is None:
            return super().claim(run, worker, now, lease_seconds, start)
        with self._write() as db:
            return self._take(db, row, worker, now, lease_seconds)


def two_in_the_gap() -> threading.Barrier:
    """Return the meeting point for two workers that race."""
    return threading.Barrier(2, timeout=60)
