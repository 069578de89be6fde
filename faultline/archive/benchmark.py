"""Read a benchmark's folder: tasks, sealed runs that verify, reviews, settings; what cannot be read is a problem, not a gap."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from faultline.archive.read import read_bytes, read_run
from faultline.archive.remains import with_remains
from faultline.archive.reviewing import read_room
from faultline.archive.signed import check_audits
from faultline.archive.values import SEAL, Benchmark, SealedRun
from faultline.archive.verify import verify_run
from faultline.clock import Clock
from faultline.errors import BadInputError, FaultlineError, Faults, IntegrityError, MissingInputError
from faultline.kinds import RunKind, safe_text
from faultline.tasks import Task, load_tasks

_SITE_NAME = re.compile(r"^site_name:[ \t]*(?P<name>\S.*?)[ \t]*$", re.MULTILINE)


def load_benchmark(root: Path, clock: Clock | None = None) -> Benchmark:
    """Read everything that a benchmark's folder holds, on the day that the clock tells.

    A task, run or review that does not read, or a run that does not verify, stands under ``problems`` and nowhere else.
    Raises ``MissingInputError`` when there is no such folder, ``BadInputError`` when the settings are malformed.
    """
    if not root.is_dir():
        raise MissingInputError(root.name, "there is no such folder")
    settings, origin = _settings(root)
    problems: list[FaultlineError] = []
    # The tasks' canaries are looked for in what agents left, so tasks come first.
    tasks, task_problems = _tasks_of(root)
    runs = _runs(root, [task.definition.canary for task in tasks], problems)
    # A card of other harnesses' runs has no tasks of its own; where ours were run, their absence is a loss.
    foreign = bool(runs) and all(run.manifest.kind is RunKind.IMPORTED for run in runs)
    if not foreign or (root / "tasks").exists():
        problems[:0] = task_problems
    rooms = tuple(read_room(run, problems) for run in runs)
    gates, gates_origin = gate_settings(root)
    return Benchmark(
        root=root,
        title=_text(settings, "title", origin) or _site_name(root) or root.resolve().name,
        tagline=_text(settings, "tagline", origin),
        tasks=tasks,
        runs=runs,
        reviews=tuple(review for room in rooms for review in room.reviews),
        gates=gates,
        gates_origin=gates_origin,
        valid_until=_day(settings, "valid_until", origin),
        read_on=(clock or Clock()).now().date(),
        problems=tuple(problems),
        signatures=check_audits(root, tasks),
        rooms=rooms,
    )


def _tasks_of(root: Path) -> tuple[tuple[Task, ...], tuple[FaultlineError, ...]]:
    """Return the tasks by id, and what kept them from being read."""
    try:
        tasks = tuple(sorted(load_tasks(root / "tasks"), key=lambda task: task.definition.id))
    except FaultlineError as error:
        return (), _each(error)
    return tasks, tuple(fault for task in tasks for fault in task.audit_files.faults)


def _runs(root: Path, canaries: Iterable[str], problems: list[FaultlineError]) -> tuple[SealedRun, ...]:
    folder = root / "runs"
    if not folder.is_dir():
        return ()
    runs = []
    for path in sorted(folder.iterdir()):
        # Hidden folders are half-written seals, and plain files (a README) are no runs.
        if path.name.startswith(".") or not path.is_dir():
            continue
        try:
            runs.append(with_remains(_run(path), canaries))
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


def _each(error: FaultlineError) -> tuple[FaultlineError, ...]:
    return error.errors if isinstance(error, Faults) else (error,)


def gate_settings(root: Path) -> tuple[Mapping[str, Any], str]:
    """Return ``[tool.faultline.gates]`` as written, and the file that it stands in; both empty where there are none.

    Raises ``BadInputError`` when the settings are malformed.
    """
    settings, origin = _settings(root)
    gates = _table(settings, "gates", origin)
    return gates, origin if gates else ""


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


def _day(data: Mapping[str, Any], key: str, place: str) -> date | None:
    value = data.get(key)
    if value is None or (isinstance(value, date) and not isinstance(value, datetime)):
        return value
    raise BadInputError(f"{place}: {key}", "this is not a day", expected="a TOML date", found=safe_text(repr(value), 80))


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
