"""Rows of the delivery log: read from an export, or made up for a try-out."""

import csv
import random
from datetime import datetime, timezone

COLUMNS = ("delivery", "courier", "time", "distance", "late")
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def read_rows(path):
    """Read an export; raise ValueError that names the line when one cannot be understood."""
    with open(path, newline="", encoding="utf-8") as stream:
        reader = csv.DictReader(stream)
        missing = set(COLUMNS) - set(reader.fieldnames or ())
        if missing:
            raise ValueError(f"{path}: missing columns {sorted(missing)}")
        return [_parse(line, f"{path}:{number}") for number, line in enumerate(reader, start=2)]


def _parse(line, place):
    try:
        return {
            "delivery": line["delivery"],
            "courier": line["courier"],
            "time": minutes(line["time"]),
            "distance": float(line["distance"]),
            "late": int(line["late"]) if line["late"] else None,
        }
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error


def minutes(text):
    """Turn an ISO 8601 time with offset into whole minutes since 1970, UTC."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"time without offset: {text!r}")
    return int((moment - EPOCH).total_seconds() // 60)


def sample_rows(seed=27, couriers=12, per_courier=200):
    """Make up a log of finished deliveries, in no particular order."""
    rng = random.Random(seed)
    rows = []
    for number in range(couriers):
        clock = 28_400_000 + rng.randrange(600)
        for _ in range(per_courier):
            clock += rng.randint(20, 400)
            rows.append(
                {
                    "delivery": f"{len(rows):06d}",
                    "courier": f"{number:03d}",
                    "time": clock,
                    "distance": rng.gauss(0.0, 1.0),
                    "late": rng.randrange(2),
                }
            )
    rng.shuffle(rows)
    return rows
