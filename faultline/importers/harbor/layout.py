"""Where Harbor's jobs and trials lie in a tree, whatever level of it was named.

A job is a folder whose ``result.json`` has ``n_total_trials``, a trial one whose ``result.json`` has ``trial_name``. What lies
below a trial was written by agent and verifier and is never taken for a record, whatever it is called.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from faultline.errors import BadInputError, FaultlineError
from faultline.importers.harbor.fields import Document
from faultline.importers.reading import Reading
from faultline.importers.tree import SourceTree, shown

RESULT, CONFIG, LOCK, TASK = "result.json", "config.json", "lock.json", "task.toml"
_HEAD = 2**16
_BESIDE = "a log or artifact beside a trial's result"
_OF_JOB = "a log or other file beside a job's result"
_DATASET = "a task of a dataset, not a job"
_UNFINISHED = "a trial without a result: it was cut short, or runs still"

Kind = Literal["job", "trial", "unfinished", "task", "other"]


@dataclass(frozen=True)
class TrialFolder:
    """One trial as it lies there."""

    folder: str
    result: Document
    lock: Document
    """Empty when there is none, as before 0.2."""

    def path(self, name: str) -> str:
        """Return the path of a file of this trial."""
        return _joined(self.folder, name)

    @property
    def parent(self) -> str:
        """The folder of its job."""
        return self.folder.rpartition("/")[0]


@dataclass(frozen=True)
class JobFolder:
    """A job's own files; each empty when there is none."""

    folder: str
    config: Document
    lock: Document
    result: Document
    files: tuple[str, ...]


@dataclass
class Layout:
    """What a tree holds."""

    trials: list[TrialFolder] = field(default_factory=list)
    jobs: dict[str, JobFolder] = field(default_factory=dict)
    """By folder."""
    unfinished: list[str] = field(default_factory=list)
    """Folders of trials without a result."""


def recognised(tree: SourceTree) -> bool:
    """Return whether a tree holds a job or a trial, by names and first bytes."""
    heads = (tree.head(path, _HEAD) for path in tree.files if path.rpartition("/")[2] == RESULT)
    return any(b'"n_total_trials"' in head or (b'"trial_name"' in head and b'"task_name"' in head) for head in heads)


def find(reading: Reading) -> Layout:
    """Find all jobs and trials, and say of every other file why it is left alone."""
    names: defaultdict[str, set[str]] = defaultdict(set)
    for path in reading.tree.files:
        folder, _, name = path.rpartition("/")
        names[folder].add(name)
    found = Layout()
    closed: dict[str, str] = {}
    own = {RESULT, CONFIG, LOCK, TASK}
    # From the top down: what a trial or a task holds is its own business.
    for folder in sorted((folder for folder in names if own & names[folder]), key=_from_the_top):
        if any(above in closed for above in _upwards(folder)):
            continue
        kind, result = _kind(reading, folder, names[folder])
        if kind == "trial":
            found.trials.append(TrialFolder(folder, result, _document(reading, folder, LOCK, names[folder]) or {}))
            closed[folder] = _BESIDE
        elif kind == "job":
            found.jobs[folder] = JobFolder(
                folder,
                _document(reading, folder, CONFIG, names[folder]) or {},
                _document(reading, folder, LOCK, names[folder]) or {},
                result,
                tuple(_joined(folder, name) for name in (CONFIG, LOCK, RESULT) if name in names[folder]),
            )
        elif kind == "unfinished":
            found.unfinished.append(folder)
            closed[folder] = _UNFINISHED
        elif kind == "task":
            closed[folder] = _DATASET
    _say_why(reading, closed, set(found.jobs))
    return found


def _kind(reading: Reading, folder: str, names: set[str]) -> tuple[Kind, Document]:
    """Return what a folder is, and its result."""
    config = reading.tree.head(_joined(folder, CONFIG), _HEAD) if CONFIG in names else b""
    result = _document(reading, folder, RESULT, names)
    if result and "n_total_trials" in result:
        return "job", result
    if result and "trial_name" in result:
        return "trial", result
    if b'"trial_name"' in config:
        return "unfinished", {}
    if b'"job_name"' in config and b'"n_attempts"' in config:
        return "job", {}
    if TASK in names:
        return "task", {}
    # A result that cannot be read was a trial's: what lies below it must not pass for others.
    return ("unfinished" if result is None and RESULT in names else "other"), {}


def _document(reading: Reading, folder: str, name: str, names: set[str]) -> Document | None:
    """Read one of Harbor's documents; ``None`` when it is not there, or cannot be read and was reported."""
    if name not in names:
        return None
    path = _joined(folder, name)
    try:
        found = reading.tree.json(path)
        if not isinstance(found, dict):
            raise BadInputError(shown(path), "this is no document of Harbor", expected="an object", found=type(found).__name__)
    except FaultlineError as error:
        reading.unreadable(error)
        return None
    return found


def _say_why(reading: Reading, closed: dict[str, str], jobs: set[str]) -> None:
    """Give the reason for every file; those that are read count as used in spite of it."""
    for path in reading.tree.files:
        folder = path.rpartition("/")[0]
        above = next((above for above in _upwards(folder) if above in closed), None)
        if above is not None:
            reading.skip(path, closed[above])
        elif folder in jobs and path.rpartition("/")[2] not in (CONFIG, LOCK, RESULT):
            reading.skip(path, _OF_JOB)


def _upwards(folder: str) -> Iterator[str]:
    """Yield a folder and all above it, up to the top."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def _from_the_top(folder: str) -> tuple[int, str]:
    return (folder.count("/") + 1 if folder else 0), folder


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
