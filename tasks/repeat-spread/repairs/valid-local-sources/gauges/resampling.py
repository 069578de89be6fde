"""Which rows to hold out, which to leave together, which to draw again."""
import random

import numpy as np


def held_out_size(total, fraction):
    """How many of `total` rows to hold out: the nearest number that leaves both sides at least one."""
    if not 0 < fraction < 1:
        raise ValueError(f"fraction must lie between 0 and 1, got {fraction!r}")
    if total < 2:
        raise ValueError(f"two rows are needed to hold one out, got {total}")
    return min(max(1, round(fraction * total)), total - 1)


def _shuffled(items, seed):
    items = list(items)
    random.Random(seed).shuffle(items)
    return items


def holdout(rows, fraction=0.25, seed=None):
    """Divide row numbers at random into those to train on and those to test on."""
    size = held_out_size(len(rows), fraction)
    order = np.array(_shuffled(range(len(rows)), seed))
    return {"train": np.sort(order[size:]).tolist(), "test": np.sort(order[:size]).tolist()}


def station_folds(rows, folds=5, seed=None):
    """Deal whole stations to folds at random; return the fold number of each row.

    Stations are shuffled from the order in which they first appear and dealt in turn,
    so that the numbers of stations in two folds differ by one at most.
    """
    names = list(dict.fromkeys(row["station"] for row in rows))
    if not 2 <= folds <= len(names):
        raise ValueError(f"{len(names)} stations cannot be dealt to {folds} folds")
    fold_of = {name: place % folds for place, name in enumerate(_shuffled(names, seed))}
    return [fold_of[row["station"]] for row in rows]


class Resampler:
    """An endless series of resamples: row numbers drawn with replacement."""

    def __init__(self, size, seed=None):
        if size < 1:
            raise ValueError(f"nothing to draw from: size {size}")
        self.size = size
        self._source = np.random.RandomState(seed)

    def draw(self):
        """Return the next resample, a list of `size` row numbers."""
        return self._source.randint(0, self.size, self.size).tolist()
