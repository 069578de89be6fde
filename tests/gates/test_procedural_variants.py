"""G2: holdout or procedural variants."""

import factories

from faultline.gates.procedural_variants import GATE
from faultline.records import Skin

TASKS = factories.small_tasks()


def test_no_task(ask):
    """
    Without a task the question has not been asked.
    """
    assert "not-run" == ask(GATE, factories.benchmark()).outcome


def test_unproven_tasks_have_no_variants(ask):
    """
    Variants that exist on paper and were never run do not count.
    """
    found = ask(GATE, factories.benchmark(TASKS))

    assert ("fail", "0", "2") == (found.outcome, found.observed, found.needed)


def test_three_variants_of_every_family_hold(ask):
    """
    Three distinct variants in the validity run are enough while no agent was evaluated, and the result admits that there is no holdout.
    """
    found = ask(GATE, factories.benchmark(TASKS, [factories.validity_run(TASKS)]))

    assert "pass" == found.outcome
    assert "No protected holdout exists" in found.saw


def test_two_variants_are_too_few(ask, needs):
    """
    A validity run on two variants leaves the families short.
    """
    found = ask(GATE, factories.benchmark(TASKS, [factories.validity_run(TASKS, variants=2)]))

    assert "fail" == found.outcome
    assert "task-00: 3 distinct variants in its validity run; 2 seen" in needs(found)


def test_variants_under_other_names_are_one(ask, needs):
    """
    Skins that rename nothing that occurs, with the same parameters, are one variant.
    """
    skins = [Skin(name=name, rename={}) for name in ("one", "two", "three")]
    task = factories.task(skins=skins)
    run = factories.validity_run([task])
    pins = tuple(
        pin.model_copy(update={"variants": tuple(v.model_copy(update={"parameters": {"rows": 5}}) for v in pin.variants)})
        for pin in run.manifest.tasks
    )
    found = ask(GATE, factories.benchmark([task], [factories.remanifest(run, tasks=pins)]))

    assert "fail" == found.outcome
    assert "1 seen" in needs(found)


def test_an_agent_that_saw_one_variant(ask, needs):
    """
    An evaluation on the public form alone keeps the gate shut, although the tasks have variants.
    """
    runs = [factories.validity_run(TASKS), factories.evaluation_run(TASKS, variants=1)]
    found = ask(GATE, factories.benchmark(TASKS, runs))

    assert "fail" == found.outcome
    assert "evaluation-1: 3 distinct variants of task-00; 1 seen" in needs(found)
