"""An agent and a sandbox in a package of their own: installed for real, found by their entry points, run by the command line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tiny import write_benchmark

REPOSITORY = Path(__file__).parents[2]
EXAMPLE = REPOSITORY / "examples" / "workbench"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Install the example into a folder of its own, with the build backend that is here already."""
    target = tmp_path_factory.mktemp("installed")
    words = ["-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", str(target), str(EXAMPLE)]
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    return target


def python(installed, root, *words):
    environment = os.environ | {"PYTHONPATH": f"{installed}{os.pathsep}{REPOSITORY}", "NO_COLOR": "1"}
    return subprocess.run([sys.executable, *words], cwd=root, env=environment, capture_output=True, text=True, check=False)


def faultline(installed, root, *words):
    return python(installed, root, "-c", "from faultline.cli.main import main; main()", *words)


@pytest.fixture(scope="module")
def evaluated(installed, tmp_path_factory):
    """A benchmark in which the installed agent was evaluated in the installed sandbox, and what the command printed."""
    root = tmp_path_factory.mktemp("benchmark")
    write_benchmark(root)
    words = ("run", "once", "--sandbox", "patient", "--seed", "0", "--trials", "1", "--workers", "1", "--json")
    return root, faultline(installed, root, *words)


def test_it_works_from_plan_to_seal(installed, evaluated):
    """
    Its repair passes the tiny task, the run is sealed, and what it made verifies.
    """
    root, done = evaluated
    assert 0 == done.returncode, done.stderr
    told = json.loads(done.stdout)
    manifest = json.loads((root / told["sealed"] / "manifest.json").read_text())
    (agent,), external = manifest["agents"], manifest["external"]
    (trial,) = map(json.loads, (root / told["sealed"] / "trials.jsonl").read_text().splitlines())

    assert ("passed", "external") == (trial["outcome"]["verdict"], trial["sandbox"])
    assert ("plugin", "faultline-workbench 1.0.0") == (agent["kind"], agent["version"])
    assert ("external", "patient", "faultline-workbench") == (manifest["sandbox"], external["name"], external["distribution"])
    assert "faultline_workbench.py" in agent["files"].keys() & external["files"].keys()
    assert 0 == faultline(installed, root, "verify").returncode


def test_such_a_run_opens_no_gate(installed, evaluated):
    """
    The gate on validity names the sandbox and the agent.
    """
    root, _ = evaluated
    done = faultline(installed, root, "gates", "--json")

    assert 3 == done.returncode
    assert "patient of faultline-workbench 1.0.0" in done.stdout
    assert "once is a class of an installed package and worked inside the harness" in done.stdout


def test_doctor_lists_what_was_found(installed, tmp_path):
    """
    Agents and sandboxes stand with the package that brings them; what a sandbox promises is printed.
    """
    told = json.loads(faultline(installed, tmp_path, "doctor", "--json").stdout)
    text = faultline(installed, tmp_path, "doctor").stdout

    assert ["faultline-workbench 1.0.0"] == told["found"]["agents"]["once"] == told["found"]["sandboxes"]["patient"]
    assert (True, False) == (told["sandboxes"]["patient"]["available"], told["sandboxes"]["patient"]["fit"])
    assert "agents: delete-tests, no-op, once (faultline-workbench 1.0.0), random-edit, reference\n" in text
    assert "sandbox patient: available\n" in text
    assert "what else runs on the machine goes first\n" in text


def test_without_the_package_the_run_is_refused(tmp_path):
    """
    The error lists what there is.
    """
    write_benchmark(tmp_path)
    agent = faultline(REPOSITORY, tmp_path, "run", "once")
    sandbox = faultline(REPOSITORY, tmp_path, "run", "no-op", "--sandbox", "patient")

    assert (2, 2) == (agent.returncode, sandbox.returncode)
    assert "there is no agent of this name; expected delete-tests, no-op, random-edit, reference, --agent FILE" in agent.stderr
    assert "there is no sandbox of this name; expected bubblewrap, container, process" in sandbox.stderr


def test_a_broken_package_breaks_only_itself(installed, tmp_path):
    """
    ``doctor`` says what is wrong with it, and everything else works.
    """
    (tmp_path / "bad.py").write_text("raise RuntimeError('half of it is missing')\n")
    info = tmp_path / "bad-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bad\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[faultline.sandboxes]\nbad = bad:Bad\n[faultline.agents]\nbad = bad:Bad\n")
    done = faultline(tmp_path, tmp_path, "doctor")

    assert 0 == done.returncode
    assert "sandbox bad: not available: entry point bad: this sandbox, bad:Bad, cannot be loaded" in done.stdout
    assert "half of it is missing" in done.stdout


def test_the_suite_of_promises_can_be_pointed_at_it(installed):
    """
    Every promise of the suite is tried on the installed sandbox, and on it alone; one that is none is an error.
    """
    words = ("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "tests/sandbox/test_sandboxes.py", "--sandbox")
    tried = python(installed, REPOSITORY, *words, "patient", "-k", "read_only or reads_its_input")
    none = python(installed, REPOSITORY, *words, "no-such-sandbox")

    assert 0 == tried.returncode, tried.stdout
    assert "3 passed" in tried.stdout
    assert 0 != none.returncode
    assert "there is no sandbox of this name" in none.stdout + none.stderr


def test_the_example_is_shown_whole():
    """
    Code and project file stand on the page, as they are.
    """
    page = (REPOSITORY / "site_src" / "plugins.md").read_text()

    assert (EXAMPLE / "faultline_workbench.py").read_text().strip() in page
    assert (EXAMPLE / "pyproject.toml").read_text().strip() in page
