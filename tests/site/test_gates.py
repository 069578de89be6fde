"""The publication gate's page: each gate with its evidence, and what is missing."""

import factories
import pytest
from site_helpers import Html

from faultline.card import build_card
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
