"""Resume from anything: runners killed at random moments, a full disk, a folder without rights, a clock set back, a cut ledger."""

import dataclasses
import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from execution_samples import judge_nothing, planned_run, states
from tiny import write_benchmark

from faultline.clock import Clock
from faultline.execution import execute, verify_live_run
from faultline.execution.worker import Worker
from faultline.files import WriteError
from faultline.ledger.sqlite import read_salvage

HARNESS = Path(__file__).parent / "kill_harness.py"


def under_fire(store, kills, folder):
    """Run the harness in a process of its own and return what it found."""
    done = subprocess.run(
        [sys.executable, str(HARNESS), store, str(kills), "7", str(folder)], capture_output=True, text=True, check=False
    )
    assert "" == done.stderr
    return json.loads(done.stdout)


def faultline(live, *words, env=None):
    return subprocess.run(
        [sys.executable, "-m", "faultline.cli", *words, "--root", str(live.root)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(env or {})},
    )


class TestKilledRunners:
    @pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
    def test_every_cell_is_counted_once(self, request, tmp_path, kind):
        """Runners of 4 workers killed at random moments: every cell has one trial, attempts add up, digests verify, and no
        agent works again where a receipt is. `benchmarks/kills.py` does the same with 120 kills a store."""
        store = request.getfixturevalue("postgresql_server").new_schema() if kind == "postgresql" else kind
        found = under_fire(store, 5, tmp_path)

        assert 5 == found["kills"]
        assert found["planned"] == found["trials"]
        assert (0, []) == (found["redone"], found["differences"])


class TestFullDisk:
    @pytest.fixture
    def small_disk(self, tmp_path):
        """A file system of one megabyte; needs the right to mount one."""
        folder = tmp_path / "disk"
        folder.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)], capture_output=True, check=False)
        if done.returncode:
            pytest.skip("this test needs the right to mount a file system")
        yield folder
        subprocess.run(["umount", str(folder)], check=True)

    def test_a_full_artifact_store_stops_the_run_and_loses_nothing(self, small_disk, tmp_path, monkeypatch):
        """A disk that fills up is an error of its own; with room again the run is finished, every cell once."""
        judge_nothing(monkeypatch)
        live = planned_run(write_benchmark(tmp_path / "benchmark"), artifacts_at=str(small_disk), trials=20, seeds=(0,))
        filler = small_disk / "filler"
        filler.write_bytes(b"x" * (1024 * 1024 - 120 * 1024))
        with pytest.raises(WriteError, match="No space left on device"):
            Worker(live, "w", Clock(), {}).work()
        with live.open_ledger() as ledger:
            ledger.evict(live.run, "w")
            before = ledger.progress(live.run, Clock().now()).done
        filler.unlink()
        Worker(live, "x", Clock(), {}).work()

        assert 0 < before < 20
        assert () == verify_live_run(live, Clock().now()).mismatches

    def test_a_full_ledger_stops_the_run_and_loses_nothing(self, small_disk, tmp_path, monkeypatch):
        """The same when it is the ledger's disk: the error names it, the receipts are there, and the run is finished later."""
        judge_nothing(monkeypatch)
        live = planned_run(
            write_benchmark(tmp_path / "benchmark"), ledger_at=str(small_disk / "ledger.db"), trials=20, seeds=(0,)
        )
        free = shutil.disk_usage(small_disk).free
        filler = small_disk / "filler"
        filler.write_bytes(b"x" * (free - 160 * 1024))
        with pytest.raises(Exception, match="the disk is full"):
            Worker(live, "w", Clock(sleep=lambda _: None), {}).work()
        filler.unlink()
        with live.open_ledger() as ledger:
            ledger.evict(live.run, "w")
            before = ledger.progress(live.run, Clock().now()).done
        Worker(live, "x", Clock(), {}).work()

        assert before < 20
        assert () == verify_live_run(live, Clock().now()).mismatches


class TestNoRights:
    def read_only(self, live, *words):
        """Run a command where every file system is read-only but the one for scratch."""
        sandbox = ["bwrap", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/dev/shm"]
        return subprocess.run(
            [*sandbox, sys.executable, "-m", "faultline.cli", *words, "--root", str(live.root)],
            capture_output=True,
            text=True,
            check=False,
        )

    def test_a_folder_that_may_not_be_written_is_one_line(self, live):
        """A benchmark on a read-only file system refuses the run in one line, without a traceback."""
        done = self.read_only(live, "run", "no-op", "--sandbox", "process")

        assert (8, 1) == (done.returncode, len(done.stderr.splitlines()))
        assert "this could not be written" in done.stderr

    def test_resuming_without_the_right_to_write_is_told_and_changes_nothing(self, live):
        """A live run whose folder cannot be written any more ends with the store's error and keeps what it has."""
        done = self.read_only(live, "resume", live.run, "--workers", "1")

        assert (8, False) == (done.returncode, "Traceback" in done.stderr)
        assert [] == states(live)


class TestClock:
    def test_a_clock_that_steps_back_costs_nothing(self, live, monkeypatch):
        """Leases given by a clock that was an hour ahead do not block anybody, and no result is lost or doubled."""
        judge_nothing(monkeypatch)
        ahead = Clock(now=lambda: Clock().now() + timedelta(hours=1))
        with live.open_ledger() as ledger:
            claim = ledger.claim(live.run, "ahead", ahead.now(), 60)
            ledger.begin_attempt(claim, ahead.now())
        Worker(live, "w", Clock(), {}).work()

        assert 6 == states(live).count("recorded")
        assert () == verify_live_run(live, Clock().now()).mismatches

    def test_a_clock_that_steps_back_while_a_worker_works(self, live, monkeypatch):
        """A worker whose clock goes backwards all the time records every cell once."""
        judge_nothing(monkeypatch)
        start = Clock().now()
        steps = iter(range(100_000))
        back = Clock(now=lambda: start - timedelta(seconds=next(steps)))
        Worker(live, "w", back, {}).work()

        assert 6 == states(live).count("recorded")


class TestCutLedger:
    def test_the_good_prefix_is_readable_and_told(self, live, monkeypatch):
        """A ledger's file that was cut is an error of one line, which tells how many trials and receipts can still be read."""
        judge_nothing(monkeypatch)
        Worker(live, "w", Clock(), {}).work()
        path = live.folder / "ledger.sqlite"
        with live.open_ledger() as ledger:
            ledger.progress(live.run, Clock().now())
        path.write_bytes(path.read_bytes()[: path.stat().st_size - 8192])
        good = len(list(read_salvage(path)))
        done = faultline(live, "status", live.run)

        assert 8 == done.returncode
        assert f"found {good} whole trials in its undamaged beginning, 6 receipts in the artifact store" in done.stderr
        assert "restore the file from a copy" in done.stderr

    def test_resume_refuses_a_cut_ledger(self, live, monkeypatch):
        """Nothing is recorded into a damaged ledger."""
        judge_nothing(monkeypatch)
        Worker(live, "w", Clock(), {}).work()
        path = live.folder / "ledger.sqlite"
        path.write_bytes(path.read_bytes()[:5000])
        done = faultline(live, "resume", live.run)

        assert (8, True) == (done.returncode, "truncated or damaged" in done.stderr)

    def test_one_bad_run_does_not_hide_the_others(self, live):
        """`faultline status` shows the runs that can be read and then names the one that cannot."""
        other = planned_run(live.root, trials=1, seeds=(0,))
        (other.folder / "ledger.sqlite").write_bytes(b"")
        done = faultline(live, "status")

        assert 8 == done.returncode
        assert f"{live.run}: 0 of 6 recorded" in done.stdout
        assert "it was cut to nothing" in done.stderr


class TestKilledWorkers:
    def test_a_worker_that_is_killed_is_replaced(self, live, monkeypatch):
        """When one worker is killed the runner hires another one, and every cell is recorded."""
        killed = []

        def kill_once(progress):
            if progress.leases and not killed:
                worker = min(multiprocessing.active_children(), key=lambda process: process.name)
                killed.append(worker.name)
                worker.kill()

        progress = execute(live, 2, Clock(), kill_once)

        assert 1 == len(killed)
        assert (6, 0) == (progress.done, progress.unknown)

    def test_a_run_is_given_up_when_its_workers_keep_dying(self, live, monkeypatch):
        """Workers that all die without a message end the run with an error that names the next step."""
        from faultline.execution import runner

        monkeypatch.setattr(runner, "serve", _die)

        with pytest.raises(Exception, match="workers were killed; next: faultline resume"):
            execute(dataclasses.replace(live), 2, Clock(sleep=lambda _: None), lambda _: None)


def _die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
