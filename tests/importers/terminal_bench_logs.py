"""Minimal run folders of Terminal-Bench 1, written for tests."""

import json
from pathlib import Path
from typing import Any


def trial(task: str = "fix-it", i: int = 1, n: int = 1, run: str = "run-a", **fields: Any) -> dict[str, Any]:
    """Return the result of one trial with times, tokens and tests."""
    minute = 10 + i
    return {
        "id": f"{run}-{task}-{i}",
        "trial_name": f"{task}.{i}-of-{n}.{run}",
        "task_id": task,
        "instruction": "Fix it.",
        "is_resolved": True,
        "failure_mode": "unset",
        "parser_results": {"test_one": "passed", "test_two": "passed"},
        "recording_path": f"{run}/{task}/sessions/agent.cast",
        "total_input_tokens": 900,
        "total_output_tokens": 80,
        "trial_started_at": f"2026-11-20T10:{minute}:00+00:00",
        "agent_started_at": f"2026-11-20T10:{minute}:04+00:00",
        "agent_ended_at": f"2026-11-20T10:{minute}:34+00:00",
        "test_started_at": f"2026-11-20T10:{minute}:35+00:00",
        "test_ended_at": f"2026-11-20T10:{minute}:38+00:00",
        "trial_ended_at": f"2026-11-20T10:{minute}:40+00:00",
    } | fields


def old_trial(task: str, run: str = "run-a", **fields: Any) -> dict[str, Any]:
    """Return a result as versions up to 0.2.7 wrote it: ``uuid``, no times, no run in the name, zeros for unknown tokens."""
    found = trial(task, run=run, total_input_tokens=0, total_output_tokens=0, **fields)
    found = {key: value for key, value in found.items() if not key.endswith("_at")}
    return found | {"uuid": found.pop("id"), "trial_name": f"{task}.1-of-1"}


def results(rows: list[Any], **fields: Any) -> dict[str, Any]:
    """Return a run-level result of rows, with the harness's own headline."""
    resolved = [row["task_id"] for row in rows if row["is_resolved"]]
    return {
        "id": f"results of {len(rows)}",
        "results": rows,
        "pass_at_k": {},
        "n_resolved": len(resolved),
        "n_unresolved": len(rows) - len(resolved),
        "resolved_ids": resolved,
        "unresolved_ids": [row["task_id"] for row in rows if not row["is_resolved"]],
        "accuracy": len(resolved) / len(rows) if rows else 0.0,
    } | fields


def metadata(run: str = "run-a", **fields: Any) -> dict[str, Any]:
    """Return the description of a run."""
    return {
        "run_id": run,
        "uuid": f"uuid of {run}",
        "dataset_name": "made-up",
        "dataset_version": "0.1",
        "agent_name": "agent-a",
        "model_name": "acme/model-a",
        "n_attempts": 1,
        "commit_hash": "0" * 40,
        "username": "user",
        "resumed_at": None,
    } | fields


def lock(**config: Any) -> dict[str, Any]:
    """Return the lock file of a run."""
    return {
        "created_at": "2026-11-20T10:00:00+00:00",
        "harness": {"package": "terminal-bench", "version": "0.2.18", "is_editable_installation": False},
        "run_config": {"global_timeout_multiplier": 1.0, "global_agent_timeout_sec": None} | config,
    }


def write_json(path: Path, value: Any) -> Path:
    """Write a value and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def write_run(
    folder: Path,
    rows: list[dict[str, Any]],
    *,
    run_level: dict[str, Any] | None = None,
    meta: dict[str, Any] | None = None,
    locked: dict[str, Any] | None = None,
    per_trial: bool = True,
) -> Path:
    """Write a run folder; what is an empty mapping is left out."""
    for row in rows if per_trial else ():
        write_json(folder / row["task_id"] / row["trial_name"] / "results.json", row)
    parts = {
        "results.json": results(rows) if run_level is None else run_level,
        "run_metadata.json": metadata(folder.name) if meta is None else meta,
        "tb.lock": lock() if locked is None else locked,
    }
    for name, value in parts.items():
        if value:
            write_json(folder / name, value)
    return folder
