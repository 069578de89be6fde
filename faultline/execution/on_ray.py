"""Workers as Ray tasks, on as many machines as a Ray cluster has. Ray is imported here and nowhere else.

Ray only finds a processor for a worker. Which cell is whose, and what is tried again, stays the ledger's and the run's
decision: Ray's own retries are off, and a worker that dies loses its lease like any other.
"""

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from faultline.clock import Clock
from faultline.errors import FaultlineError, RefusedError, UnfitHostError
from faultline.execution.live import LiveRun
from faultline.execution.runner import POLL_SECONDS, worker_ended
from faultline.execution.worker import Worker, scratch_folder
from faultline.kinds import safe_text
from faultline.ledger import Ledger, Progress

CELLS_PER_TASK = 25
"""Cells that one task claims before it ends and makes room: long enough to keep what is slow to load, short enough to move."""
MAX_DEATHS = 10
"""Tasks that may die without a message before the run is given up."""


def execute_on_ray(live: LiveRun, workers: int, clock: Clock, report: Callable[[Progress], None]) -> Progress:
    """Work on a plan with Ray tasks until every cell is recorded or waits for reconcile; safe to call again after any crash.

    Uses the cluster that ``RAY_ADDRESS`` names, or starts Ray on this machine. Raises ``UnfitHostError`` when Ray is not
    installed or tasks keep dying, ``RefusedError`` when ledger or artifacts are files of one machine and the cluster has more.
    """
    ray = _ray()
    started = not ray.is_initialized()
    if started:
        ray.init(**_settings(workers))
    try:
        _require_shared(live, len([node for node in ray.nodes() if node["Alive"]]))
        with live.open_ledger() as ledger:
            manifest = ledger.manifest(live.run)
            gang = _Gang(ray, live, ledger, min(workers, len(manifest.cells)), len(manifest.cells), clock)
            try:
                gang.fill()
                while gang.busy():
                    report(ledger.progress(live.run, clock.now()))
                    gang.look()
            finally:
                gang.dismiss()
            progress = ledger.progress(live.run, clock.now())
            report(progress)
            return progress
    finally:
        if started:
            ray.shutdown()


class _Gang:
    """The Ray tasks of one call."""

    def __init__(self, ray: ModuleType, live: LiveRun, ledger: Ledger, size: int, cells: int, clock: Clock) -> None:
        self._ray, self._live, self._ledger, self._size, self._cells = ray, live, ledger, size, cells
        self._task = ray.remote(num_cpus=1, max_retries=0, retry_exceptions=False)(_work)
        self._names: dict[Any, str] = {}
        self._token = clock.token()[:12]
        self._hired = 0
        self._deaths = 0
        self._enough = False

    def fill(self) -> None:
        """Submit tasks until the gang has its size; each starts on a stretch of the plan of its own."""
        while len(self._names) < self._size:
            start = self._hired % self._size * self._cells // self._size
            self._hired += 1
            name = f"ray-{self._token}-{self._hired}"
            live = self._live
            words = (
                str(live.root),
                live.run,
                live.ledger_at or str(live.folder / "ledger.sqlite"),
                live.artifacts_at,
                str(live.agent_file() or ""),
            )
            self._names[self._task.remote(words, name, start, CELLS_PER_TASK)] = name

    def busy(self) -> bool:
        return bool(self._names)

    def look(self) -> None:
        """Wait a little for a task to end; replace it unless nothing is left to do."""
        ready, _ = self._ray.wait(list(self._names), num_returns=1, timeout=POLL_SECONDS)
        for task in ready:
            name = self._names.pop(task)
            try:
                claimed, trouble, code = self._ray.get(task)
            except self._ray.exceptions.RayTaskError as error:
                raise UnfitHostError(
                    self._live.run,
                    "a worker failed on its machine",
                    found=safe_text(str(error.cause), 300),
                    next_step="look at Ray's log",
                ) from error
            except self._ray.exceptions.RayError as error:
                # The process, its machine or its memory is gone: its cells are free, and what it left receipts for is kept.
                self._clear_up(name)
                self._deaths += 1
                if self._deaths > MAX_DEATHS:
                    raise UnfitHostError(
                        self._live.run,
                        f"{self._deaths} workers died",
                        found=safe_text(str(error), 300),
                        next_step=f"faultline resume {self._live.run}",
                    ) from error
            else:
                if trouble:
                    raise worker_ended(self._live.run, trouble, code)
                self._enough = self._enough or claimed < CELLS_PER_TASK
            if not self._enough:
                self.fill()

    def dismiss(self) -> None:
        for task, name in self._names.items():
            with suppress(self._ray.exceptions.RayError):
                self._ray.cancel(task, force=True)
            self._clear_up(name)
        self._names.clear()

    def _clear_up(self, name: str) -> None:
        # Of a worker on another machine nothing can be removed from here; its scratch lies in that machine's temporary folder.
        shutil.rmtree(scratch_folder(self._live.run, name), ignore_errors=True)
        with suppress(FaultlineError):
            self._ledger.evict(self._live.run, name)  # otherwise the lease lapses by itself


def _work(words: tuple[str, str, str, str, str], name: str, start: int, cells: int) -> tuple[int, str, int]:
    """Be a worker for some cells, in a process of Ray's; return how many were claimed, and its error with its exit code."""
    root, run, ledger_at, artifacts_at, agent_at = words
    try:
        live = LiveRun(Path(root), run, ledger_at, artifacts_at, agent_at)
        return Worker(live, name, Clock(), dict(os.environ), start).work(cells), "", 0
    except FaultlineError as error:
        # As text: an exception of ours would lose its fields on the way.
        return 0, "; ".join(error.diagnostics()), error.exit_code


def _require_shared(live: LiveRun, machines: int) -> None:
    """Refuse files of one machine as ledger or artifact store of several."""
    if machines < 2:  # noqa: PLR2004  (several)
        return
    if live.ledger_file is not None:
        raise RefusedError(
            "--ledger",
            "an SQLite ledger is a file of one machine",
            expected="postgresql://…",
            found=f"a cluster of {machines} machines",
        )
    if not live.artifacts_at:
        raise RefusedError(
            "--artifacts",
            "receipts would stay on the machine that wrote them",
            expected="a bucket, or a folder that every machine mounts",
            found=f"a cluster of {machines} machines",
        )


def _settings(workers: int) -> dict[str, Any]:
    quiet = {"log_to_driver": False, "include_dashboard": False}
    return {"log_to_driver": False} if os.environ.get("RAY_ADDRESS") else quiet | {"num_cpus": workers}


def _ray() -> ModuleType:
    # Nothing about a run is anybody else's business.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray  # noqa: PLC0415  (heavy, and an extra)
    except ImportError as error:
        raise UnfitHostError(
            "--executor", "ray is not installed", next_step="install Faultline with its ray extra, or use --executor local"
        ) from error
    module: ModuleType = ray
    return module
