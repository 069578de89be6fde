"""The numbers of one night."""

from scoreboard.settle import count, settle


def _row(settled):
    """One row of the summary, over settled questions."""
    states, attempts = count(settled)
    return {
        "questions": len(settled),
        "passed": states[True],
        "unresolved": states[None],
        "attempts": attempts,
        "score": states[True] / len(settled),
    }


def summarise(attempts, policy):
    """Summarise the attempts of one night under a policy; the rows are described in the README."""
    settled = list(settle(attempts, policy))
    if not settled:
        raise ValueError("the log has no attempts")
    suites = {}
    for one in sorted(settled, key=lambda one: one.suite):
        suites.setdefault(one.suite, []).append(one)
    return {"counts": policy.counts, "overall": _row(settled), "suites": {name: _row(suites[name]) for name in suites}}
