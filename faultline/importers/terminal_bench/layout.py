"""Where the runs of Terminal-Bench lie in a tree: by names first, by content where a name says too little."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from faultline.errors import BadInputError, FaultlineError
from faultline.importers.reading import Reading
from faultline.importers.tree import SourceTree, shown

METADATA, LOCK, RESULTS = "run_metadata.json", "tb.lock", "results.json"
OTHER_FORMAT = "a result file of another format"
_TRIAL_FIELDS = {"is_resolved", "trial_name"}
_HEAD = 65_536
"""The instruction of a task stands before the fields that tell the format."""
_RECORDINGS = {"panes": ".txt", "sessions": ".cast", "agent-logs": ""}


@dataclass
class RunFiles:
    """The files of one run folder, or one lone result file, with what they hold."""

    folder: str
    """Relative to the source; ``""`` for what was named itself."""
    results_path: str = ""
    results: dict[str, Any] = field(default_factory=dict)
    """The run-level result; empty when there is none, as in an interrupted run."""
    metadata: dict[str, Any] = field(default_factory=dict)
    lock: dict[str, Any] = field(default_factory=dict)
    trials: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """The result file of each trial, with its path."""
    paths: list[str] = field(default_factory=list)
    """All files that were read."""
    lone: bool = False
    """A run-level result on its own, under another name."""


def holds_runs(tree: SourceTree) -> bool:
    """Return whether a tree looks like runs of Terminal-Bench: by names, else by the first bytes of result files."""
    for path in tree.files:
        name = PurePosixPath(path).name
        if name == LOCK:
            return True
        if _may_hold_results(name):
            head = tree.head(path, _HEAD)
            if b'"is_resolved"' in head and b'"failure_mode"' in head:
                return True
    return False


def read_runs(reading: Reading) -> Iterator[RunFiles]:
    """Yield the runs of a tree, by folder; a file that cannot be read is reported, one of another format is skipped."""
    found: dict[str, RunFiles] = {}
    for path in reading.tree.files:
        name = PurePosixPath(path).name
        if name in (METADATA, LOCK) or _may_hold_results(name):
            try:
                _place(found, path, name, reading)
            except FaultlineError as error:
                reading.unreadable(error)
        elif _is_recording(path):
            reading.skip(path, "a recording of a terminal or an agent's own log, which has no trajectory that is read")
    for run in found.values():
        # A lock or metadata alone is a run that never came to a trial, or another tool's file of that name.
        if run.results or run.trials:
            reading.used(*run.paths)
            yield run
        else:
            for path in run.paths:
                reading.skip(path, "belongs to a run without any trial")


def _place(found: dict[str, RunFiles], path: str, name: str, reading: Reading) -> None:
    """Read one file and put it where it belongs."""
    value = reading.tree.json(path)
    if not isinstance(value, dict):
        if name in (METADATA, LOCK):
            raise BadInputError(shown(path), "this file holds no object", found=type(value).__name__)
        reading.skip(path, OTHER_FORMAT)
        return
    parent = _parent(path)
    if name == METADATA:
        run = found.setdefault(parent, RunFiles(parent))
        run.metadata = value
    elif name == LOCK:
        run = found.setdefault(parent, RunFiles(parent))
        run.lock = value
    elif isinstance(value.get("results"), list) and _looks_like_trials(value["results"]):
        # Two result files in one folder are two sources, of which the well-named one belongs to the folder.
        key = parent if name == RESULTS else path
        run = found.setdefault(key, RunFiles(parent, lone=name != RESULTS))
        run.results, run.results_path = value, path
    elif name == RESULTS and value.keys() >= _TRIAL_FIELDS:
        folder = _parent(_parent(parent))
        run = found.setdefault(folder, RunFiles(folder))
        run.trials.append((path, value))
    else:
        reading.skip(path, OTHER_FORMAT)
        return
    run.paths.append(path)


def _looks_like_trials(rows: list[Any]) -> bool:
    return any(isinstance(row, dict) and row.keys() & _TRIAL_FIELDS for row in rows)


def _may_hold_results(name: str) -> bool:
    return name == RESULTS or name.endswith(f"_{RESULTS}")


def _is_recording(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return any(part in _RECORDINGS and path.endswith(_RECORDINGS[part]) for part in parts[:-1])


def _parent(path: str) -> str:
    return path.rpartition("/")[0]
