"""A worker: claims one cell after another, attempts it under the run's retry policy, and records the result once."""

import contextlib
import ctypes
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from faultline.clock import Clock
from faultline.errors import ConflictError, FaultlineError
from faultline.execution.live import LiveRun
from faultline.execution.workshop import Worked, Workshop
from faultline.grading import faulted
from faultline.kinds import RetryPolicy
from faultline.ledger import AttemptState, Claim, Ledger, LostClaimError, UnknownWriteError
from faultline.records import Attempt, Cell, Receipt, RunManifest, Trial

LEASE_SECONDS = 60.0
"""How long a claim lasts without a heartbeat."""
HEARTBEAT_SECONDS = 15.0
"""How often a claim is renewed."""
WAIT_SECONDS = 0.5
"""How long a worker waits when every free cell is in other hands."""


def scratch_folder(run: str, worker: str) -> Path:
    """Return where a worker keeps workspaces; outside the benchmark, so that no history lies above them."""
    return Path(tempfile.gettempdir(), f"faultline-{run}-{worker}")


class Worker:
    """One worker of a run; everything it needs comes in as arguments."""

    def __init__(self, live: LiveRun, name: str, clock: Clock, environment: Mapping[str, str], start: int = 0) -> None:
        """Name the worker; ``environment`` is where agents' named variables are looked up, ``start`` its place in the plan."""
        self._live, self._name, self._clock, self._environment, self._next = live, name, clock, environment, start

    def work(self) -> int:
        """Work until every cell is recorded or waits for reconcile; return how many this worker recorded."""
        recorded = 0
        scratch = scratch_folder(self._live.run, self._name)
        scratch.mkdir(mode=0o700, exist_ok=True)
        with self._live.open_ledger() as ledger:
            manifest = ledger.manifest(self._live.run)
            shop = Workshop(self._live, manifest, self._clock, self._environment, scratch)
            try:
                while True:
                    claim = ledger.claim(manifest.run, self._name, self._clock.now(), LEASE_SECONDS, self._next)
                    if claim is not None:
                        self._next = claim.position + 1
                        recorded += self._cell(ledger, manifest, shop, claim)
                    elif self._nothing_left(ledger, manifest):
                        return recorded
                    else:
                        self._clock.sleep(WAIT_SECONDS)
            finally:
                shop.close()
                shutil.rmtree(scratch, ignore_errors=True)

    def _nothing_left(self, ledger: Ledger, manifest: RunManifest) -> bool:
        progress = ledger.progress(manifest.run, self._clock.now())
        return progress.done + progress.unknown >= progress.planned or not progress.leases

    def _cell(self, ledger: Ledger, manifest: RunManifest, shop: Workshop, claim: Claim) -> int:
        """Bring one cell to its record; return 1 when this worker recorded it."""
        with self._heartbeat(claim):
            try:
                trial = self._from_receipt(claim) or self._attempted(ledger, manifest, shop, claim)
                ledger.record(trial, claim)
            except (LostClaimError, ConflictError):
                return 0  # the ledger kept what was refused
            except UnknownWriteError as error:
                self._mark_unknown(ledger, claim, str(error))
                return 0
        return 1

    def _from_receipt(self, claim: Claim) -> Trial | None:
        """Return the result of an earlier attempt that was judged and not recorded: its agent's work is not done again."""
        for row in reversed(claim.attempts):
            receipt = self._live.receipt(claim.cell, row.number)
            if receipt is not None:
                return receipt.trial
        return None

    def _attempted(self, ledger: Ledger, manifest: RunManifest, shop: Workshop, claim: Claim) -> Trial:
        cell = claim.cell
        earlier = [self._earlier(shop, cell, row.number, row.started_at, row.note) for row in claim.attempts]
        while True:
            if len(earlier) >= manifest.retry.max_attempts:
                *before, last = earlier
                worked = Worked(last, faulted(last.observed), None, last.observed)
                return self._receipted(shop, cell, tuple(before), worked)
            row = ledger.begin_attempt(claim, self._clock.now())
            worked = shop.attempt(cell, row.number)
            if not worked.fault or manifest.retry.policy is RetryPolicy.NEVER:
                trial = self._receipted(shop, cell, tuple(earlier), worked)
                ledger.mark(trial.key, row.number, AttemptState.RECEIPTED)
                return trial
            self._live.write_attempt(cell, worked.attempt)
            ledger.mark(shop.key(cell), row.number, AttemptState.FAULTED, worked.fault)
            earlier.append(worked.attempt)

    def _earlier(self, shop: Workshop, cell: Cell, number: int, started_at: object, note: str) -> Attempt:
        kept = self._live.attempt(cell, number)
        return kept or shop.lost(number, started_at, note or "its worker ended before the attempt did")

    def _receipted(self, shop: Workshop, cell: Cell, earlier: tuple[Attempt, ...], worked: Worked) -> Trial:
        trial = shop.trial(cell, earlier, worked)
        receipt = Receipt(
            schema_name="faultline/receipt/1",
            key=trial.key,
            attempt=worked.attempt.number,
            payload_digest=trial.content_digest(),
            trial=trial,
            written_at=self._clock.now(),
        )
        self._live.write_receipt(cell, receipt)
        return trial

    def _mark_unknown(self, ledger: Ledger, claim: Claim, what: str) -> None:
        attempts = ledger.attempts(claim.key)
        if attempts:
            ledger.mark(claim.key, attempts[-1].number, AttemptState.UNKNOWN, what)

    @contextlib.contextmanager
    def _heartbeat(self, claim: Claim) -> Iterator[None]:
        """Renew the lease from a thread of its own while the cell is worked on."""
        stop = threading.Event()
        thread = threading.Thread(target=self._beat, args=(claim, stop.wait), daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def _beat(self, claim: Claim, wait: Callable[[float], bool]) -> None:
        if wait(HEARTBEAT_SECONDS):
            return
        with self._live.open_ledger() as ledger:  # a connection is not shared between threads
            while True:
                try:
                    claim = ledger.renew(claim, self._clock.now(), LEASE_SECONDS)
                except LostClaimError:
                    return  # recording will be refused, and the refused result kept
                except FaultlineError:
                    pass  # the store may be back at the next beat; the lease outlasts several
                if wait(HEARTBEAT_SECONDS):
                    return


def serve(root: str, run: str, ledger_at: str, name: str, start: int) -> None:
    """Be a worker process: die with the parent, leave Ctrl-C to it, and end with 0 when nothing is left to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = os.getppid()
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        os._exit(1)
    try:
        Worker(LiveRun(Path(root), run, ledger_at), name, Clock(), dict(os.environ), start).work()
    except FaultlineError as error:
        sys.stderr.write("\n".join(error.diagnostics()) + "\n")
        sys.exit(error.exit_code)
