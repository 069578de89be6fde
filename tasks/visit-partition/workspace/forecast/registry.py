"""Read the export of the clinics."""
import csv

_NUMBERS = {"day": int, "level": float, "duration": float, "outcome": int}


def read_visits(path):
    """Return the rows of the CSV file at `path` as dicts; ids stay as they were typed."""
    with open(path, newline="", encoding="utf-8") as lines:
        return [_typed(row) for row in csv.DictReader(lines)]


def _typed(row):
    return {name: _NUMBERS.get(name, str)(value) for name, value in row.items()}
