"""What every agent is: the abstract class, its assignment, and what it hands back."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal, Self

from faultline.records import Absent, AgentIdentity, Cost, Usage
from faultline.tasks import Overlay, TaskVariant


@dataclass(frozen=True)
class Assignment:
    """One attempt's work: a prepared workspace and the time for it. It names no task and holds nothing hidden."""

    issue: str
    given: Mapping[str, bytes]
    """The workspace as it was given, by path, the issue included."""
    editable: tuple[str, ...]
    """Globs of the files whose changes are judged."""
    runtime: tuple[Literal["numpy"], ...]
    """Modules that the task's code may import beside the standard library."""
    workspace: Path
    """A folder of the agent's own, holding what was given."""
    seconds: float
    """Wall time that the task allows."""
    session: str
    """Names the attempt; stands in its trajectory, so that one trajectory cannot serve two trials."""
    repairs: Mapping[str, Overlay] = field(default_factory=dict, repr=False)
    """Repairs whose verdict is known in advance; empty for everybody but the controls that lay them over."""

    @classmethod
    def of(cls, variant: TaskVariant, workspace: Path, seconds: float, session: str, *, control: bool = False) -> Self:
        """Return the public part of a variant as work; with the known repairs for a ``control``."""
        return cls(
            issue=variant.issue,
            given=dict(variant.workspace),
            editable=variant.editable,
            runtime=variant.task.definition.runtime,
            workspace=workspace,
            seconds=seconds,
            session=session,
            repairs=variant.repairs if control else {},
        )


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

    deterministic: ClassVar[bool] = False
    """Whether it always leaves the same tree, so that a judge may keep its child between trials."""
    model: ClassVar[str] = ""
    """What a class of an installed package says of its model: the id as its provider writes it, ``none``, or nothing."""
    provider: ClassVar[str] = ""

    def __init__(self, identity: AgentIdentity) -> None:
        """Take the identity that the manifest has; what is found by an entry point is made with it alone."""
        self._identity = identity

    @abstractmethod
    def repair(self, assignment: Assignment) -> Repair:
        """Work in the workspace and hand back what is known about the work.

        Raises :class:`OSError` when the host could not start it: that is the harness's observation.
        """
