"""The recent rate: how many of a courier's latest deliveries were late."""

from collections import defaultdict

from forecast.settings import DEFAULT_RATE, DELAY, WINDOW


def recent_rates(rows, window=WINDOW, delay=DELAY, default=DEFAULT_RATE):
    """Return the recent rate of each row, in the order of the rows (see README)."""
    if window < 1:
        raise ValueError(f"window must be at least 1, found {window}")
    of_courier = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row["time"], row["delivery"])):
        of_courier[row["courier"]].append(row)
    rates = []
    for row in rows:
        now = row["time"]
        reported = [other for other in of_courier[row["courier"]] if other["time"] < now and other["time"] + delay <= now]
        latest = [other["late"] for other in reported[-window:] if other["late"] is not None]
        rates.append(sum(latest) / len(latest) if latest else default)
    return rates
