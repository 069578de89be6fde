"""Look at the signatures of a benchmark's audits, against the keys that the benchmark lists."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from faultline.kinds import Digest
from faultline.records import SignatureCheck
from faultline.review import person
from faultline.signatures import check_signature
from faultline.tasks import Task

ALLOWED_SIGNERS = "tasks/allowed_signers"
"""Whose key is whose, as ssh-keygen(1) describes such a file; the names are those of auditors, without case and addresses."""


def check_audits(root: Path, tasks: Iterable[Task]) -> Mapping[Digest, SignatureCheck]:
    """Return what the signature of each audit shows, by the digest of the audit's content."""
    return {
        audit.content_digest(): check_signature(
            audit.canonical(),
            task.audit_files.signatures.get(audit.content_digest()),
            identity=person(audit.auditor),
            allowed=root / ALLOWED_SIGNERS,
        )
        for task in tasks
        for audit in task.audits
    }
