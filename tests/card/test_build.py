"""The card as a whole."""

import dataclasses
from datetime import date

import factories
import pytest

from faultline.card import EvaluationCard, Leaderboard, Withheld, assemble, build_card, rehearse_card
from faultline.card.build import REHEARSAL
from faultline.errors import BadInputError, Faults, IntegrityError, RefusedError
from faultline.gates import GATES, evaluate, gate_policy, gather
from faultline.kinds import Absence, AgentKind

SMALL = factories.small()
EMPTY = factories.benchmark()


class TestWhole:
    def test_the_same_records_give_the_same_bytes(self):
        """
        Building twice, and from files read in another order, gives one byte form.
        """
        again = dataclasses.replace(SMALL, tasks=SMALL.tasks[::-1], runs=SMALL.runs[::-1], reviews=SMALL.reviews[::-1])

        assert build_card(SMALL).canonical() == build_card(SMALL).canonical() == build_card(again).canonical()

    def test_the_card_survives_json(self):
        """
        Reading a withheld card from its own bytes gives the same card.
        """
        card = build_card(SMALL)

        assert card == EvaluationCard.parse(card.canonical(), "card.json")

    def test_an_empty_benchmark_has_a_card(self):
        """
        Without tasks and runs every count is zero, nothing is claimed, and the newest record is absent with a reason.
        """
        card = build_card(EMPTY)

        assert (0, 0, 0, 0) == (
            card.headline.tasks,
            card.headline.runs,
            card.headline.model_claims,
            card.headline.variants_per_task,
        )
        assert Absence.NOT_RUN is card.as_of.absence

    def test_at_a_glance(self):
        """
        The headline counts classes, tasks, both sides of each contract, runs and trials; a withheld card claims nothing.
        """
        head = build_card(SMALL).headline

        assert (1, 2, 2, 3, 4, 0, 2, 198) == (
            head.failure_classes,
            head.tasks,
            head.valid_tasks,
            head.variants_per_task,
            head.required_outcomes,
            head.model_claims,
            head.runs,
            head.trials,
        )

    def test_runs_are_newest_first(self):
        """
        Runs are listed by date and never by score.
        """
        card = build_card(SMALL)

        assert ["evaluation-1", "validity-1"] == [run.run for run in card.runs]
        assert card.as_of == card.runs[0].sealed_at

    def test_looser_settings_are_refused(self):
        """
        A benchmark that asks for looser gates gets no card.
        """
        with pytest.raises(RefusedError):
            build_card(dataclasses.replace(SMALL, gates={"audited_families": 5}, gates_origin="pyproject.toml"))

    def test_stricter_settings_are_printed(self):
        """
        The policy in force is on the card.
        """
        card = build_card(dataclasses.replace(SMALL, gates={"audited_families": 30}, gates_origin="pyproject.toml"))

        assert "at least 30" == next(row.value for row in card.report.policy if row.name == "audited_families")

    def test_problems_are_shown(self):
        """
        What could not be read stands on the card, with its place inside the benchmark.
        """
        broken = dataclasses.replace(SMALL, problems=(BadInputError("somewhere/runs/bad", "this folder has no seal"),))

        assert ("runs/bad: this folder has no seal  [bad-input]",) == build_card(broken).problems


class TestWithheld:
    def test_the_gates_that_do_not_hold_are_named(self):
        """
        A withheld leaderboard names the gates that do not hold, and the card is not open.
        """
        card = build_card(SMALL)

        assert isinstance(card.leaderboard, Withheld)
        assert tuple(gate.id for gate in GATES) == card.leaderboard.gates
        assert not card.is_open

    @pytest.mark.parametrize("kept", [AgentKind.NO_OP, AgentKind.REFERENCE])
    def test_controls_alone_make_no_claim(self, kept):
        """
        Evaluations of controls open nothing and are no claims.
        """
        run = factories.evaluation_run(SMALL.tasks, who=factories.agent("somebody", kept))
        card = rehearse_card(dataclasses.replace(SMALL, runs=(run,), reviews=()))

        assert 0 == card.headline.model_claims
        assert ["not-run"] * 3 == [gate.outcome for gate in card.report.gates if gate.id in ("G3", "G4", "G5")]

    def test_neither_canary_nor_hidden_source_nor_repairs(self):
        """
        No canary, no line of a hidden check and no repair reaches the card.
        """
        text = build_card(SMALL).canonical()

        for task in SMALL.tasks:
            assert task.definition.canary.encode() not in text
        assert b"faultline-canary" not in text
        assert b"SECRET_SOURCE" not in text
        assert b"secret repair" not in text

    def test_hostile_text_stays_text(self):
        """
        What a run wrote is carried as data, whatever it holds.
        """
        note = '</script><img src=x onerror="alert(1)">'
        run = factories.evaluation_run(SMALL.tasks, ending=lambda _: factories.invalid(note))
        card = build_card(dataclasses.replace(SMALL, runs=(run,), reviews=()))

        assert note == card.runs[0].trials[0].note


class TestOpen:
    FULL = factories.full()

    def test_a_rehearsal_has_rows_by_name_and_says_what_it_is(self):
        """
        Behind a rehearsal's pass there is one row an agent, by name, and the card says that it is not published.
        """
        card = rehearse_card(self.FULL)

        assert isinstance(card.leaderboard, Leaderboard)
        assert ["mender", "tinker"] == [row.agent for row in card.leaderboard.rows]
        assert (2, REHEARSAL) == (card.headline.model_claims, card.problems[0])

    def test_the_same_records_are_withheld_when_published(self):
        """
        The card that is published refuses the synthetic records, and no rate is on it.
        """
        card = build_card(self.FULL)

        assert not card.is_open
        assert b"pass_at_1" not in card.canonical()

    def test_an_open_card_cannot_be_read_back(self):
        """
        A ranking is computed from evidence; a file that claims to hold one is refused.
        """
        with pytest.raises(Faults, match="behind a gate pass"):
            EvaluationCard.parse(rehearse_card(self.FULL).canonical(), "card.json")

    def test_an_evaluation_of_other_records_is_refused(self):
        """
        Gates that were evaluated on another results file than the page shows open nothing.
        """
        evaluation = evaluate(gather(self.FULL), gate_policy(), publishing=False)
        swapped = factories.swap(
            self.FULL,
            factories.retrial(self.FULL.runs[1], lambda trial: trial.model_copy(update={"outcome": factories.passed()})),
        )

        with pytest.raises(IntegrityError, match="other records"):
            assemble(swapped, evaluation)


class TestHistory:
    def test_newest_first(self):
        """
        Corrections and audits of all tasks stand in one history, newest first.
        """
        one = factories.audited(
            factories.task("one", corrections=[factories.correction()]), ["Bea"], audited_at=date(2026, 1, 1)
        )
        two = factories.audited(factories.task("two"), ["Cy"], audited_at=date(2026, 5, 1))
        history = build_card(factories.benchmark([one, two])).history

        assert [("audit", "two"), ("correction", "one"), ("audit", "one")] == [(entry.kind, entry.task) for entry in history]
        assert "Audit by Cy" == history[0].title
