"""Readings of the river network: simulated, or from a CSV file."""
import csv
import random

FIELDS = ("station", "level", "rain", "flood")


def simulate(stations=12, per_station=10, seed=0):
    """Return made-up readings, station by station; the same seed gives the same list."""
    source = random.Random(seed)
    rows = []
    for number in range(stations):
        offset = source.gauss(0.0, 0.5)
        for _ in range(per_station):
            level = source.gauss(offset, 1.0)
            rain = source.gauss(0.0, 1.0)
            risk = 0.9 * level + 0.7 * rain + source.gauss(0.0, 1.2)
            rows.append({"station": f"S{number:02d}", "level": round(level, 3),
                         "rain": round(rain, 3), "flood": int(risk > 0.4)})
    return rows


def load(path):
    """Read a CSV file with the columns of `FIELDS`; names of stations stay text."""
    with open(path, newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        row.update(level=_number(row["level"]), rain=_number(row["rain"]), flood=int(row["flood"]))
    return rows


def save(rows, path):
    """Write readings so that `load` gives them back."""
    with open(path, "w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, FIELDS)
        writer.writeheader()
        writer.writerows(rows)


def _number(text):
    """An empty cell is a measurement that was not taken."""
    return float(text) if text.strip() else None
