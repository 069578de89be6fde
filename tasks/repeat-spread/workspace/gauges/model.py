"""The simple model: each outcome has a centre, the nearest centre wins."""
import math

import numpy as np

FEATURES = ("level", "rain")


def measurements(row):
    """Return the measurements of a row as an array; a `ValueError` if one cannot be used."""
    values = [row.get(name) for name in FEATURES]
    for name, value in zip(FEATURES, values):
        if not isinstance(value, (int, float)) or not math.isfinite(value):
            raise ValueError(f"{name} of {row.get('station')!r} is not a finite number: {value!r}")
    return np.array(values, dtype=float)


class CentreModel:
    """Centres of the measurements, one for each outcome that was seen."""

    def __init__(self, centres):
        self.centres = centres

    def predict(self, row):
        """Return the outcome with the nearest centre, the smaller one in a tie."""
        point = measurements(row)
        return min(
            sorted(self.centres),
            key=lambda outcome: float(np.sum((self.centres[outcome] - point) ** 2)),
        )


def fit(rows):
    """Return the model of some rows."""
    if not rows:
        raise ValueError("no rows to fit")
    groups = {}
    for row in rows:
        groups.setdefault(row["flood"], []).append(measurements(row))
    return CentreModel({outcome: np.mean(points, axis=0) for outcome, points in groups.items()})
