"""Chat messages as a trajectory in ATIF 1.8: one step a message, tool calls with their results."""

from collections.abc import Iterable, Mapping
from typing import Any

from faultline.records import canonical_bytes

_SOURCES = {"system": "system", "user": "user", "assistant": "agent", "human": "user", "ai": "agent"}
MAX_STEPS = 20_000


def trajectory_of(session: str, agent: str, model: str, messages: Iterable[object]) -> bytes | None:
    """Return messages (role, content, tool calls) as a trajectory, or ``None`` when there is none to show."""
    steps: list[dict[str, Any]] = []
    for message in messages:
        if not isinstance(message, Mapping) or len(steps) >= MAX_STEPS:
            continue
        role = str(message.get("role") or message.get("type") or "")
        text = _text(message.get("content"))
        if role in ("tool", "function") and steps:
            result = {"content": text}
            if isinstance(call := message.get("tool_call_id"), str):
                result["source_call_id"] = call
            steps[-1].setdefault("observation", {"results": []})["results"].append(result)
            continue
        step: dict[str, Any] = {"step_id": len(steps) + 1, "source": _SOURCES.get(role, "system"), "message": text}
        if calls := _calls(message.get("tool_calls")):
            step["tool_calls"] = calls
        steps.append(step)
    if not steps:
        return None
    described: dict[str, Any] = {"name": agent or "unknown", "version": "unknown"}
    if model:
        described["model_name"] = model
    return canonical_bytes({"schema_version": "ATIF-v1.8", "session_id": session, "agent": described, "steps": steps})


def _text(content: object) -> str:
    """Return the text of a message's content, which is text, nothing, or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(part["text"] for part in content if isinstance(part, Mapping) and isinstance(part.get("text"), str))
    return ""


def _calls(calls: object) -> list[dict[str, Any]]:
    found = []
    for number, call in enumerate(calls if isinstance(calls, list) else [], start=1):
        if not isinstance(call, Mapping):
            continue
        function = call.get("function")
        function = function if isinstance(function, Mapping) else call
        arguments = function.get("arguments")
        found.append(
            {
                "tool_call_id": str(call.get("id") or number),
                "function_name": str(function.get("name") or function.get("function") or "unknown"),
                "arguments": arguments if isinstance(arguments, Mapping) else {"text": _plain(arguments)},
            }
        )
    return found


def _plain(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
