"""The recent rate: how many of a courier's latest deliveries were late."""

from bisect import bisect_left

from forecast.settings import DEFAULT_RATE, DELAY, WINDOW


def recent_rates(rows, window=WINDOW, delay=DELAY, default=DEFAULT_RATE):
    """Return the recent rate of each row, in the order of the rows (see README)."""
    if window < 1:
        raise ValueError(f"window must be at least 1, found {window}")
    known = sorted(
        (row["courier"], row["time"], row["delivery"], row["late"]) for row in rows if row["late"] is not None
    )
    keys = [(courier, time) for courier, time, _, _ in known]
    totals = [0]
    for _, _, _, late in known:
        totals.append(totals[-1] + late)
    wait = max(delay, 1)
    rates = []
    for row in rows:
        stop = bisect_left(keys, (row["courier"], row["time"] - wait + 1))
        first = max(stop - window, 0)
        rates.append((totals[stop] - totals[first]) / (stop - first) if stop else default)
    return rates
