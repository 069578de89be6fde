"""Puts the features of all columns side by side."""

import numpy as np

from .preprocessing import CommonLevels, QuantileBins, Standardiser

KINDS = {"numeric": Standardiser, "binned": QuantileBins, "categorical": CommonLevels}


class Features:
    """What was learned about each column, in the order of the schema."""

    def __init__(self, columns):
        self.columns = columns

    @classmethod
    def learn(cls, rows, schema):
        columns = [Standardiser.learn(rows, name) for name in schema.numeric]
        columns += [QuantileBins.learn(rows, name, schema.bins) for name in schema.binned]
        columns += [CommonLevels.learn(rows, name, schema.slots) for name in schema.categorical]
        return cls(columns)

    def matrix(self, rows):
        """Return the features of the rows, shape (rows, features)."""
        return np.hstack([column.apply(rows) for column in self.columns])

    def as_list(self):
        kinds = {made: kind for kind, made in KINDS.items()}
        return [{"kind": kinds[type(column)], **vars(column)} for column in self.columns]

    @classmethod
    def from_list(cls, saved):
        return cls([KINDS[entry["kind"]](**{key: value for key, value in entry.items() if key != "kind"}) for entry in saved])
