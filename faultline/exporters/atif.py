"""``atif``: sampled trajectories in the Agent Trajectory Interchange Format, 1.0 to 1.8, redacted and tied to their records.

What an agent left is hostile: it is read with bounds, made to fit the format's outer form, and left out by name where it does
not fit. Whatever has no place in the format moves to ``extra``, where readers expect what they do not know.
"""

import json
import zlib
from collections.abc import Collection, Iterator, Mapping
from typing import Any, ClassVar

from faultline.archive import SealedRun
from faultline.clock import Clock
from faultline.errors import BadInputError, FaultlineError
from faultline.exporters.interface import Export, Exporter, Subject
from faultline.importers.atif import DELEGATED
from faultline.kinds import digest_bytes, safe_text, slug
from faultline.records import ArtifactRef, Trial, TrialKey, canonical_bytes, strict_json
from faultline.redact import Redactor
from faultline.review import sample_for_review
from faultline.tasks import read_beneath

MAX_STORED = 64 * 2**20
"""Bytes of a trace as it lies in the run."""
MAX_TRACE = 64 * 2**20
"""Bytes of a trace when it is unpacked."""
VERSIONS = tuple(f"ATIF-v1.{minor}" for minor in range(9))
_ROOT = frozenset(
    [
        "schema_version",
        "session_id",
        "trajectory_id",
        "agent",
        "steps",
        "notes",
        "final_metrics",
        "continued_trajectory_ref",
        "extra",
        DELEGATED,
    ]
)
_STEP = frozenset(
    [
        "step_id",
        "timestamp",
        "source",
        "model_name",
        "reasoning_effort",
        "message",
        "reasoning_content",
        "tool_calls",
        "observation",
        "metrics",
        "is_copied_context",
        "llm_call_count",
        "extra",
    ]
)
_AGENT = frozenset(("name", "version", "model_name", "tool_definitions", "extra"))
_SOURCES = ("system", "user", "agent")


class AtifExporter(Exporter):
    """The trajectories that people would be asked to read, or all of them."""

    name = "atif"
    title = "sampled trajectories as ATIF, redacted, each tied to its record"
    needs = "sealed runs with traces"
    loses = (
        "Verdicts, reasons and costs, which stand in the records; secrets and personal details; trajectories that are no ATIF."
    )
    options: ClassVar[Mapping[str, str]] = {
        "sample": "how many of each run, drawn by the digest of its results as for review; or all; 30 by default"
    }

    def export(self, subject: Subject, clock: Clock) -> Export:  # noqa: ARG002  (the records carry their own times)
        """Return one file for each attempt with a trace; what was taken out or left out is in the notes."""
        size = _size(subject.options.get("sample", "30"))
        canaries = tuple(task.definition.canary.encode() for task in subject.benchmark.tasks)
        files, notes, redactor = dict[str, bytes](), list[str](), Redactor()
        for run in subject.runs:
            chosen = _chosen(run, size)
            for trial, number, artifact in _traces(run, chosen):
                label = f"{trial.key.task}.{trial.key.variant}.{trial.key.agent}.{trial.key.trial}"
                place = f"runs/{run.name}/{artifact.path}"
                try:
                    data = read_trace(run, artifact, place)
                    if any(canary in data for canary in canaries):
                        raise BadInputError(place, "a canary of hidden files stands in it")
                    document = conform(strict_json(data, place), place)
                except FaultlineError as error:
                    notes.append(f"left out: {safe_text(str(error), 300)}")
                    continue
                files[f"{run.name}/{slug(label, 120)}.{number}.json"] = _bytes(_tied(redactor.plain(document), trial, number))
        notes += [f"taken out: {kind}, {count} times" for kind, count in sorted(redactor.counts.items())]
        return Export(files, tuple(notes))


def read_trace(run: SealedRun, artifact: ArtifactRef, place: str) -> bytes:
    """Return a trace as it was recorded.

    Raises :class:`BadInputError` when it is missing, is not the one of the record, or unpacks to more than is allowed.
    """
    data = read_beneath(run.path, artifact.path, MAX_STORED)
    if data is None or digest_bytes(data) != artifact.sha256:
        raise BadInputError(place, "this trace is missing or is not the one of the record")
    if not artifact.path.endswith(".gz"):
        return data
    try:
        unpack = zlib.decompressobj(wbits=31)
        found = unpack.decompress(data, MAX_TRACE)
    except zlib.error as error:
        raise BadInputError(place, "this trace cannot be unpacked", found=str(error)) from error
    if unpack.unconsumed_tail or not unpack.eof:
        raise BadInputError(place, "this trace is torn or too long", expected=f"at most {MAX_TRACE} bytes")
    return found


def conform(document: Any, place: str) -> dict[str, Any]:
    """Return a trajectory in the outer form of the format: steps numbered from 1, unknown fields in ``extra``.

    Raises :class:`BadInputError` for what is no trajectory. Contents of messages, tool calls and metrics stay as they are.
    """
    if not isinstance(document, dict):
        raise BadInputError(place, "this is no trajectory", expected="an object")
    found = _with_extra(document, _ROOT)
    agent, steps = found.get("agent"), found.get("steps")
    if not isinstance(agent, dict) or not isinstance(agent.get("name"), str):
        raise BadInputError(f"{place}: agent", "this is no trajectory", expected="an agent with a name")
    if not isinstance(steps, list) or not steps:
        raise BadInputError(f"{place}: steps", "this is no trajectory", expected="at least one step")
    version = found.get("schema_version", VERSIONS[-1])
    if version not in VERSIONS:
        raise BadInputError(
            f"{place}: schema_version",
            "this version is not known",
            expected=f"{VERSIONS[0]} to {VERSIONS[-1]}",
            found=safe_text(repr(version), 60),
        )
    agent = _with_extra(agent, _AGENT)
    named = agent | {"version": agent["version"] if isinstance(agent.get("version"), str) else "unknown"}
    numbered = [_step(step, number, f"{place}: steps.{number - 1}") for number, step in enumerate(steps, start=1)]
    return found | {"schema_version": version, "agent": named, "steps": numbered}


def _step(step: Any, number: int, place: str) -> dict[str, Any]:
    if not isinstance(step, dict) or step.get("source") not in _SOURCES:
        raise BadInputError(place, "this is no step", expected=f"an object whose source is {', '.join(_SOURCES)}")
    if not isinstance(step.get("message"), str | list):
        raise BadInputError(place, "this step has no message", expected="a text or a list of parts")
    return _with_extra(step, _STEP) | {"step_id": number}


def _with_extra(plain: dict[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Return an object with its unknown fields inside ``extra``."""
    rest = {key: value for key, value in plain.items() if key not in known}
    if not rest:
        return dict(plain)
    extra = plain.get("extra")
    inner = extra if isinstance(extra, dict) else {} if extra is None else {"extra": extra}
    return {key: value for key, value in plain.items() if key in known} | {"extra": inner | rest}


def _tied(document: dict[str, Any], trial: Trial, number: int) -> dict[str, Any]:
    extra = document.get("extra")
    tie = trial.key.model_dump(mode="json") | {"attempt": number, "record_id": trial.content_digest()}
    return document | {"extra": (extra if isinstance(extra, dict) else {}) | {"faultline": tie}}


def _chosen(run: SealedRun, size: int | None) -> frozenset[TrialKey]:
    if size is None:
        return frozenset(trial.key for trial in run.trials)
    return frozenset(sample_for_review(run.results_digest, run.trials, size))


def _traces(run: SealedRun, chosen: Collection[TrialKey]) -> Iterator[tuple[Trial, int, ArtifactRef]]:
    for trial in run.trials:
        for attempt in trial.attempts if trial.key in chosen else ():
            for artifact in attempt.artifacts:
                if artifact.role == "trace":
                    yield trial, attempt.number, artifact


def _size(text: str) -> int | None:
    if text == "all":
        return None
    if not text.isascii() or not text.isdecimal() or not 0 < int(text) <= 1_000_000:  # noqa: PLR2004  (more than any run has)
        raise BadInputError(
            "--set sample", "this is no number of trajectories", expected="1 or more, or all", found=safe_text(text, 40)
        )
    return int(text)


def _bytes(document: dict[str, Any]) -> bytes:
    # Through the canonical form, which refuses NaN and makes keys texts; then readable, since people open these files.
    return json.dumps(json.loads(canonical_bytes(document)), indent=1).encode("ascii") + b"\n"
