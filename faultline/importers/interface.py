"""What an importer is: it finds another harness's runs in a tree of files and says, in neutral values, what they hold.

An importer decides nothing about rates, duplicates of whole runs, numbering or redaction: that is done once, for all formats,
in ``build``. It never guesses: what the log does not tell stays absent.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Literal

from faultline.importers.rules import Rule
from faultline.importers.tree import SourceTree
from faultline.records import Absent, Cost, PublishedNumber, TestCounts, Usage, unknown

if TYPE_CHECKING:
    from faultline.importers.reading import Reading

NO_TIME = unknown("the log does not say")
NO_USAGE = unknown("the log counts no tokens")
NO_COST = unknown("the log gives no cost")


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in the source."""

    path: str
    """Relative to what is imported."""
    member: str = ""
    """Inside an archive."""
    row: int | None = None
    """Line or position, counted from 1."""

    def __str__(self) -> str:
        """Return the place for people."""
        member = f"!{self.member}" if self.member else ""
        return f"{self.path}{member}" + (f":{self.row}" if self.row is not None else "")


@dataclass(frozen=True, slots=True)
class ForeignTask:
    """A task as the log describes it; empty where it does not."""

    name: str
    suite: str = ""
    """Dataset or benchmark, with its version."""
    family: str = ""
    category: str = ""
    digests: Mapping[str, str] = field(default_factory=dict)
    """By the name of the field or algorithm."""
    split: Literal["public", "holdout", "unknown"] = "unknown"


@dataclass(frozen=True, slots=True)
class ForeignAgent:
    """Who worked, as the log names it; empty where it does not."""

    name: str
    version: str = ""
    model: str = ""
    provider: str = ""
    control: Literal["", "reference", "no-op"] = ""
    """Set when the harness itself calls it its oracle or a do-nothing agent: evidence about tasks, never an agent."""


@dataclass(frozen=True, slots=True)
class ForeignAttempt:
    """One execution of a trial."""

    started_at: datetime | None = None
    """With a time zone; UTC is assumed by the importer where the format says so, and noted."""
    ended_at: datetime | None = None
    setup_seconds: float | None = None
    agent_seconds: float | None = None
    grading_seconds: float | None = None
    usage: Usage | Absent = NO_USAGE
    cost: Cost | Absent = NO_COST
    observed: str = ""
    """Why it ended without counting, for an earlier attempt."""


@dataclass(frozen=True, slots=True)
class ForeignTrial:
    """The scored sample of a task, as the log holds it."""

    native_id: str
    """By which two copies of one result are recognised."""
    task: str
    """Name of a :class:`ForeignTask` of the run."""
    place: Place
    rule: Rule
    """The status rule that decides class, blame and scoreable."""
    verdict: Literal["passed", "failed"] | None
    """What the log gives; the rule decides whether it counts."""
    index: int | None = None
    """Number of the trial from 0, when the log has one; otherwise it is inferred from start time and id."""
    native_status: str = ""
    message: str = ""
    """The error's text."""
    score: float | None = None
    """Finite; ``None`` when there is none."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    tests: TestCounts | None = None
    attempts: tuple[ForeignAttempt, ...] = (ForeignAttempt(),)
    """In order; the last one counts."""
    attempts_complete: bool = True
    """False when the harness deletes earlier attempts."""
    trajectory: Callable[[], bytes | None] | None = None
    """Returns the trajectory as ATIF JSON; called once, when the trial is kept."""
    extra: Mapping[str, str] = field(default_factory=dict)
    """What has no other home and is worth keeping; short texts."""


@dataclass(frozen=True)
class ForeignRun:
    """What the source presents as one run of one agent."""

    name: str
    """For people; part of the run's id."""
    native_id: str
    """What makes the run itself: two folders with the same are copies, or parts, of one run."""
    agent: ForeignAgent
    tasks: Mapping[str, ForeignTask]
    """By name; at least those that a trial or the plan names."""
    trials: tuple[ForeignTrial, ...]
    files: tuple[str, ...]
    """Every file that the run was read from: its digest is made of theirs."""
    planned: Mapping[str, int] = field(default_factory=dict)
    """Trials planned for each task; what the source does not hold of them is recorded as missing."""
    missing_rule: str = "FL-90"
    """The rule for a planned trial without a record."""
    order_known: bool = False
    """Whether the trials of a task can be put in time order."""
    harness: str = ""
    harness_version: str = ""
    harness_commit: str = ""
    harness_dirty: bool | None = None
    protocol: Mapping[str, str] = field(default_factory=dict)
    """Limits, multipliers, retries and versions that bear on results, as the log names them."""
    differences: tuple[str, ...] = ()
    """Where the parts of the entry were made under different protocols."""
    headlines: tuple[PublishedNumber, ...] = ()
    """Published numbers beside the same ones from the rows."""
    earlier_attempts: int = 0
    """Rows of the source that became earlier attempts."""
    notes: tuple[str, ...] = ()
    """Anything else that a reader of the numbers must know."""


class Importer(ABC):
    """Reads one format; found through the entry point group ``faultline.importers``."""

    name: ClassVar[str]
    """As it is named on the command line."""
    summary: ClassVar[str]
    """One line for ``--help``."""
    version: ClassVar[str] = "1"
    """Raised when the same source gives other records."""
    options: ClassVar[Mapping[str, str]] = {}
    """What ``--option NAME=VALUE`` may set, each with a line of help."""

    only_alone: ClassVar[bool] = False
    """Whether such files also lie beside other harnesses' records, as evidence: then only those are recognised."""

    @abstractmethod
    def recognises(self, tree: SourceTree) -> bool:
        """Return whether the tree holds runs of this format; cheap, by names and first bytes."""

    @abstractmethod
    def read(self, reading: "Reading") -> Iterator[ForeignRun]:
        """Yield the runs of the tree.

        A row that cannot be read goes to ``reading.unreadable``; a file that is left alone to ``reading.skip``.
        """
