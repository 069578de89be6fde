"""G11: are trials without a verdict few, even over agents, and the harness's own doing?

A failure that is relabelled as a fault of the infrastructure leaves the rate. So the class alone is not believed: the attempt
that counts must have ended in a fault, with what the harness observed, and before anything was judged. How many trials an agent
lost is not said here, since that compares agents; each run's page counts its own.
"""

from collections.abc import Iterator
from itertools import combinations

from faultline.gates.facts import Facts, RunFacts
from faultline.gates.gate import Finding, Gate, and_outdated, count_of, lack
from faultline.gates.model import Lack
from faultline.gates.policy import Policy, Threshold
from faultline.kinds import Blame, Fold, StatusClass
from faultline.records import Absent, Trial

CAP = Threshold("G11", "invalid_share", 0.05, "less", 0.0, "Share of an agent's planned trials that may have no verdict.")
APART = Threshold("G11", "invalid_share_apart", 0.02, "less", 0.0, "Difference of that share between two agents.")


def probe(facts: Facts, policy: Policy) -> Finding:
    """Compare each agent's share of trials without a verdict with the cap and with each other, and look for evidence."""
    if not facts.claims:
        return Finding(
            "not-run",
            "No agent that is not a control has been evaluated, so no trial of one could be invalid",
            "No evaluation of an agent was found." + and_outdated(facts),
            unit="agents within the cap",
            share=0.0,
        )
    shares = _shares(facts)
    over = [agent for agent, share in shares.items() if share > policy[CAP]]
    apart = [pair for pair in combinations(shares, 2) if abs(shares[pair[0]] - shares[pair[1]]) > policy[APART] + 1e-12]
    links = {agent: run.link for run in facts.claims for agent in run.agents}
    lacking = [
        lack(links[agent], f"verdicts: more than {100 * policy[CAP]:g} % of the trials of {agent} have none") for agent in over
    ]
    lacking += [
        lack(links[pair[1]], f"verdicts lost alike: {pair[0]} and {pair[1]} differ by more than {100 * policy[APART]:g} points")
        for pair in apart
    ]
    relabelled = [gap for run in facts.claims for gap in _relabelled(run)]
    lacking += relabelled
    lost = sum(trial.outcome.fold is Fold.INVALID_INFRA for run in facts.claims for trial in run.trials)
    good = len(shares) - len(over)
    return Finding(
        outcome="fail" if lacking else "pass",
        headline=(
            "Trials are called invalid without anything that the harness observed"
            if relabelled
            else "Too many trials have no verdict, or agents lost them unevenly"
            if lacking
            else "Few trials have no verdict, agents lost them evenly, and the harness saw why"
        ),
        saw=(
            f"{count_of(lost, 'trial')} without a verdict in {count_of(len(facts.claims), 'evaluation')} of "
            f"{count_of(len(shares), 'agent')}; each keeps its place in the planned number and in both bounds. "
            "Its class counts only with a fault that the harness recorded." + and_outdated(facts)
        ),
        observed=str(good),
        needed=str(len(shares)),
        unit="agents within the cap",
        share=good / len(shares) if shares else 0.0,
        lacking=tuple(lacking),
        evidence=tuple(run.link for run in facts.claims),
    )


def _shares(facts: Facts) -> dict[str, float]:
    """Return each agent's share of planned trials without a verdict; one without a record has none either."""
    planned: dict[str, int] = {}
    judged: dict[str, int] = {}
    for run in facts.claims:
        for cell in run.cells.values():
            planned[cell.agent] = planned.get(cell.agent, 0) + 1
        keys = {(t.key.task, t.key.variant, t.key.agent, t.key.trial) for t in run.trials if t.outcome.scoreable}
        for key in keys & set(run.cells):
            judged[key[2]] = judged.get(key[2], 0) + 1
    return {agent: (planned[agent] - judged.get(agent, 0)) / planned[agent] for agent in sorted(planned)}


def _relabelled(run: RunFacts) -> Iterator[Lack]:
    """Yield trials without a verdict for which nothing that the harness recorded speaks."""
    for trial in run.trials:
        if trial.outcome.fold is Fold.INVALID_INFRA and (why := _no_evidence(trial)):
            yield lack(run.trial_link(trial), f"a fault that the harness observed: {why}")


def _no_evidence(trial: Trial) -> str:
    """Return why a trial's class is not believed, or nothing."""
    outcome, last = trial.outcome, trial.last
    if outcome.blame is Blame.AGENT:
        return "the record blames the agent"
    if outcome.status in (StatusClass.VERIFIER, StatusClass.TASK_DEFECT):
        return ""  # a judge that went wrong keeps G6 from holding, however many trials it was
    if outcome.status is not StatusClass.INFRA:
        return f"the class {outcome.status} is nobody's observation"
    lost = last.end == "unknown" and isinstance(last.candidate, Absent)
    if last.end != "faulted" and not lost:
        return f"its last attempt ended as {last.end}"
    return "" if last.observed.strip() else "its last attempt does not say what was observed"


GATE = Gate(
    id="G11",
    name="Cap on invalid trials",
    predicate=(
        "At most 5 % of the planned trials of each agent have no verdict, the shares of two agents differ by at most 2 points, "
        "and each such trial ended in a fault that the harness itself recorded, with what it observed."
    ),
    why="Trials that leave the score are a way to choose it, most of all when one agent loses more of them than another.",
    remedy="Mend what the harness observed and run the evaluation again; a trial is never called invalid by hand.",
    command="faultline diagnose RUN",
    reads=("tasks", "runs"),
    thresholds=(CAP, APART),
    probe=probe,
)
