"""Live runs for tests, a judge that costs nothing where the judge is not the subject, and processes that die on cue."""

import os
import signal
from contextlib import contextmanager

from faultline.agents import control_identity
from faultline.clock import Clock
from faultline.execution import LiveRun, Planned, gather_provenance, plan_evaluation
from faultline.execution.workshop import Workshop
from faultline.kinds import Blame, Mode, SandboxLevel, StatusClass, Verdict
from faultline.ledger.sql import SqlLedger
from faultline.records import Outcome, not_run
from faultline.tasks import load_tasks


def planned_run(root, *, agent="reference", ledger_at="", artifacts_at="", trials=3, seeds=(0, 1), retry=None):
    """Return a planned live run of a control over the tiny task, with nothing done yet."""
    tasks = load_tasks(root / "tasks")
    planned = Planned(Clock(), gather_provenance(root, tasks, (), ()), SandboxLevel.BUBBLEWRAP)
    manifest = plan_evaluation(
        tasks, control_identity(agent), planned, trials=trials, variants=len(seeds), seeds=seeds, retry=retry
    )
    run = LiveRun(root, manifest.run, ledger_at, artifacts_at)
    run.create(manifest, None)
    return run


def verdict(*, passed):
    """Return an outcome without a judge, which says so by its rule."""
    return Outcome(
        verdict=Verdict.PASSED if passed else Verdict.FAILED,
        status=StatusClass.COMPLETED,
        blame=Blame.AGENT,
        scoreable=True,
        rule="simulated",
        mode=Mode.REPAIRED if passed else Mode.DEFECT_REMAINS,
        checks=not_run("a simulated verdict for tests"),
        public=not_run("a simulated verdict for tests"),
    )


def judge_nothing(monkeypatch, decide=lambda _: True):
    """Replace the judge by a function of the cell; everything else of an attempt stays real."""
    monkeypatch.setattr(Workshop, "_judged", lambda _, cell, *__: verdict(passed=decide(cell)))


@contextmanager
def lost_reply_of_record(monkeypatch, *, committed):
    """Within, the first record is committed or not, and either way its reply is lost."""
    from sqlalchemy.exc import OperationalError

    real, commit = SqlLedger.record, SqlLedger._commit
    turns = iter([True])

    def lose(_, transaction):
        transaction.commit() if committed else transaction.rollback()
        raise OperationalError("COMMIT", {}, ConnectionResetError("the connection was closed"), connection_invalidated=True)

    def record(ledger, *arguments):
        if not next(turns, False):
            return real(ledger, *arguments)
        SqlLedger._commit = lose
        try:
            return real(ledger, *arguments)
        finally:
            SqlLedger._commit = commit

    with monkeypatch.context() as patch:
        patch.setattr(SqlLedger, "record", record)
        yield


def work_and_die_around_the_commit(live, name, committed):
    """Be a worker that is killed around the commit of its first record; started by ``multiprocessing``."""
    from faultline.execution.worker import Worker

    Workshop._judged = lambda *_: verdict(passed=True)
    real = SqlLedger.record

    def commit(_, transaction):
        if committed:
            transaction.commit()
        os.kill(os.getpid(), signal.SIGKILL)

    def record(ledger, *arguments):
        SqlLedger._commit = commit
        return real(ledger, *arguments)

    SqlLedger.record = record
    Worker(live, name, Clock(), {}).work()


def states(live):
    """Return the states of all attempts, in plan order."""
    with live.open_ledger() as ledger:
        return [str(row.state) for row in ledger.all_attempts(live.run)]
