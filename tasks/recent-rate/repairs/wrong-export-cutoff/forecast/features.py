"""The recent rate: how many of a courier's latest deliveries were late."""

from collections import defaultdict, deque
from itertools import groupby

from forecast.settings import DEFAULT_RATE, DELAY, WINDOW


def recent_rates(rows, window=WINDOW, delay=DELAY, default=DEFAULT_RATE):
    """Return the recent rate of each row, in the order of the rows (see README)."""
    if window < 1:
        raise ValueError(f"window must be at least 1, found {window}")
    exported_at = max((row["time"] for row in rows), default=0)
    rates = [default] * len(rows)
    latest = defaultdict(lambda: deque(maxlen=window))
    ordered = sorted(range(len(rows)), key=lambda n: (rows[n]["time"], rows[n]["delivery"]))
    for _, batch in groupby(ordered, key=lambda n: rows[n]["time"]):
        batch = list(batch)
        for n in batch:
            outcomes = latest[rows[n]["courier"]]
            if outcomes:
                rates[n] = sum(outcomes) / len(outcomes)
        for n in batch:
            if rows[n]["late"] is not None and rows[n]["time"] + delay <= exported_at:
                latest[rows[n]["courier"]].append(rows[n]["late"])
    return rates
