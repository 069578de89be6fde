"""The only place that asks the time or draws randomness; everything else takes a :class:`Clock` as an argument."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta


@dataclass(frozen=True)
class Clock:
    """Time and randomness as one value, so that a test can hold both still."""

    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    """The present instant in UTC; may step back, so never subtract two of them."""
    monotonic: Callable[[], float] = field(default=time.monotonic)
    """Seconds on a clock that never steps back; for durations."""
    token: Callable[[], str] = field(default=lambda: secrets.token_hex(16))
    """A fresh secret of 32 hexadecimal digits."""
    sleep: Callable[[float], None] = field(default=time.sleep)
    """Wait for a number of seconds."""


def frozen_clock(start: datetime, step: float = 1.0) -> Clock:
    """Return a clock that moves by ``step`` seconds at each look and whose tokens count up; for tests and replays."""
    looks = iter(range(10**9))
    ticks = iter(range(10**9))
    tokens = iter(range(10**9))
    return Clock(
        now=lambda: start + timedelta(seconds=step * next(looks)),
        monotonic=lambda: step * next(ticks),
        token=lambda: f"{next(tokens):032x}",
        sleep=lambda _: None,
    )
