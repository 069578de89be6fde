"""Tables: what a column means is said by a map and never guessed; what cannot be converted is an error with file and line."""

import json
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faultline.archive import read_run
from faultline.clock import frozen_clock
from faultline.errors import BadInputError, ConflictError, FaultlineError, UnfitHostError
from faultline.importers import Reading, SourceTree, import_runs
from faultline.importers.column_map import amount, read_map
from faultline.importers.rows import Rows
from faultline.kinds import Fold
from faultline.records import Absent

MAP = """
task = "Case"
trial = { column = "Attempt #", first = 1 }
agent = "System"
verdict = { column = "Passed?", passed = ["yes"], failed = ["no"], none = ["n/a"] }
seconds = "Seconds"
input_tokens = "Prompt tok"
output_tokens = "Completion tok"
cost = { column = "USD", zero_is_unknown = true }
ended = { column = "Finished (local)", pattern = "%d/%m/%Y %H:%M", zone = "Europe/Berlin" }
message = "Note"
[status]
column = "Note"
[status.rules]
"container failed to start" = "RO-11"
"time limit" = "RO-12"
"""
TABLE = """Case,Attempt #,System,Passed?,Seconds,Prompt tok,Completion tok,USD,Finished (local),Note,Mood
loader,1,Model A,yes,61.2,"10,200",800,$0.031,29/11/2026 14:03,,calm
loader,2,Model A,no,1800,"88,000","9,000",0,29/11/2026 14:41,time limit,
tokenizer,1,Model A,n/a,3.1,,,,29/11/2026 14:06,container failed to start,
tokenizer,1,Model A,n/a,3.1,,,,29/11/2026 14:06,container failed to start,
"""


def bring(folder, text, name="table.csv", chosen=MAP, partial=False, **options):
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    if chosen:
        (folder / "columns.toml").write_text(chosen)
        options["map"] = str(folder / "columns.toml")
    reading = Reading(SourceTree(folder / name), options, partial)
    done = import_runs(Rows(), reading, folder / "runs", frozen_clock(datetime(2026, 12, 1, tzinfo=UTC)))
    return done, [read_run(folder / "runs" / item.run) for item in done]


class TestTables:
    def test_a_table_with_separators_currency_and_local_times_is_read(self, tmp_path):
        """
        Each cell becomes what the map says, in the record's units.
        """
        (done,), (run,) = bring(tmp_path, TABLE)
        first, second, third = run.trials

        assert [Fold.PASSED, Fold.FAILED, Fold.INVALID_INFRA] == [trial.outcome.fold for trial in run.trials]
        assert ["RO-01", "RO-12", "RO-11"] == [trial.outcome.rule for trial in run.trials]
        assert (10_200, Decimal("0.031000"), 61.2) == (
            first.last.usage.uncached_input,
            first.last.cost.usd,
            first.last.timing.agent,
        )
        assert datetime(2026, 11, 29, 13, 3, tzinfo=UTC) == first.last.ended_at
        assert isinstance(second.last.cost, Absent)
        assert isinstance(third.last.usage, Absent)
        assert (1, {"Mood": 4}) == (len(done.report.duplicates), done.report.homeless)
        assert {"Mood": "calm"} == first.source.extra

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            (
                "t.tsv",
                TABLE.replace(",", "\t")
                .replace('"10\t200"', "10200")
                .replace('"88\t000"', "88000")
                .replace('"9\t000"', "9000"),
            ),
            ("t.csv", "\ufeff" + TABLE),
        ],
    )
    def test_other_ways_to_write_a_table(self, tmp_path, name, text):
        """
        Tabs, and a byte order mark.
        """
        _, (run,) = bring(tmp_path, text, name)
        assert 3 == len(run.trials)

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("t.jsonl", '{"t": "a", "ok": true}\n{"t": "b", "ok": false}\n'),
            ("t.json", '[{"t": "a", "ok": 1}, {"t": "b", "ok": 0}]'),
            ("t.yaml", "- t: a\n  ok: yes\n- t: b\n  ok: no\n"),
        ],
    )
    def test_lists_of_objects_are_tables(self, tmp_path, name, text):
        """
        JSON lines, a JSON list and a YAML list.
        """
        _, (run,) = bring(tmp_path, text, name, 'task = "t"\nverdict = "ok"\n', agent="m")
        assert [Fold.PASSED, Fold.FAILED] == [trial.outcome.fold for trial in run.trials]

    def test_parquet_is_read_or_the_extra_is_named(self, tmp_path):
        """
        With pyarrow a Parquet file is a table; without it the error says what to install.
        """
        try:
            import pyarrow as pa
            from pyarrow import parquet
        except ImportError:
            with pytest.raises(UnfitHostError, match="extra parquet"):
                bring(tmp_path, b"PAR1", "t.parquet", 'task = "t"\nverdict = "ok"\n')
            return
        parquet.write_table(pa.table({"t": ["a"], "ok": [True]}), tmp_path / "made.parquet")
        _, (run,) = bring(tmp_path, (tmp_path / "made.parquet").read_bytes(), "t.parquet", 'task = "t"\nverdict = "ok"\n')
        assert 1 == len(run.trials)

    def test_each_agent_has_a_run_of_its_own(self, tmp_path):
        """
        Rows of two systems in one file are two runs.
        """
        done, _ = bring(tmp_path, TABLE.replace("loader,2,Model A", "loader,2,Model B"))
        assert 2 == len(done)

    def test_rows_that_claim_one_trial_with_different_results_are_a_conflict(self, tmp_path):
        """
        Neither is taken.
        """
        with pytest.raises(ConflictError):
            bring(tmp_path, TABLE.replace("loader,2,Model A", "loader,1,Model A"))

    def test_another_map_under_the_same_name_is_a_conflict(self, tmp_path):
        """
        What the columns were taken for is part of the run; where the map lies is not.
        """
        bring(tmp_path, TABLE)

        with pytest.raises(ConflictError, match="other options"):
            bring(tmp_path, TABLE, chosen=MAP.replace('passed = ["yes"], failed = ["no"]', 'passed = ["no"], failed = ["yes"]'))

    def test_input_that_includes_the_cache_is_split_and_says_so(self, tmp_path):
        """
        Uncached is what is left; without the cached part it is unknown.
        """
        chosen = 'task = "t"\nverdict = "ok"\ninput_tokens = { column = "i", includes_cache = true }\ncache_read_tokens = "c"\n'
        text = '{"t": "a", "ok": true, "i": 100, "c": 30}\n{"t": "b", "ok": true, "i": 100}\n'

        _, (run,) = bring(tmp_path, text, "t.jsonl", chosen)

        assert (70, 30, "derived") == (
            run.trials[0].last.usage.uncached_input,
            run.trials[0].last.usage.cache_read,
            run.trials[0].last.usage.source,
        )
        assert isinstance(run.trials[1].last.usage, Absent)

    def test_a_score_gives_the_verdict_where_the_map_says_at_what(self, tmp_path):
        """
        A fraction is failed, with its score; NaN is no verdict.
        """
        chosen = 'task = "t"\nscore = { column = "s", passed_at = 1.0, tolerance = 1e-6 }\n'
        text = '{"t": "a", "s": 0.9999999}\n{"t": "b", "s": 0.33}\n{"t": "c", "s": NaN}\n'

        _, (run,) = bring(tmp_path, text, "t.jsonl", chosen)

        assert [(Fold.PASSED, 0.9999999), (Fold.FAILED, 0.33), (Fold.INVALID_INFRA, None)] == [
            (trial.outcome.fold, trial.source.score) for trial in run.trials
        ]


class TestRefusals:
    @pytest.mark.parametrize(
        ("old", "new", "problem"),
        [
            ("yes,61.2", "maybe,61.2", r"table\.csv:2: Passed\?: the map does not say"),
            ("61.2", "fast", r"table\.csv:2: Seconds: this is no number"),
            ("29/11/2026 14:03", "yesterday", r"table\.csv:2: Finished .*no time like"),
            ("loader,1,", "loader,first,", r"table\.csv:2: Attempt #: this is no trial number"),
            ("loader,1,", ",1,", r"table\.csv:2: Case: the row names no task"),
            (",calm", "", r"table\.csv:2: this row has another number of cells"),
            ("time limit", "out of luck", r"table\.csv:3: Note: the map has no rule"),
            ("Mood", "Case", "columns need names that differ"),
            ('"10,200"', '"10,200', "this is not CSV|another number of cells"),
        ],
    )
    def test_what_a_map_cannot_convert_is_an_error_with_file_line_and_column(self, tmp_path, old, new, problem):
        """
        No row is dropped in silence, and no run is left.
        """
        with pytest.raises(FaultlineError, match=problem):
            bring(tmp_path, TABLE.replace(old, new, 1))

        assert not (tmp_path / "runs").exists()

    def test_rows_that_cannot_be_read_may_be_left_out_on_request(self, tmp_path):
        """
        They are listed in the report, and the trial that such a row was is missing.
        """
        (done,), (run,) = bring(tmp_path, TABLE.replace("61.2", "fast", 1), partial=True)

        assert (1, 1, "FL-90") == (len(done.report.unreadable), done.report.missing, run.trials[0].outcome.rule)

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ('task = "t"', "nothing gives a verdict"),
            ('task = "t"\nverdict = "v"\ncolour = "red"', "colour: this field does not exist"),
            ('verdict = "v"', "task: this field is missing"),
            ('task = "t"\nverdict = "v"\nstatus = { column = "s", present = "XX-99" }', "(?i)no status rule XX-99"),
            ('task = "t', "this is not TOML"),
        ],
    )
    def test_a_map_that_says_nothing_or_too_much_is_refused(self, text, problem):
        """
        The error names the field.
        """
        with pytest.raises(FaultlineError, match=problem):
            read_map(text, "columns.toml")

    @pytest.mark.parametrize(
        ("options", "problem"),
        [
            ({}, "needs a column map or a preset"),
            ({"preset": "other"}, "no such preset"),
            ({"map": "absent.toml"}, "cannot be read"),
        ],
    )
    def test_a_table_without_a_map_is_refused(self, tmp_path, options, problem):
        """
        Which column is which is never guessed.
        """
        with pytest.raises(BadInputError, match=problem):
            bring(tmp_path, TABLE, chosen="", **options)

    @pytest.mark.parametrize(
        ("name", "text", "problem"),
        [
            ("t.json", "{}", "no list of rows"),
            ("t.json", "[3]", "a row is an object"),
            ("t.jsonl", "{torn\n", "not JSON"),
            ("t.yaml", "a: &x [1]\nb: *x\n", "aliases are not read"),
            ("t.yaml", "- {a: [", "not YAML"),
            ("t.yaml", "[" * 5_000, "not YAML"),
            ("t.csv", "version https://git-lfs.github.com/spec/v1\noid x\n", "pointer of Git LFS"),
        ],
    )
    def test_a_file_that_is_no_table_is_one_clear_error(self, tmp_path, name, text, problem):
        """
        Also where reading it would never end.
        """
        with pytest.raises(FaultlineError, match=problem):
            bring(tmp_path, text, name, 'task = "t"\nverdict = "ok"\n')

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("1,600", 1600.0),
            (" $0.031 ", 0.031),
            ("€5", 5.0),
            ("1e3", 1000.0),
            ("abc", None),
            ("nan", None),
            (True, None),
            (None, None),
        ],
    )
    def test_amounts_as_people_write_them(self, text, value):
        """
        Separators and currency signs are no part of a number.
        """
        assert value == amount(text)


class TestPresets:
    def test_tau_bench_a_crash_that_looks_like_a_reward_of_zero_has_no_verdict(self, tmp_path):
        """
        The simulated user's cost is no cost of the agent; trials are numbered natively; the trajectory is kept.
        """
        rows = [
            {"task_id": 0, "reward": 1.0, "info": {"user_cost": 0.5}, "traj": [{"role": "user", "content": "hi"}], "trial": 0},
            {"task_id": 0, "reward": 0.0, "info": {"error": "boom"}, "traj": [], "trial": 1},
            {"task_id": 1, "reward": 0.9999999, "info": {}, "traj": [], "trial": 0},
        ]
        _, (run,) = bring(tmp_path, json.dumps(rows), "r.json", "", preset="tau-bench")

        assert [("TA-02", "passed"), ("TA-01", "none"), ("TA-02", "passed")] == [
            (trial.outcome.rule, trial.outcome.verdict) for trial in run.trials
        ]
        assert {"native"} == {trial.index_origin for trial in run.trials}
        assert isinstance(run.trials[0].last.cost, Absent)
        assert 1 == len(run.trials[0].last.artifacts)

    @pytest.mark.parametrize(
        ("word", "rule", "fold"),
        [
            (None, "ME-01", Fold.PASSED),
            ("usageLimits", "ME-02", Fold.PASSED),
            ("server", "ME-04", Fold.INVALID_INFRA),
            ("serverOrTask", "ME-05", Fold.INVALID_INFRA),
            ("task", "ME-06", Fold.INVALID_INFRA),
            ("user", "ME-07", Fold.INVALID_INFRA),
        ],
    )
    def test_metr_a_fatal_error_can_stand_beside_a_score(self, tmp_path, word, rule, fold):
        """
        Whose error it was decides whether the score counts; times are milliseconds; people are left out.
        """
        row = {
            "run_id": "r1",
            "task_id": "fam/t",
            "task_family": "fam",
            "alias": "Model A",
            "score": 1.0,
            "score_binarized": 1,
            "fatal_error_from": word,
            "started_at": 1764400061000,
            "completed_at": 1764400161000,
        }
        person = row | {"alias": "human", "run_id": "h", "started_at": 0}
        text = "".join(json.dumps(item) + "\n" for item in (row, row, person))

        (done,), (run,) = bring(tmp_path, text, "runs.jsonl", "", preset="metr")

        assert (rule, fold, 100.0) == (run.trials[0].outcome.rule, run.trials[0].outcome.fold, run.trials[0].last.timing.agent)
        assert "fam" == run.manifest.imported.tasks[0].family
        assert (1, True) == (len(done.report.duplicates), any("1 rows are no trials" in note for note in done.report.notes))

    def test_aider_an_aggregate_supports_nothing(self, tmp_path):
        """
        Every trial is planned and missing, the published rate stands alone, zero cost and a dirty commit are named.
        """
        text = (
            "- dirname: run-1\n  model: m\n  test_cases: 224\n  total_tests: 225\n  pass_rate_2: 3.6\n  pass_num_2: 8\n"
            "  commit_hash: a755079-dirty\n  total_cost: 0.0\n"
        )
        (done,), (run,) = bring(tmp_path, text, "polyglot_leaderboard.yml", "", preset="aider")

        assert (225, {"AI-01": 225}) == (done.report.missing, done.report.rules)
        assert isinstance(done.report.headlines[0].recomputed, Absent)
        assert "yes" == run.manifest.imported.protocol["harness changed since that commit"]
        assert any("cost is unknown" in note for note in done.report.notes)
        assert any("1 of 225 cases were lost" in note for note in done.report.notes)

    def test_aider_case_files_are_trials(self, tmp_path):
        """
        The last of the tries is the verdict, and their number stands beside it.
        """
        source = tmp_path / "run-1"
        for name, outcomes in (("bowling", [False, True]), ("forth", [False, False])):
            (source / name).mkdir(parents=True)
            plain = {"testcase": name, "tests_outcomes": outcomes, "cost": 0.01, "duration": 3.5, "model": "m"}
            (source / name / ".aider.results.json").write_text(json.dumps(plain))
        reading = Reading(SourceTree(tmp_path), {"preset": "aider"})

        (done,) = import_runs(Rows(), reading, tmp_path / "runs", frozen_clock(datetime(2026, 12, 1, tzinfo=UTC)))

        trials = read_run(tmp_path / "runs" / done.run).trials
        assert [(Fold.PASSED, 2.0), (Fold.FAILED, 2.0)] == [(t.outcome.fold, t.source.metrics["tries"]) for t in trials]

    def test_mle_bench_missing_competitions_are_missing_and_a_grader_crash_is_flagged(self, tmp_path):
        """
        A run group is a trial; what a group's own list names and its report lacks has no record.
        """
        for seed, reports in ((0, ["a", "b"]), (1, ["a"])):
            folder = tmp_path / "source" / f"agent_seed{seed}"
            folder.mkdir(parents=True)
            listed = {f"{name}_{seed}": {} for name in ("a", "b")}
            (folder / "metadata.json").write_text(json.dumps({"agent": "agent", "runs": listed}))
            made = [
                {
                    "competition_id": name,
                    "score": 0.5,
                    "any_medal": name == "a",
                    "submission_exists": True,
                    "valid_submission": name != "b",
                    "submission_path": "x/y.csv",
                }
                for name in reports
            ]
            (folder / "2026_grading_report.json").write_text(json.dumps({"competition_reports": made}))
        reading = Reading(SourceTree(tmp_path / "source"), {"preset": "mle-bench"})

        (done,) = import_runs(Rows(), reading, tmp_path / "runs", frozen_clock(datetime(2026, 12, 1, tzinfo=UTC)))

        assert {"ML-02": 1, "ML-03": 2, "ML-04": 1} == done.report.rules


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_a_damaged_table_ends_in_a_clear_error_or_in_runs(data, tmp_path_factory):
    """
    Whatever bytes change, nothing else is raised, and several faults are named at once.
    """
    raw = bytearray(TABLE.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    del raw[data.draw(st.integers(1, len(raw))) :]
    with suppress(FaultlineError):
        bring(tmp_path_factory.mktemp("damaged"), bytes(raw))
