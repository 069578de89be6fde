"""Numbers as logs write them, into usage and cost; what is not a finite number of the right kind is unknown, never zero."""

import math
from decimal import Decimal
from typing import Literal

from faultline.records import Absent, Cost, Usage, unknown

_MICRO = Decimal("0.000001")


_FLOATS = 2**1023
"""Whole numbers beyond this are no float."""


def count(value: object) -> int | None:
    """Return a count: a whole number that is not negative; ``None`` for anything else."""
    if number(value) is None or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value < 2**53 and value == int(value) else None


def number(value: object) -> float | None:
    """Return a finite number; ``None`` for anything else, NaN above all."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, int):
        return float(value) if abs(value) < _FLOATS else None
    return value if math.isfinite(value) else None


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
    return Cost(usd=Decimal(repr(found)).quantize(_MICRO), source=source, complete=complete)
