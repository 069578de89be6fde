"""Under what protocol a run was made, and what differs between two of them: agents are compared under one protocol only."""

from collections.abc import Sequence

from faultline.gates import RunFacts, protocol_differences

SHOWN = 8
"""Differences beyond this many are counted instead of listed."""


def differences_among(runs: Sequence[RunFacts]) -> list[str]:
    """Return what differs between the protocols of some runs, each held against the first, in words; the most telling few."""
    found = [line for other in runs[1:] for line in protocol_differences(runs[0], other)]
    more = [f"and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
    return found[:SHOWN] + more
