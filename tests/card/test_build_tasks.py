"""The card of a task."""

import dataclasses
from datetime import date

import factories
import pytest

from faultline.card import build_card
from faultline.kinds import AgentKind, digest_bytes

SMALL = factories.small()


def card_of(benchmark, name="task-00"):
    return next(card for card in build_card(benchmark).tasks if card.id == name)


def test_what_an_agent_is_given():
    """
    Issue, files and public tests are those of the first skin, without the copy of the issue in the workspace.
    """
    card = card_of(SMALL)

    assert "The numbers of task-00 look too good.\n" == card.issue
    assert ["README.md", "pkg/split.py", "tests/test_all.py"] == [file.path for file in card.files]
    assert ("def split(patients):\n    return patients\n", 2) == (card.files[1].text, card.files[1].lines)
    assert digest_bytes(b"A patient table.\n") == card.files[0].sha256
    assert factories.PUBLIC == card.public_tests


def test_ranges_are_shown():
    """
    Parameters are shown with the range that they are drawn from.
    """
    assert {"kind": "plain, odd", "rows": "3 to 3000000"} == card_of(SMALL).parameters


def test_checks_are_outlined():
    """
    A hidden check is shown by name, requirement and codes.
    """
    check = card_of(SMALL).checks[0]

    assert ("rows_stay", "What rows_stay requires.", ("ROWS_LOST",)) == (check.id, check.requirement, check.codes)


def test_proved_validity():
    """
    A validity run of the current form is shown with each control's expectation and what was seen.
    """
    validity = card_of(SMALL).validity
    rows = {row.name: row for row in validity.controls}

    assert ("valid", "validity-1", 90, 3, 3, 2, 0, ()) == (
        validity.state,
        validity.run,
        validity.trials,
        validity.variants,
        validity.repetitions,
        validity.hash_seeds,
        validity.flips,
        validity.problems,
    )
    assert ["baseline", "reference", "valid-other", "wrong-guess", "wrong-half"] == list(rows)
    assert ("failed", "ROWS_LOST", True) == (rows["baseline"].expected, rows["baseline"].expected_code, rows["baseline"].holds)
    assert ("passed", None, 18, 18) == (
        rows["reference"].expected,
        rows["reference"].expected_code,
        rows["reference"].planned,
        rows["reference"].as_expected,
    )


def test_another_form_is_unproven():
    """
    When a byte of the task changed, its validity run says nothing any more, and the run says which task is stale.
    """
    tasks = (dataclasses.replace(SMALL.tasks[0], digest=digest_bytes(b"later")), SMALL.tasks[1])
    changed = dataclasses.replace(SMALL, tasks=tasks)

    assert ("unproven", None) == (card_of(changed).validity.state, card_of(changed).validity.run)
    assert [("task-00",), ("task-00",)] == [run.stale_tasks for run in build_card(changed).runs]


def test_a_wrong_repair_killed_by_an_import_error_does_not_hold():
    """
    A repair that does not import proves nothing about the check that should catch it.
    """

    def ending(cell):
        return factories.failed("IMPORT_FAILED") if cell.agent == "wrong-half" else factories.control_ending(cell)

    benchmark = factories.benchmark(SMALL.tasks, [factories.validity_run(SMALL.tasks, ending=ending)])
    validity = card_of(benchmark).validity

    assert "invalid" == validity.state
    assert (
        "wrong-half must fail with ROWS_LOST and did not in 18 of 18 trials (IMPORT_FAILED by rows_stay).",
    ) == validity.problems


def test_audits_say_whether_they_are_current():
    """
    An audit of an earlier form is shown as such, newest first.
    """
    task = factories.audited(factories.task("one"), ["Bea"], audited_at=date(2026, 1, 1), task_digest=digest_bytes(b"old"))
    task = factories.audited(task, ["Cy"], audited_at=date(2026, 2, 2))
    audits = card_of(factories.benchmark([task]), "one").audits

    assert [("Cy", True), ("Bea", False)] == [(audit.auditor, audit.current) for audit in audits]


def test_corrections_are_newest_first():
    """
    The history of a task begins with its newest correction.
    """
    task = factories.task(
        "one", corrections=[factories.correction("older", date(2025, 1, 1)), factories.correction("newer", date(2026, 1, 1))]
    )

    assert ["newer", "older"] == [item.id for item in card_of(factories.benchmark([task]), "one").corrections]


@pytest.mark.parametrize("kind", [AgentKind.COMMAND, AgentKind.NO_OP])
def test_trials_of_evaluations_in_order(kind):
    """
    A task lists the trials of evaluations, oldest run first and each in the order of its plan, and none of a validity run.
    """
    late = factories.evaluation_run(SMALL.tasks, "a-late", factories.agent("one", kind), hours=8.0)
    early = factories.evaluation_run(SMALL.tasks, "z-early", factories.agent("two", kind), hours=7.0)
    rows = card_of(factories.benchmark(SMALL.tasks, [late, early, SMALL.runs[0]])).trials

    assert ["z-early"] * 9 + ["a-late"] * 9 == [row.run for row in rows]
    assert "task-00.clinic-0000.two.0" == rows[0].anchor


def test_every_failure_class_is_listed():
    """
    Classes without a task are listed too, with nothing in them.
    """
    classes = {card.id: card.tasks for card in build_card(SMALL).failure_classes}

    assert ("task-00", "task-01") == classes["entity-leakage"]
    assert () == classes["randomness"]


def test_a_check_that_nothing_kills_is_named():
    """
    A hidden check that no wrong repair fails is on the card by its id, and a task without a run names none.
    """
    validated = card_of(factories.benchmark(SMALL.tasks, [factories.validity_run(SMALL.tasks)])).validity
    unproven = card_of(factories.benchmark(SMALL.tasks)).validity

    assert ((factories.CHECKS[1],), "valid") == (validated.unkilled, validated.state)
    assert () == unproven.unkilled
