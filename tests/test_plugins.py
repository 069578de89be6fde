"""What others bring is found by entry points: one mechanism for importers, exporters, agents and sandboxes."""

import sys
import tomllib
from abc import ABC, abstractmethod
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from faultline import plugins
from faultline.agents import AGENTS
from faultline.errors import BadInputError, RefusedError
from faultline.exporters import EXPORTERS
from faultline.importers import IMPORTERS
from faultline.plugins import Group
from faultline.sandbox import IMPLEMENTATIONS, SANDBOXES

ROOT = Path(__file__).resolve().parent.parent
GROUPS = (AGENTS, SANDBOXES, IMPORTERS, EXPORTERS)


class Tool(ABC):
    """What the toy group consists of."""

    @abstractmethod
    def use(self):
        """Be used."""


class Hammer(Tool):
    def use(self):
        return "bang"


OWN = {"hammer": f"{__name__}:Hammer"}


def package(folder, name, code, **entries):
    """Lay a package as an installer leaves it: a module, metadata, entry points, a record of its files."""
    module = name.replace("-", "_")
    (folder / f"{module}.py").write_text(code)
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = "".join(f"{entry.replace('_', '-')} = {value}\n" for entry, value in entries.items())
    (info / "entry_points.txt").write_text(f"[test.tools]\n{lines}")
    (info / "INSTALLER").write_text("pip\n")
    names = [f"{module}.py", *(f"{info.name}/{name}" for name in ("METADATA", "entry_points.txt", "INSTALLER", "RECORD"))]
    (info / "RECORD").write_text("".join(f"{name},,\n" for name in names))


@pytest.fixture
def tools():
    return Group("test.tools", Tool, "tool", OWN, beside=("a hand",))


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder of installed packages."""
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in ("saw_maker", "other_maker", "broken_maker"):
        sys.modules.pop(name, None)


SAW = f"from {__name__} import Tool\n\n\nclass Saw(Tool):\n    def use(self):\n        return 'zzz'\n"


class TestTables:
    @pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
    def test_the_table_is_that_of_the_package(self, group):
        """What this release brings are the entry points of pyproject.toml."""
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

        assert project["entry-points"][group.name] == group.built_in

    @pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
    def test_every_line_of_a_table_leads_to_a_class(self, group):
        """Each name of this release can be loaded, and is derived from the room's abstract class."""
        assert all(issubclass(group.load(name), group.base) for name in group.built_in)

    def test_the_sandboxes_of_this_release_are_named_after_their_levels(self):
        """The table has the implementations, each under its level."""
        assert {str(kind.level): kind for kind in IMPLEMENTATIONS} == {
            name: SANDBOXES.load(name) for name in SANDBOXES.built_in
        }

    def test_a_checkout_that_was_not_installed_again_works(self, monkeypatch, tools):
        """Lines of Faultline's own metadata count for nothing, so that stale or missing ones do no harm."""

        class Own:
            name, version = "faultline", "0.0.1"

        stale = EntryPoint("hammer", "gone:Hammer", "test.tools")
        vars(stale).update(dist=Own())
        for points in ((), (stale,)):
            monkeypatch.setattr(plugins, "entry_points", lambda points=points, **_: points)

            assert "bang" == tools.make("hammer").use()


class TestFinding:
    def test_what_an_installed_package_brings_stands_beside_ours(self, tools, site):
        """A class behind an entry point of the group is made like one of this release."""
        package(site, "saw-maker", SAW, saw="saw_maker:Saw")

        assert ("hammer", "saw") == tools.names()
        assert {"hammer": ("faultline",), "saw": ("saw-maker 1.0",)} == tools.bringers()
        assert "zzz" == tools.make("saw").use()

    def test_names_are_listed_without_loading_anything(self, tools, site):
        """A package that cannot be imported is listed, and does not keep the others from work."""
        package(site, "broken-maker", "raise OSError('no disk')\n", broken="broken_maker:Broken")

        assert ("broken", "hammer") == tools.names()
        assert "bang" == tools.make("hammer").use()
        assert "broken_maker" not in sys.modules


class TestRefusals:
    def test_an_unknown_name_lists_the_known_ones(self, tools):
        """The error says what may be named in its place."""
        with pytest.raises(RefusedError, match="no tool of this name; expected hammer, a hand"):
            tools.load("no\x1b[31mne")

    @pytest.mark.parametrize(
        ("value", "problem"),
        [
            ("no_such_module:Thing", "no_such_module:Thing, cannot be loaded.*No module named"),
            ("saw_maker:Missing", "cannot be loaded.*Missing"),
            ("saw_maker:len", "is no tool; expected a class derived from Tool"),
            ("pathlib:Path", "is no tool"),
        ],
    )
    def test_a_faulty_entry_point_is_named(self, tools, site, value, problem):
        """The error says which entry point, and what is wrong."""
        package(site, "saw-maker", SAW + "\nlen = len\n", saw=value)

        with pytest.raises(BadInputError, match=f"entry point saw: .*{problem}"):
            tools.load("saw")

    def test_a_class_that_cannot_be_made_is_named(self, tools, site):
        """What its constructor raises is one clear error."""
        package(site, "saw-maker", SAW + "\n    def __init__(self):\n        raise KeyError('no blade')\n", saw="saw_maker:Saw")

        with pytest.raises(BadInputError, match=r"entry point saw: this tool cannot be made.*no blade"):
            tools.make("saw")

    def test_a_name_that_two_packages_bring_is_refused(self, tools, site):
        """Nobody chooses between them, and the error names both."""
        package(site, "saw-maker", SAW, saw="saw_maker:Saw")
        package(site, "other-maker", SAW, saw="other_maker:Saw")

        with pytest.raises(
            RefusedError, match=r"two packages.*other_maker:Saw of other-maker 1\.0, saw_maker:Saw of saw-maker"
        ):
            tools.load("saw")
        assert ("other-maker 1.0", "saw-maker 1.0") == tools.bringers()["saw"]

    def test_a_name_of_ours_cannot_be_taken(self, tools, site):
        """A package cannot put itself in the place of what this release brings, not even with the same class."""
        package(site, "saw-maker", SAW, hammer=OWN["hammer"])

        with pytest.raises(RefusedError, match="two packages"):
            tools.load("hammer")

    @pytest.mark.parametrize("name", ["../saw", "Saw", "s" * 65, "saw saw"])
    def test_a_name_that_could_not_stand_in_a_record_is_refused(self, tools, monkeypatch, name):
        """Names become parts of run names and paths."""
        monkeypatch.setattr(plugins, "entry_points", lambda group: (EntryPoint(name, "saw_maker:Saw", group),))

        with pytest.raises(BadInputError, match="this is no name"):
            tools.load(name)


class TestProvenance:
    def test_a_package_is_pinned_by_its_version_and_the_digests_of_its_files(self, tools, site):
        """Another file is another pin; what the installer wrote is not part of it."""
        package(site, "saw-maker", SAW, saw="saw_maker:Saw")
        before = tools.package("saw")
        (site / "saw_maker.py").write_text(SAW.replace("zzz", "zzzz"))

        assert ("saw-maker", "1.0") == (before.name, before.version)
        assert {"saw_maker.py", "saw_maker-1.0.dist-info/METADATA", "saw_maker-1.0.dist-info/entry_points.txt"} == set(
            before.files
        )
        assert {"saw_maker.py"} == {path for path, _ in before.files.items() ^ tools.package("saw").files.items()}

    def test_code_that_is_not_among_the_package_s_files_is_refused(self, tools, site):
        """An editable installation lists no code, so a record of it would pin nothing."""
        package(site, "saw-maker", SAW, saw="saw_maker:Saw")
        record = site / "saw_maker-1.0.dist-info" / "RECORD"
        record.write_text(record.read_text().replace("saw_maker.py,,\n", ""))

        with pytest.raises(RefusedError, match=r"not among the files of its package.*install saw-maker 1\.0 without -e"):
            tools.package("saw")

    def test_what_belongs_to_no_package_is_refused(self, tools, monkeypatch):
        """Without a package there is no version."""
        monkeypatch.setattr(plugins, "entry_points", lambda group: (EntryPoint("saw", OWN["hammer"], group),))

        with pytest.raises(RefusedError, match="belongs to no installed package"):
            tools.package("saw")

    def test_a_damaged_installation_is_an_error(self, tools, site):
        """A file that the package lists and that is gone is no part of a pin."""
        package(site, "saw-maker", SAW, saw="saw_maker:Saw")
        tools.load("saw")
        (site / "saw_maker-1.0.dist-info" / "METADATA").rename(site / "elsewhere")
        (site / "saw_maker-1.0.dist-info" / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: saw-maker\nVersion: 1.0\n")

        with pytest.raises(BadInputError, match="a file of its package cannot be read"):
            tools.package("saw")
