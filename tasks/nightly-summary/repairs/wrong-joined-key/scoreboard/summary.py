"""The numbers of one night."""

from collections import defaultdict


def _row(questions, policy):
    """One row of the summary; questions is a list with the attempts at each question."""
    deciding = [policy.deciding(attempts) for attempts in questions]
    passed = sum(attempt is not None and attempt.passed for attempt in deciding)
    return {
        "questions": len(questions),
        "passed": passed,
        "unresolved": deciding.count(None),
        "attempts": sum(len(attempts) for attempts in questions),
        "score": passed / len(questions),
    }


def summarise(attempts, policy):
    """Summarise the attempts of one night under a policy; the rows are described in the README."""
    questions = defaultdict(list)
    for attempt in attempts:
        questions[f"{attempt.suite}/{attempt.question}"].append(attempt)
    if not questions:
        raise ValueError("the log has no attempts")
    suites = defaultdict(list)
    for group in questions.values():
        suites[group[0].suite].append(group)
    return {
        "counts": policy.counts,
        "overall": _row(list(questions.values()), policy),
        "suites": {name: _row(suites[name], policy) for name in sorted(suites)},
    }
