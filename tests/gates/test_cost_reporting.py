"""G4: cost, latency and invalid trials."""

from decimal import Decimal

import factories
import pytest
from pydantic import ValidationError

from faultline.gates.cost_reporting import GATE
from faultline.kinds import AgentKind
from faultline.records import Cost, Timing, Usage, not_applicable, not_run, unknown

SMALL = factories.small()
TASKS = SMALL.tasks
EVALUATION = SMALL.runs[1]


def changed(share, **fields):
    """Return the small benchmark with the attempts of a share of the evaluation's trials changed."""
    wanted = {trial.key for trial in EVALUATION.trials[: round(share * len(EVALUATION.trials))]}

    def change(trial):
        if trial.key not in wanted:
            return trial
        return trial.model_copy(update={"attempts": (trial.attempts[0].model_copy(update=fields),)})

    return factories.swap(SMALL, factories.retrial(EVALUATION, change))


def usage(**fields):
    base = {
        "uncached_input": 9,
        "cache_read": 1,
        "cache_write": 0,
        "output": 5,
        "reasoning": 0,
        "requests": 1,
        "source": "native",
    }
    return Usage(**(base | fields))


def test_no_evaluation_of_an_agent(ask):
    """
    Controls cost nothing, so without an agent there is nothing to report.
    """
    control = factories.evaluation_run(TASKS, who=factories.agent("no-op", AgentKind.NO_OP))

    assert "not-run" == ask(GATE, factories.benchmark(TASKS, [control])).outcome


def test_everything_measured_holds(ask):
    """
    Positive cost, time and tokens of every attempt hold.
    """
    found = ask(GATE, SMALL)

    assert ("pass", "100 %", "95 %") == (found.outcome, found.observed, found.needed)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"cost": Cost(usd=Decimal(0), source="x", complete=True)}, "cost: 0 is no measurement"),
        ({"timing": Timing(setup=0.0, agent=0.0, grading=1.0)}, "agent time: 0 is no measurement"),
        ({"usage": usage(output=0)}, "output tokens: 0 is no measurement"),
        ({"usage": usage(uncached_input=0, cache_read=0)}, "uncached_input tokens: 0 is no measurement"),
    ],
)
def test_zero_is_no_measurement(ask, needs, fields, words):
    """
    A cost, a time or a token count of zero is named with its trial, even in a single trial.
    """
    found = ask(GATE, changed(1 / 18, **fields))

    assert "fail" == found.outcome
    assert f"evaluation-1: task-00.clinic-0000.tinker.0: {words}" in needs(found)


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("Infinity"), Decimal(-1)])
def test_no_record_can_hold_an_impossible_amount(value):
    """
    NaN, infinity and negative amounts cannot be written into a record at all.
    """
    with pytest.raises(ValidationError):
        Cost(usd=value, source="x", complete=True)


@pytest.mark.parametrize("fields", [{"usage": usage()}, {"usage": usage(uncached_input=0, cache_read=500)}])
def test_zero_of_a_part_is_a_measurement(ask, fields):
    """
    Nothing cached, nothing reasoned, or everything cached are possible and measured.
    """
    assert "pass" == ask(GATE, changed(1, **fields)).outcome


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"cost": unknown("not told")}, "cost: unknown for 2 of 18 attempts"),
        ({"cost": Cost(usd=Decimal(1), source="x", complete=False)}, "cost: unknown for 2 of 18 attempts"),
        ({"usage": unknown("not told")}, "output tokens: unknown for 2 of 18 attempts"),
        ({"timing": Timing(setup=unknown("x"), agent=unknown("x"), grading=1.0)}, "agent time: unknown for 2 of 18 attempts"),
        ({"cost": not_applicable("we say so")}, "cost: unknown for 2 of 18 attempts"),
        ({"cost": not_run("we say so")}, "cost: unknown for 2 of 18 attempts"),
    ],
)
def test_unknown_is_capped(ask, needs, fields, words):
    """
    More than 5 % unknown is too much, and no other word for unknown helps an agent that has a model.
    """
    found = ask(GATE, changed(2 / 18, **fields))

    assert ("fail", "88.9 %") == (found.outcome, found.observed)
    assert words in needs(found)


def test_a_little_unknown_is_honest(ask):
    """
    Below the cap an explicit unknown holds; under a stricter policy it does not.
    """
    run = factories.evaluation_run(TASKS, trials=4)
    run = factories.retrial(
        run,
        lambda t: (
            t.model_copy(update={"attempts": (t.attempts[0].model_copy(update={"cost": unknown("x")}),)})
            if t == run.trials[0]
            else t
        ),
    )
    benchmark = factories.benchmark(TASKS, [run])

    assert "pass" == ask(GATE, benchmark).outcome
    assert "fail" == ask(GATE, benchmark, {"unknown_share": 0.01}).outcome


def test_an_agent_without_a_model_has_no_tokens(ask):
    """
    Money and tokens do not apply to an agent that has no model; its time does.
    """
    nothing = not_applicable("no model")
    run = factories.evaluation_run(TASKS, who=factories.agent("rules", model=nothing, provider=nothing))

    def without(trial, **fields):
        return trial.model_copy(
            update={"attempts": (trial.attempts[0].model_copy(update={"usage": nothing, "cost": nothing} | fields),)}
        )

    timeless = {"timing": Timing(setup=0.1, agent=nothing, grading=0.1)}

    assert "pass" == ask(GATE, factories.benchmark(TASKS, [factories.retrial(run, without)])).outcome
    assert "fail" == ask(GATE, factories.benchmark(TASKS, [factories.retrial(run, lambda t: without(t, **timeless))])).outcome


def test_an_attempt_that_never_began_measures_nothing(ask):
    """
    An attempt that a fault of the harness ended before the agent began has nothing to measure.
    """
    nothing = not_run("the sandbox did not start")
    fault = factories.attempt(
        "fault",
        start=factories.at(5),
        end="faulted",
        usage=nothing,
        cost=nothing,
        timing=Timing(setup=0.1, agent=nothing, grading=nothing),
        artifacts=(),
        observed="fork failed",
    )

    def retried(trial):
        return trial.model_copy(update={"attempts": (fault, trial.attempts[0].model_copy(update={"number": 2}))})

    assert "pass" == ask(GATE, factories.swap(SMALL, factories.retrial(EVALUATION, retried))).outcome


@pytest.mark.parametrize(("note", "outcome"), [("fork failed", "pass"), ("", "fail")])
def test_invalid_trials_say_what_was_observed(ask, note, outcome):
    """
    A trial without a verdict is reported with what the harness observed; relabelling a failure leaves no such note.
    """
    first = EVALUATION.trials[0].key
    run = factories.retrial(
        EVALUATION, lambda t: t.model_copy(update={"outcome": factories.invalid(note)}) if t.key == first else t
    )

    assert outcome == ask(GATE, factories.swap(SMALL, run)).outcome


def test_a_dropped_record_is_missed(ask, needs):
    """
    Planned trials without a record have neither cost nor time.
    """
    run = factories.retrial(EVALUATION, lambda t: None if t == EVALUATION.trials[3] else t)

    assert "1 planned trial without a record" in needs(ask(GATE, factories.swap(SMALL, run)))
