"""An export is written as a whole or not at all, never over something else, and says what it was made from."""

import json

import factories
import pytest
from export_samples import subject

from faultline.clock import Clock
from faultline.errors import BadInputError, FaultlineError, RefusedError
from faultline.exporters import Export, Exporter, export, write_export
from faultline.exporters.write import RECEIPT
from faultline.files import WriteError


class Small(Exporter):
    name, title, needs, loses = "small", "a file", "nothing", "Everything."

    def __init__(self, **files):
        self._files = files or {"a.txt": b"a"}

    def export(self, subject, clock):
        return Export(self._files, ("one thing was left out",))


@pytest.fixture
def made(clock):
    return export(Small(), subject(), clock)


class TestReceipt:
    def test_it_names_runs_files_and_gates(self, made):
        """The receipt holds the seals of the runs, the digest of each file, what was left out and the state of the gates."""
        plain = json.loads(made.files[RECEIPT])

        assert {run.name: run.seal_digest for run in factories.small().runs} == plain["runs"]
        assert ["a.txt"] == list(plain["files"])
        assert ["one thing was left out"] == plain["notes"]
        assert plain["gates"]["withheld"]
        assert "not to be published" in plain["gates"]["status"]

    def test_a_rehearsal_is_called_one(self, clock):
        """An export of a rehearsal says so, though every gate holds in it."""
        made = export(Small(), subject(factories.full(), publishing=False), clock)

        assert "rehearsal" in json.loads(made.files[RECEIPT])["gates"]["status"]

    @pytest.mark.parametrize("path", ["../a", "/a", "a/../b", "", "a//b", RECEIPT])
    def test_a_path_out_of_the_target_is_refused(self, clock, path):
        """An exporter cannot name a file outside of the target, nor the receipt."""
        with pytest.raises(BadInputError, match="no path below the target"):
            export(Small(**{path: b""}), subject(), clock)


class TestAsked:
    def test_unknown_runs_and_settings_are_all_named(self, clock):
        """Runs that are not there and settings that the format does not have are told at once."""
        with pytest.raises(FaultlineError) as caught:
            export(Small(), subject(None, "no-such", "nor-this", colour="red"), clock)

        assert 3 == len(caught.value.diagnostics())


class TestWriting:
    def test_the_folder_holds_the_files_and_nothing_else(self, made, tmp_path):
        """Every file is there, and nothing half made is left beside it."""
        write_export(made, tmp_path / "out" / "deep", Clock())

        assert {"a.txt", RECEIPT} == {path.name for path in (tmp_path / "out" / "deep").iterdir()}
        assert ["deep"] == [path.name for path in (tmp_path / "out").iterdir()]

    def test_an_empty_folder_is_filled(self, made, tmp_path):
        """A folder that holds nothing is no obstacle."""
        write_export(made, tmp_path, Clock())

        assert (tmp_path / "a.txt").is_file()

    def test_what_is_there_is_refused(self, made, tmp_path):
        """Without force, nothing is written over."""
        (tmp_path / "mine").write_text("mine")

        with pytest.raises(RefusedError, match="not empty"):
            write_export(made, tmp_path, Clock())

    def test_force_replaces_an_earlier_export(self, made, tmp_path):
        """With force an earlier export goes as a whole: no file of it is left among the new ones."""
        old = Export({"old.txt": b"", RECEIPT: b"{}"})
        write_export(old, tmp_path / "out", Clock())
        write_export(made, tmp_path / "out", Clock(), replace=True)

        assert {"a.txt", RECEIPT} == {path.name for path in (tmp_path / "out").iterdir()}
        assert ["out"] == [path.name for path in tmp_path.iterdir()]

    def test_force_never_replaces_anything_else(self, made, tmp_path):
        """A folder that no export made is not replaced by force either."""
        (tmp_path / "mine").write_text("mine")

        with pytest.raises(RefusedError, match="not an earlier export"):
            write_export(made, tmp_path, Clock(), replace=True)
        assert "mine" == (tmp_path / "mine").read_text()

    @pytest.mark.parametrize("make", [lambda path, _: path.write_text("x"), lambda path, other: path.symlink_to(other)])
    def test_a_file_or_a_link_is_refused(self, made, tmp_path, make):
        """A target that is a file, or a link to a folder, is refused."""
        make(tmp_path / "target", tmp_path)

        with pytest.raises(RefusedError, match="is no folder"):
            write_export(made, tmp_path / "target", Clock(), replace=True)

    def test_a_failed_write_leaves_what_was_there(self, tmp_path):
        """When the system refuses, the earlier export stays as it was and nothing half made is left."""
        write_export(Export({"old.txt": b"old", RECEIPT: b"{}"}), tmp_path / "out", Clock())

        with pytest.raises(WriteError):
            write_export(Export({"x" * 300: b""}), tmp_path / "out", Clock(), replace=True)
        assert {"old.txt", RECEIPT} == {path.name for path in (tmp_path / "out").iterdir()}
        assert ["out"] == [path.name for path in tmp_path.iterdir()]
