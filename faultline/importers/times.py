"""Times as logs write them: with offset, naive, in seconds or milliseconds; always UTC afterwards."""

import math
from datetime import UTC, datetime

_MILLISECONDS = 1e11
"""Numbers above this are milliseconds: in seconds they would lie after the year 5000."""


def iso_time(text: object) -> datetime | None:
    """Return an ISO time in UTC; one without offset is taken as UTC, and ``None`` stands for none or no time at all."""
    if not isinstance(text, str) or not text:
        return None
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def epoch_time(value: object) -> datetime | None:
    """Return a Unix time in seconds or milliseconds, as number or text; ``None`` for zero, which stands for unknown."""
    try:
        number = float(value)  # type: ignore[arg-type]  # whatever it is, float says
    except (TypeError, ValueError):
        return None
    if not math.isfinite(number) or number <= 0:
        return None
    try:
        return datetime.fromtimestamp(number / 1000 if number > _MILLISECONDS else number, UTC)
    except (OverflowError, OSError, ValueError):
        return None


def seconds_between(start: datetime | None, end: datetime | None) -> float | None:
    """Return a duration; ``None`` when one end is unknown or time ran backwards."""
    if start is None or end is None or end < start:
        return None
    return (end - start).total_seconds()
