"""An importer in a package of its own: installed for real, found by its entry point, run by the command line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
EXAMPLE = REPOSITORY / "examples" / "importer"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Install the example into a folder of its own, with the build backend that is here already."""
    target = tmp_path_factory.mktemp("installed")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "-q",
            "--no-deps",
            "--no-build-isolation",
            "--target",
            str(target),
            str(EXAMPLE),
        ],
        check=True,
        capture_output=True,
    )
    return target


def faultline(installed, root, *words):
    environment = os.environ | {"PYTHONPATH": f"{installed}{os.pathsep}{REPOSITORY}", "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, "-c", "from faultline.cli.main import main; main()", *words],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def root(tmp_path):
    """An empty card for imported runs, with a board beside it."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "mkdocs.yml").write_text("site_name: boards\n")
    (tmp_path / "one.board").write_text("loader 0 pass 12.5\nloader 1 crash 3 the disk was full\n")
    return tmp_path


def test_it_is_listed_beside_the_others(installed, root):
    """
    ``--formats`` names it with its options.
    """
    done = faultline(installed, root, "import", "--formats")

    assert "scoreboard: boards of an imaginary harness" in done.stdout
    assert "--option agent=…" in done.stdout


@pytest.mark.parametrize("name", ["scoreboard", "auto"])
def test_it_imports_and_what_it_made_verifies(installed, root, name):
    """
    By its name, or recognised.
    """
    done = faultline(installed, root, "import", name, "one.board", "--option", "agent=mine", "--json")
    (told,) = json.loads(done.stdout)

    assert ("imported", {"RO-01": 1, "RO-02": 1}) == (told["state"], told["report"]["rules"])
    assert 0 == faultline(installed, root, "verify").returncode


def test_its_errors_are_lines_and_not_tracebacks(installed, root):
    """
    A bad line has its file and number, and exit code 2.
    """
    (root / "one.board").write_text("loader 0 pass 12.5\nloader 1 maybe 1\n")

    done = faultline(installed, root, "import", "scoreboard", "one.board")

    assert (2, "one.board:2: this is no line of a board") == (done.returncode, done.stderr.split(";")[0])


def test_the_example_is_as_short_as_the_guide_says():
    """
    Under sixty lines, and shown whole on the page.
    """
    text = (EXAMPLE / "faultline_scoreboard.py").read_text()

    assert 60 > len(text.splitlines())
    assert text.strip() in (REPOSITORY / "site_src" / "importing.md").read_text()
