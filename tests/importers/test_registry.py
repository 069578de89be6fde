"""Importers are found by their entry points; a faulty one is named instead of breaking everything."""

from dataclasses import replace

import pytest
from toy import Toy

from faultline import plugins
from faultline.errors import BadInputError
from faultline.importers import parsed_options, registry


class Point:
    """An entry point that gives what it is told to."""

    dist = None

    def __init__(self, name, gives):
        self.name, self.value, self._gives = name, f"somewhere:{name}", gives

    def load(self):
        if isinstance(self._gives, Exception):
            raise self._gives
        return self._gives


def given(monkeypatch, *points):
    monkeypatch.setattr(plugins, "entry_points", lambda **_: points)
    monkeypatch.setattr(registry, "IMPORTERS", replace(registry.IMPORTERS, built_in={}))


def test_an_importer_of_somebody_else_stands_beside_ours(monkeypatch, tmp_path):
    """
    What the entry point names is made, and recognises its files.
    """
    given(monkeypatch, Point("toy", Toy))
    (tmp_path / "a.toy").touch()

    assert ["toy"] == [item.name for item in registry.recognised(registry.SourceTree(tmp_path))]


@pytest.mark.parametrize(
    ("points", "problem"),
    [
        ([], "no importer of this name.*expected auto"),
        ([Point("toy", ImportError("no such thing"))], "cannot be loaded.*no such thing"),
        ([Point("toy", dict)], "is no importer.*derived from Importer"),
        ([Point("toy", Toy), Point("toy", Toy)], "two packages bring this name"),
    ],
)
def test_a_faulty_entry_point_is_named(monkeypatch, points, problem):
    """
    The error says which entry point, and what is wrong.
    """
    given(monkeypatch, *points)

    with pytest.raises(BadInputError, match=problem):
        registry.load_importer("toy")


def test_a_faulty_entry_point_does_not_keep_the_others_from_work(monkeypatch):
    """
    Who names a format gets its importer, whatever else is installed.
    """
    given(monkeypatch, Point("broken", ImportError("no such thing")), Point("toy", Toy))

    assert "toy" == registry.load_importer("toy").name


@pytest.mark.parametrize("pair", ["nothing", "colour=red", "=x"])
def test_an_option_that_the_importer_does_not_have_is_refused(pair):
    """
    The error lists those that it has.
    """
    with pytest.raises(BadInputError, match="planned="):
        parsed_options((pair,), Toy.options, "toy")


def test_an_option_may_hold_an_equals_sign():
    """
    Only the first one parts name and value.
    """
    assert {"planned": "a=b"} == parsed_options(("planned=a=b",), Toy.options, "toy")
