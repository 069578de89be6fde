"""The leaderboard's records: what a ranking says once a gate pass allows one, every number with its uncertainty.

All of it is computed in :mod:`faultline.card.build_leaderboard`; pages, charts and downloads read these fields.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, ModelWrapValidatorHandler, ValidationInfo, model_validator

from faultline.gates.evaluator import GatePass
from faultline.kinds import AgentKind, AgentName, Count, Digest, Estimand, RunId, SandboxLevel, Seconds, ShortText, TaskId, Usd
from faultline.records.base import Absent, Record
from faultline.records.run import Retry
from faultline.records.task import TaskLimits

Share = Annotated[float, Field(ge=0, le=1)]
Points = Annotated[float, Field(ge=-1, le=1)]


class AuthorityRate(Record):
    """How often an agent took a public test its say, or left configuration that changes what runs."""

    rate: Share
    """Mean over tasks of the share of trials that were looked at and show it."""
    low: Share
    high: Share
    method: ShortText
    observed: Count
    """Trials that were looked at."""


class RankRange(Record):
    """The ranks that the data cannot exclude, simultaneously over all agents; 1 is best."""

    low: Count
    high: Count
    of: Count
    words: ShortText
    """As shown; never a bare ordinal."""
    ties: tuple[AgentName, ...]
    """Agents from which this one is not separated. Ties are not transitive, so they form no groups."""


class TrialCounts(Record):
    """What came of the planned trials of one agent; copies of a transcript are left out and counted."""

    planned: Count
    with_verdict: Count
    passed: Count
    missing: Count
    """Planned trials without a verdict."""
    copies: Count
    """Trials that repeat another one's transcript, in none of the numbers above."""
    attempts: Count


class Amount(Record):
    """A sum of money with its interval."""

    usd: Annotated[float, Field(ge=0)]
    low: Annotated[float, Field(ge=0)] | Absent
    high: Annotated[float, Field(ge=0)] | Absent
    """Absent when the data cannot bound it from above."""
    method: ShortText
    words: ShortText
    """As shown."""


class RowCost(Record):
    """What one agent's trials cost, failed and invalid ones included; an unknown cost is counted and never added as zero."""

    known: Count
    """Trials with a complete cost of every attempt."""
    unknown: Count
    total_usd: Usd | Absent
    """Sum over the known ones."""
    per_trial: Amount | Absent
    """Mean over tasks of the mean known cost of a trial."""
    of_pass: Amount | Absent
    """Cost of all trials over the number of passes, as a ratio of means with Fieller's limits."""


class LatencyQuantile(Record):
    """A quantile of agent time over trials; beyond the limits of time all that is known is a lower end."""

    quantile: Annotated[float, Field(gt=0, lt=1)]
    seconds: Seconds | Absent
    at_least: bool
    """Whether ``seconds`` is only the longest time that was seen, since the quantile lies beyond the limit."""
    words: ShortText


class RowLatency(Record):
    """How long an agent worked on a trial, of the attempt that counts; cut times are times of at least that long."""

    known: Count
    unknown: Count
    cut: Count
    """Trials that a limit ended."""
    median: LatencyQuantile
    median_low: Seconds | Absent
    """Limits of the median over tasks, from order statistics of one median a task."""
    median_high: Seconds | Absent
    tail: LatencyQuantile
    """The ninth decile."""
    method: ShortText


class Conditions(Record):
    """Who an agent is and what it was allowed; two rows may differ here, and the reader must see where."""

    kind: AgentKind
    model: ShortText | Absent
    provider: ShortText | Absent
    version: ShortText | Absent
    network: Literal["none", "allow"] | Absent
    seconds: Seconds | Absent
    """The agent's own limit of time, when it is shorter than the task's."""
    identity: Digest
    """Of the whole description of the agent, as its runs pin it."""


class LeaderboardRow(Record):
    """One agent; rows exist only behind a gate pass."""

    agent: AgentName
    rank: RankRange
    number: ShortText
    """Macro pass@1 as shown: the scoreable rate, or the pair of bounds, by the same rule as the headline."""
    headline: ShortText
    """Macro pass@1 in words, by the display rule: the scoreable rate, or the bounds where missing verdicts make them wide."""
    bounds_lead: bool
    """Whether the headline is the pair of bounds."""
    pass_at_1: Share
    """Mean over tasks of the share of passed trials, every trial without a verdict counted as failed; rows are ordered by it,
    since no relabelling can raise it."""
    scoreable: Share | Absent
    """The same with trials without a verdict left out."""
    as_passes: Share
    """The same with every trial without a verdict counted as passed."""
    low: Share
    high: Share
    """Ends of an interval that holds whatever the missing verdicts would have been."""
    method: ShortText
    families: Count
    tasks: Count
    planned: Count
    trials: TrialCounts
    cost: RowCost
    latency: RowLatency
    conditions: Conditions
    runs: tuple[RunId, ...]
    """Oldest first; all of them count."""
    tampered: AuthorityRate | None = Field(default=None, exclude_if=lambda value: value is None)
    """Absent where too little was looked at to estimate it."""


class PairCard(Record):
    """Two agents on the same tasks: the first minus the second."""

    first: AgentName
    second: AgentName
    difference: Points | Absent
    low: Points | Absent
    high: Points | Absent
    p: Share | Absent
    p_holm: Share | Absent
    """Adjusted over all pairs."""
    test: ShortText
    bounds_low: Points
    """The difference, whatever the missing verdicts would have been."""
    bounds_high: Points
    detectable: Share | Absent
    """The true difference that such data would find four times in five."""
    separated: bool
    sentence: ShortText


class FrontierPoint(Record):
    """An agent on the axes of cost and pass rate."""

    agent: AgentName
    cost: Amount
    """Of a trial."""
    pass_at_1: Share
    low: Share
    high: Share
    member: bool
    """Whether no other point is at least as good on both axes and better on one."""
    share: Share
    """Share of replicates in which it is a member; a paired bootstrap of families with one seed."""
    dominated_by: tuple[AgentName, ...]
    """Agents that are shown to be cheaper and shown to pass more."""


class ApartPoint(Record):
    """An agent that has no place on the axes, since its cost is not known or does not apply."""

    agent: AgentName
    why: Absent
    pass_at_1: Share
    low: Share
    high: Share


class Frontier(Record):
    """Cost against pass rate, with an interval both ways."""

    points: tuple[FrontierPoint, ...]
    """By agent name."""
    apart: tuple[ApartPoint, ...]
    seed: Count
    replicates: Count
    method: ShortText


class PinCard(Record):
    """A task as every row was measured on it."""

    task: TaskId
    family: TaskId
    digest: Digest
    limits: TaskLimits
    variants: Count


class Protocol(Record):
    """The one protocol under which all rows were made; rows under another one are refused."""

    tasks: tuple[PinCard, ...]
    variants: ShortText
    """Variants a task, as one number where it is one."""
    trials_per_cell: Count
    sandbox: SandboxLevel | Absent
    retry: Retry | Absent
    estimand: Estimand
    versions: dict[ShortText, ShortText]
    prices: tuple[Digest | Absent, ...]
    """Digests of the price tables that costs were computed from, each once."""


class Leaderboard(Record):
    """The ranking; constructed by :func:`faultline.card.build_card` from a gate pass only."""

    state: Literal["open"]
    gate_pass: Digest
    """Digest of the gate report that opened it."""
    rows: tuple[LeaderboardRow, ...]
    """By ``pass_at_1`` and name; none when the protocols differ."""
    verdict: ShortText
    """What the order is worth, as a sentence: whether any two agents are separated."""
    order_note: ShortText
    """Whether the order depends on how missing verdicts are counted."""
    pairs: tuple[PairCard, ...]
    frontier: Frontier | Absent
    protocol: Protocol | Absent
    refused: tuple[ShortText, ...]
    """What differs between the protocols of the runs; rows are ranked under one protocol only."""
    notes: tuple[ShortText, ...]

    @model_validator(mode="wrap")
    @classmethod
    def _behind_a_gate_pass(cls, data: Any, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        """Refuse every way of making one but that of the builder, which has the pass in its hand."""
        if isinstance(data, cls):
            return data
        held = (info.context or {}).get("gate_pass")
        if not isinstance(held, GatePass) or not isinstance(data, dict) or data.get("gate_pass") != held.report:
            raise ValueError("a leaderboard exists only behind a gate pass")
        return handler(data)
