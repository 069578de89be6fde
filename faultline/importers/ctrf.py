"""CTRF reports (Common Test Report Format, MIT): tests with retries; ``rawStatus`` carries what ``status`` loses.

Reports of an older plugin, without ``reportFormat``, give seconds where the format says milliseconds.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

from faultline.errors import BadInputError, FaultlineError
from faultline.importers.interface import ForeignAgent, ForeignAttempt, ForeignRun, ForeignTask, ForeignTrial, Importer, Place
from faultline.importers.junit import AGENT_OPTIONS
from faultline.importers.numbers import number
from faultline.importers.reading import Reading
from faultline.importers.rules import rules
from faultline.importers.times import epoch_time, iso_time
from faultline.importers.tree import SourceTree, shown
from faultline.kinds import safe_text
from faultline.records import TestCounts

_RAW = {"call_failed": "CT-01", "setup_failed": "CT-02", "teardown_failed": "CT-03"}
_STATUS = {"passed": "CT-04", "failed": "CT-05", "skipped": "CT-06", "pending": "CT-06", "other": "CT-07"}
_KNOWN = {
    "name",
    "status",
    "rawStatus",
    "duration",
    "start",
    "stop",
    "suite",
    "retries",
    "retryAttempts",
    "flaky",
    "message",
    "trace",
}


class Ctrf(Importer):
    """Reads CTRF reports."""

    name = "ctrf"
    summary = "test reports in CTRF JSON; each test is a task"
    options: ClassVar = AGENT_OPTIONS
    only_alone = True

    def recognises(self, tree: SourceTree) -> bool:
        """Return whether a file names the format, and no job of a harness lies around it."""
        return any(path.endswith(".json") and b'"CTRF"' in tree.head(path) for path in tree.files)

    def read(self, reading: Reading) -> Iterator[ForeignRun]:
        """Yield a run for each report."""
        for path in reading.tree.files:
            if not path.endswith(".json") or not is_report(reading.tree.head(path)):
                continue
            reading.used(path)
            try:
                yield _run(path, reading)
            except FaultlineError as error:
                reading.unreadable(error)


def is_report(head: bytes) -> bool:
    """Return whether the first bytes are those of a report, also of the older form without the format's name."""
    return b'"CTRF"' in head or (b'"results"' in head and b'"tool"' in head and b'"summary"' in head)


def counts(report: object) -> TestCounts | None:
    """Return how the tests of a report ended; ``None`` when it is none."""
    tests = _tests(report)
    if tests is None:
        return None
    words = [test.get("status") for test in tests if isinstance(test, dict)]
    passed, failed = words.count("passed"), words.count("failed")
    return TestCounts(passed=passed, failed=failed, other=len(words) - passed - failed)


def _tests(report: object) -> list[Any] | None:
    results = report.get("results") if isinstance(report, dict) else None
    tests = results.get("tests") if isinstance(results, dict) else None
    return tests if isinstance(tests, list) else None


def _run(path: str, reading: Reading) -> ForeignRun:
    report = reading.tree.json(path)
    tests = _tests(report)
    if tests is None or not tests:
        raise BadInputError(shown(path), "this report holds no test", expected="results.tests")
    tool = report["results"].get("tool")
    tool = tool if isinstance(tool, dict) else {}
    older = report.get("reportFormat") != "CTRF"
    trials, attempts = [], 0
    for position, test in enumerate(tests, start=1):
        try:
            trial = _trial(test, Place(path, row=position), reading, older=older)
        except FaultlineError as error:
            reading.unreadable(error)
            continue
        attempts += len(trial.attempts) - 1
        trials.append(trial)
    name = reading.option("run") or safe_text(str(tool.get("name") or "ctrf"), 100)
    made = report.get("reportId") or report.get("timestamp") or path
    return ForeignRun(
        name=name,
        native_id=reading.option("run") or f"{name} {made}",
        agent=ForeignAgent(reading.option("agent"), model=reading.option("model")),
        tasks={trial.task: ForeignTask(trial.task) for trial in trials},
        trials=tuple(trials),
        files=(path,),
        harness=safe_text(str(tool.get("name") or ""), 100),
        harness_version=safe_text(str(tool.get("version") or ""), 100),
        earlier_attempts=attempts,
        notes=_notes(report, trials, older=older),
    )


def _trial(test: object, place: Place, reading: Reading, *, older: bool) -> ForeignTrial:
    if not isinstance(test, dict) or not isinstance(test.get("name"), str):
        raise BadInputError(str(place), "a test is an object with a name", found=safe_text(repr(test), 80))
    status = test.get("status")
    if not isinstance(status, str) or status not in _STATUS:
        raise BadInputError(
            str(place), "this status is not one of the format's", expected=", ".join(_STATUS), found=repr(status)
        )
    for key in test.keys() - _KNOWN:
        reading.homeless[f"tests[].{safe_text(key, 60)}"] += 1
    raw = test.get("rawStatus")
    rule = rules()[_RAW.get(raw, _STATUS[status]) if isinstance(raw, str) and status == "failed" else _STATUS[status]]
    scored = rule.scoreable == "yes"
    earlier = test.get("retryAttempts")
    earlier = [item for item in earlier if isinstance(item, dict)] if isinstance(earlier, list) else []
    told = test.get("retries")
    message = "\n".join(text for key in ("message", "trace") if isinstance(text := test.get(key), str))
    return ForeignTrial(
        native_id=test["name"],
        task=test["name"],
        place=place,
        rule=rule,
        verdict=("passed" if status == "passed" else "failed") if scored else None,
        index=0,
        native_status=" ".join(str(word) for word in (status, raw) if word),
        message=message,
        attempts=(*(_attempt(item, older=older, observed="run again") for item in earlier), _attempt(test, older=older)),
        attempts_complete=not isinstance(told, int) or told <= len(earlier),
    )


def _attempt(test: dict[str, Any], *, older: bool, observed: str = "") -> ForeignAttempt:
    took = number(test.get("duration"))
    return ForeignAttempt(
        started_at=epoch_time(test.get("start")),
        ended_at=epoch_time(test.get("stop")),
        grading_seconds=None if took is None or took < 0 else took if older else took / 1000,
        observed=observed,
    )


def _notes(report: dict[str, Any], trials: list[ForeignTrial], *, older: bool) -> tuple[str, ...]:
    notes = ["these are tests and not trials of an agent: each stands as a task with one trial"]
    if older:
        notes.append("an older plugin wrote this report: it names no format, and gives seconds")
    flaky = sum(trial.verdict == "passed" and len(trial.attempts) > 1 for trial in trials)
    if flaky:
        notes.append(f"{flaky} passed only when run again")
    summary = report["results"].get("summary")
    told = summary.get("passed") if isinstance(summary, dict) else None
    passed = sum(trial.verdict == "passed" for trial in trials)
    if isinstance(told, int) and told != passed:
        notes.append(f"the summary says {told} passed; the tests say {passed}")
    made = iso_time(report.get("timestamp"))
    if made is not None:
        notes.append(f"the report was written at {made.isoformat()}")
    return tuple(notes)
