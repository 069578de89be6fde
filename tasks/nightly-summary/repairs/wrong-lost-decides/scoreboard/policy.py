"""What the settings say about attempts."""

from dataclasses import dataclass

COUNTS = ("first", "last")
INFRASTRUCTURE = ("host-lost", "disk-full")


@dataclass(frozen=True)
class Policy:
    """Which attempt counts, and which outcomes are no verdict on the model."""

    counts: str = "last"
    infrastructure: frozenset = frozenset(INFRASTRUCTURE)

    def is_lost(self, attempt):
        """Whether the machine failed, so that nothing is known about the model."""
        return attempt.outcome in self.infrastructure

    def deciding(self, attempts):
        """The attempt that decides a question, given all attempts at it; None without a verdict."""
        choose = max if self.counts == "last" else min
        chosen = choose(attempts, key=lambda attempt: attempt.moment)
        return None if self.is_lost(chosen) else chosen


def policy_from(settings):
    """Make the policy from a settings dictionary; ValueError for a setting it does not know."""
    unknown = sorted(set(settings) - {"counts", "infrastructure"})
    if unknown:
        raise ValueError(f"unknown settings: {', '.join(unknown)}")
    counts = settings.get("counts", "last")
    if counts not in COUNTS:
        raise ValueError(f"counts is {counts!r}, expected one of {', '.join(COUNTS)}")
    return Policy(counts, frozenset(settings.get("infrastructure", INFRASTRUCTURE)))
