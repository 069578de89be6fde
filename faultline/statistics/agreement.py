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


def gwet_ac1(
    ratings: Sequence[Sequence[Hashable]],
    labels: Sequence[Hashable],
    clusters: Sequence[Hashable] | None = None,
    *,
    level: float = LEVEL,
    seed: int = SEED,
) -> Agreement:
    """Return Gwet's AC1, which keeps its meaning when nearly all ratings carry one label (Gwet 2008).

    ``labels`` are all that a rater could have given, at least two; rows and columns as in :func:`krippendorff_alpha`. The
    interval comes from the same bootstrap. Its lower end is never above what perfect agreement of as many clusters shows
    (one-sided, exact), nor its upper end below what none shows: a few items without a dispute prove little.
    """
    require_level(level)
    kinds = list(dict.fromkeys(labels))
    if len(kinds) < 2:  # noqa: PLR2004  (agreement needs a choice)
        raise ValueError("raters choose between at least two labels")
    width = len(ratings[0]) if ratings else 0
    if any(len(row) != width for row in ratings):
        raise ValueError("every rater needs a place for every item")
    groups = cluster_labels(clusters, width)
    units = [[row[item] for row in ratings if row[item] is not None] for item in range(width)]
    if any(label not in kinds for unit in units for label in unit):
        raise ValueError("a rating carries a label that raters could not give")
    used = [(unit, group) for unit, group in zip(units, groups, strict=True) if len(unit) > 1]
    counts = np.array([[unit.count(kind) for kind in kinds] for unit, _ in used], dtype=float).reshape(len(used), len(kinds))
    names = {name: place for place, name in enumerate(dict.fromkeys(group for _, group in used))}
    found = raw = None
    interval = None
    if used:
        sizes = counts.sum(axis=1)
        raw = float(np.mean((counts * (counts - 1)).sum(axis=1) / (sizes * (sizes - 1))))
        found = float(_ac1(counts, np.ones((1, len(used))))[0])
        codes = [names[group] for _, group in used]
        weights = np.random.default_rng(seed).multinomial(len(names), [1 / len(names)] * len(names), size=REPLICATES)
        drawn = _ac1(counts, weights[:, codes])
        low, high = (float(value) for value in np.quantile(drawn, ((1 - level) / 2, (1 + level) / 2)))
        chance = float(_by_chance(counts, np.ones((1, len(used))))[0])
        perfect = float((1 - level) ** (1 / len(names)))
        low = min(low, found, (perfect - chance) / (1 - chance))
        high = max(high, found, (1 - perfect - chance) / (1 - chance))
        interval = Bounds(max(-1.0, low), high)
    return Agreement(
        estimate=found,
        interval=interval,
        n=len(used),
        clusters=len(names),
        method="gwet-ac1",
        scope=Scope.POPULATION,
        status=Status.OK if used else Status.NOT_ESTIMABLE,
        reason="" if used else "no item was rated twice",
        raw_agreement=raw,
        prevalence=tuple(
            (str(kind), float(share)) for kind, share in zip(kinds, counts.sum(axis=0) / counts.sum(), strict=True) if share
        )
        if used
        else (),
        ratings=int(counts.sum()),
        seed=seed,
    )


def _ac1(counts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return AC1 for each row of weights over items."""
    sizes = counts.sum(axis=1)
    agreed = (counts * (counts - 1)).sum(axis=1) / (sizes * (sizes - 1))
    observed = weights @ agreed / weights.sum(axis=1)
    chance = _by_chance(counts, weights)
    return np.asarray((observed - chance) / (1 - chance))


def _by_chance(counts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the agreement that guessing by prevalence would give; below 1, since the labels are at least two."""
    shares = counts / counts.sum(axis=1, keepdims=True)
    mean = weights @ shares / weights.sum(axis=1, keepdims=True)
    return np.asarray((mean * (1 - mean)).sum(axis=1) / (counts.shape[1] - 1))
