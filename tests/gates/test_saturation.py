"""G10: tasks at one end of the scale, and what doing nothing passes."""

from dataclasses import replace

import factories
import pytest

from faultline.gates.saturation import GATE
from faultline.kinds import AgentKind

FULL = factories.full()
TASKS = FULL.tasks
MENDER = FULL.runs[2]


def everybody(passing):
    """Return the full benchmark in which both agents end some number of tasks alike, and the others as usual."""
    names = {task.id for task in TASKS[:passing]}
    first = factories.evaluation_run(
        TASKS, ending=lambda cell: factories.passed() if cell.task in names else factories.half_right(cell)
    )
    return factories.read_again(FULL, first)


def test_no_evaluation_of_an_agent(ask):
    """
    Without an agent nobody knows where the tasks are on the scale.
    """
    assert "not-run" == ask(GATE, factories.benchmark(TASKS, FULL.runs[:1])).outcome


def test_tasks_that_tell_agents_apart_hold(ask):
    """
    Tasks with passes and failures tell agents apart.
    """
    found = ask(GATE, FULL)

    assert ("pass", "20", "") == (found.outcome, found.observed, found.needed)


@pytest.mark.parametrize(("tasks", "outcome"), [(16, "pass"), (17, "fail")])
def test_more_than_four_fifths_at_one_end(ask, tasks, outcome):
    """
    Sixteen of twenty tasks at one end are the most; with one more the benchmark is saturated.
    """
    assert (outcome, str(20 - tasks)) == (ask(GATE, everybody(tasks)).outcome, ask(GATE, everybody(tasks)).observed)


def test_a_saturated_benchmark_is_shut_by_this_gate_alone(shut):
    """
    When every agent passes seventeen of twenty tasks, each is named, and no word tells at which end they are.
    """
    found = shut(everybody(17))

    assert ["G10"] == list(found)
    assert "task-16: trials that tell agents apart: all of them ended alike" in found["G10"]
    assert "pass" not in found["G10"]


def test_a_floor_is_as_bad_as_a_ceiling(shut):
    """
    A benchmark that nobody passes anything of is shut in the same words.
    """
    nobody = [
        factories.evaluation_run(TASKS, name, factories.agent(who), lambda _: factories.failed(), hours=hours)
        for name, who, hours in (("evaluation-1", "tinker", 2.0), ("evaluation-2", "mender", 3.0))
    ]
    found = shut(factories.read_again(FULL, *nobody))

    assert {"G10"} == set(found)
    assert found["G10"] == shut(factories.read_again(FULL, *(_all_passed(run) for run in nobody)))["G10"]


def _all_passed(run):
    return factories.retrial(run, lambda t: t.model_copy(update={"outcome": factories.passed()}))


class TestTrivialAgents:
    @pytest.mark.parametrize("name", ["delete-tests", "random-edit"])
    def test_an_agent_that_repairs_nothing_and_passes(self, shut, name):
        """
        When one of them passes more than one trial in twenty, the tasks that let it through are named.
        """
        letting = factories.trivial_run(
            TASKS, name, lambda cell: factories.passed() if cell.task in ("task-03", "task-04") else factories.failed()
        )
        found = shut(factories.read_again(FULL, letting))

        assert ["G10"] == list(found)
        assert f"task-03: checks that {name}, which repairs nothing, fails" in found["G10"]
        assert "task-05" not in found["G10"]

    def test_one_lucky_pass_in_twenty_is_allowed_and_may_be_forbidden(self, shut):
        """
        A random edit may hit once in twenty trials; a stricter benchmark allows none.
        """
        lucky = factories.trivial_run(
            TASKS, "random-edit", lambda cell: factories.passed() if cell.task == "task-03" else factories.failed()
        )

        assert {} == shut(factories.read_again(FULL, lucky))
        assert ["G10"] == list(shut(factories.read_again(FULL, lucky), {"trivial_pass_share": 0.0}))

    @pytest.mark.parametrize(("place", "name"), [(0, "no-op"), (3, "delete-tests"), (4, "random-edit")])
    def test_losing_the_trials_that_repair_nothing_opens_nothing(self, ask, needs, place, name):
        """
        Without a trial of each of them in its current form a task is named, with the command that makes one.
        """
        found = ask(GATE, replace(FULL, runs=(*FULL.runs[:place], *FULL.runs[place + 1 :])))

        assert "fail" == found.outcome
        assert f"task-00: a trial of {name}, which repairs nothing, in its current form: faultline run {name}" in needs(found)

    def test_a_name_is_not_enough(self, ask, needs):
        """
        Another kind of agent under the name of a trivial one does not count.
        """
        disguised = factories.evaluation_run(
            TASKS, "delete-tests-1", factories.agent("delete-tests", AgentKind.CONTROL), variants=1, trials=1, hours=1.5
        )

        assert "a trial of delete-tests" in needs(ask(GATE, factories.swap(FULL, disguised)))
