"""Writing one file as one step."""

import errno

import pytest

from faultline.files import WriteError, atomic_write


def test_a_file_is_written_whole(tmp_path):
    """
    The file holds the bytes, and nothing else is in the folder.
    """
    atomic_write(tmp_path / "a.json", b"one")

    assert {"a.json": b"one"} == {path.name: path.read_bytes() for path in tmp_path.iterdir()}


def test_a_file_is_replaced_whole(tmp_path):
    """
    Writing again replaces the file; one that is open keeps its old bytes.
    """
    atomic_write(tmp_path / "a.json", b"one")
    with (tmp_path / "a.json").open("rb") as old:
        atomic_write(tmp_path / "a.json", b"two")

        assert (b"one", b"two") == (old.read(), (tmp_path / "a.json").read_bytes())


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch, step):
    """
    When the disk is full at any step, the old file stays and nothing half written is left.
    """
    atomic_write(tmp_path / "a.json", b"one")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync" if step == "fsync" else "pathlib.Path.replace", full)
    with pytest.raises(WriteError, match=r"a.json: this could not be written; found No space left on device"):
        atomic_write(tmp_path / "a.json", b"two")

    assert {"a.json": b"one"} == {path.name: path.read_bytes() for path in tmp_path.iterdir()}


def test_a_folder_that_is_not_there_is_named(tmp_path):
    """
    Writing into a folder that does not exist is one error.
    """
    with pytest.raises(WriteError, match="No such file or directory"):
        atomic_write(tmp_path / "none" / "a.json", b"")


def test_a_long_name_is_no_obstacle(tmp_path):
    """
    A name as long as a file system allows can be written.
    """
    name = "n" * 250
    atomic_write(tmp_path / name, b"x")

    assert [name] == [path.name for path in tmp_path.iterdir()]
