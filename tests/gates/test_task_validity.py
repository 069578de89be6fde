"""G6: both sides of the contract, proved by controls."""

from dataclasses import replace

import factories
import pytest

from faultline.gates import gather, validity_of
from faultline.gates.task_validity import GATE
from faultline.kinds import AgentKind, Mode, SandboxLevel, StatusClass, Verdict, digest_bytes
from faultline.records import CheckResult, PublicResult, Reason, not_run

TASKS = factories.small_tasks()
VALIDITY = factories.validity_run(TASKS)


def of(*runs, tasks=TASKS):
    return factories.benchmark(tasks, runs)


def ending(agent, outcome, *, only=lambda _: True):
    """Return a validity run in which one control of the first task ended otherwise."""

    def end(cell):
        hit = cell.agent == agent and cell.task == "task-00" and only(cell)
        return outcome if hit else factories.control_ending(cell)

    return factories.validity_run(TASKS, ending=end)


def test_no_task(ask):
    """
    Without a task there is nothing to prove.
    """
    assert "not-run" == ask(GATE, factories.benchmark()).outcome


def test_no_validity_run(ask, needs):
    """
    A task that was never validated is unproven.
    """
    found = ask(GATE, of())

    assert ("fail", "0", "2") == (found.outcome, found.observed, found.needed)
    assert "task-00: No validity run exists for the task as it is now." in needs(found)


def test_all_controls_as_expected_hold(ask):
    """
    Controls that end as they must over three repetitions, two hash seeds and three variants prove a task.
    """
    found = ask(GATE, of(VALIDITY))

    assert ("pass", "2", 1.0) == (found.outcome, found.observed, found.share)
    assert "10 controls of 2 tasks in 180 trials" in found.saw


def without_public(**changes):
    fields = {"passed": len(factories.PUBLIC), "failed": (), "missing": (), "regressed": ()} | changes
    return PublicResult(**fields)


IMPORT_ERROR = Reason(code="IMPORT_FAILED")
BREAKS = {
    "the baseline passes": ("baseline", factories.passed(), "baseline must fail with ROWS_LOST and did not in 18 of 18"),
    "the baseline fails otherwise": ("baseline", factories.failed("ORDER_COUNTS"), "baseline must fail with ROWS_LOST"),
    "the baseline does not import": ("baseline", factories.failed("IMPORT_FAILED"), "baseline must fail with ROWS_LOST"),
    "the reference fails": (
        "reference",
        factories.failed(),
        "reference must pass and did not in 18 of 18 trials (ROWS_LOST by rows_stay)",
    ),
    "a valid repair fails": ("valid-other", factories.failed(), "valid-other must pass"),
    "a wrong repair survives": ("wrong-half", factories.passed(), "wrong-half must fail with ROWS_LOST"),
    "a wrong repair is caught by another check": (
        "wrong-guess",
        factories.failed("ROWS_LOST"),
        "wrong-guess must fail with ORDER_COUNTS",
    ),
    "a wrong repair that does not import": (
        "wrong-half",
        factories.failed(reasons=(Reason(code="ROWS_LOST"), IMPORT_ERROR)),
        "wrong-half must fail with ROWS_LOST",
    ),
    "a wrong repair that damages a module": (
        "wrong-half",
        factories.failed(mode=Mode.DAMAGED),
        "wrong-half must fail with ROWS_LOST",
    ),
    "the reference passes without a check": (
        "reference",
        factories.passed(checks=(CheckResult(check=factories.CHECKS[0], result="passed"),)),
        "reference must pass",
    ),
    "the reference passes without checks": ("reference", factories.passed(checks=not_run("x")), "reference must pass"),
    "the reference passes without public tests": ("reference", factories.passed(public=not_run("x")), "reference must pass"),
    "the reference fails a public test": (
        "reference",
        factories.passed(public=without_public(failed=("tests/test_all.py::TestAll::test_two",))),
        "reference must pass",
    ),
    "a public test is missing": ("reference", factories.passed(public=without_public(passed=0)), "reference must pass"),
    "a control could not be judged": ("reference", factories.invalid(), "reference must pass"),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_control_that_ends_otherwise(ask, needs, name):
    """
    Each way in which a control can end otherwise leaves its task unproved, and says what was expected.
    """
    agent, outcome, words = BREAKS[name]
    found = ask(GATE, of(ending(agent, outcome)))

    assert ("fail", "1") == (found.outcome, found.observed)
    assert f"task-00: {words}" in needs(found)


def test_a_single_flip_is_found(ask, needs):
    """
    One trial that ends otherwise than its repetitions is a flip.
    """
    run = ending("wrong-half", factories.failed(reasons=(Reason(code="ORDER_COUNTS"),)), only=lambda c: c.trial == 4)
    found = ask(GATE, of(run))

    assert "fail" == found.outcome
    assert "wrong-half ended differently in repetitions of 3 of 3 variants" in needs(found)


def test_a_further_reason_code_is_no_flip(ask, needs):
    """
    Repetitions have fresh hidden inputs, so a code beside the expected one may come and go.
    """
    run = ending(
        "wrong-half",
        factories.failed(reasons=(Reason(code="ROWS_LOST"), Reason(code="ORDER_COUNTS"))),
        only=lambda c: c.trial == 4,
    )

    assert "ended differently" not in needs(ask(GATE, of(run)))


def test_a_flip_is_not_unseen_by_validating_again(ask, needs):
    """
    A later run without a flip does not clear the flip that an earlier run of the same form saw.
    """
    flipped = ending("baseline", factories.passed(), only=lambda cell: cell.trial == 0)
    later = factories.validity_run(TASKS, "validity-2", hours=5.0)
    found = ask(GATE, of(flipped, later))

    assert "fail" == found.outcome
    assert "validity-1: an explanation: 3 cells of task-00 flipped in this earlier run" in needs(found)


def test_a_fault_of_the_harness_is_no_flip(ask):
    """
    A trial without a verdict in an earlier run is mended by validating again.
    """
    broken = ending("baseline", factories.invalid(), only=lambda cell: cell.trial == 0)
    later = factories.validity_run(TASKS, "validity-2", hours=5.0)

    assert "fail" == ask(GATE, of(broken)).outcome
    assert "pass" == ask(GATE, of(broken, later)).outcome


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"variants": 2}, "3 distinct variants of each control in its validity run; 2 seen"),
        ({"hash_seeds": 1}, "2 hash seeds in its validity run; 1 seen"),
        ({"trials": 4}, "3 repetitions of each control, variant and hash seed in its validity run; 2 seen"),
    ],
)
def test_too_little_repetition(ask, needs, settings, words):
    """
    Fewer variants, hash seeds or repetitions than asked for do not prove a task, although every control ended well.
    """
    found = ask(GATE, of(factories.validity_run(TASKS, **settings)))

    assert ("fail", "0") == (found.outcome, found.observed)
    assert f"task-00: {words}" in needs(found)


def test_an_older_form_is_unproven(ask):
    """
    A changed byte makes the task unproven again.
    """
    changed = replace(TASKS[0], digest=digest_bytes(b"one byte"))

    found = ask(GATE, of(VALIDITY, tasks=(changed, TASKS[1])))

    assert ("fail", "1") == (found.outcome, found.observed)


def test_the_newest_run_speaks(ask):
    """
    Once a newer run of the same form fails, an older one that held does not help.
    """
    later = factories.validity_run(TASKS, "validity-2", lambda _: factories.passed(), hours=5.0)

    assert "fail" == ask(GATE, of(VALIDITY, later)).outcome


def test_a_control_that_was_not_tried(ask, needs):
    """
    A wrong repair that is not in the run leaves the task unproved.
    """
    cells = tuple(cell for cell in VALIDITY.manifest.cells if cell.agent != "wrong-half")
    run = factories.retrial(factories.remanifest(VALIDITY, cells=cells), lambda t: None if t.key.agent == "wrong-half" else t)

    assert "wrong-half was not tried." in needs(ask(GATE, of(run)))


def test_an_agent_among_the_controls(ask, needs):
    """
    Something that is no control of the task, or a program under a control's name, has no place in a validity run.
    """
    agents = VALIDITY.manifest.agents
    stranger = factories.remanifest(VALIDITY, agents=(*agents, factories.agent("stranger", AgentKind.CONTROL)))
    cells = (*VALIDITY.manifest.cells, VALIDITY.manifest.cells[0].model_copy(update={"agent": "stranger"}))
    disguised = tuple(who.model_copy(update={"kind": AgentKind.COMMAND}) if who.name == "reference" else who for who in agents)

    assert "stranger is no control" in needs(ask(GATE, of(factories.remanifest(stranger, cells=cells))))
    assert "reference is not run as a control" in needs(ask(GATE, of(factories.remanifest(VALIDITY, agents=disguised))))


def test_other_checks_than_the_task_has(ask, needs):
    """
    A run that judged by fewer hidden checks proves nothing about the task.
    """
    pins = tuple(pin.model_copy(update={"checks": pin.checks[:1]}) for pin in VALIDITY.manifest.tasks)

    assert "other hidden checks" in needs(ask(GATE, of(factories.remanifest(VALIDITY, tasks=pins))))


class TestJudging:
    def test_the_level_process_is_not_enough(self, ask, needs):
        """
        Neither controls nor agents judged without isolation are evidence.
        """
        loose = SandboxLevel.PROCESS
        for runs in (
            [factories.validity_run(TASKS, sandbox=loose)],
            [VALIDITY, factories.evaluation_run(TASKS, sandbox=loose)],
        ):
            found = ask(GATE, of(*runs))

            assert "fail" == found.outcome
            assert f"{runs[-1].name}: a sandbox that keeps candidates apart" in needs(found)

    def test_a_sandbox_of_an_installed_package_is_not_enough(self, ask, needs):
        """
        Whatever it promises, nobody proved it here; a trial that was judged in one is found too.
        """
        outside = {"sandbox": SandboxLevel.EXTERNAL, "external": factories.jail()}
        mixed = factories.retrial(
            factories.evaluation_run(TASKS), lambda trial: trial.model_copy(update={"sandbox": SandboxLevel.EXTERNAL})
        )
        for runs, words in (
            ([factories.validity_run(TASKS, **outside)], "external: jail of jail-package 1.0"),
            ([VALIDITY, factories.evaluation_run(TASKS, **outside)], "external: jail of jail-package 1.0"),
            ([VALIDITY, mixed], "judged in bubblewrap, which"),
        ):
            found = ask(GATE, of(*runs))

            assert "fail" == found.outcome
            assert f"{runs[-1].name}: a sandbox that keeps candidates apart: it was judged in" in needs(found)
            assert words in needs(found)

    def test_an_agent_inside_the_harness_is_no_evidence(self, ask, needs):
        """
        It could have read hidden files or changed the judge, whatever the records say.
        """
        run = factories.evaluation_run(TASKS, who=factories.agent("tinker", AgentKind.PLUGIN))
        found = ask(GATE, of(VALIDITY, run))

        assert "fail" == found.outcome
        assert f"{run.name}: an agent kept from hidden files and from the judge: tinker is a class" in needs(found)

    @pytest.mark.parametrize("status", [StatusClass.VERIFIER, StatusClass.TASK_DEFECT])
    def test_a_judge_that_went_wrong_stops_publication(self, ask, needs, status):
        """
        A trial that ended because the judge or the task was wrong needs an explanation.
        """
        run = factories.evaluation_run(TASKS, ending=lambda _: factories.invalid(status=status))
        found = ask(GATE, of(VALIDITY, run))

        assert ("fail", "2") == (found.outcome, found.observed)
        assert f"18 trials ended in the class {status}" in needs(found)


class TestEvidence:
    def test_what_the_card_shows_of_a_control(self):
        """
        Each control carries its counts, the codes that were seen and the checks that stopped it in every trial.
        """
        facts = gather(of(VALIDITY))
        validity = validity_of(facts.tasks[0], facts)
        wrong = next(item for item in validity.controls if item.control.name == "wrong-guess")

        assert ("valid", 90, 3, 2, 3, 0) == (
            validity.state,
            validity.trials,
            validity.variants,
            validity.hash_seeds,
            validity.repetitions,
            validity.flips,
        )
        assert (18, 18, (("ORDER_COUNTS", 18),), ("rows_stay",), True) == (
            wrong.planned,
            wrong.as_expected,
            wrong.codes,
            wrong.killed_by,
            wrong.holds,
        )

    def test_a_lost_record_is_not_as_expected(self):
        """
        A planned trial without a record leaves its control short.
        """
        run = factories.retrial(VALIDITY, lambda t: None if t == VALIDITY.trials[0] else t)
        facts = gather(of(run))
        first = validity_of(facts.tasks[0], facts).controls[0]

        assert (18, 17, False) == (first.planned, first.as_expected, first.holds)
        assert Verdict.FAILED == VALIDITY.trials[0].outcome.verdict
