"""G4: are cost, latency and invalid runs of every evaluation reported?

A quantity is a positive measurement or an explicit absence. Zero is no measurement of money, time or tokens: it is what a
field looks like that nobody filled. ``unknown`` is honest and capped; ``not-applicable`` is accepted only for money and
tokens of an agent that has no model. What an invalid trial was is told by what the harness observed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from faultline.gates.facts import Facts, RunFacts
from faultline.gates.gate import Finding, Gate, and_outdated, count_of, lack
from faultline.gates.model import Lack
from faultline.gates.policy import Policy, Threshold
from faultline.kinds import Absence, Fold
from faultline.records import Absent, AgentIdentity, Attempt, Trial

UNKNOWN = Threshold("G4", "unknown_share", 0.05, "less", 0.0, "Share of each quantity that may be unknown in an evaluation.")
_TOKENS = ("uncached_input", "cache_read", "cache_write", "output", "reasoning")
_QUANTITIES = ("cost", "agent time", *(f"{name} tokens" for name in _TOKENS))


@dataclass
class _Tally:
    """Attempts of one run by quantity: asked for, unknown, and wrong."""

    asked: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_QUANTITIES, 0))
    unknown: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_QUANTITIES, 0))
    wrong: list[Lack] = field(default_factory=list)

    def share(self, quantity: str) -> float:
        """Return the unknown share of a quantity; 0 when it does not apply."""
        return self.unknown[quantity] / self.asked[quantity] if self.asked[quantity] else 0.0


@dataclass(frozen=True)
class _Reading:
    """One quantity of one attempt."""

    quantity: str
    value: float | Absent
    of_a_model: bool
    """Whether only an agent with a model has it."""
    zero_is_fine: bool = False


def probe(facts: Facts, policy: Policy) -> Finding:
    """Tally the quantities of each evaluation of an agent, and look at what is told about its invalid trials."""
    allowed = policy[UNKNOWN]
    if not facts.claims:
        return Finding(
            "not-run",
            "No agent that is not a control has been evaluated, so there is no cost or latency to report",
            "No evaluation of an agent was found; controls cost nothing and say nothing about agents." + and_outdated(facts),
            unit="of every quantity known",
            share=0.0,
        )
    lacking: list[Lack] = []
    worst, attempts, invalid = 0.0, 0, 0
    for run in facts.claims:
        tally = _tally(run)
        lacking += tally.wrong
        for quantity in _QUANTITIES:
            share = tally.share(quantity)
            worst = max(worst, share)
            if share > allowed:
                lacking.append(
                    lack(run.link, f"{quantity}: unknown for {tally.unknown[quantity]} of {tally.asked[quantity]} attempts")
                )
        missing = len(run.manifest.cells) - len({(t.key.task, t.key.variant, t.key.agent, t.key.trial) for t in run.trials})
        if missing:
            lacking.append(lack(run.link, f"{count_of(missing, 'planned trial')} without a record"))
        lacking += _unexplained(run)
        attempts += sum(len(trial.attempts) for trial in run.trials)
        invalid += sum(trial.outcome.fold is Fold.INVALID_INFRA for trial in run.trials)
    known = 1 - worst
    return Finding(
        outcome="fail" if lacking else "pass",
        headline=(
            "Cost, latency or invalid trials of an evaluation are not fully reported"
            if lacking
            else "Cost, latency and invalid trials of every evaluation are reported"
        ),
        saw=(
            f"{count_of(attempts, 'attempt')} in {count_of(len(facts.claims), 'evaluation')} of agents, "
            f"{count_of(invalid, 'trial')} without a verdict. Time comes from a monotonic clock; what an agent does not "
            "tell about its use is unknown and never zero." + and_outdated(facts)
        ),
        observed=f"{100 * known:.3g} %",
        needed=f"{100 * (1 - allowed):g} %",
        unit="of the quantity that is known least",
        share=known / (1 - allowed) if allowed < 1 else 1.0,
        lacking=tuple(lacking),
        evidence=tuple(run.link for run in facts.claims),
    )


def _tally(run: RunFacts) -> _Tally:
    tally = _Tally()
    for trial in run.trials:
        agent = run.agents.get(trial.key.agent)
        for attempt in trial.attempts:
            for reading in _readings(attempt):
                _count(tally, run, trial, reading, may_not_apply=reading.of_a_model and _has_no_model(agent), attempt=attempt)
    return tally


def _has_no_model(agent: AgentIdentity | None) -> bool:
    return agent is not None and isinstance(agent.model, Absent) and agent.model.absence is Absence.NOT_APPLICABLE


def _readings(attempt: Attempt) -> Iterator[_Reading]:
    """Yield each quantity of an attempt."""
    cost: float | Absent = attempt.cost if isinstance(attempt.cost, Absent) else float(attempt.cost.usd)
    if not isinstance(attempt.cost, Absent) and not attempt.cost.complete and cost != 0:
        cost = Absent(absence=Absence.UNKNOWN, reason="not every request is in it")
    yield _Reading("cost", cost, of_a_model=True)
    yield _Reading("agent time", attempt.timing.agent, of_a_model=False)
    usage = attempt.usage
    for name in _TOKENS:
        if isinstance(usage, Absent):
            yield _Reading(f"{name} tokens", usage, of_a_model=True)
            continue
        value: float | Absent = getattr(usage, name)
        cached = sum(part for part in (usage.cache_read, usage.cache_write) if isinstance(part, int))
        # Nothing cached or reasoned is a measurement; no input at all, or no output, is not.
        zero_is_fine = name in ("cache_read", "cache_write", "reasoning") or (name == "uncached_input" and cached > 0)
        yield _Reading(f"{name} tokens", value, of_a_model=True, zero_is_fine=zero_is_fine)


def _count(tally: _Tally, run: RunFacts, trial: Trial, reading: _Reading, *, may_not_apply: bool, attempt: Attempt) -> None:
    value = reading.value
    if isinstance(value, Absent):
        if value.absence is Absence.NOT_APPLICABLE and may_not_apply:
            return
        # A fault of the harness before the agent began leaves nothing to measure.
        if value.absence is Absence.NOT_RUN and attempt.end == "faulted":
            return
        tally.unknown[reading.quantity] += 1
    elif value <= 0 and not reading.zero_is_fine:
        tally.wrong.append(lack(run.trial_link(trial), f"{reading.quantity}: 0 is no measurement; say unknown, or measure"))
    tally.asked[reading.quantity] += 1


def _unexplained(run: RunFacts) -> Iterator[Lack]:
    """Yield trials without a verdict for which the harness says nothing of what it observed."""
    for trial in run.trials:
        told = trial.outcome.note or any(attempt.observed for attempt in trial.attempts)
        if trial.outcome.fold is Fold.INVALID_INFRA and not told:
            yield lack(
                run.trial_link(trial), f"what the harness observed: class {trial.outcome.status}, and nothing more is said"
            )


GATE = Gate(
    id="G4",
    name="Cost, latency and invalid trials",
    predicate=(
        "Every attempt in an evaluation of an agent has its cost, its time and its tokens as positive measurements or as "
        "explicit absences; at most 5 % of each quantity is unknown; every trial without a verdict says what the harness "
        "observed."
    ),
    why="A score without its price is half a result, and invalid trials that nobody counts are a way to choose the score.",
    remedy="Let the agent leave its usage where its agent file says, and keep the records of invalid trials as they are.",
    command="faultline run AGENT",
    reads=("tasks", "runs"),
    thresholds=(UNKNOWN,),
    probe=probe,
)
