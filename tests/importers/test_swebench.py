"""The SWE-bench family: best evidence first, every shape of a summary, copies and contradictions, and what is not told."""

import json
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_logs import Read, damaged_bytes, damaged_value, import_damaged, json_bytes, read_logs
from swebench_logs import (
    FOLDER,
    MODEL,
    RUN,
    boards,
    entry,
    mini,
    patch,
    prediction,
    report,
    story_summary,
    summary,
    swe_agent,
    version_1,
    write_json,
    write_jsonl,
    write_log,
    write_story,
    write_submission,
)

from faultline.errors import BadInputError, ConflictError, FaultlineError
from faultline.importers import SourceTree
from faultline.importers.swebench import SweBench
from faultline.records import Absent

SWE = SweBench()
SUMMARY = f"{FOLDER}.{RUN}.json"

RULES = {
    "absent 0": "SW-09",
    "bad 0": "SW-02",
    "blank 0": "SW-06",
    "broken 0": "SW-03",
    "good 0": "SW-01",
    "limit 0": "SW-21",
    "misfit 0": "SW-05",
    "outage 0": "SW-08 HB-25",
    "unborn 0": "SW-08 HB-90",
    "vague 0": "SW-04",
}
"""What becomes of the ten instances of the story."""
ROWS = {"a": {"resolved": True, "cost": 0.5, "api_calls": 9}, "b": {"resolved": False, "cost": 0.0, "api_calls": 4}}


@pytest.fixture
def logs(tmp_path):
    return tmp_path / "logs-of-a-run"


@pytest.fixture
def read(tmp_path, logs):
    """Import a folder and return its runs."""

    def run(source=None, options=None, *, partial=False) -> list[Read]:
        return read_logs(SWE, source or logs, tmp_path / "runs", options, partial=partial)

    return run


class TestJoining:
    def test_each_instance_is_decided_by_its_best_evidence(self, read, logs):
        """
        Trajectory, report, log and lists are joined: an empty patch is a limit, an outage, or an environment that never started.
        """
        write_story(logs)

        (found,) = read()

        assert (RULES, 1) == (found.rules, found.report.missing)

    def test_the_three_numbers_follow(self, read, logs):
        """
        Resolved, unresolved, ambiguous, limit and misfit are scored; outage, fault, empty report and missing are not.
        """
        write_story(logs)

        assert (1, 5, 10) == read()[0].numbers

    def test_a_summary_alone_says_less(self, read, logs):
        """
        Without trajectories and logs every empty patch is the agent's, and a patch that did not apply is an error.
        """
        write_json(logs / SUMMARY, story_summary())

        (found,) = read()

        assert ["SW-07"] * 3 == [found.rules[f"{name} 0"] for name in ("limit", "outage", "unborn")]
        assert ["SW-06"] * 3 == [found.rules[f"{name} 0"] for name in ("broken", "blank", "misfit")]

    def test_cost_and_calls_come_from_trajectories(self, read, logs):
        """
        Tokens are not in them; an instance without one has no cost.
        """
        write_story(logs)

        found = read()[0]

        assert 0.25 == float(found.trial("good").last.cost.usd)
        assert 2 == found.trial("good").last.usage.requests
        assert isinstance(found.trial("good").last.usage.output, Absent)
        assert isinstance(found.trial("unborn").last.cost, Absent)

    def test_dataset_and_agent_are_named(self, read, logs):
        """
        The run's description gives the dataset, trajectories give the agent with its version.
        """
        write_story(logs)

        manifest = read()[0].manifest

        agent = manifest.agents[0]
        assert (MODEL, "2.4.6") == (agent.model, agent.version)
        assert {"made/up test"} == {task.suite for task in manifest.imported.tasks}

    def test_one_prediction_is_one_native_trial(self, read, logs):
        """
        An instance has one trial, and its number is the log's own.
        """
        write_story(logs)

        assert {("native", 0)} == {(item.index_origin, item.key.trial) for item in read()[0].trials if item.source}

    def test_tests_are_counted(self, read, logs):
        """
        Tests that had to pass are passed or failed; the others are apart.
        """
        write_story(logs)

        tests = read()[0].trial("good").source.tests

        assert (4, 0, 1) == (tests.passed, tests.failed, tests.other)


class TestShapes:
    @pytest.mark.parametrize("shape", ["v1", "v2", "tiers"])
    def test_every_version_of_a_summary_gives_the_same_verdicts(self, read, logs, shape):
        """
        The keys tell the shape; its number does not.
        """
        value = story_summary(tiers=shape == "tiers")
        write_json(logs / SUMMARY, version_1(value) if shape == "v1" else value)

        (found,) = read()

        verdicts = {item.key.task: item.source.native_verdict for item in found.trials if item.source}
        assert {"good": "passed", "bad": "failed", "blank": None, "limit": "failed"}.items() <= verdicts.items()

    def test_tiers_are_not_scored_when_the_environment_broke(self, read, logs):
        """
        The harness keeps such instances in the denominator; here they are infrastructure.
        """
        write_json(logs / SUMMARY, story_summary(tiers=True))

        found = read()[0]

        assert ("infra", False) == (found.trial("broken").outcome.status.value, found.trial("broken").outcome.scoreable)
        assert ("SW-04", True) == (found.rules["vague 0"], found.trial("vague").outcome.scoreable)

    def test_a_submission_may_say_resolved_for_resolved_ids(self, read, logs):
        """
        The same summary under another key.
        """
        value = version_1(story_summary())
        value["resolved"] = value.pop("resolved_ids")
        write_submission(logs, [prediction("good")], value)

        assert "SW-01" == read()[0].rules["good 0"]

    def test_lists_of_a_submission_are_filled_by_its_predictions(self, read, logs):
        """
        What is in no list was not resolved; only predictions name it.
        """
        rows = [prediction(name) for name in ("good", "bad", "lost")] + [prediction("none", None)]
        write_submission(logs, rows, {"no_generation": ["none"], "no_logs": ["lost"], "resolved": ["good"]})

        (found,) = read()

        assert {"good 0": "SW-01", "bad 0": "SW-02", "lost 0": "SW-06", "none 0": "SW-07"} == found.rules
        assert any("size of the dataset is not told" in note for note in found.report.notes)

    def test_lists_without_anything_that_names_the_rest_are_refused(self, read, logs):
        """
        From a list of successes alone no rate follows.
        """
        place = write_submission(logs, [prediction("good")], {"no_generation": [], "resolved": ["good"]})
        (place / "all_preds.jsonl").unlink()

        with pytest.raises(BadInputError, match="do not name the instances that were not resolved"):
            read()

    def test_older_lists_tell_a_patch_that_did_not_apply(self, read, logs):
        """
        Early submissions had a list of their own for it.
        """
        write_submission(
            logs, [prediction("good"), prediction("misfit")], {"no_logs": [], "no_apply": ["misfit"], "resolved": ["good"]}
        )

        assert "SW-05" == read()[0].rules["misfit 0"]

    @pytest.mark.parametrize("form", ["jsonl", "list", "mapping"])
    def test_predictions_in_three_forms(self, read, logs, form):
        """
        Lines, a list, and an object by instance say the same; ``null`` and an empty patch are the same.
        """
        rows = [prediction("good"), prediction("none", None)]
        write_json(logs / SUMMARY, summary(resolved=["good"], empty_patch=["none"]))
        if form == "jsonl":
            write_jsonl(logs / "preds.jsonl", rows)
        else:
            write_json(logs / "preds.json", rows if form == "list" else {row["instance_id"]: row for row in rows})

        assert {"good 0": "SW-01", "none 0": "SW-07"} == read()[0].rules

    def test_names_of_models_and_runs_hold_dots(self, read, logs):
        """
        ``acme__model-1.5.first.run.json`` is cut where the predictions say.
        """
        write_json(logs / SUMMARY, summary(resolved=["good"]))
        write_jsonl(logs / "preds.jsonl", [prediction("good")])

        (found,) = read()

        assert (MODEL, RUN) == (found.manifest.agents[0].model, found.manifest.imported.native_run.split("|")[2])

    def test_predictions_without_an_evaluation_have_no_verdict(self, read, logs):
        """
        Nobody judged them, not even the empty one.
        """
        path = write_jsonl(logs / "preds.jsonl", [prediction("good"), prediction("none", None)])

        (found,) = read(path)

        assert ((0, 0, 2), {"SW-11"}) == (found.numbers, set(found.rules.values()))

    def test_an_agents_run_without_an_evaluation_tells_how_it_ended(self, read, logs):
        """
        Handed in is not resolved.
        """
        write_json(logs / "good" / "good.traj.json", mini("good"))
        write_json(logs / "slow" / "slow.traj.json", mini("slow", "TimeExceeded"))

        (found,) = read()

        assert ({"good 0": "SW-20", "slow 0": "SW-21"}, (0, 0, 2)) == (found.rules, found.numbers)

    def test_the_gold_run_is_a_control(self, read, logs):
        """
        The harness calls its own patches gold.
        """
        write_jsonl(logs / "preds.jsonl", [prediction("good", model="gold")])
        write_json(logs / "gold.check.json", summary(resolved=["good"]))

        assert "reference" == read()[0].manifest.agents[0].kind.value


class TestEnds:
    @pytest.mark.parametrize(
        ("status", "text", "rule", "scoreable"),
        [
            ("Submitted", "", "SW-02", True),
            ("Submitted", None, "SW-07", True),
            ("LimitsExceeded", None, "SW-21", True),
            ("TimeExceeded", "", "SW-21", True),
            ("RepeatedFormatError", None, "SW-22", True),
            ("", None, "SW-23", False),
            (None, None, "SW-23", False),
            ("", "", "SW-02", True),
            ("RateLimitError", None, "SW-08 HB-23", False),
            ("NobodyKnowsError", None, "SW-08 HB-90", False),
            ("NobodyKnowsError", "", "SW-24 HB-90", False),
        ],
    )
    def test_exit_statuses_of_mini_swe_agent(self, read, logs, status, text, rule, scoreable):
        """
        Limits and wrong formats are the agent's; an exception is what its name says, and never scored.
        """
        rows = [prediction("one", text)]
        write_json(logs / "preds.json", rows)
        write_json(logs / "one" / "one.traj.json", mini("one", status))
        write_json(logs / SUMMARY, summary(empty_patch=["one"]) if text is None else summary(unresolved=["one"]))

        outcome = read()[0].trials[0].outcome

        assert (rule, scoreable) == (outcome.rule, outcome.scoreable)

    @pytest.mark.parametrize(
        ("status", "rule"),
        [
            ("submitted", "SW-01"),
            ("submitted (exit_cost)", "SW-25"),
            ("exit_context", "SW-25"),
            ("submitted (exit_format)", "SW-26"),
            ("exit_api", "SW-27"),
            ("submitted (exit_environment_error)", "SW-28"),
            ("exit_error", "SW-29"),
            ("submitted (exit_moon)", "SW-24 HB-90"),
        ],
    )
    def test_words_of_swe_agent(self, read, logs, status, rule):
        """
        It hands in what it has after most faults, and says which.
        """
        write_json(logs / "preds.json", [prediction("one")])
        write_json(logs / "one" / "one.traj", swe_agent(status))
        write_json(logs / SUMMARY, summary(resolved=["one"]))

        assert rule == read()[0].trials[0].outcome.rule

    def test_tokens_of_swe_agent(self, read, logs):
        """
        Its statistics count what was sent and received.
        """
        write_json(logs / "one" / "one.traj", swe_agent("submitted"))

        usage = read()[0].trials[0].last.usage

        assert (9_000, 400, 7) == (usage.uncached_input, usage.output, usage.requests)

    def test_no_price_for_calls_is_an_unknown_cost(self, read, logs):
        """
        Zero dollars for two calls means that nobody knew the price.
        """
        write_json(logs / "one" / "one.traj.json", mini("one", model_stats={"instance_cost": 0.0, "api_calls": 2}))

        assert isinstance(read()[0].trials[0].last.cost, Absent)

    def test_a_bare_list_of_messages_is_a_trajectory_only(self, read, logs):
        """
        How it ended and what it cost is unknown.
        """
        write_json(logs / "one.traj.json", mini("one")["messages"])

        (found,) = read()

        assert "SW-11" == found.trials[0].outcome.rule
        assert isinstance(found.trials[0].last.cost, Absent)
        assert ["trace"] == [item.role for item in found.trials[0].last.artifacts]


class TestTraces:
    def trace(self, found):
        (artifact,) = found.trials[0].last.artifacts
        return json.loads((found.folder / artifact.path).read_text())

    def test_messages_become_steps(self, read, logs):
        """
        A command is a tool call, its output the observation, its price a metric.
        """
        write_json(logs / "one" / "one.traj.json", mini("one"))

        found = self.trace(read()[0])

        assert ["system", "user", "agent", "system"] == [step["source"] for step in found["steps"]]
        step = found["steps"][2]
        assert "ls" == step["tool_calls"][0]["arguments"]["command"]
        assert [{"content": "code.py"}] == step["observation"]["results"]
        assert {"cost_usd": 0.25} == step["metrics"]

    def test_actions_become_steps(self, read, logs):
        """
        SWE-agent's response, action and observation are one step.
        """
        write_json(logs / "one" / "one.traj", swe_agent("submitted"))

        (step,) = self.trace(read()[0])["steps"]

        assert ("Look first.", "ls") == (step["message"], step["tool_calls"][0]["arguments"]["command"])

    def test_secrets_in_trajectories_are_taken_out(self, read, logs):
        """
        What an agent saw may hold keys.
        """
        value = mini("one")
        value["messages"][3]["content"] = "token " + "gh" + "p_" + "b2" * 18
        write_json(logs / "one" / "one.traj.json", value)

        (found,) = read()

        assert "[redacted: github token]" in json.dumps(self.trace(found))
        assert 1 == found.report.redactions["github token"]

    def test_the_same_steps_under_two_instances_are_two_traces(self, read, logs):
        """
        Each trace is stamped with its instance, so that one transcript never stands under two trials.
        """
        for name in ("one", "two"):
            write_json(logs / name / f"{name}.traj.json", mini("one") | {"instance_id": name})

        assert 2 == len({item.last.artifacts[0].sha256 for item in read()[0].trials})


class TestCopies:
    def test_other_shapes_of_a_run_are_duplicates(self, read, logs):
        """
        Older summaries and submissions of the same predictions add nothing, and are listed.
        """
        write_story(logs)
        rows = [json.loads(line) for line in (logs / "harness" / "preds.jsonl").read_text().splitlines()]
        write_json(logs / "old" / SUMMARY, version_1(story_summary()))
        lists = {"no_generation": ["limit", "outage", "unborn"], "no_logs": ["broken", "blank"], "no_apply": ["misfit"]}
        write_submission(logs, rows, lists | {"resolved": ["good"]})

        (found,) = read()

        assert RULES == found.rules
        assert (9, 17) == (found.report.rows_out, len(found.report.duplicates))
        assert any("stands in 3 shapes" in note for note in found.report.notes)

    def test_other_predictions_are_another_run(self, read, logs):
        """
        A submission with another patch is not the same run.
        """
        write_jsonl(logs / "preds.jsonl", [prediction("good")])
        write_json(logs / SUMMARY, summary(resolved=["good"]))
        write_submission(logs, [prediction("good", "another")], {"no_logs": [], "resolved": ["good"]})

        assert 2 == len(read())

    def test_two_run_ids_are_two_runs(self, read, logs):
        """
        The same predictions evaluated twice are never two trials of one run.
        """
        write_jsonl(logs / "preds.jsonl", [prediction("good")])
        write_json(logs / f"{FOLDER}.one.json", summary(resolved=["good"]))
        write_json(logs / f"{FOLDER}.two.json", summary(unresolved=["good"]))

        assert [(1, 1, 1), (0, 1, 1)] == [found.numbers for found in read()]

    def test_each_evaluation_gets_the_predictions_it_judged(self, read, logs):
        """
        Of two files by one model the one counts whose patches the harness wrote down.
        """
        write_jsonl(logs / "a" / "preds.jsonl", [prediction("good", "something else")])
        write_jsonl(logs / "b" / "preds.jsonl", [prediction("good")])
        write_log(logs, "good", report("good"))

        found = {item.manifest.imported.native_run.split("|")[2]: item for item in read()}

        assert {RUN, "a"} == found.keys()
        assert "b/preds.jsonl" == found[RUN].trials[0].source.path

    def test_a_copied_log_counts_once(self, read, logs):
        """
        The same log inside another folder is a duplicate.
        """
        write_log(logs, "good", report("good"))
        shutil.copytree(logs / "logs", logs / "backup" / "logs")

        (found,) = read()

        assert ((1, 1, 1), 1) == (found.numbers, len(found.report.duplicates))

    def test_logs_that_contradict_each_other_are_a_conflict(self, read, logs):
        """
        Two reports of one run cannot both be right.
        """
        write_log(logs, "good", report("good"))
        write_log(logs / "backup", "good", report("good", False))

        with pytest.raises(ConflictError, match="say different things"):
            read()

    def test_an_instance_twice_with_one_patch_is_a_duplicate(self, read, logs):
        """
        The last row counts, as in the harness.
        """
        write_jsonl(logs / "preds.jsonl", [prediction("good"), prediction("good")])
        write_json(logs / SUMMARY, summary(resolved=["good"]))

        (found,) = read()

        assert ["preds.jsonl:1"] == [item.dropped for item in found.report.duplicates]
        assert 2 == found.trials[0].source.row

    def test_an_instance_with_two_patches_is_told(self, read, logs):
        """
        The last one counts, and the report names the instance.
        """
        write_jsonl(logs / "preds.jsonl", [prediction("good", "another"), prediction("good")])
        write_json(logs / SUMMARY, summary(resolved=["good"]))

        assert any("several patches in one file" in note and "good" in note for note in read()[0].report.notes)

    def test_an_old_report_under_a_new_patch_is_a_conflict(self, read, logs):
        """
        A run id that was used again keeps the old verdict; the log's patch shows it.
        """
        write_jsonl(logs / "preds.jsonl", [prediction("good", "a new patch")])
        write_log(logs, "good", report("good"))

        with pytest.raises(ConflictError, match="made for another patch"):
            read()

    def test_on_request_such_an_instance_is_not_scored(self, read, logs):
        """
        Its verdict belongs to something else.
        """
        write_jsonl(logs / "preds.jsonl", [prediction("good", "a new patch"), prediction("bad")])
        write_log(logs, "good", report("good"))
        write_log(logs, "bad", report("bad", False))

        (found,) = read(partial=True)

        assert ({"good 0": "SW-12", "bad 0": "SW-02"}, True) == (found.rules, found.report.partial)

    def test_importing_again_changes_nothing(self, read, logs):
        """
        The same files lead to the same run.
        """
        write_story(logs)
        first = read()[0].manifest

        assert first == read()[0].manifest


class TestContradictions:
    def test_a_report_wins_over_a_summary(self, read, logs):
        """
        The published number stands beside that of the reports.
        """
        write_log(logs, "good", report("good", False))
        write_json(logs / SUMMARY, summary(resolved=["good"]))

        (found,) = read()

        (line,) = found.report.headlines
        assert ((0, 1, 1), 1.0, 0.0) == (found.numbers, line.published, line.recomputed)
        assert any("contradicts better evidence on 1 instances" in note for note in found.report.notes)

    def test_a_count_that_its_own_list_contradicts(self, read, logs):
        """
        Both numbers are shown.
        """
        write_json(logs / SUMMARY, summary(resolved=["good"]) | {"resolved_instances": 52})

        lines = read()[0].report.headlines

        assert [(52.0, 1.0), (52.0, 1.0)] == [(line.published, line.recomputed) for line in lines]

    def test_an_unreadable_report_is_an_error_whatever_a_summary_says(self, read, logs):
        """
        Empty, cut short, or about another instance: no verdict, as in the harness.
        """
        for name, value in (("empty", ""), ("cut", '{"cut": {"resol'), ("other", report("someone"))):
            write_log(logs, name, value)
        write_json(logs / SUMMARY, summary(completed=["empty", "cut", "other"], error=["empty", "cut", "other"]))

        assert {"SW-06"} == set(read()[0].rules.values())

    def test_predictions_outside_the_dataset_never_count(self, read, logs):
        """
        They are named with their rule.
        """
        write_jsonl(logs / "preds.jsonl", [prediction("good"), prediction("elsewhere")])
        write_json(logs / SUMMARY, summary(resolved=["good"], submitted=["good", "elsewhere"]))

        (found,) = read()

        assert (1, 1, 1) == found.numbers
        assert any("SW-10" in note and "elsewhere" in note for note in found.report.notes)

    def test_lists_overlap(self, read, logs):
        """
        An id in completed and error has no verdict; one in unresolved and infra is infrastructure.
        """
        value = summary(completed=["one", "two"], unresolved=["two"], error=["one"], infra_failure_ids=["two"])
        write_json(logs / SUMMARY, value)

        assert {"one 0": "SW-06", "two 0": "SW-03"} == read()[0].rules

    def test_a_trajectory_that_handed_in_something_else_is_told(self, read, logs):
        """
        Predictions and trajectory should be of one run.
        """
        write_json(logs / "preds.json", [prediction("good", "edited by hand")])
        write_json(logs / "good" / "good.traj.json", mini("good"))

        assert any("handed in something else" in note for note in read()[0].report.notes)


class TestBoards:
    def test_an_entry_with_rows_is_a_run(self, read, logs):
        """
        Rows have verdict, cost and calls; a cost of nothing for calls is unknown.
        """
        write_json(logs / "leaderboards.json", boards(entry("one", ROWS)))

        (found,) = read()

        assert ((1, 2, 2), 0.5) == (found.numbers, float(found.trial("a").last.cost.usd))
        assert isinstance(found.trial("b").last.cost, Absent)

    def test_a_percentage_that_its_rows_contradict(self, read, logs):
        """
        Both are in percent.
        """
        write_json(logs / "leaderboards.json", boards(entry("one", ROWS, resolved=52.8)))

        line = read()[0].report.headlines[0]

        assert (52.8, 50.0) == (line.published, line.recomputed)
        assert "another one" in line.note

    def test_an_instance_that_only_others_have_is_missing(self, read, logs):
        """
        All entries of a board were to be judged on the same instances.
        """
        write_json(logs / "leaderboards.json", boards(entry("one", ROWS), entry("two", {"a": {"resolved": True}})))

        found = read()[1]

        assert ((1, 1, 2), "SW-09") == (found.numbers, found.rules["b 0"])

    def test_entries_without_rows_are_named(self, read, logs):
        """
        A number alone is no run.
        """
        write_json(logs / "leaderboards.json", boards(entry("one", ROWS), entry("two", None)))

        (found,) = read()

        assert any("without rows" in note and "two" in note for note in found.report.notes)

    def test_a_row_without_a_verdict_names_its_entry(self, read, logs):
        """
        The import fails with board, entry and instance.
        """
        write_json(logs / "leaderboards.json", boards(entry("one", {"a": {"resolved": "yes"}})))

        with pytest.raises(BadInputError, match="Verified, entry 1, a: resolved"):
            read()


class TestFiles:
    @pytest.mark.parametrize(
        ("name", "content", "known"),
        [
            ("one.traj.json", "[]", True),
            ("leaderboards.json", "{}", True),
            ("preds.jsonl", '{"instance_id": "a", "model_patch": ""}', True),
            ("m.run.json", '{"completed_ids": [], "resolved_ids": []}', True),
            ("results.json", '{"results": [], "resolved_ids": []}', False),
            ("notes.json", "{}", False),
        ],
    )
    def test_recognised_by_name_or_content(self, logs, name, content, known):
        """
        Names that nothing else has are enough; other files are looked into.
        """
        logs.mkdir()
        (logs / name).write_text(content)

        assert known == SWE.recognises(SourceTree(logs))

    @pytest.mark.parametrize("name", ["preds.jsonl", "good/good.traj.json", SUMMARY])
    def test_pointers_of_git_lfs_are_recognised(self, read, logs, name):
        """
        A file that was not fetched is told as such, and is no broken one.
        """
        write_log(logs, "good", report("good"))
        write_json(logs / name, None).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n")

        (found,) = read()

        assert [(name,)] == [skipped.examples for skipped in found.report.skipped if "Git LFS" in skipped.why]

    @pytest.mark.parametrize("level", ["", "logs", f"logs/run_evaluation/{RUN}", f"logs/run_evaluation/{RUN}/{FOLDER}/good"])
    def test_any_level_may_be_named(self, read, logs, level):
        """
        A folder of runs, the logs, a run, or one instance.
        """
        write_log(logs, "good", report("good"))

        assert (1, 1, 1) == read(logs / level)[0].numbers

    def test_the_user_may_name_the_dataset(self, read, logs):
        """
        A summary alone does not say what was evaluated.
        """
        write_json(logs / SUMMARY, summary(resolved=["good"]))

        assert "made/up" == read(options={"dataset": "made/up"})[0].manifest.imported.tasks[0].suite

    def test_output_of_tests_is_named_as_not_read(self, read, logs):
        """
        Reports sum it up.
        """
        write_log(logs, "good", report("good"))

        assert any("output of tests" in skipped.why for skipped in read()[0].report.skipped)

    def test_fields_without_a_home_are_counted(self, read, logs):
        """
        Nothing is lost in silence.
        """
        write_json(logs / "one" / "one.traj.json", mini("one", traceback="Traceback …"))

        assert 1 == read()[0].report.homeless["info.traceback"]


class TestHostile:
    @pytest.mark.parametrize(
        ("row", "words"),
        [
            ({"instance_id": 7, "model_patch": ""}, "names no instance"),
            ({"instance_id": "x", "model_patch": ["diff"]}, "this is no patch"),
            ({"instance_id": "x", "model_patch": "", "model_name_or_path": {}}, "this is no name"),
            ([], "no object"),
        ],
    )
    def test_a_row_that_cannot_be_read_names_file_and_row(self, read, logs, row, words):
        """
        The import fails, and nothing is left behind.
        """
        write_jsonl(logs / "preds.jsonl", [prediction("good"), row])

        with pytest.raises(BadInputError, match=words) as caught:
            read()

        assert "preds.jsonl:2" in str(caught.value)
        assert not (logs.parent / "runs").exists()

    def test_a_cut_trajectory_is_an_error(self, read, logs):
        """
        How the agent ended stood in it.
        """
        write_json(logs / "one" / "one.traj.json", mini("one")).write_bytes(json_bytes(mini("one"))[:-9])

        with pytest.raises(BadInputError, match=r"one\.traj\.json"):
            read()

    def test_a_list_of_something_else_than_ids_is_refused(self, read, logs):
        """
        The field is named.
        """
        write_json(logs / SUMMARY, summary(resolved=["good"]) | {"error_ids": [1]})

        with pytest.raises(BadInputError, match="error_ids"):
            read()

    def test_yaml_that_refers_to_itself_is_refused(self, read, logs):
        """
        A few bytes cannot become many.
        """
        write_json(logs / "preds.json", [prediction("good")])
        (logs / "exit_statuses_1.yaml").write_text("a: &x [1]\ninstances_by_exit_status: {b: *x}\n")

        with pytest.raises(FaultlineError, match="refers to itself"):
            read()

    @settings(max_examples=60, deadline=None)
    @given(
        change=st.one_of(
            st.tuples(st.just("preds"), damaged_value([prediction("good"), prediction("none", None)])),
            st.tuples(st.just("preds"), damaged_bytes(json_bytes([prediction("good"), prediction("none", None)]))),
            st.tuples(st.just("summary"), damaged_value(story_summary(tiers=True))),
            st.tuples(st.just("report"), damaged_value(report("good"))),
            st.tuples(st.just("report"), damaged_bytes(json_bytes(report("good")))),
            st.tuples(st.just("mini"), damaged_value(mini("good"))),
            st.tuples(st.just("swe-agent"), damaged_value(swe_agent("submitted"))),
            st.tuples(st.just("boards"), damaged_value(boards(entry("one", ROWS)))),
            st.tuples(st.just("results"), damaged_value({"no_generation": ["none"], "no_logs": [], "resolved": ["good"]})),
            st.tuples(st.just("statuses"), damaged_bytes(b"instances_by_exit_status:\n    Fault:\n    - none\n")),
        )
    )
    def test_damage_never_ends_in_a_traceback(self, change):
        """
        Whatever bytes or values stand in any file of the family: one clear error or a run, never half a run.
        """
        what, value = change

        def write(folder):
            rows = [prediction("good"), prediction("none", None)]
            write_log(folder, "good", report("good"))
            write_json(folder / SUMMARY, summary(resolved=["good"], empty_patch=["none"]))
            write_jsonl(folder / "preds.jsonl", rows)
            write_json(folder / "good" / "good.traj.json", mini("good"))
            write_submission(folder, [prediction("good", patch("other"))], {"no_logs": [], "resolved": ["good"]})
            place = (
                folder
                / {
                    "preds": "preds.json",
                    "summary": SUMMARY,
                    "report": f"logs/run_evaluation/{RUN}/{FOLDER}/good/report.json",
                    "mini": "good/good.traj.json",
                    "swe-agent": "none/none.traj",
                    "boards": "leaderboards.json",
                    "results": "evaluation/verified/20261129_agent/results/results.json",
                    "statuses": "exit_statuses_1.yaml",
                }[what]
            )
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())

        import_damaged(SWE, write)
