"""JUnit XML, as pytest and others write it: tests, not trials; imported alone, each test is a task with one trial.

With a plugin that runs failing tests again, every earlier attempt is an element without a child and looks passed: the last
element of a name counts, and the others are its attempts. The ``tests`` attribute is no count of distinct tests.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from faultline.errors import BadInputError, FaultlineError
from faultline.importers.interface import ForeignAgent, ForeignAttempt, ForeignRun, ForeignTask, ForeignTrial, Importer, Place
from faultline.importers.numbers import number
from faultline.importers.reading import Reading
from faultline.importers.rules import Rule, rules
from faultline.importers.times import iso_time
from faultline.importers.tree import SourceTree, decoded, shown
from faultline.kinds import safe_text

_CHILDREN = {"failure": "JU-01", "error": "JU-02", "skipped": "JU-03"}
_KNOWN_SUITE = {"name", "errors", "failures", "skipped", "tests", "time", "timestamp", "hostname"}
_KNOWN_CASE = {"classname", "name", "time"}
_LONGEST_COUNT = 9
MAX_REPORT = 64 * 2**20
"""Bytes of a report."""
AGENT_OPTIONS = {
    "agent": "Whose work was tested; the report does not say.",
    "model": "Its model.",
    "run": "A name for the run.",
}


@dataclass(frozen=True)
class _Case:
    """One element of a report."""

    name: str
    suite: str
    child: str
    kind: str
    text: str
    seconds: float | None
    position: int


class JUnit(Importer):
    """Reads reports in JUnit's XML format."""

    name = "junit"
    summary = "test reports in JUnit XML; each test is a task"
    options: ClassVar = AGENT_OPTIONS
    only_alone = True

    def recognises(self, tree: SourceTree) -> bool:
        """Return whether a file is XML with test suites."""
        return any(_is_report(tree, path) for path in tree.files)

    def read(self, reading: Reading) -> Iterator[ForeignRun]:
        """Yield a run for each report."""
        for path in reading.tree.files:
            if not _is_report(reading.tree, path):
                continue
            reading.used(path)
            try:
                yield _run(path, reading)
            except FaultlineError as error:
                reading.unreadable(error)


def _is_report(tree: SourceTree, path: str) -> bool:
    return path.endswith(".xml") and b"<testsuite" in tree.head(path)


def _run(path: str, reading: Reading) -> ForeignRun:
    root = parsed(reading.tree.content(path, MAX_REPORT), path)
    suites = [root] if root.tag == "testsuite" else root.findall(".//testsuite")
    if root.tag not in ("testsuite", "testsuites") or not suites:
        raise BadInputError(shown(path), "this is no JUnit report", expected="testsuites/testsuite/testcase", found=root.tag)
    reading.redactor.learn("host name", (suite.get("hostname") for suite in suites))
    for suite in suites:
        for key in set(suite.keys()) - _KNOWN_SUITE:
            reading.homeless[f"testsuite.{key}"] += 1
    cases = list(_cases(suites, reading))
    if not cases:
        raise BadInputError(shown(path), "this report holds no test", expected="testcase elements")
    groups: dict[tuple[str, str], list[_Case]] = {}
    for case in cases:
        groups.setdefault((case.suite, case.name), []).append(case)
    started = iso_time(suites[0].get("timestamp"))
    name = reading.option("run") or safe_text(root.get("name") or suites[0].get("name") or "junit", 100)
    trials = tuple(_trial(group, path, several=len(suites) > 1) for group in groups.values())
    return ForeignRun(
        name=name,
        native_id=reading.option("run") or f"{name} {suites[0].get('timestamp') or path}",
        agent=ForeignAgent(reading.option("agent"), model=reading.option("model")),
        tasks={trial.task: ForeignTask(trial.task) for trial in trials},
        trials=trials,
        files=(path,),
        harness=safe_text(suites[0].get("name") or "", 100),
        earlier_attempts=len(cases) - len(groups),
        notes=(*_notes(suites, cases, groups), *(() if started is None else (f"it began at {started.isoformat()}",))),
    )


def parsed(data: bytes, path: str) -> Element:
    """Return the root element of XML that declares no entity and no document type.

    Raises ``BadInputError`` for XML that is torn, or that could grow when it is read.
    """
    decoded(data, path)
    try:
        root: Element = fromstring(data, forbid_dtd=True)
    except ParseError as error:
        line, column = error.position
        here = f"{shown(path)}:{line}:{column + 1}"
        raise BadInputError(here, "this is not XML", found=safe_text(str(error), 120)) from error
    except (DefusedXmlException, RecursionError, ValueError, LookupError) as error:
        found = safe_text(str(error), 120)
        raise BadInputError(shown(path), "this XML declares what is never read, or cannot be read", found=found) from error
    return root


def _cases(suites: list[Element], reading: Reading) -> Iterator[_Case]:
    position = 0
    for suite in suites:
        for element in suite.findall("testcase"):
            position += 1
            for key in set(element.keys()) - _KNOWN_CASE:
                reading.homeless[f"testcase.{key}"] += 1
            child = next((item for item in element if item.tag in _CHILDREN), None)
            for item in element:
                if item.tag not in _CHILDREN:
                    reading.homeless[f"testcase/{safe_text(str(item.tag), 40)}"] += 1
            where = element.get("classname") or ""
            yield _Case(
                name=f"{where}::{element.get('name') or ''}" if where else element.get("name") or "",
                suite=suite.get("name") or "",
                child="" if child is None else str(child.tag),
                kind="" if child is None else child.get("type") or "",
                text="" if child is None else f"{child.get('message') or ''}\n{child.text or ''}".strip(),
                seconds=_seconds(element.get("time")),
                position=position,
            )


def _seconds(text: str | None) -> float | None:
    try:
        found = number(float(text)) if text else None
    except ValueError:
        return None
    return found if found is not None and found >= 0 else None


def _trial(group: list[_Case], path: str, *, several: bool) -> ForeignTrial:
    last = group[-1]
    rule: Rule = rules()[_CHILDREN.get(last.child, "JU-04")]
    verdict: dict[str, str | None] = {"": "passed", "failure": "failed", "error": None, "skipped": None}
    return ForeignTrial(
        native_id=f"{last.suite}/{last.name}" if several else last.name,
        task=f"{last.suite} / {last.name}" if several else last.name,
        place=Place(path, row=last.position),
        rule=rule,
        verdict=verdict[last.child],  # type: ignore[arg-type]  # one of the words above
        index=0,
        native_status=" ".join(part for part in (last.child, last.kind) if part),
        message=last.text,
        attempts=tuple(
            ForeignAttempt(grading_seconds=case.seconds, observed="run again" * (case is not last)) for case in group
        ),
    )


def _notes(suites: list[Element], cases: list[_Case], groups: dict[tuple[str, str], list[_Case]]) -> tuple[str, ...]:
    notes = ["these are tests and not trials of an agent: each stands as a task with one trial"]
    told = [suite.get("tests") or "" for suite in suites]
    counted = sum(int(text) for text in told if text.isascii() and text.isdigit() and len(text) < _LONGEST_COUNT)
    if counted != len(groups):
        notes.append(f"the attribute tests says {counted}; there are {len(groups)} distinct tests in {len(cases)} elements")
    flaky = sum(len(group) > 1 and not group[-1].child for group in groups.values())
    if flaky:
        notes.append(f"{flaky} passed only when run again")
    return tuple(notes)
