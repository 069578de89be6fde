"""The only way to a leaderboard."""

import ast
from pathlib import Path

import factories
import pytest
from pydantic import ValidationError

import faultline
from faultline.card import rehearse_card
from faultline.card.build_leaderboard import leaderboard_from
from faultline.card.model import Leaderboard
from faultline.errors import IntegrityError
from faultline.gates import evaluate, gate_policy, gather
from faultline.kinds import digest_bytes
from faultline.records import Evidence

FULL = factories.full()


def held(benchmark=FULL):
    return evaluate(gather(benchmark), gate_policy(), publishing=False).gate_pass


FIELDS = {"state": "open", "gate_pass": digest_bytes(b"x"), "rows": ()}


class TestConstruction:
    @pytest.mark.parametrize(
        "make",
        [
            lambda fields: Leaderboard(**fields),
            Leaderboard.model_validate,
            lambda fields: Leaderboard.model_validate(fields, context={"gate_pass": "please"}),
            lambda fields: Leaderboard.model_validate(fields, context={"gate_pass": held()}),
        ],
    )
    def test_without_the_pass_of_its_report_there_is_none(self, make):
        """
        No constructor, no parser and no other object than the pass of that very report makes a leaderboard.
        """
        with pytest.raises(ValidationError, match="behind a gate pass"):
            make(FIELDS)

    def test_a_pass_for_other_records_is_refused(self):
        """
        A pass opens the records that it is for and no others.
        """
        with pytest.raises(IntegrityError, match="other records"):
            leaderboard_from(held(), gather(factories.small()))

    def test_one_place_in_the_package_makes_one(self):
        """
        No module but the builder's calls the model, and no setting or option of the package forces a ranking.
        """
        package = Path(faultline.__file__).parent
        makers = [path.name for path in sorted(package.rglob("*.py")) if _makes_a_leaderboard(path)]

        assert ["build_leaderboard.py"] == makers


def _makes_a_leaderboard(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called == "Leaderboard" or called.startswith("Leaderboard."):
                return True
    return False


class TestRows:
    def test_family_means_with_interval(self):
        """
        A row is the mean over families with an interval that has width, its method, and the planned number.
        """
        rows = {row.agent: row for row in rehearse_card(FULL).leaderboard.rows}

        assert (1.0, 20, 180) == (rows["mender"].pass_at_1, rows["mender"].families, rows["mender"].planned)
        assert 0.8203 == pytest.approx(rows["mender"].low, abs=1e-4)
        assert rows["tinker"].low < rows["tinker"].pass_at_1 < rows["tinker"].high
        assert "95 %" in rows["tinker"].method

    def test_trials_without_a_verdict_count_as_failed(self):
        """
        Relabelling failures as faults of the harness does not raise a row.
        """
        first = FULL.runs[1]
        relabelled = factories.retrial(
            first, lambda t: t.model_copy(update={"outcome": factories.invalid()}) if t.outcome.verdict == "failed" else t
        )
        benchmark = factories.reviewed(factories.swap(FULL, relabelled))
        honest = next(row for row in rehearse_card(FULL).leaderboard.rows if row.agent == "tinker")

        assert honest == next(row for row in rehearse_card(benchmark).leaderboard.rows if row.agent == "tinker")

    def test_all_evaluations_of_an_agent_count(self):
        """
        Running again does not replace what was measured before: both runs are in the row.
        """
        # Two of three trials passed before and one of three now; were all of them passed, it would be a flat line.
        once = {0: factories.passed(), 1: factories.failed(), 2: factories.failed()}
        again = factories.evaluation_run(FULL.tasks, "evaluation-3", ending=lambda cell: once[cell.trial], hours=7.0)
        benchmark = factories.reviewed(factories.benchmark(FULL.tasks, (*FULL.runs, again)))
        row = next(row for row in rehearse_card(benchmark).leaderboard.rows if row.agent == "tinker")

        assert 360 == row.planned
        assert 0.5 == pytest.approx(row.pass_at_1, abs=1e-4)

    def test_tampering_has_a_rate_and_an_interval_here_and_only_here(self):
        """
        Where the leaderboard is open a row says how often public tests lost their say, over the trials looked at; a row of
        records that do not tell has none.
        """
        some = Evidence(configuration=("conftest.py",))
        first = factories.retrial(
            FULL.runs[1],
            lambda t: t.model_copy(
                update={"outcome": t.outcome.model_copy(update={"evidence": some if t.key.trial == 0 else Evidence()})}
            ),
        )
        benchmark = factories.reviewed(factories.swap(FULL, first))
        rows = {row.agent: row for row in rehearse_card(benchmark).leaderboard.rows}
        tampered = rows["tinker"].tampered

        assert 1 / 3 == pytest.approx(tampered.rate)
        assert tampered.low < tampered.rate < tampered.high
        assert (180, True) == (tampered.observed, "95 %" in tampered.method)
        assert rows["mender"].tampered is None
