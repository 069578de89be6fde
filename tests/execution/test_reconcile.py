"""Unknown is a state: a reply that is lost is never taken for a result, and reconcile settles it by asking."""

import json
import multiprocessing
import subprocess
import sys

import pytest
from execution_samples import judge_nothing, lost_reply_of_record, states, work_and_die_around_the_commit
from ledger_proxy import FaultyConnection

from faultline.archive import read_run, verify_run
from faultline.clock import Clock
from faultline.errors import LedgerError, UnfinishedError
from faultline.execution import LiveRun, reconcile, seal_live_run
from faultline.execution.worker import Worker
from faultline.files import atomic_write
from faultline.ledger import AttemptState, UnknownWriteError
from faultline.ledger.sql import SqlLedger

SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture(autouse=True)
def _cheap(monkeypatch):
    judge_nothing(monkeypatch)


def patient():
    """Return a clock that does not wait."""
    return Clock(sleep=lambda _: None)


def work(live, name="w"):
    Worker(live, name, patient(), {}).work()


def command(live, *words):
    return subprocess.run(
        [sys.executable, "-m", "faultline.cli", *words, "--root", str(live.root)], capture_output=True, text=True, check=False
    )


class TestThroughTheWorker:
    @pytest.mark.parametrize(("committed", "expected"), [(True, "recorded"), (False, "absent")])
    def test_a_lost_reply_is_unknown_until_the_store_was_asked(self, live_on, monkeypatch, committed, expected):
        """The attempt is unknown, the rest of the plan is done, and reconcile finds whether the store has the result."""
        with lost_reply_of_record(monkeypatch, committed=committed):
            work(live_on)
        before = states(live_on)
        settled = reconcile(live_on, Clock())

        assert ["unknown", "recorded"] == before
        assert [expected] == [item.state for item in settled]
        assert "the connection was closed" in settled[0].observed

    @pytest.mark.parametrize("committed", [True, False])
    def test_a_settled_run_is_finished_without_new_work_of_the_agent(self, live_on, monkeypatch, committed):
        """After reconcile the result is there once, from its receipt, with one attempt; the sealed run tells the settlement."""
        with lost_reply_of_record(monkeypatch, committed=committed):
            work(live_on)
        reconcile(live_on, Clock())
        with monkeypatch.context() as patch:
            patch.setattr("faultline.execution.workshop.Workshop.attempt", None)
            work(live_on, "x")
        run = read_run(seal_live_run(live_on, Clock()))

        assert () == verify_run(run.path)
        assert [1, 1] == [len(trial.attempts) for trial in run.trials]
        assert ["recorded" if committed else "absent"] == [item.state for item in run.settlements]

    @pytest.mark.parametrize(("fault", "expected"), [("after", "recorded"), ("before", "absent")])
    def test_a_connection_that_closes_around_the_commit(self, benchmark_root, postgresql_server, monkeypatch, fault, expected):
        """A real connection to a real server, closed around the COMMIT of a result: unknown, and settled by asking."""
        from execution_samples import planned_run

        real = SqlLedger.record
        with FaultyConnection(postgresql_server.port) as proxy:
            live = planned_run(benchmark_root, ledger_at=proxy.url(postgresql_server.new_schema()), trials=1, seeds=(0,))

            def record(ledger, *arguments):
                proxy.fault = fault
                return real(ledger, *arguments)

            with monkeypatch.context() as patch:
                patch.setattr(SqlLedger, "record", record)
                work(live)
            before = states(live)
            settled = reconcile(live, Clock())
            work(live, "x")

            assert ["unknown"] == before
            assert [expected] == [item.state for item in settled]
            assert ["recorded"] == states(live)

    @pytest.mark.parametrize("committed", [True, False])
    def test_a_worker_killed_around_the_commit(self, live_on, committed):
        """A worker that dies around its commit leaves a whole record or none; the receipt completes it, once."""
        process = SPAWN.Process(target=work_and_die_around_the_commit, args=(live_on, "doomed", committed))
        process.start()
        process.join(120)
        with live_on.open_ledger() as ledger:
            ledger.evict(live_on.run, "doomed")
            done = ledger.progress(live_on.run, Clock().now()).done
        work(live_on)

        assert -9 == process.exitcode
        assert int(committed) == done
        assert ["recorded", "recorded"] == states(live_on)

    def test_a_lost_reply_before_the_agent_began(self, live_on, monkeypatch):
        """When the store never heard of the attempt, nothing is unknown and the cell is worked on again."""
        real = SqlLedger.begin_attempt
        turns = iter([True])

        def begin(ledger, *arguments):
            if next(turns, False):
                raise UnknownWriteError("store", "the reply to a write was lost")
            return real(ledger, *arguments)

        monkeypatch.setattr(SqlLedger, "begin_attempt", begin)
        work(live_on)

        assert ["recorded", "recorded"] == states(live_on)

    def test_a_lost_reply_to_a_claim_is_nobodys(self, live_on, monkeypatch):
        """A claim without an answer is asked for again; the first one lapses with its lease."""
        real = SqlLedger.claim
        turns = iter([True])

        def claim(ledger, *arguments):
            if next(turns, False):
                raise UnknownWriteError("store", "the reply to a write was lost")
            return real(ledger, *arguments)

        monkeypatch.setattr(SqlLedger, "claim", claim)
        work(live_on)

        assert ["recorded", "recorded"] == states(live_on)

    def test_a_store_that_stays_away_ends_the_worker_with_an_error(self, live_on, monkeypatch):
        """When not even *unknown* can be said, the worker says so; the receipt is there, and resume records it once."""
        with monkeypatch.context() as patch:
            patch.setattr(SqlLedger, "mark", lambda *_: (_ for _ in ()).throw(LedgerError("store", "it cannot be reached")))
            with lost_reply_of_record(patch, committed=True), pytest.raises(LedgerError, match="cannot be reached"):
                work(live_on)
        with live_on.open_ledger() as ledger:
            ledger.evict(live_on.run, "w")
        work(live_on, "x")

        assert ["recorded", "recorded"] == states(live_on)


class TestSealing:
    def test_an_unknown_attempt_keeps_the_run_from_being_sealed(self, live_on, monkeypatch):
        """Seal refuses, and names the command that settles."""
        with lost_reply_of_record(monkeypatch, committed=True):
            work(live_on)

        with pytest.raises(UnfinishedError, match=f"1 attempts are unknown; next: faultline reconcile {live_on.run}"):
            seal_live_run(live_on, Clock())


class TestSettlements:
    def test_another_payload_in_the_store_is_conflicting_and_both_are_kept(self, live_on, monkeypatch):
        """A store that holds another result than the receipt: conflicting, the receipt's result is refused and kept."""
        with lost_reply_of_record(monkeypatch, committed=True):
            work(live_on)
        with live_on.open_ledger() as ledger:
            row = ledger.unsettled(live_on.run)[0]
            stored = ledger.lookup(row.key)
        cell = live_on.manifest().cells[0]
        receipt = live_on.receipt(cell, 1)
        other = receipt.trial.model_copy(update={"order_known": True})
        live_on.write_receipt(cell, receipt.model_copy(update={"trial": other, "payload_digest": other.content_digest()}))
        settled = reconcile(live_on, Clock())
        with live_on.open_ledger() as ledger:
            conflicts = list(ledger.conflicts(live_on.run))

            assert stored == ledger.lookup(row.key)
        assert ["conflicting"] == [item.state for item in settled]
        assert [(stored.digest, other.content_digest())] == [(item.recorded, item.refused) for item in conflicts]

    def test_a_cell_that_was_decided_without_the_attempt(self, live_on):
        """An unknown attempt without a receipt, whose cell another attempt decided, is absent, and the evidence says so."""
        with live_on.open_ledger() as ledger:
            claim = ledger.claim(live_on.run, "w", Clock().now(), 60)
            ledger.begin_attempt(claim, Clock().now())
            ledger.release(claim)
        work(live_on)
        with live_on.open_ledger() as ledger:
            ledger.mark(claim.key, 1, AttemptState.UNKNOWN, "lost")
        settled = reconcile(live_on, Clock())

        assert [("absent", True)] == [(item.state, "from attempt 2" in item.evidence) for item in settled]

    def test_settling_again_changes_nothing(self, live_on, monkeypatch):
        """A second reconcile finds nothing unknown."""
        with lost_reply_of_record(monkeypatch, committed=True):
            work(live_on)

        assert 1 == len(reconcile(live_on, Clock()))
        assert () == reconcile(live_on, Clock())
        assert 1 == len(live_on.settlements())

    def test_a_receipt_that_cannot_be_read_leaves_its_attempt_unknown(self, live, monkeypatch):
        """Damaged evidence settles nothing: the error names the receipt, and the attempt stays unknown."""
        with lost_reply_of_record(monkeypatch, committed=True):
            work(live)
        with live.open_ledger() as ledger:
            key = ledger.unsettled(live.run)[0].key
        path = next(p for p in (live.folder / "receipts").iterdir() if json.loads(p.read_bytes())["key"] == key.model_dump())
        atomic_write(path, path.read_bytes()[:40])

        with pytest.raises(Exception, match="receipts/"):
            reconcile(live, Clock())
        assert 1 == states(live).count("unknown")


class TestCommand:
    def test_the_command_settles_tells_and_leaves_the_run_to_resume(self, live, monkeypatch):
        """``faultline reconcile`` prints each settlement with its evidence and ends with 0."""
        with lost_reply_of_record(monkeypatch, committed=False):
            work(live)
        done = command(live, "reconcile", live.run, "--json")
        said = json.loads(done.stdout)
        again = command(live, "reconcile", live.run)

        assert 0 == done.returncode
        assert ({"recorded": 0, "absent": 1, "conflicting": 0}, 0) == (said["settled"], said["unknown"])
        assert (0, f"{live.run}: 0 settled, 0 unknown; next: faultline resume {live.run}\n") == (again.returncode, again.stdout)

    def test_a_conflict_has_an_exit_code_of_its_own(self, live, monkeypatch):
        """A conflicting attempt ends the command with 4, and the message names both digests."""
        with lost_reply_of_record(monkeypatch, committed=True):
            work(live)
        with live.open_ledger() as ledger:
            key = ledger.unsettled(live.run)[0].key
        cell = next(c for c in live.manifest().cells if c.key == (key.task, key.variant, key.agent, key.trial))
        receipt = live.receipt(cell, 1)
        other = receipt.trial.model_copy(update={"order_known": True})
        live.write_receipt(cell, receipt.model_copy(update={"trial": other, "payload_digest": other.content_digest()}))
        done = command(live, "reconcile", live.run)

        assert 4 == done.returncode
        assert receipt.payload_digest in done.stderr
        assert other.content_digest() in done.stderr

    def test_a_run_that_is_not_there(self, live):
        """A name that is no live run is an error of its own, without a traceback."""
        done = command(LiveRun(live.root, "nothing"), "reconcile", "nothing")

        assert (2, True) == (done.returncode, "there is no live run of this name" in done.stderr)
