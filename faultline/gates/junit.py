"""The gate report as JUnit XML, for systems that run tests: one case a gate.

``failure`` is a gate that does not hold, ``error`` one that could not be evaluated, ``skipped`` one that does not apply.
Nothing of a clock or a machine is in it, so that the same report gives the same bytes.
"""

import re
import xml.etree.ElementTree as ET

from faultline.gates.model import GateReport, GateResult

CLASS = "faultline.gates"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even escaped."""


def junit(report: GateReport) -> bytes:
    """Return a report as an XML document in UTF-8; well formed whatever its texts hold."""
    errors = sum(gate.outcome == "error" for gate in report.gates)
    skipped = sum(gate.outcome == "not-applicable" for gate in report.gates)
    counts = {
        "tests": str(len(report.gates)),
        "failures": str(len(report.gates) - report.holding - errors - skipped),
        "errors": str(errors),
        "skipped": str(skipped),
    }
    root = ET.Element("testsuites", {"name": "faultline"} | counts)
    suite = ET.SubElement(root, "testsuite", {"name": CLASS} | counts)
    for gate in report.gates:
        _case(suite, gate)
    ET.indent(root)
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _case(suite: ET.Element, gate: GateResult) -> None:
    case = ET.SubElement(suite, "testcase", {"classname": CLASS, "name": _clean(f"{gate.id} {gate.name}")})
    if not gate.holds:
        kind = {"error": "error", "not-applicable": "skipped"}.get(gate.outcome, "failure")
        found = ET.SubElement(case, kind, {"message": _clean(gate.headline)})
        if kind != "skipped":
            found.set("type", gate.outcome)
        found.text = _clean("\n".join(_lines(gate)))
    ET.SubElement(case, "system-out").text = _clean(f"{gate.saw} ({_amount(gate)})")


def _lines(gate: GateResult) -> list[str]:
    lines = [f"must hold: {gate.predicate}"]
    lines += [f"lacks: {lack.what.label}: {lack.needs}" for lack in gate.lacking]
    return [*lines, f"next: {gate.remedy}" + (f" ({gate.command})" if gate.command else "")]


def _amount(gate: GateResult) -> str:
    return (f"{gate.observed} of {gate.needed} {gate.unit}" if gate.needed else f"{gate.observed} {gate.unit}").strip()


def _clean(text: str) -> str:
    """Return a text with what XML cannot hold put as an escape."""
    return _NOT_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
