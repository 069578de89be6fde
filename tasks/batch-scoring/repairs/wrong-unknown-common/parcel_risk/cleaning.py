"""Reads a column out of the rows."""

import numpy as np


def median(rows, name):
    """Return the median of the numbers that are known in a column, 0 when there are none."""
    known = [float(row[name]) for row in rows if row.get(name) is not None]
    return float(np.median(known)) if known else 0.0


def numbers(rows, name, filler):
    """Return a column of numbers as an array, the filler in the place of missing ones."""
    return np.array([filler if row.get(name) is None else float(row[name]) for row in rows])


def levels(rows, name):
    """Return a column of levels as a list, None where the level is missing."""
    return [row.get(name) for row in rows]
