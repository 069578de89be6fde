"""A live run is verified from both sides: the ledger against the effects, and the effects against the ledger."""

import dataclasses
import json
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from execution_samples import judge_nothing, lost_reply_of_record, planned_run
from tiny import write_benchmark

from faultline.clock import Clock
from faultline.execution import verify_live_run
from faultline.execution.worker import Worker
from faultline.kinds import digest_bytes
from faultline.ledger.sql import SqlLedger
from faultline.records import Receipt, canonical_bytes


@pytest.fixture
def done(tmp_path, monkeypatch):
    """A live run of two cells, finished and not sealed."""
    judge_nothing(monkeypatch)
    live = planned_run(write_benchmark(tmp_path / "benchmark"), trials=2, seeds=(0,))
    Worker(live, "w", Clock(), {}).work()
    return live


def kinds(live):
    return [item.kind for item in verify_live_run(live, Clock().now()).mismatches]


def files(live, folder):
    return sorted((live.folder / folder).iterdir())


def forge(live, change):
    """Change the first row behind the ledger's back, with a digest that fits."""
    with closing(sqlite3.connect(live.folder / "ledger.sqlite")) as db, db:
        payload = db.execute("SELECT payload FROM faultline_trials ORDER BY trial LIMIT 1").fetchone()[0]
        plain = json.loads(payload)
        change(plain)
        new = canonical_bytes(plain).decode()
        db.execute(
            "UPDATE faultline_trials SET payload = ?, digest = ? WHERE payload = ?", (new, digest_bytes(new.encode()), payload)
        )


class TestWhole:
    def test_a_finished_run_is_counted_from_both_sides(self, done):
        """Rows, receipts, traces and attempts are counted apart, and agree; equal candidates share one file."""
        audit = verify_live_run(done, Clock().now())

        assert () == audit.mismatches
        assert {
            "planned": 2,
            "rows": 2,
            "receipts": 2,
            "candidates": 1,
            "traces": 2,
            "attempts": 2,
            "refused": 0,
            "in_flight": 0,
        } == audit.counts

    def test_a_run_that_has_not_begun(self, live):
        """Nothing on either side is no difference."""
        assert [] == kinds(live)

    def test_what_a_lease_still_covers_is_in_flight(self, done):
        """A receipt whose worker holds the cell at present is no difference yet; once the lease is gone it is."""
        with closing(sqlite3.connect(done.folder / "ledger.sqlite")) as db, db:
            db.execute("DELETE FROM faultline_trials WHERE trial = 0")
            db.execute("UPDATE faultline_cells SET state = 'open' WHERE trial = 0")
        with done.open_ledger() as ledger:
            claim = ledger.claim(done.run, "w", Clock().now(), 60)
        during = kinds(done)
        with done.open_ledger() as ledger:
            ledger.release(claim)

        assert ([], ["not-recorded"]) == (during, kinds(done))


class TestRowsWithoutEffects:
    def test_a_row_without_a_receipt(self, done):
        """A result whose attempt left no receipt is named."""
        files(done, "receipts")[0].unlink()

        assert ["no-receipt"] == kinds(done)

    @pytest.mark.parametrize("folder", ["artifacts/traces", "artifacts/candidates"])
    def test_a_row_without_its_file(self, done, folder):
        """A trace or a candidate that a row refers to and that is gone is named."""
        files(done, folder)[0].unlink()

        assert ["missing-file"] == kinds(done)

    def test_a_row_that_is_not_its_receipt(self, done):
        """A row that was changed, digest and all, is not what its attempt left."""
        forge(done, lambda plain: plain.update(order_known=True))

        assert ["payload"] == kinds(done)

    def test_a_row_whose_digest_does_not_fit(self, done):
        """A row whose bytes were changed is named by its digest."""
        with closing(sqlite3.connect(done.folder / "ledger.sqlite")) as db, db:
            db.execute("UPDATE faultline_trials SET payload = replace(payload, 'native', 'inferred')")

        assert "digest" in kinds(done)

    def test_two_rows_for_one_cell(self, done, monkeypatch):
        """A store that yields a cell twice is named."""
        real = SqlLedger.trials
        monkeypatch.setattr(SqlLedger, "trials", lambda ledger, run: iter([*real(ledger, run), next(real(ledger, run))]))

        assert ["two-rows"] == kinds(done)

    def test_attempts_that_the_ledger_never_saw_begin(self, done):
        """A trial with more attempts than began is named, and so is its receipt."""
        with closing(sqlite3.connect(done.folder / "ledger.sqlite")) as db, db:
            db.execute("DELETE FROM faultline_attempts WHERE trial = 0")

        assert ["attempts", "attempts"] == kinds(done)


class TestEffectsWithoutRows:
    def test_a_receipt_without_a_row(self, done):
        """A receipt whose cell has no result is an effect without a row; resume records it."""
        with closing(sqlite3.connect(done.folder / "ledger.sqlite")) as db, db:
            db.execute("DELETE FROM faultline_trials WHERE trial = 0")
        audit = verify_live_run(done, Clock().now())

        assert ["not-recorded"] == [item.kind for item in audit.mismatches]
        assert f"faultline resume {done.run}" == audit.errors(done.run)[0].next_step

    def test_a_receipt_of_another_attempt(self, done):
        """A second receipt of a recorded cell that nobody refused is an effect without a row."""
        path = files(done, "receipts")[0]
        receipt = Receipt.parse(path.read_bytes(), path.name)
        trial = receipt.trial
        second = trial.model_copy(
            update={
                "attempts": (
                    trial.attempts[0].model_copy(update={"end": "unknown"}),
                    trial.last.model_copy(update={"number": 2}),
                )
            }
        )
        cell = next(cell for cell in done.manifest().cells if cell.trial == trial.key.trial)
        done.write_receipt(
            cell, receipt.model_copy(update={"attempt": 2, "trial": second, "payload_digest": second.content_digest()})
        )

        assert ["attempts", "no-row"] == kinds(done)

    def test_a_receipt_that_does_not_hold_what_it_names(self, done):
        """A receipt whose content has another digest than it says is named."""
        path = files(done, "receipts")[0]
        receipt = Receipt.parse(path.read_bytes(), path.name)
        other = receipt.trial.model_copy(update={"order_known": True})
        path.write_bytes(receipt.model_copy(update={"trial": other}).canonical() + b"\n")

        assert ["digest"] == kinds(done)

    def test_a_receipt_that_cannot_be_read(self, done):
        """A torn receipt is named, and its row has no effect then."""
        path = files(done, "receipts")[0]
        path.write_bytes(path.read_bytes()[:30])

        assert ["unreadable", "no-receipt"] == kinds(done)

    def test_a_receipt_under_another_name(self, done):
        """One receipt cannot stand for two attempts."""
        path = files(done, "receipts")[0]
        path.with_name(path.name.replace(".1.json", ".2.json")).write_bytes(path.read_bytes())

        assert ["two-receipts"] == kinds(done)

    def test_a_receipt_of_another_run(self, done):
        """A receipt that was carried over from another run is named."""
        path = files(done, "receipts")[0]
        path.with_name("other.json").write_bytes(path.read_bytes().replace(done.run.encode(), b"another-run"))

        assert "other-run" in kinds(done)

    @pytest.mark.parametrize("folder", ["artifacts/traces", "artifacts/candidates"])
    def test_a_file_that_nobody_refers_to(self, done, folder):
        """A trace or a candidate that belongs to no attempt is an effect without a row."""
        path = files(done, folder)[0]
        path.with_name("stray" + path.suffix).write_bytes(path.read_bytes())

        assert ["no-row"] == kinds(done)

    def test_a_kept_attempt_that_never_began(self, done):
        """An attempt in the store that the ledger has not seen begin is named."""
        cell = done.manifest().cells[0]
        receipt = done.receipt(cell, 1)
        done.write_attempt(cell, receipt.trial.last.model_copy(update={"number": 4}))

        assert ["attempts"] == kinds(done)


class TestPayloads:
    def test_one_transcript_under_two_trials(self, done):
        """Two rows that refer to one trace are named, whatever their digests."""
        with done.open_ledger() as ledger:
            other = list(ledger.trials(done.run))[1].model_dump(mode="json")
        trace = next(item for item in other["attempts"][0]["artifacts"] if item["role"] == "trace")

        def share(plain):
            plain["attempts"][0]["artifacts"] = [
                trace if item["role"] == "trace" else item for item in plain["attempts"][0]["artifacts"]
            ]

        forge(done, share)

        assert "shared-trace" in kinds(done)

    def test_a_candidate_that_is_not_the_one_of_the_row(self, done):
        """A row that names another tree than its candidate's file holds is named."""
        forge(done, lambda plain: plain["attempts"][0].update(candidate="sha256:" + "0" * 64))

        assert "candidate" in kinds(done)

    def test_a_candidate_file_that_was_changed(self, done):
        """A candidate whose content is not the listed tree's is named, by the row's digest and by its own."""
        path = files(done, "artifacts/candidates")[0]
        path.write_bytes(path.read_bytes().replace(b"Return the sum", b"Return a sum"))

        assert ["artifact", "candidate"] == kinds(done)

    def test_the_plan_in_the_folder_is_the_one_in_the_ledger(self, done):
        """A plan that was changed beside the ledger is named."""
        manifest = done.manifest()
        other = manifest.model_copy(update={"judge_seed": "f" * 32})
        (done.folder / "manifest.json").write_bytes(other.canonical() + b"\n")

        assert ["manifest"] == kinds(done)


class TestCommand:
    def run(self, live, *words):
        return subprocess.run(
            [sys.executable, "-m", "faultline.cli", "verify", *words, "--root", str(live.root)],
            capture_output=True,
            text=True,
            check=False,
        )

    def test_a_live_run_verifies(self, done):
        """The command tells the counts of a live run, and ends with 0."""
        said = self.run(done)

        assert (0, True) == (said.returncode, f"{done.run}: verified (live: 2 planned, 2 rows, 2 receipts" in said.stdout)

    def test_a_difference_has_its_exit_code(self, done):
        """A difference ends the command with 5 and is named with its place."""
        files(done, "receipts")[0].unlink()
        said = self.run(done, done.run, "--json")
        answer = json.loads(said.stdout)[done.run]

        assert (5, "live", 1) == (said.returncode, answer["state"], len(answer["mismatches"]))
        assert "a row without an effect" in answer["mismatches"][0]

    def test_a_run_that_is_nowhere(self, done):
        """A name that is neither sealed nor live is an error."""
        assert 2 == self.run(dataclasses.replace(done), "nothing").returncode


def test_a_conflict_that_was_kept_is_no_difference(tmp_path, monkeypatch):
    """A refused result with its receipt is known on both sides."""
    judge_nothing(monkeypatch)
    live = planned_run(write_benchmark(tmp_path / "benchmark"), trials=1, seeds=(0,))
    with lost_reply_of_record(monkeypatch, committed=True):
        Worker(live, "w", Clock(sleep=lambda _: None), {}).work()
    cell = live.manifest().cells[0]
    receipt = live.receipt(cell, 1)
    other = receipt.trial.model_copy(update={"order_known": True})
    live.write_receipt(cell, receipt.model_copy(update={"trial": other, "payload_digest": other.content_digest()}))
    from faultline.execution import reconcile

    reconcile(live, Clock())

    assert ["payload"] == kinds(live)
