"""A source is hostile: bounded in every way, read once, and every error names the place inside the source."""

import json
import os

import pytest

from faultline.errors import BadInputError, MissingInputError
from faultline.importers import SourceTree, foreign_json, tree


def test_a_source_that_is_not_there_is_named(tmp_path):
    """
    Neither a file nor a folder: the error says so.
    """
    with pytest.raises(MissingInputError, match="nothing to import"):
        SourceTree(tmp_path / "absent")


def test_links_and_special_files_are_never_opened(tmp_path):
    """
    A link out of the source, to a device or to a file in it, is listed and not read.
    """
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "secret").symlink_to("/etc/passwd")
    (tmp_path / "loop").symlink_to(tmp_path)

    found = SourceTree(tmp_path)

    assert ((), ["loop", "pipe", "secret"]) == (found.files, sorted(found.links))
    with pytest.raises(MissingInputError):
        found.content("secret")


def test_a_file_that_became_a_link_since_is_refused(tmp_path):
    """
    What is opened is what was found.
    """
    (tmp_path / "a.json").write_text("{}")
    found = SourceTree(tmp_path)
    (tmp_path / "a.json").unlink()
    (tmp_path / "a.json").symlink_to("/etc/passwd")

    with pytest.raises(BadInputError, match=r"a\.json: this file cannot be read"):
        found.content("a.json")


def test_a_source_that_is_a_link_is_refused(tmp_path):
    """
    A named file is a file.
    """
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").symlink_to(tmp_path / "a")

    with pytest.raises(MissingInputError):
        SourceTree(tmp_path / "b")


def test_folders_that_are_nested_too_deeply_are_refused(tmp_path):
    """
    Depth is bounded.
    """
    (tmp_path / "/".join("d" * (tree.MAX_DEPTH + 2))).mkdir(parents=True)

    with pytest.raises(BadInputError, match="nested too deeply"):
        SourceTree(tmp_path)


def test_too_many_files_are_refused(tmp_path, monkeypatch):
    """
    The number of files is bounded.
    """
    monkeypatch.setattr(tree, "MAX_FILES", 3)
    for i in range(5):
        (tmp_path / str(i)).touch()

    with pytest.raises(BadInputError, match="too many files"):
        SourceTree(tmp_path)


def test_a_file_that_is_too_large_is_refused_before_it_is_held(tmp_path):
    """
    Size is bounded, and the place is relative.
    """
    (tmp_path / "big").write_bytes(b"x" * 100)

    with pytest.raises(BadInputError, match=r"^big: this file is too large"):
        SourceTree(tmp_path).content("big", limit=99)


def test_a_line_of_a_gigabyte_is_refused_before_it_is_held(tmp_path):
    """
    A sparse file with one endless line costs neither memory nor time.
    """
    with (tmp_path / "endless.jsonl").open("wb") as stream:
        stream.write(b'{"a": 1}\n')
        stream.truncate(10**9)

    lines = SourceTree(tmp_path).lines("endless.jsonl")

    assert (1, b'{"a": 1}') == next(lines)
    with pytest.raises(BadInputError, match=r"endless\.jsonl:2: this line is too long"):
        next(lines)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": 1, "a": 2}', "stands twice"),
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ('{"a": ' * 100_000, "nested too deeply"),
        ('{"a": 1', "not JSON"),
        ("", "not JSON"),
        ("1" * 10_000, "not strict JSON"),
        (b"\xff\xfe{}", "not UTF-8"),
        ('{"a": 1} x', "not JSON"),
    ],
)
def test_json_that_cannot_be_trusted_is_one_clear_error(text, problem):
    """
    Duplicate keys, deep nesting, torn text, endless numbers and bad bytes each have one error with the place.
    """
    with pytest.raises(BadInputError, match=rf"^here.*{problem}"):
        foreign_json(text, "here")


def test_bare_nan_and_lone_surrogates_are_read(tmp_path):
    """
    Other harnesses write both; what they mean is the importer's business.
    """
    (tmp_path / "a.json").write_text('{"score": NaN, "text": "\\ud800"}')

    found = SourceTree(tmp_path).json("a.json")

    assert found["score"] != found["score"]
    assert "\ud800" == found["text"]


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    """
    Files from other systems begin with one.
    """
    (tmp_path / "a.json").write_bytes(b"\xef\xbb\xbf" + json.dumps({"a": 1}).encode())

    assert {"a": 1} == SourceTree(tmp_path).json("a.json")


def test_blank_lines_keep_their_numbers(tmp_path):
    """
    The number of a line is the one that an editor shows.
    """
    (tmp_path / "a.jsonl").write_bytes(b"1\r\n\n2")

    assert [(1, b"1"), (3, b"2")] == list(SourceTree(tmp_path).lines("a.jsonl"))


def test_the_digest_is_that_of_the_bytes(tmp_path):
    """
    However a file is read, its digest is that of the whole file.
    """
    (tmp_path / "a").write_bytes(b"abc")
    found = SourceTree(tmp_path)
    before = found.digest("a")
    found.content("a")

    assert before == found.digest("a") == "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
