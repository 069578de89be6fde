"""``ctrf``: gates, task validity and trials in the Common Test Report Format 1.0 (https://ctrf.io); times in milliseconds."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from faultline import __version__
from faultline.clock import Clock
from faultline.exporters.interface import Export, Exporter, Subject
from faultline.exporters.report import Case, Try, cases_of
from faultline.kinds import safe_text
from faultline.records import Absent

FILE = "faultline.ctrf.json"
STATUSES = {"passed": "passed", "failed": "failed", "error": "other", "skipped": "skipped"}
"""CTRF has no word for what could not be evaluated; ``other`` is no pass, and ``rawStatus`` has our word."""


class CtrfExporter(Exporter):
    """One report; attempts before the one that counts stand in ``retryAttempts``."""

    name = "ctrf"
    title = "gates and task validity as CTRF 1.0; the trials of runs that are named"
    needs = "tasks; sealed runs for the evidence"
    loses = "What an attempt used and cost, and reason codes with their numbers; a duration that nobody measured is 0."

    def export(self, subject: Subject, clock: Clock) -> Export:  # noqa: ARG002  (the records carry their own times)
        """Return one file."""
        as_of = subject.card.as_of
        report = ctrf_report(cases_of(subject), None if isinstance(as_of, Absent) else as_of, subject.gate_status)
        return Export({FILE: json.dumps(report, indent=1, ensure_ascii=True).encode("ascii") + b"\n"})


def ctrf_report(cases: Sequence[Case], as_of: datetime | None, status: str) -> dict[str, Any]:
    """Return a report; ``as_of`` is when the newest record was sealed, at which the state that it describes began."""
    words = [STATUSES[case.outcome] for case in cases]
    moment = 0 if as_of is None else _milliseconds(as_of)
    report: dict[str, Any] = {
        "reportFormat": "CTRF",
        "specVersion": "1.0.0",
        "generatedBy": f"faultline {__version__}",
        "results": {
            "tool": {"name": "faultline", "version": __version__},
            "summary": {
                "tests": len(cases),
                **{word: words.count(word) for word in ("passed", "failed", "skipped", "pending", "other")},
                "flaky": sum(_flaky(case) for case in cases),
                "suites": len({case.suite for case in cases}),
                "start": moment,
                "stop": moment,
            },
            "tests": [_test(case) for case in cases],
        },
        "extra": {"gates": status},
    }
    if as_of is not None:
        report["timestamp"] = f"{as_of:%Y-%m-%dT%H:%M:%SZ}"
    return report


def _test(case: Case) -> dict[str, Any]:
    test: dict[str, Any] = {
        "name": safe_text(case.name),
        "status": STATUSES[case.outcome],
        "rawStatus": case.raw,
        "duration": 0 if case.seconds is None else round(1_000 * case.seconds),
        "suite": [safe_text(case.suite)],
        "labels": {"duration_known": case.seconds is not None},
    }
    if case.message:
        test["message"] = safe_text(case.message)
    if case.detail:
        test["trace"] = safe_text(case.detail, 8_000)
    if case.started_at is not None:
        test["start"] = _milliseconds(case.started_at)
    if case.tries:
        test |= {"retries": len(case.tries), "retryAttempts": [_attempt(item) for item in case.tries], "flaky": _flaky(case)}
    return test


def _attempt(item: Try) -> dict[str, Any]:
    """Return an earlier attempt: one that was judged did not pass, or no other would have followed; others have no verdict."""
    attempt: dict[str, Any] = {
        "attempt": item.number,
        "status": "failed" if item.end == "judged" else "other",
        "extra": {"end": item.end},
    }
    if item.observed:
        attempt["message"] = safe_text(item.observed)
    if item.seconds is not None:
        attempt["duration"] = round(1_000 * item.seconds)
    return attempt


def _flaky(case: Case) -> bool:
    return case.outcome == "passed" and any(item.end == "judged" for item in case.tries)


def _milliseconds(moment: datetime) -> int:
    return round(1_000 * moment.timestamp())
