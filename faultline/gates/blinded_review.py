"""G5: did people read a blinded sample of the agents' trajectories?

The sample of each evaluation is drawn again here, from the digest of its results: a review of anything else does not count,
and an item that was swapped is missing. A reader who saw another verdict than the recorded one keeps the gate shut.
"""

from collections import Counter

from faultline.gates.facts import Facts, RunFacts
from faultline.gates.gate import Finding, Gate, and_outdated, count_of, lack
from faultline.gates.model import Lack, Link
from faultline.gates.policy import Policy, Threshold
from faultline.records import TrialKey
from faultline.review import ItemStanding, ReviewStanding, countable_reviews, sample_for_review

SAMPLE = Threshold(
    "G5", "reviewed_trajectories", 30, "more", 100_000, "Trajectories drawn from each evaluation; all when fewer."
)
REVIEWERS = Threshold("G5", "reviewers_per_trajectory", 2, "more", 20, "Distinct people who read each drawn trajectory.")


def probe(facts: Facts, policy: Policy) -> Finding:
    """Draw the samples and count the trajectories that enough people have read blindly and without a doubt."""
    people = policy[REVIEWERS]
    if not facts.claims:
        return Finding(
            "not-run",
            "There is no agent's trajectory yet that people could review",
            "No evaluation of an agent was found." + and_outdated(facts),
            observed="0",
            unit="sampled trajectories reviewed blindly",
            share=0.0,
        )
    lacking: list[Lack] = []
    drawn = done = 0
    for run in facts.claims:
        sample = sample_for_review(run.results_digest, run.trials, policy[SAMPLE])
        standing = countable_reviews(
            facts.reviews, sample=sample, results_digest=run.results_digest, names=_names_behind_the_blind(run)
        )
        traced = _traced(run)
        drawn += len(sample)
        if not sample:
            lacking.append(lack(run.link, "a trajectory with a verdict: there is none to review"))
        for item in standing.items:
            gap = _gap(run, item, traced, people)
            if gap is None:
                done += 1
            else:
                lacking.append(gap)
        lacking += _not_counted(run, standing) if lacking else []
    return Finding(
        outcome="fail" if lacking else "pass",
        headline=_headline(done, drawn, people, passed=not lacking),
        saw=(
            f"{count_of(len(facts.reviews), 'review')}; {count_of(drawn, 'trajectory', 'trajectories')} drawn from "
            f"{count_of(len(facts.claims), 'evaluation')} by the digest of the results, passed and failed ones in turn."
            + and_outdated(facts)
        ),
        observed=str(done),
        needed=str(drawn),
        unit=f"sampled trajectories read by {people} people",
        share=done / drawn if drawn else 0.0,
        lacking=tuple(lacking),
        evidence=tuple(run.link for run in facts.claims),
    )


def _headline(done: int, drawn: int, people: int, *, passed: bool) -> str:
    if passed:
        return f"{count_of(drawn, 'sampled trajectory has', 'sampled trajectories have')} been read blindly by {people} people"
    if done == 0:
        return "No sampled trajectory has been reviewed blindly by enough people"
    return f"Only {done} of {drawn} sampled trajectories have been reviewed blindly by {people} people without a doubt"


def _gap(run: RunFacts, item: ItemStanding, traced: frozenset[TrialKey], people: int) -> Lack | None:
    """Return what a drawn trajectory lacks, if anything."""
    key = item.key
    label = f"{key.task}.{key.variant}.{key.agent}.{key.trial}"
    where = Link(label=f"{run.name}: {label}", kind="run", target=run.name, anchor=label)
    if key not in traced:
        return lack(where, "a trajectory: none is recorded")
    if item.disputed_by:
        return lack(where, f"an explanation: {', '.join(item.disputed_by)} read another verdict than the recorded one")
    missing = people - len(item.reviewers)
    return lack(where, f"{count_of(missing, 'more blinded reviewer')}") if missing > 0 else None


def _traced(run: RunFacts) -> frozenset[TrialKey]:
    """Return the trials that left a trajectory."""
    return frozenset(trial.key for trial in run.trials if any(artifact.role == "trace" for artifact in trial.last.artifacts))


def _names_behind_the_blind(run: RunFacts) -> tuple[str, ...]:
    """Return the words that tell a reader which agent it was."""
    return tuple(
        value for agent in run.manifest.agents for value in (agent.name, agent.model, agent.provider) if isinstance(value, str)
    )


def _not_counted(run: RunFacts, standing: ReviewStanding) -> list[Lack]:
    """Return how many reviews of this run do not count, by reason."""
    reasons = Counter(item.why for item in standing.set_aside if item.review.key.run == run.name)
    return [
        lack(run.link, f"reviews that count: {count_of(number, 'review does', 'reviews do')} not ({why})")
        for why, number in sorted(reasons.items())
    ]


GATE = Gate(
    id="G5",
    name="Blinded review of trajectories",
    predicate=(
        "From every evaluation of an agent, 30 trajectories drawn by the digest of the results (all, when there are "
        "fewer) have each been read by at least two people who saw neither agent nor verdict, and nobody read another "
        "verdict than the recorded one."
    ),
    why=(
        "Hidden checks see what they were written to see. Only people notice a pass that deserves none, and a failure that is "
        "unfair."
    ),
    remedy=(
        "Give the drawn trajectories, without names and verdicts, to two people each, and add their records under "
        "runs/<run>/reviews."
    ),
    command="",
    reads=("tasks", "runs", "reviews"),
    thresholds=(SAMPLE, REVIEWERS),
    probe=probe,
)
