"""How well the model does on rows that it has not seen."""
import numpy as np

from gauges.model import fit
from gauges.resampling import Resampler, holdout


def marks(model, rows):
    """Return 1 for each row that the model gets right and 0 for each other one."""
    return [int(model.predict(row) == row["flood"]) for row in rows]


def evaluate(rows, fraction=0.25, draws=200, seed=None):
    """Fit on a random part, judge on the rest, and tell how sure we are.

    `error` is the standard deviation of the accuracy over resamples of the held-out rows.
    """
    parts = holdout(rows, fraction, seed)
    held_out = parts["test"]
    model = fit([rows[number] for number in parts["train"]])
    correct = np.array(marks(model, [rows[number] for number in held_out]))
    resampler = Resampler(len(held_out))
    resampled = [correct[resampler.draw()].mean() for _ in range(draws)]
    return {
        "held_out": held_out,
        "correct": correct.tolist(),
        "accuracy": float(correct.mean()),
        "error": float(np.std(resampled)),
    }
