"""The glossary."""

import pytest

from faultline.card.build_glossary import glossary
from faultline.checks import CANDIDATE_ERRORS
from faultline.gates import GATES, THRESHOLDS
from faultline.kinds import (
    Absence,
    AgentKind,
    Blame,
    Estimand,
    Fold,
    Mode,
    PublicTouch,
    RetryPolicy,
    RunKind,
    SandboxLevel,
    StatusClass,
    Verdict,
)

TERMS = glossary()


@pytest.mark.parametrize(
    "words",
    [Absence, AgentKind, Blame, Estimand, Fold, Mode, PublicTouch, RetryPolicy, RunKind, SandboxLevel, StatusClass, Verdict],
)
def test_every_word_is_explained(words):
    """
    Each word of the vocabulary is in the glossary with its own meaning.
    """
    explained = {(term.word, term.meaning) for term in TERMS}

    assert {(word.value, word.meaning) for word in words} <= explained


def test_every_gate_and_every_threshold_is_explained():
    """
    A gate stands with what must hold, a threshold with what it counts.
    """
    explained = {(term.group, term.word): term.meaning for term in TERMS}

    assert {("Gate", f"{gate.id} {gate.name}"): gate.predicate for gate in GATES}.items() <= explained.items()
    assert {("Threshold of a gate", item.name): item.meaning for item in THRESHOLDS}.items() <= explained.items()


def test_reason_codes_that_any_check_can_end_with():
    """
    The codes that a candidate's process can end with are explained too.
    """
    assert set(CANDIDATE_ERRORS) <= {term.word for term in TERMS}


def test_no_term_is_empty_or_twice():
    """
    Every term says something, once a group.
    """
    assert all(term.meaning for term in TERMS)
    assert len(TERMS) == len({(term.group, term.word) for term in TERMS})
