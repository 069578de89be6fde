"""G9: what the design can find, paired intervals, ranges of ranks."""

import factories
import pytest

from faultline.gates import gather
from faultline.gates.resolution import GATE, _table
from faultline.statistics import rank_confidence_sets

FULL = factories.full()


def test_no_evaluation_of_an_agent(ask):
    """
    Controls alone are not ranked: the gate has not been asked.
    """
    assert "not-run" == ask(GATE, factories.benchmark(FULL.tasks, FULL.runs[:1])).outcome


def test_twenty_families_with_three_trials_are_just_enough(ask):
    """
    The floors of G1 and G3 together find a difference of 29.5 points, and the number is printed.
    """
    found = ask(GATE, FULL)

    assert ("pass", "29.5", "30.0") == (found.outcome, found.observed, found.needed)
    assert "a true difference of 29.5 points between two agents would be found 80 times in 100" in found.saw


def test_no_result_enters_what_is_shown(ask):
    """
    With all results of both agents exchanged, every word of the gate is the same.
    """
    other = factories.benchmark(
        FULL.tasks,
        [
            FULL.runs[0],
            factories.evaluation_run(FULL.tasks, ending=lambda _: factories.passed()),
            factories.evaluation_run(FULL.tasks, "evaluation-2", factories.agent("mender"), hours=3.0),
        ],
    )

    assert ask(GATE, FULL) == ask(GATE, other)


@pytest.mark.parametrize(
    ("families", "trials", "found"),
    [(19, 3, "30.3"), (2, 3, "93.4"), (20, 1, "41.8")],
)
def test_too_small_a_design(ask, needs, families, trials, found):
    """
    Fewer families or trials than the floors find only larger differences, and the gate says which.
    """
    tasks = FULL.tasks[:families]
    result = ask(GATE, factories.benchmark(tasks, [factories.evaluation_run(tasks, trials=trials)]))

    assert ("fail", found) == (result.outcome, result.observed)
    assert f"more task families: {families} with {trials} trials of each variant find {found} points" in needs(result)


def test_a_family_that_one_agent_did_not_try_is_not_shared(ask):
    """
    Only families that every evaluation tried count in the design.
    """
    part = factories.evaluation_run(FULL.tasks[:10], "evaluation-2", factories.agent("mender"), hours=3.0)
    result = ask(GATE, factories.benchmark(FULL.tasks, [FULL.runs[0], FULL.runs[1], part]))

    assert ("fail", "41.8") == (result.outcome, result.observed)


def test_a_stricter_benchmark_asks_for_more(shut):
    """
    A benchmark that wants to find 20 points is told that it has too few families, by this gate alone.
    """
    assert ["G9"] == list(shut(FULL, {"detectable_difference": 0.2}))


def test_agents_without_a_range_or_an_interval_are_named(ask, needs):
    """
    From one family there is no paired interval, and the pair is named without a number about it.
    """
    tasks = [factories.task("one", family="same"), factories.task("two", family="same")]
    runs = [
        factories.evaluation_run(tasks),
        factories.evaluation_run(tasks, "evaluation-2", factories.agent("mender"), hours=3.0),
    ]
    result = ask(GATE, factories.benchmark(tasks, runs))

    assert "evaluation-1: a paired interval for mender and tinker: one task, or one template" in needs(result)


def test_agents_that_are_alike_share_every_rank():
    """
    Two agents with the same results are a tie: each may have either rank, and neither is the best.
    """
    same = factories.evaluation_run(FULL.tasks, "evaluation-2", factories.agent("mender"), hours=3.0)
    table = _table(gather(factories.benchmark(FULL.tasks, [FULL.runs[1], same])))

    assert [(1, 2), (1, 2)] == [(item.low, item.high) for item in rank_confidence_sets(table)]
