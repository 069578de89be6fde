"""G5: did people read a blinded sample of the agents' trajectories?

The sample of each evaluation is drawn again here, from the digest of its results: a review of anything else does not count,
and an item that was swapped is named. What readers were shown is scanned again for names. A reader who saw another verdict
than the recorded one keeps the gate shut until somebody else has settled it in favour of the record.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from faultline.archive import ReviewRoom
from faultline.gates.facts import Facts, RunFacts
from faultline.gates.gate import Finding, Gate, and_outdated, count_of, lack
from faultline.gates.model import Lack, Link
from faultline.gates.policy import Policy, Threshold
from faultline.kinds import RunKind
from faultline.records import ReviewSample, TrialKey
from faultline.review import (
    ItemStanding,
    ReviewStanding,
    countable_reviews,
    draw_sample,
    hidden_names,
    leaks_of,
    person,
    sample_for_review,
    weighed,
)

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
        sample = sample_for_review(run.results_digest, run.trials, _size(run, facts, policy))
        standing = standing_of(run, facts, sample)
        settled = _settled(run, facts, standing)
        before = len(lacking)
        lacking += _blind_gaps(run, facts, policy)
        traced = _traced(run)
        drawn += len(sample)
        if not sample:
            lacking.append(lack(run.link, "a trajectory with a verdict: there is none to review"))
        for item in standing.items:
            gap = _gap(run, item, traced, people, settled)
            if gap is None:
                done += 1
            else:
                lacking.append(gap)
        lacking += _not_counted(run, standing) if len(lacking) > before else []
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


def standing_of(run: RunFacts, facts: Facts, sample: Sequence[TrialKey]) -> ReviewStanding:
    """Return the reviews of some trials that count for a run: blinded, of these results, and of what the material shows."""
    room = facts.rooms.get(run.name)
    return countable_reviews(
        (review for review in facts.reviews if review.results_digest == run.results_digest or review.key.run == run.name),
        sample=sample,
        results_digest=run.results_digest,
        names=_names_behind_the_blind(run),
        material=room.material.content_digest() if room is not None and room.material is not None else "",
        recorded={trial.key: trial.outcome.verdict for trial in run.trials},
    )


def drawn_again(run: RunFacts, facts: Facts, sample: ReviewSample) -> ReviewSample | None:
    """Return the sample as it must be; ``None`` when the validity run that it names is not here or of other tasks."""
    controls = next((item for item in facts.runs if item.name == sample.controls_run), None)
    if controls is None or controls.manifest.kind is not RunKind.VALIDITY or not facts.is_current(controls):
        return None
    known = ("drawn again", run.name)
    if known not in facts.memo:
        facts.memo[known] = draw_sample(
            run.results_digest,
            (run.manifest, run.trials),
            (controls.manifest, controls.trials),
            controls.results_digest,
            size=sample.size,
            each=sample.controls_each,
        )
    found: ReviewSample = facts.memo[known]
    return found


def _size(run: RunFacts, facts: Facts, policy: Policy) -> int:
    """Return how many trajectories are asked for: as many as were drawn, and never fewer than the policy says."""
    room = facts.rooms.get(run.name)
    return max(policy[SAMPLE], room.sample.size if room is not None and room.sample is not None else 0)


def _blind_gaps(run: RunFacts, facts: Facts, policy: Policy) -> list[Lack]:
    """Return what is wrong with the sample as it was drawn and with what readers were shown."""
    room = facts.rooms.get(run.name)
    if room is None or room.sample is None:
        return [lack(run.link, "a sample: none was drawn (faultline review sample)")]
    where = Link(label=f"{run.name}: sample", kind="file", target=f"runs/{run.name}/reviews/sample.json")
    right = drawn_again(run, facts, room.sample)
    if right is None:
        return [
            lack(where, f"the validity run {room.sample.controls_run}, of the tasks as they are, to draw the controls again")
        ]
    gaps = []
    if room.sample.size < policy[SAMPLE]:
        gaps.append(lack(where, f"{policy[SAMPLE]} trajectories: {room.sample.size} were asked for"))
    for stated, drawn, words in (
        (room.sample, right, "is not what the results draw"),
        (right, room.sample, "is drawn by the results and missing from the sample"),
    ):
        known = {item.canonical() for item in drawn.items}
        gaps += [
            lack(where, f"the drawn items: {item.item} ({_label(item.key)}) {words}")
            for item in stated.items
            if item.canonical() not in known
        ]
    if not gaps and room.sample != right:
        gaps.append(lack(where, "the digests of these results: the sample was drawn from others"))
    return gaps + _leaks(run, facts, room)


def _leaks(run: RunFacts, facts: Facts, room: ReviewRoom) -> list[Lack]:
    """Return where the material names somebody, or that there is none of this sample."""
    where = Link(label=f"{run.name}: material", kind="file", target=f"runs/{run.name}/reviews/material.json")
    if room.material is None or room.sample is None:
        return [lack(where, "what readers are shown: no packet was made (faultline review packet)")]
    if room.material.sample != room.sample.content_digest() or [item.item for item in room.material.items] != [
        item.item for item in room.sample.items
    ]:
        return [lack(where, "the items of this sample: it was made for another one")]
    controls = next((item.manifest for item in facts.runs if item.name == room.sample.controls_run), None)
    names = hidden_names(run.manifest) + (hidden_names(controls) if controls is not None else ())
    return [lack(where, f"names taken out: {leak} still tells who it was") for leak in leaks_of(room.material, names)]


def _settled(run: RunFacts, facts: Facts, standing: ReviewStanding) -> dict[TrialKey, str]:
    """Return what adjudications that weighed all counted readings say of the trials of a run; contradictions settle nothing."""
    room = facts.rooms.get(run.name)
    found: dict[TrialKey, set[str]] = {}
    for item in room.adjudications if room is not None else ():
        own = [review for review in standing.counted if review.key == item.key]
        readers = {person(review.reviewer) for review in own}
        if (
            item.reviews == weighed(own)
            and item.results_digest == run.results_digest
            and person(item.adjudicator) not in readers
        ):
            found.setdefault(item.key, set()).add(item.verdict)
    return {key: verdicts.pop() for key, verdicts in found.items() if len(verdicts) == 1}


def _gap(
    run: RunFacts, item: ItemStanding, traced: frozenset[TrialKey], people: int, settled: Mapping[TrialKey, str]
) -> Lack | None:
    """Return what a drawn trajectory lacks, if anything."""
    key = item.key
    where = Link(label=f"{run.name}: {_label(key)}", kind="run", target=run.name, anchor=_label(key))
    if key not in traced:
        return lack(where, "a trajectory: none is recorded")
    if item.disputed_by:
        verdict = next((trial.outcome.verdict for trial in run.trials if trial.key == key), None)
        if key not in settled:
            return lack(where, f"an explanation: {', '.join(item.disputed_by)} read another verdict than the recorded one")
        if settled[key] != verdict:
            return lack(where, f"a correction of the task: it was settled that the trial deserves {settled[key]}")
    missing = people - len(item.reviewers)
    return lack(where, f"{count_of(missing, 'more blinded reviewer')}") if missing > 0 else None


def _label(key: TrialKey) -> str:
    return f"{key.task}.{key.variant}.{key.agent}.{key.trial}"


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
        "fewer) have each been read by at least two people who saw neither agent nor verdict. What they were shown holds "
        "no name, and wherever somebody read another verdict than the recorded one, a third person settled it."
    ),
    why=(
        "Hidden checks see what they were written to see. Only people notice a pass that deserves none, and a failure that is "
        "unfair."
    ),
    remedy="Draw the sample, make a packet for each of two people or more, and collect what they send back.",
    command="faultline review sample <run>",
    reads=("tasks", "runs", "reviews"),
    thresholds=(SAMPLE, REVIEWERS),
    probe=probe,
)
