"""The ledger under several real processes, and under processes that are killed."""

import multiprocessing
import random

import ledger_workers
import pytest
from ledger_samples import T0, key_of, manifest

from faultline.ledger import AttemptState

SPAWN = multiprocessing.get_context("spawn")


def start(target, *arguments):
    """Start a spawned process with a pipe to it."""
    ours, theirs = SPAWN.Pipe()
    process = SPAWN.Process(target=target, args=(*arguments, theirs))
    process.start()
    theirs.close()
    return process, ours


def ended(process):
    process.join(60)
    assert not process.is_alive()
    process.close()


def test_workers_share_a_plan_without_overlap(store):
    """
    Four processes that claim at once work on every cell exactly once, with one attempt each.
    """
    plan = manifest(trials=30)
    with store.open() as ledger:
        ledger.register(plan)
    workers = [start(ledger_workers.work, store.where, plan.run, f"w{number}", 30) for number in range(4)]
    for _, pipe in workers:
        assert "ready" == pipe.recv()
    for _, pipe in workers:
        pipe.send("go")
    claimed = [pipe.recv() for _, pipe in workers]
    for process, _ in workers:
        ended(process)

    assert list(range(60)) == sorted(position for positions in claimed for position in positions)
    with store.open() as ledger:
        progress = ledger.progress(plan.run, T0)
        assert (60, True, 0) == (progress.done, progress.complete, progress.conflicts)
        assert [1] * 60 == [row.number for row in ledger.all_attempts(plan.run)]


def test_killed_workers_leave_whole_records_and_nothing_else(store):
    """
    Workers killed at random steps leave each cell recorded whole or not at all; whoever resumes completes the plan, and
    the attempts add up.
    """
    plan = manifest(trials=20)
    with store.open() as ledger:
        ledger.register(plan)
    draw = random.Random(20260101)
    kills = 0
    for worker in range(3):
        process, pipe = start(ledger_workers.die_while_working, store.where, plan.run, f"w{worker}", 20)
        for _ in range(draw.randrange(4, 16)):
            assert "done" != pipe.recv()
        process.kill()
        ended(process)
        kills += 1
    with store.open() as ledger:
        before = ledger.progress(plan.run, T0).done
        resumed = ledger_workers.finish(store.where, plan.run, 20)

        assert 40 == before + resumed
        assert [cell.trial for cell in plan.cells] == [trial.key.trial for trial in ledger.trials(plan.run)]
        rows = list(ledger.all_attempts(plan.run))
        assert 40 <= len(rows) <= 40 + kills
        assert 40 == sum(row.state is AttemptState.RECORDED for row in rows)
        assert 0 == ledger_workers.finish(store.where, plan.run, 20)


@pytest.mark.parametrize(("before", "expected"), [(True, None), (False, "recorded")])
def test_a_worker_killed_around_its_commit_records_all_or_nothing(store, before, expected):
    """
    A process that dies before its commit has recorded nothing, and one that dies after it has recorded the trial.
    """
    plan = manifest()
    with store.open() as ledger:
        ledger.register(plan)
    process, pipe = start(ledger_workers.die_inside_commit, store.where, plan.run, before)
    assert "dying" == pipe.recv()
    ended(process)

    with store.open() as ledger:
        found = ledger.lookup(key_of(plan))
        assert expected == (found and "recorded")
        state = AttemptState.RECORDED if expected else AttemptState.STARTED
        assert [state] == [row.state for row in ledger.attempts(key_of(plan))]
