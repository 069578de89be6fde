"""The recent rate: how many of a courier's latest deliveries were late."""

from collections import defaultdict

from forecast.settings import DEFAULT_RATE, DELAY, WINDOW


def recent_rates(rows, window=WINDOW, delay=DELAY, default=DEFAULT_RATE):
    """Return the recent rate of each row, in the order of the rows (see README)."""
    if window < 1:
        raise ValueError(f"window must be at least 1, found {window}")
    rates = [default] * len(rows)
    before = defaultdict(list)
    for position in sorted(range(len(rows)), key=lambda n: (rows[n]["time"], rows[n]["delivery"])):
        row = rows[position]
        finished = before[row["courier"]]
        latest = [late for time, late in finished if time + delay <= row["time"]][-window:]
        if latest:
            rates[position] = sum(latest) / len(latest)
        if row["late"] is not None:
            finished.append((row["time"], row["late"]))
    return rates
