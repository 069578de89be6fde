"""What the importer of Inspect logs makes of rows: status rules, verdicts, attempts, tokens, plans and published numbers."""

import json
import math
from typing import ClassVar

import pytest
from importers.inspect_logs import (
    DEFLATE,
    ZSTANDARD,
    accuracy,
    eval_log,
    header,
    imported,
    json_log,
    member_name,
    only,
    sample,
    summary,
    trials,
    write_zip,
)

from faultline.archive import read_manifest
from faultline.errors import BadInputError, ConflictError
from faultline.kinds import Blame, StatusClass, Verdict
from faultline.records import Absent, Cost, Usage

CRASH = {"message": "RuntimeError('container exited')", "traceback": "", "traceback_ansi": ""}
STOPPED = {"message": "CancelledError('cancel scope')", "traceback": "", "traceback_ansi": ""}
WHO = {"timestamp": "2026-11-02T00:00:00Z", "author": "a reviewer", "reason": "the network was down", "metadata": {}}


def scored(value, **fields):
    return {"scores": {"includes": {"value": value} | fields}}


RULES = [
    pytest.param(scored("C"), "IN-40", StatusClass.COMPLETED, Verdict.PASSED, id="a score is a verdict"),
    pytest.param(scored("I"), "IN-40", StatusClass.COMPLETED, Verdict.FAILED, id="I is failed"),
    pytest.param(scored("P"), "IN-40", StatusClass.COMPLETED, Verdict.FAILED, id="partial credit is failed, with its score"),
    pytest.param(scored("N"), "IN-40", StatusClass.COMPLETED, Verdict.FAILED, id="no answer is failed"),
    pytest.param(scored(1), "IN-40", StatusClass.COMPLETED, Verdict.PASSED, id="1 is passed"),
    pytest.param(scored(0.33), "IN-40", StatusClass.COMPLETED, Verdict.FAILED, id="a fraction is failed"),
    pytest.param(scored(True), "IN-40", StatusClass.COMPLETED, Verdict.PASSED, id="true is passed"),
    pytest.param(scored("no"), "IN-40", StatusClass.COMPLETED, Verdict.FAILED, id="the word no is failed"),
    pytest.param(scored("perhaps"), "IN-40", StatusClass.COMPLETED, Verdict.NONE, id="a word that means nothing is no verdict"),
    pytest.param(scored(math.nan), "IN-25", StatusClass.VERIFIER, Verdict.NONE, id="NaN is not scored"),
    pytest.param(
        scored(math.nan, reason="grader_failed"),
        "IN-20",
        StatusClass.VERIFIER,
        Verdict.NONE,
        id="a grader that failed is the verifier's",
    ),
    pytest.param(
        scored(math.nan, reason="scoring_failed"),
        "IN-21",
        StatusClass.VERIFIER,
        Verdict.NONE,
        id="a scorer that failed is the verifier's",
    ),
    pytest.param(
        scored("I", reason="refusal"), "IN-22", StatusClass.AGENT_FAILURE, Verdict.FAILED, id="a refusal is the agent's"
    ),
    pytest.param(
        scored("I", reason="no_response"), "IN-23", StatusClass.AGENT_FAILURE, Verdict.FAILED, id="no response is the agent's"
    ),
    pytest.param(
        scored("I", reason="invalid_response_format"),
        "IN-24",
        StatusClass.AGENT_FAILURE,
        Verdict.FAILED,
        id="a wrong form is the agent's",
    ),
    pytest.param(
        scored("C", reason="a word of its own"),
        "IN-40",
        StatusClass.COMPLETED,
        Verdict.PASSED,
        id="an unknown reason changes nothing",
    ),
    pytest.param(
        scored(math.nan, metadata={"unscored_reason": "grader_failed"}),
        "IN-20",
        StatusClass.VERIFIER,
        Verdict.NONE,
        id="older logs have the reason in the metadata",
    ),
    pytest.param({"scores": {}}, "IN-26", StatusClass.VERIFIER, Verdict.NONE, id="no score is no verdict"),
    pytest.param({"scores": None}, "IN-26", StatusClass.VERIFIER, Verdict.NONE, id="null scores are no verdict"),
    pytest.param(
        {"scores": {}, "error": CRASH}, "IN-01", StatusClass.UNKNOWN, Verdict.NONE, id="an error tells not whose it was"
    ),
    pytest.param(
        {"error": STOPPED, "scores": {}},
        "IN-02",
        StatusClass.CANCELLED,
        Verdict.NONE,
        id="cancelled beside another one's error",
    ),
    pytest.param({"error": CRASH}, "IN-03", StatusClass.UNKNOWN, Verdict.NONE, id="an errored sample's score is no verdict"),
    *(
        pytest.param(
            {"limit": {"type": word, "limit": 9}}, rule, StatusClass.LIMIT, Verdict.PASSED, id=f"the {word} limit and a pass"
        )
        for word, rule in [
            ("context", "IN-10"),
            ("time", "IN-11"),
            ("working", "IN-12"),
            ("message", "IN-13"),
            ("token", "IN-14"),
            ("turn", "IN-15"),
            ("cost", "IN-16"),
            ("custom", "IN-18"),
            ("a new one", "IN-18"),
        ]
    ),
    pytest.param(
        {"limit": {"type": "operator"}}, "IN-17", StatusClass.CANCELLED, Verdict.NONE, id="a person's stop is cancelled"
    ),
    pytest.param(
        {"limit": {"type": "time"}} | scored("I", reason="no_response"),
        "IN-11",
        StatusClass.LIMIT,
        Verdict.FAILED,
        id="a limit wins over a reason",
    ),
    pytest.param(
        {"limit": {"type": "time"}} | scored(math.nan), "IN-11", StatusClass.LIMIT, Verdict.NONE, id="a limit wins over NaN"
    ),
    pytest.param(
        {"limit": {"type": "time"}, "error": CRASH}, "IN-03", StatusClass.UNKNOWN, Verdict.NONE, id="an error wins over a limit"
    ),
    pytest.param(
        {"error": CRASH, "invalidation": WHO}, "IN-30", StatusClass.UNKNOWN, Verdict.NONE, id="invalidation wins over all"
    ),
]


class TestRules:
    @pytest.mark.parametrize(("fields", "rule", "status", "verdict"), RULES)
    def test_each_end_of_a_sample_has_its_rule(self, tmp_path, fields, rule, status, verdict):
        run, trial = only(json_log(tmp_path / "log.json", sample(**fields)), tmp_path / "runs")

        assert (rule, status, verdict) == (trial.outcome.rule, trial.outcome.status, trial.outcome.verdict)
        assert {rule: 1} == run.report.rules

    @pytest.mark.parametrize(("fields", "rule", "status", "verdict"), RULES)
    def test_an_archive_says_the_same_as_a_document(self, tmp_path, fields, rule, status, verdict):
        """Rows of an archive come from its summaries, which are shaped otherwise."""
        log = eval_log(tmp_path / "log.eval", sample(**fields))
        if "invalidation" in fields:
            log = eval_log(tmp_path / "log.eval", sample(**fields))
            log = write_zip(
                log,
                [
                    (member_name(sample()), json.dumps(sample(**fields))),
                    ("summaries.json", json.dumps([summary(sample(**fields))])),
                    ("header.json", json.dumps(header(sample()) | {"invalidated": True})),
                ],
            )
        _, trial = only(log, tmp_path / "runs")

        assert (rule, status, verdict) == (trial.outcome.rule, trial.outcome.status, trial.outcome.verdict)

    def test_an_invalidation_keeps_author_reason_and_the_verdict_that_it_took_away(self, tmp_path):
        _, trial = only(json_log(tmp_path / "log.json", sample(invalidation=WHO)), tmp_path / "runs")

        assert "invalidated by a reviewer: the network was down" == trial.source.native_message
        assert "2026-11-02T00:00:00Z" == trial.source.extra["invalidated at"]
        assert ("passed", Verdict.NONE, Blame.USER) == (trial.source.native_verdict, trial.outcome.verdict, trial.outcome.blame)

    def test_an_errored_samples_score_is_kept_as_a_metric_only(self, tmp_path):
        _, trial = only(json_log(tmp_path / "log.json", sample(error=CRASH)), tmp_path / "runs")

        assert trial.source.native_verdict is None
        assert {"includes": 1.0} == trial.source.metrics
        assert CRASH["message"] == trial.source.native_message


class TestScores:
    def test_the_first_listed_scorer_decides_and_others_are_metrics(self, tmp_path):
        log = json_log(
            tmp_path / "log.json",
            sample(scores={"style": {"value": 0.25}, "includes": {"value": "I"}}),
            scorers=[{"name": "inspect_ai/includes"}, {"name": "style"}],
        )

        _, trial = only(log, tmp_path / "runs")

        assert Verdict.FAILED == trial.outcome.verdict
        assert {"includes": 0.0, "style": 0.25} == trial.source.metrics

    def test_another_scorer_can_be_named(self, tmp_path):
        log = json_log(tmp_path / "log.json", sample(scores={"includes": {"value": "I"}, "rubric": {"value": 1}}))

        _, trial = only(log, tmp_path / "runs", scorer="rubric")

        assert Verdict.PASSED == trial.outcome.verdict

    def test_a_scorer_that_no_sample_has_is_refused_by_name(self, tmp_path):
        with pytest.raises(BadInputError, match="no sample has a score by judge; expected includes"):
            imported(json_log(tmp_path / "log.json", sample()), tmp_path / "runs", scorer="judge")

        assert not (tmp_path / "runs").exists()

    def test_of_several_values_the_verdict_must_be_named(self, tmp_path):
        row = sample(**scored({"correct": 1, "style": 0.5}))

        run, trial = only(json_log(tmp_path / "log.json", row), tmp_path / "runs")

        assert Verdict.NONE == trial.outcome.verdict
        assert {"includes.correct": 1.0, "includes.style": 0.5} == trial.source.metrics
        assert "--option key=NAME, of correct, style" in run.report.notes[0]

    def test_a_named_key_is_the_verdict(self, tmp_path):
        row = sample(**scored({"correct": 1, "style": 0.5}))

        _, trial = only(json_log(tmp_path / "log.json", row), tmp_path / "runs", key="correct")

        assert (Verdict.PASSED, 1.0) == (trial.outcome.verdict, trial.source.score)

    def test_a_key_that_no_score_has_is_refused_by_name(self, tmp_path):
        row = sample(**scored({"correct": 1, "style": 0.5}))

        with pytest.raises(BadInputError, match="has the key speed; expected correct, style"):
            imported(json_log(tmp_path / "log.json", row), tmp_path / "runs", key="speed")

    def test_a_single_key_needs_no_name_and_a_null_in_it_is_not_scored(self, tmp_path):
        log = json_log(tmp_path / "log.json", sample("a", **scored({"correct": 1})), sample("b", **scored({"correct": None})))

        (run,) = imported(log, tmp_path / "runs")

        assert ["IN-40", "IN-25"] == [trial.outcome.rule for trial in trials(tmp_path / "runs", run)]

    def test_nan_in_place_of_a_dict_is_not_scored(self, tmp_path):
        log = json_log(
            tmp_path / "log.json", sample("a", **scored({"correct": 1, "style": 1})), sample("b", **scored(math.nan))
        )

        (run,) = imported(log, tmp_path / "runs", key="correct")

        assert {"IN-25": 1, "IN-40": 1} == run.report.rules

    def test_a_list_has_its_positions_as_keys(self, tmp_path):
        _, trial = only(json_log(tmp_path / "log.json", sample(**scored([0, 1]))), tmp_path / "runs", key="1")

        assert Verdict.PASSED == trial.outcome.verdict

    @pytest.mark.parametrize("values", [(1, 7), (1.0, 1.5)])
    def test_a_scale_that_nobody_explained_gives_no_verdict(self, tmp_path, values):
        log = json_log(tmp_path / "log.json", *(sample(f"s{i}", **scored(value)) for i, value in enumerate(values)))

        (run,) = imported(log, tmp_path / "runs")

        assert {Verdict.NONE} == {trial.outcome.verdict for trial in trials(tmp_path / "runs", run)}
        assert "--option passed=VALUE" in run.report.notes[0]

    def test_a_lone_1_beside_a_wider_scale_is_no_pass(self, tmp_path):
        log = json_log(tmp_path / "log.json", sample(**scored({"loops": 1, "honesty": 8})))

        _, trial = only(log, tmp_path / "runs", key="loops")

        assert Verdict.NONE == trial.outcome.verdict

    @pytest.mark.parametrize(
        ("value", "passed", "verdict"), [(7, "7", "passed"), (7, "10", "failed"), ("A", "A", "passed"), ("B", "A", "failed")]
    )
    def test_the_value_that_passes_can_be_named(self, tmp_path, value, passed, verdict):
        _, trial = only(json_log(tmp_path / "log.json", sample(**scored(value))), tmp_path / "runs", passed=passed)

        assert verdict == trial.outcome.verdict.value


class TestIdentity:
    def test_the_trial_number_is_the_epoch_and_native(self, tmp_path):
        log = json_log(tmp_path / "log.json", sample(epoch=1), sample(epoch=2))

        (run,) = imported(log, tmp_path / "runs")

        assert [(0, "native"), (1, "native")] == [
            (trial.key.trial, trial.index_origin) for trial in trials(tmp_path / "runs", run)
        ]

    def test_a_number_and_the_same_number_as_text_are_two_tasks(self, tmp_path):
        log = json_log(tmp_path / "log.json", sample(7, uuid="x"), sample("7", uuid="y"))

        (run,) = imported(log, tmp_path / "runs")

        assert {"7", '"7"'} == {task.name for task in read_manifest(tmp_path / "runs" / run.run).imported.tasks}

    def test_an_id_with_a_slash_is_one_task(self, tmp_path):
        run, trial = only(eval_log(tmp_path / "log.eval", sample("seed/order")), tmp_path / "runs")

        assert "samples/seed/order_epoch_1.json" == trial.source.member
        assert ["seed/order"] == [task.name for task in read_manifest(tmp_path / "runs" / run.run).imported.tasks]

    def test_without_a_uuid_run_id_and_epoch_identify_a_row(self, tmp_path):
        _, trial = only(json_log(tmp_path / "log.json", sample(uuid=None)), tmp_path / "runs")

        assert "run-1 a 1" == trial.source.native_id

    def test_the_same_log_under_two_names_is_one_log(self, tmp_path):
        for name in ("logs/a.eval", "logs/copies/b.eval"):
            eval_log(tmp_path / name, sample("a"), sample("b"))

        (run,) = imported(tmp_path / "logs", tmp_path / "runs")

        assert (4, 2, 2) == (run.report.rows_in, run.report.rows_out, len(run.report.duplicates))

    def test_the_same_log_in_two_formats_is_one_log(self, tmp_path):
        rows = sample("a", error=CRASH, scores={}), sample("b", limit={"type": "time", "limit": 3, "reason": "time is up"})
        eval_log(tmp_path / "logs/a.eval", *rows)
        json_log(tmp_path / "logs/a.json", *rows)

        (run,) = imported(tmp_path / "logs", tmp_path / "runs")

        assert (4, 2, 2) == (run.report.rows_in, run.report.rows_out, len(run.report.duplicates))

    def test_two_files_of_one_log_that_disagree_are_a_conflict(self, tmp_path):
        json_log(tmp_path / "logs/a.json", sample())
        json_log(tmp_path / "logs/b.json", sample(**scored("I")))

        with pytest.raises(ConflictError, match="two different results"):
            imported(tmp_path / "logs", tmp_path / "runs")

        assert not (tmp_path / "runs").exists()

    def test_importing_again_changes_nothing(self, tmp_path):
        log = eval_log(tmp_path / "log.eval", sample())
        imported(log, tmp_path / "runs")

        (again,) = imported(log, tmp_path / "runs")

        assert "unchanged" == again.state


class TestAttempts:
    def test_a_retried_log_supersedes_and_failed_rows_become_attempts(self, tmp_path):
        """A finished sample was copied with its uuid; one that failed ran again under another."""
        first = (
            sample("a"),
            sample("b", uuid="b-old", error=CRASH, scores={}),
            sample("c", uuid="c-old", error=STOPPED, scores={}),
        )
        again = sample("a"), sample("b", uuid="b-new", error_retries=[CRASH]), sample("c", uuid="c-new")
        eval_log(tmp_path / "logs/1.eval", *first, status="error", eval_id="eval-1", created="2026-11-01T10:00:00+00:00")
        eval_log(tmp_path / "logs/2.eval", *again, eval_id="eval-2", created="2026-11-01T11:00:00+00:00")

        (run,) = imported(tmp_path / "logs", tmp_path / "runs")

        found = {
            trial.source.native_id: [attempt.observed for attempt in trial.attempts] for trial in trials(tmp_path / "runs", run)
        }
        assert {
            "uuid-a-1": [""],
            "b-new": ["IN-01 error: RuntimeError('container exited')", ""],
            "c-new": ["IN-02 cancelled: CancelledError('cancel scope')", ""],
        } == found
        assert (6, 3, 2, 1) == (
            run.report.rows_in,
            run.report.rows_out,
            run.report.earlier_attempts,
            len(run.report.duplicates),
        )

    def test_copied_samples_are_counted_once(self, tmp_path):
        """The totals of a retried log hold what was copied, so that two logs would count it twice."""
        eval_log(tmp_path / "logs/1.eval", sample("a"), eval_id="eval-1", status="error")
        eval_log(tmp_path / "logs/2.eval", sample("a"), eval_id="eval-2", created="2026-11-01T11:00:00+00:00")

        (run,) = imported(tmp_path / "logs", tmp_path / "runs")

        assert [100] == [trial.attempts[-1].usage.uncached_input for trial in trials(tmp_path / "runs", run)]

    def test_of_two_members_of_one_name_the_last_counts(self, tmp_path):
        old = sample(uuid="old", error=CRASH, scores={})
        log = eval_log(tmp_path / "log.eval", sample(uuid="new"), older=(old,))

        run, trial = only(log, tmp_path / "runs")

        assert ("new", 2, 1) == (trial.source.native_id, len(trial.attempts), run.report.earlier_attempts)
        assert "IN-01" in trial.attempts[0].observed

    def test_errors_after_which_a_sample_ran_again_are_attempts(self, tmp_path):
        log = eval_log(tmp_path / "log.eval", sample(error_retries=[CRASH, STOPPED]))

        _, trial = only(log, tmp_path / "runs")

        assert [CRASH["message"], STOPPED["message"], ""] == [attempt.observed for attempt in trial.attempts]
        assert isinstance(trial.attempts[0].usage, Absent)

    def test_without_uuids_rows_of_earlier_logs_are_attempts_too(self, tmp_path):
        old = sample(uuid=None, error=CRASH, scores={})
        json_log(tmp_path / "logs/1.json", old, eval_id="eval-1", run_id="run-1", status="error")
        json_log(
            tmp_path / "logs/2.json", sample(uuid=None), eval_id="eval-2", run_id="run-2", created="2026-11-01T11:00:00+00:00"
        )

        run, trial = only(tmp_path / "logs", tmp_path / "runs")

        assert ("run-2 a 1", 2, 1) == (trial.source.native_id, len(trial.attempts), run.report.earlier_attempts)

    def test_a_row_that_was_edited_in_a_later_log_counts_as_it_stands_there(self, tmp_path):
        json_log(tmp_path / "logs/1.json", sample(), eval_id="eval-1")
        json_log(tmp_path / "logs/2.json", sample(**scored("I")), eval_id="eval-2", created="2026-11-01T11:00:00+00:00")

        run, trial = only(tmp_path / "logs", tmp_path / "runs")

        assert Verdict.FAILED == trial.outcome.verdict
        assert "1 rows of earlier logs of this task were changed in later ones, which count" in run.report.notes

    def test_limits_that_differ_between_logs_of_one_task_are_told(self, tmp_path):
        json_log(tmp_path / "logs/1.json", sample(uuid="x", error=CRASH), eval_id="eval-1", config={"time_limit": 60})
        json_log(
            tmp_path / "logs/2.json",
            sample(),
            eval_id="eval-2",
            created="2026-11-01T11:00:00+00:00",
            config={"time_limit": 600},
        )

        run, _ = only(tmp_path / "logs", tmp_path / "runs")

        assert ("time_limit: 60 in 1.json; 600 in 2.json",) == run.report.protocol


class TestPlan:
    def test_planned_samples_without_a_row_are_missing(self, tmp_path):
        log = json_log(tmp_path / "log.json", sample("a"), dataset={"sample_ids": ["a", "b", 3]}, config={"epochs": 2})

        (run,) = imported(log, tmp_path / "runs")

        assert (5, {"FL-90": 5, "IN-40": 1}) == (run.report.missing, run.report.rules)

    @pytest.mark.parametrize("limit", [2, [0, 2]])
    def test_the_plan_is_cut_by_the_limit(self, tmp_path, limit):
        log = json_log(tmp_path / "log.json", sample("a"), dataset={"sample_ids": ["a", "b", "c"]}, config={"limit": limit})

        (run,) = imported(log, tmp_path / "runs")

        assert 1 == run.report.missing

    @pytest.mark.parametrize("status", ["started", "error", "cancelled"])
    def test_missing_rows_of_a_log_that_ended_early_have_their_own_rule(self, tmp_path, status):
        log = json_log(tmp_path / "log.json", sample("a"), dataset={"sample_ids": ["a", "b"]}, status=status)

        (run,) = imported(log, tmp_path / "runs")

        assert {"IN-31": 1, "IN-40": 1} == run.report.rules

    def test_the_word_of_the_log_changes_no_row(self, tmp_path):
        """A log may call itself a success with dead samples, and cancelled with a complete result."""
        json_log(tmp_path / "dead/log.json", sample("a", error=CRASH, scores={}), sample("b"), status="success")
        json_log(tmp_path / "whole/log.json", sample("a"), sample("b"), status="cancelled")

        (dead,) = imported(tmp_path / "dead", tmp_path / "runs-1")
        (whole,) = imported(tmp_path / "whole", tmp_path / "runs-2")

        assert ({"IN-01": 1, "IN-40": 1}, {"IN-40": 2}) == (dead.report.rules, whole.report.rules)

    @pytest.mark.parametrize("method", [DEFLATE, pytest.param(ZSTANDARD, id="zstandard")])
    def test_an_unfinished_archive_gives_what_it_holds(self, tmp_path, method):
        if method == ZSTANDARD:
            pytest.importorskip("zstandard", reason="the samples are packed with Zstandard")
        log = eval_log(tmp_path / "log.eval", sample("a"), dataset={"sample_ids": ["a", "b"]}, finished=False, method=method)

        (run,) = imported(log, tmp_path / "runs")

        assert (1, {"IN-31": 1, "IN-40": 1}) == (run.report.missing, run.report.rules)
        assert "log.eval was never finished: status started" in run.report.notes

    def test_a_sample_that_was_written_before_its_summary_is_read(self, tmp_path):
        rows = sample("a"), sample("b")
        log = write_zip(
            tmp_path / "log.eval",
            [
                ("_journal/start.json", json.dumps(header(*rows))),
                (member_name(rows[0]), json.dumps(rows[0])),
                ("_journal/summaries/1.json", json.dumps([summary(rows[0])])),
                (member_name(rows[1]), json.dumps(rows[1])),
            ],
        )

        (run,) = imported(log, tmp_path / "runs")

        assert {"IN-40": 2} == run.report.rules

    def test_a_header_without_samples_is_a_run_of_missing_trials(self, tmp_path):
        log = tmp_path / "log.json"
        log.write_text(json.dumps(header(dataset={"sample_ids": ["a", "b"]}, results=accuracy(0.5))))

        (run,) = imported(log, tmp_path / "runs")

        assert (0, 2) == (run.report.rows_in, run.report.missing)
        assert "log.json holds no samples, only a header" in run.report.notes

    def test_a_header_that_names_no_sample_either_is_nothing_to_import(self, tmp_path):
        log = tmp_path / "log.json"
        log.write_text(json.dumps(header(dataset={})))

        with pytest.raises(BadInputError, match="nothing of the format inspect"):
            imported(log, tmp_path / "runs")

    @pytest.mark.parametrize("config", [{"epochs": 10**12}, {"epochs": 10**400}])
    def test_a_plan_beyond_measure_is_refused_or_not_believed(self, tmp_path, config):
        log = json_log(tmp_path / "log.json", sample(), config=config)

        if config["epochs"] == 10**12:
            with pytest.raises(BadInputError, match="plans too many trials"):
                imported(log, tmp_path / "runs")
        else:
            assert 1 == imported(log, tmp_path / "runs")[0].report.rows_out

    def test_files_that_list_logs_are_no_logs(self, tmp_path):
        json_log(tmp_path / "logs/a.json", sample())
        for name in ("eval-set.json", "logs.json", "listing.json"):
            (tmp_path / "logs" / name).write_text(json.dumps(header(sample())))

        (run,) = imported(tmp_path / "logs", tmp_path / "runs")

        assert [("lists logs of an eval set, and is none", 3)] == [(item.why, item.files) for item in run.report.skipped]


def spent(tmp_path, usage, version="0.3.285", **fields):
    log = json_log(
        tmp_path / "log.json", sample(model_usage=usage), **({"packages": {"inspect_ai": version} if version else {}} | fields)
    )
    return only(log, tmp_path / "runs")[1].attempts[-1]


def tokens(given, out, total, read=None, write=None, **more):
    return {
        "input_tokens": given,
        "output_tokens": out,
        "total_tokens": total,
        "input_tokens_cache_read": read,
        "input_tokens_cache_write": write,
    } | more


class TestTokens:
    @pytest.mark.parametrize(
        ("version", "row", "uncached", "source"),
        [
            pytest.param("0.3.184", tokens(100, 10, 110, 60), 100, "native", id="since 0.3.184 cached tokens are left out"),
            pytest.param("0.3.183", tokens(100, 10, 170, 60), 100, "derived", id="before, a total that adds them says so too"),
            pytest.param("0.3.183", tokens(100, 10, 180, 60, 10), 100, "derived", id="with cache writes"),
            pytest.param("0.3.183", tokens(100, 10, 110, 160), 100, "derived", id="more cached than given: left out"),
            pytest.param("0.3.183", tokens(100, 10, 110, 60), 40, "derived", id="a total without them: they are in the input"),
            pytest.param("0.3.95.dev16+g652", tokens(100, 10, 110, 60), 40, "derived", id="a development version is read too"),
            pytest.param("0.3.183", tokens(100, 10, 999, 60), None, "derived", id="sums that fit neither: unknown"),
            pytest.param("0.3.183", tokens(100, 10, 110), 100, "native", id="nothing cached, nothing to ask"),
            pytest.param("", tokens(100, 10, 110, 60), 40, "estimated", id="an unknown version is an estimate"),
            pytest.param("", tokens(100, 10, 110), 100, "estimated", id="an unknown version without a cache as well"),
        ],
    )
    def test_input_is_told_apart_from_the_cache_by_version_then_by_sums(self, tmp_path, version, row, uncached, source):
        used = spent(tmp_path, {"mock/model": row}, version).usage

        assert (uncached, source) == (None if isinstance(used.uncached_input, Absent) else used.uncached_input, used.source)

    def test_cache_writes_of_openai_were_input_until_0_3_260(self, tmp_path):
        row = {"openai/gpt": tokens(100, 10, 170, 60, 30)}

        assert 70 == spent(tmp_path, row, "0.3.200", model="openai/gpt").usage.uncached_input

    def test_zeros_are_unknown(self, tmp_path):
        used = spent(tmp_path, {"mock/model": tokens(0, 0, 0, total_cost=0)})

        assert isinstance(used.usage, Absent)
        assert isinstance(used.cost, Absent)

    def test_what_the_log_does_not_count_is_unknown(self, tmp_path):
        used = spent(tmp_path, {"mock/model": tokens(5, 6, 11)})

        assert (
            Usage(
                uncached_input=5,
                cache_read=used.usage.cache_read,
                cache_write=used.usage.cache_write,
                output=6,
                reasoning=used.usage.reasoning,
                requests=used.usage.requests,
                source="native",
            )
            == used.usage
        )
        assert all(
            isinstance(part, Absent)
            for part in (used.usage.cache_read, used.usage.cache_write, used.usage.reasoning, used.cost)
        )

    def test_cost_is_complete_when_no_other_model_worked(self, tmp_path):
        used = spent(tmp_path, {"mock/model": tokens(5, 6, 11, total_cost=0.0125)})

        assert (0.0125, True) == (float(used.cost.usd), used.cost.complete)

    def test_cost_beside_a_model_of_unknown_part_is_incomplete(self, tmp_path):
        log = json_log(
            tmp_path / "log.json",
            sample(model_usage={"mock/model": tokens(5, 6, 11, total_cost=0.5), "mock/other": tokens(7, 8, 15)}),
        )

        _, trial = only(log, tmp_path / "runs")

        assert not trial.attempts[-1].cost.complete
        assert "mock/other: 7 input, 8 output" == trial.source.extra["other models"]

    def test_a_graders_tokens_are_not_the_agents(self, tmp_path):
        """A grader by role on the agent's own model is taken out of that model's counts."""
        row = sample(model_usage={"mock/model": tokens(100, 10, 110, total_cost=1.0)}, role_usage={"grader": tokens(60, 4, 64)})
        log = json_log(tmp_path / "log.json", row, model_roles={"grader": {"model": "mock/model"}})

        _, trial = only(log, tmp_path / "runs")

        assert (40, 6) == (trial.attempts[-1].usage.uncached_input, trial.attempts[-1].usage.output)
        assert isinstance(trial.attempts[-1].cost, Absent)


class TestRoles:
    ROLES: ClassVar = {"auditor": {"model": "mock/a"}, "target": {"model": "mock/t"}, "judge": {"model": "mock/j"}}
    USED: ClassVar = {"auditor": tokens(1, 1, 2), "target": tokens(30, 3, 33, total_cost=0.25), "judge": tokens(5, 5, 10)}

    def log(self, tmp_path, roles):
        used = {name: self.USED.get(name, tokens(9, 9, 18)) for name in roles}
        by_model = {roles[name]["model"]: row for name, row in used.items()}
        return json_log(
            tmp_path / "log.json", sample(model_usage=by_model, role_usage=used), model="none/none", model_roles=roles
        )

    def test_without_a_model_the_target_is_under_test(self, tmp_path):
        run, trial = only(self.log(tmp_path, self.ROLES), tmp_path / "runs")

        assert "mock/t" == read_manifest(tmp_path / "runs" / run.run).agents[0].model
        assert (30, 0.25) == (trial.attempts[-1].usage.uncached_input, float(trial.attempts[-1].cost.usd))
        assert isinstance(trial.attempts[-1].cost, Cost)
        assert trial.attempts[-1].cost.complete

    def test_another_role_can_be_named(self, tmp_path):
        run, _ = only(self.log(tmp_path, self.ROLES), tmp_path / "runs", role="auditor")

        assert "mock/a" == read_manifest(tmp_path / "runs" / run.run).agents[0].model

    def test_the_only_role_that_grades_nothing_is_under_test(self, tmp_path):
        run, _ = only(self.log(tmp_path, {"coder": {"model": "mock/c"}, "grader": {"model": "mock/g"}}), tmp_path / "runs")

        assert "mock/c" == read_manifest(tmp_path / "runs" / run.run).agents[0].model

    def test_two_that_might_be_under_test_are_refused(self, tmp_path):
        log = self.log(tmp_path, {"coder": {"model": "mock/c"}, "planner": {"model": "mock/p"}})

        with pytest.raises(BadInputError, match="expected coder, planner; next: --option role=NAME"):
            imported(log, tmp_path / "runs")


class TestPublishedNumbers:
    def headline(self, tmp_path, *rows, **fields):
        (run,) = imported(json_log(tmp_path / "log.json", *rows, **fields), tmp_path / "runs")
        return run.report.headlines[0]

    def test_the_mean_over_epochs_is_recomputed_and_what_it_leaves_out_is_said(self, tmp_path):
        """An errored epoch is dropped before the mean of its sample, which the log itself does not say."""
        rows = sample("a", 1), sample("a", 2, error=CRASH, scores={}), sample("b", 1, **scored("I")), sample("b", 2)

        found = self.headline(tmp_path, *rows, results=accuracy(0.75))

        assert (0.75, 0.75) == (found.published, found.recomputed)
        assert "left out: 1 errored" in found.note

    def test_invalidated_rows_stay_in_the_published_number(self, tmp_path):
        found = self.headline(tmp_path, sample("a", invalidation=WHO), sample("b", **scored("I")), results=accuracy(0.5))

        assert (0.5, "still in it: 1 invalidated") == (found.recomputed, found.note.split("; ")[-1])

    @pytest.mark.parametrize(
        ("reducer", "published"),
        [
            ("mean", 2 / 3),
            ("median", 1.0),
            ("mode", 1.0),
            ("max", 1.0),
            ("at_least_2", 1.0),
            ("at_least_3", 0.0),
            ("pass_at_1", 2 / 3),
            ("pass_at_2", 1.0),
            ("pass_k_2", 1 / 3),
        ],
    )
    def test_the_logs_own_reducer_is_used(self, tmp_path, reducer, published):
        rows = sample("a", 1), sample("a", 2), sample("a", 3, **scored("I"))

        found = self.headline(
            tmp_path, *rows, results=accuracy(published, reducer=reducer), config={"epochs_reducer": [reducer]}
        )

        assert published == pytest.approx(found.recomputed)

    def test_an_unscored_epoch_is_left_out_of_its_mean(self, tmp_path):
        found = self.headline(tmp_path, sample("a", 1), sample("a", 2, **scored(math.nan)), results=accuracy(1.0))

        assert 1.0 == found.recomputed

    def test_a_number_over_rows_that_are_not_there_cannot_be_recomputed(self, tmp_path):
        found = self.headline(tmp_path, sample("a"), results=accuracy(0.705, scored_samples=78))

        assert isinstance(found.recomputed, Absent)
        assert "published over 78: cannot be recomputed" == found.note

    def test_a_number_without_any_scored_row_cannot_be_recomputed(self, tmp_path):
        found = self.headline(tmp_path, sample("a", scores={}), results=accuracy(1.0) | {"completed_samples": 4})

        assert isinstance(found.recomputed, Absent)
        assert "published over 4 samples" == found.note

    def test_a_published_number_that_its_rows_contradict_stands_beside_theirs(self, tmp_path):
        found = self.headline(tmp_path, sample("a"), sample("b", **scored("I")), results=accuracy(0.9, scored_samples=2))

        assert (0.9, 0.5) == (found.published, found.recomputed)

    def test_a_score_of_several_values_has_a_number_for_each(self, tmp_path):
        results = {
            "scores": [
                {"name": key, "scorer": "includes", "metrics": {"mean": {"value": value}}}
                for key, value in (("correct", 1.0), ("style", 0.5))
            ]
        }

        (run,) = imported(
            json_log(tmp_path / "log.json", sample(**scored({"correct": 1, "style": 0.5})), results=results), tmp_path / "runs"
        )

        assert [("includes.correct mean", 1.0), ("includes.style mean", 0.5)] == [
            (item.name, item.recomputed) for item in run.report.headlines
        ]


class TestTimes:
    def test_working_time_is_the_agents_and_offsets_become_utc(self, tmp_path):
        _, trial = only(json_log(tmp_path / "log.json", sample(started_at="2026-11-01T05:00:00-05:00")), tmp_path / "runs")

        assert 20.0 == trial.attempts[-1].timing.agent
        assert "2026-11-01T10:00:00+00:00" == trial.attempts[-1].started_at.isoformat()

    def test_a_sample_that_worked_longer_than_it_took_has_no_duration(self, tmp_path):
        run, trial = only(json_log(tmp_path / "log.json", sample(working_time=90.0)), tmp_path / "runs")

        assert isinstance(trial.attempts[-1].timing.agent, Absent)
        assert "90 s, more than the total of 30 s" == trial.source.extra["working time"]
        assert "1 samples worked longer than they took" in run.report.notes[0]


class TestDescription:
    def test_protocol_versions_and_code_are_kept(self, tmp_path):
        log = json_log(
            tmp_path / "log.json",
            sample(metadata={"family": "loader", "category": "silent", "other": 1}),
            config={"time_limit": 60, "max_samples": 1},
            revision={"type": "git", "origin": "https://example.com/x.git", "commit": "abc123", "dirty": True},
        )

        run, trial = only(log, tmp_path / "runs")

        told = read_manifest(tmp_path / "runs" / run.run).imported
        assert ("inspect_ai", "0.3.285", "task-1") == (told.harness, told.harness_version, told.native_run)
        assert {"time_limit": "60", "code commit": "abc123", "code dirty": "true"}.items() <= told.protocol.items()
        assert ("loader", "silent", "repair_demo 1.2.0") == (told.tasks[0].family, told.tasks[0].category, told.tasks[0].suite)
        assert trial.order_known

    @pytest.mark.parametrize("write", [eval_log, json_log])
    def test_a_score_that_was_changed_afterwards_says_by_whom_and_why(self, tmp_path, write):
        """No summary tells it, so that the whole sample must."""
        row = sample(**scored("C", history=[{"value": "I"}, {"value": "C", "provenance": WHO}]))

        run, trial = only(write(tmp_path / ("log.eval" if write is eval_log else "log.json"), row), tmp_path / "runs")

        assert "by a reviewer: the network was down" == trial.source.extra["score changed"]
        assert "1 rows have scores that were changed after they were given" in run.report.notes

    def test_fields_without_a_home_are_told_with_the_run_that_has_them(self, tmp_path):
        json_log(tmp_path / "logs/a.json", sample(store={"x": 1}))
        json_log(tmp_path / "logs/b.json", sample(uuid="other"), task_id="task-2")

        (one, other) = imported(tmp_path / "logs", tmp_path / "runs")

        assert {True, False} == {"samples.store" in run.report.homeless for run in (one, other)}

    def test_fields_without_a_home_are_counted(self, tmp_path):
        run, _ = only(json_log(tmp_path / "log.json", sample(store={"x": 1}), tags=["t"]), tmp_path / "runs")

        assert {
            "samples.input": 1,
            "samples.store": 1,
            "samples.scores.answer": 1,
            "eval.tags": 1,
        }.items() <= run.report.homeless.items()
