"""The conversation of a sample as a trajectory in the Agent Trajectory Interchange Format (ATIF 1.8).

Messages are the steps; an answer of a tool becomes the observation of the step that called it. Times and tokens of a step
come from the model event that made its message. Texts that were moved out to attachments are put back; images and sounds are
named, not kept.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

from faultline.importers.numbers import count, number
from faultline.importers.times import iso_time
from faultline.kinds import safe_text

_ATTACHMENT = "attachment://"
_SOURCES = {"system": "system", "user": "user", "assistant": "agent"}
_MOST_STEPS = 20_000
_MOST_TEXT = 2**20
"""Characters of one message."""


def trajectory(plain: Mapping[str, Any], *, name: str, model: str) -> bytes | None:
    """Return a whole sample's conversation as ATIF JSON; ``None`` when the log holds none."""
    messages = plain.get("messages")
    if not isinstance(messages, list) or not messages:
        return None
    attachments = plain.get("attachments")
    texts = _Texts(attachments if isinstance(attachments, dict) else {})
    made = _model_events(plain.get("events"))
    steps: list[dict[str, Any]] = []
    callers: dict[str, dict[str, Any]] = {}
    for message in messages[:_MOST_STEPS]:
        if not isinstance(message, dict):
            continue
        if message.get("role") == "tool":
            _observe(steps, callers, message, texts)
            continue
        step = _step(len(steps) + 1, message, texts, made)
        steps.append(step)
        for call in step.get("tool_calls", ()):
            callers[call["tool_call_id"]] = step
    document: dict[str, Any] = {
        "schema_version": "ATIF-v1.8",
        "session_id": texts.of(plain.get("uuid")) or f"{texts.of(str(plain.get('id')))}, epoch {plain.get('epoch')}",
        "agent": {"name": texts.of(name) or "unknown", "version": "unknown"}
        | ({"model_name": texts.of(model)} if model else {}),
        "steps": steps,
    }
    if len(messages) > _MOST_STEPS:
        document["notes"] = f"cut after {_MOST_STEPS} of {len(messages)} messages"
    return json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def _step(number_: int, message: Mapping[str, Any], texts: "_Texts", made: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    source = _SOURCES.get(str(message.get("role")), "system")
    text, thought = texts.content(message.get("content"))
    step: dict[str, Any] = {"step_id": number_, "source": source, "message": text}
    if source != "agent":
        return step
    if thought:
        step["reasoning_content"] = thought
    if isinstance(message.get("model"), str):
        step["model_name"] = texts.of(message["model"])
    calls = message.get("tool_calls")
    found = [_call(i, call, texts) for i, call in enumerate(calls if isinstance(calls, list) else ()) if isinstance(call, dict)]
    if found:
        step["tool_calls"] = found
    if event := made.get(str(message.get("id"))):
        if at := iso_time(event.get("timestamp")):
            step["timestamp"] = at.isoformat()
        if metrics := _metrics(event):
            step["metrics"] = metrics
    return step


def _call(at: int, call: Mapping[str, Any], texts: "_Texts") -> dict[str, Any]:
    arguments = call.get("arguments")
    return {
        "tool_call_id": texts.of(call.get("id")) or f"call-{at + 1}",
        "function_name": texts.of(call.get("function")) or "unknown",
        "arguments": texts.plain(arguments if isinstance(arguments, dict) else {"value": arguments}),
    }


def _observe(
    steps: list[dict[str, Any]], callers: Mapping[str, dict[str, Any]], message: Mapping[str, Any], texts: "_Texts"
) -> None:
    text, _ = texts.content(message.get("content"))
    error = message.get("error")
    if isinstance(error, dict):
        text = f"{texts.of(error.get('type')) or 'error'}: {texts.of(error.get('message'))}" + (f"\n{text}" if text else "")
    call = texts.of(message.get("tool_call_id"))
    step = callers.get(call)
    result: dict[str, Any] = {"content": text}
    if step is None:
        # No call of that id is left in the conversation: the answer stands alone.
        steps.append({"step_id": len(steps) + 1, "source": "system", "message": "", "observation": {"results": [result]}})
        return
    step.setdefault("observation", {"results": []})["results"].append({"source_call_id": call} | result)


def _model_events(events: object) -> dict[str, Mapping[str, Any]]:
    """Return model events by the id of the message that they made."""
    found: dict[str, Mapping[str, Any]] = {}
    for event in events if isinstance(events, list) else ():
        if not isinstance(event, dict) or event.get("event") != "model":
            continue
        output = event.get("output")
        choices = output.get("choices") if isinstance(output, dict) else None
        message = choices[0].get("message") if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None
        if isinstance(message, dict) and isinstance(message.get("id"), str):
            found[message["id"]] = event
    return found


def _metrics(event: Mapping[str, Any]) -> dict[str, Any]:
    output = event.get("output")
    usage = output.get("usage") if isinstance(output, dict) else None
    if not isinstance(usage, dict):
        return {}
    read, total = count(usage.get("input_tokens_cache_read")), count(usage.get("total_tokens"))
    out = count(usage.get("output_tokens"))
    found: dict[str, Any] = {"completion_tokens": out, "cached_tokens": read, "cost_usd": number(usage.get("total_cost"))}
    # Whether the input holds the cached tokens depends on version and provider; only the sum says so.
    given, write = count(usage.get("input_tokens")), count(usage.get("input_tokens_cache_write")) or 0
    if given is not None and not read and not write:
        found["prompt_tokens"] = given
    elif total is not None and out is not None and given is not None and total - out >= given:
        found["prompt_tokens"] = total - out
    return {name: value for name, value in found.items() if value is not None}


class _Texts:
    """Texts of a sample: attachments put back, characters that no UTF-8 has replaced, lengths bounded."""

    def __init__(self, attachments: Mapping[str, Any]) -> None:
        self._attachments = attachments

    def of(self, value: object) -> str:
        """Return a text; empty for anything else."""
        if not isinstance(value, str):
            return ""
        if value.startswith(_ATTACHMENT):
            found = self._attachments.get(value.removeprefix(_ATTACHMENT))
            value = found if isinstance(found, str) else value
        return value[:_MOST_TEXT].encode("utf-8", "replace").decode()

    def content(self, plain: object) -> tuple[str, str]:
        """Return the text of a message and what the model reasoned."""
        said, thought = [], []
        for part in plain if isinstance(plain, list) else [plain]:
            if not isinstance(part, dict):
                said.append(self.of(part))
            elif part.get("type") == "reasoning":
                thought.append(self.of(part.get("summary")) if part.get("redacted") else self.of(part.get("reasoning")))
            elif part.get("type") == "text":
                said.append(self.of(part.get("text")))
            elif part.get("type") == "tool_use":
                said.append(f"[{self.of(part.get('name'))} {self.of(part.get('arguments'))}]\n{self.of(part.get('result'))}")
            else:
                said.append(f"[{safe_text(str(part.get('type')), 40)}]")
        return "\n".join(filter(None, said)), "\n".join(filter(None, thought))

    def plain(self, value: Any) -> Any:
        """Return plain data that any JSON reader takes."""
        if isinstance(value, str):
            return self.of(value)
        if isinstance(value, float) and not math.isfinite(value):
            return str(value)
        if isinstance(value, dict):
            return {self.of(key): self.plain(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.plain(item) for item in value]
        return value
