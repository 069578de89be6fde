"""How a Harbor trial ended: every exception's rule, rewards, and which of several decides."""

from pathlib import Path

import pytest
from harbor_logs import exception, imported, only, shown, step, steps_of, trial, write_job, write_trial

from faultline.errors import BadInputError
from faultline.importers.rules import rules

NAMED = [rule for rule in rules().values() if rule.format == "harbor" and rule.field == "exception_info.exception_type"]
NAMED = [rule for rule in NAMED if rule.id != "HB-90"]


def one(tmp_path: Path, result: dict, **options: str) -> tuple[str, bool, str]:
    """Import one trial, and return its verdict, whether it counts, and its rule."""
    write_trial(tmp_path / "job", result)
    _, run = only(tmp_path / "job", tmp_path / "runs", **options)
    ((_, verdict, scoreable, rule),) = shown(run)
    return verdict, scoreable, rule


class TestExceptions:
    def test_harbors_table_has_58_names_and_each_has_its_rule_class_and_blame(self, tmp_path: Path) -> None:
        assert 58 == len(NAMED)
        write_job(tmp_path / "job", *(trial(f"t{n}__a", raised=exception(rule.value)) for n, rule in enumerate(NAMED)))

        _, run = only(tmp_path / "job", tmp_path / "runs")

        found = {t.source.native_status: (t.outcome.rule, t.outcome.status, t.outcome.blame) for t in run.trials if t.source}
        assert {rule.value: (rule.id, rule.status, rule.blame) for rule in NAMED} == found
        assert not any(t.outcome.scoreable for t in run.trials)

    @pytest.mark.parametrize("name", ["UpstreamGlitchError", "any", "null, rewards present", "<any other name>", "Passed"])
    def test_a_name_that_is_not_in_the_table_is_unknown_and_does_not_count_whatever_it_is(
        self, tmp_path: Path, name: str
    ) -> None:
        result = trial("t__a", rewards={"reward": 1.0}, raised=exception(name, valid=True))

        assert ("none", False, "HB-90") == one(tmp_path, result)

    def test_the_report_says_how_many_rows_an_unknown_name_moves(self, tmp_path: Path) -> None:
        odd = trial("t__b", rewards={"reward": 1.0}, raised=exception("OddError", valid=True))
        write_job(tmp_path / "job", trial("t__a"), odd)

        done, _ = only(tmp_path / "job", tmp_path / "runs")

        assert any("1 of 2 trials count at Harbor and not here" in note for note in done.report.notes)
        assert any("OddError 1" in note for note in done.report.notes)

    @pytest.mark.parametrize("name", ["AgentTimeoutError", "NonZeroAgentExitCodeError", "ContextLengthExceededError"])
    def test_a_failure_of_the_agent_counts_when_there_is_a_reward(self, tmp_path: Path, name: str) -> None:
        verdict, scoreable, _ = one(tmp_path, trial("t__a", rewards={"reward": 1.0}, raised=exception(name, valid=True)))

        assert ("passed", True) == (verdict, scoreable)

    def test_a_time_out_without_a_reward_has_no_verdict_and_may_mask_a_verifier_that_failed(self, tmp_path: Path) -> None:
        raised = exception("AgentTimeoutError", valid=True)
        write_trial(tmp_path / "job", trial("t__a", raised=raised, reward_valid=False))

        done, run = only(tmp_path / "job", tmp_path / "runs")

        assert [("none", False, "HB-52")] == [row[1:] for row in shown(run)]
        assert any("would be masked" in note for note in done.report.notes)

    def test_a_reward_that_harbor_calls_invalid_and_the_rule_does_not_is_said(self, tmp_path: Path) -> None:
        write_trial(tmp_path / "job", trial("t__a", rewards={"reward": 1.0}, raised=exception("AgentTimeoutError")))

        done, run = only(tmp_path / "job", tmp_path / "runs")

        assert [("passed", True, "HB-52")] == [row[1:] for row in shown(run)]
        assert "1 of 1 trials count here and not at Harbor: it calls their reward invalid" in done.report.notes

    def test_a_rate_limit_after_grading_leaves_a_reward_that_does_not_count_and_is_kept(self, tmp_path: Path) -> None:
        write_trial(tmp_path / "job", trial("t__a", rewards={"reward": 1.0}, raised=exception("ApiRateLimitError")))

        _, run = only(tmp_path / "job", tmp_path / "runs")

        assert [("none", False, "HB-14")] == [row[1:] for row in shown(run)]
        (found,) = run.trials
        assert found.source is not None
        assert ("passed", 1.0) == (found.source.native_verdict, found.source.score)

    @pytest.mark.parametrize("rewards", [{}, None])
    def test_no_exception_and_no_reward_is_the_verifiers_failure(self, tmp_path: Path, rewards: dict | None) -> None:
        result = trial("t__a") | {"verifier_result": {"rewards": rewards}}

        assert ("none", False, "HB-92") == one(tmp_path, result)

    def test_a_verifier_that_was_switched_off_is_said(self, tmp_path: Path) -> None:
        result = trial("t__a") | {"verifier_result": None}
        result["config"]["verifier"] = {"disable": True}
        write_trial(tmp_path / "job", result)

        done, _ = only(tmp_path / "job", tmp_path / "runs")

        assert "1 of 1 trials ran with the verifier switched off" in done.report.notes


class TestSteps:
    def test_a_failure_on_a_step_decides_although_the_trials_own_field_is_null(self, tmp_path: Path) -> None:
        result = steps_of("t__a", step("one"), step("two", raised=exception("ApiOverloadedError")))

        assert ("none", False, "HB-93 HB-16") == one(tmp_path, result)

    def test_a_steps_time_out_counts_when_the_trial_has_a_reward(self, tmp_path: Path) -> None:
        result = steps_of("t__a", step("one", raised=exception("AgentTimeoutError", valid=True)), step("two"))

        assert ("passed", True, "HB-93 HB-52") == one(tmp_path, result)

    def test_one_exception_does_not_hide_a_stricter_one_and_both_are_kept(self, tmp_path: Path) -> None:
        steps = (
            step("one", raised=exception("NonZeroAgentExitCodeError", valid=True)),
            step("two", raised=exception("SSHAccessError")),
        )
        write_trial(tmp_path / "job", steps_of("t__a", *steps, exception_info=exception("AgentTimeoutError", valid=True)))

        _, run = only(tmp_path / "job", tmp_path / "runs")

        (found,) = run.trials
        assert found.source is not None
        assert "HB-93 HB-07" == found.outcome.rule
        assert "two: SSHAccessError, AgentTimeoutError, one: NonZeroAgentExitCodeError" == found.source.native_status
        assert "AgentTimeoutError, one: NonZeroAgentExitCodeError" == found.source.extra["other exceptions"]

    def test_the_rewards_of_steps_are_kept_and_only_the_trials_decides(self, tmp_path: Path) -> None:
        result = steps_of("t__a", step("one"), step("two"), rewards={"reward": 0.5})
        write_trial(tmp_path / "job", result)

        _, run = only(tmp_path / "job", tmp_path / "runs")

        (found,) = run.trials
        assert found.source is not None
        assert "failed" == found.outcome.verdict
        assert 1.0 == found.source.metrics["step one: reward"]


class TestRewards:
    @pytest.mark.parametrize(
        ("reward", "verdict"),
        [(1, "passed"), (1.0, "passed"), (0, "failed"), (0.33, "failed"), (0.999999, "failed"), (-1, "failed")],
    )
    def test_only_the_maximum_passes_and_a_fraction_fails_with_its_score(
        self, tmp_path: Path, reward: float, verdict: str
    ) -> None:
        write_trial(tmp_path / "job", trial("t__a", rewards={"reward": reward}))

        _, run = only(tmp_path / "job", tmp_path / "runs")

        (found,) = run.trials
        assert found.source is not None
        assert (verdict, float(reward)) == (found.outcome.verdict, found.source.score)

    def test_the_only_reward_decides_whatever_it_is_called(self, tmp_path: Path) -> None:
        assert ("passed", True, "HB-91") == one(tmp_path, trial("t__a", rewards={"accuracy": 1}))

    def test_of_several_the_one_called_reward_decides(self, tmp_path: Path) -> None:
        assert ("failed", True, "HB-91") == one(tmp_path, trial("t__a", rewards={"reward": 0, "style": 1}), reward="style")

    def test_of_several_others_the_chosen_one_decides_and_all_are_kept(self, tmp_path: Path) -> None:
        write_trial(tmp_path / "job", trial("t__a", rewards={"correct": 1, "style": 0.25}))

        _, run = only(tmp_path / "job", tmp_path / "runs", reward="correct")

        (found,) = run.trials
        assert found.source is not None
        assert ("passed", 1.0, 0.25) == (found.outcome.verdict, found.source.metrics["correct"], found.source.metrics["style"])

    def test_of_several_others_none_decides_by_itself_and_they_are_never_averaged(self, tmp_path: Path) -> None:
        write_trial(tmp_path / "job", trial("t__a", rewards={"correct": 1, "style": 1}))

        done, run = only(tmp_path / "job", tmp_path / "runs")

        assert [("none", False, "HB-91")] == [row[1:] for row in shown(run)]
        assert any("have rewards and no verdict: several rewards" in note for note in done.report.notes)

    def test_reward_names_may_differ_between_the_tasks_of_a_job(self, tmp_path: Path) -> None:
        write_job(tmp_path / "job", trial("a__a", rewards={"correct": 1, "style": 0}), trial("b__a", rewards={"reward": 0}))

        _, run = only(tmp_path / "job", tmp_path / "runs", reward="correct")

        assert ["passed", "failed"] == [row[1] for row in shown(run)]

    def test_a_choice_that_decides_nothing_is_said(self, tmp_path: Path) -> None:
        write_trial(tmp_path / "job", trial("t__a"))

        done, _ = only(tmp_path / "job", tmp_path / "runs", reward="corect")

        assert any("reward=corect decided no trial" in note for note in done.report.notes)

    def test_another_maximum_can_be_given(self, tmp_path: Path) -> None:
        assert ("passed", True, "HB-91") == one(tmp_path, trial("t__a", rewards={"reward": 10}), maximum="10")

    @pytest.mark.parametrize("given", ["", "0", "-1", "nan", "inf", "ten"])
    def test_a_maximum_that_is_none_is_refused(self, tmp_path: Path, given: str) -> None:
        write_trial(tmp_path / "job", trial("t__a"))

        with pytest.raises(BadInputError, match="largest reward"):
            imported(tmp_path / "job", tmp_path / "runs", maximum=given)

    @pytest.mark.parametrize(("reward", "why"), [(2, "above the maximum"), (float("nan"), "no finite number")])
    def test_a_reward_that_cannot_be_read_as_a_verdict_gives_none(self, tmp_path: Path, reward: float, why: str) -> None:
        write_trial(tmp_path / "job", trial("t__a", rewards={"reward": reward}))

        done, run = only(tmp_path / "job", tmp_path / "runs")

        assert [("none", False)] == [row[1:3] for row in shown(run)]
        assert any(why in note for note in done.report.notes)

    @pytest.mark.parametrize("reward", [True, "1", None, [1], {"value": 1}])
    def test_a_reward_that_is_no_number_is_refused_with_its_place(self, tmp_path: Path, reward: object) -> None:
        write_trial(tmp_path / "job", trial("t__a", rewards={"reward": reward}))

        with pytest.raises(BadInputError, match=r"t__a/result.json: the field verifier_result.rewards.reward"):
            imported(tmp_path / "job", tmp_path / "runs")
        assert not (tmp_path / "runs").exists()

    def test_a_verifiers_file_that_says_otherwise_than_the_result_is_said(self, tmp_path: Path) -> None:
        place = write_trial(tmp_path / "job", trial("t__a"))
        (place / "verifier").mkdir()
        (place / "verifier/reward.txt").write_text("0\n")

        done, _ = only(tmp_path / "job", tmp_path / "runs")

        assert any("another reward in the verifier's own file" in note for note in done.report.notes)
