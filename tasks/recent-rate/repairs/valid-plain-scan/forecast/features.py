"""The recent rate: how many of a courier's latest deliveries were late."""

from forecast.history import History
from forecast.settings import DEFAULT_RATE, DELAY, WINDOW


def recent_rates(rows, window=WINDOW, delay=DELAY, default=DEFAULT_RATE):
    """Return the recent rate of each row, in the order of the rows (see README)."""
    if window < 1:
        raise ValueError(f"window must be at least 1, found {window}")
    history = History(rows, delay)
    return [mean(history.before(row)[:window], default) for row in rows]


def mean(outcomes, default):
    return sum(outcomes) / len(outcomes) if outcomes else default
