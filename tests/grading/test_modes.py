"""What was seen in a trial: each row of the precedence table with an example where it holds and one where it does not."""

import dataclasses
from pathlib import Path

import pytest
from tiny import BASELINE, REFERENCE

from faultline.grading import classify, faulted
from faultline.grading.classify import MODES, Seen, mode_of, question_in
from faultline.grading.surface import public_surface, required_surface
from faultline.kinds import Mode, PublicTouch, StatusClass
from faultline.records import Evidence, PublicChange, Reason
from faultline.tasks import apply_overlay, load_tasks, materialise

ROOT = Path(__file__).parents[2]

TOTAL = "shop/total.py"
LOST = Evidence(lost=(Reason(code="NAME_MISSING", detail="shop.total:total"),))
ASKED = Evidence(question="Which number is right?")
CONFIGURED = Evidence(configuration=("conftest.py",))


def touched(how: PublicTouch) -> Evidence:
    return Evidence(tests=(PublicChange(test="tests/test_total.py::TestTotal::test_sum", how=how),))


TABLE = [
    (Mode.TAMPERED, Seen(evidence=CONFIGURED, limit=True, unchanged=True), Seen(evidence=touched(PublicTouch.EDITED))),
    (Mode.TAMPERED, Seen(evidence=touched(PublicTouch.WEAKENED)), Seen(evidence=LOST)),
    (Mode.TAMPERED, Seen(evidence=touched(PublicTouch.SKIPPED)), Seen(evidence=ASKED)),
    (Mode.TAMPERED, Seen(evidence=touched(PublicTouch.DELETED)), Seen()),
    (Mode.LIMIT_REACHED, Seen(limit=True, unchanged=True, evidence=ASKED), Seen(unchanged=True)),
    (Mode.ASKED_A_QUESTION, Seen(unchanged=True, wrote=True, evidence=ASKED), Seen(evidence=ASKED)),
    (Mode.NO_DRAFT, Seen(unchanged=True, wrote=True), Seen(wrote=True)),
    (Mode.NO_CHANGE, Seen(unchanged=True), Seen()),
    (
        Mode.DAMAGED,
        Seen(evidence=LOST, codes=frozenset({"TIME_LIMIT"}), regressed=True),
        Seen(codes=frozenset({"NAME_MISSING"})),
    ),
    (
        Mode.LIMIT_REACHED,
        Seen(codes=frozenset({"MEMORY_LIMIT", "TIME_LIMIT"}), regressed=True),
        Seen(codes=frozenset({"MEMORY_LIMIT", "RAISED"})),
    ),
    (
        Mode.LIMIT_REACHED,
        Seen(codes=frozenset({"TIME_LIMIT"}), regressed=True),
        Seen(codes=frozenset({"TIME_LIMIT", "RAISED"})),
    ),
    (Mode.REGRESSION, Seen(regressed=True), Seen()),
    (Mode.DEFECT_REMAINS, Seen(codes=frozenset({"COUNTED_TWICE"})), Seen(regressed=True)),
]


class TestTable:
    @pytest.mark.parametrize(("mode", "holding", "failing"), TABLE)
    def test_a_row_holds_and_does_not(self, mode, holding, failing):
        """Each row decides in its own case, also when later rows would hold too, and not in another."""
        assert mode is mode_of(holding)
        assert mode is not mode_of(failing)

    def test_every_row_has_an_example(self):
        """No row of the table is without examples."""
        assert {mode for mode, _ in MODES} == {mode for mode, _, _ in TABLE}


class TestDamaged:
    def test_a_function_that_is_gone(self, grade):
        """A public function that existed and is gone makes a trial damaged, and the record names it."""
        outcome = grade(**{TOTAL: "x = 1\n"}).outcome

        assert Mode.DAMAGED is outcome.mode
        assert ("NAME_MISSING", "shop.total:total") == (outcome.evidence.lost[0].code, outcome.evidence.lost[0].detail)

    @pytest.mark.parametrize(
        ("source", "said"),
        [
            ("import nothing_of_this_name\n" + BASELINE, "ModuleNotFoundError"),
            ("from shop import nothing_of_this_name\n" + BASELINE, "ImportError"),
            ("def total(:\n", "SyntaxError"),
        ],
    )
    def test_an_import_that_fails_is_no_missing_function(self, grade, source, said):
        """A module that no longer imports is reported as that, with the exception, and never as a missing name."""
        outcome = grade(**{TOTAL: source}).outcome

        assert Mode.DAMAGED is outcome.mode
        assert ["IMPORT_FAILED"] == [reason.code for reason in outcome.evidence.lost]
        assert f"shop.total: {said}" in outcome.evidence.lost[0].detail
        assert "NAME_MISSING" not in {reason.code for reason in outcome.reasons}

    def test_a_module_that_is_gone(self, workspace, variant, grade):
        """Deleting a module is damage: it no longer imports."""
        (workspace / TOTAL).unlink()
        outcome = grade().outcome

        assert (Mode.DAMAGED, "IMPORT_FAILED") == (outcome.mode, outcome.evidence.lost[0].code)

    def test_an_import_that_ends_the_process(self, grade):
        """A module that takes the process down when it is imported is damage too, and the other modules are still asked for."""
        outcome = grade(**{TOTAL: "import os\nos._exit(0)\n"}).outcome

        assert Mode.DAMAGED is outcome.mode
        assert [("CRASHED", "shop.total")] == [(reason.code, reason.detail) for reason in outcome.evidence.lost]

    def test_a_function_that_moved_and_is_imported_back_is_there(self, grade):
        """What the child can reach is there, wherever it is defined."""
        outcome = grade(**{"shop/other.py": BASELINE, TOTAL: "from shop.other import total\n"}).outcome

        assert (Mode.DEFECT_REMAINS, ()) == (outcome.mode, outcome.evidence.lost)

    def test_a_pass_is_not_searched(self, grade):
        """A repair that passes may delete what nothing needs."""
        assert () == grade(**{TOTAL: REFERENCE}).outcome.evidence.lost

    def test_the_surface_is_public_and_found_by_syntax(self):
        """Public modules, functions, classes and methods count; private ones, tests and text that cannot be parsed do not."""
        tree = {
            "shop/__init__.py": b"def open(): ...\n",
            "shop/a.py": b"class A:\n    def go(self): ...\n    def _no(self): ...\ndef _no(): ...\nX = 1\n",
            "shop/_b.py": b"def b(): ...\n",
            "shop/__main__.py": b"run()\n",
            "shop/broken.py": b"def (\n",
            "tests/test_a.py": b"def test(): ...\n",
        }

        assert {"shop": ("open",), "shop.a": ("A", "A.go")} == public_surface(tree)

    def test_what_a_right_repair_does_without_is_not_required(self, variant):
        """A helper that the reference or another valid repair drops may be dropped."""
        helper = {TOTAL: variant.workspace[TOTAL] + b"\n\ndef helper(): ...\n"}
        more = dataclasses.replace(variant, workspace={**variant.workspace, **helper})

        assert ("total", "helper") == public_surface(more.workspace)["shop.total"]
        assert ("total",) == required_surface(more)["shop.total"]

    def test_no_control_of_the_tasks_is_damaged(self):
        """A wrong repair of a task of this repository keeps what its right repairs keep, or it would show nothing."""
        for task in load_tasks(ROOT / "tasks"):
            drawn = materialise(task, 0)
            wanted = required_surface(drawn)
            for repair in drawn.repairs.values():
                there = public_surface(apply_overlay(drawn.workspace, repair))
                assert {} == {module: names for module, names in wanted.items() if not set(names) <= set(there[module])}


class TestNothingEdited:
    def test_an_untouched_workspace(self, grade):
        """Nothing was done."""
        assert Mode.NO_CHANGE is grade().outcome.mode

    @pytest.mark.parametrize("name", ["notes.txt", "fix.patch", "tests/test_more.py"])
    def test_work_where_nothing_is_judged_is_no_draft(self, grade, name):
        """Notes, a patch or a new test beside untouched code are no draft of a repair."""
        assert Mode.NO_DRAFT is grade(**{name: "text\n"}).outcome.mode

    def test_the_agents_own_files_and_leavings_of_tools_are_no_work(self, workspace, variant, grade):
        """A trace file that the agent file names and a runner's cache do not make a draft aside."""
        (workspace / ".pytest_cache").mkdir()
        (workspace / "trace.json").write_text("{}")
        graded = grade()

        assert Mode.NO_CHANGE is again(variant, graded, own_files=("trace.json",)).mode
        assert Mode.NO_DRAFT is again(variant, graded).mode

    def test_a_question(self, variant, grade):
        """An untouched workspace and a question at the end is a question, whatever else was written."""
        outcome = again(variant, grade(**{"notes.txt": "x"}), last_message="I looked.\nShould each order count once?\n")

        assert (Mode.ASKED_A_QUESTION, "Should each order count once?") == (outcome.mode, outcome.evidence.question)

    def test_a_question_after_an_edit_is_none(self, variant, grade):
        """Who edits and asks is judged by the edit."""
        outcome = again(variant, grade(**{TOTAL: BASELINE + "# seen\n"}), last_message="Is that right?")

        assert (Mode.DEFECT_REMAINS, "") == (outcome.mode, outcome.evidence.question)

    @pytest.mark.parametrize(
        ("message", "found"),
        [
            ("Which one?", "Which one?"),
            ('He asked: **"Which one?"**\n\n', 'He asked: **"Which one?'),
            ("\u54ea\u4e2a\uff1f", "\u54ea\u4e2a\uff1f"),
            ("Which one? I took the first.", ""),
            ("Which one?\nI took the first.", ""),
            ("", ""),
        ],
    )
    def test_the_rule_for_questions(self, message, found):
        """Only the last line counts, and only its end."""
        assert found == question_in(message)


class TestOthers:
    def test_the_agents_limit(self, grade):
        """A last tree that does not pass when time is up is called after the limit; one that passes is repaired."""
        failed, passed = grade(limit=True, **{TOTAL: "x = 1\n"}).outcome, grade(limit=True, **{TOTAL: REFERENCE}).outcome

        assert (Mode.LIMIT_REACHED, StatusClass.LIMIT) == (failed.mode, failed.status)
        assert (Mode.REPAIRED, StatusClass.LIMIT) == (passed.mode, passed.status)

    def test_infrastructure_says_what_the_harness_observed(self):
        """The harness's own words stand in the record, and no evidence about the candidate."""
        outcome = faulted("fork failed")

        assert (Mode.INFRASTRUCTURE, "fork failed", None) == (outcome.mode, outcome.note, outcome.evidence)

    def test_a_record_without_evidence_keeps_its_bytes(self):
        """Records from before evidence was gathered stay canonical: an empty field leaves no trace in them."""
        assert b"evidence" not in faulted("x").canonical()
        assert b"{}" == Evidence().canonical()


def again(variant, graded, **more):
    checks = [outline.id for outline in variant.task.checks]
    return classify(
        graded.findings, graded.candidate, required_checks=checks, required_tests=variant.public_tests, limit=False, **more
    )
