"""The recent rate: how many of a courier's latest deliveries were late."""

from bisect import bisect_left, bisect_right
from collections import defaultdict

from forecast.settings import DEFAULT_RATE, DELAY, WINDOW


def recent_rates(rows, window=WINDOW, delay=DELAY, default=DEFAULT_RATE):
    """Return the recent rate of each row, in the order of the rows (see README)."""
    if window < 1:
        raise ValueError(f"window must be at least 1, found {window}")
    histories = _histories(rows)
    rates = []
    for row in rows:
        times, totals = histories[row["courier"]]
        # Reported by now, and from an earlier batch: the second matters only without a delay.
        stop = min(bisect_right(times, row["time"] - delay), bisect_left(times, row["time"]))
        first = max(stop - window, 0)
        rates.append((totals[stop] - totals[first]) / (stop - first) if stop else default)
    return rates


def _histories(rows):
    """Times and running totals of each courier's known outcomes, by time, then id."""
    known = defaultdict(list)
    for row in rows:
        courier = known[row["courier"]]
        if row["late"] is not None:
            courier.append((row["time"], row["delivery"], row["late"]))
    histories = {}
    for courier, outcomes in known.items():
        outcomes.sort()
        totals = [0]
        for _, _, late in outcomes:
            totals.append(totals[-1] + late)
        histories[courier] = [time for time, _, _ in outcomes], totals
    return histories
