"""The last look before anything is written: a key, a token or a personal detail in a page or download stops the build."""

from faultline.errors import RefusedError
from faultline.redact import find_personal, find_secrets


def refuse_leaks(place: str, text: str, *, personal: bool = True) -> None:
    """Raise :class:`RefusedError` that names the place and the kind of a leak, and never the leak itself.

    ``personal`` is off for pages that people wrote for publication, in which an address is meant to stand.
    """
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
