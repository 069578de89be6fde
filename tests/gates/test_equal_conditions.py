"""G13: one protocol for every agent, and agents that say what they are."""

import factories
import pytest

from faultline.gates import gather
from faultline.gates.equal_conditions import GATE, protocol_differences
from faultline.kinds import RetryPolicy, SandboxLevel
from faultline.records import Retry, not_applicable, not_run, unknown

FULL = factories.full()
TINKER, MENDER = FULL.runs[1:3]


def manifest_with(**changes):
    """Return the full benchmark with another manifest of the second evaluation."""
    return factories.read_again(FULL, factories.remanifest(MENDER, **changes))


def provenance(**changes):
    return MENDER.manifest.provenance.model_copy(update=changes)


def limits(**changes):
    pins = MENDER.manifest.tasks
    return (pins[0].model_copy(update={"limits": pins[0].limits.model_copy(update=changes)}), *pins[1:])


def test_no_evaluation_of_an_agent(ask):
    """
    Without an agent there is nothing to compare.
    """
    assert "not-run" == ask(GATE, factories.benchmark(FULL.tasks, FULL.runs[:1])).outcome


def test_one_protocol_holds(ask):
    """
    Two agents under one protocol hold.
    """
    assert ("pass", "2", "2") == (ask(GATE, FULL).outcome, ask(GATE, FULL).observed, ask(GATE, FULL).needed)


UNEQUAL = {
    "memory": ({"tasks": limits(memory_mib=4_096)}, "limits of task-00 (memory_mib 2048 and 4096)"),
    "time of the task": ({"tasks": limits(agent_seconds=600.0)}, "limits of task-00 (agent_seconds 60.0 and 600.0)"),
    "time of its own": ({"agents": (factories.agent("mender", seconds=30.0),)}, "time for task-00 (60 s and 30 s)"),
    "network": ({"agents": (factories.agent("mender", network="allow"),)}, "network (none and allow)"),
    "processors": (
        {"provenance": provenance(environment={"system": "none", "processors": "64"})},
        "host, processors (not told and 64)",
    ),
    "versions": ({"provenance": provenance(versions={"python": "3.12"})}, "version of python (3.11 and 3.12)"),
    "attempts": (
        {"retry": Retry(policy=RetryPolicy.TRANSPORT_ONLY, max_attempts=9)},
        "retry policy (transport-only, 2 and transport-only, 9)",
    ),
}


@pytest.mark.parametrize("what", UNEQUAL)
def test_unequal_conditions(shut, what):
    """
    Whatever differs between two evaluations is named with both values, by this gate alone.
    """
    changes, words = UNEQUAL[what]
    found = shut(manifest_with(**changes))

    assert ["G13"] == list(found)
    assert f"evaluation-2: equal conditions: evaluation-1 and evaluation-2: {words}" in found["G13"]


def test_sandboxes_of_installed_packages_are_told_apart():
    """
    Two forms of one package are two sandboxes, though their level is one word.
    """
    outside = [{"sandbox": SandboxLevel.EXTERNAL, "external": factories.jail(version)} for version in ("1.0", "2.0")]
    runs = [factories.remanifest(run, **given) for run, given in zip((TINKER, MENDER), outside, strict=True)]
    (found,) = protocol_differences(*gather(factories.benchmark(FULL.tasks, runs)).runs)

    assert "sandbox (external: jail of jail-package 1.0 (" in found
    assert " and external: jail of jail-package 2.0 (" in found


def test_more_trials_for_one_agent(shut):
    """
    An agent with more trials of each variant was tried under another plan.
    """
    more = factories.evaluation_run(
        FULL.tasks, "evaluation-2", factories.agent("mender"), lambda _: factories.passed(), trials=4, hours=3.0
    )

    assert "trials a case (3 and 4)" in shut(factories.read_again(FULL, more))["G13"]


def again(trial, **changes):
    """Return a trial with a second attempt after its first."""
    first = trial.last.model_copy(update={"number": 1} | changes)
    return trial.model_copy(
        update={"attempts": (first, trial.last.model_copy(update={"number": 2, "artifacts": trial.last.artifacts}))}
    )


TRIALS = {
    "another sandbox": (
        lambda t: t.model_copy(update={"sandbox": SandboxLevel.CONTAINER}),
        "the planned sandbox bubblewrap; where it was judged: container",
    ),
    "no sandbox told": (
        lambda t: t.model_copy(update={"sandbox": unknown("lost")}),
        "the planned sandbox bubblewrap; where it was judged: not told",
    ),
    "a try after a verdict": (
        lambda t: again(t, artifacts=()),
        "one verdict: it was tried again after one, which transport-only does not allow",
    ),
    "more attempts than planned": (
        lambda t: t.model_copy(
            update={
                "attempts": tuple(
                    t.last.model_copy(update={"number": n, "end": "faulted" if n < 3 else "judged", "artifacts": ()})
                    for n in (1, 2, 3)
                )
            }
        ),
        "at most 2 attempts, equal for every agent; 3 seen",
    ),
}


@pytest.mark.parametrize("what", TRIALS)
def test_a_trial_that_was_not_made_as_planned(ask, needs, what):
    """
    The records of trials are held against the plan of their own run, and the trial is named.
    """
    change, words = TRIALS[what]
    first = MENDER.trials[0]
    found = ask(GATE, factories.swap(FULL, factories.retrial(MENDER, lambda t: change(t) if t == first else t)))

    assert "fail" == found.outcome
    assert f"evaluation-2: task-00.clinic-0000.mender.0: {words}" in needs(found)


UNTOLD = {
    "no version": ({"version": ""}, "the scaffold version of mender"),
    "no version for a reason that is none": ({"version": not_applicable("none")}, "the scaffold version of mender"),
    "a model without a provider": ({"provider": not_applicable("none")}, "the provider of mender"),
    "a blank model": ({"model": " "}, "the model of mender"),
    "a model that was not run": ({"model": not_run("later")}, "the model of mender"),
}


@pytest.mark.parametrize("what", UNTOLD)
def test_an_agent_that_does_not_say_what_it_is(shut, what):
    """
    A blank is no answer, and neither is an absence that cannot be.
    """
    changes, words = UNTOLD[what]
    found = shut(manifest_with(agents=(factories.agent("mender", **changes),)))

    assert "G13" in found
    assert f"evaluation-2: {words}, or that it is unknown" in found["G13"]


@pytest.mark.parametrize(
    "changes",
    [
        {"model": unknown("not told"), "provider": unknown("not told")},
        {"model": not_applicable("rules"), "provider": not_applicable("rules"), "version": "2"},
    ],
)
def test_unknown_is_an_answer(ask, changes):
    """
    An agent may say that something is unknown, and one without a model has no provider.
    """
    assert "pass" == ask(GATE, manifest_with(agents=(factories.agent("mender", **changes),))).outcome
