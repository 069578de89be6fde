"""What ``run_metadata.json`` and ``tb.lock`` say of a run: who worked, on what, under which limits; nothing without them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Literal

from faultline.importers.identity import readable
from faultline.importers.interface import ForeignAgent
from faultline.importers.numbers import count, number
from faultline.importers.terminal_bench.layout import RESULTS, RunFiles
from faultline.importers.terminal_bench.rows import run_in_name

_CONTROLS: dict[str, Literal["reference", "no-op"]] = {"oracle": "reference", "nop": "no-op", "null": "no-op"}
"""The agents by which the harness checks its tasks."""
_METADATA_HOMES = {
    *(
        "run_id",
        "uuid",
        "dataset_name",
        "dataset_version",
        "agent_name",
        "model_name",
        "task_ids",
        "n_attempts",
        "dataset_size",
    ),
    *("accuracy", "pass_at_k", "commit_hash", "username", "resumed_at"),
}
_LOCK_HOMES = {
    "harness": {"package", "version", "is_editable_installation"},
    "agent": {"name", "model_name", "import_path"},
    "run_config": {"n_attempts", "global_timeout_multiplier", "global_agent_timeout_sec", "global_test_timeout_sec"},
    "dataset": {"name", "version", "task_ids"},
    "local_config": {"run_id"},
}
_COMPARED = (
    *("dataset version", "harness version", "harness commit", "editable installation"),
    *("time-out multiplier", "agent time limit (s)", "test time limit (s)"),
)
"""What must be alike in runs that stand in one table."""


@dataclass(frozen=True)
class Described:
    """One run in words; empty where nothing is told."""

    run: str
    native_id: str
    """Empty when neither file names the run itself."""
    agent: ForeignAgent
    dataset: str
    protocol: Mapping[str, str]
    version: str
    commit: str
    tasks: tuple[str, ...]
    """The tasks that were asked for, when they are listed."""
    dataset_size: int | None
    attempts: int | None
    agent_limit: float | None
    """Configured for all tasks, in seconds."""
    resumed: bool
    known: bool
    """Whether there was a file to describe it."""


def described(source: RunFiles, agent: str, model: str) -> Described:
    """Return what is known of a run; ``agent`` and ``model`` are the user's words, for runs that name neither."""
    meta, lock = source.metadata, {name: _section(source.lock, name) for name in _LOCK_HOMES}
    config, data = lock["run_config"], lock["dataset"]
    run = _text(meta, "run_id") or _text(lock["local_config"], "run_id")
    created = _text(source.lock, "created_at")
    name = _text(meta, "agent_name") or _text(lock["agent"], "name") or agent
    version, commit = _text(lock["harness"], "version"), _text(meta, "commit_hash")
    editable = lock["harness"].get("is_editable_installation")
    protocol = {
        "dataset version": _text(meta, "dataset_version") or _text(data, "version"),
        "harness version": version,
        "harness commit": commit,
        "editable installation": ("yes" if editable else "no") if isinstance(editable, bool) else "",
        "attempts a task": _shown(meta.get("n_attempts", config.get("n_attempts"))),
        "time-out multiplier": _shown(config.get("global_timeout_multiplier")),
        "agent time limit (s)": _shown(config.get("global_agent_timeout_sec")),
        "test time limit (s)": _shown(config.get("global_test_timeout_sec")),
        "agent's import path": _text(lock["agent"], "import_path"),
        "resumed at": _text(meta, "resumed_at"),
    }
    dataset = _text(meta, "dataset_name") or _text(data, "name")
    return Described(
        run=run or _name(source),
        native_id=_text(meta, "uuid") or (f"{run} {created}" if run and created else ""),
        agent=ForeignAgent(
            name=name,
            model=_text(meta, "model_name") or _text(lock["agent"], "model_name") or model,
            control=_CONTROLS.get(name, ""),
        ),
        dataset="==".join(part for part in (dataset, protocol["dataset version"]) if part) if dataset else "",
        protocol={key: value for key, value in protocol.items() if value},
        version=version,
        commit="" if commit == "unknown" else commit,
        tasks=_tasks(data.get("task_ids")) or _tasks(meta.get("task_ids")),
        dataset_size=count(meta.get("dataset_size")),
        attempts=count(meta.get("n_attempts")) or count(config.get("n_attempts")),
        agent_limit=number(config.get("global_agent_timeout_sec")) or None,
        resumed=bool(_text(meta, "resumed_at")),
        known=bool(meta or source.lock),
    )


def homeless(source: RunFiles) -> Iterable[str]:
    """Yield the fields of both files that no record has a place for."""
    yield from (
        f"run_metadata.{key}" for key, value in source.metadata.items() if key not in _METADATA_HOMES and value is not None
    )
    for name, value in source.lock.items():
        if name in _LOCK_HOMES and isinstance(value, dict):
            yield from (
                f"tb.lock {name}.{key}" for key, item in value.items() if key not in _LOCK_HOMES[name] and item is not None
            )
        elif name != "created_at":
            yield f"tb.lock {name}"


def differences(members: Sequence[Described]) -> tuple[str, ...]:
    """Return how the runs of one entry differ in protocol from one another."""
    return tuple(line for key in _COMPARED if (line := _difference(key, members)))


def _difference(key: str, members: Sequence[Described]) -> str:
    values: dict[str, list[str]] = defaultdict(list)
    for run in members:
        values[run.protocol.get(key, "not told")].append(run.run)
    if len(values) == 1:
        return ""
    return f"{key} differs between runs of one agent: " + "; ".join(
        f"{value} in {readable(sorted(names), 5)}" for value, names in sorted(values.items())
    )


def _name(source: RunFiles) -> str:
    """Return a name for a run that no file names: from its trials' names, its folder, or the name of a lone file."""
    rows = [row for _, row in source.trials[:1]] + [
        row for row in source.results.get("results", [])[:1] if isinstance(row, dict)
    ]
    for row in rows:
        if run := run_in_name(row.get("trial_name")):
            return run
    if source.lone:
        return PurePosixPath(source.results_path).name.removesuffix(f"_{RESULTS}").rstrip("_") or "results"
    return PurePosixPath(source.folder).name or "run"


def _section(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""


def _shown(value: object) -> str:
    found = number(value)
    return "" if found is None else f"{found:g}"


def _tasks(value: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for item in value if isinstance(item, str) and item)) if isinstance(value, list) else ()
