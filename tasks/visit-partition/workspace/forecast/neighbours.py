"""The model: a vote of the nearest training rows, in units of the training spread."""
import math
import statistics


class Neighbours:
    """Remembers the training rows and answers with the majority of the `count` nearest ones."""

    def __init__(self, count=3):
        self.count = count

    def fit(self, rows, outcomes):
        """Keep `rows` (equally long lists of floats) and their outcomes (0 or 1)."""
        columns = list(zip(*rows))
        self._centres = [statistics.fmean(column) for column in columns]
        self._spreads = [statistics.pstdev(column) or 1.0 for column in columns]
        self._known = [(self._scaled(row), outcome) for row, outcome in zip(rows, outcomes)]
        return self

    def predict(self, rows):
        """Return 0 or 1 for each row; a tied vote is 0."""
        return [self._vote(self._scaled(row)) for row in rows]

    def _scaled(self, row):
        return [(value - c) / s for value, c, s in zip(row, self._centres, self._spreads)]

    def _vote(self, row):
        nearest = sorted(self._known, key=lambda known: math.dist(known[0], row))[: self.count]
        return int(2 * sum(outcome for _, outcome in nearest) > len(nearest))
