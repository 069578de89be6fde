"""Puts the features of all columns side by side."""

import numpy as np

from .cleaning import levels, numbers
from .preprocessing import common_levels, quantile_bins, standardise


def feature_matrix(rows, schema):
    """Return the features of the rows, shape (rows, features), columns in the order of the schema."""
    parts = [standardise(numbers(rows, name)) for name in schema.numeric]
    parts += [quantile_bins(numbers(rows, name), schema.bins) for name in schema.binned]
    parts += [common_levels(levels(rows, name), schema.slots) for name in schema.categorical]
    return np.hstack(parts)
