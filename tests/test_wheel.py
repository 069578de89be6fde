"""What is built and given to others: the wheel works outside the checkout, and nothing built holds hidden material."""

import gzip
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from tiny import write_benchmark

from faultline.grading.canary import holders
from faultline.tasks import load_tasks

ROOT = Path(__file__).resolve().parent.parent


CANARIES = [task.definition.canary for task in load_tasks(ROOT / "tasks")]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder with the source distribution, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """The wheel, unpacked into a folder of its own."""
    target = tmp_path_factory.mktemp("wheel") / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(target)]
    subprocess.run([*pip, str(*built.glob("*.whl"))], check=True, capture_output=True)
    return target


def unpacked(path):
    """Return what is in a built file: the members of an archive, and each of them unpacked."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist()}
    if path.name.endswith(".tar.gz"):
        with tarfile.open(path) as archive:
            return {item.name: archive.extractfile(item).read() for item in archive if item.isfile()}
    data = path.read_bytes()
    return {str(path): gzip.decompress(data) if path.suffix == ".gz" else data}


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

    def test_it_carries_what_it_needs(self, installed):
        """Templates, fonts, pages about Faultline, the driver of the sandbox and the type marker are in the wheel."""
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
            "rules.json",
            "tau-bench.toml",
            "importing.md",
        } <= names


@pytest.mark.slow
class TestHiddenMaterial:
    @pytest.mark.parametrize("kind", ["*.tar.gz", "*.whl"])
    def test_a_distribution_holds_none(self, built, kind):
        """Neither source distribution nor wheel holds a canary, a task, a run or a test."""
        files = unpacked(*built.glob(kind))

        assert any(name.endswith("faultline/grading/child.py") for name in files)
        assert () == holders(CANARIES, files)
        assert [] == [name for name in files if {"hidden", "repairs", "runs", "tests"} & set(name.split("/"))]

    def test_the_site_holds_none(self, installed, tmp_path):
        """The site of this repository, built by the installed wheel, holds no canary, in downloads and search index neither."""
        done = run(installed, "build-site", "--out", str(tmp_path / "site"), cwd=ROOT)
        files = {}
        for path in tmp_path.rglob("*"):
            files |= unpacked(path) if path.is_file() else {}

        assert (0, "") == (done.returncode, done.stderr)
        assert any(name.endswith("/visit-partition.html") for name in files)
        assert () == holders(CANARIES, files)

    def test_a_canary_would_be_found(self, tmp_path):
        """The same search finds one in every form that is built."""
        (tmp_path / "checks.py").write_text(f"# {CANARIES[0].upper()}\n")
        with zipfile.ZipFile(tmp_path / "x.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
            wheel.write(tmp_path / "checks.py", "in-wheel")
        with tarfile.open(tmp_path / "x.tar.gz", "w:gz") as archive:
            archive.add(tmp_path / "checks.py", "in-source")
        (tmp_path / "x.json.gz").write_bytes(gzip.compress(CANARIES[-1].replace("-", "").encode()))
        found = {name: data for path in tmp_path.iterdir() for name, data in unpacked(path).items()}

        assert len(found) == len(holders(CANARIES, found)) == 4
