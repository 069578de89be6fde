"""A run from plan to plain files, and what a crash does to it: nothing that was recorded is lost or counted twice."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from execution_samples import judge_nothing

from faultline.archive import read_run, verify_run
from faultline.clock import Clock
from faultline.errors import ConflictError, FaultlineError, UnfinishedError
from faultline.execution import LiveRun, execute, seal_live_run
from faultline.execution.worker import Worker
from faultline.kinds import Mode, Verdict
from faultline.ledger import AttemptState

RESUME = [sys.executable, "-m", "faultline.cli", "resume", "--workers", "2"]


def silent(_):
    """Show no progress."""


class TestWhole:
    def test_every_planned_cell_has_one_trial(self, live):
        """A run of two workers records every cell once, seals and verifies."""
        progress = execute(live, 2, Clock(), silent)
        path = seal_live_run(live, Clock())

        assert (6, 6) == (progress.planned, progress.done)
        assert () == verify_run(path)
        assert {Verdict.PASSED} == {trial.outcome.verdict for trial in read_run(path).trials}

    def test_a_finished_run_can_be_executed_again_without_effect(self, live):
        """Resuming a finished run changes no record."""
        execute(live, 2, Clock(), silent)
        with live.open_ledger() as ledger:
            before = list(ledger.trials(live.run))
        execute(live, 2, Clock(), silent)
        with live.open_ledger() as ledger:
            assert before == list(ledger.trials(live.run))

    def test_an_unfinished_run_cannot_be_sealed(self, live):
        """A run with a missing cell is refused by seal, and nothing is left in runs/."""
        with pytest.raises(UnfinishedError):
            seal_live_run(live, Clock())

        assert [".keep"] == [path.name for path in (live.root / "runs").iterdir()]

    def test_a_task_that_changed_meanwhile_is_noticed(self, live):
        """A run is not continued on another form of its task."""
        readme = live.root / "tasks" / "count-orders" / "workspace" / "README.md"
        readme.write_text(readme.read_text() + "More.\n")

        with pytest.raises(FaultlineError, match="not the one that the run was planned with"):
            Worker(live, "w", Clock(), {}).work()


class TestFaults:
    def test_a_fault_of_the_host_is_retried_and_kept(self, live, monkeypatch):
        """A child that did not start gives another attempt; both stand in the record, and the verdict is the second's."""
        from faultline.grading import HarnessFault, Judge

        real = Judge.sitting
        faults = iter([HarnessFault("no room")])

        def first_fails(judge, *arguments):
            for fault in faults:
                raise fault
            return real(judge, *arguments)

        monkeypatch.setattr(Judge, "sitting", first_fails)
        Worker(live, "w", Clock(), {}).work()
        with live.open_ledger() as ledger:
            trials = list(ledger.trials(live.run))
        retried = [trial for trial in trials if len(trial.attempts) == 2]

        assert [["faulted", "judged"]] == [[attempt.end for attempt in trial.attempts] for trial in retried]
        assert "no room" == retried[0].attempts[0].observed
        assert Verdict.PASSED is retried[0].outcome.verdict

    def test_a_host_that_stays_unfit_gives_no_verdict(self, live, monkeypatch):
        """After the last allowed attempt the cell is recorded as infrastructure, and stays in the planned number."""
        from faultline.grading import HarnessFault, Judge

        def always(*_):
            raise HarnessFault("no room")

        monkeypatch.setattr(Judge, "sitting", always)
        Worker(live, "w", Clock(), {}).work()
        with live.open_ledger() as ledger:
            trials = list(ledger.trials(live.run))

        assert 6 == len(trials)
        assert {(Verdict.NONE, Mode.INFRASTRUCTURE, 3)} == {
            (trial.outcome.verdict, trial.outcome.mode, len(trial.attempts)) for trial in trials
        }

    def test_a_receipt_is_recorded_without_doing_the_work_again(self, live, monkeypatch):
        """When a worker died between receipt and record, the result that was judged is recorded as it was."""
        from faultline.ledger.sql import SqlLedger

        with monkeypatch.context() as patch:
            patch.setattr(SqlLedger, "record", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                Worker(live, "w1", Clock(), {}).work()
        receipts = sorted((live.folder / "receipts").iterdir())
        with live.open_ledger() as ledger:
            ledger.evict(live.run, "w1")
        Worker(live, "w2", Clock(), {}).work()
        with live.open_ledger() as ledger:
            first = next(iter(ledger.trials(live.run)))
            states = [row.state for row in ledger.attempts(first.key)]

        assert 1 == len(receipts)
        assert 1 == len(first.attempts)
        assert [AttemptState.RECORDED] == states


class TestKilled:
    def test_kill_and_resume_counts_every_cell_once(self, live):
        """After several SIGKILLs at random moments every planned cell has exactly one trial and the run verifies."""
        rng = random.Random(5)
        for _ in range(4):
            process = subprocess.Popen(
                [*RESUME, "--no-seal", "--root", str(live.root), live.run],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            try:
                process.wait(timeout=1.0 + rng.random())
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
        done = subprocess.run([*RESUME, "--root", str(live.root), live.run], capture_output=True, text=True, check=False)
        path = live.root / "runs" / live.run

        assert (0, "") == (done.returncode, done.stderr)
        assert () == verify_run(path)
        assert 6 == len({trial.key for trial in read_run(path).trials})
        assert not live.folder.exists()

    def test_nothing_of_a_killed_run_stays_alive(self, live):
        """When the runner is killed, its workers and their sandboxes end with it."""
        process = subprocess.Popen(
            [*RESUME, "--no-seal", "--root", str(live.root), live.run], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        with live.open_ledger() as ledger:
            while not ledger.progress(live.run, Clock().now()).leases and process.poll() is None:
                time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        deadline = time.monotonic() + 30
        while _mentioning(live.run) and time.monotonic() < deadline:
            time.sleep(0.05)

        assert [] == _mentioning(live.run)


def _mentioning(run: str) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        if process.name != str(os.getpid()):
            try:
                said = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
            except OSError:
                continue
            if run.encode() in said:
                found.append(process.name)
    return found


class TestTwoAtOnce:
    def test_two_resumes_share_the_work(self, live):
        """Two runners of one run record every cell once between them."""
        command = [*RESUME, "--no-seal", "--root", str(live.root), live.run]
        both = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(2)]
        ends = [(process.communicate()[1], process.returncode) for process in both]

        assert [(b"", 0), (b"", 0)] == ends
        with LiveRun(live.root, live.run).open_ledger() as ledger:
            assert 6 == len(list(ledger.trials(live.run)))
            assert [] == list(ledger.conflicts(live.run))


class TestConflict:
    def test_a_second_result_is_told_with_both_digests(self, live, monkeypatch):
        """When a cell got another result than the recorded one, the command ends with 4 and names both; the first one counts."""
        judge_nothing(monkeypatch)
        Worker(live, "w", Clock(), {}).work()
        with live.open_ledger() as ledger:
            first = next(iter(ledger.trials(live.run)))
            other = first.model_copy(update={"order_known": True})
            with pytest.raises(ConflictError):
                ledger.record(other)
        done = subprocess.run([*RESUME, "--root", str(live.root), live.run], capture_output=True, text=True, check=False)
        run = read_run(live.root / "runs" / live.run)

        assert 4 == done.returncode
        assert f"expected {first.content_digest()}; found {other.content_digest()}" in done.stderr
        assert (first, (other,)) == (run.trials[0], tuple(item.trial for item in run.refused))


class TestLeavings:
    def test_what_a_killed_worker_left_is_cleared_by_the_next_run(self, live, monkeypatch, tmp_path):
        """The scratch folder of a worker whose runner is gone goes; that of a living one stays."""
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        dead = tmp_path / f"faultline-{live.run}-local-1-0-1"
        other = tmp_path / f"faultline-{live.run}-elsewhere-1"
        dead.mkdir()
        other.mkdir()
        execute(live, 1, Clock(), silent)

        assert not dead.exists()
        assert other.exists()
