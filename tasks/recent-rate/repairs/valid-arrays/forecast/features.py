"""The recent rate: how many of a courier's latest deliveries were late."""

import numpy as np

from forecast.settings import DEFAULT_RATE, DELAY, WINDOW


def recent_rates(rows, window=WINDOW, delay=DELAY, default=DEFAULT_RATE):
    """Return the recent rate of each row, in the order of the rows (see README)."""
    if window < 1:
        raise ValueError(f"window must be at least 1, found {window}")
    couriers = np.array([row["courier"] for row in rows], dtype=object)
    rates = np.full(len(rows), default, dtype=np.float32)
    for courier in set(couriers):
        mine = np.flatnonzero(couriers == courier)
        rates[mine] = _rates_of_one([rows[position] for position in mine], window, max(delay, 1), default)
    return rates.tolist()


def _rates_of_one(rows, window, wait, default):
    """Rates of one courier's rows; minutes are whole, so a wait of at least one keeps a batch apart."""
    known = sorted((row["time"], row["delivery"], row["late"]) for row in rows if row["late"] is not None)
    times = np.array([time for time, _, _ in known], dtype=np.int64)
    totals = np.concatenate([[0], np.cumsum([late for _, _, late in known], dtype=np.int64)])
    stop = np.searchsorted(times, np.array([row["time"] for row in rows]) - wait, side="right")
    first = np.maximum(stop - window, 0)
    count = stop - first
    return np.where(count > 0, (totals[stop] - totals[first]) / np.maximum(count, 1), default)
