"""The only place that makes a leaderboard, and it cannot without a gate pass in its hand."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from faultline.card.board import (
    AuthorityRate,
    Conditions,
    Leaderboard,
    LeaderboardRow,
    PairCard,
    PinCard,
    Protocol,
    RankRange,
    TrialCounts,
)
from faultline.card.build_frontier import frontier_of
from faultline.card.build_money import cost_of_row, latency_of_row
from faultline.card.protocol import differences_among
from faultline.card.standing import Field, Pair, Standing, TaskOutcomes, field_of, outcomes_of, percent
from faultline.errors import IntegrityError
from faultline.gates import Facts, GatePass, RunFacts, variants_of
from faultline.records import Absent, Trial, digest_of_plain, not_applicable, unknown
from faultline.statistics import LEVEL, MissingBounds, Scope, macro_rate

NO_PROTOCOL = not_applicable("the runs were made under different protocols")


@dataclass(frozen=True)
class _Agent:
    """What the builder knows of one agent before it makes its row."""

    name: str
    runs: tuple[RunFacts, ...]
    outcomes: TaskOutcomes
    trials: dict[str, tuple[Trial, ...]]
    """By task, in the order of the tasks; copies included, since they cost money too."""

    def shares(self, tasks: Sequence[str]) -> dict[str, float]:
        """Return the share of passed trials of each task, missing verdicts as failed."""
        rows = zip(tasks, self.outcomes.rows, strict=True)
        return {task: row.passes / row.planned if row.planned else 0.0 for task, row in rows}


def leaderboard_from(gate_pass: GatePass, facts: Facts) -> Leaderboard:
    """Return the ranking that a gate pass opens: one row an agent, by the number that no relabelling can raise.

    All evaluations of an agent on the tasks as they are now count together; none is chosen. Agents whose runs were made
    under different protocols are not ranked, and the differences are named. Raises :class:`IntegrityError` when the pass is
    for other records.
    """
    if gate_pass.evidence != facts.digest:
        raise IntegrityError("gates", "the gate pass is for other records", expected=facts.digest, found=gate_pass.evidence)
    refused = differences_among(facts.claims)
    fields = _nothing(refused) if refused or not facts.claims else _everything(facts)
    return Leaderboard.model_validate(
        {"state": "open", "gate_pass": gate_pass.report, "refused": tuple(refused), **fields}, context={"gate_pass": gate_pass}
    )


def _nothing(refused: Sequence[str]) -> dict[str, object]:
    """Return a leaderboard without rows: two protocols give two quantities, and no order of them is one of agents."""
    verdict = (
        "Agents were evaluated under different protocols, so their numbers are not ranked." if refused else "There is no agent."
    )
    return {
        "rows": (),
        "verdict": verdict,
        "order_note": "",
        "pairs": (),
        "frontier": NO_PROTOCOL,
        "protocol": NO_PROTOCOL,
        "notes": (),
    }


def _everything(facts: Facts) -> dict[str, object]:
    first = facts.claims[0]
    pins = sorted(first.manifest.tasks, key=lambda pin: pin.id)
    tasks = [pin.id for pin in pins]
    families = {pin.id: pin.family for pin in pins}
    names = sorted({name for run in facts.claims for name, agent in run.agents.items() if not agent.kind.is_control})
    agents = [_agent(name, facts, tasks) for name in names]
    field = field_of({agent.name: agent.outcomes for agent in agents}, list(families.values()))
    rows = [_row(agent, standing, field, families) for agent, standing in zip(agents, field.standings, strict=True)]
    shares = {agent.name: agent.shares(tasks) for agent in agents}
    trials = {agent.name: agent.trials for agent in agents}
    return {
        "rows": tuple(sorted(rows, key=lambda row: (-row.pass_at_1, row.agent))),
        "verdict": _verdict(field),
        "order_note": field.order_note,
        "pairs": tuple(_pair(pair) for pair in field.pairs),
        "frontier": frontier_of(rows, shares, trials, families),
        "protocol": _protocol(
            facts.claims,
            [
                PinCard(task=pin.id, family=pin.family, digest=pin.digest, limits=pin.limits, variants=len(pin.variants))
                for pin in pins
            ],
        ),
        "notes": tuple(_notes(agents, field, facts)),
    }


def _agent(name: str, facts: Facts, tasks: Sequence[str]) -> _Agent:
    runs = tuple(run for run in facts.claims if name in run.agents)
    trials = {
        task: tuple(trial for run in runs for trial in run.by_task.get(task, ()) if trial.key.agent == name) for task in tasks
    }
    return _Agent(name, runs, outcomes_of(runs, name, tasks), trials)


def _row(agent: _Agent, standing: Standing, field: Field, families: Mapping[str, str]) -> LeaderboardRow:
    rate = standing.rate
    interval = rate.interval
    if rate.lower is None or rate.upper is None or interval is None:
        # Gate G3 asks for an interval of every agent, so nothing that it let pass comes here.
        raise IntegrityError(
            "gates", "an agent has no interval", expected="gate G3 holds", found=f"{agent.name}: {rate.reason}"
        )
    return LeaderboardRow(
        agent=agent.name,
        rank=_rank(standing, field),
        number=_number(rate),
        headline=standing.headline,
        bounds_lead=rate.bounds_lead,
        pass_at_1=rate.lower,
        scoreable=unknown("no trial has a verdict") if rate.excluded is None else rate.excluded,
        as_passes=rate.upper,
        low=min(interval.low, rate.lower),
        high=max(interval.high, rate.upper),
        method=(
            f"{rate.method}, {100 * rate.level:g} %, clustered by family, {rate.scope}: {rate.scope.meaning.lower()}"
            + (" It holds whatever the missing verdicts would have been." if rate.missing else "")
        ),
        families=rate.clusters,
        tasks=rate.n,
        planned=rate.planned,
        trials=TrialCounts(
            planned=rate.planned,
            with_verdict=rate.planned - rate.missing,
            passed=sum(row.passes for row in agent.outcomes.rows),
            missing=rate.missing,
            copies=standing.copies,
            attempts=sum(len(trial.attempts) for items in agent.trials.values() for trial in items),
        ),
        cost=cost_of_row(agent.trials, families, agent.shares(list(families))),
        latency=latency_of_row(agent.trials),
        conditions=_conditions(agent),
        runs=tuple(run.name for run in agent.runs),
        tampered=_tampered(agent, families),
    )


def _number(rate: MissingBounds) -> str:
    """Return the rate alone, as the headline has it."""
    assert rate.lower is not None
    assert rate.upper is not None
    if rate.excluded is None or rate.bounds_lead:
        return f"between {percent(rate.lower)} and {percent(rate.upper)}"
    return percent(rate.excluded)


def _rank(standing: Standing, field: Field) -> RankRange:
    low, high, of = standing.rank_low, standing.rank_high, len(field.standings)
    ties = [
        pair.second if pair.first == standing.name else pair.first
        for pair in field.pairs
        if standing.name in (pair.first, pair.second) and not pair.separated
    ]
    words = f"{low} of {of}" if low == high else f"{low} to {high} of {of}"
    return RankRange(low=low, high=high, of=of, words=words, ties=tuple(sorted(ties)))


def _conditions(agent: _Agent) -> Conditions:
    """Return who an agent is; gate G7 sees to it that one name stands for one agent."""
    identity = agent.runs[-1].agents[agent.name]
    return Conditions(
        kind=identity.kind,
        model=identity.model,
        provider=identity.provider,
        version=identity.version,
        network=identity.network,
        seconds=identity.seconds,
        identity=identity.content_digest(),
    )


def _tampered(agent: _Agent, families: Mapping[str, str]) -> AuthorityRate | None:
    """Return how often an agent tampered, over the trials that were looked at for it; the same estimate as for passes."""
    values, clusters, observed = [], [], 0
    for task, trials in agent.trials.items():
        found = [trial.outcome.evidence.tampered for trial in trials if trial.outcome.evidence is not None]
        observed += len(found)
        if found:
            values.append(sum(found) / len(found))
            clusters.append(families[task])
    rate = macro_rate(values, clusters, trials=observed)
    if rate.estimate is None or rate.low is None or rate.high is None:
        return None
    method = f"{rate.method}, {100 * rate.level:g} %, {rate.scope}: {rate.scope.meaning.lower()}"
    return AuthorityRate(rate=rate.estimate, low=rate.low, high=rate.high, method=method, observed=observed)


def _pair(pair: Pair) -> PairCard:
    difference = pair.difference
    why = unknown(difference.reason or "not estimable")
    interval = difference.interval
    return PairCard(
        first=pair.first,
        second=pair.second,
        difference=_or(difference.estimate, why),
        low=why if interval is None else interval.low,
        high=why if interval is None else interval.high,
        p=_or(difference.p_value, why),
        p_holm=_or(pair.p_holm, why),
        test=difference.test,
        bounds_low=pair.bounds.low,
        bounds_high=pair.bounds.high,
        detectable=_or(difference.detectable, why),
        separated=pair.separated,
        sentence=pair.sentence,
    )


def _or(value: float | None, absent: Absent) -> float | Absent:
    return absent if value is None else value


def _protocol(runs: Sequence[RunFacts], pins: Sequence[PinCard]) -> Protocol:
    manifest = runs[0].manifest
    prices = {
        digest_of_plain(price.model_dump(mode="json") if isinstance(price, Absent) else price): price
        for price in (run.manifest.prices for run in runs)
    }
    return Protocol(
        tasks=tuple(pins),
        variants=variants_of(runs[0]),
        trials_per_cell=manifest.trials,
        sandbox=manifest.sandbox,
        retry=manifest.retry,
        estimand=manifest.estimand,
        versions=dict(sorted(manifest.provenance.versions.items())),
        prices=tuple(prices[key] for key in sorted(prices)),
    )


def _verdict(field: Field) -> str:
    """Say what the order of the rows is worth."""
    number, apart = len(field.pairs), sum(pair.separated for pair in field.pairs)
    if not number:
        return "There is one agent, so there is nothing to order."
    if not apart:
        return (
            "No two agents are separated with these tasks: the order of the rows is that of their estimates and says nothing "
            "about who is better. This is not evidence that they are equal."
        )
    return (
        f"{apart} of {number} {'pair is' if number == 1 else 'pairs are'} separated at a level of {100 * LEVEL:g} % over all "
        "pairs together (Holm). A range of ranks says what is known; inside a range the order says nothing."
    )


def _notes(agents: Sequence[_Agent], field: Field, facts: Facts) -> Iterator[str]:
    yield (
        "pass@1 is the mean over tasks of the share of passed trials; families are the unit of resampling. "
        f"Scope: {Scope.POPULATION.meaning.lower()}"
    )
    for standing in field.standings:
        if standing.copies:
            yield f"{standing.name}: {standing.copies} trials repeat another transcript and are not counted."
        if standing.rate.left_out:
            yield f"{standing.name}: {standing.rate.left_out} tasks have no verdict at all; they are in the bounds only."
    if len({_instances(agent) for agent in agents}) > 1:
        yield "The agents met different variants of the tasks: they are paired by task, not by instance."
    tables = {str(run.manifest.prices) for run in facts.claims}
    if len(tables) > 1:
        yield f"Costs were computed from {len(tables)} price tables: differences of cost are partly differences of prices."
    if facts.outdated_claims:
        yield f"{len(facts.outdated_claims)} evaluations of earlier forms of the tasks are history and not counted."


def _instances(agent: _Agent) -> str:
    pins = sorted({item.workspace_digest for run in agent.runs for pin in run.manifest.tasks for item in pin.variants})
    return digest_of_plain(pins)
