"""Tasks as a Harbor dataset: nothing hidden where an agent works, and a verifier that is Faultline's judge."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import pytest
from export_samples import subject
from tiny import CANARY, write_benchmark

from faultline.archive import load_benchmark
from faultline.clock import Clock
from faultline.errors import BadInputError, RefusedError
from faultline.exporters import export, open_exporter, write_export
from faultline.exporters.harbor import ROOMS
from faultline.tasks import load_task, materialise

VARIANTS = ("count-orders-shop-0000", "count-orders-museum-0001", "count-orders-ferry-0002")


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    """The tiny task as a dataset, on disk."""
    folder = tmp_path_factory.mktemp("harbor")
    benchmark = load_benchmark(write_benchmark(folder / "benchmark"))
    write_export(export(open_exporter("harbor"), subject(benchmark), Clock()), folder / "dataset", Clock())
    folder.chmod(0o755)
    return folder / "dataset"


@pytest.fixture(scope="module")
def variant(dataset):
    return materialise(load_task(dataset.parent / "benchmark" / "tasks" / "count-orders"), 1)


class TestLayout:
    def test_each_variant_is_a_task(self, dataset):
        """Three variants by default, with the names of task and variant."""
        assert {*VARIANTS, "export.json"} == {path.name for path in dataset.iterdir()}

    def test_seeds_choose_the_variants(self, clock, dataset):
        """With seeds given, exactly those variants are there."""
        benchmark = load_benchmark(dataset.parent / "benchmark")
        files = open_exporter("harbor").export(subject(benchmark, seeds="4"), clock).files

        assert {"count-orders-museum-0004"} == {path.split("/")[0] for path in files}

    @pytest.mark.parametrize("seeds", ["one", "-1", "1,,2", str(2**31)])
    def test_seeds_that_are_none_are_refused(self, clock, seeds):
        """What is no number, or out of range, is an error that says so."""
        with pytest.raises(BadInputError, match="seed"):
            open_exporter("harbor").export(subject(seeds=seeds), clock)

    @pytest.mark.parametrize(("name", "value"), [("organization", "my lab"), ("image", "python\nRUN rm"), ("image", "")])
    def test_names_that_harbor_does_not_take_are_refused(self, clock, name, value):
        """An organization or an image of another form is an error that names the form."""
        with pytest.raises(BadInputError, match=f"--set {name}"):
            open_exporter("harbor").export(subject(**{name: value}), clock)

    def test_runs_are_refused(self, clock):
        """The format holds tasks; a run that is named is an error."""
        with pytest.raises(RefusedError, match="no runs"):
            open_exporter("harbor").export(subject(None, "evaluation-1"), clock)

    def test_the_agent_gets_the_variant(self, dataset, variant):
        """Instruction and workspace are those of the variant, byte for byte."""
        folder = dataset / VARIANTS[1]
        found = {
            str(path.relative_to(folder / "environment" / "workspace")): path.read_bytes()
            for path in (folder / "environment" / "workspace").rglob("*")
            if path.is_file()
        }

        assert variant.workspace == found
        assert variant.issue == (folder / "instruction.md").read_text()

    def test_hidden_material_is_on_the_side_of_the_verifier_only(self, dataset):
        """Outside of tests/ there is no canary, no hidden check and no wrong repair; the canary is in tests/ still."""
        words = (CANARY.encode(), b"faultline.checks", b"COUNTED_TWICE", b"wrong-first-only")
        outside = [
            (path, word)
            for path in dataset.rglob("*/*")
            if path.is_file() and "tests" not in path.relative_to(dataset).parts[1:2]
            for word in words
            if word in path.read_bytes()
        ]

        assert [] == outside
        for name in VARIANTS:
            assert CANARY in (dataset / name / "tests" / "task" / "count-orders" / "hidden" / "checks.py").read_text()

    def test_the_verifier_is_apart(self, dataset):
        """The verifier has its own container without a network, made from tests/, and gets the workspace as an artifact."""
        config = tomllib.loads((dataset / VARIANTS[0] / "task.toml").read_text())

        assert ("separate", "no-network") == (
            config["verifier"]["environment_mode"],
            config["verifier"]["environment"]["network_mode"],
        )
        assert ["/app"] == config["artifacts"]
        assert "COPY . /tests/" in (dataset / VARIANTS[0] / "tests" / "Dockerfile").read_text()
        assert "tests" not in (dataset / VARIANTS[0] / "environment" / "Dockerfile").read_text()

    def test_nothing_names_the_defect(self, dataset):
        """The failure class does not stand in the task's configuration."""
        assert "metric-aggregation" not in (dataset / VARIANTS[0] / "task.toml").read_text()

    def test_a_task_that_is_unproven_is_named(self, clock, dataset):
        """Without a validity run a task is exported with a note; a valid one has none."""
        benchmark = load_benchmark(dataset.parent / "benchmark")

        assert ["the task count-orders is unproven in its present form"] == list(
            open_exporter("harbor").export(subject(benchmark), clock).notes
        )

    def test_solution_and_reference_repair_are_one(self, dataset, variant, tmp_path):
        """The solution script turns the workspace into that of the reference repair."""
        folder = dataset / VARIANTS[1]
        shutil.copytree(folder / "environment" / "workspace", tmp_path / "app")
        shutil.copytree(folder / "solution", tmp_path / "solution")
        script = (folder / "solution" / "solve.sh").read_text().replace("/app/", f"{tmp_path}/app/")
        (tmp_path / "solution" / "solve.sh").write_text(script)
        subprocess.run(["bash", str(tmp_path / "solution" / "solve.sh")], check=True)

        for path, data in variant.repairs["reference"].files.items():
            assert data == (tmp_path / "app" / path).read_bytes()


def readable_python():
    """Return an interpreter that a user without rights can read, and the folder of pydantic for it."""
    import pydantic

    site = str(Path(pydantic.__file__).parent.parent)
    code = "import os; os.setgroups([]); os.setresgid(*[61184] * 3); os.setresuid(*[61184] * 3); import pkgutil"
    for path in (os.path.realpath(sys.executable), f"/usr/bin/python3.{sys.version_info.minor}"):
        if Path(path).exists() and subprocess.run([path, "-S", "-c", code], capture_output=True, check=False).returncode == 0:
            return path, site
    return None


@pytest.fixture
def container():
    """A folder that every user can enter, as the root of the verifier's container; pytest's own is closed to others."""
    with tempfile.TemporaryDirectory(prefix="verifier-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def verifier(dataset, container):
    """Run a task's own test script on a workspace, as the verifier's container would."""
    if os.geteuid() != 0:
        pytest.skip("the verifier runs as root")
    found = readable_python()
    if found is None:
        pytest.skip("no interpreter here can be read by a user without rights")
    python, site = found
    (container / "bin").mkdir()
    wrapper = container / "bin" / "python3"
    wrapper.write_text(f'#!/bin/bash\nexport PYTHONPATH="$PYTHONPATH:{site}"\nexec {python} "$@"\n')
    wrapper.chmod(0o755)

    def judge(change, task=VARIANTS[1]):
        shutil.copytree(dataset / task / "tests", container / "tests")
        shutil.copytree(dataset / task / "environment" / "workspace", container / "app")
        (container / "logs").mkdir(mode=0o777)
        (container / "logs").chmod(0o777)
        change(container)
        environment = {
            "PATH": f"{container}/bin:{os.environ['PATH']}",
            "FAULTLINE_WORKSPACE": str(container / "app"),
            "FAULTLINE_LOGS": str(container / "logs"),
        }
        done = subprocess.run(
            ["bash", str(container / "tests" / "test.sh")], env=environment, capture_output=True, text=True, check=False
        )
        rewards = container / "logs" / "reward.json"
        return done, json.loads(rewards.read_text()) if rewards.exists() else None, container

    return judge


def repair(dataset, name):
    """Return a change of the workspace: a repair of the task, in the words of the second variant."""
    variant = materialise(load_task(dataset.parent / "benchmark" / "tasks" / "count-orders"), 1)

    def change(root):
        for path, data in variant.repairs[name].files.items():
            (root / "app" / path).write_bytes(data)

    return change


def source(text):
    """Return a change of the workspace: other text in the file that agents may edit."""

    def change(root):
        (root / "app" / "museum" / "total.py").write_text(text)

    return change


class TestVerifier:
    def test_the_rooms_are_enough(self, dataset):
        """The copy of Faultline that a task carries judges alone, without the rest of the package."""
        code = "import faultline.grading, faultline.sandbox.process, faultline.tasks, sys; print(faultline.grading.__file__)"
        package = dataset / VARIANTS[0] / "tests" / "package"
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONPATH": str(package), "PYTHONSAFEPATH": "1"},
            cwd=dataset,
            capture_output=True,
            text=True,
            check=True,
        )

        assert str(package) in done.stdout
        assert {name.removesuffix(".py") for name in ROOMS} >= {"grading", "records", "sandbox", "tasks"}

    @pytest.mark.parametrize(("name", "reward"), [("reference", 1), ("wrong-first-only", 0)])
    def test_controls_end_as_they_must(self, dataset, verifier, name, reward):
        """Right repairs get 1, wrong ones 0, and the outcome with its reason codes lies beside the reward."""
        done, found, root = verifier(repair(dataset, name))
        outcome = json.loads((root / "logs" / "faultline.json").read_text())

        assert ({"reward": reward}, 0) == (found, done.returncode)
        assert ("passed" if reward else "failed") == outcome["verdict"]
        assert bool(outcome.get("reasons")) != bool(reward)

    def test_candidate_code_cannot_write_its_reward(self, verifier):
        """A candidate that writes rewards, and leaves a process to do so later, gets what the judge says."""
        text = (
            "import os, pathlib, subprocess\n"
            "def total(tickets):\n"
            "    for name in ('reward.txt', 'reward.json'):\n"
            "        try: pathlib.Path('LOGS', name).write_text('1')\n"
            "        except OSError: pass\n"
            "    try: subprocess.Popen('while true; do echo 1 > LOGS/reward.txt; sleep 0.05; done', shell=True, env={}, start_new_session=True)\n"
            "    except OSError: pass\n"
            "    return 0\n"
        )
        _, found, root = verifier(lambda root: source(text.replace("LOGS", str(root / "logs")))(root))

        assert {"reward": 0} == found
        assert {"reward.json", "faultline.json"} == {path.name for path in (root / "logs").iterdir()}

    def test_candidate_code_cannot_read_the_checks(self, verifier):
        """A candidate that looks for hidden files in the verifier's container finds none that it can read."""
        text = (
            "import pathlib\n"
            "SEEN = 0\n"
            "def total(tickets):\n"
            "    try: text = pathlib.Path('CHECKS').read_text()\n"
            "    except OSError as error: raise RuntimeError('closed ' + type(error).__name__)\n"
            "    raise RuntimeError('read it')\n"
        )
        checks = "tests/task/count-orders/hidden/checks.py"
        _, found, root = verifier(lambda root: source(text.replace("CHECKS", str(root / checks)))(root))
        outcome = (root / "logs" / "faultline.json").read_text()

        assert {"reward": 0} == found
        assert "closed PermissionError" in outcome
        assert "read it" not in outcome

    def test_a_task_that_was_changed_gives_no_reward(self, verifier):
        """When the hidden checks are not those that were exported there is no reward, and the exit code is not 0."""

        def change(root):
            path = root / "tests" / "task" / "count-orders" / "hidden" / "checks.py"
            path.write_text(path.read_text().replace("once != again", "False"))

        done, found, _ = verifier(change)

        assert (None, 3) == (found, done.returncode)
        assert "not in the form that was exported" in done.stderr

    def test_an_invalid_submission_is_the_agents_failure(self, verifier):
        """A workspace that no submission may be, such as a link in the place of a file, gets 0 with its reason code."""

        def change(root):
            path = root / "app" / "museum" / "total.py"
            path.unlink()
            path.symlink_to("/etc/passwd")

        done, found, _ = verifier(change)

        assert {"reward": 0} == found
        assert "LINKED_FILE" in done.stdout


LOAD = """
import json, sys
from pathlib import Path
from harbor.models.task.task import Task
print(json.dumps([[Task.is_valid_dir(path), Task(path).name, Task(path).instruction] for path in map(Path, sys.argv[1:])]))
"""


def test_harbors_own_loader_takes_it(dataset):
    """Harbor reads every task of the dataset, finds it valid and gives the issue as the instruction."""
    program = shutil.which("harbor")
    if program is None:
        pytest.skip("harbor, which needs Python 3.12, is not installed")
    folders = [dataset / name for name in VARIANTS]
    command = [str(Path(program).with_name("python")), "-c", LOAD, *map(str, folders)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"]})

    assert [[True, f"faultline/{path.name}", (path / "instruction.md").read_text()] for path in folders] == json.loads(
        done.stdout
    )
