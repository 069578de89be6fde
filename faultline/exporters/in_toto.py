"""``in-toto``: unsigned in-toto v1 statements: a test result for each task, a summary of the gates that hold.

Formats: https://in-toto.io/Statement/v1, https://in-toto.io/attestation/test-result/v0.1 and
https://in-toto.io/attestation/svr/v0.2. All of them ask for good evidence to be present: what is unproven or does not hold has
no statement or property, so that losing a file can never turn a refusal into a permission.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar

from faultline import __version__
from faultline.archive import SealedRun
from faultline.archive.values import MANIFEST, SEAL
from faultline.card.model import TaskCard
from faultline.card.published import published
from faultline.clock import Clock
from faultline.exporters.interface import Export, Exporter, Subject
from faultline.gates.model import GateReport, GateResult
from faultline.kinds import Digest
from faultline.records import digest_of_plain

STATEMENT = "https://in-toto.io/Statement/v1"
TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"
SUMMARY = "https://in-toto.io/attestation/svr/v0.2"
VERIFIER = f"https://faultline.invalid/gates/{__version__}"
"""Names the logic that verified, and is no address: whoever signs a statement puts the verifier's own id there."""


class InTotoExporter(Exporter):
    """One statement for each task with evidence, one for the gates that hold."""

    name = "in-toto"
    title = "unsigned in-toto statements: test results of tasks, a summary of the gates"
    needs = "tasks with a validity run"
    loses = "Everything but results: numbers, trials, costs, and what does not hold or is unproven."
    options: ClassVar[Mapping[str, str]] = {"verifier": "URI of who verifies; whoever signs the statements should set it"}

    def export(self, subject: Subject, clock: Clock) -> Export:
        """Return the statements; ``timeCreated`` of the summary is the time of the export."""
        files, notes = dict[str, bytes](), list[str]()
        runs = {run.name: run for run in subject.benchmark.runs}
        for task in subject.card.tasks:
            run = runs.get(task.validity.run or "")
            if task.validity.state == "unproven" or run is None:
                notes.append(f"the task {task.id} is unproven in its present form and has no statement")
            else:
                files[f"tasks/{task.id}.intoto.json"] = _bytes(task_statement(task, run))
        if subject.card.imported_tasks:
            notes.append(f"{len(subject.card.imported_tasks)} imported tasks have no digest of ours and no statement")
        holding = [gate for gate in subject.evaluation.report.gates if gate.holds]
        notes += [f"{gate.id} does not hold and is no property" for gate in subject.evaluation.report.gates if not gate.holds]
        if not subject.evaluation.publishing:
            notes.append("a rehearsal verifies nothing, so there is no summary of gates")
        elif holding:
            verifier = subject.options.get("verifier", VERIFIER)
            files["gates.intoto.json"] = _bytes(gates_statement(subject, holding, verifier, clock.now()))
        return Export(files, tuple(notes))


def task_statement(task: TaskCard, run: SealedRun) -> dict[str, Any]:
    """Return the test result of a task: its controls in its newest validity run, of which manifest and seal are named."""
    controls = task.validity.controls
    return _statement(
        [_resource(f"tasks/{task.id}", task.digest)],
        TEST_RESULT,
        {
            "result": "PASSED" if task.validity.state == "valid" else "FAILED",
            "configuration": [
                _resource(f"runs/{run.name}/{MANIFEST}", run.seal.files[MANIFEST]),
                _resource(f"runs/{run.name}/{SEAL}", run.seal_digest),
            ],
            "passedTests": [row.name for row in controls if row.holds],
            "warnedTests": [],
            "failedTests": [row.name for row in controls if not row.holds],
        },
    )


def gates_statement(subject: Subject, holding: Sequence[GateResult], verifier: str, now: datetime) -> dict[str, Any]:
    """Return the summary of the gates that hold; its subjects are the card and every run by its manifest and its seal."""
    subjects = [_resource("card", published(subject.card).content_digest())]
    for run in subject.benchmark.runs:
        subjects.append(_resource(f"runs/{run.name}/{MANIFEST}", run.seal.files[MANIFEST]))
        subjects.append(_resource(f"runs/{run.name}/{SEAL}", run.seal_digest))
    return _statement(
        subjects,
        SUMMARY,
        {
            "verifier": {"id": verifier, "policies": [_policy(subject.evaluation.report)]},
            "timeCreated": f"{now:%Y-%m-%dT%H:%M:%SZ}",
            "properties": [property_of(gate) for gate in holding],
        },
    )


def property_of(gate: GateResult) -> str:
    """Return the property that stands for a gate that holds, such as ``FAULTLINE_G6_TASK_VALIDITY``."""
    words = re.sub(r"[^A-Z0-9]+", "_", gate.name.upper()).strip("_")
    return f"FAULTLINE_{gate.id}_{words}"


def _policy(report: GateReport) -> dict[str, Any]:
    """Return the policy in force as a resource: the thresholds that the gates were asked with, and their digest."""
    thresholds = {f"{row.gate} {row.name}": row.value for row in report.policy}
    return _resource("faultline gate thresholds", digest_of_plain(thresholds)) | {"annotations": thresholds}


def _statement(subjects: list[dict[str, Any]], kind: str, predicate: dict[str, Any]) -> dict[str, Any]:
    return {"_type": STATEMENT, "subject": subjects, "predicateType": kind, "predicate": predicate}


def _resource(name: str, digest: Digest) -> dict[str, Any]:
    return {"name": name, "digest": {"sha256": digest.removeprefix("sha256:")}}


def _bytes(statement: dict[str, Any]) -> bytes:
    return json.dumps(statement, indent=2, sort_keys=True, ensure_ascii=True).encode("ascii") + b"\n"
