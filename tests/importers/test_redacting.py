"""What the redactor remembers changes nothing that it finds; what records name goes through it."""

import pytest

from faultline.errors import BadInputError
from faultline.importers import importer_named
from faultline.importers.redact import Redactor
from importers.reading_logs import read_logs
from importers.toy import Toy, lines

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


class TestNamed:
    def test_only_the_named_one_is_loaded(self):
        """
        The command line loads one importer.
        """
        assert "terminal-bench" == importer_named("terminal-bench").name

    def test_a_name_nobody_has_lists_those_that_there_are(self):
        """
        The error names what may stand there.
        """
        with pytest.raises(BadInputError, match="no importer for this format") as caught:
            importer_named("terminal-bunch")

        assert "terminal-bench" in caught.value.expected
