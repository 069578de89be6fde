"""The checker is checked: a check that was emptied, removed or given another code is noticed and named."""

import ast
import dataclasses
import shutil
from pathlib import Path

import factories
import pytest

from faultline.archive import read_run
from faultline.clock import Clock
from faultline.execution import LiveRun, Planned, gather_provenance, plan_validity
from faultline.execution.worker import Worker
from faultline.gates import changed_checks, earlier_form, gather, unkilled, validity_of
from faultline.gates.gathering import run_facts, task_facts
from faultline.gates.validity import validity_in
from faultline.kinds import SandboxLevel
from faultline.records import Absent, CheckResult
from faultline.tasks import load_task, load_tasks

ROOT = Path(__file__).parents[2]
TASKS = {task.id: task_facts(task) for task in load_tasks(ROOT / "tasks")}


@pytest.fixture(scope="module")
def sealed():
    """The validity run that is committed."""
    paths = [path.parent for path in (ROOT / "runs").glob("validity-*/seal.json")]
    return run_facts(read_run(max(paths, key=lambda path: path.name)))


def mutated(run, task, change):
    """Return a run in which each result of a task's checks went through a function, which drops it by returning None."""

    def altered(trial):
        checks = trial.outcome.checks
        if trial.key.task != task or isinstance(checks, Absent):
            return trial
        kept = tuple(new for check in checks if (new := change(check)) is not None)
        return trial.model_copy(update={"outcome": trial.outcome.model_copy(update={"checks": kept})})

    return dataclasses.replace(run, trials=tuple(map(altered, run.trials)))


class TestRecords:
    @pytest.mark.parametrize("task", TASKS)
    def test_every_check_of_every_task_is_killed(self, sealed, task):
        """Each hidden check of this repository's tasks is failed by some wrong repair in every trial."""
        assert () == unkilled(TASKS[task], validity_in(TASKS[task], sealed))

    @pytest.mark.parametrize("task", TASKS)
    def test_no_change_is_no_news(self, sealed, task):
        """A run compared with itself shows nothing."""
        assert () == changed_checks(TASKS[task], sealed, sealed)

    @pytest.mark.parametrize("task", TASKS)
    def test_an_emptied_check_is_named_twice(self, sealed, task):
        """A check that passes everything is killed by nothing, and does not do what it did."""
        for check in TASKS[task].checks:
            now = mutated(
                sealed, task, lambda r, check=check: CheckResult(check=check, result="passed") if r.check == check else r
            )

            assert (check,) == unkilled(TASKS[task], validity_in(TASKS[task], now))
            assert {check} == {line.split()[0] for line in changed_checks(TASKS[task], now, sealed)}

    @pytest.mark.parametrize("task", TASKS)
    def test_a_removed_check_is_named(self, sealed, task):
        """A check that the task has no more stands in the earlier run's plan."""
        for check in TASKS[task].checks:
            fewer = dataclasses.replace(TASKS[task], checks=tuple(name for name in TASKS[task].checks if name != check))
            now = mutated(sealed, task, lambda r, check=check: None if r.check == check else r)

            assert (f"{check} is gone; it judged this task in {sealed.name}.",) == changed_checks(fewer, now, sealed)

    @pytest.mark.parametrize("task", TASKS)
    def test_another_code_is_named(self, sealed, task):
        """A check that gives any one of its usual codes under another name is named."""
        for check in TASKS[task].checks:
            codes = [r.reason.code for t in sealed.by_task[task] for r in t.outcome.checks if r.check == check and r.reason]
            for code in {code for code in codes if codes.count(code) >= 6}:

                def swap(result, check=check, code=code):
                    if result.check != check or result.reason is None or result.reason.code != code:
                        return result
                    return result.model_copy(update={"reason": result.reason.model_copy(update={"code": "SOMETHING_ELSE"})})

                assert {check} == {line.split()[0] for line in changed_checks(TASKS[task], mutated(sealed, task, swap), sealed)}

    def test_without_a_run_nothing_is_said_about_checks(self):
        """A task that was never validated has no checks that nothing kills: nothing was tried."""
        facts = gather(factories.benchmark(factories.small_tasks(1)))

        assert () == unkilled(facts.tasks[0], validity_of(facts.tasks[0], facts))

    def test_an_earlier_form_is_another_digest(self, sealed):
        """The run of the form as it is now is no earlier one; the newest run of another form is."""
        task = next(iter(TASKS.values()))

        assert earlier_form(task, [sealed]) is None
        assert sealed == earlier_form(dataclasses.replace(task, digest=factories.digest_bytes(b"new")), [sealed])


def without_bodies(source: str, emptied: str, removed: str) -> str:
    """Return checks of which one does nothing and one is gone."""
    tree = ast.parse(source)
    for node in list(tree.body):
        if isinstance(node, ast.FunctionDef) and node.name == emptied:
            node.body = node.body[:1]
        if isinstance(node, ast.FunctionDef) and node.name == removed:
            tree.body.remove(node)
    comments = "\n".join(line for line in source.splitlines() if line.startswith("#"))
    return f"{comments}\n{ast.unparse(tree)}\n"


def test_mutations_of_a_real_task_are_noticed_when_its_controls_run_again(sealed, tmp_path):
    """One check of a task emptied, one removed and one given another code: judged anew, all three are named."""
    folder = tmp_path / "tasks" / "visit-partition"
    shutil.copytree(ROOT / "tasks" / "visit-partition", folder)
    checks = folder / "hidden" / "checks.py"
    source = without_bodies(checks.read_text(), "unknown_ids_stand_alone", "test_part_is_the_nearest")
    first, second = source.split("def every_visit_is_used_once")
    swapped = first.replace("ENTITY_OVERLAP", "UNKNOWN_GROUPED") + "def every_visit_is_used_once" + second
    checks.write_text(swapped)
    task = load_task(folder)
    manifest = plan_validity((task,), Planned(Clock(), gather_provenance(tmp_path, (task,), (), ()), SandboxLevel.BUBBLEWRAP))
    wanted = {"baseline", "wrong-blank-group"}
    some = [cell for cell in manifest.cells if cell.agent in wanted and cell.trial < 3]
    live = LiveRun(tmp_path, manifest.run)
    live.create(manifest.model_copy(update={"cells": tuple(some)}), None)
    Worker(live, "w", Clock(), {}).work()
    with live.open_ledger() as ledger:
        now = dataclasses.replace(sealed, manifest=ledger.manifest(live.run), trials=tuple(ledger.trials(live.run)))
    lines = changed_checks(task_facts(task), now, sealed)
    named = {line.split()[0]: line for line in lines}

    assert "is gone" in named["test_part_is_the_nearest"]
    assert "does not fail it now" in named["unknown_ids_stand_alone"]
    assert "with ENTITY_OVERLAP" in named["histories_stay_whole"]
    assert "with UNKNOWN_GROUPED now" in named["histories_stay_whole"]
