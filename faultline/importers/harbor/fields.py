"""Fields of a document whose types nobody guarantees: what decides a trial must have its type, the rest may be absent."""

from collections.abc import Mapping
from typing import Any

from faultline.errors import BadInputError
from faultline.kinds import safe_text

Document = Mapping[str, Any]


def at(value: object, path: str) -> Any:
    """Return the field under a dotted path; ``None`` when it or anything on the way is not there."""
    for name in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def text(value: object) -> str:
    """Return a text; empty for what is none."""
    return value if isinstance(value, str) else ""


def table(value: object) -> Document:
    """Return an object; empty for what is none."""
    return value if isinstance(value, dict) else {}


def rows(value: object) -> list[Any]:
    """Return a list; empty for what is none."""
    return value if isinstance(value, list) else []


def required_text(document: Document, path: str, place: str, inside: str = "") -> str:
    """Return a text that a trial cannot be without; raises ``BadInputError``. ``inside`` goes before the path in the error."""
    found = at(document, path)
    if not isinstance(found, str) or not found.strip():
        raise wrong(place, inside + path, "a text", found)
    return found


def optional_table(document: Document, path: str, place: str, inside: str = "") -> Document | None:
    """Return an object or ``None`` for null; raises ``BadInputError`` for anything else, which may hide what decides."""
    found = at(document, path)
    if found is None or isinstance(found, dict):
        return found
    raise wrong(place, inside + path, "an object or null", found)


def optional_rows(document: Document, path: str, place: str) -> list[Document]:
    """Return a list of objects, empty for null; raises ``BadInputError`` for anything else."""
    found = at(document, path)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise wrong(place, path, "a list of objects or null", found)
    return found


def wrong(place: str, path: str, expected: str, found: object) -> BadInputError:
    """Return the error for a field of the wrong type."""
    return BadInputError(
        safe_text(place, 300), f"the field {path} cannot be used", expected=expected, found=safe_text(repr(found)[:200], 120)
    )
