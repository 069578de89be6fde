"""The failure classes: kinds of ML defects that make a model look better while the evidence gets worse.

After Kapoor and Narayanan's taxonomy of leakage (2023) and the fault taxonomies named in the documentation.
"""

from dataclasses import dataclass

__all__ = ["FAILURE_CLASSES", "FailureClassDefinition"]


@dataclass(frozen=True)
class FailureClassDefinition:
    """A kind of defect, for people."""

    title: str
    defect: str
    """What goes wrong."""
    flatters: str
    """Why the model then looks better."""
    invariance: str
    """What a hidden check changes, and what must then stay or move."""


FAILURE_CLASSES: dict[str, FailureClassDefinition] = {
    "entity-leakage": FailureClassDefinition(
        "Entity leakage across splits",
        "Rows of one person, machine or customer stand on both sides of a split.",
        "A model that remembers the entity is rewarded for memory and looks as if it generalised.",
        "Write an entity's key another way, or reorder its rows: it must still stand on one side only, and no row may be lost.",
    ),
    "metric-aggregation": FailureClassDefinition(
        "Metric aggregation",
        "A number is averaged over the wrong unit, so that some items count more often than others.",
        "Whatever is repeated more often, such as a confirmed success, pulls the average up.",
        "Repeat an attempt, or shuffle the log: the number must not move; drop an item: it must.",
    ),
    "temporal-leakage": FailureClassDefinition(
        "Temporal leakage",
        "A feature uses outcomes that were not yet known at the moment it stands for.",
        "The feature contains part of the answer, offline only.",
        "Change what happens later: the feature must stay; change what happened before: it must move.",
    ),
    "preprocessing-leakage": FailureClassDefinition(
        "Preprocessing refitted at inference",
        "Statistics that belong to training are computed again on the rows to be scored.",
        "The pipeline adapts to the data it is judged on, and hides a shift.",
        "Score rows together, alone, or beside an outlier: each row's score must be the same, and the fitted state untouched.",
    ),
    "randomness": FailureClassDefinition(
        "Randomness with side effects",
        "A seed reaches further than the call it was given to, so that later draws are no longer independent.",
        "Repeats agree with each other and the spread shrinks to nothing: false precision.",
        "Call it in the middle of somebody's stream of draws: the stream must go on as if nothing had been called.",
    ),
}
"""By id; a task must name one of them."""
