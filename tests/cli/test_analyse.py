"""``noise``, ``diagnose`` and ``compare`` as a person meets them."""

import json
import subprocess
import sys

import pytest
from tiny import write_benchmark


@pytest.fixture
def root(tmp_path):
    return write_benchmark(tmp_path / "benchmark")


@pytest.fixture
def faultline(root):
    """Run a command inside the tiny benchmark."""

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "faultline.cli", *arguments], cwd=root, capture_output=True, text=True, check=False
        )

    return run


@pytest.fixture
def runs(faultline):
    """Seal a run of each of two controls in the tiny benchmark."""

    def run(agent):
        done = faultline("run", agent, "--trials", "2", "--variants", "1", "--seed", "0", "--json")
        return json.loads(done.stdout)["run"]

    return run("no-op"), run("reference")


def test_the_three_commands_on_sealed_runs(faultline, runs):
    """Noise says that nothing flipped, diagnose finds nothing red, compare prints under the gate status; JSON says the same."""
    first, second = runs
    noise = faultline("noise", first)
    (item,) = json.loads(faultline("noise", first, "--json").stdout)
    diagnosis = json.loads(faultline("diagnose", first, "--json").stdout)
    compared = faultline("compare", first, second)
    pairs = json.loads(faultline("compare", first, second, "--json").stdout)

    assert (0, "not-estimable", [0, 0]) == (noise.returncode, item["status"], item["totals"])
    assert item["sentence"] in noise.stdout
    assert (first, False) == (diagnosis["run"], diagnosis["red"])
    assert 0 == faultline("diagnose", first).returncode
    assert 0 == compared.returncode
    assert compared.stdout.splitlines()[0].endswith("do not hold): not to be published.")
    assert pairs["gates"]["withheld"]
    assert pairs["pairs"][0]["difference"]["status"] == "not-estimable"


@pytest.mark.parametrize(
    "command", [("noise", "no-such-run"), ("diagnose", "no-such-run"), ("compare", "no-such-run", "nor-this")]
)
def test_an_unknown_run_is_named(faultline, command):
    """A run that is not there ends with code 2 and one line for each."""
    done = faultline(*command)

    assert 2 == done.returncode
    assert len(command) - 1 == done.stderr.count("there is no such run")


def test_it_takes_two(faultline, runs):
    """One run cannot be compared, and the error is one line."""
    done = faultline("compare", runs[0])

    assert 2 == done.returncode
    assert "there is nothing to compare with" in done.stderr


def test_a_run_that_was_changed_is_not_analysed(faultline, root, runs):
    """A run that does not verify is refused with what is wrong with it."""
    path = root / "runs" / runs[0] / "trials.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"failed"', b'"passed"', 1))
    done = faultline("noise", runs[0])

    assert 5 == done.returncode
    assert "Traceback" not in done.stderr
