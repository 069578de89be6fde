"""Which audits of a task count, and what the worst of them says.

An audit counts when it examined the task as it is now, was made by somebody other than the author, and judges every hidden
check. Severities follow the worst-label rule: the most critical auditor decides.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from faultline.kinds import Digest
from faultline.records import Audit
from faultline.review.people import person

Why = Literal["another form of the task", "the author", "a check left out", "nobody named"]
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
    """Distinct people among the counted ones."""
    specification: int | None
    """Worst label among the counted ones; ``None`` when there are none."""
    fairness: int | None
    surprising: tuple[str, ...]
    """Checks that a counted audit found surprising; one is enough to reject the task."""

    @property
    def worst(self) -> int | None:
        """The worse of both scales."""
        if self.specification is None or self.fairness is None:
            return None
        return max(self.specification, self.fairness)


def countable_audits(audits: Iterable[Audit], *, digest: Digest, author: str, checks: Iterable[str]) -> AuditStanding:
    """Sort the audits of a task: which count for the form with this digest, by whom, with which worst label."""
    required = frozenset(checks)
    counted: list[Audit] = []
    aside: list[SetAsideAudit] = []
    for audit in sorted(audits, key=lambda item: (person(item.auditor), item.audited_at, item.content_digest())):
        why = _why_not(audit, digest, author, required)
        if why is None:
            counted.append(audit)
        else:
            aside.append(SetAsideAudit(audit, why))
    return AuditStanding(
        counted=tuple(counted),
        set_aside=tuple(aside),
        auditors=tuple(sorted({person(audit.auditor) for audit in counted})),
        specification=max((audit.specification_severity for audit in counted), default=None),
        fairness=max((audit.fairness_severity for audit in counted), default=None),
        surprising=tuple(
            sorted({item.check for audit in counted for item in audit.judgements if item.judgement == "surprising"})
        ),
    )


def _why_not(audit: Audit, digest: Digest, author: str, required: frozenset[str]) -> Why | None:
    if audit.task_digest != digest:
        return "another form of the task"
    if not person(audit.auditor):
        return "nobody named"
    if person(audit.auditor) == person(author):
        return "the author"
    if not required <= {item.check for item in audit.judgements}:
        return "a check left out"
    return None
