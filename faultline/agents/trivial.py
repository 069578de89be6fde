"""Agents that cannot repair anything: what they pass, a benchmark gives away. They are controls, and gate G10 asks for them."""

from collections.abc import Callable
from pathlib import Path
from random import Random

from faultline.agents.atif import trajectory
from faultline.agents.interface import Agent, Assignment, Repair
from faultline.records import not_applicable
from faultline.tasks import is_editable

_NO_USAGE = not_applicable("a control uses no model")


def _delete_tests(assignment: Assignment) -> list[str]:
    """Remove every public test; they are put back before judging, so nothing is gained."""
    paths = sorted(path for path in assignment.given if path.startswith("tests/"))
    for path in paths:
        (assignment.workspace / path).unlink()
    return [f"Removed {path}." for path in paths]


def _random_edit(assignment: Assignment) -> list[str]:
    """Remove one line of an editable file; chance picks it, from the attempt's own name, so that it can be repeated."""
    rng = Random(assignment.session)  # noqa: S311  (a reproducible draw, not a secret)
    lines = [
        (path, number)
        for path, data in sorted(assignment.given.items())
        if is_editable(path, assignment.editable)
        for number, line in enumerate(data.splitlines())
        if line.strip()
    ]
    if not lines:
        return ["There was no line to remove."]
    path, number = rng.choice(lines)
    target: Path = assignment.workspace / path
    kept = target.read_bytes().splitlines(keepends=True)
    target.write_bytes(b"".join(kept[:number] + kept[number + 1 :]))
    return [f"Removed line {number + 1} of {path}."]


TRIVIAL: dict[str, Callable[[Assignment], list[str]]] = {"delete-tests": _delete_tests, "random-edit": _random_edit}
"""What each does to a workspace, by the agent's name."""


class TrivialAgent(Agent):
    """Does what its name says, whatever the issue is."""

    def repair(self, assignment: Assignment) -> Repair:
        """Change the workspace without a thought for the issue."""
        steps = TRIVIAL[self._identity.name](assignment)
        return Repair(
            limit=False,
            trace=trajectory(self._identity, assignment, "\n".join(steps), note=""),
            usage=_NO_USAGE,
            cost=_NO_USAGE,
        )
