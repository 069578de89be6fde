"""Trajectories in the Agent Trajectory Interchange Format (ATIF 1.0 to 1.8): the outer form is checked, the content is kept.

Source of the form: the format's models in Harbor 0.26.0 (``harbor/models/trajectories``, Apache-2.0).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from faultline.errors import BadInputError
from faultline.importers.tree import foreign_json
from faultline.kinds import safe_text
from faultline.records import canonical_bytes

DELEGATED = "sub" + "agent_trajectories"
"""The format's key for the trajectories of those to whom an agent delegated work."""
VERSIONS = tuple(f"ATIF-v1.{minor}" for minor in range(9))
"""The versions whose form is known."""
MAX_TRAJECTORY = 32 * 2**20
"""Bytes of a trajectory that is read."""
_NAMED = 3
"""Faults that are named."""


class _Form(BaseModel):
    """Only what other fields rest on; everything else is the writer's, and is kept."""

    model_config = ConfigDict(strict=True, extra="allow")


class _Call(_Form):
    tool_call_id: str
    function_name: str


class _Step(_Form):
    step_id: int
    source: Literal["system", "user", "agent"]
    message: str | list[dict[str, Any]]
    tool_calls: list[_Call] | None = None
    observation: dict[str, Any] | None = None
    metrics: dict[str, Any] | None = None
    is_copied_context: bool | None = None


class _Agent(_Form):
    name: str
    version: str


class _Trajectory(_Form):
    schema_version: str
    agent: _Agent
    steps: list[_Step] = Field(min_length=1)
    continued_trajectory_ref: str | None = None

    @model_validator(mode="after")
    def _known_and_counted(self) -> Self:
        if self.schema_version not in VERSIONS:
            raise ValueError(f"the version is none of {VERSIONS[0]} to {VERSIONS[-1]}")
        if [step.step_id for step in self.steps] != list(range(1, len(self.steps) + 1)):
            raise ValueError("the steps are not numbered from 1 without a gap")
        return self


@dataclass(frozen=True)
class Work:
    """What an agent did in a trajectory; steps that were copied from an earlier one for context are no work."""

    steps: int
    """Steps of the agent."""
    tool_calls: int
    copied: int
    """Steps of whatever source that were copied."""


def read_trajectory(data: bytes, place: str) -> dict[str, Any]:
    """Return a trajectory as plain data.

    Raises ``BadInputError`` with the first faults of its form; fields that the form does not name are kept as they are.
    """
    document = foreign_json(data, place)
    try:
        _Trajectory.model_validate(document)
    except ValidationError as error:
        faults = [
            f"{'.'.join(str(part) for part in fault['loc']) or 'trajectory'}: {fault['msg']}"
            for fault in error.errors()[:_NAMED]
        ]
        raise BadInputError(
            safe_text(place, 300),
            "this is no trajectory in ATIF",
            found=safe_text("; ".join(faults), 400),
            expected=f"{VERSIONS[0]} to {VERSIONS[-1]}",
        ) from error
    assert isinstance(document, dict)
    return document


def work(document: dict[str, Any]) -> Work:
    """Count what an agent did; steps with ``is_copied_context`` are counted apart."""
    steps = document["steps"]
    own = [step for step in steps if not step.get("is_copied_context") and step["source"] == "agent"]
    return Work(
        steps=len(own),
        tool_calls=sum(len(step.get("tool_calls") or ()) for step in own),
        copied=sum(bool(step.get("is_copied_context")) for step in steps),
    )


def joined(parts: Sequence[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """Return several trajectories of one trial as one, in order, each step with the name of the part that it came from.

    Steps are numbered anew; sums are left out, since they are those of one part. One part alone stays what it is.
    """
    if len(parts) == 1:
        return parts[0][1]
    first = parts[0][1]
    steps: list[dict[str, Any]] = []
    for name, part in parts:
        for step in part["steps"]:
            extra = step.get("extra")
            stamped = (extra if isinstance(extra, dict) else {}) | {"faultline_part": safe_text(name, 200)}
            steps.append({**step, "step_id": len(steps) + 1, "extra": stamped})
    embedded = [item for _, part in parts for item in part.get(DELEGATED) or ()]
    kept: dict[str, Any] = {key: first[key] for key in ("session_id", "notes", "extra") if key in first}
    newest = max((part["schema_version"] for _, part in parts), key=VERSIONS.index)
    document: dict[str, Any] = {**kept, "schema_version": newest, "agent": first["agent"], "steps": steps}
    return document | ({DELEGATED: embedded} if embedded else {})


def trace(document: dict[str, Any], trial: str) -> bytes:
    """Return a trajectory as canonical bytes, stamped with its trial, so that two trials never share a trace by chance."""
    extra = document.get("extra")
    stamped = (extra if isinstance(extra, dict) else {}) | {"faultline_trial": safe_text(trial, 300)}
    return canonical_bytes(_finite({**document, "extra": stamped}))


def _finite(value: Any) -> Any:
    """Return plain data with ``None`` for what is no finite number: log probabilities may be infinite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return value


def same_trajectories(digests: Iterable[tuple[str, str]]) -> list[tuple[str, ...]]:
    """Return groups of trials whose trajectories are the same, byte for byte, from pairs of trial and digest."""
    found: dict[str, list[str]] = {}
    for trial, digest in digests:
        found.setdefault(digest, []).append(trial)
    return [tuple(sorted(trials)) for trials in found.values() if len(trials) > 1]
