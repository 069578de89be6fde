"""The one Jinja environment of generated pages: autoescaped, strict about names, with the filters that templates use."""

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from faultline.kinds import short_digest
from faultline.records import Absent

TEMPLATES = Path(__file__).with_name("templates")


def make_environment() -> Environment:
    """Return the environment; everything a template prints is escaped unless it was made by a template itself."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    environment.filters |= {
        "digest": short_digest,
        "seconds": seconds,
        "usd": usd,
        "day": day,
        "instant": instant,
        "number": number,
        "shown": shown,
    }
    environment.tests["absent"] = lambda value: isinstance(value, Absent)
    return environment


def shown(value: Any) -> str:
    """Return a value as people read it; an absence is its word, never a zero or a dash."""
    return value.absence.value.replace("-", " ") if isinstance(value, Absent) else str(value)


def number(value: Any) -> str:
    """Return a count with thin groups of thousands, or the word for its absence."""
    return f"{value:,}".replace(",", "\u202f") if isinstance(value, int) else shown(value)


def seconds(value: Any) -> str:
    """Return a duration with its unit: three significant digits below a minute, then minutes and seconds, then hours."""
    if not isinstance(value, int | float):
        return shown(value)
    if value >= 3600:  # noqa: PLR2004  (seconds in an hour)
        return f"{int(value // 3600)} h {int(value % 3600 // 60):02d} min"
    if value >= 60:  # noqa: PLR2004  (seconds in a minute)
        return f"{int(value // 60)} min {int(value % 60):02d} s"
    if 0 < value < 0.001:  # noqa: PLR2004  (a millisecond)
        return "under 1 ms"
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.3g} s"


def usd(value: Any) -> str:
    """Return an amount in dollars, or the word for its absence."""
    return f"${value:,.4f}" if isinstance(value, Decimal) else shown(value)


def day(value: date | datetime | Absent) -> str:
    """Return a date as ``30 Nov 2026``."""
    return shown(value) if isinstance(value, Absent) else f"{value.day} {value:%b %Y}"


def instant(value: datetime | Absent) -> str:
    """Return a moment in UTC as ``30 Nov 2026, 21:04 UTC``."""
    return shown(value) if isinstance(value, Absent) else f"{day(value)}, {value:%H:%M} UTC"
