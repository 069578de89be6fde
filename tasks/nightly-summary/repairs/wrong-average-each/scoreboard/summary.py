"""The numbers of one night."""

from collections import defaultdict


def _row(questions, policy):
    """One row of the summary; questions is a list with the attempts at each question."""
    passed, unresolved = 0.0, 0
    for attempts in questions:
        verdicts = [attempt.passed for attempt in attempts if not policy.is_lost(attempt)]
        if verdicts:
            passed += sum(verdicts) / len(verdicts)
        else:
            unresolved += 1
    return {
        "questions": len(questions),
        "passed": round(passed),
        "unresolved": unresolved,
        "attempts": sum(len(attempts) for attempts in questions),
        "score": passed / len(questions),
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
