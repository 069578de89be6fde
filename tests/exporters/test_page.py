"""The page of exports is complete and true."""

import re
import tomllib
from pathlib import Path

import pytest
from export_samples import subject

from faultline.exporters import exporter_names, open_exporter

PAGE = (Path(__file__).resolve().parent.parent.parent / "site_src" / "exports.md").read_text()


@pytest.mark.parametrize("name", exporter_names())
def test_every_format_has_its_section(name):
    """Each format stands in a heading of the page, and each of its settings under it."""
    sections = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
    (found,) = [text for text in sections if name in re.split(r"[, ]+", text.partition(" {#")[0])]

    assert [] == [key for key in open_exporter(name).options if f"`{key}`" not in found]
    assert "Lost:" in found


def test_the_example_works_as_an_installed_package(clock, tmp_path, monkeypatch):
    """The class on the page, in a package with the entry point of the page, is found and makes its file."""
    project = tomllib.loads(re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)[1])["project"]
    (entry,) = project["entry-points"]["faultline.exporters"].items()
    (tmp_path / "my_package.py").write_text(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1])
    folder = tmp_path / "my_package-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(f"[faultline.exporters]\n{entry[0]} = {entry[1]}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    of = subject()
    made = open_exporter("passes").export(of, clock)
    passes = sum(trial.outcome.verdict == "passed" for run in of.runs for trial in run.trials)

    assert passes
    assert passes == made.files["passes.txt"].count(b"\n")
