"""Reads a column out of the rows."""

import numpy as np


def numbers(rows, name, training):
    """Return a column of numbers as an array, the median of the training rows in the place of missing ones."""
    values = [row.get(name) for row in rows]
    known = [float(row[name]) for row in training if row.get(name) is not None]
    filler = float(np.median(known)) if known else 0.0
    return np.array([filler if value is None else float(value) for value in values])


def levels(rows, name):
    """Return a column of levels as a list, None where the level is missing."""
    return [row.get(name) for row in rows]
