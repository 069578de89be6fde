"""How well the model does on rows that it has not seen."""
import random

import numpy as np

from gauges.model import fit
from gauges.resampling import held_out_size
from gauges.seeding import seeded


def marks(model, rows):
    """Return 1 for each row that the model gets right and 0 for each other one."""
    return [int(model.predict(row) == row["flood"]) for row in rows]


def evaluate(rows, fraction=0.25, draws=200, seed=None):
    """Fit on a random part, judge on the rest, and tell how sure we are.

    `error` is the standard deviation of the accuracy over resamples of the held-out rows.
    """
    size = held_out_size(len(rows), fraction)
    with seeded(seed):
        order = list(range(len(rows)))
        random.shuffle(order)
        held_out, rest = sorted(order[:size]), sorted(order[size:])
        model = fit([rows[number] for number in rest])
        correct = np.array(marks(model, [rows[number] for number in held_out]))
        resampled = [correct[np.random.randint(0, size, size)].mean() for _ in range(draws)]
    return {
        "held_out": held_out,
        "correct": correct.tolist(),
        "accuracy": float(correct.mean()),
        "error": float(np.std(resampled)),
    }
