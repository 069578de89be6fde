"""Which spellings of an id mean the same patient."""


def canonical_id(raw):
    """Return the spelling that ids are compared by, or None if `raw` is unknown.

    Clinics pad numbers with zeros, leave blanks around ids and do not agree on upper case.
    """
    text = "" if raw is None else str(raw).strip().upper()
    if text.isdecimal():
        text = text.lstrip("0") or "0"
    return text or None
