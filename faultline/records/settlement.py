"""How a write whose reply was lost was settled: what the store and the receipts said when they were asked."""

from typing import Annotated, Literal

from pydantic import Field

from faultline.kinds import Digest, Instant, ShortText
from faultline.records.base import Absent, Record
from faultline.records.trial import TrialKey


class Settlement(Record):
    """One line of ``settlements.jsonl``: an attempt that was unknown, and the evidence by which it is not any more."""

    schema_name: Literal["faultline/settlement/1"] = Field(alias="schema")
    """Format and version."""
    key: TrialKey
    attempt: Annotated[int, Field(ge=1)]
    state: Literal["recorded", "absent", "conflicting"]
    """``recorded``: the store holds this attempt's result; ``absent``: it holds none of it, so that the result may be recorded
    now; ``conflicting``: it holds another result, and this one was refused and kept."""
    observed: ShortText
    """What the worker saw when the reply was lost."""
    stored: Digest | Absent
    """Digest of the result that the store held for the cell when it was asked."""
    receipt: Digest | Absent
    """Digest of the result in the attempt's receipt."""
    evidence: ShortText
    """The reason for the settlement, as a sentence."""
    settled_at: Instant
