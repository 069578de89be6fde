"""What spawned processes of the tests do; they tell and are told by a pipe, so that nothing depends on time."""

import os
import signal

from ledger_samples import T0, attempt, later, manifest, trial

from faultline.ledger import open_ledger

LEASE = 30.0


def work(where, run, worker, trials, pipe):
    """Claim, attempt and record until no cell is free; send the positions that were claimed."""
    plan = manifest(run, trials=trials)
    positions = []
    with open_ledger(where) as ledger:
        pipe.send("ready")
        pipe.recv()
        while (claim := ledger.claim(run, worker, T0, LEASE)) is not None:
            ledger.begin_attempt(claim, T0)
            ledger.record(trial(plan, claim.position), claim)
            positions.append(claim.position)
    pipe.send(positions)
    pipe.close()


def die_while_working(where, run, worker, trials, pipe):
    """Work and tell of each step, until killed from outside."""
    plan = manifest(run, trials=trials)
    ledger = open_ledger(where)
    while (claim := ledger.claim(run, worker, T0, LEASE)) is not None:
        pipe.send("claimed")
        row = ledger.begin_attempt(claim, T0)
        pipe.send("begun")
        ledger.record(_numbered(plan, claim.position, row.number), claim)
        pipe.send("recorded")
    pipe.send("done")
    pipe.recv()


def die_inside_commit(where, run, before, pipe):
    """Be killed between the statements of a record and its commit, or right after the commit."""
    plan = manifest(run)
    ledger = open_ledger(where)
    claim = ledger.claim(run, "doomed", T0, LEASE)
    ledger.begin_attempt(claim, T0)

    def commit(transaction):
        if not before:
            transaction.commit()
        pipe.send("dying")
        os.kill(os.getpid(), signal.SIGKILL)

    ledger._commit = commit
    ledger.record(trial(plan, claim.position), claim)


def finish(where, run, trials):
    """Do what resume does with dead workers' cells: take them over and record; return how many."""
    plan = manifest(run, trials=trials)
    count = 0
    with open_ledger(where) as ledger:
        while (claim := ledger.claim(run, "heir", later(1000 + count), LEASE)) is not None:
            row = ledger.begin_attempt(claim, later(1000))
            ledger.record(_numbered(plan, claim.position, row.number), claim)
            count += 1
    return count


def open_in_child(where, pipe):
    """Try to open a ledger as a user who owns nothing; send the error's class and text."""
    import faultline.ledger.sqlite  # noqa: F401  (that user may not be allowed to read an installation)

    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    try:
        open_ledger(where).close()
        pipe.send(("none", ""))
    except Exception as error:
        pipe.send((type(error).__name__, str(error)))


def _numbered(plan, position, number):
    attempts = (*(attempt(earlier, end="superseded") for earlier in range(1, number)), attempt(number))
    return trial(plan, position, attempts=attempts)
