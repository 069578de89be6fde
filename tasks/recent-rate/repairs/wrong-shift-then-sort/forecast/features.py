"""The recent rate: how many of a courier's latest deliveries were late."""

from collections import defaultdict

from forecast.settings import DEFAULT_RATE, DELAY, WINDOW


def recent_rates(rows, window=WINDOW, delay=DELAY, default=DEFAULT_RATE):
    """Return the recent rate of each row, in the order of the rows (see README)."""
    if window < 1:
        raise ValueError(f"window must be at least 1, found {window}")
    before = defaultdict(list)
    rates = []
    for row in rows:
        reported = [
            other
            for other in before[row["courier"]]
            if other["time"] < row["time"] and other["time"] + delay <= row["time"]
        ]
        reported.sort(key=lambda other: (other["time"], other["delivery"]))
        latest = [other["late"] for other in reported[-window:]]
        rates.append(sum(latest) / len(latest) if latest else default)
        if row["late"] is not None:
            before[row["courier"]].append(row)
    return rates
