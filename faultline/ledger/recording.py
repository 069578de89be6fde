"""The statements by which a result is recorded, built once, since this is the path that every trial takes.

Whoever changes a cell's state to ``recorded`` is the one who inserts the trial: one statement looks, decides and locks.
"""

from typing import Any

from sqlalchemy import ColumnElement, Executable, Table, and_, bindparam, exists, func, insert, literal_column, select, update

from faultline.ledger.interface import AttemptState
from faultline.ledger.tables import KEY, attempts, cells, trials

OPEN, UNKNOWN, RECORDED = "open", "unknown", "recorded"
"""States of a cell."""
FREE: dict[str, Any] = {"worker": None, "claimed_at": None, "leased_at": None, "lease_until": None}
"""Values of a cell that nobody works on."""


def this(table: Table) -> ColumnElement[bool]:
    """Return the condition for the rows of the cell whose key is in the parameters ``of_run`` and so on."""
    return and_(*(table.c[name] == bindparam(f"of_{name}") for name in KEY))


_UNRECORDED = and_(this(cells), cells.c.state != RECORDED)
_HELD = and_(_UNRECORDED, cells.c.fence == bindparam("of_fence"), cells.c.worker == bindparam("of_worker"))
_ATTEMPT = and_(this(attempts), attempts.c.number == bindparam("of_number"))

TAKE = {held: update(cells).where(_HELD if held else _UNRECORDED).values(state=RECORDED, **FREE) for held in (False, True)}
"""Make the cell recorded; with a claim, only while it is held. One row when this is the first result, else none."""
INSERT = insert(trials).values({name: bindparam(f"of_{name}") for name in (*KEY, "digest", "fold", "payload")})
"""Add the trial."""
MARK = update(attempts).where(_ATTEMPT).values(state=AttemptState.RECORDED.value)
"""Make the attempt recorded that the trial counts."""


def at_once(*, held: bool) -> Executable:
    """Return all three as one statement, for a database to which each statement is a journey; its answer is 1 or 0."""
    taken = TAKE[held].returning(cells.c.position).cte("taken")
    columns = [*KEY, "digest", "fold", "payload"]
    row = select(*(bindparam(f"of_{name}", type_=trials.c[name].type) for name in columns)).select_from(taken)
    added = insert(trials).from_select(columns, row).returning(literal_column("1")).cte("added")
    marked = MARK.where(exists(select(taken.c.position))).returning(attempts.c.number).cte("marked")
    return select(func.count()).select_from(taken).add_cte(added, marked)
