"""Turns a column into features: one array of shape (rows, features) for each column."""

from collections import Counter

import numpy as np


def is_constant(values):
    return values.min() == values.max()


def indicators(codes, width):
    """Return a row of zeros with a single one for each code."""
    matrix = np.zeros((len(codes), width))
    matrix[np.arange(len(codes)), codes] = 1.0
    return matrix


def standardise(values):
    """Subtract the mean and divide by the standard deviation; a constant column becomes zero."""
    if is_constant(values):
        return np.zeros((len(values), 1))
    return ((values - values.mean()) / values.std())[:, None]


def quantile_bins(values, bins):
    """Cut a column at its quantiles, an indicator for each part; a constant column becomes zero."""
    if is_constant(values):
        return np.zeros((len(values), bins))
    edges = np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1])
    return indicators(np.searchsorted(edges, values, side="right"), bins)


def common_levels(values, slots):
    """Give each of the most frequent levels an indicator; everything else shares the last one."""
    counts = Counter(value for value in values if value is not None)
    common = sorted(counts, key=lambda level: (-counts[level], level))[:slots]
    position = {level: place for place, level in enumerate(common)}
    return indicators([position.get(value, slots) for value in values], slots + 1)
