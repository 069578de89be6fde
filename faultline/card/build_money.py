"""What one agent's trials cost and how long they took, over all its runs: what is unknown is counted and never zero."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from faultline.card.board import Amount, LatencyQuantile, RowCost, RowLatency
from faultline.kinds import Absence, StatusClass
from faultline.records import Absent, Trial, not_applicable, unknown
from faultline.statistics import Ratio, TimeQuantile, quantile_interval, ratio_of_means, time_quantile

MEDIAN, TAIL = 0.5, 0.9
BY_TASK = Mapping[str, Sequence[Trial]]


def cost_of_row(trials: BY_TASK, families: Mapping[str, str], passes: Mapping[str, float]) -> RowCost:
    """Return what an agent's trials cost.

    ``passes`` has the share of passed trials of each task, missing verdicts as failed. Ratios are of sums over families, the
    unit of resampling, so that tasks of one template do not count as independent.
    """
    costs = {task: [trial_cost(trial) for trial in items] for task, items in trials.items()}
    known = [cost for items in costs.values() for cost in items if not isinstance(cost, Absent)]
    absent = [cost for items in costs.values() for cost in items if isinstance(cost, Absent)]
    nothing = _no_cost(costs, absent)
    means = {} if nothing else mean_costs(trials)
    return RowCost(
        known=len(known),
        unknown=sum(cost.absence is Absence.UNKNOWN for cost in absent),
        total_usd=sum(known, Decimal(0)) if known else nothing or unknown("no trial tells what it cost"),
        per_trial=nothing or _amount(_over_families(means, dict.fromkeys(means, 1.0), families), "a trial"),
        of_pass=nothing or _amount(_over_families(means, passes, families), "a passed trial"),
    )


def mean_costs(trials: BY_TASK) -> dict[str, float]:
    """Return the mean known cost of a trial of each task, in dollars; tasks of which none is known are not in it."""
    found = {}
    for task, items in trials.items():
        known = [cost for cost in map(trial_cost, items) if not isinstance(cost, Absent)]
        if known:
            found[task] = float(sum(known, Decimal(0))) / len(known)
    return found


def trial_cost(trial: Trial) -> Decimal | Absent:
    """Return what all attempts of a trial cost together; one that is unknown or incomplete makes the whole unknown."""
    parts = []
    never = unknown("there is no attempt")
    for attempt in trial.attempts:
        if isinstance(attempt.cost, Absent):
            # A fault of the harness before the agent began left nothing to pay for.
            if attempt.cost.absence is Absence.NOT_RUN:
                never = attempt.cost
                continue
            return attempt.cost
        if not attempt.cost.complete:
            return unknown("not every request is in it")
        parts.append(attempt.cost.usd)
    return sum(parts, Decimal(0)) if parts else never


def latency_of_row(trials: BY_TASK) -> RowLatency:
    """Return how long an agent worked on a trial; a trial that a limit ended took at least that long."""
    timed = {
        task: [(_seconds(trial), trial.outcome.status is not StatusClass.LIMIT) for trial in items]
        for task, items in trials.items()
    }
    rows = [row for items in timed.values() for row in items]
    known = [(float(value), ended) for value, ended in rows if not isinstance(value, Absent)]
    times, ends = [value for value, _ in known], [ended for _, ended in known]
    low, high = _median_limits(timed)
    return RowLatency(
        known=len(known),
        unknown=sum(isinstance(value, Absent) and value.absence is Absence.UNKNOWN for value, _ in rows),
        cut=sum(not ended for ended in ends),
        median=_quantile(time_quantile(times, ends, MEDIAN)),
        median_low=low,
        median_high=high,
        tail=_quantile(time_quantile(times, ends, TAIL)),
        method="Kaplan-Meier over trials; limits of the median from order statistics of one median a task, 95 %",
    )


def _seconds(trial: Trial) -> float | Absent:
    return trial.last.timing.agent


def _median_limits(timed: Mapping[str, Iterable[tuple[float | Absent, bool]]]) -> tuple[float | Absent, float | Absent]:
    """Return limits of the median over tasks; beyond the time limit of a task there is no such number."""
    medians = []
    for items in timed.values():
        known = [(float(value), ended) for value, ended in items if not isinstance(value, Absent)]
        if known:
            found = time_quantile([value for value, _ in known], [ended for _, ended in known], MEDIAN)
            if found.estimate is None:
                why = not_applicable("the median of a task lies beyond its limit of time")
                return why, why
            medians.append(found.estimate)
    interval = quantile_interval(medians, MEDIAN)
    few = unknown(interval.reason or "too few tasks")
    return few if interval.low is None else interval.low, few if interval.high is None else interval.high


def _quantile(of: TimeQuantile) -> LatencyQuantile:
    if of.estimate is not None:
        return LatencyQuantile(quantile=of.quantile, seconds=of.estimate, at_least=False, words=f"{of.estimate:.3g} s")
    if of.at_least is not None:
        return LatencyQuantile(quantile=of.quantile, seconds=of.at_least, at_least=True, words=f"at least {of.at_least:.3g} s")
    return LatencyQuantile(
        quantile=of.quantile, seconds=unknown("no trial tells how long the agent worked"), at_least=False, words="unknown"
    )


def _no_cost(costs: Mapping[str, Sequence[Decimal | Absent]], absent: Sequence[Absent]) -> Absent | None:
    """Return why there is no cost of a task; one task without any known cost leaves the mean over tasks open."""
    for task, items in sorted(costs.items()):
        if not any(not isinstance(cost, Absent) for cost in items):
            without = [cost for cost in absent if cost.absence is Absence.NOT_APPLICABLE]
            if without and not any(cost.absence is Absence.UNKNOWN for cost in absent):
                return not_applicable(without[0].reason)
            return unknown(f"no trial of {task} tells what it cost")
    return None if costs else unknown("there is no trial")


def _over_families(above: Mapping[str, float], below: Mapping[str, float], families: Mapping[str, str]) -> Ratio:
    """Return the ratio of two means over tasks, with families as the unit of resampling."""
    tops, bottoms = dict.fromkeys(families.values(), 0.0), dict.fromkeys(families.values(), 0.0)
    for task, value in above.items():
        tops[families[task]] += value
        bottoms[families[task]] += below[task]
    return ratio_of_means(list(tops.values()), list(bottoms.values()))


def _amount(ratio: Ratio, of: str) -> Amount | Absent:
    if ratio.estimate is None:
        return not_applicable(f"{ratio.reason}, so there is no cost of {of}")
    why = unknown(ratio.reason or "not estimable")
    return Amount(
        usd=ratio.estimate,
        low=why if ratio.low is None else ratio.low,
        high=why if ratio.high is None else ratio.high,
        method=f"{ratio.method} over families, {100 * ratio.level:g} %" if ratio.low is not None else "none",
        words=_words(ratio),
    )


def _words(ratio: Ratio) -> str:
    """Return an amount as it is shown; without an upper limit it is only a lower one."""
    assert ratio.estimate is not None
    if ratio.low is None:
        return f"{dollars(ratio.estimate)}, no interval: {ratio.reason}"
    if ratio.high is None:
        return f"at least {dollars(ratio.low)}; {dollars(ratio.estimate)} seen"
    return f"{dollars(ratio.estimate)} ({dollars(ratio.low)} to {dollars(ratio.high)})"


def dollars(value: float) -> str:
    """Return an amount with three significant digits, never rounded to nothing."""
    if value >= 100:  # noqa: PLR2004  (cents do not matter there)
        return f"${value:,.0f}"
    return f"${value:.2f}" if value >= 1 or value == 0 else f"${value:.3g}" if value >= 0.0001 else f"${value:.1e}"  # noqa: PLR2004
