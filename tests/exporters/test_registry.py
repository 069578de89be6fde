"""Formats are found by name: those of the release, and those that an installed package brings."""

import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from faultline import plugins
from faultline.errors import BadInputError, RefusedError
from faultline.exporters.interface import Exporter
from faultline.exporters.registry import BUILT_IN, exporter_names, open_exporter

GROUP = "faultline.exporters"
ROOT = Path(__file__).resolve().parent.parent.parent


def installed(monkeypatch, *points):
    """Pretend that an installed package brings entry points; the real thing is an installation."""
    monkeypatch.setattr(plugins, "entry_points", lambda group: points if group == GROUP else ())


class TestBuiltIn:
    def test_the_list_is_that_of_the_package(self):
        """The formats of this release are the entry points of pyproject.toml."""
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

        assert project["entry-points"][GROUP] == BUILT_IN

    @pytest.mark.parametrize("name", sorted(BUILT_IN))
    def test_each_says_what_it_is(self, name):
        """Every format has its name, a title, its needs and its losses."""
        exporter = open_exporter(name)

        assert name == exporter.name
        assert exporter.title
        assert exporter.needs
        assert exporter.loses.endswith(".")


class TestThirdParty:
    def test_an_entry_point_brings_a_format(self, monkeypatch):
        """A class behind an entry point of the group is a format like any other."""
        installed(monkeypatch, EntryPoint("mine", "faultline.exporters.tables:CsvExporter", GROUP))

        assert "mine" in exporter_names()
        assert isinstance(open_exporter("mine"), Exporter)

    def test_a_taken_name_is_refused(self, monkeypatch):
        """A package cannot put itself in the place of another format."""
        installed(monkeypatch, EntryPoint("csv", "somewhere:Else", GROUP))

        with pytest.raises(RefusedError, match="two packages"):
            open_exporter("csv")

    @pytest.mark.parametrize("value", ["no_such_module:Thing", "pathlib:Path", "faultline.exporters.tables:Missing"])
    def test_what_leads_to_no_exporter_is_an_error(self, monkeypatch, value):
        """An entry point that cannot be loaded, or leads to something else, is one clear error."""
        installed(monkeypatch, EntryPoint("mine", value, GROUP))

        with pytest.raises(BadInputError, match="mine"):
            open_exporter("mine")

    def test_an_unknown_name_lists_the_known_ones(self):
        """A format that is none is refused with the names of those that are."""
        with pytest.raises(RefusedError, match="csv"):
            open_exporter("no-such-format")
