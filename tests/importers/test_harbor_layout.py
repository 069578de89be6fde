"""Where Harbor's records lie: a trial, a job, a parent of many; what is a copy, and what is no record at all."""

import json
from pathlib import Path

import pytest
from harbor_logs import (
    JOB,
    configured,
    exception,
    imported,
    only,
    oracle,
    shown,
    stamp,
    steps_of,
    tasks_of,
    trial,
    trial_lock,
    uuid,
    write,
    write_job,
    write_old_job,
    write_trial,
)

from faultline.archive import load_benchmark, read_run
from faultline.errors import BadInputError, ConflictError
from faultline.gates import foreign_tasks, gather
from faultline.gates.foreign import is_same
from faultline.importers import SourceTree, registry
from faultline.importers.harbor import Harbor


class TestRecognition:
    def test_a_trial_a_job_and_a_parent_are_recognised(self, tmp_path: Path) -> None:
        job = write_job(tmp_path / "jobs/job", trial("t__a"))

        assert all(Harbor().recognises(SourceTree(path)) for path in (tmp_path / "jobs", job, job / "t__a"))

    def test_test_reports_beside_its_trials_do_not_make_it_ambiguous(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        job = write_job(tmp_path / "job", trial("t__a"))
        write(job / "t__a/verifier/ctrf.json", {"reportFormat": "CTRF", "results": {"tests": []}})
        (job / "t__a/verifier/junit.xml").write_text("<testsuites><testsuite/></testsuites>")
        names = ["ctrf", "harbor", "junit"]
        monkeypatch.setattr(registry, "importer_names", lambda: names)

        assert ["harbor"] == [item.name for item in registry.recognised(SourceTree(job))]
        assert ["ctrf", "junit"] == [item.name for item in registry.recognised(SourceTree(job / "t__a/verifier"))]

    def test_a_folder_of_tasks_is_not(self, tmp_path: Path) -> None:
        (tmp_path / "tasks/fix-it").mkdir(parents=True)
        (tmp_path / "tasks/fix-it/task.toml").write_text("version = '1.0'\n")
        write(tmp_path / "tasks/fix-it/result.json", {"expected": 3})

        assert not Harbor().recognises(SourceTree(tmp_path / "tasks"))
        with pytest.raises(BadInputError, match="nothing of the format harbor"):
            imported(tmp_path / "tasks", tmp_path / "runs")


class TestLevels:
    def test_a_trial_alone_is_a_run_that_says_what_is_not_known(self, tmp_path: Path) -> None:
        job = write_job(tmp_path / "job", trial("t__a"))

        done, run = only(job / "t__a", tmp_path / "runs")

        assert [("org-t-" + tasks_of(run)["org/t"].id[6:], "passed", True, "HB-91")] == shown(run)
        assert any("the job's own files are not here" in note for note in done.report.notes)

    def test_a_job_is_one_run(self, tmp_path: Path) -> None:
        write_job(tmp_path / "job", trial("t__a"), trial("t__b", start=20), trial("u__a"), attempts=2)

        done, run = only(tmp_path / "job", tmp_path / "runs")

        assert 3 == done.report.rows_out
        assert run.manifest.imported is not None
        assert ("harbor", "0.26.0", JOB) == (
            run.manifest.imported.harness,
            run.manifest.imported.harness_version,
            run.manifest.imported.native_run,
        )

    def test_a_parent_of_many_gives_a_run_for_each_and_tasks_beside_them_are_skipped_with_the_reason(
        self, tmp_path: Path
    ) -> None:
        write_job(tmp_path / "in/jobs/one", trial("t__a"))
        write_job(
            tmp_path / "in/jobs/two",
            trial("t__b") | {"config": trial("t__b")["config"] | {"job_id": uuid("two")}},
            job=uuid("two"),
        )
        (tmp_path / "in/tasks/t/solution").mkdir(parents=True)
        (tmp_path / "in/tasks/t/task.toml").write_text("")
        (tmp_path / "in/tasks/t/solution/result.json").write_text("{not json")

        done = imported(tmp_path / "in", tmp_path / "runs")

        assert 2 == len(done)
        assert {"a task of a dataset, not a job": 2} == {
            skipped.why: skipped.files for skipped in done[0].report.skipped if "dataset" in skipped.why
        }

    def test_what_has_no_home_is_said_of_the_run_that_it_stands_in(self, tmp_path: Path) -> None:
        write_job(tmp_path / "in/one", trial("t__a", oddity=1))
        write_job(tmp_path / "in/two", configured(trial("t__b", rarity=1), job_id=uuid("two")), job=uuid("two"))

        done = imported(tmp_path / "in", tmp_path / "runs")

        found = {item.run.split("-")[1]: {"oddity", "rarity"} & set(item.report.homeless) for item in done}
        assert {"one": {"oddity"}, "two": {"rarity"}} == found

    def test_two_agents_of_one_job_are_two_runs(self, tmp_path: Path) -> None:
        other = {"name": "scripted", "version": "0.1.0", "model_info": {"name": "acme/model-b", "provider": None}}
        second = trial("t__b") | {"agent_info": other}
        second["config"] = second["config"] | {"agent": second["config"]["agent"] | {"model_name": "acme/model-b"}}
        write_job(tmp_path / "job", trial("t__a"), second)

        done = imported(tmp_path / "job", tmp_path / "runs")

        found = {read_run(tmp_path / "runs" / item.run).manifest.agents[0].model: item.report.rows_out for item in done}
        assert {"acme/model-a": 1, "acme/model-b": 1} == found

    def test_importing_again_changes_nothing(self, tmp_path: Path) -> None:
        write_job(tmp_path / "job", trial("t__a"))
        imported(tmp_path / "job", tmp_path / "runs")

        assert ["unchanged"] == [item.state for item in imported(tmp_path / "job", tmp_path / "runs")]

    def test_a_trial_alone_and_then_its_job_is_a_conflict_and_not_two_runs(self, tmp_path: Path) -> None:
        job = write_job(tmp_path / "job", trial("t__a"), trial("t__b"))
        imported(job / "t__a", tmp_path / "runs")

        with pytest.raises(ConflictError, match="imported before from another source"):
            imported(job, tmp_path / "runs")


class TestCopies:
    def test_a_copied_job_inside_a_job_counts_once_and_is_listed(self, tmp_path: Path) -> None:
        write_job(tmp_path / "job", trial("t__a"), trial("t__b"))
        write_job(tmp_path / "job/archive/job", trial("t__a"), trial("t__b"))

        done, run = only(tmp_path / "job", tmp_path / "runs")

        assert (4, 2, 2) == (done.report.rows_in, done.report.rows_out, len(list(run.trials)))
        assert 2 == len(done.report.duplicates)
        assert all(item.same for item in done.report.duplicates)

    def test_a_copy_that_lacks_what_lies_beside_the_result_is_still_a_copy(self, tmp_path: Path) -> None:
        place = write_trial(tmp_path / "in/a/job", trial("t__a"))
        write(place / "verifier/ctrf.json", {"results": {"tests": [{"name": "x", "status": "passed"}]}})
        write_trial(tmp_path / "in/b/job", trial("t__a"), lock=False)

        done, run = only(tmp_path / "in", tmp_path / "runs")

        assert 1 == len(done.report.duplicates)
        assert 1 == len(list(run.trials))

    def test_one_id_with_two_results_is_a_conflict(self, tmp_path: Path) -> None:
        write_trial(tmp_path / "in/a/job", trial("t__a"))
        write_trial(tmp_path / "in/b/job", trial("t__a", rewards={"reward": 0.0}))

        with pytest.raises(ConflictError, match="two different results have the id"):
            imported(tmp_path / "in", tmp_path / "runs")

    def test_a_conflict_in_one_job_leaves_no_run_of_another(self, tmp_path: Path) -> None:
        write_job(tmp_path / "in/a", trial("t__a"))
        for folder, reward in (("b", 0.0), ("c", 1.0)):
            write_trial(tmp_path / "in" / folder, configured(trial("u__a", rewards={"reward": reward}), job_id=uuid("two")))

        with pytest.raises(ConflictError):
            imported(tmp_path / "in", tmp_path / "runs")
        assert not (tmp_path / "runs").exists()

    def test_one_name_under_two_ids_is_two_trials(self, tmp_path: Path) -> None:
        write_job(tmp_path / "in/a/job", trial("t__a"))
        write_trial(tmp_path / "in/b/job", trial("t__a", id=uuid("another")))

        done, _ = only(tmp_path / "in", tmp_path / "runs")

        assert (2, ()) == (done.report.rows_out, done.report.duplicates)
        assert "trials beyond the plan: 1" in done.report.notes

    def test_a_copy_counts_once_also_where_no_job_is_named(self, tmp_path: Path) -> None:
        for folder in ("here", "there"):
            write_trial(tmp_path / "in" / folder, configured(trial("t__a"), job_id=None, trials_dir=None))

        done, _ = only(tmp_path / "in", tmp_path / "runs")

        assert (2, 1, 1) == (done.report.rows_in, done.report.rows_out, len(done.report.duplicates))

    def test_notes_count_trials_and_not_their_copies(self, tmp_path: Path) -> None:
        for folder in ("here", "there"):
            write_job(tmp_path / "in" / folder, trial("t__a", raised=exception("AgentTimeoutError")))

        done, _ = only(tmp_path / "in", tmp_path / "runs")

        assert any(note.startswith("1 of 1 trials ended with a failure of the agent") for note in done.report.notes)

    def test_one_id_in_two_jobs_is_said(self, tmp_path: Path) -> None:
        write_job(tmp_path / "in/one", trial("t__a"))
        write_job(tmp_path / "in/two", configured(trial("t__a"), job_id=uuid("two")), job=uuid("two"))

        done = imported(tmp_path / "in", tmp_path / "runs")

        assert [False, True] == sorted(any("id stands in another job" in note for note in item.report.notes) for item in done)

    def test_of_two_copies_of_a_jobs_files_the_last_written_counts(self, tmp_path: Path) -> None:
        write_job(tmp_path / "in/a/job", trial("t__a"), config={"job_name": "early"})
        late = write_job(tmp_path / "in/b/job", trial("t__a"), config={"job_name": "late"})
        write(late / "result.json", {"id": JOB, "updated_at": "2026-11-19T00:00:00", "n_total_trials": 1, "stats": {}})

        (done,) = imported(tmp_path / "in", tmp_path / "runs")

        assert done.run.startswith("harbor-late-")


class TestWhatIsNoRecord:
    @pytest.mark.parametrize("folder", ["agent", "artifacts", "verifier/deep/er", "steps/one/agent", "agent/job/u__z"])
    def test_a_result_that_an_agent_leaves_below_its_trial_is_never_read(self, tmp_path: Path, folder: str) -> None:
        place = write_trial(tmp_path / "job", trial("t__a", rewards={"reward": 0.0}))
        write(place / folder / "result.json", trial("t__planted"))
        write(place / folder / "config.json", trial("t__planted")["config"])

        done, run = only(tmp_path / "job", tmp_path / "runs")

        assert [("failed", True)] == [row[1:3] for row in shown(run)]
        assert 1 == done.report.rows_in

    def test_nor_below_a_trial_whose_own_result_cannot_be_read(self, tmp_path: Path) -> None:
        write_job(tmp_path / "job", trial("t__a"))
        write_trial(tmp_path / "job/t__broken/agent", trial("t__planted"))
        (tmp_path / "job/t__broken/result.json").write_text('{"id": ')

        (done,) = imported(tmp_path / "job", tmp_path / "runs", partial=True)

        assert (1, True) == (done.report.rows_in, done.report.partial)

    def test_a_result_that_is_broken_stops_the_import_and_names_its_place(self, tmp_path: Path) -> None:
        write_job(tmp_path / "job", trial("t__a"), trial("t__b"))
        (tmp_path / "job/t__b/result.json").write_text('{"id": "x", "id": "y"}')

        with pytest.raises(BadInputError, match=r"t__b/result.json.*stands twice"):
            imported(tmp_path / "job", tmp_path / "runs")
        assert not (tmp_path / "runs").exists()

    def test_a_trial_that_was_cut_short_is_missing_from_the_plan(self, tmp_path: Path) -> None:
        job = write_job(tmp_path / "job", trial("t__a"), trial("t__b"), attempts=2)
        (job / "t__b/result.json").unlink()

        done, run = only(job, tmp_path / "runs")

        assert (1, ["FL-90", "HB-91"]) == (done.report.missing, sorted(row[3] for row in shown(run)))
        assert "trial folders without a result, cut short or still running: 1" in done.report.notes

    def test_a_job_of_which_no_trial_lies_there_is_said(self, tmp_path: Path) -> None:
        write_job(tmp_path / "in/job", trial("t__a"))
        write_job(tmp_path / "in/summary", job=uuid("summary"), stats={"evals": {"a__t": {"metrics": [{"mean": 1.0}]}}})

        done, _ = only(tmp_path / "in", tmp_path / "runs")

        assert [3] == [skipped.files for skipped in done.report.skipped if "no trial lies there" in skipped.why]

    def test_another_tools_result_is_skipped(self, tmp_path: Path) -> None:
        write_job(tmp_path / "in/job", trial("t__a"))
        write(tmp_path / "in/other/result.json", {"score": 1})

        done, _ = only(tmp_path / "in", tmp_path / "runs")

        assert any("other/result.json" in skipped.examples for skipped in done.report.skipped)


class TestPlan:
    def test_a_lock_names_tasks_of_which_no_trial_exists(self, tmp_path: Path) -> None:
        job = write_job(tmp_path / "job", trial("t__a"), trial("u__a"))
        for path in sorted((job / "u__a").iterdir()):
            path.unlink()

        done, run = only(job, tmp_path / "runs")

        assert (1, 2) == (done.report.missing, len(list(run.trials)))
        assert ["lock digest"] == list(tasks_of(run)["u"].digests)

    def test_without_a_lock_the_plan_is_tasks_times_attempts(self, tmp_path: Path) -> None:
        write_old_job(tmp_path / "job", trial("t__a"), trial("u__a"), attempts=3)

        done, run = only(tmp_path / "job", tmp_path / "runs")

        assert (4, 6) == (done.report.missing, len(list(run.trials)))

    def test_planned_trials_of_tasks_that_nothing_names_are_said(self, tmp_path: Path) -> None:
        job = write_old_job(tmp_path / "job", trial("t__a"), attempts=1)
        write(job / "result.json", {"id": JOB, "n_total_trials": 5, "stats": {"n_trials": 1}})

        done, _ = only(job, tmp_path / "runs")

        assert any("the job planned 5 trials, 4 of them of tasks that nothing here names" in note for note in done.report.notes)

    def test_a_plan_of_more_trials_than_a_job_can_have_is_not_believed(self, tmp_path: Path) -> None:
        job = write_old_job(tmp_path / "job", trial("t__a"), attempts=10_000)
        config = json.loads((job / "config.json").read_text())
        write(job / "config.json", config | {"tasks": [{"path": f"tasks/t{n}"} for n in range(200)]})

        _, run = only(job, tmp_path / "runs")

        assert 1 == len(list(run.trials))

    def test_a_lock_that_names_other_agents_plans_nothing_for_this_one_and_that_is_said(self, tmp_path: Path) -> None:
        other = {"name": "scripted", "version": "0.1.0", "model_info": {"name": "acme/model-b", "provider": None}}
        second = configured(trial("t__b"), agent={"name": "scripted", "model_name": "acme/model-b"}) | {"agent_info": other}
        write_job(tmp_path / "job", trial("t__a"), second, lock={"trials": [trial_lock(trial("t__a"))]})

        done = imported(tmp_path / "job", tmp_path / "runs")

        notes = [note for item in done for note in item.report.notes]
        assert "the job's lock plans no trial of this agent; those that exist are taken as the plan" in notes
        assert "the job's result counts 2 planned trials, its lock names 1" in notes

    @pytest.mark.parametrize("attempts", [0, -1, 10**9, "many", None, 1.5, True])
    def test_a_number_of_attempts_that_is_none_is_not_believed(self, tmp_path: Path, attempts: object) -> None:
        write_old_job(tmp_path / "job", trial("t__a"), attempts=attempts)  # type: ignore[arg-type]

        done, run = only(tmp_path / "job", tmp_path / "runs")

        assert 1 == len(list(run.trials))
        assert any("does not say how many trials" in note for note in done.report.notes)


class TestNumbers:
    def test_trials_are_numbered_by_start_and_id_and_say_so(self, tmp_path: Path) -> None:
        write_job(tmp_path / "job", trial("t__a", start=30), trial("t__b", start=10), trial("t__c", start=20))

        _, run = only(tmp_path / "job", tmp_path / "runs")

        assert ["t__b", "t__c", "t__a"] == [t.source.extra["trial name"] for t in run.trials if t.source]
        assert {("inferred", True)} == {(t.index_origin, t.order_known) for t in run.trials}

    def test_with_several_trials_at_once_their_order_is_not_known(self, tmp_path: Path) -> None:
        write_old_job(tmp_path / "job", trial("t__a"), trial("t__b"))

        _, run = only(tmp_path / "job", tmp_path / "runs")

        assert {False} == {t.order_known for t in run.trials}


class TestRegrades:
    def regrade(self, name: str, of: dict, **changed: object) -> tuple[dict, dict]:
        """Return result and lock of a re-grade, made in another job."""
        job = uuid("regrade job")
        result = trial(name, start=500, **changed) | {"task_name": of["task_name"]}  # type: ignore[arg-type]
        result["config"] = result["config"] | {"job_id": job, "trials_dir": "jobs/again"}
        source = {"action": "regrade", "type": "local", "trial_id": of["id"], "path": f"/srv/jobs/job/{of['trial_name']}"}
        return result, trial_lock(result, source_trial=source)

    def test_a_regrade_replaces_the_verdict_and_adds_no_trial(self, tmp_path: Path) -> None:
        first = trial("t__a", rewards={"reward": 0.0})
        write_job(tmp_path / "in/job", first, trial("t__b"))
        result, lock = self.regrade("t__r", first, agent_result={"n_input_tokens": 7})
        write_trial(tmp_path / "in/again", result, lock=lock)

        done, run = only(tmp_path / "in", tmp_path / "runs")

        assert (3, 2, 1, JOB) == (
            done.report.rows_in,
            done.report.rows_out,
            done.report.earlier_attempts,
            run.manifest.imported.native_run if run.manifest.imported else "",
        )
        (graded,) = [t for t in run.trials if t.source and "re-grade of" in t.source.extra]
        assert graded.source is not None
        assert "passed" == graded.outcome.verdict
        assert (first["id"], "failed with 0 (HB-91)") == (
            graded.source.extra["re-grade of"],
            graded.source.extra["graded before as"],
        )
        assert any("were graded again" in note for note in done.report.notes)

    def test_the_agent_worked_once_so_its_time_and_tokens_count_once(self, tmp_path: Path) -> None:
        first = trial("t__a", rewards={"reward": 0.0})
        write_job(tmp_path / "in/job", first)
        result, lock = self.regrade("t__r", first, agent_execution=None)
        write_trial(tmp_path / "in/again", result, lock=lock)

        _, run = only(tmp_path / "in", tmp_path / "runs")

        (graded,) = run.trials
        assert (1, 80, 4.0) == (len(graded.attempts), graded.last.usage.uncached_input, graded.last.timing.agent)  # type: ignore[union-attr]
        assert stamp(0)[:19] == f"{graded.last.started_at:%Y-%m-%dT%H:%M:%S}"

    def test_the_last_of_several_regrades_counts_and_one_may_follow_another(self, tmp_path: Path) -> None:
        first = trial("t__a", rewards={"reward": 0.0})
        write_job(tmp_path / "in/job", first)
        one, lock_one = self.regrade("t__r", first)
        two, lock_two = self.regrade("t__s", one, rewards={"reward": 0.5}, started_at=stamp(900))
        write_trial(tmp_path / "in/again", one, lock=lock_one)
        write_trial(tmp_path / "in/again", two, lock=lock_two)

        done, run = only(tmp_path / "in", tmp_path / "runs")

        assert (1, 2) == (done.report.rows_out, done.report.earlier_attempts)
        assert [0.5] == [t.source.score for t in run.trials if t.source]

    def test_a_regrade_that_names_only_the_folder_finds_its_trial(self, tmp_path: Path) -> None:
        first = trial("t__a", rewards={"reward": 0.0})
        write_job(tmp_path / "in/job", first)
        result, lock = self.regrade("t__r", first)
        lock["source_trial"]["trial_id"] = None
        write_trial(tmp_path / "in/again", result, lock=lock)

        done, _ = only(tmp_path / "in", tmp_path / "runs")

        assert 1 == done.report.rows_out

    def test_the_numbers_of_a_job_of_regrades_stand_beside_those_of_the_job_and_say_which_they_are(
        self, tmp_path: Path
    ) -> None:
        first = trial("t__a", rewards={"reward": 0.0})
        key = "scripted__acme/model-a__tasks"
        write_job(tmp_path / "in/job", first, stats={"evals": {key: {"metrics": [{"mean": 0.0}]}}})
        result, lock = self.regrade("t__r", first)
        again = write_job(
            tmp_path / "in/again", result, stats={"evals": {key: {"metrics": [{"mean": 1.0}]}}}, job=uuid("regrade job")
        )
        write(again / "t__r/lock.json", lock)

        done, _ = only(tmp_path / "in", tmp_path / "runs")

        assert {f"{key}: mean": 0.0, f"{key}: mean (re-grade again)": 1.0} == {
            line.name: line.recomputed for line in done.report.headlines
        }

    def test_a_regrade_by_another_form_of_the_task_is_said_and_takes_its_digest(self, tmp_path: Path) -> None:
        first = trial("t__a", rewards={"reward": 0.0})
        write_job(tmp_path / "in/job", first)
        result, lock = self.regrade("t__r", first, task_checksum="f" * 64)
        write_trial(tmp_path / "in/again", result, lock=lock)

        done, run = only(tmp_path / "in", tmp_path / "runs")

        assert "f" * 64 == tasks_of(run)["org/t"].digests["task_checksum"]
        assert any("by another form of the task" in note for note in done.report.notes)

    def test_verdicts_from_two_forms_of_a_task_leave_it_without_that_digest(self, tmp_path: Path) -> None:
        first = trial("t__a", rewards={"reward": 0.0})
        write_job(tmp_path / "in/job", first, trial("t__b"))
        result, lock = self.regrade("t__r", first, task_checksum="f" * 64)
        write_trial(tmp_path / "in/again", result, lock=lock)

        done, run = only(tmp_path / "in", tmp_path / "runs")

        assert (2, ["lock digest"]) == (done.report.rows_out, list(tasks_of(run)["org/t"].digests))

    def test_a_job_of_nothing_but_regrades_whose_source_is_not_there_has_its_own_plan(self, tmp_path: Path) -> None:
        made = [self.regrade(f"t__{n}", trial(f"t__source{n}")) for n in range(3)]
        job = write_job(
            tmp_path / "again",
            *(result for result, _ in made),
            config={"agents": [{"name": "oracle"}], "tasks": [{"path": "tasks/t"}]},
            lock={"trials": [lock for _, lock in made]},
            job=uuid("regrade job"),
        )
        for result, lock in made:
            write(job / result["trial_name"] / "lock.json", lock)

        done, run = only(job, tmp_path / "runs")

        assert (3, 3, 0) == (done.report.rows_out, len(list(run.trials)), done.report.missing)
        assert ("3 of 3 trials are re-grades of trials that are not in the source",) == done.report.notes
        assert not run.manifest.agents[0].kind.is_control

    def test_a_regrade_whose_trial_is_not_there_stands_for_itself(self, tmp_path: Path) -> None:
        result, lock = self.regrade("t__r", trial("t__a"))
        write_trial(tmp_path / "again", result, lock=lock)

        done, _ = only(tmp_path / "again", tmp_path / "runs")

        assert (1, 0) == (done.report.rows_out, done.report.earlier_attempts)

    def test_a_copy_of_a_regraded_trial_or_of_its_regrade_is_a_duplicate(self, tmp_path: Path) -> None:
        first = trial("t__a", rewards={"reward": 0.0})
        result, lock = self.regrade("t__r", first, task_checksum="f" * 64)
        for place in ("in", "in/archive"):
            write_job(tmp_path / place / "job", first)
            write_trial(tmp_path / place / "again", result, lock=lock)

        done, run = only(tmp_path / "in", tmp_path / "runs")

        assert (4, 1, 2) == (done.report.rows_in, done.report.rows_out, len(done.report.duplicates))
        assert ["org/t"] == list(tasks_of(run))

    def test_trials_that_regrade_each_other_are_refused(self, tmp_path: Path) -> None:
        one, _ = self.regrade("t__r", trial("t__s"))
        two, _ = self.regrade("t__s", one)
        write_trial(tmp_path / "again", one, lock=trial_lock(one, source_trial={"trial_id": two["id"]}))
        write_trial(tmp_path / "again", two, lock=trial_lock(two, source_trial={"trial_id": one["id"]}))

        with pytest.raises(BadInputError, match="in a circle"):
            imported(tmp_path / "again", tmp_path / "runs")


class TestControls:
    @pytest.mark.parametrize(("name", "kind"), [("oracle", "reference"), ("nop", "no-op")])
    def test_harbors_own_oracle_and_nop_are_controls_and_never_agents(self, tmp_path: Path, name: str, kind: str) -> None:
        write_job(tmp_path / "job", oracle(trial("t__a"), name))

        _, run = only(tmp_path / "job", tmp_path / "runs")

        assert kind == run.manifest.agents[0].kind.value
        assert run.manifest.agents[0].kind.is_control

    def test_an_agent_that_only_calls_itself_oracle_is_no_control(self, tmp_path: Path) -> None:
        result = oracle(trial("t__a"))
        result["config"]["agent"] = {"name": None, "import_path": "mine:Oracle"}
        write_job(tmp_path / "job", result)

        done, run = only(tmp_path / "job", tmp_path / "runs")

        assert not run.manifest.agents[0].kind.is_control
        assert any("it is not Harbor's, and no control" in note for note in done.report.notes)

    def test_a_controls_tasks_join_an_agents_by_id_and_by_digests_of_one_name(self, tmp_path: Path) -> None:
        write_job(tmp_path / "agent/job", trial("t__a"), trial("u__a"))
        write_job(tmp_path / "oracle/job", oracle(trial("t__b")), oracle(trial("u__b", task_checksum="f" * 64)))
        _, agent = only(tmp_path / "agent", tmp_path / "runs")
        _, control = only(tmp_path / "oracle", tmp_path / "runs")

        ours, theirs = tasks_of(agent), tasks_of(control)

        assert {"org/t", "org/u"} == set(ours) == set(theirs)
        assert all(ours[name].id == theirs[name].id for name in ours)
        assert (True, False) == tuple(is_same(ours[name], theirs[name]) for name in ("org/t", "org/u"))

    def test_the_checksum_of_a_result_is_never_compared_with_the_digest_of_a_lock(self, tmp_path: Path) -> None:
        job = write_job(tmp_path / "planned/job", trial("t__a"), trial("u__a"))
        for path in sorted((job / "u__a").iterdir()):
            path.unlink()
        write_old_job(tmp_path / "old/job", trial("u__b") | {"task_name": "u"})
        _, planned = only(tmp_path / "planned", tmp_path / "runs")
        _, old = only(tmp_path / "old", tmp_path / "more")

        one, other = tasks_of(planned)["u"], tasks_of(old)["u"]

        assert (["lock digest"], ["task_checksum"]) == (list(one.digests), list(other.digests))
        assert not is_same(one, other)

    def test_an_oracle_and_a_nop_job_prove_a_task_of_an_agents_job_and_only_under_the_same_digest(self, tmp_path: Path) -> None:
        write_job(tmp_path / "in/agent", trial("t__a"), trial("u__a"), job=uuid("agent"))
        for name, reward in (("oracle", 1.0), ("nop", 0.0)):
            changed = trial(f"u__{name}", rewards={"reward": reward}, task_checksum="f" * 64)
            results = [oracle(result, name) for result in (trial(f"t__{name}", rewards={"reward": reward}), changed)]
            write_job(tmp_path / "in" / name, *results, job=uuid(name))
        for folder in ("agent", "oracle", "nop"):
            for path in (tmp_path / "in" / folder).glob("*__*/result.json"):
                write(path, configured(json.loads(path.read_text()), job_id=uuid(folder)))

        imported(tmp_path / "in", tmp_path / "runs")

        proved = {task.task.name: task.valid for task in foreign_tasks(gather(load_benchmark(tmp_path))) if task.runs}
        assert {"org/t": True, "org/u": False} == proved

    def test_one_name_with_two_contents_in_a_job_is_two_tasks_and_a_difference(self, tmp_path: Path) -> None:
        write_job(tmp_path / "job", trial("t__a"), trial("t__b", task_checksum="f" * 64))

        done, run = only(tmp_path / "job", tmp_path / "runs")

        assert 2 == len(tasks_of(run))
        assert "task org/t: more than one content under this name" in done.report.protocol

    def test_one_name_in_two_datasets_is_two_tasks(self, tmp_path: Path) -> None:
        write_job(tmp_path / "job", trial("t__a"), trial("t__b", source="others"))

        _, run = only(tmp_path / "job", tmp_path / "runs")

        assert {"org/t (tasks)", "org/t (others)"} == set(tasks_of(run))


def test_a_step_with_a_name_that_leaves_its_folder_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "job/secret/agent/trajectory.json", {"schema_version": "ATIF-v1.7"})
    result = steps_of("t__a", {"step_name": "../../secret"}, {"step_name": "/etc"})
    write_trial(tmp_path / "job", result)

    done, run = only(tmp_path / "job", tmp_path / "runs")

    assert not any(t.last.artifacts for t in run.trials)
    assert not any("secret" in note for note in done.report.notes)
