"""Minimal logs of Harbor: what its versions 0.26.0 and 0.1.40 write, with exactly the fields that a test needs."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from faultline.archive import SealedRun, read_run
from faultline.clock import frozen_clock
from faultline.importers import ImportedRun, Reading, SourceTree, import_runs
from faultline.importers.harbor import Harbor
from faultline.records import ImportedTask

JOB = str(uuid5(NAMESPACE_URL, "a job"))
USED = {"n_input_tokens": 100, "n_cache_tokens": 20, "n_output_tokens": 30, "cost_usd": 0.01}
UNUSED = dict.fromkeys(USED)
AGENT = {"name": "scripted", "import_path": None, "model_name": "acme/model-a", "kwargs": {}}


def uuid(name: str) -> str:
    """Return the same id for the same name."""
    return str(uuid5(NAMESPACE_URL, name))


def stamp(second: float) -> str:
    """Return a time as trials write it."""
    return datetime.fromtimestamp(1_795_000_000 + second, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def span(start: float, seconds: float) -> dict[str, str]:
    """Return a phase."""
    return {"started_at": stamp(start), "finished_at": stamp(start + seconds)}


def exception(name: str, *, valid: bool = False) -> dict[str, Any]:
    """Return an exception as a trial or a step records it."""
    return {
        "exception_type": name,
        "exception_message": f"{name} was raised",
        "exception_traceback": "Traceback",
        "occurred_at": stamp(1),
        "policy": {"should_retry": False, "should_grade": True, "has_valid_reward": valid},
    }


def trial(
    name: str, *, start: float = 0, rewards: Any = None, raised: dict[str, Any] | None = None, **changed: Any
) -> dict[str, Any]:
    """Return a trial's result as 0.26.0 writes it; ``name`` is ``task__suffix``, and fields can be given over."""
    task = name.rpartition("__")[0]
    rewards = {"reward": 1.0} if rewards is None and raised is None else rewards
    result: dict[str, Any] = {
        "schema_version": 1,
        "id": uuid(name),
        "task_name": f"org/{task}",
        "trial_name": name,
        "trial_uri": f"file:///srv/jobs/job/{name}",
        "task_id": {"path": f"tasks/{task}"},
        "source": "tasks",
        "task_checksum": uuid(task).replace("-", "") * 2,
        "config": {
            "schema_version": 1,
            "task": {"path": f"tasks/{task}", "source": "tasks"},
            "trial_name": name,
            "trials_dir": "jobs/job",
            "timeout_multiplier": 1.0,
            "agent": AGENT,
            "environment": {"import_path": "local:Local"},
            "verifier": {"override_timeout_sec": None, "disable": False},
            "override_error_policy": {},
            "job_id": JOB,
            "source_trial": None,
        },
        "agent_info": {"name": "scripted", "version": "0.1.0", "model_info": {"name": "acme/model-a", "provider": None}},
        "agent_result": USED | {"model_usage": None, "rollout_details": None, "metadata": None},
        "verifier_result": None if rewards is None else {"rewards": rewards},
        "exception_info": raised,
        **span(start, 10),
        "environment_setup": span(start, 1),
        "agent_setup": span(start + 1, 2),
        "agent_execution": span(start + 3, 4),
        "verifier": span(start + 7, 3),
        "step_results": None,
        "reward_valid": bool(rewards) and (raised is None or raised["policy"]["has_valid_reward"]),
    }
    return result | changed


def configured(result: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """Return a result with other fields in its configuration."""
    return result | {"config": result["config"] | changed}


def old_trial(name: str, **changed: Any) -> dict[str, Any]:
    """Return a trial's result as 0.1.40 writes it: bare task name, model apart from provider, fewer fields."""
    result = trial(name, **changed)
    for field in ("schema_version", "reward_valid", "step_results"):
        del result[field]
    info = {"name": "scripted", "version": "unknown", "model_info": {"name": "model-a", "provider": "acme"}}
    return result | {"task_name": name.rpartition("__")[0], "agent_info": info, "agent_result": dict(UNUSED)}


def step(
    name: str, *, raised: dict[str, Any] | None = None, used: dict[str, Any] | None = None, start: float = 3
) -> dict[str, Any]:
    """Return one step of a trial of several."""
    return {
        "step_name": name,
        "agent_result": USED if used is None else used,
        "verifier_result": {"rewards": {"reward": 1.0}},
        "exception_info": raised,
        "agent_execution": span(start, 2),
        "verifier": span(start + 2, 1),
    }


def steps_of(name: str, *steps: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """Return a trial of several steps: usage, phases and failures stand on the steps."""
    apart = {"agent_result": None, "agent_execution": None, "verifier": None, "step_results": list(steps)}
    return trial(name, **(apart | changed))


def trial_lock(result: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """Return a trial's lock; its digest is made otherwise than the checksum of the result."""
    task = result["trial_name"].rpartition("__")[0]
    digest = f"sha256:{uuid('lock of ' + task).replace('-', '') * 2}"
    return {
        "schema_version": 2,
        "task": {"name": task, "type": "local", "digest": digest, "source": "tasks"},
        "agent": result["config"]["agent"],
        "environment": result["config"]["environment"],
        "verifier": result["config"]["verifier"],
    } | changed


def write(path: Path, document: Any) -> Path:
    """Write a document."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def write_trial(folder: Path, result: dict[str, Any], *, lock: dict[str, Any] | bool = True) -> Path:
    """Write a trial's folder and return it."""
    place = folder / result["trial_name"]
    write(place / "result.json", result)
    write(place / "config.json", result["config"])
    if lock:
        write(place / "lock.json", trial_lock(result) if lock is True else lock)
    return place


def write_job(
    folder: Path,
    *results: dict[str, Any],
    attempts: int = 1,
    stats: dict[str, Any] | None = None,
    config: dict[str, Any] | None = None,
    lock: dict[str, Any] | None = None,
    job: str = JOB,
) -> Path:
    """Write a job as 0.26.0 does, with all its trials, and return its folder."""
    agents = [json.loads(text) for text in sorted({json.dumps(result["config"]["agent"]) for result in results})]
    locks = [trial_lock(result) for result in results]
    write(
        folder / "config.json",
        {
            "schema_version": 1,
            "job_name": folder.name,
            "jobs_dir": "jobs",
            "n_attempts": attempts,
            "timeout_multiplier": 1.0,
            "n_concurrent_trials": 1,
            "retry": {"max_retries": 1, "exclude_exceptions": ["AgentTimeoutError"]},
            "metrics": [],
            "agents": agents,
            "datasets": [{"path": "tasks"}],
            "tasks": [],
        }
        | (config or {}),
    )
    write(
        folder / "lock.json",
        {
            "schema_version": 3,
            "harbor": {"version": "0.26.0", "is_editable": False},
            "n_concurrent_trials": 1,
            "retry": {"max_retries": 1},
            "trials": locks,
        }
        | (lock or {}),
    )
    counted = {"n_completed_trials": len(results), "n_retries": 0, "evals": {}}
    write(
        folder / "result.json",
        {"id": job, "started_at": "2026-11-18T00:00:00", "n_total_trials": len(results), "stats": counted | (stats or {})},
    )
    (folder / "job.log").write_text("done\n", encoding="utf-8")
    for result in results:
        write_trial(folder, result)
    return folder


def write_old_job(folder: Path, *results: dict[str, Any], attempts: int = 1, stats: dict[str, Any] | None = None) -> Path:
    """Write a job as 0.1.40 does: no lock, an orchestrator, other counts."""
    write(
        folder / "config.json",
        {
            "job_name": folder.name,
            "n_attempts": attempts,
            "timeout_multiplier": 1.0,
            "orchestrator": {"n_concurrent_trials": 4, "retry": {"max_retries": 0}},
            "metrics": [],
            "agents": [AGENT],
            "datasets": [{"path": "tasks"}],
            "tasks": [],
        },
    )
    counted = {"n_trials": len(results), "n_errors": 0, "evals": {}}
    write(folder / "result.json", {"id": JOB, "n_total_trials": len(results), "stats": counted | (stats or {})})
    for result in results:
        write_trial(folder, result, lock=False)
    return folder


def oracle(result: dict[str, Any], name: str = "oracle") -> dict[str, Any]:
    """Return a result as Harbor's own oracle or nop agent leaves it."""
    agent = {"name": name, "import_path": None, "model_name": None}
    return configured(result, agent=agent) | {"agent_info": {"name": name, "version": "1.0.0", "model_info": None}}


def trajectory(*, copied: int = 0, calls: int = 1, **changed: Any) -> dict[str, Any]:
    """Return a trajectory in ATIF: the issue, steps that were copied for context, and one step of work."""
    call = {"tool_call_id": "c1", "function_name": "bash", "arguments": {"cmd": "ls"}}
    steps: list[dict[str, Any]] = [{"source": "user", "message": "Fix it."}]
    steps += [{"source": "agent", "message": "Earlier.", "is_copied_context": True, "tool_calls": [call]}] * copied
    steps.append({"source": "agent", "message": "Looking.", "tool_calls": [call] * calls})
    document = {
        "schema_version": "ATIF-v1.7",
        "session_id": "s",
        "agent": {"name": "scripted", "version": "0.1.0"},
        "steps": [{"step_id": number, **item} for number, item in enumerate(steps, start=1)],
    }
    return document | changed


def imported(source: Path, target: Path, *, partial: bool = False, **options: str) -> tuple[ImportedRun, ...]:
    """Import what lies there."""
    reading = Reading(SourceTree(source), options, partial)
    return import_runs(Harbor(), reading, target, frozen_clock(datetime(2026, 12, 1, tzinfo=UTC)))


def only(source: Path, target: Path, **options: str) -> tuple[ImportedRun, SealedRun]:
    """Import what must be one run, and return its report and records."""
    (done,) = imported(source, target, **options)
    return done, read_run(target / done.run)


def tasks_of(run: SealedRun) -> dict[str, ImportedTask]:
    """Return the tasks of a run by their name at Harbor."""
    assert run.manifest.imported is not None
    return {task.name: task for task in run.manifest.imported.tasks}


def shown(run: SealedRun) -> list[tuple[str, str, bool, str]]:
    """Return task, verdict, scoreable and rule of each trial."""
    return [(t.key.task, t.outcome.verdict.value, t.outcome.scoreable, t.outcome.rule) for t in run.trials]
