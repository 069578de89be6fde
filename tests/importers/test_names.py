"""What records name goes through the redactor, whose memory changes nothing; every name gives an id."""

import gc
from contextlib import suppress

import pytest
from reading_logs import read_logs
from toy import Toy, lines

from faultline.errors import ConflictError
from faultline.redact import Redactor

KEY = "gh" + "p_" + "a1" * 18


class TestRemembering:
    def test_each_secret_is_counted_each_time(self):
        """
        A text with a secret is never remembered as clean.
        """
        redactor = Redactor()

        assert ["[redacted: github token]"] * 2 == [redactor.text(KEY), redactor.text(KEY)]
        assert 2 == redactor.counts["github token"]

    def test_a_name_that_is_learned_later_is_found_in_a_text_seen_before(self):
        """
        What was clean is looked at again after a name was learned.
        """
        redactor = Redactor()
        redactor.text("by mallory")
        redactor.learn("user name", ["mallory"])

        assert "by [redacted: user name]" == redactor.text("by mallory")


class TestRecords:
    def test_native_ids_are_redacted(self, tmp_path):
        """
        An id may hold a secret like any other text.
        """
        source = tmp_path / "a.toy"
        source.write_text(lines({"id": f"trial {KEY}"}), "utf-8")

        (found,) = read_logs(Toy(), source, tmp_path / "runs")

        assert "trial [redacted: github token]" == found.trials[0].source.native_id

    def test_duplicates_are_listed_without_secrets(self, tmp_path):
        """
        The report goes to the site too.
        """
        source = tmp_path / "a.toy"
        source.write_text(lines({"id": KEY}, {"id": KEY}), "utf-8")

        (found,) = read_logs(Toy(), source, tmp_path / "runs")

        assert ["[redacted: github token]"] == [item.native_id for item in found.report.duplicates]


class TestNames:
    @pytest.mark.parametrize("name", ["", "日本", "7", "-", "Ein Name!", "task-"])
    def test_any_name_gives_an_id(self, tmp_path, name):
        """
        An id begins with a letter and has no empty part, whatever a log calls its tasks; the name is kept beside.
        """
        source = tmp_path / "a.toy"
        source.write_text(lines({"id": "one", "task": name}), "utf-8")

        (found,) = read_logs(Toy(), source, tmp_path / "runs")

        assert [name] == [task.name for task in found.manifest.imported.tasks]


class TestCollector:
    @pytest.mark.parametrize("rows", [({"id": "one"},), ({"id": "one"}, {"id": "one", "verdict": "failed"})])
    def test_it_works_again_afterwards(self, tmp_path, rows):
        """
        Python's collector rests while rows are read, whether or not the import ends in an error.
        """
        source = tmp_path / "a.toy"
        source.write_text(lines(*rows), "utf-8")

        with suppress(ConflictError):
            read_logs(Toy(), source, tmp_path / "runs")

        assert gc.isenabled()
