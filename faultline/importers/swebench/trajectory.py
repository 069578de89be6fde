"""Trajectories of mini-swe-agent and SWE-agent: how the agent ended, what it cost, and its steps in ATIF."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from faultline.importers.interface import NO_COST, NO_USAGE
from faultline.importers.numbers import cost, count, number, usage
from faultline.importers.times import epoch_time
from faultline.importers.tree import SourceTree
from faultline.kinds import safe_text
from faultline.records import Absent, Cost, Usage, canonical_bytes

ATIF = "ATIF-v1.8"


@dataclass(frozen=True)
class Ended:
    """What a trajectory tells beside its steps."""

    exit_status: str | None
    """``None`` where the file has no such field, ``""`` where it is empty: the run was cut off."""
    submission: str | None
    message: str = ""
    agent: str = ""
    version: str = ""
    model: str = ""
    instance: str = ""
    cost: Cost | Absent = NO_COST
    usage: Usage | Absent = NO_USAGE
    started_at: datetime | None = None
    ended_at: datetime | None = None
    homeless: tuple[str, ...] = ()


def read_end(value: Any) -> Ended:
    """Return what a trajectory of any age tells; a bare list of messages tells nothing but its times."""
    info = _mapping(value, "info")
    stats, config = _mapping(info, "model_stats"), _mapping(info, "config")
    calls, spent = count(stats.get("api_calls")), stats.get("instance_cost")
    status = info.get("exit_status") if "exit_status" in info else None
    mini = bool(_text(info, "mini_version")) or str(_text(_whole(value), "trajectory_format")).startswith("mini-swe-agent")
    times = sorted(_times(value))
    return Ended(
        exit_status=(status if isinstance(status, str) else "") if "exit_status" in info else None,
        submission=info.get("submission") if isinstance(info.get("submission"), str) else None,
        message=_text(info, "exception_str"),
        agent="mini-swe-agent" if mini else ("SWE-agent" if info and isinstance(_whole(value).get("trajectory"), list) else ""),
        version=_text(info, "mini_version") or _text(info, "swe_agent_version"),
        model=_text(_mapping(config, "model"), "model_name"),
        instance=_text(_whole(value), "instance_id"),
        # No price for calls that were made: an unknown price, as for a model that the price table lacks.
        cost=cost(spent, "harness", zero_is_unknown=calls is None or calls > 0),
        usage=usage(
            uncached_input=count(stats.get("tokens_sent")) or None,
            output=count(stats.get("tokens_received")) or None,
            requests=calls,
            why="the trajectory does not count them",
        ),
        started_at=times[0] if times else None,
        ended_at=times[-1] if times else None,
        homeless=tuple(
            f"info.{key}"
            for key in info
            if key
            not in ("model_stats", "config", "mini_version", "exit_status", "submission", "exception_str", "swe_agent_version")
        ),
    )


def atif(tree: SourceTree, path: str, instance: str, run: str) -> bytes | None:
    """Return the steps of a trajectory as ATIF, stamped with the trial; ``None`` when there are none."""
    value = tree.json(path)
    end = read_end(value)
    steps: list[dict[str, Any]] = []
    for step in _swe_agent_steps(value) if isinstance(_whole(value).get("trajectory"), list) else _mini_steps(value):
        steps.append({"step_id": len(steps) + 1, **step})
    if not steps:
        return None
    metrics: dict[str, float] = {"total_steps": len(steps)}
    if isinstance(end.cost, Cost):
        metrics |= {"total_cost_usd": float(end.cost.usd)}
    document = {
        "schema_version": ATIF,
        "session_id": safe_text(f"{run} {instance}", 300),
        "agent": {"name": end.agent or "unknown", "version": end.version or "unknown"}
        | ({"model_name": end.model} if end.model else {}),
        "steps": steps,
        "final_metrics": metrics,
        "extra": {"faultline_trial": safe_text(instance, 300), "exit_status": end.exit_status},
    }
    return canonical_bytes(document)


def _mini_steps(value: Any) -> Iterator[dict[str, Any]]:
    """Yield messages as steps; what a user's message answers to a command is that command's observation."""
    messages = value if isinstance(value, list) else _whole(value).get("messages")
    open_step: dict[str, Any] | None = None
    for message in messages if isinstance(messages, list) else ():
        if not isinstance(message, dict):
            continue
        text, extra = _content(message), _mapping(message, "extra")
        if message.get("role") == "assistant":
            if open_step is not None:
                yield open_step
            open_step = _stamped({"source": "agent", "message": text}, extra)
            calls = [
                {"tool_call_id": f"call_{at}", "function_name": "bash", "arguments": {"command": item["command"]}}
                for at, item in enumerate(_list(extra, "actions"), start=1)
                if isinstance(item, dict) and isinstance(item.get("command"), str)
            ]
            if calls:
                open_step["tool_calls"] = calls
            if (spent := number(extra.get("cost"))) is not None:
                open_step["metrics"] = {"cost_usd": spent}
        elif open_step is not None and message.get("role") in ("user", "tool") and "observation" not in open_step:
            open_step["observation"] = {"results": [{"content": text}]}
        else:
            if open_step is not None:
                yield open_step
                open_step = None
            yield _stamped({"source": "user" if message.get("role") == "user" else "system", "message": text}, extra)
    if open_step is not None:
        yield open_step


def _swe_agent_steps(value: Any) -> Iterator[dict[str, Any]]:
    for entry in _list(_whole(value), "trajectory"):
        if not isinstance(entry, dict):
            continue
        step: dict[str, Any] = {"source": "agent", "message": _text(entry, "response") or _text(entry, "thought")}
        if action := _text(entry, "action"):
            step["tool_calls"] = [{"tool_call_id": "call_1", "function_name": "bash", "arguments": {"command": action}}]
        if observation := _text(entry, "observation"):
            step["observation"] = {"results": [{"content": observation}]}
        yield step


def _stamped(step: dict[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    at = epoch_time(extra.get("timestamp"))
    return step | ({"timestamp": at.isoformat()} if at else {})


def _content(message: Mapping[str, Any]) -> str:
    parts = message.get("content")
    if isinstance(parts, list):
        return "\n".join(_text(part, "text") for part in parts if isinstance(part, dict))
    return parts if isinstance(parts, str) else ""


def _times(value: Any) -> Iterator[datetime]:
    messages = value if isinstance(value, list) else _whole(value).get("messages")
    for message in messages if isinstance(messages, list) else ():
        if at := epoch_time(_mapping(message, "extra").get("timestamp")):
            yield at


def _whole(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _mapping(value: Any, key: str) -> Mapping[str, Any]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _list(value: Mapping[str, Any], key: str) -> list[Any]:
    found = value.get(key)
    return found if isinstance(found, list) else []


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""
