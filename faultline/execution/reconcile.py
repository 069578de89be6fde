"""Reconcile: ask the store and the receipts about each attempt whose reply was lost, and settle it with the evidence.

Receipts are the separate record of effects: they say what an attempt did, whatever the store remembers. No agent works here.
"""

from contextlib import suppress
from typing import Literal

from faultline.clock import Clock
from faultline.errors import ConflictError, FaultlineError, RefusedError, raise_all
from faultline.execution.live import LiveRun
from faultline.kinds import safe_text, short_digest
from faultline.ledger import AttemptRow, AttemptState, Ledger, Recorded
from faultline.records import Cell, Receipt, Settlement, not_run

__all__ = ["reconcile"]

_WORDS: dict[AttemptState, Literal["recorded", "absent", "conflicting"]] = {
    AttemptState.RECORDED: "recorded",
    AttemptState.ABSENT: "absent",
    AttemptState.CONFLICTING: "conflicting",
}
_TURNS = 5
"""How often one attempt is looked at again because the store changed between the question and the settlement."""


def reconcile(live: LiveRun, clock: Clock) -> tuple[Settlement, ...]:
    """Settle every unknown attempt of a run as recorded, absent or conflicting; return what was settled, in plan order.

    Nothing is recorded here; a second result is kept as refused. Safe to call again, and by two at once.
    Raises ``LedgerError`` when the store cannot be asked; what could be settled before stays settled.
    """
    found, errors = [], []
    with live.open_ledger() as ledger:
        cells = {cell.key: cell for cell in ledger.manifest(live.run).cells}
        for row in ledger.unsettled(live.run):
            cell = cells[row.key.task, row.key.variant, row.key.agent, row.key.trial]
            try:
                settlement = _settle(live, ledger, cell, row, clock)
            except FaultlineError as error:
                errors.append(error)
            else:
                found += [] if settlement is None else [settlement]
    raise_all(errors)
    return tuple(found)


def _settle(live: LiveRun, ledger: Ledger, cell: Cell, row: AttemptRow, clock: Clock) -> Settlement | None:
    for turn in range(_TURNS):
        # Waits for a write that is still under way, so that *absent* is never said too early.
        stored = ledger.lookup(row.key)
        receipt = live.receipt(cell, row.number)
        state, evidence = _judge(row, stored, receipt)
        if state is AttemptState.CONFLICTING and receipt is not None:
            with suppress(ConflictError):
                ledger.record(receipt.trial)  # the store refuses it and keeps it
        settlement = Settlement(
            schema_name="faultline/settlement/1",
            key=row.key,
            attempt=row.number,
            state=_WORDS[state],
            observed=row.note,
            stored=not_run("the store had no result for the cell") if stored is None else stored.digest,
            receipt=not_run("the attempt left no receipt") if receipt is None else receipt.payload_digest,
            evidence=evidence,
            settled_at=clock.now(),
        )
        # The evidence first: were this process to die now, the next one would find the same and write it again.
        live.write_settlement(cell, settlement)
        try:
            ledger.settle(row.key, row.number, state, evidence)
        except RefusedError:
            now = next(item for item in ledger.attempts(row.key) if item.number == row.number)
            if now.state is not AttemptState.UNKNOWN:
                return None  # another reconcile was quicker
            if turn == _TURNS - 1:
                raise
            continue
        return settlement
    raise AssertionError("unreachable")


def _judge(row: AttemptRow, stored: Recorded | None, receipt: Receipt | None) -> tuple[AttemptState, str]:
    """Return what an unknown attempt turns out to be, and why."""
    left = f"its receipt holds {short_digest(receipt.payload_digest)}" if receipt else "it left no receipt"
    if stored is None:
        then = "resume records that result" if receipt else "resume makes another attempt, if the policy allows one"
        return AttemptState.ABSENT, safe_text(f"the store has no result for the cell; {left}: {then}")
    last = stored.trial.last.number
    holds = f"the store holds {short_digest(stored.digest)} from attempt {last}"
    if receipt is not None and receipt.payload_digest != stored.digest:
        return AttemptState.CONFLICTING, safe_text(f"{holds}; {left}: it is refused, and kept")
    if last != row.number:
        return AttemptState.ABSENT, safe_text(f"{holds}; {left}: the cell was decided without it")
    return AttemptState.RECORDED, safe_text(f"{holds}; {left}")
