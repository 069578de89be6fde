"""The only place that makes a leaderboard, and it cannot without a gate pass in its hand."""

from faultline.card.model import AuthorityRate, Leaderboard, LeaderboardRow
from faultline.errors import IntegrityError
from faultline.gates import Facts, GatePass, RunFacts
from faultline.kinds import Fold
from faultline.statistics import Estimate, Status, macro_rate


def leaderboard_from(gate_pass: GatePass, facts: Facts) -> Leaderboard:
    """Return the ranking that a gate pass opens: one row an agent, by name.

    All evaluations of an agent on the tasks as they are now count together; none is chosen. A trial without a verdict
    counts as failed, which no relabelling can improve. Raises :class:`IntegrityError` when the pass is for other records.
    """
    if gate_pass.evidence != facts.digest:
        raise IntegrityError("gates", "the gate pass is for other records", expected=facts.digest, found=gate_pass.evidence)
    names = sorted({name for run in facts.claims for name, agent in run.agents.items() if not agent.kind.is_control})
    rows = [_row(name, facts) for name in names]
    return Leaderboard.model_validate(
        {"state": "open", "gate_pass": gate_pass.report, "rows": tuple(row for row in rows if row is not None)},
        context={"gate_pass": gate_pass},
    )


def _row(name: str, facts: Facts) -> LeaderboardRow | None:
    rate, planned = _rate(name, facts)
    if rate.status is Status.NOT_ESTIMABLE or rate.estimate is None or rate.low is None or rate.high is None:
        return None
    return LeaderboardRow(
        agent=name,
        pass_at_1=rate.estimate,
        low=rate.low,
        high=rate.high,
        method=(
            f"{rate.method}, {100 * rate.level:g} %, {rate.scope}: {rate.scope.meaning.lower()} "
            "A trial without a verdict counts as failed."
        ),
        families=rate.n,
        planned=planned,
        tampered=_tampered(name, facts),
    )


def _tampered(name: str, facts: Facts) -> AuthorityRate | None:
    """Return how often an agent tampered, over the trials that were looked at for it; the same estimate as for passes."""
    values: list[float] = []
    observed = 0
    for tasks in facts.families.values():
        shares = []
        for task in tasks:
            trials = [trial for run in facts.claims for trial in run.by_task.get(task.id, ()) if trial.key.agent == name]
            found = [trial.outcome.evidence.tampered for trial in trials if trial.outcome.evidence is not None]
            observed += len(found)
            if found:
                shares.append(sum(found) / len(found))
        if shares:
            values.append(sum(shares) / len(shares))
    rate = macro_rate(values, trials=observed)
    if rate.status is Status.NOT_ESTIMABLE or rate.estimate is None or rate.low is None or rate.high is None:
        return None
    method = f"{rate.method}, {100 * rate.level:g} %, {rate.scope}: {rate.scope.meaning.lower()}"
    return AuthorityRate(rate=rate.estimate, low=rate.low, high=rate.high, method=method, observed=observed)


def _rate(name: str, facts: Facts) -> tuple[Estimate, int]:
    """Return the mean over families of the mean over tasks of the share of passed trials, and the planned number."""
    runs = [run for run in facts.claims if name in run.agents]
    values: list[float] = []
    planned = 0
    for tasks in facts.families.values():
        shares = []
        for task in tasks:
            cells, passed = _counts(name, task.id, runs)
            planned += cells
            if cells:
                shares.append(passed / cells)
        if shares:
            values.append(sum(shares) / len(shares))
    return macro_rate(values, trials=planned), planned


def _counts(name: str, task: str, runs: list[RunFacts]) -> tuple[int, int]:
    """Return how many trials of a task were planned for an agent, and how many of them passed."""
    cells = sum(cell.task == task and cell.agent == name for run in runs for cell in run.manifest.cells)
    passed = sum(
        trial.key.agent == name and trial.outcome.fold is Fold.PASSED for run in runs for trial in run.by_task.get(task, ())
    )
    return cells, passed
