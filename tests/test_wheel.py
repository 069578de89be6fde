"""The built wheel, outside the checkout: what is installed is what works."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tiny import write_benchmark

from faultline.tasks import load_tasks

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The wheel, built from the checkout and unpacked into a folder of its own."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder / "dist"), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = (folder / "dist").glob("*.whl")
    target = folder / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(target), str(wheel)]
    subprocess.run(pip, check=True, capture_output=True)
    return target


def run(installed, *arguments, cwd):
    environment = {**os.environ, "PYTHONPATH": str(installed), "PYTHONSAFEPATH": "1"}
    return subprocess.run(
        [sys.executable, "-m", "faultline.cli", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
class TestWheel:
    def test_it_runs_outside_the_checkout(self, installed, tmp_path):
        """A benchmark elsewhere is validated and evaluated by the installed package alone."""
        root = write_benchmark(tmp_path)
        where = subprocess.run(
            [sys.executable, "-c", "import faultline; print(faultline.__file__)"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(installed)},
            capture_output=True,
            text=True,
            check=True,
        )
        done = run(installed, "validate", "--no-seal", cwd=root)

        assert str(installed) in where.stdout
        assert (0, "") == (done.returncode, done.stderr)

    def test_it_holds_no_hidden_material(self, installed):
        """No canary, task or test is in the wheel."""
        canaries = [task.definition.canary.encode() for task in load_tasks(ROOT / "tasks")]
        files = [path for path in installed.rglob("*") if path.is_file()]

        assert [] == [path for path in files if any(canary in path.read_bytes() for canary in canaries)]
        assert [] == [path for path in files if {"hidden", "repairs", "tests"} & set(path.relative_to(installed).parts)]

    def test_it_carries_what_it_needs(self, installed):
        """Templates, fonts, the driver of the sandbox and the type marker are in the wheel."""
        names = {path.name for path in installed.rglob("*")}

        assert {
            "confine.py",
            "child.py",
            "py.typed",
            "faultline.css",
            "home.html",
            "packet.html",
            "packet.js",
            "packet.css",
        } <= names
