"""Terminal-Bench 1: every status rule, copies, names read from the right, numbers recomputed, and what is not told."""

import json
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_logs import Read, damaged_bytes, damaged_value, import_damaged, json_bytes, read_logs
from terminal_bench_logs import lock, metadata, old_trial, results, trial, write_json, write_run

from faultline.errors import BadInputError, ConflictError
from faultline.importers import SourceTree
from faultline.importers.terminal_bench import TerminalBench
from faultline.records import Absent

TB = TerminalBench()


@pytest.fixture
def read(tmp_path):
    """Import a folder and return its runs."""

    def run(source=tmp_path / "jobs", options=None, *, partial=False) -> list[Read]:
        return read_logs(TB, source, tmp_path / "runs", options, partial=partial)

    return run


@pytest.fixture
def jobs(tmp_path):
    return tmp_path / "jobs"


class TestStatus:
    @pytest.mark.parametrize(
        ("mode", "resolved", "rule", "scoreable"),
        [
            ("unset", True, "TB-01", True),
            ("none", False, "TB-01", True),
            (None, True, "TB-01", True),
            ("unset", None, "TB-02", False),
            ("agent_timeout", True, "TB-03", True),
            ("agent_timeout", False, "TB-03", True),
            ("parse_error", None, "TB-04", False),
            ("test_timeout", None, "TB-05", False),
            ("unknown_agent_error", False, "TB-06", False),
            ("unknown_agent_error", None, "TB-06", False),
            ("agent_installation_failed", False, "TB-07", False),
            ("context_length_exceeded", False, "TB-08", True),
            ("output_length_exceeded", True, "TB-09", True),
            ("fatal_llm_parse_error", False, "TB-10", True),
            ("unknown", True, "TB-11", False),
            ("a word of tomorrow", False, "TB-11", False),
            ("agent_timeout", None, "TB-12 TB-03", False),
            ("fatal_llm_parse_error", None, "TB-12 TB-10", False),
        ],
    )
    def test_each_failure_mode_has_a_rule(self, read, jobs, mode, resolved, rule, scoreable):
        """
        The rule follows failure mode and verdict together; without a verdict nothing is scored.
        """
        write_run(jobs, [trial(failure_mode=mode, is_resolved=resolved, parser_results=None)])

        outcome = read()[0].trials[0].outcome

        assert (rule, scoreable) == (outcome.rule, outcome.scoreable)

    def test_a_time_out_that_passed_is_a_pass(self, read, jobs):
        """
        Tests run after the agent was stopped, so that a limit and a pass stand together.
        """
        write_run(jobs, [trial(failure_mode="agent_timeout")])

        assert (1, 1, 1) == read()[0].numbers

    def test_no_verdict_is_not_false(self, read, jobs):
        """
        ``null`` stays without a verdict, and the trial stays in the plan.
        """
        write_run(jobs, [trial(is_resolved=None)])

        found = read()[0]

        assert (0, 0, 1) == found.numbers
        assert found.trials[0].source.native_verdict is None

    def test_a_verdict_beside_a_fault_of_the_harness_is_kept_and_not_counted(self, read, jobs):
        """
        The log's own verdict stands in the source of the record only.
        """
        write_run(jobs, [trial(failure_mode="agent_installation_failed")])

        found = read()[0]

        assert ("passed", (0, 0, 1)) == (found.trials[0].source.native_verdict, found.numbers)

    def test_a_word_that_no_rule_knows_is_named(self, read, jobs):
        """
        A failure mode of a later version is unknown, and the report names it.
        """
        write_run(jobs, [trial(failure_mode="moon_phase")])

        assert any("moon_phase" in note for note in read()[0].report.notes)

    def test_a_time_out_by_an_inner_limit_is_told_apart(self, read, jobs):
        """
        An agent that ended after 30 of 600 seconds met another limit than the configured one.
        """
        write_run(jobs, [trial(failure_mode="agent_timeout")], locked=lock(global_agent_timeout_sec=600.0))

        found = read()[0]

        assert "after 30 s of 600 s" in found.trials[0].source.extra["time-out"]
        assert any("long before the configured limit" in note for note in found.report.notes)

    def test_resolved_although_a_test_failed_is_reported(self, read, jobs):
        """
        The verdict is the log's; the contradiction is said.
        """
        write_run(jobs, [trial(parser_results={"test_one": "failed"})])

        assert "1 trials are called resolved although a test failed" in read()[0].report.notes


class TestTrial:
    def test_times_become_phases(self, read, jobs):
        """
        Set-up, agent and tests have seconds of their own.
        """
        write_run(jobs, [trial()])

        timing = read()[0].trials[0].last.timing

        assert (4.0, 30.0, 3.0) == (timing.setup, timing.agent, timing.grading)

    @pytest.mark.parametrize("tokens", [0, None])
    def test_no_tokens_stand_for_unknown(self, read, jobs, tokens):
        """
        Zero and null both mean that nobody counted.
        """
        write_run(jobs, [trial(total_input_tokens=tokens, total_output_tokens=tokens)])

        assert isinstance(read()[0].trials[0].last.usage, Absent)

    def test_one_of_two_counts_may_be_known(self, read, jobs):
        """
        An unknown output leaves the input known.
        """
        write_run(jobs, [trial(total_output_tokens=0)])

        usage = read()[0].trials[0].last.usage

        assert 900 == usage.uncached_input
        assert isinstance(usage.output, Absent)

    def test_there_is_never_a_cost(self, read, jobs):
        """
        The format has none.
        """
        write_run(jobs, [trial()])

        assert isinstance(read()[0].trials[0].last.cost, Absent)

    def test_the_number_stands_in_the_name(self, read, jobs):
        """
        The i of i-of-n is the log's own number when there are several.
        """
        write_run(jobs, [trial(i=i, n=2, is_resolved=i == 2) for i in (2, 1)], meta=metadata("jobs", n_attempts=2))

        found = read()[0]

        assert ["failed", "passed"] == [found.trial("fix-it", i).outcome.verdict.value for i in (0, 1)]
        assert {"native"} == {item.index_origin for item in found.trials}

    def test_a_single_attempt_has_no_number_of_its_own(self, read, jobs):
        """
        1-of-1 says nothing about order.
        """
        write_run(jobs, [trial()])

        assert "inferred" == read()[0].trials[0].index_origin

    @pytest.mark.parametrize("known", [True, False])
    def test_dots_in_task_ids_stay(self, read, jobs, known):
        """
        ``tune-lr.hard.1-of-2.run`` is a trial of ``tune-lr.hard``, whether or not the row names its task.
        """
        rows = [trial("tune-lr.hard", i, 2) for i in (1, 2)]
        write_run(jobs, rows, meta=metadata("jobs", n_attempts=2), per_trial=False, run_level=results(rows))
        if not known:
            value = results(rows)
            for row in value["results"]:
                del row["task_id"]
            write_json(jobs / "results.json", value)

        found = read()[0]

        assert ["tune-lr.hard"] == [task.name for task in found.manifest.imported.tasks]
        assert [0, 1] == [item.key.trial for item in found.trials]

    def test_a_name_that_looks_like_two_trials_belongs_to_its_task(self, read, jobs):
        """
        A task whose own name ends in 1-of-3 is not cut.
        """
        write_run(jobs, [trial("part.1-of-3")])

        assert ["part.1-of-3"] == [task.name for task in read()[0].manifest.imported.tasks]

    def test_the_old_layout(self, read, jobs):
        """
        Up to 0.2.7 a result has a ``uuid``, no times, and no run in its name.
        """
        write_run(jobs, [old_trial("fix-it")])

        item = read()[0].trials[0]

        assert "run-a-fix-it-1" == item.source.native_id
        assert isinstance(item.last.started_at, Absent)
        assert not item.order_known


class TestFiles:
    @pytest.mark.parametrize("level", ["", "run-a", "run-a/fix-it", "run-a/fix-it/fix-it.1-of-1.run-a"])
    def test_any_level_may_be_named(self, read, jobs, level):
        """
        A parent of runs, a run, a task, or a trial: the same result.
        """
        write_run(jobs / "run-a", [trial()])

        assert (1, 1, 1) == read(jobs / level)[0].numbers

    def test_a_lone_file_under_another_name_says_what_is_unknown(self, read, jobs):
        """
        A result file alone is known by its content; agent, versions, limits are unknown.
        """
        path = write_json(jobs / "2026-11-25__08-00-00__results.json", results([trial()]))

        found = read(path)[0]

        assert (1, 1, 1) == found.numbers
        assert isinstance(found.manifest.imported.harness_version, Absent)
        assert any("agent, model, versions, limits and plan are unknown" in note for note in found.report.notes)

    def test_the_user_may_name_the_agent_of_a_lone_file(self, read, jobs):
        """
        ``--option agent=`` and ``model=`` fill what the log lacks, and never replace what it says.
        """
        write_json(jobs / "1_results.json", results([trial(run="a")]))
        write_run(jobs / "run-b", [trial(run="run-b")])

        found = read(jobs, {"agent": "mine", "model": "acme/other"})

        assert {"acme/other", "acme/model-a"} == {item.manifest.agents[0].model for item in found}

    def test_files_of_trials_win_over_the_runs_result(self, read, jobs):
        """
        The harness makes the latter from the former; the difference is said.
        """
        write_run(jobs, [trial()], run_level=results([trial(is_resolved=False)]))

        found = read()[0]

        assert (1, 1, 1) == found.numbers
        assert any("disagrees with the files of 1 trials" in note for note in found.report.notes)

    def test_a_trial_in_one_place_only_counts(self, read, jobs):
        """
        A row without a file, and a file without a row, are both trials; the report says so.
        """
        write_run(jobs, [trial("one")], run_level=results([trial("two")]))

        found = read()[0]

        assert (2, 2, 2) == found.numbers
        assert {"1 trials stand in results.json only, without a file of their own"} < set(found.report.notes)
        assert "1 trials have a file of their own and are not in results.json" in found.report.notes

    def test_an_interrupted_run_is_imported(self, read, jobs):
        """
        Without a result of its own, a run is what its trials' files say; what was planned and is not there is missing.
        """
        write_run(jobs, [trial("one")], run_level={}, meta=metadata("jobs", task_ids=["one", "two"]))

        found = read()[0]

        assert ((1, 1, 2), 1) == (found.numbers, found.report.missing)
        assert "FL-90" == found.trial("two").outcome.rule
        assert any("it was interrupted" in note for note in found.report.notes)

    def test_a_resumed_run_has_at_least_these_attempts(self, read, jobs):
        """
        Resuming deletes partial trials, so that nobody knows whether there were earlier attempts.
        """
        write_run(jobs, [trial()], meta=metadata("jobs", resumed_at="2026-11-22T09:30:00+00:00", accuracy=None))

        found = read()[0]

        assert not found.trials[0].attempts_complete
        assert any("resumed" in note for note in found.report.notes)

    def test_names_with_colon_and_at_sign(self, read, jobs):
        """
        Folders of public submissions hold such characters.
        """
        write_run(jobs / "agent@1.0:fast" / "run-a", [trial()])

        assert (1, 1, 1) == read()[0].numbers

    def test_recordings_are_named_as_not_read(self, read, jobs):
        """
        Panes and casts are seen, and the report says why they are left alone.
        """
        write_run(jobs, [trial()])
        write_json(jobs / "fix-it" / "fix-it.1-of-1.run-a" / "sessions" / "agent.cast", {})

        assert any("recording" in skipped.why for skipped in read()[0].report.skipped)

    def test_result_files_of_other_formats_are_left_alone(self, read, jobs):
        """
        Many tools write a results.json.
        """
        write_run(jobs / "run-a", [trial()])
        write_json(jobs / "other" / "results.json", {"results": [{"name": "x"}]})

        assert any(skipped.examples == ("other/results.json",) for skipped in read()[0].report.skipped)

    def test_a_lock_without_a_trial_is_no_run(self, read, jobs):
        """
        Metadata alone makes no run; nothing of the format is there.
        """
        write_json(jobs / "tb.lock", lock())

        with pytest.raises(BadInputError, match="nothing of the format"):
            read()

    @pytest.mark.parametrize(("name", "known"), [("tb.lock", True), ("results.json", True), ("report.json", False)])
    def test_recognised_by_name_or_content(self, jobs, name, known):
        """
        A lock's name is enough; a result file is looked into.
        """
        write_json(jobs / name, results([trial()]))

        assert known == TB.recognises(SourceTree(jobs))


class TestCopies:
    def test_a_run_copied_into_another_place_counts_once(self, read, jobs):
        """
        The same folder inside another one is listed as duplicates.
        """
        write_run(jobs / "run-a", [trial()])
        shutil.copytree(jobs / "run-a", jobs / "run-b" / "copies" / "run-a")

        (found,) = read()

        assert (1, 1, 1) == found.numbers
        assert ["run-b/copies/run-a/fix-it/fix-it.1-of-1.run-a/results.json"] == [r.dropped for r in found.report.duplicates]

    def test_a_copy_of_the_result_file_under_another_name_counts_once(self, read, jobs):
        """
        A lone file whose trials stand in a run belongs to that run, although it names none.
        """
        write_run(jobs / "run-a", [trial()])
        shutil.copy(jobs / "run-a" / "results.json", jobs / "2026-11-20__10-00-00_results.json")

        (found,) = read()

        assert ((1, 1, 1), 2, 1) == (found.numbers, found.report.rows_in, found.report.rows_out)

    def test_a_copy_that_says_otherwise_is_a_conflict(self, read, jobs):
        """
        One id with two verdicts names both places.
        """
        write_run(jobs / "run-a", [trial()])
        write_json(jobs / "1_results.json", results([trial(is_resolved=False)]))

        with pytest.raises(ConflictError, match=r"1_results\.json"):
            read()

    def test_two_trials_of_one_number_are_a_conflict(self, read, jobs):
        """
        Two results that both say 1-of-2 are not two trials.
        """
        rows = [trial(i=1, n=2), trial(i=1, n=2, id="another")]
        write_run(jobs, rows, per_trial=False, meta=metadata("jobs", n_attempts=2))

        with pytest.raises(ConflictError, match="claim trial 0"):
            read()

    def test_importing_again_changes_nothing(self, read, jobs):
        """
        The same folder leads to the same run.
        """
        write_run(jobs / "run-a", [trial()])
        first = read()[0].manifest

        assert first == read()[0].manifest

    def test_a_changed_run_is_a_conflict(self, read, jobs):
        """
        A run of the same identity from other bytes names both digests.
        """
        write_run(jobs / "run-a", [trial()])
        read()
        write_run(jobs / "run-a", [trial(is_resolved=False)])

        with pytest.raises(ConflictError, match="imported before from another source"):
            read()


class TestJoining:
    def five(self, jobs, **changes):
        for i in range(1, 4):
            row = trial(run=f"run-{i}", i=1, is_resolved=i == 2, trial_started_at=f"2026-11-20T10:0{9 - i}:00+00:00")
            write_run(jobs / f"run-{i}", [row], meta=metadata(f"run-{i}", **changes.get(f"run-{i}", {})))

    def test_runs_of_one_attempt_stay_runs(self, read, jobs):
        """
        Nothing says that they are trials of one run, unless the user does.
        """
        self.five(jobs)

        assert [(0, 1, 1), (1, 1, 1), (0, 1, 1)] == [found.numbers for found in read()]

    def test_the_user_may_say_that_they_are_trials_of_one(self, read, jobs):
        """
        Joined runs number their trials by start time, and the numbers say that they are inferred.
        """
        self.five(jobs)

        (found,) = read(options={"join": "agent"})

        assert ["run-3", "run-2", "run-1"] == [item.source.native_id[:5] for item in found.trials]
        assert {"inferred"} == {item.index_origin for item in found.trials}
        assert ((1, 3, 3), True) == (found.numbers, found.trials[0].order_known)
        assert any("3 runs were joined" in note for note in found.report.notes)

    def test_agents_without_a_name_are_never_joined(self, read, jobs):
        """
        Two files that name no agent may come from two.
        """
        write_json(jobs / "1_results.json", results([trial(run="a")], id="one"))
        write_json(jobs / "2_results.json", results([trial(run="b")], id="two"))

        assert 2 == len(read(options={"join": "agent"}))

    def test_another_word_is_refused(self, read, jobs):
        """
        Only agents can be joined.
        """
        write_run(jobs, [trial()])

        with pytest.raises(BadInputError, match="cannot be joined"):
            read(options={"join": "model"})

    @pytest.mark.parametrize("options", [{}, {"join": "agent"}])
    def test_differences_of_protocol_are_listed(self, read, jobs, options):
        """
        Versions, commits and multipliers that differ inside one entry are named with their runs.
        """
        self.five(jobs, **{"run-2": {"commit_hash": "unknown"}})
        write_json(jobs / "run-3" / "tb.lock", lock(global_timeout_multiplier=2.0))

        lines = read(options=options)[0].report.protocol

        assert any("harness commit differs" in line and "unknown in run-2" in line for line in lines)
        assert any("time-out multiplier differs" in line and "2 in run-3" in line for line in lines)


class TestHeadline:
    def headline(self, found, name):
        return next(item for item in found.report.headlines if item.name == name)

    def test_accuracy_is_recomputed_over_the_trials_that_are_there(self, read, jobs):
        """
        No verdict counts as unresolved, as in the harness.
        """
        write_run(jobs, [trial("one"), trial("two", is_resolved=None)])

        line = self.headline(read()[0], "accuracy in results.json")

        assert (0.5, 0.5) == (line.published, line.recomputed)

    def test_an_accuracy_that_contradicts_its_rows_is_shown_with_them(self, read, jobs):
        """
        Both numbers stand in the report, and the note says that they differ.
        """
        rows = [trial("one"), trial("two", is_resolved=False)]
        write_run(jobs, rows, run_level=results(rows, accuracy=0.9, n_resolved=7))

        found = read()[0]

        line = self.headline(found, "accuracy in results.json")
        assert (0.9, 0.5) == (line.published, line.recomputed)
        assert "another one" in line.note
        assert 7.0 == self.headline(found, "n_resolved").published

    def test_an_accuracy_that_is_null_was_not_published(self, read, jobs):
        """
        Resumed runs have none in their metadata.
        """
        write_run(jobs, [trial()], meta=metadata("jobs", accuracy=None))

        assert isinstance(self.headline(read()[0], "accuracy in run_metadata.json").published, Absent)

    def test_pass_at_k_is_recomputed_and_its_lost_trials_are_told(self, read, jobs):
        """
        One of two, and three of three: pass@2 is the mean of 1 and 1; a short task is named.
        """
        rows = [trial("one", i, 3, is_resolved=i == 1) for i in (1, 2)] + [trial("two", i, 3) for i in (1, 2, 3)]
        write_run(jobs, rows, run_level=results(rows, pass_at_k={"2": 1.0, "3": 0.9}), meta=metadata("jobs", n_attempts=3))

        found = read()[0]

        two, three = self.headline(found, "pass@2"), self.headline(found, "pass@3")
        assert 1.0 == two.recomputed
        assert "2 to 3 trials" in two.note
        assert isinstance(three.recomputed, Absent)


class TestAgent:
    @pytest.mark.parametrize(("name", "kind"), [("oracle", "reference"), ("nop", "no-op"), ("agent-a", "imported")])
    def test_the_harnesss_own_checks_are_controls(self, read, jobs, name, kind):
        """
        Its oracle and its do-nothing agent are evidence about tasks.
        """
        write_run(jobs, [trial()], meta=metadata("jobs", agent_name=name))

        assert kind == read()[0].manifest.agents[0].kind.value

    def test_user_names_are_taken_out(self, read, jobs):
        """
        The name that the metadata gives is redacted wherever it stands, and counted.
        """
        write_run(jobs / "run of mallory", [trial(run="by-mallory")], meta=metadata("run of mallory", username="mallory"))

        found = read()[0]

        assert "mallory" not in found.manifest.run
        assert not [path for path in found.folder.iterdir() if b"mallory" in path.read_bytes()]
        assert found.report.redactions["user name"] > 0

    def test_fields_without_a_home_are_counted(self, read, jobs):
        """
        Nothing is lost in silence.
        """
        write_run(jobs, [trial(new_field=1)])

        homeless = read()[0].report.homeless

        assert (1, 1) == (homeless["new_field"], homeless["instruction"])


class TestHostile:
    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            ({"is_resolved": "yes"}, "not a verdict"),
            ({"is_resolved": 1}, "not a verdict"),
            ({"failure_mode": ["unset"]}, "not a word"),
            ({"task_id": 7, "trial_name": "x"}, "names no task"),
            ({"id": None, "trial_name": ""}, "neither an id nor a trial name"),
        ],
    )
    def test_a_row_that_cannot_be_read_names_file_and_row(self, read, jobs, fields, words):
        """
        The import fails, and nothing is left behind.
        """
        write_json(jobs / "results.json", results([trial(), trial("two", **fields)]))

        with pytest.raises(BadInputError, match=rf"results\.json:2.*{words}|{words}") as caught:
            read()

        assert "results.json:2" in str(caught.value)
        assert not (jobs.parent / "runs").exists()

    def test_on_request_the_rest_is_imported(self, read, jobs):
        """
        What was left out is listed.
        """
        write_json(jobs / "results.json", results([trial(), trial("two", is_resolved="yes")]))

        found = read(partial=True)[0]

        assert (1, 1, 1) == found.numbers
        assert found.report.partial

    def test_values_of_another_type_are_unknown(self, read, jobs):
        """
        Tokens, times and tests that are none are left out and counted.
        """
        write_run(jobs, [trial(total_input_tokens="9", trial_started_at=5, parser_results=[1])])

        notes = read()[0].report.notes

        assert 3 == sum("is of another type in 1 results" in note for note in notes)

    def test_an_endless_plan_is_refused(self, read, jobs):
        """
        A number of attempts cannot make the import write without end.
        """
        write_run(jobs, [trial()], meta=metadata("jobs", n_attempts=10**9))

        with pytest.raises(BadInputError, match="more trials are planned"):
            read()

    @settings(max_examples=50, deadline=None)
    @given(
        change=st.one_of(
            st.tuples(st.just("bytes"), damaged_bytes(json_bytes(results([trial(), trial("two", 2, 2)])))),
            st.tuples(st.just("results"), damaged_value(results([trial(), trial("two", 2, 2)]))),
            st.tuples(st.just("metadata"), damaged_value(metadata(task_ids=["fix-it"]))),
            st.tuples(st.just("lock"), damaged_value(lock(global_agent_timeout_sec=60.0))),
            st.tuples(st.just("trial"), damaged_value(trial())),
        )
    )
    def test_damage_never_ends_in_a_traceback(self, change):
        """
        Whatever bytes or values stand in the four files: one clear error or a run, never half a run.
        """
        what, value = change

        def write(folder):
            write_run(folder / "run-a", [trial(), trial("two")], meta=metadata(task_ids=["fix-it", "two"]))
            name = {"metadata": "run_metadata.json", "lock": "tb.lock"}.get(what, "results.json")
            place = folder / "run-a" / ("fix-it/fix-it.1-of-1.run-a/results.json" if what == "trial" else name)
            place.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())

        import_damaged(TB, write)
