"""``export`` as a person meets it."""

import json

import pytest
from click.testing import CliRunner
from tiny import write_benchmark

from faultline.cli.main import cli
from faultline.exporters import exporter_names


@pytest.fixture
def faultline(tmp_path):
    """Run a command on the tiny benchmark, without runs."""
    root = write_benchmark(tmp_path / "benchmark")

    def run(*arguments):
        return CliRunner().invoke(cli, [*arguments, "--root", str(root)])

    return run


def test_a_format_is_written_and_the_gates_are_told(faultline, tmp_path):
    """The summary says what was written, what the format loses, and that the leaderboard is withheld; JSON says the same."""
    done = faultline("export", "csv", "-o", str(tmp_path / "out"))
    again = faultline("export", "csv", "-o", str(tmp_path / "out"), "--replace", "--json")
    plain = json.loads(again.stdout)

    assert (0, 0) == (done.exit_code, again.exit_code)
    assert "the leaderboard is withheld" in done.stdout
    assert "loses" in done.stdout
    assert plain["gates"]["withheld"]
    assert set(plain["files"]) == {path.name for path in (tmp_path / "out").iterdir()}


def test_the_list_names_every_format(faultline):
    """`--list` shows each format with needs, losses and settings, and so does its JSON."""
    shown = faultline("export", "--list").stdout
    plain = json.loads(faultline("export", "--list", "--json").stdout)

    assert list(exporter_names()) == [item["format"] for item in plain]
    assert [] == [item["format"] for item in plain if f"{item['format']}: {item['title']}\n" not in shown]
    assert [] == [key for item in plain for key in item["settings"] if f"--set {key}=" not in shown]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("export",), "name a format and a target"),
        (("export", "csv"), "name a format and a target"),
        (("export", "csv", "-o", "x", "--set", "colour"), "KEY=VALUE"),
    ],
)
def test_what_is_missing_is_said(faultline, arguments, said):
    """Without a format, a target or a value, the usage is told and nothing is written."""
    done = faultline(*arguments)

    assert 2 == done.exit_code
    assert said in done.output


def test_what_cannot_be_read_is_told(faultline, tmp_path):
    """A run that cannot be read is in no file, and a note of the export says so without a path of the machine."""
    (tmp_path / "benchmark" / "runs" / "broken").mkdir()
    plain = json.loads(faultline("export", "csv", "-o", str(tmp_path / "out"), "--json").stdout)
    (note,) = plain["notes"]

    assert note.startswith("could not be read, and so is in no file: runs/broken")
    assert str(tmp_path) not in (tmp_path / "out" / "export.json").read_text()
