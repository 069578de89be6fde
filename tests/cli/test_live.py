"""``faultline status``: where live runs stand, how fast they are, and how long they still take."""

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "execution"))

from execution_samples import judge_nothing, planned_run
from tiny import write_benchmark

from faultline.clock import Clock
from faultline.execution import retry_rule
from faultline.execution.worker import Worker
from faultline.kinds import RetryPolicy
from faultline.ledger import AttemptState


@pytest.fixture
def live(tmp_path):
    return planned_run(
        write_benchmark(tmp_path / "benchmark"), trials=4, seeds=(0,), retry=retry_rule(RetryPolicy.BEST_OF_K, 2)
    )


def status(live, *words):
    return subprocess.run(
        [sys.executable, "-m", "faultline.cli", "status", *words, "--root", str(live.root)],
        capture_output=True,
        text=True,
        check=False,
    )


class TestStatus:
    def test_a_run_at_work(self, live, monkeypatch):
        """Planned, recorded by outcome, running with the age of each lease, unknown, rate and time left, as JSON and as text."""
        judge_nothing(monkeypatch)
        Worker(live, "first", Clock(), {}).work(1)
        with live.open_ledger() as ledger:
            one = ledger.claim(live.run, "second", Clock().now() - timedelta(seconds=30), 600)
            ledger.begin_attempt(one, Clock().now())
            other = ledger.claim(live.run, "third", Clock().now(), 600)
            ledger.begin_attempt(other, Clock().now())
            ledger.mark(other.key, 1, AttemptState.UNKNOWN, "lost")
        view = json.loads(status(live, live.run, "--json").stdout)[live.run]
        said = status(live, live.run).stdout

        assert (4, 1, 1, 0) == (view["planned"], view["recorded"], view["passed"], view["failed"])
        assert (1, 1, "best-of-2") == (view["running"], view["unknown"], view["estimand"])
        assert {"recorded": 1, "started": 1, "unknown": 1} == view["attempts"]
        assert [("second", True)] == [(lease["worker"], lease["age_seconds"] >= 30) for lease in view["leases"]]
        assert view["per_minute"] > 0 < view["seconds_left"]
        assert f"{live.run}: 1 of 4 recorded: 1 passed, 0 failed" in said
        assert "(best-of-2)" in said
        assert f"next: faultline reconcile {live.run}" in said
        assert "second" in said

    def test_a_run_that_has_not_begun_has_no_rate(self, live):
        """Without a recorded trial rate and time left are absent with a reason, and not zero."""
        view = json.loads(status(live, "--json").stdout)[live.run]

        assert ["not-run", "not-run"] == [view[name]["absence"] for name in ("per_minute", "seconds_left")]
        assert "no trial was recorded of late" in status(live).stdout

    def test_a_finished_run_has_no_time_left(self, live, monkeypatch):
        """When every cell is recorded the time left does not apply."""
        judge_nothing(monkeypatch)
        Worker(live, "w", Clock(), {}).work()
        view = json.loads(status(live, "--json").stdout)[live.run]

        assert "not-applicable" == view["seconds_left"]["absence"]

    def test_no_live_run(self, live):
        """A benchmark without live runs says so."""
        import shutil

        shutil.rmtree(live.folder)

        assert (0, "no live runs; sealed ones are in runs/\n") == (status(live).returncode, status(live).stdout)

    def test_a_name_that_is_no_run(self, live):
        """A run that is not there is one line."""
        done = status(live, "nothing")

        assert (2, 1) == (done.returncode, len(done.stderr.splitlines()))


class TestWatch:
    def test_it_looks_until_the_run_is_recorded(self, live, monkeypatch):
        """Each look of --watch --json is one line, and the last one shows every cell recorded."""
        judge_nothing(monkeypatch)
        watching = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "faultline.cli",
                "status",
                live.run,
                "--watch",
                "--every",
                "0.1",
                "--json",
                "--root",
                str(live.root),
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        first = json.loads(watching.stdout.readline())
        Worker(live, "w", Clock(), {}).work()
        rest, _ = watching.communicate()
        last = json.loads(rest.splitlines()[-1])

        assert 0 == watching.returncode
        assert (0, 4) == (first[live.run]["recorded"], last[live.run]["recorded"])

    def test_it_ends_when_the_run_was_sealed_meanwhile(self, live):
        """A run whose live folder goes ends the watch without an error."""
        import shutil

        watching = subprocess.Popen(
            [sys.executable, "-m", "faultline.cli", "status", live.run, "--watch", "--every", "0.1", "--root", str(live.root)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        watching.stdout.readline()
        shutil.rmtree(live.folder)
        _, said = watching.communicate()

        assert (0, "") == (watching.returncode, said)
