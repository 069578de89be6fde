"""The same records give the same site, whoever builds it, wherever."""

import os
import shutil
import subprocess
import sys

import pytest
from site_helpers import REPOSITORY, benchmark_folder, build_card_site, tree_of

from faultline.errors import BadInputError, IntegrityError, MissingInputError
from faultline.site.build import build_site


def test_two_builds_are_equal(small_card, small_site, tmp_path):
    """
    A second build in another folder gives the same files with the same bytes.
    """
    again = tree_of(build_card_site(small_card, tmp_path))

    first = tree_of(small_site)
    assert sorted(first) == sorted(again)
    assert [] == [name for name in first if first[name] != again[name]]


def test_the_environment_is_left_alone(small_site):
    """
    The date that a build settles on is gone afterwards.
    """
    assert small_site.is_dir()
    assert "SOURCE_DATE_EPOCH" not in os.environ


def test_mkdocs_builds_the_same_site(tmp_path):
    """
    `mkdocs build` in a benchmark's folder, in another process with another hash seed, gives the bytes of `build-site`.
    """
    root = benchmark_folder(tmp_path / "benchmark")
    shutil.copytree(REPOSITORY / "tasks" / "visit-partition", root / "tasks" / "visit-partition")
    ours = tree_of(build_site(root, tmp_path / "ours"))

    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path / "theirs")]
    environment = {**os.environ, "PYTHONHASHSEED": "7", "NO_MKDOCS_2_WARNING": "1", "PYTHONWARNINGS": "ignore"}
    subprocess.run(command, cwd=root, env=environment, check=True, capture_output=True)

    theirs = tree_of(tmp_path / "theirs")
    assert sorted(ours) == sorted(theirs)
    assert [] == [name for name in ours if ours[name] != theirs[name]]


class TestRefusals:
    def test_a_folder_without_settings(self, tmp_path):
        """
        A folder without mkdocs.yml is named as what is missing.
        """
        with pytest.raises(MissingInputError, match=r"mkdocs\.yml"):
            build_site(tmp_path, tmp_path / "out")

    @pytest.mark.parametrize("target", ["", "tasks", "runs/site", "site_src", ".."])
    def test_a_target_over_the_benchmark(self, tmp_path, target):
        """
        The site is never built over the benchmark's own folders, which a build would empty.
        """
        root = benchmark_folder(tmp_path / "benchmark")

        with pytest.raises(BadInputError, match="over the benchmark"):
            build_site(root, root / target)

        assert (root / "mkdocs.yml").is_file()

    def test_strict_refuses_a_card_with_problems(self, small_card, tmp_path):
        """
        With a record that cannot be read, a strict build fails and names it; one that is not strict says so on every page.
        """
        card = small_card.model_copy(update={"problems": ("runs/x: the seal does not match",)})

        with pytest.raises(IntegrityError, match="runs/x: the seal does not match"):
            build_card_site(card, tmp_path / "strict")

        site = build_card_site(card, tmp_path / "lenient", strict=False)
        assert "1 unreadable record" in (site / "index.html").read_text("utf-8")

    def test_settings_that_mkdocs_refuses(self, tmp_path):
        """
        Settings that MkDocs cannot use are bad input, not a traceback.
        """
        root = benchmark_folder(tmp_path / "benchmark")
        (root / "mkdocs.yml").write_text("site_name: x\nplugins: [nothing-of-the-kind]\n", "utf-8")

        with pytest.raises(BadInputError, match="could not be built"):
            build_site(root, tmp_path / "out")
