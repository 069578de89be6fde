"""From the attempts of one night to one line for each question."""

from collections import Counter
from datetime import datetime
from itertools import groupby
from typing import NamedTuple, Optional


class Settled(NamedTuple):
    """A question at the end of the night."""

    suite: str
    question: str
    passed: Optional[bool]
    """None without a verdict."""
    attempts: int


def _key(attempt):
    return attempt.suite, attempt.question


def _place(attempt):
    return _key(attempt), datetime.fromisoformat(attempt.finished).timestamp(), attempt.serial


def settle(attempts, policy):
    """Yield every question once, by suite and name."""
    ordered = sorted(attempts, key=_place, reverse=policy.counts == "last")
    for (suite, question), group in groupby(ordered, key=_key):
        group = list(group)
        verdict = next((attempt.passed for attempt in group if not policy.is_lost(attempt)), None)
        yield Settled(suite, question, verdict, len(group))


def count(settled):
    """Count passed, failed and open questions, and the lines behind them."""
    states = Counter({True: 0, False: 0, None: 0})
    states.update(one.passed for one in settled)
    return states, sum(one.attempts for one in settled)
