"""A second result for a cell that already had one, or whose worker had lost its claim: refused, and kept."""

from typing import Literal

from pydantic import Field

from faultline.kinds import Digest
from faultline.records.base import Absent, Record
from faultline.records.trial import Trial, TrialKey


class Conflict(Record):
    """One line of ``conflicts.jsonl``: a result that was refused; nothing was overwritten by it, and it never scores."""

    schema_name: Literal["faultline/conflict/1"] = Field(alias="schema")
    """Format and version."""
    key: TrialKey
    why: Literal["other-payload", "lost-claim"]
    """``other-payload``: the cell had a result with another digest; ``lost-claim``: another worker had taken the cell over."""
    recorded: Digest | Absent
    """Digest of the result that counts."""
    refused: Digest
    """Digest of ``trial``."""
    trial: Trial
    """The refused result, whole."""
