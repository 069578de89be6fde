"""Reading a benchmark's folder: what cannot be read is shown as a problem and left out, never passed over in silence."""

from datetime import date

import pytest
from archive_samples import FinishedRun, reseal
from ledger_samples import T0
from tiny import write_benchmark, write_files

from faultline.archive import load_benchmark
from faultline.clock import frozen_clock
from faultline.errors import BadInputError, MissingInputError
from faultline.gates import gather
from faultline.records import Review
from faultline.review import checklist
from faultline.tasks import load_task


@pytest.fixture
def benchmark(tmp_path):
    """A benchmark with two sealed runs and no task."""
    root = tmp_path / "root"
    (root / "tasks").mkdir(parents=True)
    for run in ("run-one", "run-two"):
        FinishedRun(tmp_path, run).seal(root / "runs")
    return root


def problems(root):
    return [str(problem) for problem in load_benchmark(root).problems]


class TestRuns:
    def test_sealed_runs_are_read_by_name(self, benchmark):
        """
        Every sealed run that verifies is there, sorted by name.
        """
        loaded = load_benchmark(benchmark)

        assert ["run-one", "run-two"] == [run.name for run in loaded.runs]
        assert () == loaded.problems

    def test_a_folder_without_a_seal_is_a_problem(self, benchmark):
        """
        A folder among the runs that has no seal is no run, and is named.
        """
        (benchmark / "runs" / "draft").mkdir()
        (benchmark / "runs" / ".run.sealing-00").mkdir()
        (benchmark / "runs" / "README.md").write_text("about")

        assert 2 == len(load_benchmark(benchmark).runs)
        assert ["runs/draft: this folder has no seal"] == [text.split(";")[0] for text in problems(benchmark)]

    def test_a_run_that_does_not_verify_is_a_problem_and_no_run(self, benchmark):
        """
        A damaged run is left out with its first mismatch; the others stay.
        """
        with (benchmark / "runs/run-one/trials.jsonl").open("ab") as stream:
            stream.write(b"{}\n")

        assert ["run-two"] == [run.name for run in load_benchmark(benchmark).runs]
        assert problems(benchmark)[0].startswith("runs/run-one/trials.jsonl: the file's digest is not the sealed one (and ")

    def test_a_renamed_run_is_a_problem(self, benchmark):
        """
        A run whose folder has another name than its id is left out, so that no run stands twice.
        """
        (benchmark / "runs/run-one").rename(benchmark / "runs/run-three")

        assert ["run-two"] == [run.name for run in load_benchmark(benchmark).runs]
        assert "another name than its run; expected run-one; found run-three" in problems(benchmark)[0]

    def test_a_linked_run_is_a_problem(self, benchmark):
        """
        A link is no run.
        """
        (benchmark / "runs/again").symlink_to(benchmark / "runs/run-one")

        assert ["runs/again: a run is a folder of its own, not a link"] == [
            text.split("  [")[0] for text in problems(benchmark)
        ]
        assert 2 == len(load_benchmark(benchmark).runs)

    def test_no_runs_are_no_problem(self, tmp_path):
        """
        A benchmark may have no runs yet.
        """
        (tmp_path / "tasks").mkdir()

        assert ((), ()) == (load_benchmark(tmp_path).runs, load_benchmark(tmp_path).problems)


class TestReviews:
    def review(self, benchmark, name="a.json", **changes):
        run = load_benchmark(benchmark).runs[0]
        review = Review(
            schema_name="faultline/review/1",
            key=run.trials[0].key,
            results_digest=run.results_digest,
            reviewer="A Person",
            reviewed_at=T0,
            blinded=True,
            verdict_seen_right=True,
            synthetic=True,
        ).model_copy(update=changes)
        folder = benchmark / "runs" / run.name / "reviews"
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(review.canonical() + b"\n")
        return review

    def test_reviews_are_read_beside_the_seal(self, benchmark):
        """
        Reviews added after the seal are read in order and leave the run verified.
        """
        second, first = self.review(benchmark, "b.json", reviewer="B"), self.review(benchmark, "a.json", reviewer="A")
        loaded = load_benchmark(benchmark)

        assert ((first, second), ()) == (loaded.reviews, loaded.problems)

    def test_a_malformed_review_is_a_problem(self, benchmark):
        """
        A review that does not parse is named and left out.
        """
        self.review(benchmark)
        (benchmark / "runs/run-one/reviews/b.json").write_text('{"more": 1}')

        assert 1 == len(load_benchmark(benchmark).reviews)
        assert all(text.startswith("runs/run-one/reviews/b.json: ") for text in problems(benchmark))

    def test_a_review_of_another_run_is_a_problem(self, benchmark):
        """
        A review that is about no trial of its run is left out.
        """
        other = load_benchmark(benchmark).runs[1].trials[0].key
        self.review(benchmark, key=other)

        assert () == load_benchmark(benchmark).reviews
        assert "not about a trial of the run" in problems(benchmark)[0]

    def test_reviews_of_a_run_that_does_not_verify_are_left_out(self, benchmark):
        """
        Without its run a review is evidence of nothing.
        """
        self.review(benchmark)
        reseal(benchmark / "runs/run-one", planned=9)

        assert () == load_benchmark(benchmark).reviews


class TestTasks:
    def test_a_malformed_task_is_a_problem(self, benchmark):
        """
        A task that does not read is named, and the runs are still there.
        """
        (benchmark / "tasks/broken").mkdir()
        (benchmark / "tasks/broken/task.toml").write_text("id = ")
        loaded = load_benchmark(benchmark)

        assert ((), 2) == (loaded.tasks, len(loaded.runs))
        assert any("broken" in problem.place for problem in loaded.problems)


class TestSettings:
    def test_a_folder_that_is_not_there(self, tmp_path):
        """
        A benchmark that does not exist is an error.
        """
        with pytest.raises(MissingInputError, match="no such folder"):
            load_benchmark(tmp_path / "none")

    @pytest.mark.parametrize(
        ("name", "text", "expected"),
        [
            (
                "pyproject.toml",
                '[tool.faultline]\ntitle = "A"\ntagline = "B"\n[tool.faultline.gates]\nx = 1\n',
                ("A", "B", {"x": 1}, "pyproject.toml"),
            ),
            ("faultline.toml", 'title = "A"\n[gates]\nx = 1\n', ("A", "", {"x": 1}, "faultline.toml")),
            ("pyproject.toml", '[project]\nname = "p"\n', ("root", "", {}, "")),
            ("mkdocs.yml", "theme: x\nsite_name: A site  # said here\n", ("A site", "", {}, "")),
            ("mkdocs.yml", "site_name: 'A # site'\nextra: !!python/name:os.path\n", ("A # site", "", {}, "")),
            ("mkdocs.yml", "nav: []\n", ("root", "", {}, "")),
        ],
        ids=["pyproject", "own-file", "no-settings", "mkdocs", "mkdocs-quoted", "mkdocs-without"],
    )
    def test_title_and_gates(self, benchmark, name, text, expected):
        """
        Title, tagline and gates come from the settings, else from the site's name, else from the folder.
        """
        (benchmark / name).write_text(text)
        loaded = load_benchmark(benchmark)

        assert expected == (loaded.title, loaded.tagline, dict(loaded.gates), loaded.gates_origin)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("[tool", "this is not TOML"),
            ("[tool.faultline]\ngates = 1\n", "pyproject.toml: gates: this is not a table"),
            ("[tool.faultline]\ntitle = 1\n", "pyproject.toml: title: this is not a text"),
        ],
        ids=["syntax", "gates", "title"],
    )
    def test_malformed_settings_are_bad_input(self, benchmark, text, message):
        """
        Settings that cannot be read stop the reading, since a policy that is guessed could be too mild.
        """
        (benchmark / "pyproject.toml").write_text(text)
        with pytest.raises(BadInputError, match=message):
            load_benchmark(benchmark)

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("pyproject.toml", "[tool.faultline]\nvalid_until = 2027-06-30\n"),
            ("faultline.toml", "valid_until = 2027-06-30\n"),
        ],
    )
    def test_the_day_until_which_results_are_valid(self, benchmark, name, text):
        """
        It stands beside the title, as a day; without it there is none.
        """
        assert load_benchmark(benchmark).valid_until is None

        (benchmark / name).write_text(text)
        assert date(2027, 6, 30) == load_benchmark(benchmark).valid_until

    @pytest.mark.parametrize("value", ['"2027-06-30"', "2027-06-30T00:00:00Z", "2027", "true"])
    def test_what_is_no_day_is_bad_input(self, benchmark, value):
        """
        A text, an instant, a number: none of them is a day, and none is guessed at.
        """
        (benchmark / "faultline.toml").write_text(f"valid_until = {value}\n")
        with pytest.raises(BadInputError, match=r"faultline.toml: valid_until: this is not a day"):
            load_benchmark(benchmark)

    def test_the_day_of_reading_comes_from_the_clock(self, benchmark):
        """
        Freshness is told against the day on which the folder was read, and no variable of the environment sets it.
        """
        assert T0.date() == load_benchmark(benchmark, frozen_clock(T0)).read_on

    def test_settings_in_two_places_are_refused(self, benchmark):
        """
        Two sets of settings are refused, since either could be meant.
        """
        (benchmark / "pyproject.toml").write_text("[tool.faultline.gates]\nx = 1\n")
        (benchmark / "faultline.toml").write_text("[gates]\nx = 2\n")
        with pytest.raises(BadInputError, match="settings stand in two places"):
            load_benchmark(benchmark)

    def test_the_root_is_no_part_of_the_value(self, benchmark):
        """
        The path of the folder is not shown.
        """
        assert str(benchmark) not in repr(load_benchmark(benchmark))


class TestAudits:
    def test_an_audit_that_does_not_read_is_a_problem_of_the_audits(self, tmp_path):
        """
        A malformed audit leaves its task readable, and is a problem that keeps the gate that counts audits shut.
        """
        root = write_benchmark(tmp_path / "tiny")
        write_files(root / "tasks" / "count-orders" / "audits", {"one.toml": "schema = 1", "two.toml.sig": "lost"})
        loaded = load_benchmark(root)
        facts = gather(loaded)

        assert ["count-orders"] == [task.id for task in loaded.tasks]
        assert {"audits"} == {problem.area for problem in facts.problems}
        assert "tasks/count-orders/audits/one.toml" in facts.problems[0].place

    def test_an_audit_whose_auditor_has_a_key_must_be_signed(self, tmp_path):
        """
        What looking at the signatures showed is part of what is read.
        """
        root = write_benchmark(tmp_path / "tiny")
        task = root / "tasks" / "count-orders"
        text = checklist(load_task(task), "Bea Reader").replace('"?"', '"yes"')
        for old, new in (
            ('audited_at = "yes"', "audited_at = 2026-03-20"),
            ('severity = "yes"', "severity = 0"),
            ('judgement = "yes"', 'judgement = "stated"'),
        ):
            text = text.replace(old, new)
        write_files(task / "audits", {"one.toml": text})
        write_files(root / "tasks", {"allowed_signers": "bea* ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + "A" * 43 + "\n"})
        loaded = load_benchmark(root)

        assert () == loaded.problems
        assert ["missing"] == [check.state.value for check in loaded.signatures.values()]
