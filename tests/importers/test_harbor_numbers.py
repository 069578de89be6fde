"""Tokens, cost, time and published numbers of Harbor's jobs; retries, protocols and what lies beside a trial."""

import json
from pathlib import Path
from typing import Any

import pytest
from harbor_logs import (
    AGENT,
    UNUSED,
    USED,
    configured,
    exception,
    imported,
    old_trial,
    only,
    span,
    step,
    steps_of,
    trajectory,
    trial,
    uuid,
    write,
    write_job,
    write_old_job,
    write_trial,
)

from faultline.archive import read_run, verify_run
from faultline.records import Absent, Attempt, PublishedNumber, Usage

HOME = "/home"
"""Joined to account names here, so that no scanner takes this file for a leak."""

KEY = "scripted__acme/model-a__tasks"


def attempt(tmp_path: Path, result: dict[str, Any]) -> Attempt:
    """Import one trial, and return its attempt."""
    write_trial(tmp_path / "job", result)
    _, run = only(tmp_path / "job", tmp_path / "runs")
    return next(iter(run.trials)).last


def tokens(found: Attempt) -> tuple[object, object, object]:
    """Return uncached input, cache read and output; ``None`` for unknown."""
    if isinstance(found.usage, Absent):
        return None, None, None
    parts = found.usage.uncached_input, found.usage.cache_read, found.usage.output
    return tuple(None if isinstance(part, Absent) else part for part in parts)  # type: ignore[return-value]


class TestSpent:
    def test_input_includes_cached_tokens_so_uncached_is_the_difference(self, tmp_path: Path) -> None:
        assert (80, 20, 30) == tokens(attempt(tmp_path, trial("t__a")))

    def test_null_is_unknown_and_never_zero(self, tmp_path: Path) -> None:
        found = attempt(tmp_path, trial("t__a", agent_result=UNUSED))

        assert isinstance(found.usage, Absent)
        assert isinstance(found.cost, Absent)

    def test_zero_in_the_usage_by_model_beside_a_null_total_is_unknown(self, tmp_path: Path) -> None:
        by_model = {"model_usage": {"acme/model-a": {"n_input_tokens": 0, "n_cache_tokens": 0, "n_output_tokens": 0}}}

        assert (None, None, None) == tokens(attempt(tmp_path, trial("t__a", agent_result=UNUSED | by_model)))

    def test_without_the_cached_tokens_the_uncached_ones_are_unknown_and_the_sum_is_kept(self, tmp_path: Path) -> None:
        write_trial(tmp_path / "job", trial("t__a", agent_result=USED | {"n_cache_tokens": None}))

        _, run = only(tmp_path / "job", tmp_path / "runs")

        (found,) = run.trials
        assert (None, None, 30) == tokens(found.last)
        assert found.source is not None
        assert 100.0 == found.source.metrics["input tokens with cache"]

    @pytest.mark.parametrize(
        "usage", [{"n_cache_tokens": 101}, {"n_input_tokens": "100"}, {"n_input_tokens": -1}, {"n_input_tokens": 1.5}]
    )
    def test_counts_that_cannot_be_are_unknown_and_said(self, tmp_path: Path, usage: dict[str, object]) -> None:
        write_trial(tmp_path / "job", trial("t__a", agent_result=USED | usage))

        done, run = only(tmp_path / "job", tmp_path / "runs")

        (found,) = run.trials
        assert tokens(found.last)[0] is None
        assert any("token count that is no count" in note or "more cached than all" in note for note in done.report.notes)

    def test_a_trial_of_steps_uses_what_its_steps_use(self, tmp_path: Path) -> None:
        found = attempt(tmp_path, steps_of("t__a", step("one"), step("two", start=6)))

        assert (160, 40, 60) == tokens(found)
        assert "derived" == found.usage.source if isinstance(found.usage, Usage) else False
        assert "0.020000" == str(found.cost.usd) if not isinstance(found.cost, Absent) else False
        assert (4.0, 2.0) == (found.timing.agent, found.timing.grading)

    def test_a_sum_over_steps_is_unknown_when_one_step_is(self, tmp_path: Path) -> None:
        found = attempt(tmp_path, steps_of("t__a", step("one"), step("two", used=UNUSED | {"n_output_tokens": 1})))

        assert (None, None, 31) == tokens(found)
        assert isinstance(found.cost, Absent)

    def test_phases_give_set_up_agent_and_grading_seconds(self, tmp_path: Path) -> None:
        found = attempt(tmp_path, trial("t__a", verifier=None))

        assert (3.0, 4.0) == (found.timing.setup, found.timing.agent)
        assert isinstance(found.timing.grading, Absent)

    def test_times_without_offset_are_taken_as_utc_and_said(self, tmp_path: Path) -> None:
        naive = {name: value.rstrip("Z") for name, value in span(0, 10).items()}
        write_trial(tmp_path / "job", trial("t__a", **naive))

        done, _ = only(tmp_path / "job", tmp_path / "runs")

        assert any("times without offset, taken as UTC" in note for note in done.report.notes)

    @pytest.mark.parametrize("price", [-1, float("inf"), 1e300, "0.1", 10**400])
    def test_a_cost_that_is_none_is_unknown(self, tmp_path: Path, price: object) -> None:
        assert isinstance(attempt(tmp_path, trial("t__a", agent_result=USED | {"cost_usd": price})).cost, Absent)


class TestAgents:
    def test_both_ways_to_write_a_model_give_one_agent(self, tmp_path: Path) -> None:
        write_job(tmp_path / "new/job", trial("t__a"))
        write_old_job(tmp_path / "old/job", old_trial("t__b"))
        _, new = only(tmp_path / "new", tmp_path / "runs")
        _, old = only(tmp_path / "old", tmp_path / "more")

        one, other = new.manifest.agents[0], old.manifest.agents[0]

        assert ("acme/model-a", "acme") == (one.model, one.provider)
        assert (one.name, one.model, one.provider) == (other.name, other.model, other.provider)

    def test_a_version_that_is_called_unknown_is_unknown(self, tmp_path: Path) -> None:
        write_old_job(tmp_path / "job", old_trial("t__a"))

        _, run = only(tmp_path / "job", tmp_path / "runs")

        assert isinstance(run.manifest.agents[0].version, Absent)


class TestRetries:
    def test_a_job_that_deleted_attempts_says_at_least_how_many_there_were(self, tmp_path: Path) -> None:
        write_job(tmp_path / "job", trial("t__a"), trial("t__b"), stats={"n_retries": 3})

        done, run = only(tmp_path / "job", tmp_path / "runs")

        assert any("at least 5 attempts were made for 2 trials" in note for note in done.report.notes)
        assert {False} == {t.attempts_complete for t in run.trials}

    def test_without_retries_the_attempts_are_complete(self, tmp_path: Path) -> None:
        write_job(tmp_path / "job", trial("t__a"))

        _, run = only(tmp_path / "job", tmp_path / "runs")

        assert {True} == {t.attempts_complete for t in run.trials}


class TestPublished:
    def lines(self, tmp_path: Path, *results: dict[str, Any], **evaluation: Any) -> dict[str, PublishedNumber]:
        """Import a job with one published evaluation, and return what became of its numbers."""
        write_job(tmp_path / "job", *results, stats={"evals": {KEY: evaluation}})
        done, _ = only(tmp_path / "job", tmp_path / "runs")
        return {line.name: line for line in done.report.headlines}

    def test_a_mean_over_the_trials_that_worked_says_what_it_leaves_out(self, tmp_path: Path) -> None:
        down = [trial(f"{task}__a", raised=exception("HealthcheckError")) for task in "uvw"]

        line = self.lines(tmp_path, trial("t__a"), *down, metrics=[{"mean": 1.0}])[f"{KEY}: mean"]

        assert (1.0, 1.0) == (line.published, line.recomputed)
        assert "over 1 of 4 trials, on 1 of 4 tasks; left out: HealthcheckError 3" == line.note

    def test_a_reward_that_other_tasks_do_not_have_counts_as_0_and_the_note_says_so(self, tmp_path: Path) -> None:
        results = trial("t__a", rewards={"correct": 1, "style": 0.5}), trial("u__a"), trial("v__a"), trial("w__a")

        lines = self.lines(tmp_path, *results, metrics=[{"correct": 0.25, "reward": 0.75, "style": 0.125}])

        assert {0.25, 0.75, 0.125} == {line.recomputed for line in lines.values()}
        assert "3 of them do not have this reward and count as 0" in lines[f"{KEY}: correct"].note

    def test_pass_at_k_is_over_the_tasks_with_a_valid_trial(self, tmp_path: Path) -> None:
        worked = [trial(f"t__{n}", rewards={"reward": reward}) for n, reward in enumerate([1, 1, 0])]

        lines = self.lines(tmp_path, *worked, trial("u__a", raised=exception("SSHAccessError")), pass_at_k={"2": 1.0})

        line = lines[f"{KEY}: pass@2"]
        assert (1.0, 1.0) == (line.published, pytest.approx(line.recomputed))
        assert line.note.startswith("over 1 of 2 tasks")

    def test_pass_at_k_is_not_computed_over_survivors(self, tmp_path: Path) -> None:
        lines = self.lines(tmp_path, trial("t__a"), trial("t__b"), trial("u__a"), pass_at_k={"2": 1.0})

        assert isinstance(lines[f"{KEY}: pass@2"].recomputed, Absent)

    def test_a_number_that_the_rows_contradict_is_said(self, tmp_path: Path) -> None:
        line = self.lines(tmp_path, trial("t__a", rewards={"reward": 0}), metrics=[{"mean": 0.9}])[f"{KEY}: mean"]

        assert (0.9, 0.0) == (line.published, line.recomputed)
        assert line.note.startswith("the rows say otherwise")

    @pytest.mark.parametrize(("kind", "value"), [("sum", 1.5), ("max", 1.0), ("min", 0.5)])
    def test_other_metrics_of_harbor_are_computed_again(self, tmp_path: Path, kind: str, value: float) -> None:
        results = trial("t__a"), trial("u__a", rewards={"reward": 0.5})

        assert value == self.lines(tmp_path, *results, metrics=[{kind: value}])[f"{KEY}: {kind}"].recomputed

    def test_the_number_of_a_script_cannot_be_computed_again(self, tmp_path: Path) -> None:
        stats = {"evals": {KEY: {"metrics": [{"elo": 1400}]}}}
        write_job(tmp_path / "job", trial("t__a"), stats=stats, config={"metrics": [{"type": "uv-script"}]})

        done, _ = only(tmp_path / "job", tmp_path / "runs")

        assert isinstance(done.report.headlines[0].recomputed, Absent)

    def test_an_older_job_counts_a_trial_without_reward_as_0_under_the_same_words(self, tmp_path: Path) -> None:
        key = "scripted__model-a__tasks"
        results = old_trial("t__a"), old_trial("u__a", raised=exception("RuntimeError"))
        write_old_job(tmp_path / "job", *results, stats={"evals": {key: {"n_trials": 1, "metrics": [{"mean": 0.5}]}}})

        done, _ = only(tmp_path / "job", tmp_path / "runs")

        (line,) = done.report.headlines
        assert (0.5, 0.5, "over all 2 trials, 1 without a reward as 0") == (line.published, line.recomputed, line.note)

    def test_the_key_of_an_evaluation_is_never_taken_apart(self, tmp_path: Path) -> None:
        info = {"name": "a__b", "version": "1", "model_info": {"name": "x/y__z", "provider": None}}
        result = trial("t__a", source="d__e", agent_info=info)
        write_job(tmp_path / "job", result, stats={"evals": {"a__b__x/y__z__d__e": {"metrics": [{"mean": 1.0}]}}})

        done, _ = only(tmp_path / "job", tmp_path / "runs")

        assert [1.0] == [line.recomputed for line in done.report.headlines]

    def test_a_published_number_without_rows_is_shown_and_not_computed(self, tmp_path: Path) -> None:
        write_job(tmp_path / "job", trial("t__a"), stats={"evals": {"other__tasks": {"metrics": [{"mean": 0.5}]}}})

        done, _ = only(tmp_path / "job", tmp_path / "runs")

        assert [(0.5, True)] == [(line.published, isinstance(line.recomputed, Absent)) for line in done.report.headlines]

    def test_the_cost_of_a_job_says_over_how_many_trials_it_is(self, tmp_path: Path) -> None:
        results = trial("t__a"), trial("u__a", agent_result=UNUSED)
        write_job(tmp_path / "job", *results, stats={"cost_usd": 0.01})

        done, _ = only(tmp_path / "job", tmp_path / "runs")

        (line,) = done.report.headlines
        assert (0.01, 0.01) == (line.published, line.recomputed)
        assert line.note.startswith("over 1 of 2 trials, which know their cost")

    def test_a_job_that_counts_other_trials_than_lie_there_is_said(self, tmp_path: Path) -> None:
        write_job(tmp_path / "job", trial("t__a"), stats={"n_completed_trials": 9})

        done, _ = only(tmp_path / "job", tmp_path / "runs")

        assert "the job counts 9 finished trials, the source holds 1" in done.report.notes


class TestProtocol:
    def test_what_bears_on_results_stands_in_the_manifest(self, tmp_path: Path) -> None:
        lock = {"harbor": {"version": "0.26.0", "is_editable": True, "git_commit_hash": "abc"}}
        write_job(tmp_path / "job", trial("t__a"), config={"datasets": [{"name": "set", "version": "2.0"}]}, lock=lock)

        _, run = only(tmp_path / "job", tmp_path / "runs")

        assert run.manifest.imported is not None
        told = run.manifest.imported.protocol
        assert ("1", "1.0", "1", "true", "abc", "set@2.0", '["AgentTimeoutError"]') == (
            told["n_attempts"],
            told["timeout_multiplier"],
            told["retry.max_retries"],
            told["harbor.is_editable"],
            told["harness commit"],
            told["datasets"],
            told["retry.exclude_exceptions"],
        )

    def test_trials_under_other_limits_are_a_difference(self, tmp_path: Path) -> None:
        write_job(tmp_path / "job", trial("t__a"), trial("t__b"), configured(trial("t__c"), timeout_multiplier=2.0))

        done, _ = only(tmp_path / "job", tmp_path / "runs")

        assert ("timeout_multiplier: 1.0 in 2 trials, 2.0 in 1 trials",) == done.report.protocol

    def test_trials_under_other_limits_than_the_jobs_are_a_difference(self, tmp_path: Path) -> None:
        write_job(tmp_path / "job", configured(trial("t__a"), timeout_multiplier=2.0))

        done, _ = only(tmp_path / "job", tmp_path / "runs")

        assert ("timeout_multiplier: 2.0 in the trials, 1.0 in the job's configuration",) == done.report.protocol

    def test_another_configuration_of_one_agent_is_a_difference(self, tmp_path: Path) -> None:
        other = configured(trial("t__b"), agent=AGENT | {"kwargs": {"effort": "high"}})
        write_job(tmp_path / "job", trial("t__a"), other)

        done, _ = only(tmp_path / "job", tmp_path / "runs")

        assert ('agent.kwargs: {"effort": "high"} in 1 trials, {} in 1 trials',) == done.report.protocol

    def test_two_versions_of_an_agent_are_a_difference_inside_one_run(self, tmp_path: Path) -> None:
        newer = trial("t__b") | {"agent_info": trial("t__b")["agent_info"] | {"version": "0.2.0"}}
        write_job(tmp_path / "job", trial("t__a"), newer)

        done, run = only(tmp_path / "job", tmp_path / "runs")

        assert ("agent version: 0.1.0 in 1 trials, 0.2.0 in 1 trials",) == done.report.protocol
        assert "0.1.0, 0.2.0" == run.manifest.agents[0].version

    def test_copies_of_a_job_from_two_versions_of_harbor_are_a_difference(self, tmp_path: Path) -> None:
        write_job(tmp_path / "in/a/job", trial("t__a"))
        write_job(tmp_path / "in/b/job", trial("t__b"), lock={"harbor": {"version": "0.25.0"}})

        done, _ = only(tmp_path / "in", tmp_path / "runs")

        assert any(line.startswith("harbor.version: 0.25.0, 0.26.0") for line in done.report.protocol)


class TestBeside:
    def test_the_older_plugins_report_is_read_in_seconds(self, tmp_path: Path) -> None:
        place = write_trial(tmp_path / "job", trial("t__a"))
        tests = [
            {"status": "passed", "duration": 0.25},
            {"status": "failed", "duration": 0.5},
            {"status": "skipped", "duration": 0},
        ]
        write(place / "verifier/ctrf.json", {"results": {"summary": {"start": 1764424000.1}, "tests": tests}})

        _, run = only(tmp_path / "job", tmp_path / "runs")

        (found,) = run.trials
        assert found.source is not None
        assert found.source.tests is not None
        assert (1, 1, 1) == (found.source.tests.passed, found.source.tests.failed, found.source.tests.other)
        assert 0.75 == found.source.metrics["test seconds"]

    @pytest.mark.parametrize("report", [{"reportFormat": "CTRF"}, {"results": {"summary": {"start": 1764424000100}}}])
    def test_a_report_in_milliseconds_is_known_by_its_name_or_the_size_of_its_times(self, tmp_path: Path, report: dict) -> None:
        place = write_trial(tmp_path / "job", trial("t__a"))
        results = report.get("results", {}) | {"tests": [{"status": "passed", "duration": 250}]}
        write(place / "verifier/ctrf.json", report | {"results": results})

        _, run = only(tmp_path / "job", tmp_path / "runs")

        (found,) = run.trials
        assert found.source is not None
        assert 0.25 == found.source.metrics["test seconds"]

    @pytest.mark.parametrize("report", ["[]", "{}", "{broken", '{"results": {"summary": {"tests": -1}}}'])
    def test_a_report_that_cannot_be_read_is_a_note_and_the_trial_stands(self, tmp_path: Path, report: str) -> None:
        place = write_trial(tmp_path / "job", trial("t__a"))
        (place / "verifier").mkdir()
        (place / "verifier/ctrf.json").write_text(report)

        done, run = only(tmp_path / "job", tmp_path / "runs")

        assert [None] == [t.source.tests for t in run.trials if t.source]
        assert any("verifier/ctrf.json" in note for note in done.report.notes)

    def test_a_trajectory_becomes_the_trace_and_its_work_is_counted(self, tmp_path: Path) -> None:
        place = write_trial(tmp_path / "job", trial("t__a"))
        write(place / "agent/trajectory.json", trajectory(copied=2, calls=3))

        done, run = only(tmp_path / "job", tmp_path / "runs")

        (found,) = run.trials
        assert found.source is not None
        assert (1.0, 3.0, 2.0) == (
            found.source.metrics["trajectory steps"],
            found.source.metrics["trajectory tool calls"],
            found.source.metrics["trajectory steps copied for context"],
        )
        (artifact,) = found.last.artifacts
        kept = json.loads((tmp_path / "runs" / done.run / artifact.path).read_text())
        assert ("ATIF-v1.7", 4, {"faultline_trial": uuid("t__a")}) == (
            kept["schema_version"],
            len(kept["steps"]),
            kept["extra"],
        )

    def test_the_trajectories_of_steps_and_continuations_become_one_trace(self, tmp_path: Path) -> None:
        place = write_trial(tmp_path / "job", steps_of("t__a", step("one"), step("two")))
        write(place / "steps/one/agent/trajectory.json", trajectory(continued_trajectory_ref="more.json"))
        write(place / "steps/one/agent/more.json", trajectory(copied=1, continued_trajectory_ref="trajectory.json"))
        write(place / "steps/two/agent/trajectory.json", trajectory(continued_trajectory_ref="../../../../../secret.json"))

        done, run = only(tmp_path / "job", tmp_path / "runs")

        (found,) = run.trials
        kept = json.loads((tmp_path / "runs" / done.run / found.last.artifacts[0].path).read_text())
        assert [1, 2, 3, 4, 5, 6, 7] == [item["step_id"] for item in kept["steps"]]
        assert ["one"] * 5 + ["two"] * 2 == [item["extra"]["faultline_part"] for item in kept["steps"]]
        assert found.source is not None
        assert 3.0 == found.source.metrics["trajectory steps"]

    def test_a_file_that_is_no_trajectory_is_left_out_and_said(self, tmp_path: Path) -> None:
        place = write_trial(tmp_path / "job", trial("t__a"))
        write(place / "agent/trajectory.json", {"messages": []})

        done, run = only(tmp_path / "job", tmp_path / "runs")

        assert [()] == [t.last.artifacts for t in run.trials]
        assert any("the trajectory is left out" in note for note in done.report.notes)

    def test_trials_with_one_trajectory_are_said_and_the_run_stays_whole(self, tmp_path: Path) -> None:
        job = write_job(tmp_path / "job", trial("t__a"), trial("t__b"))
        for name in ("t__a", "t__b"):
            write(job / name / "agent/trajectory.json", trajectory())

        done, _ = only(job, tmp_path / "runs")

        assert any("2 trials have the same trajectory, byte for byte" in note for note in done.report.notes)
        assert not verify_run(tmp_path / "runs" / done.run)


class TestReport:
    def test_fields_without_a_home_are_counted(self, tmp_path: Path) -> None:
        result = trial("t__a", novelty={"a": 1, "b": None}) | {"agent_result": USED | {"metadata": {"x": 1}}}
        write_job(tmp_path / "job", result, trial("t__b"))

        done, _ = only(tmp_path / "job", tmp_path / "runs")

        assert (1, 1) == (done.report.homeless["novelty.a"], done.report.homeless["agent_result.metadata"])
        assert "novelty.b" not in done.report.homeless

    def test_the_account_name_in_a_trials_address_is_taken_out_of_all_texts(self, tmp_path: Path) -> None:
        raised = exception("OddError") | {
            "exception_message": f"zaphod cannot write to {HOME}/zaphod/jobs, says zaphod@heartofgold.org"
        }
        result = trial("t__a", raised=raised, trial_uri=f"file://{HOME}/zaphod/jobs/job/t__a")
        place = write_trial(tmp_path / "job", result)
        write(place / "agent/trajectory.json", trajectory(notes="as zaphod"))

        done, _ = only(tmp_path / "job", tmp_path / "runs")

        texts = [path.read_bytes() for path in (tmp_path / "runs").rglob("*") if path.is_file()]
        assert not any(b"zaphod" in data for data in texts)
        assert 2 <= done.report.redactions["user name"]

    def test_a_key_in_a_message_is_taken_out(self, tmp_path: Path) -> None:
        key = "sk-" + "ant-" + "a1B2" * 8
        raised = exception("OddError") | {"exception_message": f"refused {key}"}
        write_trial(tmp_path / "job", trial("t__a", raised=raised))

        done, _ = only(tmp_path / "job", tmp_path / "runs")

        assert {"model provider key": 1} == dict(done.report.redactions)
        assert not any(key.encode() in path.read_bytes() for path in (tmp_path / "runs").rglob("*") if path.is_file())

    def test_every_imported_run_is_whole_and_reads_back(self, tmp_path: Path) -> None:
        write_job(tmp_path / "in/job", trial("t__a"), trial("t__b", raised=exception("SSHAccessError")), attempts=4)

        for done in imported(tmp_path / "in", tmp_path / "runs"):
            assert not verify_run(tmp_path / "runs" / done.run)
            assert done.report.rows_out + done.report.missing == len(list(read_run(tmp_path / "runs" / done.run).trials))
