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
from typing import TypeVar

from faultline.clock import Clock
from faultline.errors import ConflictError, FaultlineError, IntegrityError, LedgerError, RefusedError
from faultline.execution.live import LiveRun, receipt_name
from faultline.execution.workshop import Worked, Workshop
from faultline.files import write_failed
from faultline.grading import faulted
from faultline.kinds import RetryPolicy, Verdict
from faultline.ledger import AttemptState, Claim, Ledger, LostClaimError, UnknownWriteError
from faultline.records import Attempt, Cell, Receipt, Retry, RunManifest, Trial, present

LEASE_SECONDS = 60.0
"""How long a claim lasts without a heartbeat."""
HEARTBEAT_SECONDS = 15.0
"""How often a claim is renewed."""
WAIT_SECONDS = 0.5
"""How long a worker waits when every free cell is in other hands."""
PATIENCE = 6
"""How often a worker asks a store that does not answer before it gives up; each time it waits twice as long."""


T = TypeVar("T")


class _Unknown(Exception):  # noqa: N818  (a state and not a fault)
    """A write of this cell lost its reply: the ledger has been told, and nothing more is done here."""


def scratch_folder(run: str, worker: str) -> Path:
    """Return where a worker keeps workspaces; outside the benchmark, so that no history lies above them."""
    return Path(tempfile.gettempdir(), f"faultline-{run}-{worker}")


class Worker:
    """One worker of a run; everything it needs comes in as arguments."""

    def __init__(self, live: LiveRun, name: str, clock: Clock, environment: Mapping[str, str], start: int = 0) -> None:
        """Name the worker; ``environment`` is where agents' named variables are looked up, ``start`` its place in the plan."""
        self._live, self._name, self._clock, self._environment, self._next = live, name, clock, environment, start

    def work(self, cells: int | None = None) -> int:
        """Work until every cell is recorded or waits for reconcile, or this many were claimed; return how many were claimed."""
        claimed = 0
        scratch = scratch_folder(self._live.run, self._name)
        try:
            scratch.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise write_failed(str(scratch.parent), error) from error
        with self._live.open_ledger() as ledger:
            manifest = ledger.manifest(self._live.run)
            shop = Workshop(self._live, manifest, self._clock, self._environment, scratch)
            try:
                while cells is None or claimed < cells:
                    claim = self._claim(ledger, manifest)
                    if claim is not None:
                        claimed += 1
                        self._next = claim.position + 1
                        self._cell(ledger, manifest, shop, claim)
                    elif self._nothing_left(ledger, manifest):
                        break
                    else:
                        self._clock.sleep(WAIT_SECONDS)
                return claimed
            finally:
                shop.close()
                shutil.rmtree(scratch, ignore_errors=True)

    def _claim(self, ledger: Ledger, manifest: RunManifest) -> Claim | None:
        """Claim a cell; one whose reply is lost is nobody's, and free again when its lease lapses."""
        return self._insist(
            lambda: ledger.claim(manifest.run, self._name, self._clock.now(), LEASE_SECONDS, self._next), UnknownWriteError
        )

    def _nothing_left(self, ledger: Ledger, manifest: RunManifest) -> bool:
        progress = ledger.progress(manifest.run, self._clock.now())
        return progress.done + progress.unknown >= progress.planned or not progress.leases

    def _cell(self, ledger: Ledger, manifest: RunManifest, shop: Workshop, claim: Claim) -> None:
        """Bring one cell to its record, or leave it unknown."""
        with self._heartbeat(claim):
            try:
                trial = self._from_receipt(claim) or self._attempted(ledger, manifest, shop, claim)
                self._settled(ledger, claim, trial.last.number, lambda: ledger.record(trial, claim))
            except (LostClaimError, ConflictError, _Unknown):
                return  # the ledger kept what was refused, or knows that something is unknown

    def _settled(self, ledger: Ledger, claim: Claim, number: int, write: Callable[[], T]) -> T:
        """Write; when the reply is lost, leave the attempt unknown for reconcile, and give the cell up."""
        try:
            return write()
        except UnknownWriteError as error:
            what = str(error)
            try:
                self._insist(lambda: ledger.mark(claim.key, number, AttemptState.UNKNOWN, what))
            except RefusedError:
                # The store was asked, and does not even know the attempt: it never began, and the cell is free again.
                self._insist(lambda: ledger.release(claim))
            raise _Unknown from error

    def _say(self, ledger: Ledger, claim: Claim, number: int, state: AttemptState, note: str = "") -> None:
        self._settled(ledger, claim, number, lambda: ledger.mark(claim.key, number, state, note))

    def _insist(self, ask: Callable[[], T], trouble: type[LedgerError] = LedgerError) -> T:
        """Repeat what may safely be repeated until the store answers; raises its error when it does not."""
        for turn in range(PATIENCE):
            try:
                return ask()
            except trouble:
                if turn == PATIENCE - 1:
                    raise
                self._clock.sleep(WAIT_SECONDS * 2**turn)
        raise AssertionError("unreachable")

    def _from_receipt(self, claim: Claim) -> Trial | None:
        """Return the result of an earlier attempt that was judged and not recorded: its agent's work is not done again."""
        for row in reversed(claim.attempts):
            receipt = self._live.receipt(claim.cell, row.number)
            if receipt is None:
                continue
            found = receipt.trial.content_digest()
            if receipt.payload_digest != found or receipt.trial.key != claim.key:
                raise IntegrityError(
                    f"{claim.run}/{receipt_name(claim.cell, row.number)}",
                    "the receipt does not hold the result that it names",
                    expected=receipt.payload_digest,
                    found=found,
                    next_step=f"faultline verify {claim.run}",
                )
            return receipt.trial
        return None

    def _attempted(self, ledger: Ledger, manifest: RunManifest, shop: Workshop, claim: Claim) -> Trial:
        """Make attempts as the run's policy allows, and return the trial with a receipt behind it."""
        cell, retry = claim.cell, present(manifest.retry)
        earlier = [self._earlier(shop, cell, row.number, row.started_at, row.note) for row in claim.attempts]
        while True:
            if len(earlier) >= retry.max_attempts:
                *before, last = earlier
                worked = Worked(last, faulted(last.observed), None, last.observed)
                return self._receipted(shop, cell, tuple(before), worked)
            number = len(earlier) + 1
            self._settled(ledger, claim, number, lambda: ledger.begin_attempt(claim, self._clock.now()))
            worked = shop.attempt(cell, number)
            state = _another(retry, number, worked)
            if state is None:
                trial = self._receipted(shop, cell, tuple(earlier), worked)
                self._say(ledger, claim, number, AttemptState.RECEIPTED)
                return trial
            self._live.write_attempt(cell, worked.attempt)
            self._say(ledger, claim, number, state, worked.fault)
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


def _another(retry: Retry, number: int, worked: Worked) -> AttemptState | None:
    """Return the state of an attempt that the policy lets another one follow, or None when it ends the trial.

    Only ``best-of-k`` looks at the verdict, which is why its estimand has another name.
    """
    if worked.fault:
        return None if retry.policy is RetryPolicy.NEVER else AttemptState.FAULTED
    passed = worked.outcome.verdict is Verdict.PASSED
    if retry.policy is RetryPolicy.BEST_OF_K and not passed and number < retry.max_attempts:
        return AttemptState.JUDGED
    return None


def serve(live: LiveRun, name: str, start: int, parent: int) -> None:
    """Be a worker process: die with the parent, leave Ctrl-C to it, and end with 0 when nothing is left to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        os._exit(1)
    try:
        Worker(live, name, Clock(), dict(os.environ), start).work()
    except FaultlineError as error:
        sys.stderr.write("\n".join(error.diagnostics()) + "\n")
        sys.exit(error.exit_code)
