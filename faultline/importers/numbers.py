"""Numbers as logs write them, into usage and cost; what is not a finite number of the right kind is unknown, never zero."""

import math
from decimal import Decimal
from typing import Literal, TypeGuard

from faultline.records import Absent, Cost, Usage, unknown

_MICRO = Decimal("0.000001")
_MOST_DOLLARS = 999_999_999
"""What the records can hold; a log that says more says nothing."""


def count(value: object) -> int | None:
    """Return a count: a whole number that is not negative; ``None`` for anything else."""
    if not _finite(value):
        return None
    return int(value) if 0 <= value < 2**53 and value == int(value) else None


def number(value: object) -> float | None:
    """Return a finite number; ``None`` for anything else, NaN above all."""
    return float(value) if _finite(value) else None


def _finite(value: object) -> TypeGuard[int | float]:
    """Return whether a value is a number that a float can hold."""
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def usage(
    *,
    uncached_input: int | None = None,
    cache_read: int | None = None,
    cache_write: int | None = None,
    output: int | None = None,
    reasoning: int | None = None,
    requests: int | None = None,
    source: Literal["native", "derived", "estimated"] = "native",
    why: str = "the log does not count them",
) -> Usage | Absent:
    """Return tokens field by field; absent as a whole when nothing is known."""
    parts = {
        "uncached_input": uncached_input,
        "cache_read": cache_read,
        "cache_write": cache_write,
        "output": output,
        "reasoning": reasoning,
        "requests": requests,
    }
    if all(part is None for part in parts.values()):
        return unknown(why)
    absent = unknown(why)
    return Usage(**{name: absent if part is None else part for name, part in parts.items()}, source=source)


def cost(value: object, source: str, *, zero_is_unknown: bool = False, complete: bool = True) -> Cost | Absent:
    """Return an amount in US dollars; unknown for what is none, and for zero where the format writes it for unknown."""
    found = number(value)
    if found is None or found < 0:
        return unknown("the log gives no cost")
    if found == 0 and zero_is_unknown:
        return unknown("the log says 0, which stands for unknown there")
    if found > _MOST_DOLLARS:
        return unknown("the log gives a cost that is none")
    return Cost(usd=Decimal(repr(found)).quantize(_MICRO), source=source, complete=complete)
