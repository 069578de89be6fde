"""What a run's records say about whether its trials were independent draws."""

import random
from dataclasses import replace

import factories
import pytest

from faultline.gates import gather
from faultline.gates.instrument import diagnose
from faultline.gates.repeated_trials import GATE
from faultline.kinds import AgentKind
from faultline.records import not_applicable, unknown

SMALL = factories.small()
TASKS = SMALL.tasks
VALIDITY, EVALUATION = SMALL.runs


def findings(*runs):
    """Return the findings about the last of some runs, by id."""
    facts = gather(factories.benchmark(TASKS, [VALIDITY, *runs]))
    return {finding.id: finding for finding in diagnose(facts.runs[-1], facts)}


def last(trial, **changes):
    """Return a trial whose attempt that counts is changed."""
    return trial.model_copy(update={"attempts": (*trial.attempts[:-1], trial.last.model_copy(update=changes))})


def coin(seed, share=0.5):
    """Return an ending that is drawn for each trial."""
    rng = random.Random(seed)
    return lambda _: factories.passed() if rng.random() < share else factories.failed()


def test_an_honest_run_has_no_red_finding():
    """Trials that are drawn one by one leave notes only, but for the made-up times and costs that are all the same."""
    found = findings(factories.evaluation_run(TASKS, ending=coin(5), trials=6))

    assert {"constant-cost", "constant-latency"} == {name for name, item in found.items() if item.severity != "note"}
    assert "pass 0: " in found["outcome-mix"].saw


@pytest.mark.parametrize("field", ["requests", "output"])
def test_a_model_that_did_nothing(ask, needs, field):
    """A trial without a model request or an output token is red, a pass of that kind twice over, and G3 does not hold."""
    idle = factories.retrial(EVALUATION, lambda trial: last(trial, usage=trial.last.usage.model_copy(update={field: 0})))
    found = findings(idle)
    result = ask(GATE, factories.benchmark(TASKS, [VALIDITY, idle]))

    assert ("red", "red") == (found["no-model-step"].severity, found["passed-without-model"].severity)
    assert "fail" == result.outcome
    assert "no model step or no output token" in needs(result)


def test_an_agent_without_a_model_may_use_none():
    """A program that says that it uses no model is not idle; one that does not tell leaves a question."""
    nothing = factories.retrial(EVALUATION, lambda trial: last(trial, usage=not_applicable("no model")))
    silent = factories.retrial(EVALUATION, lambda trial: last(trial, usage=unknown("not recorded")))

    assert {"usage-unknown"} & set(findings(nothing)) == set()
    assert "amber" == findings(silent)["usage-unknown"].severity


def test_transcripts_that_repeat(ask):
    """One transcript for several trials of a model is a cache and red; a program without a model may well repeat itself."""
    trace = EVALUATION.trials[0].last.artifacts[0].sha256

    def repeat(trial, **more):
        same = tuple(item.model_copy(update={"sha256": trace}) for item in trial.last.artifacts)
        return last(trial, artifacts=same, **more)

    cached = factories.retrial(EVALUATION, repeat)
    program = factories.retrial(EVALUATION, lambda trial: repeat(trial, usage=not_applicable("no model")))

    assert "red" == findings(cached)["identical-transcripts"].severity
    assert "17 of 18 trials" in findings(cached)["identical-transcripts"].saw
    assert "note" == findings(program)["identical-transcripts"].severity
    assert "fail" == ask(GATE, factories.benchmark(TASKS, [VALIDITY, cached])).outcome


def test_a_flat_line(ask):
    """Cases that flip while every pass has one and the same total are red: chance does not do that."""
    places = {}

    def replay(cell):
        case = places.setdefault((cell.task, cell.variant), len(places))
        return factories.passed() if (case + cell.trial) % 10 < 5 else factories.failed()

    tasks = factories.small_tasks(10)
    run = factories.evaluation_run(tasks, ending=replay, trials=10)
    facts = gather(factories.benchmark(tasks, [run]))

    assert "red" == diagnose(facts.runs[0], facts)[0].severity
    assert "flat-line" == diagnose(facts.runs[0], facts)[0].id
    assert "fail" == ask(GATE, factories.benchmark(tasks, [run])).outcome


def test_passes_that_drift():
    """Passes that move all cases at once are amber."""
    run = factories.evaluation_run(
        TASKS, ending=lambda cell: factories.passed() if cell.trial < 3 else factories.failed(), trials=6
    )

    assert "amber" == findings(run)["drift"].severity


def test_cases_that_stopped_flipping():
    """Cases that flipped before and never do now are red; the earlier run is the history, by digests."""
    before = factories.evaluation_run(TASKS, "evaluation-0", ending=coin(1), trials=10, hours=1.5)
    now = factories.evaluation_run(TASKS, ending=lambda _: factories.passed(), trials=5)

    assert "red" == findings(before, now)["flip-count"].severity
    assert "note" == findings(before, factories.evaluation_run(TASKS, ending=coin(2), trials=5))["flip-count"].severity


def test_another_agent_is_no_history():
    """Runs of another agent do not foretell flips."""
    before = factories.evaluation_run(TASKS, "evaluation-0", factories.agent("mender"), coin(1), trials=10, hours=1.5)

    assert "flip-count" not in findings(before, factories.evaluation_run(TASKS, trials=5))


def test_controls_must_not_flip():
    """For controls the lack of variation is what must be, and no task is said to be too easy or too hard."""
    facts = gather(factories.benchmark(TASKS, [VALIDITY]))
    found = {finding.id: finding for finding in diagnose(facts.runs[0], facts)}

    assert "Controls must not flip" in found["dispersion-not-estimable"].saw
    assert set() == {"always-passed", "never-passed", "usage-unknown"} & set(found)


def test_tasks_that_say_nothing():
    """Tasks that every trial or no trial passed are noted by name."""
    run = factories.evaluation_run(
        TASKS, ending=lambda cell: factories.passed() if cell.task == "task-00" else factories.failed()
    )
    found = findings(run)

    assert ("1 of 2 tasks: task-00.", "1 of 2 tasks: task-01.") == (found["always-passed"].saw, found["never-passed"].saw)


def test_a_pass_that_lost_its_verdicts():
    """A pass that lost far more verdicts than the others is amber."""
    run = factories.evaluation_run(
        factories.small_tasks(), ending=lambda cell: factories.invalid() if cell.trial == 1 else factories.passed(), trials=4
    )

    assert "amber" == findings(run)["outcome-mix"].severity


def test_an_agent_that_is_a_control_has_no_model():
    """Controls are never asked for model steps."""
    run = factories.evaluation_run(
        TASKS, who=factories.agent("reference", AgentKind.REFERENCE), ending=lambda _: factories.passed()
    )

    assert {"dispersion-not-estimable", "outcome-mix"} == set(findings(run))


def test_findings_come_worst_first():
    """Red before amber before note."""
    idle = factories.retrial(EVALUATION, lambda trial: last(trial, usage=trial.last.usage.model_copy(update={"output": 0})))
    facts = gather(replace(SMALL, runs=(VALIDITY, idle)))
    order = [("red", "amber", "note").index(finding.severity) for finding in diagnose(facts.runs[1], facts)]

    assert sorted(order) == order
