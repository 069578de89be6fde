"""Imported tasks: proved by the controls of their own harness on the same digest, and by nothing else."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "importers"))

from tiny import write_benchmark
from toy import imported, lines

from faultline.archive import load_benchmark
from faultline.gates import evaluate, foreign_tasks, gate_policy, gather

REFERENCE = {"agent": "oracle", "model": "", "control": "reference"}
NO_OP = {"agent": "nop", "model": "", "control": "no-op"}


@pytest.fixture
def facts(tmp_path):
    """Import files of the toy format, given as name and rows, and return the facts of the benchmark that they make."""

    def gathered(**files):
        for name, rows in files.items():
            (tmp_path / f"{name}.toy").write_text(lines(*rows))
            imported(tmp_path / f"{name}.toy", tmp_path / "runs")
        return gather(load_benchmark(tmp_path))

    return gathered


def gate(found, name):
    return next(item for item in evaluate(found, gate_policy()).report.gates if item.id == name)


def test_without_controls_the_gate_says_how_many_tasks_lack_a_record(facts):
    """
    The reason fits imported data, and each task is named.
    """
    found = gate(facts(agent=[{"id": 1, "task": "a"}, {"id": 2, "task": "b"}]), "G6")

    assert ("fail", "0", "2") == (found.outcome, found.observed, found.needed)
    assert "no baseline or reference record for 2 of 2 imported tasks" in found.lacking[0].needs
    assert ["a", "b"] == [item.what.label for item in found.lacking[1:]]


def test_a_reference_that_passes_and_a_baseline_that_fails_prove_a_task(facts):
    """
    Both sides of the contract are shown by the harness's own controls.
    """
    (task,) = foreign_tasks(
        facts(
            agent=[{"id": 1}],
            oracle=[{"meta": REFERENCE}, {"id": 2}],
            nop=[{"meta": NO_OP}, {"id": 3, "verdict": "failed"}],
        )
    )

    assert (True, "") == (task.valid, task.lacking)


@pytest.mark.parametrize(
    ("files", "needs"),
    [
        ({"oracle": [{"meta": REFERENCE}, {"id": 2, "verdict": "failed"}]}, "a reference that passes; it failed"),
        ({"nop": [{"meta": NO_OP}, {"id": 3}]}, "a baseline that fails; doing nothing passed"),
        ({"oracle": [{"meta": REFERENCE}, {"id": 2, "rule": "HB-01"}]}, "a reference that passes; no record"),
        ({"oracle": [{"meta": REFERENCE | {"digests": {"checksum": "2"}}}, {"id": 2}]}, "a reference that passes; no record"),
        ({"oracle": [{"meta": REFERENCE | {"digests": {"lock": "1"}}}, {"id": 2}]}, "a reference that passes; no record"),
    ],
    ids=["reference failed", "doing nothing passed", "no verdict", "another digest", "a digest of another name"],
)
def test_what_proves_nothing_is_named(facts, files, needs):
    """
    A failed reference, a passing baseline, a control without a verdict, and controls of another form of the task.
    """
    (task, *_) = (
        [
            item
            for item in foreign_tasks(facts(agent=[{"meta": {"digests": {"checksum": "1"}}}, {"id": 1}], **files))
            if item.runs
        ]
        if "digests" in str(files)
        else foreign_tasks(facts(agent=[{"id": 1}], **files))
    )

    assert needs in task.lacking


def test_controls_are_no_agents(facts):
    """
    An oracle's job makes no claim, so no gate counts it among the evaluations.
    """
    found = facts(agent=[{"id": 1}], oracle=[{"meta": REFERENCE}, {"id": 2}])

    assert ["toy-agent"] == [agent.name.split("-acme")[0] for run in found.claims for agent in run.agents.values()]


def test_numbers_that_were_inferred_are_no_repeated_trials(facts):
    """
    A trial number that the log does not hold does not make three independent trials.
    """
    found = gate(facts(agent=[{"id": i} for i in range(3)]), "G3")

    assert "fail" == found.outcome
    assert any("this one was given by order" in item.needs for item in found.lacking)


def test_an_imported_run_with_too_few_trials_fails_although_the_benchmark_has_no_tasks(facts):
    """
    An imported run answers for its own tasks; having none of ours makes nothing easier.
    """
    found = gate(facts(agent=[{"id": 1, "index": 0}]), "G3")

    assert ("fail", "1") == (found.outcome, found.observed)


def test_a_partial_import_fails_the_gates_of_the_records(tmp_path):
    """
    Rows that were left out by request are missing evidence, and what is left cannot be computed again as a whole.
    """
    (tmp_path / "agent.toy").write_text(lines({"id": 1}) + "{torn\n")
    imported(tmp_path / "agent.toy", tmp_path / "runs", partial=True)

    for name, words in (("G7", "1 row that could not be read"), ("G15", "1 row of its source could not be read")):
        found = gate(gather(load_benchmark(tmp_path)), name)

        assert "fail" == found.outcome
        assert any(words in item.needs for item in found.lacking)


def test_no_gate_holds_for_a_log_that_tells_too_little(facts):
    """
    What a log does not tell (network, retry rule, sandbox) is named by the gates that ask for it, and none of them raises.
    """
    found = facts(agent=[{"id": 1, "task": "a"}, {"id": 2, "task": "b"}])
    report = evaluate(found, gate_policy()).report

    assert [] == [gate.id for gate in report.gates if gate.outcome == "error"]
    assert {"G10": "not-run", "G14": "not-run", "G9": "fail", "G13": "fail"}.items() <= {
        gate.id: gate.outcome for gate in report.gates
    }.items()


def test_an_imported_run_is_not_asked_for_variants_of_our_tasks(tmp_path):
    """
    Beside tasks of our own, one line says that an imported run has one form of its own tasks, and none names a task of ours.
    """
    write_benchmark(tmp_path)
    (tmp_path / "agent.toy").write_text(lines({"id": 1, "task": "a"}))
    (run,) = imported(tmp_path / "agent.toy", tmp_path / "runs")
    found = gate(gather(load_benchmark(tmp_path)), "G2")
    needs = [item.needs for item in found.lacking if item.what.label == run.run]

    assert "fail" == found.outcome
    assert ["3 distinct variants of its tasks; another harness has one form of each"] == needs
