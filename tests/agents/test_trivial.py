"""Agents that repair nothing."""

import factories
import pytest

from faultline.agents import TRIVIAL, Assignment, TrivialAgent, control_identity
from faultline.kinds import AgentKind
from faultline.tasks import materialise, read_tree, write_tree


def left(tmp_path, name, session="one"):
    """Return a workspace before and after an agent, and what it handed back."""
    variant = materialise(factories.task("alpha"), 0)
    folder = tmp_path / f"{name}-{session}"
    folder.mkdir()
    write_tree(variant.workspace, folder)
    repair = TrivialAgent(control_identity(name)).repair(Assignment.of(variant, folder, 60.0, session))
    return variant.workspace, read_tree(folder), repair


@pytest.mark.parametrize("name", TRIVIAL)
def test_they_are_controls(name):
    """
    What they do says something about tasks and makes no claim.
    """
    identity = control_identity(name)

    assert (AgentKind.TRIVIAL, True) == (identity.kind, identity.kind.is_control)


def test_every_public_test_is_deleted_and_nothing_else(tmp_path):
    """
    Only the files of the public tests are gone, and the trajectory says so.
    """
    before, after, repair = left(tmp_path, "delete-tests")

    assert {"tests/test_all.py"} == set(before) - set(after)
    assert before.items() >= after.items()
    assert b"Removed tests/test_all.py." in repair.trace


def test_one_line_of_an_editable_file_is_gone(tmp_path):
    """
    Chance picks one line of what may be edited; everything else stays.
    """
    before, after, repair = left(tmp_path, "random-edit")
    changed = [path for path in before if before[path] != after[path]]

    assert ["pkg/split.py"] == changed
    assert 1 == before["pkg/split.py"].count(b"\n") - after["pkg/split.py"].count(b"\n")
    assert b"Removed line" in repair.trace


def test_an_attempt_can_be_repeated(tmp_path):
    """
    The same attempt removes the same line, and other attempts remove others.
    """
    first = [left(tmp_path, "random-edit", f"a{number}")[1] for number in range(8)]
    other = tmp_path / "other"
    other.mkdir()
    again = [left(other, "random-edit", f"a{number}")[1] for number in range(8)]

    assert first == again
    assert 1 < len({tree["pkg/split.py"] for tree in first})
