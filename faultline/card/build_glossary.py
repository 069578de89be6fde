"""The glossary, made from the words' own meanings, so that no page defines a word a second time."""

from faultline.card.model import TermCard
from faultline.checks import CANDIDATE_ERRORS
from faultline.gates import GATES, OUTCOMES, THRESHOLDS
from faultline.kinds import (
    Absence,
    AgentKind,
    AuditQuestion,
    Blame,
    Estimand,
    Fold,
    Mode,
    PublicTouch,
    RetryPolicy,
    RunKind,
    SandboxLevel,
    SignatureState,
    StatusClass,
    Verdict,
    Word,
)
from faultline.statistics import Scope, Status

_GROUPS: tuple[tuple[str, type[Word]], ...] = (
    ("Verdict", Verdict),
    ("Counted as", Fold),
    ("Status class", StatusClass),
    ("Blame", Blame),
    ("Mode", Mode),
    ("Public test", PublicTouch),
    ("Absence", Absence),
    ("Kind of run", RunKind),
    ("Kind of agent", AgentKind),
    ("Sandbox level", SandboxLevel),
    ("Retry policy", RetryPolicy),
    ("Estimand", Estimand),
    ("Question to an auditor", AuditQuestion),
    ("Signature of an audit", SignatureState),
    ("Scope of an interval", Scope),
    ("Status of an estimate", Status),
)


def glossary() -> tuple[TermCard, ...]:
    """Return every word of the vocabulary with what follows from it, group by group."""
    terms = [TermCard(group=group, word=word.value, meaning=word.meaning) for group, words in _GROUPS for word in words]
    terms += [TermCard(group="Outcome of a gate", word=word, meaning=meaning) for word, meaning in OUTCOMES.items()]
    terms += [TermCard(group="Gate", word=f"{gate.id} {gate.name}", meaning=gate.predicate) for gate in GATES]
    terms += [TermCard(group="Threshold of a gate", word=item.name, meaning=item.meaning) for item in THRESHOLDS]
    terms += [
        TermCard(group="Reason code of any check", word=code, meaning=meaning) for code, meaning in CANDIDATE_ERRORS.items()
    ]
    return tuple(terms)
