"""The recent rate: how many of a courier's latest deliveries were late."""

from collections import defaultdict

from forecast.settings import DEFAULT_RATE, DELAY, WINDOW


def recent_rates(rows, window=WINDOW, delay=DELAY, default=DEFAULT_RATE):
    """Return the recent rate of each row, in the order of the rows (see README)."""
    if window < 1:
        raise ValueError(f"window must be at least 1, found {window}")
    finished = defaultdict(list)
    for row in sorted(rows, key=lambda row: row["time"]):
        if row["late"] is not None:
            finished[row["courier"]].append((row["time"], row["late"]))
    rates = []
    for row in rows:
        now = row["time"]
        reported = [late for time, late in finished[row["courier"]] if time < now and time + delay <= now]
        latest = reported[-window:]
        rates.append(sum(latest) / len(latest) if latest else default)
    return rates
