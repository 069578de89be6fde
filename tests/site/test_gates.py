"""The publication gate's page: each gate with its evidence, and what is missing."""

import factories
import pytest
from site_helpers import Html

from faultline.card import build_card
from faultline.card.model import Lack, Link
from faultline.gates import OUTCOMES
from faultline.site.shell import Shell


@pytest.fixture
def page(small_pages):
    return small_pages["publication-gate.html"]


def test_each_gate_has_its_anchor_and_its_sentences(page, small_card):
    """
    A gate is found at its id and says what is the case, what must hold, why, and what was looked at.
    """
    for gate in small_card.report.gates:
        assert gate.id.lower() in page.ids
        for sentence in (gate.name, gate.headline, gate.predicate, gate.why, gate.saw):
            assert " ".join(sentence.split()) in page.words


def test_what_is_missing_is_named_with_the_next_step(page, small_card):
    """
    A gate that does not hold lists each lack and what to do next.
    """
    for gate in small_card.report.gates:
        if not gate.holds:
            assert gate.remedy in page.words
            assert all(lack.needs in page.words for lack in gate.lacking[:60])


def page_of(card):
    shell = Shell(card)
    return Html(shell.body(shell.pages["publication-gate"]))


def with_gates(card, *gates, **changes):
    """Return a card whose report has some gates, whatever they are, and nothing else."""
    holding = sum(gate.holds for gate in gates)
    report = card.report.model_copy(update={"gates": gates, "holding": holding, "total": len(gates), **changes})
    return card.model_copy(update={"report": report})


WORDS = {
    "pass": "Holds",
    "fail": "Does not hold",
    "not-run": "Not run",
    "not-applicable": "Not applicable",
    "inconclusive": "Inconclusive",
    "error": "Error",
}


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_every_outcome_has_what_a_sceptical_reader_needs(small_card, outcome):
    """
    Whatever a gate found: its state in words and what follows from it, the claim, why it is asked, what was seen, the
    evidence with its file and digest, and, unless it holds, what to do next with the command and how to ask again.
    """
    task, run = small_card.tasks[0], small_card.runs[0]
    links = (
        Link(label=task.id, kind="task", target=task.id),
        Link(label=run.run, kind="run", target=run.run),
        Link(label="the audits", kind="file", target=f"tasks/{task.id}/audits"),
    )
    lacking = (Lack(what=links[0], needs="one more reader"),)
    gate = small_card.report.gates[0].model_copy(
        update={
            "id": "G77",
            "name": "A gate that came later",
            "outcome": outcome,
            "evidence": links,
            "lacking": () if outcome == "pass" else lacking,
            "remedy": "Ask one more person.",
            "command": "faultline audit new; faultline audit check",
        }
    )
    page = page_of(with_gates(small_card, gate))

    assert "g77" in page.ids
    for sentence in (WORDS[outcome], OUTCOMES[outcome], gate.headline, gate.predicate, gate.why, gate.saw):
        assert " ".join(sentence.split()) in page.words
    for path in (f"tasks/{task.id}/", f"runs/{run.run}/seal.json", f"tasks/{task.id}/audits"):
        assert path in page.words
    assert {task.digest, run.seal_digest} <= {element.attributes.get("title") for element in page.all("code")}
    steps = "Ask one more person. faultline audit new faultline audit check Ask the gates again: faultline gates"
    assert (outcome != "pass") == (steps in page.words)
    assert (outcome != "pass") == ("one more reader" in page.words)


def test_what_to_do_next_needs_no_click(small_card):
    """
    Claim and evidence of each gate unfold, so that fifteen of them can be overlooked; what to do next stands open.
    """
    gate = small_card.report.gates[0].model_copy(update={"outcome": "fail", "remedy": "Ask one more person."})
    page = page_of(with_gates(small_card, gate))

    assert [] == [element for element in page.all("details") if "open" in element.attributes]
    assert [("ol", False)] == [
        (element.tag, "details" in element.inside)
        for element in page.all("ol")
        if element.attributes.get("class") == "fl-steps"
    ]


def test_a_gate_that_was_not_run_has_no_bar(small_card):
    """
    Where nothing was observed there is neither unit nor bar, which would look like zero.
    """
    gate = small_card.report.gates[0].model_copy(
        update={"outcome": "not-run", "observed": "", "needed": "", "unit": "bushels", "share": 0.0}
    )
    page = page_of(with_gates(small_card, gate))

    assert "bushels" not in page.words
    assert "fl-meter" not in {element.attributes.get("class") for element in page.all("div")}


def test_what_needs_attention_comes_first(small_card):
    """
    Errors stand before failures, failures before what was not run, and what holds last; inside, in the order of the report.
    """
    gates = [
        small_card.report.gates[0].model_copy(update={"id": f"G{place}", "outcome": outcome})
        for place, outcome in ((31, "pass"), (32, "not-run"), (33, "fail"), (34, "error"), (35, "fail"), (36, "inconclusive"))
    ]
    ids = [name for name in page_of(with_gates(small_card, *gates)).ids if name.startswith("g3") and "-" not in name]

    assert ["g34", "g33", "g35", "g36", "g32", "g31"] == ids


def test_all_gates_stand_in_one_table_with_their_numbers(page, small_card):
    """
    Before any detail a table has every gate of the report with its state, what was seen and what is needed.
    """
    for gate in small_card.report.gates:
        number = f"{gate.observed} / {gate.needed} {gate.unit}" if gate.needed else f"{gate.observed} {gate.unit}"
        assert f"{gate.id} {gate.name} {WORDS[gate.outcome]} {number if gate.observed else 'no number'}" in page.words


def test_a_stricter_threshold_stands_with_its_gate_and_its_origin():
    """
    A threshold that a benchmark raised is shown at its gate with the floor and the file it was raised in.
    """
    card = build_card(factories.benchmark(gates={"audited_families": 25}, gates_origin="pyproject.toml"))
    page = page_of(card)

    assert "audited_families at least 25, stricter than its floor (at least 20) by pyproject.toml" in page.words
    assert f"1 of {len(card.report.policy)} is stricter here" in page.words


def test_much_evidence_is_counted_and_not_listed(small_card):
    """
    Beyond what a person reads the page counts the rest and names the command that prints it.
    """
    link = Link(label="a task", kind="task", target="task-00")
    gate = small_card.report.gates[0].model_copy(update={"evidence": (link,) * 45})

    assert "5 more stand in faultline gates --json" in page_of(with_gates(small_card, gate)).words


def test_without_evidence_the_page_says_so(small_card):
    """
    A gate that had nothing to look at says that, instead of an empty place.
    """
    gate = small_card.report.gates[0].model_copy(update={"evidence": ()})

    assert "No evidence was there to look at." in page_of(with_gates(small_card, gate)).words


def test_the_policy_in_force_is_printed(page, small_card):
    """
    Every threshold stands with its value, its floor, where it comes from and what it counts.
    """
    for row in small_card.report.policy:
        assert f"{row.name} {row.gate} {row.value} {row.floor} {row.origin} {row.meaning}" in page.words


def test_an_open_gate_says_so(open_card):
    """
    With every gate open the page says why the ranking may stand and lists nothing as missing.
    """
    shell = Shell(open_card)

    words = Html(shell.body(shell.pages["publication-gate"])).words

    assert "Why this ranking may stand" in words
    assert "Does not hold" not in words


def test_unreadable_records_come_first():
    """
    Records that cannot be read are listed before the gates.
    """
    card = build_card(factories.small()).model_copy(update={"problems": ("runs/x: damaged",)})
    shell = Shell(card)

    words = Html(shell.body(shell.pages["publication-gate"])).words

    assert words.index("runs/x: damaged") < words.index("G1")
