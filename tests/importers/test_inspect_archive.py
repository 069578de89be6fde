"""The archive as hostile input: each fault is one clear error that names file and member, and nothing is left behind."""

import io
import json
import zipfile

import pytest
from importers.inspect_logs import (
    DEFLATE,
    STORED,
    ZSTANDARD,
    eval_log,
    header,
    imported,
    json_log,
    member_name,
    only,
    sample,
    summary,
    write_zip,
)

from faultline.errors import BadInputError, FaultlineError, UnfitHostError
from faultline.importers import SourceTree
from faultline.importers.inspect_ai import Inspect, archive
from faultline.importers.inspect_ai.archive import Archive
from faultline.kinds import Verdict


@pytest.fixture
def zstandard():
    return pytest.importorskip("zstandard", reason="members are packed with Zstandard, which the tests need a package for")


def members(*rows):
    return [
        *((member_name(row), json.dumps(row)) for row in rows),
        ("summaries.json", json.dumps([summary(row) for row in rows])),
        ("header.json", json.dumps(header(*rows))),
    ]


class TestMethods:
    @pytest.mark.parametrize("method", [STORED, DEFLATE])
    def test_stored_and_deflated_members_are_read(self, tmp_path, method):
        _, trial = only(eval_log(tmp_path / "log.eval", sample(), method=method), tmp_path / "runs")

        assert Verdict.PASSED == trial.outcome.verdict

    @pytest.mark.parametrize("frames", [1, 7])
    def test_zstandard_members_are_read_also_in_several_frames(self, tmp_path, zstandard, frames):
        _, trial = only(eval_log(tmp_path / "log.eval", sample(), method=ZSTANDARD, frames=frames), tmp_path / "runs")

        assert Verdict.PASSED == trial.outcome.verdict

    def test_the_standard_librarys_own_archive_is_read(self, tmp_path):
        with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as made:
            for name, text in members(sample()):
                made.writestr(name, text)

        assert 1 == imported(tmp_path / "log.eval", tmp_path / "runs")[0].report.rows_out

    def test_without_anything_that_unpacks_zstandard_the_extra_is_named(self, tmp_path, zstandard, monkeypatch):
        def nothing(name):
            raise ImportError(name)

        log = eval_log(tmp_path / "log.eval", sample(), method=ZSTANDARD)
        archive._unpacker.cache_clear()
        monkeypatch.setattr(archive, "import_module", nothing)

        with pytest.raises(UnfitHostError, match=r"pip install 'faultline\[inspect\]'"):
            imported(log, tmp_path / "runs")

        archive._unpacker.cache_clear()
        assert not (tmp_path / "runs").exists()

    def test_the_standard_librarys_zstandard_is_read_frame_by_frame(self, zstandard):
        """What Python 3.14 brings, as a stand-in with its interface where it is missing."""
        data = b"one frame" * 100
        packed = zstandard.compress(data[:500]) + zstandard.compress(data[500:])

        class Frame:
            eof, unused_data = False, b""

            def __init__(self, options):
                self._stream = zstandard.ZstdDecompressor().decompressobj()

            def decompress(self, more, max_length):
                found = self._stream.decompress(more)
                self.eof, self.unused_data = self._stream.eof, self._stream.unused_data
                return found[:max_length]

        class Library:
            ZstdDecompressor = Frame

            class DecompressionParameter:
                window_log_max = 0

        assert data == archive._by_standard_library(Library, packed, len(data))


FAULTS = [
    pytest.param({"flags": 1}, "encrypted or patched", id="an encrypted member"),
    pytest.param({"flags": 0x40}, "encrypted or patched", id="a strongly encrypted member"),
    pytest.param({"flags": 0x20}, "encrypted or patched", id="a patched member"),
    pytest.param({"method": 12}, "a method that logs do not use", id="another method"),
    pytest.param({"crc": 1}, "does not match its checksum", id="a wrong checksum"),
    pytest.param({"size": 5}, "more bytes than declared", id="a size that is too small"),
    pytest.param({"size": 50_000}, "fewer bytes than declared", id="a size that is too large"),
    pytest.param({"size": 2**31}, "too large", id="a size beyond the limit"),
    pytest.param({"size": 200 * 2**20}, "packed too well to be a log", id="a ratio beyond the limit"),
    pytest.param({"packed": 2}, "ends too early or too late|cannot be unpacked", id="packed data that is cut off"),
    pytest.param({"packed": 900_000}, "overlap", id="a member that runs into the next"),
    pytest.param({"offset": 3}, "no header where the directory says|overlap", id="an offset into another member"),
]


class TestDirectory:
    @pytest.mark.parametrize(("fault", "told"), FAULTS)
    def test_what_the_directory_says_wrongly_is_told_with_file_and_member(self, tmp_path, fault, told):
        name = member_name(sample())
        log = write_zip(tmp_path / "log.eval", members(sample()), faults={name: fault})

        with pytest.raises(BadInputError, match=told) as caught:
            imported(log, tmp_path / "runs")

        assert caught.value.place.startswith("log.eval!")
        assert not (tmp_path / "runs").exists()

    @pytest.mark.parametrize("name", ["../../etc/x.json", "/etc/x.json", "samples/../../x.json"])
    def test_a_name_that_leads_out_of_the_archive_is_refused(self, tmp_path, name):
        log = write_zip(tmp_path / "log.eval", [(name, "{}"), *members(sample())])

        with pytest.raises(BadInputError, match="leads out of the archive"):
            imported(log, tmp_path / "runs")

    def test_a_name_that_ends_in_a_zero_is_refused(self, tmp_path):
        log = write_zip(tmp_path / "log.eval", [("samples/a\0.json", "{}"), *members(sample())])

        with pytest.raises(BadInputError, match="leads out of the archive"):
            imported(log, tmp_path / "runs")

    def test_two_members_on_the_same_bytes_are_refused(self, tmp_path):
        """As in the archives whose thousand members all unpack one kernel."""
        log = write_zip(tmp_path / "log.eval", members(sample()), faults={"summaries.json": {"offset": 0}})

        with pytest.raises(BadInputError, match="overlap"):
            imported(log, tmp_path / "runs")

    def test_a_bomb_is_refused_before_it_is_unpacked(self, tmp_path):
        log = write_zip(tmp_path / "log.eval", [(member_name(sample()), "0" * (40 * 2**20)), *members(sample())[1:]])

        with pytest.raises(BadInputError, match=r"packed too well|too large"):
            imported(log, tmp_path / "runs")

    def test_a_bomb_that_lies_about_its_size_is_never_unpacked_beyond_it(self, tmp_path, zstandard):
        name = member_name(sample())
        log = write_zip(
            tmp_path / "log.eval",
            [(name, "0" * (64 * 2**20)), *members(sample())[1:]],
            method=ZSTANDARD,
            faults={name: {"size": 100}},
        )

        with pytest.raises(BadInputError, match="more bytes than declared"):
            imported(log, tmp_path / "runs")

    def test_a_frame_that_asks_for_too_much_memory_is_refused(self, tmp_path, zstandard):
        settings = zstandard.ZstdCompressionParameters(window_log=28, write_content_size=False)
        stream = zstandard.ZstdCompressor(compression_params=settings).compressobj()
        packed = stream.compress(b"{}" * 10) + stream.flush()

        with pytest.raises(Exception, match=r"[Mm]emory|window"):
            archive._zstandard(packed, 20)

    def test_a_directory_that_is_too_large_is_not_read(self, tmp_path, monkeypatch):
        log = eval_log(tmp_path / "log.eval", sample())
        monkeypatch.setattr(archive, "MAX_DIRECTORY", 10)

        with pytest.raises(BadInputError, match="directory is too large"):
            Archive(SourceTree(log), "log.eval")

    @pytest.mark.parametrize(
        ("name", "value", "told"), [("MAX_MEMBERS", 1, "too many members"), ("MAX_TOTAL", 10, "too large unpacked")]
    )
    def test_the_whole_archive_has_bounds(self, tmp_path, monkeypatch, name, value, told):
        log = eval_log(tmp_path / "log.eval", sample())
        monkeypatch.setattr(archive, name, value)

        with pytest.raises(BadInputError, match=told):
            Archive(SourceTree(log), "log.eval")

    def test_a_git_lfs_pointer_is_called_one(self, tmp_path):
        (tmp_path / "log.eval").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n")

        with pytest.raises(BadInputError, match="Git LFS pointer"):
            imported(tmp_path / "log.eval", tmp_path / "runs")

    def test_an_archive_of_something_else_is_no_log(self, tmp_path):
        with pytest.raises(BadInputError, match="this archive is no Inspect log"):
            imported(write_zip(tmp_path / "log.eval", [("a.txt", "x")]), tmp_path / "runs")

    @pytest.mark.parametrize("keep", [0, 3, 60, 400, -30, -1])
    def test_an_archive_that_was_cut_off_is_one_error(self, tmp_path, keep):
        log = eval_log(tmp_path / "log.eval", sample())
        log.write_bytes(log.read_bytes()[:keep])

        with pytest.raises(BadInputError, match=r"log\.eval"):
            imported(log, tmp_path / "runs")


class TestDocuments:
    @pytest.mark.parametrize(
        ("text", "told"),
        [
            pytest.param('{"version": 2, "eval": {"task": "x"}, "samples": [{"id": 1, ', "not JSON", id="cut off"),
            pytest.param('{"version": 2, "eval": {"task": "x", "task": "y"}}', "stands twice", id="a key twice in a part"),
            pytest.param('{"version": 2, "eval": {"task": "x"}, "eval": {}}', "stands twice", id="a key of the log twice"),
            pytest.param(
                '{"version": 2, "eval": {"task": "x"}, "samples": []} more', "Extra data", id="something after the end"
            ),
            pytest.param(
                '{"version": 2, "eval": {"task": "x"}, "samples": ' + "[" * 100_000,
                "nested too deeply|not JSON",
                id="deep nesting",
            ),
            pytest.param('{"version": 2, "eval": ["task"]}', "does not say what was run", id="no object of what was run"),
            pytest.param(
                '{"version": 2, "eval": {"task": "x"}, "samples": [7]}',
                "this sample is no object",
                id="a sample that is a number",
            ),
            pytest.param(
                '{"version": 2, "eval": {"task": "x"}, "samples": [{"id": 1.5, "epoch": 1}]}',
                "the sample's id is unreadable",
                id="an id that is a fraction",
            ),
            pytest.param(
                '{"version": 2, "eval": {"task": "x"}, "samples": [{"id": 1, "epoch": 0}]}',
                "the sample's epoch is unreadable",
                id="epoch zero",
            ),
            pytest.param(
                '{"version": 2, "eval": {"task": "x"}, "samples": [{"id": 1, "epoch": 1, "scores": [1]}]}',
                "the sample's scores",
                id="scores as a list",
            ),
            pytest.param(
                '{"version": 2, "eval": {"task": "x"}, "samples": [{"id": 1, "epoch": 1, "error": 7}]}',
                "the sample's error",
                id="an error that is a number",
            ),
            pytest.param(
                '{"version": 2, "eval": {"task": "x"}, "samples": [{"id": 1, "epoch": 1, "limit": 7}]}',
                "the sample's limit",
                id="a limit that is a number",
            ),
            pytest.param(
                '{"version": 2, "eval": {"task": "x"}, "samples": [{"id": 1, "epoch": 1, "invalidation": 7}]}',
                "the sample's invalidation",
                id="an invalidation that is a number",
            ),
        ],
    )
    def test_what_cannot_be_read_is_one_error_with_its_place(self, tmp_path, text, told):
        (tmp_path / "log.json").write_text(text)

        with pytest.raises(BadInputError, match=told) as caught:
            imported(tmp_path / "log.json", tmp_path / "runs")

        assert caught.value.place.startswith("log.json")
        assert not (tmp_path / "runs").exists()

    def test_invalid_utf_8_is_one_error(self, tmp_path):
        log = json_log(tmp_path / "log.json", sample())
        log.write_bytes(log.read_bytes().replace(b"Say 4", b"Say \xff"))

        with pytest.raises(BadInputError, match="not UTF-8"):
            imported(log, tmp_path / "runs")

    def test_a_row_that_cannot_be_read_may_be_left_out_and_is_listed(self, tmp_path):
        log = json_log(tmp_path / "log.json", sample("a"), sample("b", scores=[]))

        (run,) = imported(log, tmp_path / "runs", partial=True)

        assert (1, True) == (run.report.rows_out, run.report.partial)
        assert "log.json:2: the sample's scores is unreadable" in run.report.unreadable[0]

    def test_a_damaged_sample_fails_although_its_summary_is_sound(self, tmp_path):
        """Otherwise it would come to light only when its trajectory is asked for, after other runs were sealed."""
        log = eval_log(tmp_path / "log.eval", sample(), method=STORED)
        log.write_bytes(log.read_bytes().replace(b'"messages"', b'"messagez"', 1))

        with pytest.raises(BadInputError, match="does not match its checksum"):
            imported(log, tmp_path / "runs")


class TestRecognition:
    def test_an_archive_and_a_document_are_recognised(self, tmp_path):
        assert Inspect().recognises(SourceTree(eval_log(tmp_path / "a" / "log.eval", sample()).parent))
        assert Inspect().recognises(SourceTree(json_log(tmp_path / "b" / "log.json", sample()).parent))

    @pytest.mark.parametrize(
        ("name", "data"),
        [
            ("x.eval", b"plain text"),
            ("x.json", b'{"version": 2, "results": []}'),
            ("logs.json", b'{"version": 2, "eval": {"task": "x"}}'),
            ("x.csv", b"PK\3\4"),
        ],
    )
    def test_other_files_are_not(self, tmp_path, name, data):
        (tmp_path / name).write_bytes(data)

        assert not Inspect().recognises(SourceTree(tmp_path))

    def test_an_unknown_answer_to_an_option_is_refused(self, tmp_path):
        with pytest.raises(BadInputError, match="neither yes nor no"):
            imported(json_log(tmp_path / "log.json", sample()), tmp_path / "runs", trajectories="perhaps")


def test_only_one_sample_is_held_at_a_time(tmp_path, monkeypatch):
    """Rows of an archive come from summaries; a sample's text is made into values when its trajectory is written, then dropped."""
    log = eval_log(tmp_path / "log.eval", *(sample(f"s{i}") for i in range(5)))
    seen = []
    monkeypatch.setattr(
        "faultline.importers.inspect_ai.log.foreign_json", lambda data, place: seen.append(place) or json.loads(data)
    )

    imported(log, tmp_path / "runs", trajectories="no")

    assert ["log.eval!header.json"] == seen


def test_errors_are_ours_for_a_stream_that_is_no_archive_at_all(tmp_path):
    (tmp_path / "log.eval").write_bytes(io.BytesIO(b"PK\3\4" + b"\0" * 100).getvalue())

    with pytest.raises(FaultlineError):
        imported(tmp_path / "log.eval", tmp_path / "runs")
