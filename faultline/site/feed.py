"""The audit history as Atom: the id of an entry is made from what it records, so a rebuilt feed is the same feed."""

import uuid
from datetime import UTC, date, datetime, time
from xml.etree import ElementTree as ET

from faultline.card.model import EvaluationCard, HistoryEntry

ATOM = "http://www.w3.org/2005/Atom"
_SPACE = uuid.UUID("6f0f2a3e-8d0a-5d53-9a6c-3f9d1f6a7a10")
"""Namespace of the feed's ids; changing it would make every entry look new."""
EPOCH = date(1980, 1, 1)
"""The date of a history without an entry."""


def audit_feed(card: EvaluationCard) -> bytes:
    """Return the feed, valid without knowing where the site will stand."""
    ET.register_namespace("", ATOM)
    feed = ET.Element(f"{{{ATOM}}}feed")
    _add(feed, "id", uuid.uuid5(_SPACE, f"feed {card.title}").urn)
    _add(feed, "title", f"{card.title}: audit history")
    _add(feed, "updated", _moment(max((entry.at for entry in card.history), default=EPOCH)))
    author = ET.SubElement(feed, f"{{{ATOM}}}author")
    _add(author, "name", card.title)
    ET.SubElement(feed, f"{{{ATOM}}}link", {"rel": "self", "href": "audit.xml", "type": "application/atom+xml"})
    ET.SubElement(feed, f"{{{ATOM}}}link", {"rel": "alternate", "href": "audit-history.html", "type": "text/html"})
    for entry in card.history:
        _entry(feed, entry)
    ET.indent(feed, " ")
    text: bytes = ET.tostring(feed, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def anchor_of(entry: HistoryEntry) -> str:
    """Return the entry's anchor on the page of the history."""
    if entry.correction is not None:
        return entry.correction.id
    return f"audit-{entry_id(entry).rpartition('-')[2]}"


def entry_id(entry: HistoryEntry) -> str:
    """Return an id from what stays when an entry is told better: the forms of the task, or the audit as a whole."""
    if entry.correction is not None:
        stable = (
            f"correction {entry.task} {entry.correction.id} {entry.correction.before_digest} {entry.correction.after_digest}"
        )
    else:
        audit = entry.audit
        stable = f"audit {entry.task} " + (f"{audit.task_digest} {audit.auditor} {audit.audited_at}" if audit else entry.title)
    return uuid.uuid5(_SPACE, stable).urn


def _entry(feed: ET.Element, entry: HistoryEntry) -> None:
    item = ET.SubElement(feed, f"{{{ATOM}}}entry")
    _add(item, "id", entry_id(entry))
    _add(item, "title", f"{entry.task}: {entry.title}")
    _add(item, "updated", _moment(entry.at))
    ET.SubElement(
        item, f"{{{ATOM}}}link", {"rel": "alternate", "href": f"audit-history.html#{anchor_of(entry)}", "type": "text/html"}
    )
    ET.SubElement(item, f"{{{ATOM}}}category", {"term": entry.kind})
    _add(item, "content", _text(entry))


def _text(entry: HistoryEntry) -> str:
    """Return the entry as plain text; a reader shows it as it is."""
    if entry.correction is not None:
        told = entry.correction
        parts = (
            ("Before", told.before),
            ("After", told.after),
            ("Why", told.why),
            ("Effect", told.effect),
            ("Found by", told.found_by),
        )
        return "\n\n".join(f"{name}: {text}" for name, text in parts)
    audit = entry.audit
    return "" if audit is None else f"Audited by {audit.auditor}. {audit.notes}".strip()


def _add(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, f"{{{ATOM}}}{name}").text = _xml_text(text)


def _xml_text(text: str) -> str:
    """Return text without the characters that XML cannot hold; records escape them already, so this is the second lock."""
    return "".join(c for c in text if c in "\t\n" or " " <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c > "\uffff")


def _moment(day: date) -> str:
    return datetime.combine(day, time(), UTC).isoformat().replace("+00:00", "Z")
