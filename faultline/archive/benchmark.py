"""Read a benchmark's folder: tasks, sealed runs that verify, reviews, settings; what cannot be read is a problem, not a gap."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from faultline.archive.read import read_bytes, read_run
from faultline.archive.values import REVIEWS, SEAL, Benchmark, SealedRun
from faultline.archive.verify import verify_run
from faultline.errors import BadInputError, FaultlineError, Faults, IntegrityError, MissingInputError
from faultline.kinds import RunKind, safe_text
from faultline.records import Review
from faultline.tasks import Task, load_tasks

_SITE_NAME = re.compile(r"^site_name:[ \t]*(?P<name>\S.*?)[ \t]*$", re.MULTILINE)


def load_benchmark(root: Path) -> Benchmark:
    """Read everything that a benchmark's folder holds.

    A task, run or review that does not read, or a run that does not verify, stands under ``problems`` and nowhere else.
    Raises ``MissingInputError`` when there is no such folder, ``BadInputError`` when the settings are malformed.
    """
    if not root.is_dir():
        raise MissingInputError(root.name, "there is no such folder")
    settings, origin = _settings(root)
    problems: list[FaultlineError] = []
    runs = _runs(root, problems)
    # A card of other harnesses' runs has no tasks of its own; where ours were run, their absence is a loss.
    foreign = bool(runs) and all(run.manifest.kind is RunKind.IMPORTED for run in runs)
    tasks = () if foreign and not (root / "tasks").exists() else _tasks(root, problems)
    reviews = tuple(review for run in runs for review in _reviews(run, problems))
    gates = _table(settings, "gates", origin)
    return Benchmark(
        root=root,
        title=_text(settings, "title", origin) or _site_name(root) or root.resolve().name,
        tagline=_text(settings, "tagline", origin),
        tasks=tasks,
        runs=runs,
        reviews=reviews,
        gates=gates,
        gates_origin=origin if gates else "",
        problems=tuple(problems),
    )


def _tasks(root: Path, problems: list[FaultlineError]) -> tuple[Task, ...]:
    try:
        return tuple(sorted(load_tasks(root / "tasks"), key=lambda task: task.definition.id))
    except FaultlineError as error:
        problems.extend(_each(error))
        return ()


def _runs(root: Path, problems: list[FaultlineError]) -> tuple[SealedRun, ...]:
    folder = root / "runs"
    if not folder.is_dir():
        return ()
    runs = []
    for path in sorted(folder.iterdir()):
        # Hidden folders are half-written seals, and plain files (a README) are no runs.
        if path.name.startswith(".") or not path.is_dir():
            continue
        try:
            runs.append(_run(path))
        except FaultlineError as error:
            problems.extend(_each(error))
    return tuple(runs)


def _run(path: Path) -> SealedRun:
    name = f"runs/{path.name}"
    if path.is_symlink():
        raise BadInputError(name, "a run is a folder of its own, not a link")
    if not (path / SEAL).is_file():
        raise BadInputError(name, "this folder has no seal", expected=SEAL, next_step="seal the run, or remove the folder")
    mismatches = verify_run(path)
    if mismatches:
        first = mismatches[0].error(name)
        more = len(mismatches) - 1
        raise IntegrityError(
            first.place, first.problem + (f" (and {more} more)" if more else ""), first.expected, first.found, first.next_step
        )
    run = read_run(path)
    if run.manifest.run != path.name:
        raise IntegrityError(name, "the folder has another name than its run", expected=run.manifest.run, found=path.name)
    return run


def _reviews(run: SealedRun, problems: list[FaultlineError]) -> list[Review]:
    """Return the reviews of a run, by file name; one that belongs to no trial of the run is a problem."""
    cells = {trial.key for trial in run.trials}
    found = []
    for path in sorted((run.path / REVIEWS).glob("*.json")):
        place = f"runs/{run.name}/{REVIEWS}/{path.name}"
        try:
            review = Review.parse(read_bytes(path, place), place)
            if review.key not in cells:
                raise BadInputError(place, "this review is not about a trial of the run", found=review.key.run)
        except FaultlineError as error:
            problems.extend(_each(error))
        else:
            found.append(review)
    return found


def _each(error: FaultlineError) -> tuple[FaultlineError, ...]:
    return error.errors if isinstance(error, Faults) else (error,)


def _settings(root: Path) -> tuple[Mapping[str, Any], str]:
    """Return ``[tool.faultline]`` of pyproject.toml, or faultline.toml, and the name of the file."""
    found = []
    for name in ("pyproject.toml", "faultline.toml"):
        if not (root / name).is_file():
            continue
        try:
            data: Mapping[str, Any] = tomllib.loads(read_bytes(root / name, name).decode("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise BadInputError(name, "this is not TOML", found=safe_text(str(error), 160)) from error
        if name == "pyproject.toml":
            data = _table(_table(data, "tool", name), "faultline", name)
        if data:
            found.append((data, name))
    if len(found) > 1:
        raise BadInputError("faultline.toml", "settings stand in two places", next_step="keep them in one of the two files")
    return found[0] if found else ({}, "")


def _table(data: Mapping[str, Any], key: str, place: str) -> Mapping[str, Any]:
    value = data.get(key, {})
    if not isinstance(value, dict):
        raise BadInputError(f"{place}: {key}", "this is not a table", found=safe_text(repr(value), 80))
    return value


def _text(data: Mapping[str, Any], key: str, place: str) -> str:
    value = data.get(key, "")
    if not isinstance(value, str):
        raise BadInputError(f"{place}: {key}", "this is not a text", found=safe_text(repr(value), 80))
    return safe_text(value, 200)


def _site_name(root: Path) -> str:
    """Return ``site_name`` of mkdocs.yml by its line: the file may hold tags that only MkDocs understands."""
    path = root / "mkdocs.yml"
    if not path.is_file():
        return ""
    match = _SITE_NAME.search(read_bytes(path, "mkdocs.yml").decode("utf-8", "replace"))
    if match is None:
        return ""
    name = match["name"]
    for quote in "\"'":
        if len(name) > 1 and name[0] == quote and (end := name.find(quote, 1)) > 0:
            return safe_text(name[1:end], 200)
    return safe_text(re.split(r"\s+#", name)[0], 200)
