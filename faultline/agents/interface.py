"""What every agent is: the abstract class, its assignment, and what it hands back."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from faultline.records import Absent, Cost, Usage
from faultline.tasks import TaskVariant


@dataclass(frozen=True)
class Assignment:
    """One attempt's work: a prepared workspace and the time for it."""

    variant: TaskVariant
    workspace: Path
    """A folder of the agent's own, holding the public workspace and the issue."""
    seconds: float
    """Wall time that the task allows."""
    session: str
    """Names the attempt; stands in its trajectory, so that one trajectory cannot serve two trials."""


@dataclass(frozen=True)
class Repair:
    """What an agent hands back beside the workspace."""

    limit: bool
    """Whether it ran into its limit of time or memory; its last tree is judged all the same."""
    trace: bytes | Absent
    """The trajectory as ATIF JSON."""
    usage: Usage | Absent
    cost: Cost | Absent
    note: str = ""
    """What the harness observed, such as an exit code."""
    own_files: tuple[str, ...] = ()
    """Where in the workspace the agent leaves its trajectory and usage: writing them is not working on the task."""


class Agent(ABC):
    """Somebody who repairs a workspace."""

    deterministic: ClassVar[bool]
    """Whether it always leaves the same tree, so that a judge may keep its child between trials."""

    @abstractmethod
    def repair(self, assignment: Assignment) -> Repair:
        """Work in the workspace and hand back what is known about the work.

        Raises :class:`OSError` when the host could not start it: that is the harness's observation.
        """
