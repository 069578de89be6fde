"""The numbers of one night."""

from datetime import datetime, timezone


def _later(one, other):
    """Whether the first attempt is the later of the two."""
    at_one, at_other = (datetime.fromisoformat(a.finished).astimezone(timezone.utc) for a in (one, other))
    if at_one == at_other:
        return one.serial > other.serial
    return at_one > at_other


class Night:
    """The state of every question after the lines read so far."""

    def __init__(self, policy):
        self.policy = policy
        self.lines = {}
        self.verdicts = {}

    def add(self, attempt):
        key = (attempt.suite, attempt.question)
        self.lines[key] = self.lines.get(key, 0) + 1
        if self.policy.is_lost(attempt):
            return
        known = self.verdicts.get(key)
        if known is None:
            self.verdicts[key] = attempt
        elif self.policy.counts == "last" and _later(attempt, known):
            self.verdicts[key] = attempt
        elif self.policy.counts == "first" and _later(known, attempt):
            self.verdicts[key] = attempt

    def row(self, keys):
        keys = list(keys)
        verdicts = [self.verdicts[key] for key in keys if key in self.verdicts]
        passed = sum(1 for verdict in verdicts if verdict.passed)
        return {
            "questions": len(keys),
            "passed": passed,
            "unresolved": len(keys) - len(verdicts),
            "attempts": sum(self.lines[key] for key in keys),
            "score": passed / len(keys),
        }


def summarise(attempts, policy):
    """Summarise the attempts of one night under a policy; the rows are described in the README."""
    night = Night(policy)
    for attempt in attempts:
        night.add(attempt)
    if not night.lines:
        raise ValueError("the log has no attempts")
    names = sorted({suite for suite, _ in night.lines})
    return {
        "counts": policy.counts,
        "overall": night.row(night.lines),
        "suites": {name: night.row(key for key in night.lines if key[0] == name) for name in names},
    }
