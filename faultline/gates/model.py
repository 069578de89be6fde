"""What a gate says: a result with what it saw, what it lacks and where to look; and the policy that was in force.

The card shows these values as they are.
"""

from typing import Annotated, Literal

from pydantic import Field

from faultline.kinds import Count, ShortText
from faultline.records import Absent, Record

OutcomeWord = Literal["pass", "fail", "not-run", "not-applicable", "inconclusive", "error"]
"""Only ``pass`` holds."""
OUTCOMES: dict[OutcomeWord, str] = {
    "pass": "The evidence is there and shows what is asked.",
    "fail": "The evidence is there and does not show what is asked.",
    "not-run": "There is no evidence yet to look at.",
    "not-applicable": "The question does not arise here.",
    "inconclusive": "The evidence is there and does not decide.",
    "error": "The evidence cannot be read, contradicts itself or is refused.",
}
"""What follows from each outcome, for the glossary."""


class Link(Record):
    """A place to look: a label and where it leads."""

    label: ShortText
    kind: Literal["task", "run", "gate", "page", "file"]
    """``file`` is a path inside the repository, shown as text; the others are pages of the site."""
    target: ShortText
    """Task id, run id, gate id, page name (without suffix) or path."""
    anchor: ShortText = ""


class Lack(Record):
    """One thing that keeps a gate from holding."""

    what: Link
    needs: ShortText
    """What is missing there."""


class GateResult(Record):
    """A gate with what it saw; all text is computed."""

    id: Annotated[str, Field(pattern=r"^G[0-9]+$")]
    name: ShortText
    """What the gate is called."""
    headline: ShortText
    """What is the case, as a sentence: the failing voice when it does not hold."""
    outcome: OutcomeWord
    """Only ``pass`` holds."""
    observed: ShortText
    """As shown, with its unit left out: ``0`` or ``2.2 %``."""
    needed: ShortText
    """As shown; empty when there is no number to reach."""
    unit: ShortText
    share: Annotated[float, Field(ge=0, le=1)] | Absent
    """Observed divided by needed, at most 1; for the meter."""
    saw: ShortText
    """What evidence was looked at, as a sentence."""
    predicate: ShortText
    """What must hold, as a sentence."""
    why: ShortText
    """Why the gate exists."""
    lacking: tuple[Lack, ...]
    evidence: tuple[Link, ...]
    remedy: ShortText
    """What to do next."""
    command: ShortText
    """A command that helps; may be empty."""

    @property
    def holds(self) -> bool:
        """Whether the gate holds."""
        return self.outcome == "pass"


class PolicyRow(Record):
    """One threshold in force."""

    gate: ShortText
    name: ShortText
    meaning: ShortText
    """What it counts, as a clause."""
    value: ShortText
    floor: ShortText
    """The default that a benchmark may only make stricter."""
    origin: Literal["default", "pyproject.toml", "faultline.toml"]


class GateReport(Record):
    """All gates and the policy in force."""

    gates: tuple[GateResult, ...]
    policy: tuple[PolicyRow, ...]
    holding: Count
    total: Count
