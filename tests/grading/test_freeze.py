"""Freezing a submission: what may be edited is kept, what may not is put back, what no submission may hold is refused."""

import os

import pytest

from faultline.grading import InvalidSubmission, freeze
from faultline.kinds import digest_bytes


def refusal(workspace, variant) -> str:
    with pytest.raises(InvalidSubmission) as caught:
        freeze(workspace, variant)
    return caught.value.code


class TestKept:
    def test_an_untouched_workspace_is_unchanged(self, workspace, variant):
        """The workspace as it was given freezes to its own digest."""
        candidate = freeze(workspace, variant)

        assert candidate.unchanged
        assert variant.pin.workspace_digest == candidate.digest

    def test_edits_additions_and_deletions_of_editable_files_count(self, workspace, variant):
        """Every kind of change to an editable file is in the candidate and in the list of changes."""
        (workspace / "shop" / "total.py").write_text("edited = 1\n")
        (workspace / "shop" / "new.py").write_text("new = 1\n")
        (workspace / "README.md").unlink()
        changes = freeze(workspace, variant).changes

        assert (("shop/new.py",), ("shop/total.py",), ("README.md",)) == (changes.added, changes.modified, changes.deleted)

    def test_public_tests_are_restored(self, workspace, variant):
        """An edited public test is put back, and the touch is listed."""
        (workspace / "tests" / "test_total.py").write_text("")
        candidate = freeze(workspace, variant)

        assert variant.workspace["tests/test_total.py"] == candidate.tree["tests/test_total.py"]
        assert ("tests/test_total.py",) == candidate.changes.restored

    def test_a_deleted_test_folder_is_restored(self, workspace, variant):
        """Deleting the public tests does not delete them."""
        (workspace / "tests" / "test_total.py").unlink()
        (workspace / "tests").rmdir()

        assert "tests/test_total.py" in freeze(workspace, variant).tree

    @pytest.mark.parametrize("name", ["conftest.py", "sitecustomize.py", "pytest.ini", "setup.py", "shop/data.json", "json.py"])
    def test_files_that_nobody_may_add_are_ignored(self, workspace, variant, name):
        """A file outside the editable globs is not part of the candidate, and is listed."""
        (workspace / name).write_text("x = 1\n")
        candidate = freeze(workspace, variant)

        assert name not in candidate.tree
        assert name in candidate.changes.ignored

    def test_folders_that_cannot_hold_editable_files_are_not_entered(self, workspace, variant):
        """A virtual environment beside the code is named once and not walked."""
        (workspace / ".venv" / "lib").mkdir(parents=True)
        (workspace / ".venv" / "lib" / "link").symlink_to("/etc/passwd")

        assert (".venv/",) == freeze(workspace, variant).changes.ignored

    def test_a_planted_repository_is_not_run(self, workspace, variant, tmp_path):
        """No program looks into the workspace, so hooks of a planted .git have no effect and the edit is seen."""
        (workspace / ".git").mkdir()
        (workspace / ".git" / "config").write_text(f"[core]\n fsmonitor = touch {tmp_path}/fired\n")
        (workspace / "shop" / "total.py").write_text("x = 2\n")
        candidate = freeze(workspace, variant)

        assert ("shop/total.py",) == candidate.changes.modified
        assert not (tmp_path / "fired").exists()

    def test_the_record_holds_every_changed_byte(self, workspace, variant):
        """Bytes that are no UTF-8 are kept as base64, text as text."""
        (workspace / "shop" / "total.py").write_bytes(b"# \xff\n")
        (workspace / "README.md").write_text("grün\r\n", newline="")
        record = freeze(workspace, variant).record

        assert "IyD/Cg==" == record.files["shop/total.py"].base64
        assert "grün\r\n" == record.files["README.md"].text
        assert digest_bytes(b"# \xff\n") == record.tree["shop/total.py"]


class TestRefused:
    def test_a_link_at_an_editable_path(self, workspace, variant, tmp_path):
        """A symbolic link is refused and its target is not read."""
        secret = tmp_path / "secret"
        secret.write_text("hunter2")
        (workspace / "shop" / "total.py").unlink()
        (workspace / "shop" / "total.py").symlink_to(secret)

        assert "LINKED_FILE" == refusal(workspace, variant)

    def test_a_second_name_of_another_file(self, workspace, variant, tmp_path):
        """A hard link is refused."""
        other = tmp_path / "other"
        other.write_text("x")
        os.link(other, workspace / "shop" / "more.py")

        assert "LINKED_FILE" == refusal(workspace, variant)

    def test_a_pipe(self, workspace, variant):
        """A named pipe at an editable path is refused without waiting for a writer."""
        os.mkfifo(workspace / "shop" / "pipe.py")

        assert "SPECIAL_FILE" == refusal(workspace, variant)

    def test_a_folder_in_the_place_of_a_file(self, workspace, variant):
        """A folder whose name matches an editable glob is refused."""
        (workspace / "shop" / "more.py").mkdir()

        assert "SPECIAL_FILE" == refusal(workspace, variant)

    def test_a_linked_folder_hides_nothing(self, workspace, variant, tmp_path):
        """A package folder that is a link is not followed: its files are gone."""
        target = tmp_path / "elsewhere"
        (workspace / "shop").rename(target)
        (workspace / "shop").symlink_to(target)

        assert not [path for path in freeze(workspace, variant).tree if path.startswith("shop/")]

    def test_a_large_file(self, workspace, variant):
        """A file over the limit is refused, also when it is sparse."""
        with (workspace / "shop" / "big.py").open("wb") as file:
            file.truncate(2**40)

        assert "FILE_TOO_LARGE" == refusal(workspace, variant)

    def test_too_many_files(self, workspace, variant):
        """A flood of small files is refused."""
        for number in range(1_100):
            (workspace / "shop" / f"f{number}.py").write_text("")

        assert "TOO_MANY_FILES" == refusal(workspace, variant)

    @pytest.mark.parametrize("name", ["a b.py", "ü.py", "a\nb.py", "-x.py", "x" * 120 + ".py"])
    def test_odd_names(self, workspace, variant, name):
        """A name that not every system can hold is refused."""
        (workspace / "shop" / name).write_text("")

        assert "ODD_NAME" == refusal(workspace, variant)

    def test_a_workspace_that_is_gone(self, workspace, variant):
        """Replacing the whole workspace by a file is the agent's failure."""
        for path in sorted(workspace.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        workspace.rmdir()
        workspace.write_text("")

        assert "NO_WORKSPACE" == refusal(workspace, variant)
