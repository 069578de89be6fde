"""Which trajectories people read: drawn from the digest of the results, so that nobody picks and anybody can repeat it."""

import hashlib
from collections.abc import Iterable

from faultline.kinds import Digest
from faultline.records import Trial, TrialKey


def sample_for_review(results_digest: Digest, trials: Iterable[Trial], size: int) -> tuple[TrialKey, ...]:
    """Draw trials for review, stratified by agent and by how the trial was counted.

    Inside a stratum the order is that of a hash of the results digest and the trial's key; the strata take turns, so that
    false passes and false failures are both looked for. Trials without a verdict have nothing to confirm and are not
    drawn. Returns all of them when there are fewer than ``size``.
    """
    strata: dict[tuple[str, str], list[tuple[str, TrialKey]]] = {}
    for trial in trials:
        if trial.outcome.scoreable:
            rank = hashlib.sha256(results_digest.encode() + b"\n" + trial.key.canonical()).hexdigest()
            strata.setdefault((trial.key.agent, trial.outcome.fold), []).append((rank, trial.key))
    queues = [sorted(strata[name], key=lambda item: item[0], reverse=True) for name in sorted(strata)]
    drawn: list[TrialKey] = []
    while len(drawn) < size and any(queues):
        for queue in queues:
            if queue and len(drawn) < size:
                drawn.append(queue.pop()[1])
    return tuple(drawn)
