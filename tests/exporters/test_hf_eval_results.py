"""Results for the Hub exist only behind a publishing gate pass, whatever is asked for."""

import dataclasses
import re
from functools import lru_cache

import factories
import pytest
import yaml
from export_samples import honest, subject

from faultline.card.model import Leaderboard
from faultline.errors import FaultlineError, RefusedError
from faultline.exporters import open_exporter
from faultline.exporters.hf_eval_results import results_of
from faultline.kinds import digest_bytes

SETTINGS = {"dataset": "our-lab/our-benchmark", "task": "repair"}


@lru_cache
def opened():
    """A subject whose gates all hold for publishing: nothing in it is marked as made for a test."""
    return subject(honest(factories.full()), **SETTINGS)


@lru_cache
def rehearsed():
    """A subject whose gates all hold in a rehearsal only."""
    return subject(factories.full(), publishing=False, **SETTINGS)


def made(of, clock):
    return open_exporter("hf-eval-results").export(of, clock).files


class TestRefusals:
    def test_withheld_is_refused(self, clock):
        """While a gate does not hold there is nothing to export, and the refusal names the gates."""
        with pytest.raises(RefusedError, match=r"withheld.*G1"):
            made(subject(honest(), **SETTINGS), clock)

    def test_a_rehearsal_is_refused(self, clock):
        """A pass for records made for a test opens nothing, though the card has a leaderboard."""
        of = rehearsed()

        assert of.evaluation.gate_pass is not None
        assert isinstance(of.card.leaderboard, Leaderboard)
        with pytest.raises(RefusedError, match="rehearsal"):
            made(of, clock)

    @pytest.mark.parametrize("thing", [None, True, "pass", object()])
    def test_nothing_else_is_a_pass(self, thing):
        """The function takes a gate pass, and only the evaluator can make one."""
        with pytest.raises(TypeError, match="gate pass"):
            results_of(thing, opened().card.leaderboard, None, SETTINGS)

    def test_a_pass_for_another_leaderboard_is_refused(self):
        """A pass opens the leaderboard that it is for and no other."""
        other = opened().card.leaderboard.model_copy(update={"gate_pass": digest_bytes(b"another report")})

        with pytest.raises(RefusedError, match="another leaderboard"):
            results_of(opened().evaluation.gate_pass, other, None, SETTINGS)

    def test_a_leaderboard_without_rows_is_refused(self):
        """Where no agent could be ranked there is nothing to export."""
        of = opened()

        with pytest.raises(RefusedError, match="no row"):
            results_of(of.evaluation.gate_pass, of.card.leaderboard.model_copy(update={"rows": ()}), None, SETTINGS)

    def test_settings_and_runs_are_checked(self, clock):
        """Both ids are needed, and no run can be chosen; everything is told at once."""
        of = dataclasses.replace(opened(), names=("evaluation-1",), options={})

        with pytest.raises(FaultlineError) as caught:
            made(of, clock)
        assert 3 == len(caught.value.diagnostics())

    @pytest.mark.parametrize("option", ["force", "publish", "yes", "rehearsal"])
    def test_no_setting_opens_it(self, clock, option):
        """There is no setting that forces an export."""
        exporter = open_exporter("hf-eval-results")

        with pytest.raises(RefusedError, match="no such setting"):
            exporter.check(subject(**(SETTINGS | {option: "1"})))


class TestResults:
    def test_each_agent_has_its_file(self, clock):
        """One file for each row of the leaderboard, in the folder of its agent."""
        assert {
            "mender/.eval_results/our-lab-our-benchmark.yaml",
            "tinker/.eval_results/our-lab-our-benchmark.yaml",
        } == {re.sub(r"-[0-9a-f]{8}\.yaml$", ".yaml", path) for path in made(opened(), clock)}

    def test_the_rate_is_that_of_the_leaderboard(self, clock):
        """Value, interval and date are those of the card; the date is text."""
        of = opened()
        rates = {row.agent: row for row in of.card.leaderboard.rows}
        for path, data in made(of, clock).items():
            (result,) = yaml.safe_load(data)
            row = rates[path.split("/")[0]]

            assert {"id": "our-lab/our-benchmark", "task_id": "repair"} == result["dataset"]
            assert (row.pass_at_1, f"{of.card.as_of:%Y-%m-%d}") == (result["value"], result["date"])
            assert f"{100 * row.low:.1f} to {100 * row.high:.1f} %" in result["notes"]
            assert row.method in result["notes"]

    def test_any_setting_stays_text(self, clock):
        """Whatever a setting holds, the file is YAML in which it is one text."""
        hostile = 'x"\n- dataset: {id: other}\n# \u2028 \x00'
        of = dataclasses.replace(opened(), options=SETTINGS | {"revision": hostile, "source": hostile})
        for data in made(of, clock).values():
            (result,) = yaml.safe_load(data)

            assert {"dataset", "value", "date", "source", "notes"} == set(result)
            assert result["dataset"]["revision"].startswith('x"\n- dataset')
