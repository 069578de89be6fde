"""The recent rate: how many of a courier's latest deliveries were late."""

from forecast.settings import DEFAULT_RATE, DELAY, WINDOW


def recent_rates(rows, window=WINDOW, delay=DELAY, default=DEFAULT_RATE):
    """Return the recent rate of each row, in the order of the rows (see README)."""
    if window < 1:
        raise ValueError(f"window must be at least 1, found {window}")
    exported_at = max((row["time"] for row in rows), default=0)
    rates = [default] * len(rows)
    totals = [0]  # totals[k]: late ones among the first k outcomes
    for position in _by_courier(rows):
        row = rows[position]
        if _is_reported(row, delay, exported_at):
            totals.append(totals[-1] + row["late"])
        count = min(window, len(totals) - 1)
        if count:
            rates[position] = (totals[-1] - totals[-1 - count]) / count
    return rates


def _by_courier(rows):
    """Positions of the rows, those of one courier side by side."""
    return sorted(range(len(rows)), key=lambda position: rows[position]["courier"])


def _is_reported(row, delay, moment):
    return row["late"] is not None and row["time"] + delay <= moment
