"""Puts the features of all columns side by side."""

import numpy as np

from .cleaning import levels, numbers
from .preprocessing import common_levels, quantile_bins, standardise


def feature_matrix(rows, training, schema):
    """Return the features of the rows as seen from the training rows, shape (rows, features)."""
    def both(name):
        return numbers(rows, name, training), numbers(training, name, training)

    parts = [standardise(*both(name)) for name in schema.numeric]
    parts += [quantile_bins(numbers(rows, name, training), schema.bins) for name in schema.binned]
    parts += [common_levels(levels(rows, name), schema.slots) for name in schema.categorical]
    return np.hstack(parts)
