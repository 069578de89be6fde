"""Run a plan to its end with a pool of local worker processes, and seal what came of it."""

import multiprocessing
import os
import shutil
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path

from faultline.archive import seal_run
from faultline.clock import Clock
from faultline.errors import FaultlineError, UnfitHostError
from faultline.execution.live import LiveRun
from faultline.execution.worker import scratch_folder, serve
from faultline.ledger import Ledger, Progress

POLL_SECONDS = 0.25
"""How often the runner looks at the ledger."""
START_METHOD = "spawn"
"""How worker processes begin; nothing of the runner is in them."""
MAX_DEATHS = 5
"""Workers that may die without a message before the run is given up."""


def execute(live: LiveRun, workers: int, clock: Clock, report: Callable[[Progress], None]) -> Progress:
    """Start workers until every cell is recorded or waits for reconcile; safe to call again after any crash.

    Two calls at once share the work. Raises the fault of a worker that ended with one; a worker that was killed is replaced.
    """
    with live.open_ledger() as ledger:
        manifest = ledger.manifest(live.run)
        _evict_the_dead(ledger, live.run, clock)
        crew = _Crew(live, ledger, min(workers, len(manifest.cells)), len(manifest.cells))
        try:
            crew.fill()
            while crew.alive():
                report(ledger.progress(live.run, clock.now()))
                clock.sleep(POLL_SECONDS)
                crew.replace_the_dead()
        finally:
            crew.dismiss()
        progress = ledger.progress(live.run, clock.now())
        report(progress)
        return progress


def seal_live_run(live: LiveRun, clock: Clock, target_parent: Path | None = None) -> Path:
    """Turn a finished live run into plain files and return their folder, by default under ``runs/``.

    The live folder then goes; what lies in an artifact store elsewhere stays there. Raises :class:`UnfinishedError` while a
    cell is missing or an attempt is unknown.
    """
    with live.open_ledger() as ledger:
        manifest = ledger.manifest(live.run)
        unsettled = len(ledger.unsettled(live.run))
        path = seal_run(
            target_parent or live.root / "runs",
            manifest,
            ledger.trials(live.run),
            ledger.conflicts(live.run),
            live.open_artifact,
            clock,
            unsettled=unsettled,
            settlements=live.settlements(),
        )
    shutil.rmtree(live.folder, ignore_errors=True)
    return path


def worker_ended(run: str, said: str, code: int) -> FaultlineError:
    """Return the error for a run whose worker ended with one; its exit code is the worker's, when that says something."""
    error = UnfitHostError(run, "a worker ended with an error", found=said, next_step=f"mend it, then: faultline resume {run}")
    if code in range(2, 9):
        error.exit_code = code
    return error


class _Crew:
    """The worker processes of one call."""

    def __init__(self, live: LiveRun, ledger: Ledger, size: int, cells: int) -> None:
        self._live, self._ledger, self._size, self._cells = live, ledger, size, cells
        self._processes: dict[str, BaseProcess] = {}
        self._context = multiprocessing.get_context(START_METHOD)
        self._deaths = 0
        self._hired = 0

    def fill(self) -> None:
        """Hire until the crew has its size; each starts on a stretch of the plan of its own."""
        while len(self._processes) < self._size:
            start = self._hired % self._size * self._cells // self._size
            self._hired += 1
            name = f"local-{os.getpid()}-{_started(os.getpid())}-{self._hired}"
            process: BaseProcess = self._context.Process(target=serve, args=(self._live, name, start, os.getpid()), name=name)  # type: ignore[attr-defined]  # typeshed's base has none
            process.start()
            self._processes[name] = process

    def alive(self) -> bool:
        return bool(self._processes)

    def replace_the_dead(self) -> None:
        for name, process in list(self._processes.items()):
            if process.is_alive():
                continue
            process.join()
            del self._processes[name]
            self._clear_up(name)
            if process.exitcode == 0:
                continue
            if (process.exitcode or 0) > 0:
                raise worker_ended(self._live.run, "see its message above", process.exitcode or 1)
            self._deaths += 1
            if self._deaths > MAX_DEATHS:
                raise UnfitHostError(
                    self._live.run, f"{self._deaths} workers were killed", next_step=f"faultline resume {self._live.run}"
                )
            self.fill()

    def dismiss(self) -> None:
        for name, process in self._processes.items():
            process.kill()
            process.join()
            self._clear_up(name)
        self._processes.clear()

    def _clear_up(self, name: str) -> None:
        shutil.rmtree(scratch_folder(self._live.run, name), ignore_errors=True)
        try:
            self._ledger.evict(self._live.run, name)
        except FaultlineError:
            return  # the lease lapses by itself


def _evict_the_dead(ledger: Ledger, run: str, clock: Clock) -> None:
    """Free the cells of local workers whose runner is gone, and clear what they left; what others hold stays theirs."""
    for lease in ledger.progress(run, clock.now()).leases:
        if _is_dead(lease.worker):
            ledger.evict(run, lease.worker)
    own = scratch_folder(run, "")
    for folder in own.parent.glob(f"{own.name}local-*"):
        if _is_dead(folder.name.removeprefix(own.name)):
            shutil.rmtree(folder, ignore_errors=True)


def _is_dead(worker: str) -> bool:
    """Return whether a local worker's runner has ended; of workers elsewhere nothing is known."""
    kind, _, rest = worker.partition("-")
    pid, _, more = rest.partition("-")
    return kind == "local" and pid.isdigit() and _started(int(pid)) != more.rpartition("-")[0]


def _started(pid: int) -> str:
    """Return when a process of this host started, in clock ticks since boot; empty when there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
