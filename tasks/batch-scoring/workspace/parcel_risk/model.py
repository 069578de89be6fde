"""Ridge logistic regression, fitted with Newton's method."""

import numpy as np


def _with_constant(matrix):
    return np.hstack([np.ones((len(matrix), 1)), matrix])


def _logistic(values):
    return 1.0 / (1.0 + np.exp(-np.clip(values, -500.0, 500.0)))


class LogisticModel:
    def __init__(self, penalty=1.0, weights=None):
        self.penalty = penalty
        self.weights = None if weights is None else np.asarray(weights, dtype=float)

    def fit(self, matrix, labels):
        """Minimise the logistic loss plus penalty / 2 times the squared weights, the constant included."""
        design = _with_constant(matrix)
        labels = np.asarray(labels, dtype=float)
        weights = np.zeros(design.shape[1])
        for _ in range(50):
            chance = _logistic(design @ weights)
            gradient = design.T @ (chance - labels) + self.penalty * weights
            curvature = (design.T * (chance * (1.0 - chance))) @ design + self.penalty * np.eye(len(weights))
            step = np.linalg.solve(curvature, gradient)
            weights = weights - step
            if np.abs(step).max() < 1e-12:
                break
        self.weights = weights

    def probability(self, matrix):
        return _logistic(_with_constant(matrix) @ self.weights)
