"""The reviews of a run on disk, and what the run's files let a reader see of a trial.

``reviews/`` holds ``sample.json``, ``material.json``, one file a reading, and ``adjudications/``. People add to it after the
seal, which does not cover it.
"""

import base64
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from faultline.archive.checks import ARTIFACT_PATH
from faultline.archive.read import read_bytes, read_record
from faultline.archive.values import REVIEWS, ReviewRoom, SealedRun
from faultline.errors import BadInputError, FaultlineError, Faults, IntegrityError, RefusedError
from faultline.records import Adjudication, FrozenCandidate, Record, Review, ReviewMaterial, ReviewSample, Trial
from faultline.review import Shown
from faultline.tasks import Task, materialise

SAMPLE = "sample.json"
MATERIAL = "material.json"
ADJUDICATIONS = "adjudications"

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class ReviewPaths:
    """Where the parts of a run's reviews lie."""

    folder: Path

    @property
    def sample(self) -> Path:
        """The drawn sample."""
        return self.folder / SAMPLE

    @property
    def material(self) -> Path:
        """What readers are shown."""
        return self.folder / MATERIAL

    @property
    def adjudications(self) -> Path:
        """The folder of settled disputes."""
        return self.folder / ADJUDICATIONS


def review_paths(run: SealedRun) -> ReviewPaths:
    """Return where the reviews of a run lie."""
    return ReviewPaths(run.path / REVIEWS)


def read_room(run: SealedRun, problems: list[FaultlineError]) -> ReviewRoom:
    """Read the reviews of a run, by file name; what does not read, or belongs to another run, is added to ``problems``."""
    paths = review_paths(run)
    (sample,) = _all([paths.sample], ReviewSample, run, problems) or (None,)
    (material,) = _all([paths.material], ReviewMaterial, run, problems) or (None,)
    if sample is not None and sample.run != run.name:
        problems.append(BadInputError(_place(paths.sample, run), "this sample is of another run", found=sample.run))
        sample = None
    files = sorted(path for path in paths.folder.glob("*.json") if path.name not in (SAMPLE, MATERIAL))
    known = {trial.key for trial in run.trials} | ({item.key for item in sample.items} if sample else set())
    reviews, adjudications = [], []
    for path in files:
        for review in _all([path], Review, run, problems):
            if review.key in known:
                reviews.append(review)
            else:
                problem = "this review is not about a trial of the run"
                problems.append(BadInputError(_place(path, run), problem, found=review.key.run))
    for path in sorted(paths.adjudications.glob("*.json")):
        for adjudication in _all([path], Adjudication, run, problems):
            if adjudication.key in known:
                adjudications.append(adjudication)
            else:
                problem = "this adjudication is not about a trial of the run"
                problems.append(BadInputError(_place(path, run), problem, found=adjudication.key.run))
    return ReviewRoom(run.name, sample, material, tuple(reviews), tuple(adjudications))


def shown_of(run: SealedRun, trial: Trial, tasks: Iterable[Task]) -> Shown:
    """Return what a reader may see of a trial, before names are taken out.

    Raises :class:`RefusedError` when the task is not there in the form that the run used, and what :func:`read_record`
    raises when the candidate does not read.
    """
    key = trial.key
    pin = next(pin for pin in run.manifest.tasks if pin.id == key.task)
    variant_pin = next(variant for variant in pin.variants if variant.id == key.variant)
    task = next((task for task in tasks if task.id == key.task and task.digest == pin.digest), None)
    if task is None:
        raise RefusedError(
            f"tasks/{key.task}",
            "the task is not here in the form that the run used",
            expected=pin.digest,
            next_step="check out the commit of the run, or evaluate the task as it is now",
        )
    variant = materialise(task, variant_pin.seed)
    if variant.pin.workspace_digest != variant_pin.workspace_digest:
        raise IntegrityError(
            f"tasks/{key.task}",
            "the variant is drawn otherwise than in the run",
            expected=variant_pin.workspace_digest,
            found=variant.pin.workspace_digest,
        )
    after: dict[str, bytes | None] = {}
    for artifact in trial.last.artifacts:
        if artifact.role == "candidate" and ARTIFACT_PATH.match(artifact.path):
            frozen = read_record(run.path / artifact.path, FrozenCandidate, f"runs/{run.name}/{artifact.path}")
            after |= dict.fromkeys(set(variant.workspace) - set(frozen.tree))
            for path, file in frozen.files.items():
                text = file.text.encode("utf-8", "surrogatepass") if file.text is not None else None
                after[path] = base64.b64decode(file.base64 or "") if text is None else text
    return Shown(issue=variant.issue, before=variant.workspace, after=after, public=trial.outcome.public)


def _all(paths: list[Path], model: type[R], run: SealedRun, problems: list[FaultlineError]) -> list[R]:
    found = []
    for path in paths:
        if path.exists() or path.is_symlink():
            place = _place(path, run)
            try:
                found.append(model.parse(read_bytes(path, place), place))
            except FaultlineError as error:
                problems += error.errors if isinstance(error, Faults) else (error,)
    return found


def _place(path: Path, run: SealedRun) -> str:
    return f"runs/{run.name}/{path.relative_to(run.path).as_posix()}"
