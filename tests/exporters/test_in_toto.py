"""Statements in the form of in-toto: good evidence is present, and what is not proved is not there."""

import json

import factories
import pytest
from export_samples import foreign, honest, subject

from faultline.exporters import open_exporter
from faultline.exporters.in_toto import property_of


def made(of, clock):
    exported = open_exporter("in-toto").export(of, clock)
    return {path: json.loads(data) for path, data in exported.files.items()}, exported.notes


class TestTasks:
    def test_a_valid_task_has_passed(self, clock):
        """The subject is the task by its digest, the configuration is the validity run by manifest and seal."""
        of = subject()
        files, _ = made(of, clock)
        statement = files["tasks/task-00.intoto.json"]
        run = next(run for run in of.benchmark.runs if run.name == "validity-1")

        assert [
            {"name": "tasks/task-00", "digest": {"sha256": of.benchmark.tasks[0].digest.removeprefix("sha256:")}}
        ] == statement["subject"]
        assert ("PASSED", sorted(factories.CONTROLS), []) == (
            statement["predicate"]["result"],
            sorted(statement["predicate"]["passedTests"]),
            statement["predicate"]["failedTests"],
        )
        assert run.seal_digest == "sha256:" + statement["predicate"]["configuration"][1]["digest"]["sha256"]

    def test_a_task_that_does_not_hold_has_failed(self, clock):
        """A reference that fails is among the failed tests, and the result says so."""
        tasks = factories.small_tasks()
        run = factories.validity_run(
            tasks, ending=lambda cell: factories.failed() if cell.agent == "reference" else factories.control_ending(cell)
        )
        files, _ = made(subject(factories.benchmark(tasks, [run])), clock)
        predicate = files["tasks/task-00.intoto.json"]["predicate"]

        assert ("FAILED", ["reference"]) == (predicate["result"], predicate["failedTests"])

    def test_an_unproven_task_has_no_statement(self, clock):
        """Without a validity run there is no statement, and a note says so."""
        files, notes = made(subject(factories.benchmark(factories.small_tasks())), clock)

        assert [] == [path for path in files if path.startswith("tasks/")]
        assert 2 == sum("unproven" in note for note in notes)

    def test_imported_tasks_have_none(self, clock, tmp_path):
        """Another harness's tasks have no digest of ours, and a note counts them."""
        _, notes = made(subject(foreign(tmp_path)), clock)

        assert "2 imported tasks have no digest of ours and no statement" in notes


class TestGates:
    def test_only_gates_that_hold_are_properties(self, clock):
        """Every gate that holds is a property, no other is, and the notes name those that are not."""
        of = subject(honest())
        files, notes = made(of, clock)
        gates = of.evaluation.report.gates
        found = files["gates.intoto.json"]["predicate"]["properties"]

        assert [property_of(gate) for gate in gates if gate.holds] == found
        assert [gate.id for gate in gates if not gate.holds] == [note.split()[0] for note in notes]
        assert 0 < len(found) < len(gates)

    def test_the_policy_and_the_verifier_are_named(self, clock):
        """The thresholds in force are the policy; the verifier is the one that was set."""
        files, _ = made(subject(honest(), verifier="https://example.org/us"), clock)
        verifier = files["gates.intoto.json"]["predicate"]["verifier"]

        assert "https://example.org/us" == verifier["id"]
        assert [{"annotations", "digest", "name"}] == [set(policy) for policy in verifier["policies"]]

    def test_a_rehearsal_verifies_nothing(self, clock):
        """Records made for a test give no summary, though every gate holds on them."""
        files, notes = made(subject(factories.full(), publishing=False), clock)

        assert "gates.intoto.json" not in files
        assert any("rehearsal" in note for note in notes)


def test_every_statement_is_read_by_the_package_of_in_toto(clock):
    """The protobuf messages of in-toto take statements and test results as they are, and its own checks find nothing."""
    pytest.importorskip("in_toto_attestation", reason="in-toto-attestation is not installed")
    from google.protobuf.json_format import ParseDict
    from in_toto_attestation.predicates.test_result.v0.test_result_pb2 import TestResult
    from in_toto_attestation.v1.statement import Statement
    from in_toto_attestation.v1.statement_pb2 import Statement as Message

    files, _ = made(subject(honest()), clock)
    assert 3 == len(files)
    for statement in files.values():
        Statement.copy_from_pb(ParseDict(statement, Message())).validate()
        if "test-result" in statement["predicateType"]:
            ParseDict(statement["predicate"], TestResult())
