"""``junit``: gates, task validity and trials as JUnit XML, in the form that pytest writes and CI systems read."""

import re
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET  # only writes; nothing is parsed here

from faultline.clock import Clock
from faultline.exporters.interface import Export, Exporter, Subject
from faultline.exporters.report import Case, cases_of
from faultline.kinds import safe_text

FILE = "faultline.junit.xml"
_NOT_XML = re.compile("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class JUnitExporter(Exporter):
    """Failure: it does not hold; error: it could not be evaluated; skipped: the question does not arise."""

    name = "junit"
    title = "gates and task validity as JUnit XML; the trials of runs that are named"
    needs = "tasks; sealed runs for the evidence"
    loses = (
        "What an attempt used and cost, reason codes with their numbers, and attempts before the one that counts, "
        "of which only the number is kept."
    )

    def export(self, subject: Subject, clock: Clock) -> Export:  # noqa: ARG002  (the records carry their own times)
        """Return one file."""
        return Export({FILE: junit_xml(cases_of(subject), subject.gate_status)})


def junit_xml(cases: Iterable[Case], status: str = "") -> bytes:
    """Return test cases as JUnit XML, suites in the order in which they first occur; text from runs is escaped.

    There is no host name, and no time where none was measured.
    """
    cases = list(cases)
    root = ET.Element("testsuites", {"name": "faultline"} | _counts(cases))
    suites: dict[str, list[Case]] = {}
    for case in cases:
        suites.setdefault(case.suite, []).append(case)
    for name, members in suites.items():
        suite = ET.SubElement(root, "testsuite", {"name": _text(name)} | _counts(members))
        if status:
            ET.SubElement(ET.SubElement(suite, "properties"), "property", name="gates", value=_text(status))
        for case in members:
            _case(suite, case)
    ET.indent(root)
    text: str = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _counts(cases: Sequence[Case]) -> dict[str, str]:
    words = {"failures": "failed", "errors": "error", "skipped": "skipped"}
    return {"tests": str(len(cases))} | {name: str(sum(case.outcome == word for case in cases)) for name, word in words.items()}


def _case(suite: ET.Element, case: Case) -> None:
    element = ET.SubElement(suite, "testcase", classname=_text(case.suite), name=_text(case.name))
    if case.seconds is not None:
        element.set("time", f"{case.seconds:.3f}")
    if case.tries:
        properties = ET.SubElement(element, "properties")
        ET.SubElement(properties, "property", name="attempts", value=str(len(case.tries) + 1))
    words = {"failed": "failure", "error": "error", "skipped": "skipped"}
    if case.outcome in words:
        child = ET.SubElement(element, words[case.outcome], type=_text(case.raw), message=_text(case.message))
        child.text = _text(case.detail)
    if case.saw:
        ET.SubElement(element, "system-out").text = _text(case.saw)


def _text(text: str) -> str:
    """Return text that XML 1.0 can hold: what it cannot is escaped as in every record."""
    return _NOT_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", safe_text(text, 8_000))
