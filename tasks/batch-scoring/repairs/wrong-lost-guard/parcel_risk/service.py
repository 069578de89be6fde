"""The scorer: fit, predict, save, load."""

import json

from .features import Features
from .model import LogisticModel
from .schema import Schema

FORMAT = 2


class Scorer:
    """Scores parcels; see the README for what a score depends on."""

    def __init__(self, numeric=(), binned=(), categorical=(), bins=4, slots=3, penalty=1.0):
        self.schema = Schema(numeric, binned, categorical, bins, slots)
        self.features = None
        self.model = LogisticModel(penalty)

    def fit(self, rows, labels):
        """Learn from rows and their labels (0 or 1, both must occur)."""
        if len(rows) != len(labels):
            raise ValueError(f"{len(rows)} rows, {len(labels)} labels")
        if set(labels) != {0, 1}:
            raise ValueError("labels are 0 or 1, and both must occur")
        self.features = Features.learn(rows, self.schema)
        self.model.fit(self.features.matrix(rows), labels)
        return self

    def predict(self, rows):
        """Return the probability that a parcel ends up damaged, for each row."""
        self._require_fit()
        if not rows:
            return []
        return self.model.probability(self.features.matrix(rows)).tolist()

    def save(self, path):
        """Write the scorer to one JSON file."""
        self._require_fit()
        document = {
            "format": FORMAT,
            "schema": self.schema.as_dict(),
            "features": self.features.as_list(),
            "penalty": self.model.penalty,
            "weights": self.model.weights.tolist(),
        }
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1, sort_keys=True)

    def _require_fit(self):
        if self.model.weights is None:
            raise RuntimeError("the scorer has not been fitted")


def load(path):
    """Return the scorer that was saved at the path."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    if document.get("format") != FORMAT:
        raise ValueError(f"unknown file format {document.get('format')!r}")
    scorer = Scorer(**document["schema"], penalty=document["penalty"])
    scorer.features = Features.from_list(document["features"])
    scorer.model = LogisticModel(document["penalty"], document["weights"])
    return scorer
