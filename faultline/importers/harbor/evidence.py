"""What lies beside a trial's result: test counts, the verifier's own reward file, the trajectory.

All of it was written inside the container and may be anything: what cannot be read is said in a note, and the trial stands.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from faultline.errors import BadInputError, FaultlineError
from faultline.importers.atif import MAX_TRAJECTORY, Work, joined, read_trajectory, trace, work
from faultline.importers.ctrf import counts
from faultline.importers.harbor.fields import at, rows, table, text
from faultline.importers.harbor.layout import TrialFolder
from faultline.importers.numbers import number
from faultline.importers.tree import SourceTree
from faultline.kinds import safe_text
from faultline.records import TestCounts

_MAX_REPORT = 16 * 2**20
_MAX_REWARD = 2**16
_MILLISECONDS = 1e11
_CONTINUED = 20
"""Continuations of a trajectory that are followed."""


@dataclass(frozen=True)
class Tests:
    """One test report."""

    counts: TestCounts
    seconds: float | None
    """Of all tests together."""


def ctrf(document: object) -> Tests | None:
    """Return what a CTRF report counts; ``None`` when it is none.

    CTRF writes milliseconds. The plugin that many Harbor tasks use is older: it has no ``reportFormat`` and writes seconds;
    reports that do not name their format are told apart by the size of their times.
    """
    counted = counts(document)
    if counted is None:
        return None
    times = [number(at(item, "duration")) for item in rows(at(document, "results.tests"))]
    known = [value for value in times if value is not None and value >= 0]
    seconds = sum(known) if known and len(known) == len(times) else None
    if seconds is not None and _in_milliseconds(document):
        seconds /= 1000
    return Tests(counted, seconds)


def _in_milliseconds(document: object) -> bool:
    start = number(at(document, "results.summary.start"))
    return at(document, "reportFormat") is not None or (start is not None and start > _MILLISECONDS)


@dataclass
class Evidence:
    """What was found beside one trial."""

    files: list[str]
    """Files that were read."""
    tests: TestCounts | None
    metrics: dict[str, float]
    trajectories: tuple[tuple[str, str], ...]
    """Name of a part and its path, in order."""
    work: Work | None
    digest: str
    """Of the trajectory's bytes, empty when there is none."""
    rewards: dict[str, float] | None
    """As the verifier wrote them."""
    faults: list[str]
    """What could not be read, in words."""


def gather(tree: SourceTree, folder: TrialFolder, steps: tuple[str, ...]) -> Evidence:
    """Read what lies beside a trial of the given steps (none for a trial of one)."""
    found = Evidence([], None, {}, (), None, "", None, [])
    parts = [(step, folder.path(f"steps/{step}")) for step in steps if _plain(step)] or [("", folder.folder)]
    _reports(tree, parts, found)
    if not steps:
        _reward_file(tree, folder, found)
    _trajectories(tree, parts, found)
    return found


def trace_of(tree: SourceTree, paths: tuple[tuple[str, str], ...], trial: str) -> bytes | None:
    """Return the trajectory of a trial for its record; ``None`` when it changed since it was first read."""
    try:
        parts = [(name, read_trajectory(tree.content(path, MAX_TRAJECTORY), path)) for name, path in paths]
        return trace(joined(parts), trial)
    except (FaultlineError, ValueError, RecursionError):
        return None


def _reports(tree: SourceTree, parts: list[tuple[str, str]], found: Evidence) -> None:
    for step, place in parts:
        path = _below(place, "verifier/ctrf.json")
        report = None
        for document in _read(tree, path, found, _MAX_REPORT):
            report = ctrf(document)
            if report is None:
                found.faults.append(f"{path} is no test report")
        if report is None:
            continue
        prefix = f"step {step}: " if step else ""
        if step:
            found.metrics |= {
                f"{prefix}tests passed": float(report.counts.passed),
                f"{prefix}tests failed": float(report.counts.failed),
            }
        else:
            found.tests = report.counts
        if report.seconds is not None:
            found.metrics[f"{prefix}test seconds"] = report.seconds


def _reward_file(tree: SourceTree, folder: TrialFolder, found: Evidence) -> None:
    path = folder.path("verifier/reward.json")
    for document in _read(tree, path, found, _MAX_REWARD):
        values = {name: number(value) for name, value in table(document).items()}
        found.rewards = {name: value for name, value in values.items() if value is not None}
        return
    path = folder.path("verifier/reward.txt")
    if tree.has(path):
        try:
            value = float(tree.text(path, _MAX_REWARD).strip())
        except FaultlineError as error:
            found.faults.append(str(error))
        except ValueError:
            # An empty or odd file is what the verifier's exception is about.
            found.files.append(path)
        else:
            found.files.append(path)
            finite = number(value)
            found.rewards = None if finite is None else {"reward": finite}


def _trajectories(tree: SourceTree, parts: list[tuple[str, str]], found: Evidence) -> None:
    paths: list[tuple[str, str]] = []
    works: list[Work] = []
    hashed = hashlib.sha256()
    for step, place in parts:
        name, seen = "trajectory.json", set[str]()
        while name not in seen and len(seen) < _CONTINUED:
            seen.add(name)
            path = _below(place, f"agent/{name}")
            if not tree.has(path):
                break
            try:
                document = read_trajectory(tree.content(path, MAX_TRAJECTORY), path)
            except FaultlineError as error:
                found.faults.append(f"{error.place}: {error.problem}; the trajectory is left out")
                break
            found.files.append(path)
            paths.append((step or name.removesuffix(".json"), path))
            works.append(work(document))
            hashed.update(tree.digest(path).encode())
            name = text(document.get("continued_trajectory_ref"))
            if not _plain(name):
                break
    if not paths:
        return
    found.trajectories, found.digest = tuple(paths), hashed.hexdigest()
    found.work = Work(*(sum(column) for column in zip(*(vars(item).values() for item in works), strict=True)))
    found.metrics |= {"trajectory steps": float(found.work.steps), "trajectory tool calls": float(found.work.tool_calls)}
    if found.work.copied:
        found.metrics["trajectory steps copied for context"] = float(found.work.copied)


def _read(tree: SourceTree, path: str, found: Evidence, limit: int) -> Iterator[object]:
    """Yield a JSON document, if there is one that can be read."""
    if not tree.has(path):
        return
    try:
        document = tree.json(path, limit)
        if not isinstance(document, dict):
            raise BadInputError(safe_text(path, 300), "this is no JSON object")
    except FaultlineError as error:
        found.faults.append(f"{error.place}: {error.problem}")
        return
    found.files.append(path)
    yield document


def _below(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _plain(name: str) -> bool:
    """Return whether a name stays in its folder."""
    return bool(name) and "/" not in name and "\\" not in name and name not in (".", "..") and "\0" not in name
