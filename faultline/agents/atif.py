"""Trajectories in the Agent Trajectory Interchange Format (ATIF 1.8), for agents that leave none of their own."""

from faultline.agents.interface import Assignment
from faultline.errors import FaultlineError
from faultline.kinds import safe_text
from faultline.records import AgentIdentity, canonical_bytes, strict_json

MAX_TRACE = 32 * 2**20
"""Bytes of a trajectory; a longer one is replaced by the agent's output, and the trace says so."""


def trajectory(identity: AgentIdentity, assignment: Assignment, output: str, *, note: str) -> bytes:
    """Return a trajectory of two steps: the issue, and everything that the agent printed.

    ``note`` says what the harness observed; no model step is claimed, since none was seen.
    """
    agent: dict[str, object] = {
        "name": identity.name,
        "version": identity.version if isinstance(identity.version, str) else "unknown",
    }
    if isinstance(identity.model, str):
        agent["model_name"] = identity.model
    steps = [
        {"step_id": 1, "source": "user", "message": safe_text(assignment.issue, 200_000)},
        {"step_id": 2, "source": "agent", "message": safe_text(output, 8 * 2**20)},
    ]
    document: dict[str, object] = {
        "schema_version": "ATIF-v1.8",
        "session_id": assignment.session,
        "agent": agent,
        "steps": steps,
    }
    if note:
        document["notes"] = safe_text(note, 1_000)
    return canonical_bytes(document)


def own_trajectory(data: bytes, assignment: Assignment) -> bytes | None:
    """Return an agent's own trajectory, stamped with the attempt, when it has the outer form of ATIF, else None."""
    try:
        document = strict_json(data, "trajectory")
    except FaultlineError:
        return None
    if (
        not isinstance(document, dict)
        or not isinstance(document.get("steps"), list)
        or not isinstance(document.get("agent"), dict)
    ):
        return None
    extra = document.get("extra")
    stamped = (extra if isinstance(extra, dict) else {}) | {"faultline_session": assignment.session}
    return canonical_bytes(document | {"extra": stamped})


def last_message(trace: object) -> str:
    """Return what the agent said last in a trajectory, or nothing: text of the last step of the agent that has any."""
    if not isinstance(trace, bytes):
        return ""
    try:
        document = strict_json(trace, "trajectory")
    except FaultlineError:
        return ""
    steps = document.get("steps") if isinstance(document, dict) else None
    for step in reversed(steps if isinstance(steps, list) else []):
        if isinstance(step, dict) and step.get("source") == "agent":
            said = _text(step.get("message"))
            if said.strip():
                return said
    return ""


def _text(message: object) -> str:
    """Return the text of a message, which is text or a list of parts."""
    if isinstance(message, list):
        parts = [part.get("text") for part in message if isinstance(part, dict)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return message if isinstance(message, str) else ""
