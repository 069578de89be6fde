"""Which trajectories people read: drawn from the digest of the results, so that nobody picks and anybody can repeat it."""

import hashlib
from collections.abc import Iterable, Mapping

from faultline.kinds import AgentKind, Digest, Verdict
from faultline.records import AgentIdentity, ReviewSample, RunManifest, SampledItem, Trial, TrialKey
from faultline.records.review import ItemRole


def sample_for_review(results_digest: Digest, trials: Iterable[Trial], size: int) -> tuple[TrialKey, ...]:
    """Draw trials for review, stratified by agent and by how the trial was counted.

    Inside a stratum the order is that of a hash of the results digest and the trial's key; the strata take turns, so that
    false passes and false failures are both looked for. Trials without a verdict have nothing to confirm and are not
    drawn. Returns all of them when there are fewer than ``size``.
    """
    strata: dict[tuple[str, str], list[tuple[str, TrialKey]]] = {}
    for trial in trials:
        if trial.outcome.scoreable:
            rank = _rank(results_digest, trial.key)
            strata.setdefault((trial.key.agent, trial.outcome.fold), []).append((rank, trial.key))
    queues = [sorted(strata[name], key=lambda item: item[0], reverse=True) for name in sorted(strata)]
    drawn: list[TrialKey] = []
    while len(drawn) < size and any(queues):
        for queue in queues:
            if queue and len(drawn) < size:
                drawn.append(queue.pop()[1])
    return tuple(drawn)


def controls_for_review(
    results_digest: Digest, trials: Iterable[Trial], agents: Mapping[str, AgentIdentity], tasks: Iterable[str], each: int
) -> tuple[tuple[TrialKey, ItemRole], ...]:
    """Draw good and bad controls from a validity run: repairs whose verdict is known, of the tasks that were evaluated.

    Good ones are the reference and the other valid repairs that passed, bad ones the wrong repairs that failed; the
    untouched workspace is left out, since anybody knows it. One trial stands for a repair, and the tasks take turns, in the
    order of a hash of the results digest. Returns at most ``each`` good ones and as many bad ones.
    """
    wanted = frozenset(tasks)
    strata: dict[tuple[ItemRole, str], dict[str, tuple[str, TrialKey]]] = {}
    for trial in trials:
        role = _role(trial, agents)
        if role is not None and trial.key.task in wanted:
            rank = _rank(results_digest, trial.key)
            repairs = strata.setdefault((role, trial.key.task), {})
            repairs[trial.key.agent] = min(
                repairs.get(trial.key.agent, (rank, trial.key)), (rank, trial.key), key=lambda it: it[0]
            )
    drawn: list[tuple[TrialKey, ItemRole]] = []
    roles: tuple[ItemRole, ...] = ("good-control", "bad-control")
    for role in roles:
        queues = [
            sorted(repairs.values(), key=lambda item: item[0], reverse=True)
            for (kind, _), repairs in sorted(strata.items())
            if kind == role
        ]
        # The tasks begin in an order that nobody chose.
        queues.sort(key=lambda queue: queue[-1][0])
        number = 0
        while number < each and any(queues):
            for queue in queues:
                if queue and number < each:
                    drawn.append((queue.pop()[1], role))
                    number += 1
    return tuple(drawn)


def draw_sample(
    results_digest: Digest,
    run: tuple[RunManifest, Iterable[Trial]],
    controls: tuple[RunManifest, Iterable[Trial]],
    controls_digest: Digest,
    *,
    size: int,
    each: int,
) -> ReviewSample:
    """Draw the sample of a run, with controls from a validity run; the same results give the same sample."""
    manifest, trials = run
    known, known_trials = controls
    agents = {agent.name: agent for agent in known.agents}
    chosen: list[tuple[TrialKey, ItemRole]] = [(key, "trajectory") for key in sample_for_review(results_digest, trials, size)]
    chosen += controls_for_review(results_digest, known_trials, agents, [pin.id for pin in manifest.tasks], each)
    return ReviewSample(
        schema_name="faultline/review-sample/1",
        run=manifest.run,
        results_digest=results_digest,
        size=size,
        controls_run=known.run,
        controls_digest=controls_digest,
        controls_each=each,
        items=tuple(
            sorted(
                (SampledItem(item=_rank(results_digest, key)[:16], key=key, role=role) for key, role in chosen),
                key=lambda item: item.item,
            )
        ),
    )


def _role(trial: Trial, agents: Mapping[str, AgentIdentity]) -> ItemRole | None:
    """Return what a trial of a validity run is good for: a control must have ended as it must."""
    agent = agents.get(trial.key.agent)
    if agent is None or agent.kind is AgentKind.NO_OP or not agent.kind.is_control:
        return None
    bad = trial.key.agent.startswith("wrong-")
    if trial.outcome.verdict is not (Verdict.FAILED if bad else Verdict.PASSED):
        return None
    return "bad-control" if bad else "good-control"


def _rank(results_digest: Digest, key: TrialKey) -> str:
    return hashlib.sha256(results_digest.encode() + b"\n" + key.canonical()).hexdigest()
