"""The last look before anything is written: a key, a token or a personal detail in a page or download stops the build."""

import re

from faultline.errors import RefusedError
from faultline.redact import find_personal, find_secrets

_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)")


def refuse_leaks(place: str, text: str, *, personal: bool = True) -> None:
    """Raise :class:`RefusedError` that names the place and the kind of a leak, and never the leak itself.

    ``personal`` is off for pages that people wrote for publication, in which an address is meant to stand.
    """
    if place.endswith((".json", ".jsonl")):
        text = _ESCAPE.sub(_blank, text)
    found = next(find_secrets(text), None) or (next(find_personal(text), None) if personal else None)
    if found is None:
        return
    kind, start, _ = found
    line = text.count("\n", 0, start) + 1
    column = start - (text.rfind("\n", 0, start) + 1) + 1
    raise RefusedError(
        f"{place}:{line}:{column}",
        f"what looks like one of this kind would be published: {kind}",
        next_step="take it out of the record or page that it came from; an import takes such things out by itself",
    )


def _blank(escape: re.Match[str]) -> str:
    """Return blanks of an escape's length for whatever JSON escaped, but a backslash.

    In a file the line break before ``@fixture`` is written as a backslash and an ``n``, which would make it an address; and the
    letter would hide the beginning of a name that stands there.
    """
    return escape[0] if escape[0] == "\\\\" else " " * len(escape[0])
