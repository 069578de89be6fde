"""``eee``: evaluations of agents as Every Eval Ever 0.3.0, an aggregate and its rows for each run.

Format: https://github.com/evaleval/every_eval_ever. Ids derive from the records, so the same run is the same evaluation however
often it is exported; the file of rows is one attempt a line, never an average.
"""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar

from faultline import __version__
from faultline.archive import SealedRun
from faultline.card.standing import outcomes_of
from faultline.clock import Clock
from faultline.errors import RefusedError
from faultline.exporters.eee_rows import row_of, variants_of
from faultline.exporters.interface import Export, Exporter, Subject
from faultline.gates import RunFacts
from faultline.kinds import RunKind, digest_bytes, safe_text
from faultline.records import Absent, AgentIdentity, ImportedTask, TaskPin
from faultline.statistics import Estimate, PlannedCounts, TaskCounts, missing_outcome_bounds, pass_rate

SCHEMA = "0.3.0"
RELATIONS = ("first_party", "third_party", "collaborative", "other")
AS_FAILURES = "pass-rate.missing-as-failures"
"""The result that rows belong to: a row without a usable verdict is not correct, and counts as failed."""

_RESERVED = re.compile(r"con|prn|aux|nul|(com|lpt)[1-9]", re.IGNORECASE)
"""Names that Windows keeps for itself."""


class EeeExporter(Exporter):
    """Each evaluation of one agent that is no control; three rates by how missing verdicts are counted."""

    name = "eee"
    title = "evaluations as Every Eval Ever 0.3.0: aggregates and rows"
    needs = "sealed evaluations of agents"
    loses = (
        "Trajectories, hidden checks and reason codes with their numbers; blame beyond four words; validity, audits and gates "
        "but for their state as a sentence."
    )
    options: ClassVar[Mapping[str, str]] = {
        "collection": "the first folder below data/; faultline by default",
        "organization": "who ran the evaluation; unknown by default",
        "relationship": f"of who ran it to who made the model: {', '.join(RELATIONS)}; other by default",
    }

    def export(self, subject: Subject, clock: Clock) -> Export:
        """Return two files for each evaluation."""
        relationship = subject.options.get("relationship", "other")
        if relationship not in RELATIONS:
            raise RefusedError(
                "--set relationship", "not one of the words of the format", expected=", ".join(RELATIONS), found=relationship
            )
        files, notes, now = dict[str, bytes](), list[str](), clock.now()
        facts = {run.name: run for run in subject.facts.runs}
        for run in subject.runs:
            (agent, *more) = run.manifest.agents
            if run.manifest.kind is RunKind.VALIDITY or agent.kind.is_control or more:
                notes.append(f"{run.name} is no evaluation of one agent and was left out")
                continue
            files |= _evaluation(subject, run, facts[run.name], agent, now)
        return Export(files, tuple(notes))


def model_of(agent: AgentIdentity) -> tuple[str, str]:
    """Return developer and model as the format addresses them; an agent without a model stands under its own name."""
    name = agent.model if isinstance(agent.model, str) else agent.name
    provider = agent.provider if isinstance(agent.provider, str) else "no-model" if name == agent.name else "no-provider"
    developer, slash, model = name.partition("/")
    return (_part(developer), _part(model)) if slash else (_part(provider), _part(name))


def _part(text: str) -> str:
    """Return a name as a portable part of a path."""
    found = re.sub(r"[^A-Za-z0-9._-]+", "-", text)[:80].strip(".-")
    if _RESERVED.fullmatch(found.split(".")[0]):
        return f"_{found}"
    return "unnamed" if found in ("", "data", "unknown") else found


def _evaluation(subject: Subject, run: SealedRun, facts: RunFacts, agent: AgentIdentity, now: datetime) -> dict[str, bytes]:
    developer, model = model_of(agent)
    collection = _part(subject.options.get("collection", "faultline"))
    identity = f"{collection}/{developer}_{model}/{run.seal_digest}"
    stem = f"data/{collection}/{developer}/{model}/{_uuid4(identity)}"
    links = {
        "schema_version": SCHEMA,
        "evaluation_id": identity,
        "model_id": f"{developer}/{model}",
        "evaluation_name": subject.card.title,
        "evaluation_result_id": AS_FAILURES,
    }
    texts = variants_of(subject.benchmark.tasks, run)
    lines = [
        json.dumps(links | row_of(trial, attempt, texts[trial.key.task, trial.key.variant]), allow_nan=False)
        for trial in run.trials
        for attempt in trial.attempts
    ]
    rows = "".join(f"{line}\n" for line in lines).encode("ascii")
    aggregate = {
        "schema_version": SCHEMA,
        "evaluation_id": identity,
        "evaluation_timestamp": _unix(run.manifest.planned_at),
        "retrieved_timestamp": _unix(now),
        "source_metadata": {
            "source_name": "faultline",
            "source_type": "evaluation_run",
            "source_organization_name": subject.options.get("organization", "unknown"),
            "evaluator_relationship": subject.options.get("relationship", "other"),
            "additional_details": {"publication_gates": subject.gate_status, "withheld": _word(subject.withheld)},
        },
        "eval_library": {"name": "faultline", "version": __version__},
        "model_info": _model(agent, developer, model),
        "evaluation_results": _results(subject, run, facts),
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": f"{stem}_samples.jsonl",
            "hash_algorithm": "sha256",
            "checksum": digest_bytes(rows).removeprefix("sha256:"),
            "total_rows": len(lines),
        },
    }
    return {
        f"{stem}.json": json.dumps(aggregate, indent=2, allow_nan=False).encode("ascii") + b"\n",
        f"{stem}_samples.jsonl": rows,
    }


def _model(agent: AgentIdentity, developer: str, model: str) -> dict[str, Any]:
    details = {
        "deployment_type": "unknown",
        "model_availability": "unknown",
        "agent": agent.name,
        "agent_kind": agent.kind.value,
        "agent_version": agent.version if isinstance(agent.version, str) else f"not known: {agent.version.reason}",
        "network": agent.network if isinstance(agent.network, str) else f"not known: {agent.network.reason}",
    }
    info: dict[str, Any] = {"id": f"{developer}/{model}", "additional_details": details}
    if isinstance(agent.model, str):
        info["name"] = safe_text(agent.model)
    else:
        info["name"] = agent.name
        details["model"] = f"{agent.model.absence.value}: {agent.model.reason}"
    if isinstance(agent.provider, str):
        info["inference_platform"] = safe_text(agent.provider)
    return info


def _results(subject: Subject, run: SealedRun, facts: RunFacts) -> list[dict[str, Any]]:
    """Return the three rates; each says how missing verdicts are counted, and the first one is the one to show."""
    tasks: list[TaskPin | ImportedTask] = [*run.manifest.tasks, *run.manifest.foreign_tasks]
    tasks.sort(key=lambda task: task.id)
    outcomes = outcomes_of([facts], next(iter(facts.agents)), [task.id for task in tasks])
    counts, copies = list(outcomes.rows), outcomes.copies
    families = [task.family for task in tasks]
    clusters = families if len(set(families)) < len(families) else None
    bounds = missing_outcome_bounds(counts, clusters)

    def rate(count: Any) -> Estimate:
        return pass_rate([count(row) for row in counts if row.planned], _kept(clusters, counts))

    as_failures = rate(lambda row: TaskCounts(row.passes, row.planned))
    as_passes = rate(lambda row: TaskCounts(row.passes + row.missing, row.planned))
    details = {
        "estimand": f"{run.manifest.estimates}, mean over tasks",
        "planned_trials": str(bounds.planned),
        "trials_without_verdict": str(bounds.missing),
        "tasks": str(len(tasks)),
        "families": str(len(set(families))),
        "repeated_transcripts_left_out": str(copies),
        "publication_gates": subject.gate_status,
    }
    found = (
        (AS_FAILURES, "Trials without a verdict count as failed.", bounds.lower, as_failures),
        ("pass-rate.scoreable-only", "Trials without a verdict are left out.", bounds.excluded, bounds.sampling),
        ("pass-rate.missing-as-passes", "Trials without a verdict count as passed: the upper bound.", bounds.upper, as_passes),
    )
    return [
        {
            "evaluation_result_id": name,
            "evaluation_name": subject.card.title,
            "source_data": {
                "dataset_name": subject.card.title,
                "source_type": "other",
                "additional_details": {task.id: _digest(task) for task in tasks},
            },
            "metric_config": {
                "evaluation_description": f"Share of trials that pass every hidden check, mean over tasks. {meaning}",
                "metric_id": name,
                "metric_unit": "proportion",
                "lower_is_better": False,
                "score_type": "continuous",
                "min_score": 0.0,
                "max_score": 1.0,
            },
            "score_details": {"score": score, "details": details} | _uncertainty(interval),
            "generation_config": _protocol(run),
        }
        for name, meaning, score, interval in found
        if score is not None
    ]


def _kept(clusters: list[str] | None, counts: list[PlannedCounts]) -> list[str] | None:
    return None if clusters is None else [name for name, row in zip(clusters, counts, strict=True) if row.planned]


def _uncertainty(of: Estimate) -> dict[str, Any]:
    """Return the interval with its method; nothing where there is none, never an interval of no width in its place."""
    if of.low is None or of.high is None:
        return {}
    method = f"{of.method}, {of.scope}, {of.status}{f': {of.reason}' if of.reason else ''}"
    interval = {"lower": of.low, "upper": of.high, "confidence_level": of.level, "method": method}
    return {"uncertainty": {"confidence_interval": interval, "num_samples": of.n}}


def _digest(task: TaskPin | ImportedTask) -> str:
    """Return the digest of a task; another harness has digests of its own, or none."""
    if isinstance(task, TaskPin):
        return task.digest
    return " ".join(f"{name}:{value}" for name, value in sorted(task.digests.items())) or "unknown: the log names no digest"


def _protocol(run: SealedRun) -> dict[str, Any]:
    """Return the protocol of a run; what another harness's log does not tell is left out."""
    manifest = run.manifest
    limits = {pin.limits.agent_seconds for pin in manifest.tasks}
    arguments: dict[str, Any] = {}
    details = {"retry_policy": manifest.retry_rule, "trials_per_variant": str(manifest.trials)}
    if not isinstance(manifest.sandbox, Absent):
        arguments["sandbox"] = {"type": manifest.sandbox.value}
    if not isinstance(manifest.retry, Absent):
        arguments["max_attempts"] = manifest.retry.max_attempts
    if len(limits) == 1:
        arguments["eval_limits"] = {"time_limit": int(limits.pop())}
    if manifest.imported is not None:
        details |= {"imported_from": manifest.imported.format, "native_run": manifest.imported.native_run}
    return {"generation_args": arguments, "additional_details": details}


def _uuid4(identity: str) -> str:
    """Return a UUID of version 4, which the format asks for, from the digest of an identity instead of chance."""
    digits = digest_bytes(identity.encode()).removeprefix("sha256:")
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{'89ab'[int(digits[16], 16) % 4]}{digits[17:20]}-{digits[20:32]}"


def _unix(moment: datetime) -> str:
    return f"{moment.timestamp():.0f}"


def _word(value: bool) -> str:
    return "true" if value else "false"
