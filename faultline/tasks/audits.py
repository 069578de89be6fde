"""The audits of a task as its folder holds them: finished ones, checklists that somebody is still filling in, signatures.

What is wrong with an audit does not make its task unreadable: an agent can work on it, only nobody can count the audit.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from faultline.errors import BadInputError, FaultlineError, Faults
from faultline.kinds import safe_text
from faultline.records import Audit
from faultline.tasks.toml import read_plain, read_text

OPEN = "?"
"""What stands in a checklist where an answer is missing."""
SIGNATURE = ".sig"
"""Added to an audit's file name, it is the name of its signature."""


@dataclass(frozen=True)
class UnfinishedAudit:
    """A checklist with questions that nobody has answered yet."""

    file: str
    """Name inside the folder."""
    open: tuple[str, ...]
    """Fields without an answer."""


@dataclass(frozen=True)
class AuditFiles:
    """What the folder of audits holds beside the audits themselves."""

    names: Mapping[str, str] = field(default_factory=dict)
    """File name of each audit, by the digest of its content."""
    signatures: Mapping[str, str] = field(default_factory=dict)
    """Armored signature of each signed audit, by the digest of its content."""
    unfinished: tuple[UnfinishedAudit, ...] = ()
    faults: tuple[FaultlineError, ...] = ()
    """Files that do not read, or that are about another task."""


def read_audits(folder: Path, task: str) -> tuple[tuple[Audit, ...], AuditFiles]:
    """Return the finished audits of a task by file name, and what lies beside them; raises nothing for what is wrong."""
    audits: list[Audit] = []
    names: dict[str, str] = {}
    signatures: dict[str, str] = {}
    unfinished: list[UnfinishedAudit] = []
    faults: list[FaultlineError] = []
    for path in sorted(folder.glob("*.toml")):
        try:
            found = read_audit(path, task)
            if isinstance(found, UnfinishedAudit):
                unfinished.append(found)
                continue
            signature = path.with_name(path.name + SIGNATURE)
            if signature.is_file():
                signatures[found.content_digest()] = read_text(signature)
        except FaultlineError as error:
            faults += error.errors if isinstance(error, Faults) else (error,)
            continue
        audits.append(found)
        names.setdefault(found.content_digest(), path.name)
    return tuple(audits), AuditFiles(names, signatures, tuple(unfinished), tuple(faults))


def read_audit(path: Path, task: str) -> Audit | UnfinishedAudit:
    """Read one file of the folder.

    Raises :class:`BadInputError`, or ``Faults``, when it is no audit, or one of another task.
    """
    plain = read_plain(path)
    missing = tuple(_open(plain, ""))
    if missing:
        return UnfinishedAudit(path.name, missing)
    audit = Audit.from_plain(plain, str(path))
    if audit.task != task:
        raise BadInputError(f"{path}: task", "this audit is about another task", expected=task, found=audit.task)
    return audit


def _open(plain: Any, place: str) -> Iterator[str]:
    """Yield the places that hold the sign for a missing answer."""
    if plain == OPEN:
        yield place or "the whole"
    elif isinstance(plain, dict):
        for key, value in plain.items():
            yield from _open(value, f"{place}.{safe_text(key, 60)}".lstrip("."))
    elif isinstance(plain, list):
        for number, value in enumerate(plain):
            name = value.get("check") if isinstance(value, dict) else None
            yield from _open(value, f"{place}.{safe_text(name, 80) if isinstance(name, str) else number}")
