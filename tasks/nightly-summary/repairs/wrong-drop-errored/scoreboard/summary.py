"""The numbers of one night."""

from collections import defaultdict


def _row(questions, policy):
    """One row of the summary; questions is a list with the attempts at each question."""
    deciding = [policy.deciding(attempts) for attempts in questions]
    passed = sum(attempt is not None and attempt.passed for attempt in deciding)
    resolved = len(questions) - deciding.count(None)
    return {
        "questions": len(questions),
        "passed": passed,
        "unresolved": deciding.count(None),
        "attempts": sum(len(attempts) for attempts in questions),
        "score": passed / resolved if resolved else 0.0,
    }


def summarise(attempts, policy):
    """Summarise the attempts of one night under a policy; the rows are described in the README."""
    suites = defaultdict(lambda: defaultdict(list))
    for attempt in attempts:
        suites[attempt.suite][attempt.question].append(attempt)
    if not suites:
        raise ValueError("the log has no attempts")
    return {
        "counts": policy.counts,
        "overall": _row([one for suite in suites.values() for one in suite.values()], policy),
        "suites": {name: _row(list(suites[name].values()), policy) for name in sorted(suites)},
    }
