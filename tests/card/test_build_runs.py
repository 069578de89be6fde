"""The card of a run."""

import dataclasses
from decimal import Decimal

import factories
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faultline.card import build_card
from faultline.card.build_runs import counts_of
from faultline.kinds import Absence, Estimand, Fold, Mode, PublicTouch, RetryPolicy, StatusClass
from faultline.records import (
    Absent,
    Conflict,
    Evidence,
    PublicChange,
    Retry,
    Settlement,
    Timing,
    not_applicable,
    unknown,
)

SMALL = factories.small()
VALIDITY, EVALUATION = SMALL.runs
ENDINGS = {Mode.REPAIRED: factories.passed} | dict.fromkeys(
    (Mode.INFRASTRUCTURE, Mode.VERIFIER_ERROR, Mode.UNKNOWN), factories.invalid
)


def card_of(run, tasks=SMALL.tasks):
    return build_card(factories.benchmark(tasks, [run])).runs[0]


def attempts(change):
    """Return the evaluation with the only attempt of each trial changed, by the number of the trial's line."""
    places = {trial.key: place for place, trial in enumerate(EVALUATION.trials)}
    return factories.retrial(EVALUATION, lambda t: t.model_copy(update={"attempts": change(places[t.key], t.attempts[0])}))


class TestCounts:
    def test_the_four_words_sum_to_the_plan(self):
        """
        Every planned cell is counted under one of four words.
        """

        def ending(cell):
            broken = factories.failed(status=StatusClass.AGENT_FAILURE, mode=Mode.INVALID_SUBMISSION)
            return {0: factories.passed(), 1: broken, 2: factories.invalid()}[cell.trial]

        counts = card_of(factories.evaluation_run(SMALL.tasks, ending=ending)).counts

        assert {Fold.PASSED: 6, Fold.FAILED: 0, Fold.INVALID_SUBMISSION: 6, Fold.INVALID_INFRA: 6} == counts.folds
        assert 18 == counts.planned == sum(counts.folds.values())
        assert {Mode.REPAIRED: 6, Mode.INVALID_SUBMISSION: 6, Mode.INFRASTRUCTURE: 6} == counts.modes

    def test_a_lost_record_stays_in_the_plan(self):
        """
        A planned cell without a record has no verdict, and is unknown rather than absent.
        """
        counts = card_of(factories.retrial(EVALUATION, lambda t: None if t == EVALUATION.trials[0] else t)).counts

        assert (18, 1, 1, 1) == (
            counts.planned,
            counts.folds[Fold.INVALID_INFRA],
            counts.modes[Mode.UNKNOWN],
            counts.statuses[StatusClass.UNKNOWN],
        )

    def test_trials_stand_in_the_order_of_the_plan(self):
        """
        Whatever the order of the records, rows follow the plan.
        """
        turned = factories.sealed(EVALUATION.manifest, EVALUATION.trials[::-1])

        assert [cell.label for cell in EVALUATION.manifest.cells] == [row.anchor for row in card_of(turned).trials]

    @given(st.lists(st.sampled_from(list(Mode)), max_size=18))
    @settings(max_examples=60, deadline=None)
    def test_modes_classes_and_folds_always_sum_to_the_plan(self, modes):
        """
        Whatever happened in the trials that were recorded, and however few, each of the three countings is the whole plan.
        """
        trials = [
            trial.model_copy(update={"outcome": ENDINGS.get(mode, factories.failed)(mode=mode)})
            for mode, trial in zip(modes, EVALUATION.trials, strict=False)
        ]
        counts = counts_of(trials, 18)

        assert 18 == sum(counts.folds.values()) == sum(counts.modes.values()) == sum(counts.statuses.values())
        assert set(counts.modes) <= {term.word for term in build_card(factories.benchmark()).glossary if term.group == "Mode"}


class TestAuthority:
    def test_trials_are_counted_word_by_word(self):
        """
        A trial counts once for each word that fits one of its tests; tampering that passed is told apart.
        """

        def ending(cell):
            hows = {0: (PublicTouch.EDITED,), 1: (PublicTouch.EDITED, PublicTouch.DELETED), 2: ()}[cell.trial]
            changes = tuple(PublicChange(test=f"tests/test_a.py::A::{how}", how=how) for how in hows)
            configuration = ("conftest.py",) if cell.trial == 2 else ()
            end = factories.passed if cell.trial == 2 else factories.failed
            return end(evidence=Evidence(tests=changes, configuration=configuration))

        counts = card_of(factories.evaluation_run(SMALL.tasks, ending=ending)).counts.authority

        assert (18, 6, 12, 6) == (counts.observed, counts.configuration, counts.tampered, counts.tampered_and_passed)
        assert {
            PublicTouch.EDITED: 12,
            PublicTouch.WEAKENED: 0,
            PublicTouch.SKIPPED: 0,
            PublicTouch.DELETED: 6,
        } == counts.touched

    def test_records_that_do_not_tell_are_not_counted(self):
        """
        A run recorded before this was looked for shows no counts, and no zeros.
        """
        assert card_of(EVALUATION).counts.authority is None
        assert b"authority" not in card_of(EVALUATION).canonical()


class TestCosts:
    def test_everything_known(self):
        """
        Costs, times and tokens are summed exactly.
        """
        costs = card_of(EVALUATION).costs

        assert (Decimal("0.2250"), 18, 0, 0) == (costs.usd, costs.usd_known, costs.usd_unknown, costs.usd_not_applicable)
        assert (18 * 120, 18, 0) == (costs.output_tokens, costs.attempts, costs.extra_attempts)
        assert (18, 0, 2.5, 45.0) == (
            costs.agent_seconds.known,
            costs.agent_seconds.unknown,
            costs.agent_seconds.median,
            costs.agent_seconds.total,
        )

    def test_unknown_is_counted_and_never_added_as_zero(self):
        """
        Unknown costs are counted beside the sum of the known ones; unknown tokens leave their sum unknown.
        """
        lost = unknown("not told")
        costs = card_of(
            attempts(lambda place, a: (a.model_copy(update={"cost": lost, "usage": lost} if place < 3 else {}),))
        ).costs

        assert (Decimal("0.1875"), 15, 3) == (costs.usd, costs.usd_known, costs.usd_unknown)
        assert Absence.UNKNOWN is costs.output_tokens.absence

    def test_nothing_known_is_no_zero(self):
        """
        When no attempt recorded its cost the sum is unknown.
        """
        lost = unknown("not told")
        times = Timing(setup=lost, agent=lost, grading=lost)
        costs = card_of(attempts(lambda _, a: (a.model_copy(update={"cost": lost, "timing": times}),))).costs

        assert (Absence.UNKNOWN, 18) == (costs.usd.absence, costs.usd_unknown)
        assert Absence.UNKNOWN is costs.agent_seconds.absence

    @pytest.mark.parametrize("said", [not_applicable("a control"), unknown("nobody wrote it down")])
    def test_controls_have_no_cost(self, said):
        """
        The cost of a control does not apply, whatever word its record uses for the absence.
        """
        run = factories.retrial(
            VALIDITY, lambda t: t.model_copy(update={"attempts": (t.attempts[0].model_copy(update={"cost": said}),)})
        )
        costs = card_of(run).costs

        assert (Absence.NOT_APPLICABLE, 0, 180) == (costs.usd.absence, costs.usd_unknown, costs.usd_not_applicable)
        assert Absence.NOT_APPLICABLE is costs.agent_seconds.absence

    def test_retries_cost_too(self):
        """
        Attempts beyond the first are counted, and their cost is part of the trial's.
        """
        fault = factories.attempt("fault", start=factories.at(3), end="faulted", observed="no route")
        run = attempts(lambda place, a: (fault, a.model_copy(update={"number": 2})) if place == 0 else (a,))
        card = card_of(run)

        assert (19, 1, 19) == (card.costs.attempts, card.costs.extra_attempts, card.costs.usd_known)
        assert (2, Decimal("0.0250"), 240) == (card.trials[0].attempts, card.trials[0].usd, card.trials[0].usage.output)

    def test_one_unknown_attempt_leaves_the_trial_unknown(self):
        """
        The cost of a trial is unknown as soon as that of one of its attempts is.
        """
        fault = factories.attempt("fault", start=factories.at(3), end="faulted", cost=unknown("lost"), usage=unknown("lost"))
        row = card_of(attempts(lambda _, a: (fault, a.model_copy(update={"number": 2})))).trials[0]

        assert Absence.UNKNOWN is row.usd.absence
        assert Absence.UNKNOWN is row.usage.output.absence


class TestSpend:
    def test_each_attempt_stands_in_one_row_besides_the_whole(self):
        """
        Scored, retried and invalid attempts keep their cost, tokens and time, and add up to the whole.
        """
        fault = factories.attempt("fault", start=factories.at(3), end="faulted", observed="no route")
        run = factories.evaluation_run(
            SMALL.tasks, ending=lambda cell: factories.invalid() if cell.trial == 2 else factories.passed()
        )
        first = run.trials[0]
        run = factories.retrial(
            run,
            lambda t: (
                t.model_copy(update={"attempts": (fault, t.attempts[0].model_copy(update={"number": 2}))})
                if t.key == first.key
                else t
            ),
        )
        rows = {row.bought: row for row in card_of(run).spend}

        assert [12, 1, 6, 0, 19] == [rows[word].attempts for word in ("scored", "retried", "invalid", "refused", "whole")]
        assert rows["whole"].usd == rows["scored"].usd + rows["retried"].usd + rows["invalid"].usd == Decimal("0.2375")
        assert (12 * 120, 120, 6 * 120) == tuple(rows[word].output_tokens for word in ("scored", "retried", "invalid"))
        assert rows["whole"].agent_seconds == 19 * 2.5

    def test_a_refused_result_keeps_its_cost(self):
        """
        What a worker that had lost its claim spent is not dropped; the same execution is not counted twice.
        """
        trial = EVALUATION.trials[0]
        late = trial.model_copy(update={"attempts": (factories.attempt("late", start=factories.at(5)),)})
        same = trial.model_copy(update={"order_known": not trial.order_known})
        refused = tuple(
            Conflict(
                schema_name="faultline/conflict/1",
                key=trial.key,
                why="lost-claim",
                recorded=trial.content_digest(),
                refused=other.content_digest(),
                trial=other,
            )
            for other in (late, same)
        )
        run = dataclasses.replace(EVALUATION, refused=refused, conflicts=2)
        rows = {row.bought: row for row in card_of(run).spend}

        assert (1, Decimal("0.0125"), 19) == (rows["refused"].attempts, rows["refused"].usd, rows["whole"].attempts)

    def test_unknown_costs_are_counted_and_nothing_is_no_zero(self):
        """
        A row without a known cost has no sum; what is unknown is counted beside it.
        """
        lost = unknown("its worker left no receipt")
        rows = {
            row.bought: row
            for row in card_of(attempts(lambda _, a: (a.model_copy(update={"cost": lost, "usage": lost}),))).spend
        }

        assert (Absence.UNKNOWN, 18, 18) == (
            rows["scored"].usd.absence,
            rows["scored"].usd_unknown,
            rows["scored"].output_tokens_unknown,
        )
        assert Absence.NOT_APPLICABLE is rows["retried"].usd.absence

    def test_hours_of_people_are_absent_until_somebody_records_them(self):
        """
        Hours of review and repair are unknown, not zero.
        """
        card = card_of(EVALUATION)

        assert [Absence.UNKNOWN] * 2 == [card.review_hours.absence, card.repair_hours.absence]


class TestUnknown:
    def test_settlements_are_counted_by_how_they_ended(self):
        """
        A run tells how many writes lost their reply and what became of each; attempts of dead workers are counted too.
        """
        key = EVALUATION.trials[0].key
        settlement = Settlement(
            schema_name="faultline/settlement/1",
            key=key,
            attempt=1,
            state="absent",
            observed="the connection was closed",
            stored=unknown("nothing"),
            receipt=unknown("nothing"),
            evidence="the store has no result for the cell",
            settled_at=factories.at(1),
        )
        run = attempts(
            lambda place, a: (
                (a.model_copy(update={"end": "unknown"}), a.model_copy(update={"number": 2})) if place == 0 else (a,)
            )
        )
        card = card_of(dataclasses.replace(run, settlements=(settlement,)))

        assert (0, 1, 0, 1) == tuple(
            getattr(card.unknowns, word) for word in ("recorded", "absent", "conflicting", "lost_attempts")
        )
        assert (settlement,) == card.settlements


class TestEstimand:
    def test_the_number_of_best_of_k_is_printed(self):
        """
        The estimand of a run that retried on the verdict carries its k.
        """
        rule = Retry(policy=RetryPolicy.BEST_OF_K, max_attempts=2)
        run = factories.remanifest(EVALUATION, retry=rule, estimand=Estimand.BEST_OF_K)

        assert ("pass@1", "best-of-2") == (card_of(EVALUATION).estimates, card_of(run).estimates)


class TestRun:
    def test_a_validity_run_folds_its_controls(self):
        """
        A validity run shows for each task how many trials ended as expected.
        """
        card = card_of(VALIDITY)

        assert [("task-00", 90, 90, 0, True), ("task-01", 90, 90, 0, True)] == [
            (item.task, item.planned, item.as_expected, item.flips, item.holds) for item in card.validity
        ]
        assert card.controls_only

    def test_an_evaluation_has_no_such_fold(self):
        """
        An evaluation of an agent is no evidence about tasks.
        """
        card = card_of(EVALUATION)

        assert ((), False) == (card.validity, card.controls_only)

    def test_controls_of_a_changed_task_are_not_judged(self):
        """
        What was expected of the controls of an earlier form is not guessed.
        """
        changed = (factories.task("task-00", version=2), SMALL.tasks[1])

        assert ["task-01"] == [item.task for item in card_of(VALIDITY, changed).validity]

    def test_files_carry_their_sealed_digests(self):
        """
        The files of a run are listed by path with the digests of the seal.
        """
        card = card_of(EVALUATION)

        assert ["manifest.json", "trials.jsonl"] == [file.path for file in card.files]
        assert EVALUATION.results_digest == card.files[1].digest
        assert EVALUATION.seal_digest == card.seal_digest

    def test_unjudged_trials_have_no_public_numbers(self):
        """
        A trial that was not judged has no number of public tests, rather than zero.
        """
        row = card_of(factories.evaluation_run(SMALL.tasks, ending=lambda _: factories.invalid())).trials[0]

        assert isinstance(row.public_passed, Absent)
        assert isinstance(row.public_total, Absent)

    def test_a_trial_outside_the_plan_is_not_counted(self):
        """
        A trial that was never planned enters no count; a gate names it.
        """
        extra = EVALUATION.trials[0].model_copy(update={"key": EVALUATION.trials[0].key.model_copy(update={"trial": 9})})
        card = card_of(factories.sealed(EVALUATION.manifest, (*EVALUATION.trials, extra)))

        assert (18, 18) == (len(card.trials), sum(card.counts.folds.values()))

    def test_synthetic_runs_say_so(self):
        """
        The mark of a run that was made for a test is on its card.
        """
        assert card_of(EVALUATION).synthetic
        assert not card_of(
            dataclasses.replace(EVALUATION, manifest=EVALUATION.manifest.model_copy(update={"synthetic": False}))
        ).synthetic
