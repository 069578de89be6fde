"""The same question asked several times: how much does the choice of training rows matter?"""
import numpy as np

from gauges.evaluation import marks
from gauges.model import fit
from gauges.resampling import holdout


def repeat_study(rows, repeats=5, share=0.6, fraction=0.25, seed=7):
    """Fit `repeats` models on random shares of the training rows; judge all on the same rows.

    `seed` decides the held-out rows. The shares are drawn from `numpy.random`, as it stands.
    """
    parts = holdout(rows, fraction, seed)
    study = []
    for _ in range(repeats):
        wanted = max(1, round(share * len(parts["train"])))
        chosen = np.random.permutation(parts["train"])[:wanted]
        model = fit([rows[number] for number in chosen])
        correct = marks(model, [rows[number] for number in parts["test"]])
        study.append({
            "fitted_on": sorted(int(number) for number in chosen),
            "accuracy": sum(correct) / len(correct),
        })
    return study
