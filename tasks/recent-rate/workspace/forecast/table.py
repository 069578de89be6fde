"""The training table: features and outcome of each finished delivery."""

from forecast.features import recent_rates
from forecast.settings import DEFAULT_RATE, DELAY, WINDOW

FEATURES = ("recent_rate", "distance")


def build_table(rows, window=WINDOW, delay=DELAY, default=DEFAULT_RATE):
    """Return the rows with an outcome, with their features, by time, then id."""
    rates = recent_rates(rows, window, delay, default)
    table = [
        {
            "delivery": row["delivery"],
            "time": row["time"],
            "recent_rate": rate,
            "distance": row["distance"],
            "late": row["late"],
        }
        for row, rate in zip(rows, rates)
        if row["late"] is not None
    ]
    return sorted(table, key=lambda entry: (entry["time"], entry["delivery"]))
