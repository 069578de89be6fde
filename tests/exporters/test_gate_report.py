"""The gate report as JUnit XML."""

import xml.etree.ElementTree as ET

import factories
from hypothesis import given
from hypothesis import strategies as st

from faultline.exporters.junit import junit_xml
from faultline.exporters.report import gate_case
from faultline.gates import GATES, Finding, GateReport, Lack, Link, evaluate, gate_policy, gather
from faultline.gates.gate import Gate

POLICY = gate_policy()


def junit(report):
    """Return a gate report as ``faultline gates --junit`` writes it."""
    return junit_xml(gate_case(gate) for gate in report.gates)


def report(*outcomes, text="t"):
    """Return a report of gates that end in some outcomes and say some text everywhere."""
    page = Link(label=text[:200], kind="page", target="x")
    finding = {
        outcome: Finding(outcome, text[:200], text, observed="0", unit="u", lacking=(Lack(what=page, needs=text[:200]),))
        for outcome in outcomes
    }
    gates = tuple(
        Gate(
            id=f"G{number}",
            name=text[:50],
            predicate=text[:200],
            why="w",
            remedy="r",
            command="c",
            reads=(),
            thresholds=(),
            probe=lambda _facts, _policy, outcome=outcome: finding[outcome],
        ).answer(gather(factories.benchmark()), POLICY, publishing=True)
        for number, outcome in enumerate(outcomes, start=1)
    )
    return GateReport(gates=gates, policy=(), holding=sum(gate.holds for gate in gates), total=len(gates))


def test_one_case_a_gate():
    """
    Every gate is a case of the class faultline.gates, by id and name; those that hold have no child that says otherwise.
    """
    found = ET.fromstring(junit(evaluate(gather(factories.full()), POLICY, publishing=False).report))
    cases = found.findall("testsuite/testcase")

    assert [f"{gate.id} {gate.name}" for gate in GATES] == [case.get("name") for case in cases]
    assert {"faultline.gates"} == {case.get("classname") for case in cases}
    assert [["system-out"]] * len(GATES) == [[child.tag for child in case] for case in cases]


def test_what_each_outcome_becomes():
    """
    Only a gate that could not be evaluated is an error, and only one that does not apply is skipped.
    """
    found = ET.fromstring(junit(report("pass", "fail", "not-run", "inconclusive", "error", "not-applicable")))
    cases = found.findall("testsuite/testcase")

    assert ["system-out", "failure", "failure", "failure", "error", "skipped"] == [case[0].tag for case in cases]
    assert ("6", "3", "1", "1") == tuple(found.get(name) for name in ("tests", "failures", "errors", "skipped"))
    assert found.attrib == found[0].attrib | {"name": "faultline"}


def test_a_failure_says_what_is_missing_and_what_to_do():
    """
    The text of a failure has the predicate, each lack with its place, and the next step.
    """
    found = ET.fromstring(junit(evaluate(gather(factories.small()), POLICY, publishing=False).report))
    text = next(case for case in found.iter("testcase") if case.get("name").startswith("G1 "))[0].text

    assert "must hold: At least 20 distinct task families" in text
    assert "lacks: Audits: 18 more task families to audit" in text
    assert "next: Ask two people" in text


@given(st.text(alphabet=st.characters(), max_size=120))
def test_any_text_is_well_formed(text):
    """
    Whatever a text holds (mark-up, controls, half of a pair of surrogates), the document can be read.
    """
    found = ET.fromstring(junit(report("fail", text=text.encode("utf-8", "replace").decode())))

    assert 1 == len(found.findall("testsuite/testcase/failure"))


def test_what_xml_cannot_hold_is_escaped():
    """
    Control characters and code points that XML does not know are put as escapes; mark-up stays text.
    """
    found = ET.fromstring(junit(report("fail", text="]]><x>&\x00\x1b\ufffe")))

    assert "]]><x>&\\x00\\x1b\\ufffe" == found.find("testsuite/testcase/failure").get("message")


def test_the_same_report_gives_the_same_bytes():
    """
    Neither time nor machine is in the document.
    """
    facts = gather(factories.small())

    assert junit(evaluate(facts, POLICY).report) == junit(evaluate(facts, POLICY).report)
