"""Minimal files of the SWE-bench family, written for tests: one invented evaluation in every shape it can have."""

import json
from pathlib import Path
from typing import Any

from terminal_bench_logs import write_json

MODEL, RUN = "acme/model-1.5", "first.run"
FOLDER = "acme__model-1.5"


def patch(name: str) -> str:
    """Return a patch that no other instance has."""
    return f"diff --git a/{name}.py b/{name}.py\n--- a/{name}.py\n+++ b/{name}.py\n@@ -1 +1 @@\n-old\n+{name}\n"


def prediction(instance: str, text: str | None = "", *, model: str = MODEL) -> dict[str, Any]:
    """Return one prediction; by default with a patch of its own."""
    return {"instance_id": instance, "model_name_or_path": model, "model_patch": patch(instance) if text == "" else text}


def summary(**lists: Any) -> dict[str, Any]:
    """Return a summary of version 2; lists are given without ``_ids``, and counts follow from them."""
    names = ("completed", "incomplete", "empty_patch", "submitted", "resolved", "unresolved", "error")
    found: dict[str, Any] = {f"{name}_ids": sorted(lists.pop(name, ())) for name in names}
    found["completed_ids"] = found["completed_ids"] or sorted(found["resolved_ids"] + found["unresolved_ids"])
    everyone = {item for name in names if name != "incomplete" for item in found[f"{name}_ids"]}
    found["submitted_ids"] = found["submitted_ids"] or sorted(everyone)
    counts = {f"{name}_instances": len(found[f"{name}_ids"]) for name in names if name != "incomplete"}
    total = len(everyone | set(found["incomplete_ids"]))
    return {"total_instances": total} | counts | found | {"schema_version": 2} | lists


def version_1(value: dict[str, Any]) -> dict[str, Any]:
    """Return the same summary as versions up to 2.0.9 wrote it."""
    return {key: item for key, item in value.items() if key != "schema_version"} | {"unstopped_instances": 0}


def report(instance: str, resolved: Any = True, **fields: Any) -> dict[str, Any]:
    """Return ``report.json`` of one instance."""
    tests = {"success": ["test_a", "test_b"], "failure": []}
    return {
        instance: {
            "patch_is_None": False,
            "patch_exists": True,
            "patch_successfully_applied": True,
            "resolved": resolved,
            "infra_failure": False,
            "tests_status": {"FAIL_TO_PASS": tests, "PASS_TO_PASS": tests, "FAIL_TO_FAIL": {"success": [], "failure": ["x"]}},
        }
        | fields
    }


def mini(instance: str, status: Any = "Submitted", **info: Any) -> dict[str, Any]:
    """Return a trajectory of mini-swe-agent with one command."""
    return {
        "info": {
            "model_stats": {"instance_cost": 0.25, "api_calls": 2},
            "config": {"model": {"model_name": MODEL}},
            "mini_version": "2.4.6",
            "exit_status": status,
            "submission": patch(instance) if status == "Submitted" else "",
        }
        | info,
        "messages": [
            {"role": "system", "content": "You repair code."},
            {"role": "user", "content": [{"type": "text", "text": f"Repair {instance}."}]},
            {
                "role": "assistant",
                "content": "Look first.",
                "extra": {"cost": 0.25, "timestamp": 1_764_428_400.0, "actions": [{"command": "ls"}]},
            },
            {"role": "user", "content": "code.py", "extra": {"timestamp": 1_764_428_402.0}},
            {"role": "exit", "content": "done", "extra": {"exit_status": status}},
        ],
        "trajectory_format": "mini-swe-agent-1.1",
        "instance_id": instance,
    }


def swe_agent(status: str, **info: Any) -> dict[str, Any]:
    """Return a trajectory of SWE-agent with one action."""
    stats = {"instance_cost": 1.5, "tokens_sent": 9_000, "tokens_received": 400, "api_calls": 7}
    steps = [{"action": "ls", "observation": "code.py", "response": "Look first.", "thought": "Look", "execution_time": 0.1}]
    return {"trajectory": steps, "info": {"exit_status": status, "submission": None, "model_stats": stats} | info}


def write_jsonl(path: Path, rows: list[Any]) -> Path:
    """Write rows as lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_log(
    folder: Path, instance: str, value: Any = None, *, log: str = ">>>>> Applied Patch\n", diff: str | None = None
) -> Path:
    """Write what the harness leaves of one instance; a report that is a text is written as it is, ``None`` leaves it out."""
    place = folder / "logs" / "run_evaluation" / RUN / FOLDER / instance
    place.mkdir(parents=True, exist_ok=True)
    (place / "run_instance.log").write_text(log, encoding="utf-8")
    (place / "patch.diff").write_text(patch(instance) if diff is None else diff, encoding="utf-8")
    (place / "test_output.txt").write_text("2 passed\n", encoding="utf-8")
    if isinstance(value, str):
        (place / "report.json").write_text(value, encoding="utf-8")
    elif value is not None:
        write_json(place / "report.json", value)
    return place


def write_story(folder: Path) -> Path:
    """Write one evaluation of ten instances from trajectory to summary with tiers: each ends in another way."""
    ends = {
        "limit": "LimitsExceeded",
        "outage": "ServiceUnavailableError",
        **dict.fromkeys(("good", "bad", "broken", "vague", "blank"), "Submitted"),
    }
    for name, status in ends.items():
        write_json(folder / "agent" / name / f"{name}.traj.json", mini(name, status))
    rows = [prediction(name) for name in ("good", "bad", "broken", "vague", "blank", "misfit")]
    rows += [prediction(name, None) for name in ("limit", "outage", "unborn")]
    write_json(folder / "agent" / "preds.json", {row["instance_id"]: row for row in rows})
    (folder / "agent" / "exit_statuses_1.yaml").write_text(
        "instances_by_exit_status:\n    DockerFault:\n    - unborn\n", "utf-8"
    )
    write_jsonl(folder / "harness" / "preds.jsonl", rows)
    write_log(folder / "harness", "good", report("good"))
    write_log(folder / "harness", "bad", report("bad", False))
    write_log(folder / "harness", "broken", log="ERROR - Error response from daemon: no such image\n")
    write_log(folder / "harness", "vague", report("vague", False, infra_failure_reason="missing_module"))
    write_log(folder / "harness", "blank", "")
    write_log(folder / "harness", "misfit", log=">>>>> Patch Apply Failed:\nerror: patch failed\n")
    write_json(folder / "harness" / "logs" / "run_evaluation" / RUN / "run.json", {"dataset": "made/up", "split": "test"})
    write_json(folder / "harness" / f"{FOLDER}.{RUN}.json", story_summary(tiers=True))
    return folder


def story_summary(*, tiers: bool = False) -> dict[str, Any]:
    """Return the summary of that evaluation."""
    more: dict[str, Any] = {
        "infra_failure_ids": ["broken"],
        "ambiguous_failure_ids": ["vague"],
        "failure_reasons": {"broken": "container_unavailable", "vague": "missing_module"},
        "infra_failure_instances": 1,
        "ambiguous_failure_instances": 1,
    }
    return summary(
        completed=["good", "bad", "vague", "blank"],
        incomplete=["absent"],
        empty_patch=["limit", "outage", "unborn"],
        resolved=["good"],
        unresolved=["bad", "vague"],
        error=["broken", "blank", "misfit"],
        **(more if tiers else {}),
    )


def write_submission(folder: Path, rows: list[dict[str, Any]], results: Any, name: str = "20261129_agent") -> Path:
    """Write a submission to the leaderboard."""
    place = folder / "evaluation" / "verified" / name
    write_jsonl(place / "all_preds.jsonl", rows)
    write_json(place / "results" / "results.json", results)
    (place / "metadata.yaml").write_text("name: agent-a + model-1.5\noss: true\n", encoding="utf-8")
    return place


def entry(name: str, rows: dict[str, Any] | None, **fields: Any) -> dict[str, Any]:
    """Return an entry of the site's table."""
    return {
        "name": name,
        "folder": f"2026_{name}",
        "date": "2026-11-01",
        "resolved": 50.0,
        "per_instance_details": rows,
    } | fields


def boards(*entries: Any, name: str = "Verified") -> dict[str, Any]:
    """Return the site's table with one board."""
    return {"leaderboards": [{"name": name, "results": list(entries)}]}
