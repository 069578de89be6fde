"""Which audits of a task count, and what the worst of them says.

An audit counts when it examined the task as it is now, was made by somebody other than the author, judges every hidden
check, answers every question, and is signed where its auditor has a key. Severities follow the worst-label rule: the most
critical auditor decides.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from faultline.kinds import AuditQuestion, Digest, SignatureState
from faultline.records import Audit, SignatureCheck
from faultline.review.people import person

Why = Literal[
    "another form of the task",
    "the author",
    "a check left out",
    "a question left open",
    "nobody named",
    "its signature does not fit",
    "signed by a key that is not listed",
    "not signed, though a key is listed",
    "its signature was not checked",
]
"""Why an audit does not count."""


@dataclass(frozen=True)
class SetAsideAudit:
    """An audit that does not count, and why."""

    audit: Audit
    why: Why


@dataclass(frozen=True)
class AuditStanding:
    """The audits of one task, sorted out."""

    counted: tuple[Audit, ...]
    """By auditor and day; two by one person may be among them."""
    set_aside: tuple[SetAsideAudit, ...]
    auditors: tuple[str, ...]
    """Distinct people among the counted ones; two names that sign with one key are one person."""
    specification: int | None
    """Worst label among the counted ones; ``None`` when there are none."""
    fairness: int | None
    surprising: tuple[str, ...]
    """Checks that a counted audit found surprising; one is enough to reject the task."""
    refused: tuple[str, ...] = ()
    """Questions that a counted audit answered with no; one is enough to reject the task."""

    @property
    def worst(self) -> int | None:
        """The worse of both scales."""
        if self.specification is None or self.fairness is None:
            return None
        return max(self.specification, self.fairness)


UNSIGNED = SignatureCheck(state=SignatureState.UNSIGNED)
_NOT_SIGNED: dict[SignatureState, Why] = {
    SignatureState.BAD: "its signature does not fit",
    SignatureState.UNKNOWN_KEY: "signed by a key that is not listed",
    SignatureState.MISSING: "not signed, though a key is listed",
    SignatureState.UNCHECKED: "its signature was not checked",
}


def countable_audits(
    audits: Iterable[Audit],
    *,
    digest: Digest,
    author: str,
    checks: Iterable[str],
    signatures: Mapping[Digest, SignatureCheck] | None = None,
) -> AuditStanding:
    """Sort the audits of a task: which count for the form with this digest, by whom, with which worst label.

    ``signatures`` holds what looking at the signature of an audit showed, by the digest of the audit; one that is not in it
    has no signature, and its auditor no key.
    """
    required, signed = frozenset(checks), signatures or {}
    counted: list[Audit] = []
    aside: list[SetAsideAudit] = []
    for audit in sorted(audits, key=lambda item: (person(item.auditor), item.audited_at, item.content_digest())):
        why = _why_not(audit, digest, author, required, signed.get(audit.content_digest(), UNSIGNED))
        if why is None:
            counted.append(audit)
        else:
            aside.append(SetAsideAudit(audit, why))
    return AuditStanding(
        counted=tuple(counted),
        set_aside=tuple(aside),
        auditors=_people(counted, signed),
        specification=max((audit.specification_severity for audit in counted), default=None),
        fairness=max((audit.fairness_severity for audit in counted), default=None),
        surprising=tuple(
            sorted({item.check for audit in counted for item in audit.judgements if item.judgement == "surprising"})
        ),
        refused=tuple(sorted({str(name) for audit in counted for name, answer in audit.answers.items() if answer == "no"})),
    )


def _people(counted: Iterable[Audit], signed: Mapping[Digest, SignatureCheck]) -> tuple[str, ...]:
    """Return the distinct people: the first name stands for all that share its key."""
    by_key: dict[str, str] = {}
    same: dict[str, str] = {}
    for audit in counted:
        name = person(audit.auditor)
        key = signed.get(audit.content_digest(), UNSIGNED).key
        first = by_key.setdefault(key, name) if key else name
        same.setdefault(name, same.get(first, first))
    return tuple(sorted(set(same.values())))


def _why_not(audit: Audit, digest: Digest, author: str, required: frozenset[str], signature: SignatureCheck) -> Why | None:
    if audit.task_digest != digest:
        return "another form of the task"
    if not person(audit.auditor):
        return "nobody named"
    if person(audit.auditor) == person(author):
        return "the author"
    if not required <= {item.check for item in audit.judgements}:
        return "a check left out"
    if set(audit.answers) != set(AuditQuestion):
        return "a question left open"
    return _NOT_SIGNED.get(signature.state)
