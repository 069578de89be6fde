"""What belongs to one run: an evaluation, the predictions it judged, and their trajectories, joined by model and patch."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from faultline.importers.swebench.layout import shared_depth
from faultline.importers.swebench.predictions import Predictions
from faultline.importers.swebench.summary import Summary
from faultline.importers.swebench.trajectory import Ended


@dataclass
class Made:
    """What an agent's own run left: predictions, trajectories, and how each instance ended."""

    folder: str
    model: str = ""
    predictions: list[Predictions] = field(default_factory=list)
    trajectories: dict[str, tuple[str, Ended]] = field(default_factory=dict)
    statuses: dict[str, str] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)
    homeless: Counter[str] = field(default_factory=Counter)

    @property
    def patches(self) -> dict[str, str]:
        """Patch by instance; empty without predictions."""
        return self.predictions[0].patches if self.predictions else {}

    @property
    def instances(self) -> set[str]:
        """Every instance that is named."""
        return {*self.patches, *self.trajectories, *self.statuses}


@dataclass
class Run:
    """One run id and model, with all that was found of it."""

    run_id: str
    model: str
    folder: str
    summaries: list[Summary] = field(default_factory=list)
    """The best one first; the others are copies in other shapes."""
    logs: dict[str, list[Mapping[str, str]]] = field(default_factory=dict)
    """By instance; more than one where a log was copied."""
    made: list[Made] = field(default_factory=list)
    """The best match first."""
    dataset: str = ""
    split: str = ""
    created_at: str = ""
    entry: str = ""
    """Name of the system, as a submission's metadata gives it."""
    paths: list[str] = field(default_factory=list)
    homeless: Counter[str] = field(default_factory=Counter)
    """Fields of its files that have no place in a record."""

    @property
    def evaluated(self) -> bool:
        """Whether anything but the agent's own files was found."""
        return bool(self.summaries or self.logs)

    @property
    def patches(self) -> dict[str, str]:
        """The predictions that count."""
        return next((made.patches for made in self.made if made.predictions), {})

    @property
    def instances(self) -> set[str]:
        """Every instance that the evaluation names."""
        return set(self.logs).union(*(summary.named for summary in self.summaries))


def plain(model: str) -> str:
    """Return a model's name as folders and files have it."""
    return model.replace("/", "__")


def summary_place(path: str, models: Iterable[str], run_ids: Iterable[str]) -> tuple[str, str]:
    """Return model and run id from ``<model>.<run id>.json``; both may hold dots, so that known names are tried first."""
    stem = PurePosixPath(path).name.removesuffix(".json")
    for model in sorted(map(plain, models), key=len, reverse=True):
        if model and stem.startswith(model + "."):
            return model, stem[len(model) + 1 :]
    for run_id in sorted(run_ids, key=len, reverse=True):
        if run_id and stem.endswith("." + run_id):
            return stem[: -len(run_id) - 1], run_id
    model, dot, run_id = stem.rpartition(".")
    return (model, run_id) if dot else ("", stem)


def attach(runs: Sequence[Run], made: Sequence[Made], patches_of: Mapping[int, Mapping[str, str]]) -> list[Made]:
    """Give each evaluation the predictions and trajectories it was made from; return those that belong to none.

    ``patches_of`` has, by position of the run, the patches that the harness itself wrote beside its logs.
    """
    used: set[int] = set()
    for at, run in enumerate(runs):
        known = run.patches or patches_of.get(at, {})
        fitting = [item for item in made if _fits(item, run)]
        ranked = sorted(fitting, key=lambda item: _rank(item, run, known), reverse=True)
        if run.patches:
            # A submission brings its own predictions: what others made belongs to it when it made the same.
            ranked = [item for item in ranked if _agreement(item.patches, known) in (None, 1.0)]
        elif ranked and ranked[0].predictions:
            best = ranked[0].patches
            ranked = [ranked[0], *(item for item in ranked[1:] if _agreement(item.patches, best) in (None, 1.0))]
        run.made += ranked
        used.update(id(item) for item in ranked)
    return [item for item in made if id(item) not in used]


def merge_shapes(runs: Sequence[Run]) -> list[Run]:
    """Return the runs, each once: the same predictions with the same instances resolved are another shape of one run."""
    kept: list[Run] = []
    for run in runs:
        same = next((item for item in kept if _same(item, run)), None)
        if same is None:
            kept.append(run)
            continue
        same.summaries += run.summaries
        same.made += [made for made in run.made if all(made is not item for item in same.made)]
        same.paths += run.paths
        same.homeless += run.homeless
        same.entry = same.entry or run.entry
        for instance, folders in run.logs.items():
            same.logs.setdefault(instance, []).extend(folders)
    return kept


def _same(one: Run, other: Run) -> bool:
    if not (one.summaries and other.summaries and one.patches) or one.patches != other.patches:
        return False
    return plain(one.model) == plain(other.model) and one.summaries[0].resolved == other.summaries[0].resolved


def _fits(made: Made, run: Run) -> bool:
    if made.model and run.model and plain(made.model) != plain(run.model):
        return False
    return bool(made.instances & run.instances)


def _rank(made: Made, run: Run, known: Mapping[str, str]) -> tuple[float, float, int, bool, str]:
    agreement = _agreement(made.patches, known)
    named = run.instances
    overlap = len(made.instances & named) / len(made.instances | named)
    return (
        -1.0 if agreement is None else agreement,
        overlap,
        shared_depth(made.folder, run.folder),
        bool(made.predictions),
        made.folder,
    )


def _agreement(one: Mapping[str, str], other: Mapping[str, str]) -> float | None:
    """Return the share of common instances with equal patches; ``None`` when there are none to compare."""
    common = one.keys() & other.keys()
    return sum(one[key] == other[key] for key in common) / len(common) if common else None
