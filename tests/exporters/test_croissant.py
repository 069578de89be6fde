"""The run table as a described dataset: every column, the right digest, and never a holdout."""

import csv
import dataclasses
import io
import json
import shutil
import subprocess

import factories
import pytest
from export_samples import foreign, subject

from faultline.clock import Clock
from faultline.errors import FaultlineError, RefusedError
from faultline.exporters import export, open_exporter, write_export
from faultline.kinds import digest_bytes

SETTINGS = {"url": "https://example.org/x", "creator": "Our lab", "license": "https://spdx.org/licenses/MIT.html"}


def split(benchmark, word):
    """Return a benchmark whose imported tasks are of a split."""
    (run,) = benchmark.runs
    tasks = tuple(task.model_copy(update={"split": word}) for task in run.manifest.imported.tasks)
    imported = run.manifest.imported.model_copy(update={"tasks": tasks})
    manifest = run.manifest.model_copy(update={"imported": imported})
    return dataclasses.replace(benchmark, runs=(dataclasses.replace(run, manifest=manifest),))


@pytest.fixture
def made(clock):
    return open_exporter("croissant").export(subject(**SETTINGS), clock).files


class TestDescription:
    def test_it_has_what_the_format_requires(self, made):
        """Context, type, version of the format, name, description, licence, address, creator and date are there."""
        document = json.loads(made["croissant.json"])

        assert ("sc:Dataset", "http://mlcommons.org/croissant/1.1") == (document["@type"], document["conformsTo"])
        assert SETTINGS == {
            "url": document["url"],
            "creator": document["creator"]["name"],
            "license": document["license"],
        }
        assert {"@context", "name", "description", "datePublished", "distribution", "recordSet", "version"} <= set(document)

    def test_the_file_is_the_one_of_its_digest(self, made):
        """The description names the table by its path and its digest."""
        (file,) = json.loads(made["croissant.json"])["distribution"]

        assert digest_bytes(made[file["contentUrl"]]) == f"sha256:{file['sha256']}"

    def test_every_column_is_a_field(self, made):
        """Each column of the table is a field with a type, in the order of the table."""
        (records,) = json.loads(made["croissant.json"])["recordSet"]
        header = next(csv.reader(io.StringIO(made["trials.csv"].decode())))

        assert header == [field["source"]["extract"]["column"] for field in records["field"]]
        assert all(field["dataType"].startswith("sc:") for field in records["field"])

    def test_the_same_records_give_the_same_bytes(self, made):
        """No time of the export stands in it."""
        assert made == open_exporter("croissant").export(subject(**SETTINGS), Clock()).files

    def test_the_reference_reader_takes_it(self, tmp_path, clock):
        """mlcroissant validates the description without an error and reads as many records as there are trials."""
        program = shutil.which("mlcroissant")
        if program is None:
            pytest.skip("mlcroissant is not installed")
        of = subject(**SETTINGS)
        write_export(export(open_exporter("croissant"), of, clock), tmp_path / "out", Clock())
        load = [program, "validate", "--jsonld", str(tmp_path / "out" / "croissant.json")]
        done = subprocess.run(load, capture_output=True, text=True, check=False, env={"HOME": str(tmp_path)})

        assert (0, True) == (done.returncode, "error" not in done.stderr.lower())


class TestRefusals:
    @pytest.mark.parametrize("name", sorted(SETTINGS))
    def test_a_setting_that_is_missing_is_named(self, clock, name):
        """Nobody guesses the address, the creator or the licence."""
        with pytest.raises(RefusedError, match=f"--set {name}"):
            open_exporter("croissant").export(subject(**(SETTINGS | {name: ""})), clock)

    @pytest.mark.parametrize("word", ["holdout", "unknown"])
    def test_what_may_be_a_holdout_is_refused(self, clock, tmp_path, word):
        """A run on tasks that are, or may be, a holdout is refused when it is asked for."""
        benchmark = split(foreign(tmp_path), word)
        (run,) = benchmark.runs

        with pytest.raises(FaultlineError, match="holdout"):
            open_exporter("croissant").export(subject(benchmark, run.name, **SETTINGS), clock)

    def test_it_is_left_out_of_the_rest(self, clock, tmp_path):
        """Among other runs it is left out, and a note names it with the reason."""
        hidden = split(foreign(tmp_path), "holdout")
        small = factories.small()
        both = dataclasses.replace(small, runs=(*small.runs, *hidden.runs))
        exported = open_exporter("croissant").export(subject(both, **SETTINGS), clock)
        (name,) = [run.name for run in hidden.runs]

        assert [f"{name} was left out: it has tasks of a holdout"] == list(exported.notes)
        assert name.encode() not in exported.files["trials.csv"]

    def test_without_any_run_there_is_no_dataset(self, clock, tmp_path):
        """When no run is left, the export is refused and nothing is made."""
        with pytest.raises(RefusedError, match="no run"):
            open_exporter("croissant").export(subject(split(foreign(tmp_path), "holdout"), **SETTINGS), clock)

    def test_a_public_imported_run_is_taken(self, clock, tmp_path):
        """An imported run whose log says that its tasks are public is a dataset like any other."""
        exported = open_exporter("croissant").export(subject(split(foreign(tmp_path), "public"), **SETTINGS), clock)

        assert 4 == exported.files["trials.csv"].count(b"\n")
