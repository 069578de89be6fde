"""A small logistic regression."""

import numpy as np

from forecast.table import FEATURES


class Model:
    """Logistic regression over the columns in FEATURES, fitted by Newton steps."""

    def __init__(self, ridge=1e-3, steps=20):
        self.ridge = ridge
        self.steps = steps
        self.weights = np.zeros(len(FEATURES) + 1)

    def fit(self, table):
        inputs = _inputs(table)
        outcome = np.array([entry["late"] for entry in table], dtype=float)
        penalty = self.ridge * np.eye(inputs.shape[1])
        for _ in range(self.steps):
            chance = _sigmoid(inputs @ self.weights)
            slope = inputs.T @ (outcome - chance) - penalty @ self.weights
            curvature = (inputs.T * (chance * (1 - chance))) @ inputs + penalty
            self.weights = self.weights + np.linalg.solve(curvature, slope)
        return self

    def predict(self, table):
        """Return 1 where being late is the likelier outcome, else 0."""
        return (_sigmoid(_inputs(table) @ self.weights) > 0.5).astype(int)


def _inputs(table):
    columns = [[entry[name] for entry in table] for name in FEATURES]
    return np.column_stack([np.ones(len(table)), *columns])


def _sigmoid(values):
    return 1.0 / (1.0 + np.exp(-np.clip(values, -30.0, 30.0)))
