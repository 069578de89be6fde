"""The audits of a task as ``audit check``, ``list`` and ``history`` show them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faultline.archive import check_audits, gate_settings
from faultline.cli.common import pick_tasks
from faultline.gates import gate_policy
from faultline.gates.audited_families import audit_gaps, standing_of
from faultline.gates.gathering import task_facts
from faultline.records import Audit, SignatureCheck
from faultline.review import AuditStanding
from faultline.tasks import Task


@dataclass(frozen=True)
class AuditRow:
    """The audits of one task, sorted out."""

    task: Task
    standing: AuditStanding
    signatures: Mapping[str, SignatureCheck]
    """What the signature of each audit shows, by the digest of the audit."""
    lacks: tuple[str, ...]
    """What keeps the audits from being enough for the first gate."""

    @property
    def state(self) -> str:
        """One word for the whole."""
        if not self.lacks:
            return "audited"
        if any(gap.startswith("a correction") for gap in self.lacks):
            return "flawed"
        return "begun" if self.task.audits or self.task.audit_files.unfinished else "unaudited"

    def judged(self) -> list[tuple[Audit, str]]:
        """Return every audit with why it does not count; the counted ones come first."""
        return [(item, "") for item in self.standing.counted] + [(item.audit, item.why) for item in self.standing.set_aside]

    def signature(self, audit: Audit) -> SignatureCheck:
        """Return what the signature of an audit shows."""
        return self.signatures[audit.content_digest()]

    def plain(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        files, worst = self.task.audit_files, self.standing.worst
        return {
            "task": self.task.id,
            "family": self.task.definition.family,
            "digest": self.task.digest,
            "auditors": list(self.standing.auditors),
            "worst_severity": "none yet" if worst is None else worst,
            "state": self.state,
            "lacks": list(self.lacks),
            "audits": [
                {
                    "file": files.names.get(item.content_digest(), ""),
                    "auditor": item.auditor,
                    "audited_at": item.audited_at.isoformat(),
                    "task_digest": item.task_digest,
                    "specification_severity": item.specification_severity,
                    "fairness_severity": item.fairness_severity,
                    "signature": self.signature(item).state.value,
                    "key": self.signature(item).key,
                    "counts": not why,
                    "why_not": why,
                }
                for item, why in self.judged()
            ],
            "unfinished": {item.file: list(item.open) for item in files.unfinished},
            "faults": [str(fault) for fault in files.faults],
        }

    def history(self) -> list[dict[str, Any]]:
        """Return audits and corrections, oldest first, with the forms before and after; an audit leaves a task as it is."""
        found: list[dict[str, Any]] = [
            {
                "at": item.audited_at.isoformat(),
                "kind": "audit",
                "title": f"by {item.auditor}" + (f" (does not count: {why})" if why else ""),
                "before": item.task_digest,
                "after": item.task_digest,
                "told": [
                    f"severity {item.specification_severity} (specification) and {item.fairness_severity} (checks)",
                    f"signature: {self.signature(item).state.value}",
                    *([item.notes] if item.notes else []),
                ],
            }
            for item, why in self.judged()
        ]
        found += [
            {
                "at": item.corrected_at.isoformat(),
                "kind": "correction",
                "title": item.title,
                "before": item.before_digest,
                "after": item.after_digest,
                "told": [f"before: {item.before}", f"after: {item.after}", f"why: {item.why}", f"effect: {item.effect}"],
            }
            for item in self.task.corrections
        ]
        return sorted(found, key=lambda entry: (entry["at"], entry["kind"], entry["title"]))


def audit_rows(root: Path, names: tuple[str, ...]) -> list[AuditRow]:
    """Return the audits of the named tasks, or of all; raises what :func:`pick_tasks` raises."""
    chosen = pick_tasks(root, names)
    signatures, policy = check_audits(root, chosen), gate_policy(*gate_settings(root))
    rows = []
    for task in chosen:
        facts = task_facts(task, signatures)
        gaps = list(audit_gaps(facts, policy))
        made_up = sum(audit.synthetic for audit in task.audits)
        if made_up:
            gaps.append(f"audits by people: {made_up} marked synthetic, which the gate refuses")
        if task.audit_files.faults:
            gaps.append("audits that can be read")
        rows.append(AuditRow(task, standing_of(facts), signatures, tuple(gaps)))
    return rows
