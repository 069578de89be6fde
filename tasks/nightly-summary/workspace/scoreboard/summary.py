"""The numbers of one night."""

from collections import defaultdict


class Tally:
    """What has been seen of one suite so far."""

    def __init__(self):
        self.attempts = 0
        self.passed = 0
        self.graded = 0
        self.seen = set()
        self.resolved = set()

    def add(self, attempt, policy):
        self.attempts += 1
        self.seen.add(attempt.question)
        if policy.is_lost(attempt):
            return
        self.graded += 1
        self.passed += attempt.passed
        self.resolved.add(attempt.question)


def _row(tallies):
    """One row of the summary, over one tally or several."""
    questions = sum(len(tally.seen) for tally in tallies)
    graded = sum(tally.graded for tally in tallies)
    passed = sum(tally.passed for tally in tallies)
    return {
        "questions": questions,
        "passed": passed,
        "unresolved": questions - sum(len(tally.resolved) for tally in tallies),
        "attempts": sum(tally.attempts for tally in tallies),
        "score": passed / graded if graded else 0.0,
    }


def summarise(attempts, policy):
    """Summarise the attempts of one night under a policy; the rows are described in the README."""
    tallies = defaultdict(Tally)
    for attempt in attempts:
        tallies[attempt.suite].add(attempt, policy)
    if not tallies:
        raise ValueError("the log has no attempts")
    return {
        "counts": policy.counts,
        "overall": _row(tallies.values()),
        "suites": {name: _row([tallies[name]]) for name in sorted(tallies)},
    }
