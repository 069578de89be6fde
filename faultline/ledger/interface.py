"""What a ledger promises: one record a cell, claims with leases, attempts that outlive crashes, and an honest *unknown*.

The abstract class :class:`Ledger`, its values and its errors. Instants come in as arguments; a ledger never asks the time.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Self

from faultline.errors import FaultlineError, LedgerError
from faultline.kinds import Digest, Fold, RunId, Seconds, Word
from faultline.records import Absent, Cell, RunManifest, Trial, TrialKey, not_applicable, not_run
from faultline.records.conflict import Conflict

__all__ = [
    "AttemptRow",
    "AttemptState",
    "Claim",
    "Conflict",
    "Lease",
    "Ledger",
    "LostClaimError",
    "Progress",
    "Recorded",
    "UnknownWriteError",
]


RECENT_SECONDS = 600
"""How far back the rate of a run looks."""


class UnknownWriteError(LedgerError):
    """The store may or may not have kept a write: mark the attempt unknown and run ``faultline reconcile``."""

    slug = "unknown-write"


class LostClaimError(FaultlineError):
    """Another worker has taken the cell over: drop the work; what was done is kept as superseded."""

    slug = "lost-claim"
    exit_code = 8


class AttemptState(Word):
    """How far an attempt has come, as the ledger knows."""

    STARTED = "started", "An agent may be at work, or its worker died without leaving a receipt."
    RECEIPTED = "receipted", "The receipt is in the artifact store; the ledger has not recorded the result yet."
    RECORDED = "recorded", "The result counts."
    FAULTED = "faulted", "The harness observed a fault of its own; another attempt may follow under the run's policy."
    JUDGED = "judged", "Judged and not passed; another attempt follows under best-of-k."
    SUPERSEDED = "superseded", "Its worker had lost the claim, so that the result was refused and kept."
    UNKNOWN = "unknown", "A write lost its reply: the run cannot be sealed until reconcile has asked the store."
    ABSENT = "absent", "Reconcile asked the store, and it has no result from this attempt."
    CONFLICTING = "conflicting", "Reconcile asked the store, and it has another result for the cell."


@dataclass(frozen=True)
class AttemptRow:
    """One attempt as the ledger knows it; the row exists before the agent starts."""

    key: TrialKey
    number: int
    """From 1, without a gap."""
    worker: str
    fence: int
    """Fence of the claim under which it started."""
    started_at: datetime
    state: AttemptState
    note: str = ""
    """What was observed, or the evidence by which it was settled."""


@dataclass(frozen=True)
class Claim:
    """One worker's right to work on one cell, until the lease lapses and somebody else takes over."""

    key: TrialKey
    cell: Cell
    position: int
    """Place of the cell in the plan, from 0."""
    worker: str
    fence: int
    """Counts the claims of this cell; a result under an old fence is refused."""
    claimed_at: datetime
    expires_at: datetime
    attempts: tuple[AttemptRow, ...] = ()
    """Attempts at this cell that had started when it was claimed, in order."""

    @property
    def run(self) -> RunId:
        """The run that the cell belongs to."""
        return self.key.run


@dataclass(frozen=True)
class Recorded:
    """The answer to a write: the trial that the store holds, and whether this call put it there."""

    trial: Trial
    digest: Digest
    new: bool
    """False when the same payload was there already and nothing was written."""

    @property
    def same(self) -> bool:
        """Whether the same payload was recorded before."""
        return not self.new


@dataclass(frozen=True)
class Lease:
    """A claim that has not lapsed, seen from outside."""

    key: TrialKey
    worker: str
    age: Seconds
    """Since the cell was claimed; never negative, even when the clock stepped back."""
    left: Seconds
    """Until the lease lapses unless it is renewed; never negative."""


@dataclass(frozen=True)
class Progress:
    """Where a run stands."""

    planned: int
    recorded: Mapping[Fold, int]
    """Recorded trials by the four words; all four are present."""
    leases: tuple[Lease, ...]
    """In plan order."""
    unknown: int
    """Attempts that wait for reconcile."""
    conflicts: int
    """Refused results with another payload."""
    superseded: int
    """Refused results of workers that had lost their claim."""
    attempts: Mapping[AttemptState, int]
    """Attempts by state; states that did not occur are present with 0."""
    started_at: datetime | Absent
    """When the first attempt started."""
    recent: int = 0
    """Recorded trials whose attempt started within :data:`RECENT_SECONDS`."""
    recent_since: datetime | None = None
    """When the first of these started."""
    done: int = field(init=False)
    """Recorded trials."""

    def __post_init__(self) -> None:
        """Add up what is recorded."""
        object.__setattr__(self, "done", sum(self.recorded.values()))

    @property
    def complete(self) -> bool:
        """Whether the run can be sealed."""
        return self.done == self.planned and self.unknown == 0

    def per_minute(self, now: datetime) -> float | Absent:
        """Return how many trials a minute were recorded of late; pauses between two resumes do not count."""
        elapsed = (now - self.recent_since).total_seconds() if self.recent_since else 0.0
        if self.recent == 0 or elapsed <= 0:
            return not_run("no trial was recorded of late")
        return 60 * self.recent / elapsed

    def seconds_left(self, now: datetime) -> float | Absent:
        """Return how long the rest takes at the present rate."""
        rate = self.per_minute(now)
        if self.done >= self.planned:
            return not_applicable("every cell is recorded")
        return rate if isinstance(rate, Absent) else 60 * (self.planned - self.done) / rate


class Ledger(ABC):
    """Where a run lives while it is executed.

    The key of a trial is (run, task, variant, agent, trial). Every method is one transaction; any of them may raise
    :class:`LedgerError`, and every method that writes :class:`UnknownWriteError`, after which the caller must ask
    (:meth:`lookup`) before it writes again. A run that is not there is a ``MissingInputError``. Safe with any number of
    processes and threads; each process opens its own.
    """

    # --- the plan -----------------------------------------------------------------------------------------------

    @abstractmethod
    def register(self, manifest: RunManifest) -> bool:
        """Keep a plan; return whether it is new.

        The same manifest again changes nothing; another one under the same run id is a ``ConflictError``.
        """

    @abstractmethod
    def manifest(self, run: RunId) -> RunManifest:
        """Return the plan of a run."""

    @abstractmethod
    def runs(self) -> tuple[RunId, ...]:
        """Return the ids of all runs, sorted."""

    # --- claims -------------------------------------------------------------------------------------------------

    @abstractmethod
    def claim(self, run: RunId, worker: str, now: datetime, lease_seconds: float, start: int = 0) -> Claim | None:
        """Give the first cell of the plan that is free, or None when there is none at present.

        The plan is looked through from the place ``start`` on and then from its beginning, so that workers can keep to
        their own stretch of it, where neighbours have much in common.
        Free means: not recorded, no attempt unknown, and no lease or one that has lapsed. Workers that race get different
        cells. ``worker`` must be unique to one worker of one process, since :meth:`evict` goes by it. A lease has lapsed
        at its end, and also when it was given further in the future than it is long: then the clock stepped back.
        """

    @abstractmethod
    def renew(self, claim: Claim, now: datetime, lease_seconds: float) -> Claim:
        """Prolong a lease (the heartbeat); raises :class:`LostClaimError` when the cell is taken over, released or recorded."""

    @abstractmethod
    def release(self, claim: Claim) -> bool:
        """Give a cell back; return False when the claim was lost already. Attempts keep their state."""

    @abstractmethod
    def evict(self, run: RunId, worker: str) -> int:
        """Free the cells of a worker that is known to be dead, without waiting for its leases; return how many.

        Should the worker live after all, its results are refused as superseded.
        """

    # --- attempts -----------------------------------------------------------------------------------------------

    @abstractmethod
    def begin_attempt(self, claim: Claim, now: datetime) -> AttemptRow:
        """Note that an attempt starts, with the next number; raises :class:`LostClaimError` when the claim is lost."""

    @abstractmethod
    def mark(self, key: TrialKey, number: int, state: AttemptState, note: str = "") -> AttemptRow:
        """Set the state of an attempt.

        Needs no claim, since a worker that lost its connection must be able to say *unknown*. ``RECORDED`` is refused: only
        :meth:`record` and :meth:`settle` say that, having looked. An attempt that is recorded can only become unknown.
        """

    @abstractmethod
    def attempts(self, key: TrialKey) -> tuple[AttemptRow, ...]:
        """Return the attempts at a cell in order."""

    @abstractmethod
    def all_attempts(self, run: RunId) -> Iterator[AttemptRow]:
        """Yield every attempt of a run in plan order, then by number."""

    # --- results ------------------------------------------------------------------------------------------------

    @abstractmethod
    def record(self, trial: Trial, claim: Claim | None = None) -> Recorded:
        """Record the result of a cell exactly once, and release the claim.

        Same cell, same payload: the stored trial is returned and nothing is written. Same cell, another payload: the second
        one is kept as a :class:`Conflict`, and ``ConflictError`` names both digests. A claim that was lost meanwhile:
        the payload is kept likewise, the attempt is superseded and :class:`LostClaimError` is raised. A trial that is not
        planned is refused. The attempt ``trial.last.number`` becomes recorded.
        """

    @abstractmethod
    def lookup(self, key: TrialKey) -> Recorded | None:
        """Return what the store holds for a cell, waiting for any write to it that is still in flight."""

    @abstractmethod
    def trials(self, run: RunId) -> Iterator[Trial]:
        """Yield the recorded trials in plan order, without holding them all; a damaged row is an ``IntegrityError``."""

    @abstractmethod
    def conflicts(self, run: RunId) -> Iterator[Conflict]:
        """Yield the refused results in plan order."""

    # --- reconcile ----------------------------------------------------------------------------------------------

    @abstractmethod
    def unsettled(self, run: RunId) -> tuple[AttemptRow, ...]:
        """Return the attempts that are unknown, in plan order."""

    @abstractmethod
    def settle(self, key: TrialKey, number: int, state: AttemptState, evidence: str) -> AttemptRow:
        """Settle an unknown attempt as ``RECORDED``, ``ABSENT`` or ``CONFLICTING``, with the evidence.

        What the store holds is looked at in the same transaction; a settlement that contradicts it is refused: ``RECORDED``
        when the result that counts is this attempt's, ``CONFLICTING`` when another attempt's is, or when a second result of
        the cell was refused, as a receipt with another payload is. When no attempt of the cell is unknown any more and it has
        no result, it can be claimed again.
        """

    @abstractmethod
    def progress(self, run: RunId, now: datetime) -> Progress:
        """Count where a run stands, in one consistent look."""

    # --- the handle ---------------------------------------------------------------------------------------------

    @abstractmethod
    def close(self) -> None:
        """Let go of the store; the ledger can be opened again."""

    def __enter__(self) -> Self:
        """Return the ledger itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the ledger."""
        self.close()
