"""Workers as Ray tasks: the ledger decides which cell is whose, and a killed worker costs nothing but its attempt."""

import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from execution_samples import planned_run

from faultline.archive import read_run, verify_run
from faultline.clock import Clock
from faultline.errors import RefusedError, UnfitHostError
from faultline.execution import on_ray, seal_live_run, verify_live_run

needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is an extra")


def ray_workers(mark):
    """Return the processes of Ray that are at work for a test."""
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            words, environment = (process / "cmdline").read_bytes(), (process / "environ").read_bytes()
        except OSError:
            continue
        if words.startswith(b"ray::_work") and mark.encode() in environment:
            found.append(int(process.name))
    return sorted(found)


@needs_ray
@pytest.mark.slow
def test_a_real_ray_with_two_workers_of_which_one_is_killed(benchmark_root, postgresql_server, tmp_path):
    """On Ray with two workers and PostgreSQL, one worker killed in the middle: every cell is recorded once, and verifies."""
    live = planned_run(benchmark_root, ledger_at=postgresql_server.new_schema(), trials=30, seeds=(0, 1))
    mark = f"FAULTLINE_TEST={tmp_path.name}"
    words = ["resume", live.run, "--executor", "ray", "--workers", "2", "--no-seal", "--root", str(live.root)]
    process = subprocess.Popen(
        [sys.executable, "-m", "faultline.cli", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "FAULTLINE_TEST": tmp_path.name, "HOME": str(tmp_path), "RAY_AUTH_MODE": "disabled"},
    )
    killed = []
    with live.open_ledger() as ledger:
        while process.poll() is None and not killed:
            progress = ledger.progress(live.run, Clock().now())
            workers = ray_workers(mark)
            if progress.done > 3 and len(progress.leases) == 2 and len(workers) == 2:
                os.kill(workers[0], signal.SIGKILL)
                killed.append(progress.done)
            time.sleep(0.02)
    _, said = process.communicate()
    with live.open_ledger() as ledger:
        names = {row.worker for row in ledger.all_attempts(live.run)}
    audit = verify_live_run(live, Clock().now())
    path = seal_live_run(live, Clock())

    assert (0, 1) == (process.returncode, len(killed)), said
    assert 3 < killed[0] < 60
    assert ({True}, True) == ({name.startswith("ray-") for name in names}, len(names) > 2)
    assert ((), 60) == (audit.mismatches, audit.counts["rows"])
    assert () == verify_run(path)
    assert {1, 2} >= {len(trial.attempts) for trial in read_run(path).trials}


class FakeRay:
    """Ray's own faults, which cannot be had from a real one in a test: a task dies each time, or raises something foreign."""

    class exceptions:  # noqa: N801  (the module's name)
        class RayError(Exception):
            pass

        class RayTaskError(RayError):
            cause = ValueError("no such module")

    def __init__(self, answer, machines=1):
        self._answer, self._machines = answer, machines
        self.options = None

    def is_initialized(self):
        return True

    def nodes(self):
        return [{"Alive": True}] * self._machines

    def remote(self, **options):
        self.options = options

        def make(function):
            return type("Task", (), {"remote": staticmethod(lambda *_: object())})

        return make

    def wait(self, tasks, **_):
        return tasks[:1], tasks[1:]

    def get(self, task):
        if isinstance(self._answer, type):
            raise self._answer("the worker died")
        return self._answer

    def cancel(self, task, *, force):
        return None


def on_fake(monkeypatch, live, ray):
    monkeypatch.setattr(on_ray, "_ray", lambda: ray)
    return on_ray.execute_on_ray(live, 2, Clock(), lambda _: None)


class TestFaults:
    def test_rays_own_retries_are_off(self, live, monkeypatch):
        """What is tried again is a decision of the run: tasks are submitted without retries of any kind."""
        ray = FakeRay((0, "", 0))
        on_fake(monkeypatch, live, ray)

        assert {"num_cpus": 1, "max_retries": 0, "retry_exceptions": False} == ray.options

    def test_tasks_that_keep_dying_end_the_run(self, live, monkeypatch):
        """A cluster on which every task dies is given up with the next step."""
        with pytest.raises(UnfitHostError, match=f"workers died; found the worker died; next: faultline resume {live.run}"):
            on_fake(monkeypatch, live, FakeRay(FakeRay.exceptions.RayError))

    def test_a_foreign_exception_is_translated(self, live, monkeypatch):
        """What a task raises on its machine reaches the reader as one line."""
        with pytest.raises(UnfitHostError, match="a worker failed on its machine; found no such module"):
            on_fake(monkeypatch, live, FakeRay(FakeRay.exceptions.RayTaskError))

    def test_a_workers_own_error_is_told(self, live, monkeypatch):
        """An error of Faultline's on another machine arrives with its text."""
        with pytest.raises(UnfitHostError, match="the ledger cannot be reached") as caught:
            on_fake(monkeypatch, live, FakeRay((0, "the ledger cannot be reached", 8)))

        assert 8 == caught.value.exit_code

    def test_without_ray(self, live, monkeypatch):
        """Without the extra the executor is refused with what to install."""
        monkeypatch.setitem(sys.modules, "ray", None)

        with pytest.raises(UnfitHostError, match="ray extra"):
            on_ray.execute_on_ray(live, 2, Clock(), lambda _: None)


class TestSharedStores:
    def test_an_sqlite_ledger_is_refused_on_several_machines(self, live, monkeypatch):
        """A file of one machine cannot be the ledger of two."""
        with pytest.raises(RefusedError, match="an SQLite ledger is a file of one machine"):
            on_fake(monkeypatch, live, FakeRay((0, "", 0), machines=2))

    def test_receipts_on_one_machine_are_refused_on_several(self, benchmark_root, postgresql_server, monkeypatch):
        """Receipts that only their writer can read are no evidence for the others."""
        live = planned_run(benchmark_root, ledger_at=postgresql_server.new_schema(), trials=1, seeds=(0,))

        with pytest.raises(RefusedError, match="receipts would stay on the machine that wrote them"):
            on_fake(monkeypatch, live, FakeRay((0, "", 0), machines=2))


class TestTasks:
    def test_a_task_works_on_some_cells_and_ends(self, live, monkeypatch):
        """A task claims as many cells as it was given, and says how many."""
        from execution_samples import judge_nothing

        judge_nothing(monkeypatch)
        words = (str(live.root), live.run, "", "", "")

        assert (4, "", 0) == on_ray._work(words, "ray-1", 0, 4)
        assert (2, "", 0) == on_ray._work(words, "ray-2", 0, 4)

    def test_an_error_travels_as_text(self, live):
        """An error inside a task is returned with its place and its next step."""
        claimed, said, code = on_ray._work(
            (str(live.root), "nothing", str(live.folder / "ledger.sqlite"), "", ""), "ray-1", 0, 4
        )

        assert (0, 2, True) == (claimed, code, "the ledger does not hold this run" in said)
