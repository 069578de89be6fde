"""The recipe: everything that is learned about the columns in training, as a plain dict that can be saved as it is."""

from collections import Counter

import numpy as np


def learn(rows, schema):
    """Return the recipe for the training rows."""
    recipe = {"scale": {}, "cut": {}, "levels": {}, "fill": {}}
    for name in schema.numeric + schema.binned:
        known = [float(row[name]) for row in rows if row.get(name) is not None]
        recipe["fill"][name] = float(np.median(known)) if known else 0.0
        if len(set(known)) < 2:
            continue
        values = np.array([_number(row, name, recipe) for row in rows])
        if name in schema.numeric:
            recipe["scale"][name] = [float(np.mean(values)), float(np.std(values))]
        else:
            recipe["cut"][name] = [float(np.quantile(values, part / schema.bins)) for part in range(1, schema.bins)]
    for name in schema.categorical:
        counts = Counter(sorted(row[name] for row in rows if row.get(name) is not None))
        recipe["levels"][name] = [level for level, _ in counts.most_common(schema.slots)]
    return recipe


def apply(recipe, rows, schema):
    """Return the features of the rows, shape (rows, features)."""
    return np.array([_features(recipe, row, schema) for row in rows])


def _number(row, name, recipe):
    value = row.get(name)
    return recipe["fill"][name] if value is None else float(value)


def _features(recipe, row, schema):
    features = []
    for name in schema.numeric:
        if name in recipe["scale"]:
            mean, spread = recipe["scale"][name]
            features.append((_number(row, name, recipe) - mean) / spread)
    for name in schema.binned:
        if name in recipe["cut"]:
            part = sum(edge <= _number(row, name, recipe) for edge in recipe["cut"][name])
            features += [float(part == other) for other in range(schema.bins)]
    for name in schema.categorical:
        known = recipe["levels"][name]
        features += [float(row.get(name) == level) for level in known]
        features.append(float(row.get(name) not in known))
    return features
