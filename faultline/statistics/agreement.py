"""Do reviewers agree? Krippendorff's alpha, never alone: raw agreement and prevalence stand beside it."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from faultline.statistics.results import LEVEL, SEED, Bounds, Result, Scope, Status, cluster_labels, require_level

REPLICATES = 2_000


@dataclass(frozen=True, kw_only=True)
class Agreement(Result):
    """Agreement of raters; ``estimate`` is alpha, ``None`` where it is undefined."""

    raw_agreement: float | None
    """Share of pairs of ratings of one item that are the same; each item counts once."""
    prevalence: tuple[tuple[str, float], ...]
    """Share of each label among the ratings used, by label."""
    ratings: int
    seed: int


def krippendorff_alpha(
    ratings: Sequence[Sequence[Hashable]],
    clusters: Sequence[Hashable] | None = None,
    *,
    level: float = LEVEL,
    seed: int = SEED,
) -> Agreement:
    """Return the nominal alpha; a row a rater, a column an item, ``None`` where nobody rated.

    Items with fewer than two ratings are left out. Undefined when only one label was used. The interval comes from a seeded
    bootstrap of items, those of one cluster together.
    """
    require_level(level)
    width = len(ratings[0]) if ratings else 0
    if any(len(row) != width for row in ratings):
        raise ValueError("every rater needs a place for every item")
    groups = cluster_labels(clusters, width)
    units = [[row[item] for row in ratings if row[item] is not None] for item in range(width)]
    used = [(unit, group) for unit, group in zip(units, groups, strict=True) if len(unit) > 1]
    labels = sorted({label for unit, _ in used for label in unit}, key=lambda label: (str(type(label)), str(label)))
    counts = np.array([[unit.count(label) for label in labels] for unit, _ in used], dtype=float).reshape(
        len(used), len(labels)
    )
    names = {name: place for place, name in enumerate(dict.fromkeys(group for _, group in used))}
    alpha = raw = None
    interval = None
    prevalence: tuple[tuple[str, float], ...] = ()
    reason = "no item was rated twice"
    if used:
        sizes = counts.sum(axis=1)
        raw = float(np.mean((counts * (counts - 1)).sum(axis=1) / (sizes * (sizes - 1))))
        shares = counts.sum(axis=0) / counts.sum()
        prevalence = tuple((str(label), float(share)) for label, share in zip(labels, shares, strict=True))
        found = _alphas(counts, np.ones((1, len(used))))
        reason = "all reviewers gave one label"
        if len(found):
            alpha, reason = float(found[0]), ""
            interval = _interval(counts, [names[group] for _, group in used], level, seed)
            if interval is None:
                reason = "no variation in the bootstrap, so no interval"
    return Agreement(
        estimate=alpha,
        interval=interval,
        n=len(used),
        clusters=len(names),
        method="krippendorff-nominal",
        scope=Scope.POPULATION,
        status=Status.NOT_ESTIMABLE if alpha is None else Status.OK if interval else Status.INDICATIVE,
        reason=reason,
        raw_agreement=raw,
        prevalence=prevalence,
        ratings=int(counts.sum()),
        seed=seed,
    )


def _alphas(counts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return alpha for each row of weights over items; rows in which it is undefined are dropped."""
    sizes = counts.sum(axis=1)
    disagreement = (sizes**2 - (counts**2).sum(axis=1)) / (sizes - 1)
    n = weights @ sizes
    observed = weights @ disagreement / n
    expected = (n**2 - ((weights @ counts) ** 2).sum(axis=1)) / (n * (n - 1))
    defined = expected > 0
    return np.asarray(1 - observed[defined] / expected[defined])


def _interval(counts: np.ndarray, codes: Sequence[int], level: float, seed: int) -> Bounds | None:
    groups = max(codes) + 1
    if groups < 2:  # noqa: PLR2004  (a spread needs two)
        return None
    weights = np.random.default_rng(seed).multinomial(groups, [1 / groups] * groups, size=REPLICATES)[:, list(codes)]
    found = _alphas(counts, weights)
    here = float(_alphas(counts, np.ones((1, len(counts))))[0])
    low, high = (float(value) for value in np.quantile(found, ((1 - level) / 2, (1 + level) / 2)))
    return Bounds(min(low, here), max(high, here)) if high - low > 1e-12 else None  # noqa: PLR2004  (zero but for rounding)
