"""From foreign rows to sealed runs: nothing is lost, nothing is invented, and the same source is imported once."""

import json
import shutil
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toy import imported, lines

from faultline.archive import load_benchmark, read_run, verify_run
from faultline.errors import BadInputError, ConflictError, Faults
from faultline.importers.numbers import cost, count, number, usage
from faultline.importers.times import epoch_time, iso_time, seconds_between
from faultline.kinds import Fold, Mode, RunKind, StatusClass, Verdict
from faultline.records import Absent

HOME = "/home"
"""Joined to account names here, so that no scanner takes this file for a leak."""


class TestRecords:
    def test_an_imported_run_verifies_like_any_other(self, bring, tmp_path):
        """
        What was imported is sealed with digests, and every one of them is recomputed.
        """
        (done,), _ = bring({"id": 1}, {"id": 2, "verdict": None, "rule": "HB-01"})

        assert () == verify_run(tmp_path / "runs" / done.run)

    def test_what_the_log_does_not_tell_is_absent_with_a_reason(self, bring):
        """
        Digests, sandbox, retry policy, tokens, cost and times are no zeros when nobody wrote them down.
        """
        _, (run,) = bring({"id": 1})
        (trial,) = run.trials
        attempt = trial.last

        absent = (
            run.manifest.retry,
            run.manifest.sandbox,
            run.manifest.judge_seed,
            trial.task_digest,
            trial.sandbox,
            trial.changes,
            attempt.usage,
            attempt.cost,
            attempt.started_at,
            attempt.timing.agent,
        )
        assert all(isinstance(value, Absent) and value.reason for value in absent)
        assert run.manifest.kind is RunKind.IMPORTED

    def test_a_verdict_that_may_not_count_is_kept_in_the_source_only(self, bring):
        """
        An errored sample that carries a score has no verdict; what the log says stands beside, with the rule's id.
        """
        _, (run,) = bring({"id": 1, "verdict": "passed", "rule": "IN-03", "status": "error", "message": "boom"})
        (trial,) = run.trials

        assert (Verdict.NONE, False, "IN-03") == (trial.outcome.verdict, trial.outcome.scoreable, trial.outcome.rule)
        assert ("passed", "boom") == (trial.source.native_verdict, trial.source.native_message)

    def test_a_limit_counts_when_there_is_a_reward_and_is_invalid_when_there_is_none(self, bring):
        """
        A rule that says "if there is a reward" gives a verdict with one, and no score without.
        """
        _, (run,) = bring({"id": 1, "verdict": "failed", "rule": "HB-56"}, {"id": 2, "verdict": None, "rule": "HB-56"})
        with_reward, without = run.trials

        assert (Fold.FAILED, Mode.LIMIT_REACHED) == (with_reward.outcome.fold, with_reward.outcome.mode)
        assert (Fold.INVALID_INFRA, StatusClass.LIMIT) == (without.outcome.fold, without.outcome.status)

    def test_a_pass_by_another_harness_is_called_scored(self, bring):
        """
        Nobody here saw hidden checks pass, so the mode does not say repaired.
        """
        _, (run,) = bring({"id": 1})

        assert Mode.SCORED is run.trials[0].outcome.mode

    @pytest.mark.parametrize("name", ["tune-lr.hard", "org/Name", "1st", "Ünïcode", "a" * 200, "-", " ", "..", "con", "a_b"])
    def test_any_name_of_a_task_becomes_an_id_and_is_kept(self, bring, name):
        """
        An id is made from every name, and the name stands beside it.
        """
        _, (run,) = bring({"id": 1, "task": name})
        (task,) = run.manifest.imported.tasks

        assert (name, run.trials[0].key.task) == (task.name, task.id)

    def test_names_that_differ_give_ids_that_differ(self, bring):
        """
        Two tasks that read alike after cleaning stay two tasks.
        """
        _, (run,) = bring({"id": 1, "task": "Fix It"}, {"id": 2, "task": "fix-it"}, {"id": 3, "task": "fix_it"})

        assert 3 == len({task.id for task in run.manifest.imported.tasks})


class TestNumbers:
    def test_a_trial_number_that_is_in_the_log_is_native(self, bring):
        """
        The log's own numbers are kept and marked as its own.
        """
        _, (run,) = bring({"id": "b", "index": 0}, {"id": "a", "index": 1})

        assert [("b", 0, "native"), ("a", 1, "native")] == [
            (t.source.native_id, t.key.trial, t.index_origin) for t in run.trials
        ]

    def test_a_trial_number_that_is_not_in_the_log_is_inferred_and_says_so(self, bring):
        """
        Trials are numbered by start time, then id; those without a time come last.
        """
        _, (run,) = bring(
            {"id": "c"}, {"id": "b", "start": "2026-01-02T00:00:00Z"}, {"id": "a", "start": "2026-01-03T00:00:00Z"}
        )

        assert ["b", "a", "c"] == [trial.source.native_id for trial in run.trials]
        assert {"inferred"} == {trial.index_origin for trial in run.trials}

    def test_two_results_that_claim_one_number_are_a_conflict(self, bring):
        """
        Which of two results is right is nobody's guess here.
        """
        with pytest.raises(ConflictError, match="two results claim trial 0"):
            bring({"id": "a", "index": 0}, {"id": "b", "index": 0, "verdict": "failed"})

    def test_a_planned_trial_without_a_record_is_recorded_as_missing(self, bring):
        """
        The plan is the denominator: what the source does not hold stays in it, without a verdict.
        """
        (done,), (run,) = bring({"id": "a", "index": 2}, options={"planned": "3"})

        assert [Fold.INVALID_INFRA, Fold.INVALID_INFRA, Fold.PASSED] == [trial.outcome.fold for trial in run.trials]
        assert (2, "FL-90") == (done.report.missing, run.trials[0].outcome.rule)


class TestDuplicates:
    def test_the_same_result_twice_counts_once_and_is_listed(self, bring):
        """
        A second copy with the same id and the same content changes nothing but the report.
        """
        (done,), (run,) = bring({"id": "a"}, {"id": "a"})

        assert 1 == len(run.trials)
        assert [("a", "first.toy:1", "first.toy:2")] == [
            (item.native_id, item.kept, item.dropped) for item in done.report.duplicates
        ]
        assert (2, 1) == (done.report.rows_in, done.report.rows_out)

    def test_two_different_results_with_one_id_are_a_conflict(self, bring, tmp_path):
        """
        The error names both places and both digests, and no run is left.
        """
        with pytest.raises(ConflictError, match=r"sha256:.*first\.toy:1.*sha256:") as caught:
            bring({"id": "a"}, {"id": "a", "verdict": "failed"})

        assert "first.toy:2" in str(caught.value)
        assert not list((tmp_path / "runs").glob("*"))

    def test_a_nested_copy_of_a_run_is_the_same_run(self, tmp_path):
        """
        A parent folder that holds a run twice gives one run with every trial once.
        """
        source = tmp_path / "source"
        (source / "archive").mkdir(parents=True)
        (source / "first.toy").write_text(lines({"id": 1}, {"id": 2}))
        shutil.copy(source / "first.toy", source / "archive" / "first.toy")

        (done,) = imported(source, tmp_path / "runs")

        assert (2, 2) == (done.report.rows_out, len(done.report.duplicates))
        assert any("the same run again" in note for note in done.report.notes)


class TestAgain:
    def test_importing_the_same_source_again_changes_nothing(self, bring, tmp_path):
        """
        The second import says so, and no byte of the run changes.
        """
        (first,), _ = bring({"id": 1})
        before = {path: path.read_bytes() for path in (tmp_path / "runs" / first.run).rglob("*") if path.is_file()}

        (second,), _ = bring({"id": 1})

        assert ("imported", "unchanged") == (first.state, second.state)
        assert before == {path: path.read_bytes() for path in (tmp_path / "runs" / first.run).rglob("*") if path.is_file()}

    def test_a_run_is_known_wherever_it_lies(self, tmp_path):
        """
        A file and the folder around it give the same run.
        """
        (tmp_path / "a" / "b").mkdir(parents=True)
        (tmp_path / "a" / "b" / "first.toy").write_text(lines({"id": 1}))

        imported(tmp_path / "a" / "b" / "first.toy", tmp_path / "runs")

        assert ["unchanged"] == [item.state for item in imported(tmp_path / "a", tmp_path / "runs")]

    def test_a_source_that_changed_is_a_conflict_that_names_both_digests(self, bring):
        """
        Nothing is overwritten; a person decides.
        """
        bring({"id": 1})

        with pytest.raises(ConflictError, match=r"expected sha256:.*found sha256:"):
            bring({"id": 1}, {"id": 2})

    def test_reading_the_same_source_in_another_way_is_a_conflict(self, bring):
        """
        Options are part of what a run says.
        """
        bring({"id": 1})

        with pytest.raises(ConflictError, match="other options"):
            bring({"id": 1}, options={"planned": "5"})

    def test_a_conflict_in_one_run_leaves_the_others_unwritten(self, bring, tmp_path):
        """
        All runs are checked before the first is sealed.
        """
        bring({"id": 1}, name="second")
        before = sorted(path.name for path in (tmp_path / "runs").iterdir())
        (tmp_path / "source" / "first.toy").write_text(lines({"id": 1}))

        with pytest.raises(ConflictError):
            bring({"id": 1}, {"id": 2}, name="second")

        assert before == sorted(path.name for path in (tmp_path / "runs").iterdir())


class TestWhatCannotBeRead:
    def test_a_row_that_cannot_be_read_fails_the_import_with_file_and_line(self, tmp_path):
        """
        No run is left, and the error says where to look and what can be done.
        """
        (tmp_path / "first.toy").write_text(lines({"id": 1}) + "{torn\n")

        with pytest.raises(BadInputError, match=r"first\.toy:2.*--allow-partial"):
            imported(tmp_path / "first.toy", tmp_path / "runs")

        assert not (tmp_path / "runs").exists()

    def test_several_rows_are_named_at_once(self, tmp_path):
        """
        A person mends all of them in one go.
        """
        (tmp_path / "first.toy").write_text("{a\n{b\n")

        with pytest.raises(Faults) as caught:
            imported(tmp_path / "first.toy", tmp_path / "runs")

        assert 2 == len(caught.value.errors)

    def test_what_is_left_out_by_request_is_recorded(self, tmp_path):
        """
        The report holds each row with its place, and says that the import is partial.
        """
        (tmp_path / "first.toy").write_text(lines({"id": 1}) + "{torn\n")

        (done,) = imported(tmp_path / "first.toy", tmp_path / "runs", partial=True)

        assert done.report.partial
        assert "first.toy:2" in done.report.unreadable[0]

    def test_nothing_of_the_format_is_an_error(self, tmp_path):
        """
        An import that finds nothing does not succeed.
        """
        (tmp_path / "notes.txt").write_text("hello")

        with pytest.raises(BadInputError, match="nothing of the format toy"):
            imported(tmp_path, tmp_path / "runs")


class TestReport:
    def test_files_that_were_left_alone_are_listed_with_their_reason(self, tmp_path):
        """
        Foreign files, links and special files are seen, not used, and named.
        """
        (tmp_path / "first.toy").write_text(lines({"id": 1}))
        (tmp_path / "notes.txt").write_text("hello")
        (tmp_path / "link.toy").symlink_to(tmp_path / "first.toy")

        (done,) = imported(tmp_path, tmp_path / "runs")

        assert (3, 1) == (done.report.files_seen, done.report.files_used)
        assert [
            ("a link or special file, never followed", ("link.toy",)),
            ("not part of the format's records", ("notes.txt",)),
        ] == [(item.why, item.examples) for item in done.report.skipped]

    def test_the_rules_that_decided_are_counted(self, bring):
        """
        The counts of the rules sum to the planned trials.
        """
        (done,), (run,) = bring({"id": 1}, {"id": 2, "rule": "HB-01"}, {"id": 3, "index": 4})

        assert {"RO-01": 2, "HB-01": 1, "FL-90": 2} == done.report.rules
        assert len(run.manifest.cells) == sum(done.report.rules.values())

    def test_no_path_of_the_machine_is_in_a_record(self, bring, tmp_path):
        """
        Places are relative to what was imported.
        """
        (done,), _ = bring({"id": 1, "message": "x"})

        whole = b"".join(path.read_bytes() for path in (tmp_path / "runs" / done.run).rglob("*") if path.is_file())
        assert str(tmp_path).encode() not in whole


class TestRedaction:
    def test_secrets_and_personal_details_are_taken_out_of_texts_and_trajectories(self, bring, tmp_path):
        """
        A key, an address and an account name are replaced wherever they stand, and counted by kind.
        """
        key = "AKIA" + "Q" * 16
        trajectory = {"steps": [{"message": f"export AWS_KEY={key}; cat {HOME}/jdoe/x"}], key: "jane@corp.io"}

        (done,), (run,) = bring({"id": 1, "message": f"mail jane@corp.io {key}", "trajectory": trajectory})

        whole = b"".join(path.read_bytes() for path in (tmp_path / "runs" / done.run).rglob("*") if path.is_file())
        assert not [word for word in (key, "jdoe", "jane@corp.io") if word.encode() in whole]
        assert {"aws access key": 3, "e-mail address": 2, "home folder": 1} == done.report.redactions
        assert json.loads((tmp_path / "runs" / done.run / run.trials[0].last.artifacts[0].path).read_text())

    def test_ids_names_and_keys_are_texts_too(self, bring, tmp_path):
        """
        A key or address in an id, a task's name, an agent's name or a field's name is in no record, folder name or report.
        """
        token, address = "ghp_" + "A1b2C3d4E5f6" * 3, "jane@corp.io"
        meta = {"meta": {"agent": f"agent of {address}"}}
        row = {"id": f"one {token}", "task": f"task {token} {address}", "extra": {token: "x"}}

        (done,), _ = bring(meta, row, row)

        files = [path for path in (tmp_path / "runs").rglob("*") if path.is_file()]
        whole = "".join(f"{path} {path.read_text()}" for path in files).lower()
        assert not [word for word in (token.lower(), address, "jane-corp-io") if word in whole]
        assert token not in str(done.report)

    def test_an_option_that_names_somebody_is_redacted_and_the_same_option_again(self, bring):
        """
        Importing again with the same option changes nothing, though the manifest does not hold all of it.
        """
        mapped = {"planned": "1", "map": "/home/" + "jdoe/columns.toml"}
        bring({"id": 1}, options=mapped)
        (done,), (run,) = bring({"id": 1}, options=mapped)

        assert ("unchanged", "/home/[redacted: home folder]/columns.toml") == (done.state, run.manifest.imported.options["map"])

    def test_half_of_a_secret_is_not_left_by_cutting(self, bring, tmp_path):
        """
        What is redacted is the whole text: a cut first would leave the beginning of a key that no pattern knows.
        """
        key = "ghp_" + "A1b2C3d4E5f6" * 3

        (done,), _ = bring({"id": 1, "status": "x" * 255 + " " + key + " " + "y" * 400})

        assert key[:12] not in (tmp_path / "runs" / done.run / "trials.jsonl").read_text()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.fixed_dictionaries(
            {"id": st.integers(0, 6), "verdict": st.sampled_from(["passed", "failed", None])},
            optional={"task": st.sampled_from(["a", "b", "A b"]), "index": st.integers(0, 3)},
        ),
        min_size=1,
        max_size=8,
    ),
    planned=st.integers(0, 4),
)
def test_whatever_is_imported_sums_to_the_plan(rows, planned, tmp_path_factory):
    """
    Every planned cell has one trial, and rows in are rows out and duplicates; or one clear conflict, and no run.
    """
    folder = tmp_path_factory.mktemp("law")
    (folder / "r.toy").write_text(lines(*rows))
    try:
        (done,) = imported(folder / "r.toy", folder / "runs", {"planned": str(planned)})
    except ConflictError:
        assert not list(folder.glob("runs/*"))
        return
    run = read_run(folder / "runs" / done.run)

    assert [cell.key for cell in run.manifest.cells] == [
        (t.key.task, t.key.variant, t.key.agent, t.key.trial) for t in run.trials
    ]
    assert done.report.rows_in == done.report.rows_out + len(done.report.duplicates)
    assert len(run.trials) == done.report.rows_out + done.report.missing
    assert () == verify_run(folder / "runs" / done.run)


class TestWords:
    @pytest.mark.parametrize("value", [None, True, "3", -1, 1.5, float("nan"), float("inf"), 2**60, [], {}])
    def test_what_is_no_count_is_unknown(self, value):
        """
        A count is a whole number that is not negative, and nothing else.
        """
        assert count(value) is None

    @pytest.mark.parametrize("value", [None, True, "3", float("nan"), float("-inf"), []])
    def test_what_is_no_finite_number_is_unknown(self, value):
        """
        NaN never becomes a number of a record.
        """
        assert number(value) is None

    def test_a_zero_that_stands_for_unknown_is_unknown(self):
        """
        Where a format writes 0 for a price that it does not know, 0 is no price.
        """
        assert isinstance(cost(0, "harness", zero_is_unknown=True), Absent)
        assert Decimal("0.000000") == cost(0, "harness").usd

    def test_usage_without_any_number_is_absent(self):
        """
        No token field known is no usage; one known field leaves the others absent.
        """
        assert isinstance(usage(), Absent)
        assert isinstance(usage(output=3).cache_read, Absent)

    @pytest.mark.parametrize(
        ("value", "year"),
        [
            (1764400061000, 2025),
            (1764400061, 2025),
            ("1764400061.5", 2025),
            (0, None),
            (float("nan"), None),
            ("x", None),
            (1e30, None),
        ],
    )
    def test_unix_times_in_seconds_and_milliseconds_are_told_apart(self, value, year):
        """
        Zero and nonsense are unknown.
        """
        found = epoch_time(value)
        assert year == (found and found.year)

    def test_a_time_without_offset_is_utc_and_one_with_offset_is_converted(self):
        """
        All times are UTC afterwards.
        """
        assert iso_time("2026-01-01T00:00:00") == iso_time("2026-01-01T02:00:00+02:00")
        assert iso_time("yesterday") is None

    def test_a_duration_that_runs_backwards_is_unknown(self):
        """
        An end before its start is no duration of zero.
        """
        assert seconds_between(iso_time("2026-01-02"), iso_time("2026-01-01")) is None


def test_a_benchmark_reads_imported_runs_beside_its_own(bring, tmp_path):
    """
    The archive treats an imported run as any sealed run.
    """
    bring({"id": 1})

    benchmark = load_benchmark(tmp_path)

    assert ([RunKind.IMPORTED], ()) == ([run.manifest.kind for run in benchmark.runs], benchmark.problems)
