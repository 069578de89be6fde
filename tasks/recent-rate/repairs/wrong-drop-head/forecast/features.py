"""The recent rate: how many of a courier's latest deliveries were late."""

from collections import Counter, defaultdict, deque

from forecast.settings import DEFAULT_RATE, DELAY, WINDOW


def recent_rates(rows, window=WINDOW, delay=DELAY, default=DEFAULT_RATE):
    """Return the recent rate of each row, in the order of the rows (see README)."""
    if window < 1:
        raise ValueError(f"window must be at least 1, found {window}")
    exported_at = max((row["time"] for row in rows), default=0)
    rates = [default] * len(rows)
    latest = defaultdict(lambda: deque(maxlen=window))
    for position in in_order(rows):
        row = rows[position]
        outcomes = latest[row["courier"]]
        if row["late"] is not None and row["time"] + delay <= exported_at:
            outcomes.append(row["late"])
        if outcomes:
            rates[position] = sum(outcomes) / len(outcomes)
    return rates


def in_order(rows):
    """Positions of the rows by time, then id."""
    return sorted(range(len(rows)), key=lambda position: (rows[position]["time"], rows[position]["delivery"]))


def head(rows, window=WINDOW):
    """Ids of each courier's first rows, for which the window is not full yet."""
    seen = Counter()
    ids = set()
    for position in in_order(rows):
        courier = rows[position]["courier"]
        if seen[courier] < window:
            ids.add(rows[position]["delivery"])
        seen[courier] += 1
    return ids
