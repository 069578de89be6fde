"""Which spellings of an id mean the same patient, and which visits belong to one patient."""


def canonical_id(raw):
    """Return the spelling that ids are compared by, or None if `raw` is unknown.

    Clinics pad numbers with zeros, leave blanks around ids and do not agree on upper case.
    """
    text = "" if raw is None else str(raw).strip().upper()
    if text.isdecimal():
        text = text.lstrip("0") or "0"
    return text or None


class Roster:
    """The positions of each patient's visits, patients in an order that the rows have no part in."""

    def __init__(self, visits):
        self._positions = {}
        for position, visit in enumerate(visits):
            known = canonical_id(visit["patient_id"])
            key = f"id:{known}" if known is not None else f"alone:{visit['visit_id']}"
            self._positions.setdefault(key, set()).add(position)
        self.keys = tuple(sorted(self._positions))

    def positions(self, key):
        """Return the set of positions of one patient."""
        return self._positions[key]
