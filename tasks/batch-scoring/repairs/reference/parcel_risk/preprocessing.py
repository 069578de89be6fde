"""Turns a column into features: learn from the training rows, then apply to any rows.

Each class keeps what it learned in plain attributes, so that `vars` is what has to be saved.
"""

from collections import Counter

import numpy as np

from .cleaning import levels, median, numbers


def indicators(codes, width):
    """Return a row of zeros with a single one for each code."""
    matrix = np.zeros((len(codes), width))
    matrix[np.arange(len(codes)), codes] = 1.0
    return matrix


class Standardiser:
    """Subtracts the mean and divides by the standard deviation; a constant column becomes zero."""

    def __init__(self, name, filler=0.0, mean=0.0, spread=None):
        self.name, self.filler, self.mean, self.spread = name, filler, mean, spread

    @classmethod
    def learn(cls, rows, name):
        filler = median(rows, name)
        values = numbers(rows, name, filler)
        if values.min() == values.max():
            return cls(name, filler)
        return cls(name, filler, float(values.mean()), float(values.std()))

    def apply(self, rows):
        if self.spread is None:
            return np.zeros((len(rows), 1))
        return ((numbers(rows, self.name, self.filler) - self.mean) / self.spread)[:, None]


class QuantileBins:
    """Cuts a column at its quantiles, an indicator for each part; a constant column becomes zero."""

    def __init__(self, name, bins, filler=0.0, edges=None):
        self.name, self.bins, self.filler, self.edges = name, bins, filler, edges

    @classmethod
    def learn(cls, rows, name, bins):
        filler = median(rows, name)
        values = numbers(rows, name, filler)
        if values.min() == values.max():
            return cls(name, bins, filler)
        return cls(name, bins, filler, np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1]).tolist())

    def apply(self, rows):
        if self.edges is None:
            return np.zeros((len(rows), self.bins))
        values = numbers(rows, self.name, self.filler)
        return indicators(np.searchsorted(self.edges, values, side="right"), self.bins)


class CommonLevels:
    """Gives each of the most frequent levels an indicator; everything else shares the last one."""

    def __init__(self, name, slots, common):
        self.name, self.slots, self.common = name, slots, common

    @classmethod
    def learn(cls, rows, name, slots):
        counts = Counter(value for value in levels(rows, name) if value is not None)
        return cls(name, slots, sorted(counts, key=lambda level: (-counts[level], level))[:slots])

    def apply(self, rows):
        position = {level: place for place, level in enumerate(self.common)}
        return indicators([position.get(value, self.slots) for value in levels(rows, self.name)], self.slots + 1)
