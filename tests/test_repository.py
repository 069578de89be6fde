"""What this repository holds is what it says: its tasks, its audit history, its records."""

import io
import re
import subprocess
import tarfile
from pathlib import Path

import pytest

from faultline.archive import load_benchmark, verify_run
from faultline.card import build_card
from faultline.kinds import RunKind
from faultline.tasks import FAILURE_CLASSES, load_task, load_tasks, materialise

ROOT = Path(__file__).resolve().parent.parent
TASKS = load_tasks(ROOT / "tasks")


def git(*arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, capture_output=True).stdout


@pytest.fixture(scope="module")
def benchmark():
    return load_benchmark(ROOT)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
class TestTasks:
    def test_the_workspace_is_small(self, task):
        """A person can read a workspace in one sitting: at most 400 lines."""
        assert sum(data.count(b"\n") for data in task.workspace.values()) <= 400

    def test_there_are_enough_controls_and_skins(self, task):
        """A reference, another valid repair, two wrong ones, three skins."""
        names = list(task.repairs)

        assert len([name for name in names if name.startswith("valid-")]) >= 1
        assert len([name for name in names if name.startswith("wrong-")]) >= 2
        assert len(task.variants.skin) >= 3

    def test_the_issue_does_not_name_the_defect(self, task):
        """No title or word of the failure class stands in what an agent sees."""
        words = {task.definition.failure_class, FAILURE_CLASSES[task.definition.failure_class].title, "leak"}
        seen = task.issue + "".join(data.decode() for data in task.workspace.values())

        assert [] == [word for word in words if word.lower() in seen.lower()]

    @pytest.mark.parametrize("seed", range(5))
    def test_every_skin_is_another_workspace(self, task, seed):
        """A skin changes what an agent sees, and leaves no word of the first skin behind."""
        variant = materialise(task, seed)
        skin = task.variants.skin[seed % len(task.variants.skin)]
        text = variant.issue + "".join(data.decode() for data in variant.workspace.values())
        left = [word for word in skin.rename if word.islower() and re.search(rf"(?<![A-Za-z]){word}(?![A-Za-z])", text)]

        assert [] == left


class TestCanaries:
    @pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
    def test_a_canary_stands_in_its_own_hidden_files_only(self, task):
        """No tracked file but the task's definition and hidden checks holds the canary."""
        found = git("grep", "-lF", task.definition.canary).decode().split()

        assert [f"tasks/{task.id}/hidden/checks.py", f"tasks/{task.id}/task.toml"] == sorted(found)


class TestAuditHistory:
    @pytest.mark.parametrize(
        ("task", "correction"),
        [(task, correction) for task in TASKS for correction in task.corrections],
        ids=lambda item: item.id,
    )
    def test_both_forms_can_be_checked_out(self, task, correction, tmp_path):
        """The commits of an entry hold the task in exactly the forms whose digests the entry names."""
        for commit, digest in (
            (correction.before_commit, correction.before_digest),
            (correction.after_commit, correction.after_digest),
        ):
            folder = tmp_path / commit
            with tarfile.open(fileobj=io.BytesIO(git("archive", commit, f"tasks/{task.id}"))) as archive:
                archive.extractall(folder, filter="data")

            assert digest == load_task(folder / "tasks" / task.id).digest

    def test_the_first_entry_is_about_the_partition_of_entities(self):
        """The audit history opens with the tolerance that no issue stated."""
        entries = [correction for task in TASKS for correction in task.corrections]

        assert "visit-partition-1" == min(entries, key=lambda entry: entry.corrected_at).id


class TestRecords:
    def test_everything_can_be_read(self, benchmark):
        """No task, run or review of this repository is left out as unreadable."""
        assert () == benchmark.problems

    def test_every_run_verifies(self, benchmark):
        """Every digest of every committed run is recomputed from its files."""
        assert {} == {run.name: found for run in benchmark.runs if (found := verify_run(run.path))}

    def test_every_task_is_valid_in_its_present_form(self, benchmark):
        """The newest validity run proves both sides of each task's contract for the current digest."""
        assert {task.id: "valid" for task in TASKS} == {task.id: task.validity.state for task in build_card(benchmark).tasks}

    def test_there_are_runs_of_controls_and_of_an_agent(self, benchmark):
        """A validity run, the two control evaluations with three trials each, and a program that edits files."""
        evaluated = {
            run.manifest.agents[0].name: run.manifest.trials
            for run in benchmark.runs
            if run.manifest.kind is RunKind.EVALUATION
        }

        assert {"no-op": 3, "reference": 3, "rule-based": 3}.items() <= evaluated.items()
        assert any(
            trial.changes.modified
            for run in benchmark.runs
            if run.manifest.agents[0].name == "rule-based"
            for trial in run.trials
        )

    def test_nothing_trivial_passes(self, benchmark):
        """Agents that repair nothing were tried on every task in its present form, three times a variant, and passed none."""
        for name in ("no-op", "delete-tests", "random-edit"):
            runs = [run for run in benchmark.runs if run.manifest.agents[0].name == name]
            digests = {pin.digest for run in runs for pin in run.manifest.tasks}

            assert {task.digest for task in TASKS} <= digests
            assert {"failed"} == {trial.outcome.verdict for run in runs for trial in run.trials}

    def test_the_leaderboard_is_withheld(self, benchmark):
        """Without audits and reviews by people there is no ranking and no claim."""
        card = build_card(benchmark)

        assert not card.is_open
        assert 0 == card.headline.model_claims
        assert "0" == next(gate.observed for gate in card.report.gates if gate.id == "G1")

    def test_nothing_synthetic_is_published(self, benchmark):
        """No record of this repository was made for a test."""
        assert [] == [run.name for run in benchmark.runs if run.manifest.synthetic]

    def test_no_record_names_a_host_or_a_home(self, benchmark):
        """Records hold no absolute path of the machine that made them."""
        paths = [path for path in git("ls-files", "runs").decode().split() if not path.endswith(".gz")]
        found = [path for path in paths if re.search(rb"/(home|root|Users)/", (ROOT / path).read_bytes())]

        assert [] == found
