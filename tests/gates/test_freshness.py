"""G14: results that may still be used."""

from dataclasses import replace
from datetime import date

import factories
import pytest

from faultline.gates.freshness import GATE

FULL = factories.full()
TASKS = FULL.tasks


def test_no_evaluation_of_an_agent(ask):
    """
    Without an evaluation there is nothing to keep fresh.
    """
    assert "not-run" == ask(GATE, factories.benchmark(TASKS, FULL.runs[:1])).outcome


def test_results_that_are_still_valid_hold_and_say_until_when(ask):
    """
    Before the day that the settings name the gate holds, and the day is printed.
    """
    found = ask(GATE, FULL)

    assert ("pass", "20") == (found.outcome, found.observed)
    assert "the results may be used until 2026-12-31" in found.saw


DAYS = {
    "no day": ({"valid_until": None}, "a day in [tool.faultline], not after 2027-03-02: valid_until = 2027-03-02"),
    "a day that has passed": ({"read_on": date(2027, 1, 1)}, "they were until 2026-12-31"),
    "a day too far off": ({"valid_until": date(2099, 1, 1)}, "a day not after 2027-03-02, 366 days from the oldest evaluation"),
}


@pytest.mark.parametrize("what", DAYS)
def test_days_that_do_not_hold(shut, what):
    """
    No day, one that has passed, or one too far from the oldest evaluation: this gate alone does not hold and says what to set.
    """
    changes, words = DAYS[what]
    found = shut(replace(FULL, **changes))

    assert ["G14"] == list(found)
    assert f"valid_until: {'results that are still valid: ' if 'passed' in what else ''}{words}" in found["G14"]


def test_the_last_day_still_counts(ask):
    """
    On the day itself the results may be used.
    """
    assert "pass" == ask(GATE, replace(FULL, read_on=date(2026, 12, 31))).outcome


def test_a_stricter_benchmark_allows_fewer_days(shut):
    """
    A policy of thirty days refuses a day at the end of the year.
    """
    assert ["G14"] == list(shut(FULL, {"valid_days": 30}))


class TestChanges:
    @staticmethod
    def corrected(**changes):
        entry = factories.correction().model_copy(update={"after_digest": TASKS[0].digest} | changes)
        return replace(FULL, tasks=(replace(TASKS[0], corrections=(entry,)), *TASKS[1:]))

    def test_a_history_that_ends_in_the_task_holds(self, ask):
        """
        An entry before the audits that ends in the task as it is asks for nothing.
        """
        assert "pass" == ask(GATE, self.corrected()).outcome

    def test_a_change_that_no_entry_tells_of(self, shut):
        """
        When the last entry ends in another form, the task changed once more and nobody wrote it down.
        """
        found = shut(self.corrected(after_digest=factories.correction().after_digest))

        assert ["G14"] == list(found)
        assert "task-00: an entry in corrections.toml for its last change: first-correction" in found["G14"]

    def test_a_history_that_was_deleted(self, shut):
        """
        The second version of a task has an entry; without it the gate is shut, so that deleting the history opens nothing.
        """
        definition = TASKS[0].definition.model_copy(update={"version": 3})
        found = shut(replace(FULL, tasks=(replace(TASKS[0], definition=definition), *TASKS[1:])))

        assert ["G14"] == list(found)
        assert "task-00: 2 more entries in corrections.toml: this is version 3" == found["G14"]

    def test_results_of_an_earlier_form_are_history(self, ask):
        """
        Once a task changed, evaluations of what it was are no results any more.
        """
        changed = replace(TASKS[0], digest=factories.correction().after_digest)
        found = ask(GATE, replace(FULL, tasks=(changed, *TASKS[1:])))

        assert "not-run" == found.outcome
        assert "2 runs of earlier forms of the tasks are history" in found.saw

    def test_an_audit_from_before_the_change(self, shut):
        """
        An audit of this very form that is older than the correction which made it cannot be one.
        """
        found = shut(self.corrected(corrected_at=date(2026, 3, 5)))

        assert ["G14"] == list(found)
        assert "task-00: an audit since 2026-03-05, when it was corrected: that of 2026-03-02 is older" in found["G14"]


class TestEnds:
    @staticmethod
    def alike(*, audited_at):
        """Return the full benchmark in which every trial of one task passed, with audits of some day."""
        first = factories.evaluation_run(
            TASKS, ending=lambda cell: factories.passed() if cell.task == "task-00" else factories.half_right(cell)
        )
        task = factories.audited(replace(TASKS[0], audits=()), audited_at=audited_at)
        return factories.read_again(replace(FULL, tasks=(task, *TASKS[1:])), first)

    def test_a_task_that_all_trials_end_alike_on_is_audited_again(self, shut):
        """
        With audits from before the results only, the task is named, and not how its trials ended.
        """
        found = shut(self.alike(audited_at=date(2026, 2, 1)))

        assert ["G14"] == list(found)
        assert "task-00: an audit since 2026-03-01 by 1 more person: all trials on it ended alike" == found["G14"]

    def test_an_audit_after_the_results_is_enough(self, shut):
        """
        Once somebody audited it after the newest result, it may stay.
        """
        assert {} == shut(self.alike(audited_at=date(2026, 3, 1)))
