"""Draw the test part of an export."""
import random

from forecast.identifiers import Roster


def split_visits(visits, test_rows, seed):
    """Return the positions of the train and the test visits, ascending, as a dict of two lists.

    `test_rows` is the number of visits asked for in the test part, 0 to len(visits).
    """
    count = len(visits)
    if test_rows not in range(count + 1):
        raise ValueError(f"{test_rows} test visits asked for, {count} there")
    roster = Roster(visits)
    test = set()
    for key in _picked(roster, test_rows, random.Random(seed)):
        test |= roster.positions(key)
    return {"train": sorted(set(range(count)) - test), "test": sorted(test)}


def _picked(roster, wanted, generator):
    """Return the keys of a best combination: the first one met while patients arrive in a drawn order."""
    found = {0: None}  # sum: (sum before, key that was added)
    for key in generator.sample(roster.keys, len(roster.keys)):
        size = len(roster.positions(key))
        for total in sorted(found, reverse=True):
            found.setdefault(total + size, (total, key))
    total = next(t for d in range(wanted + 1) for t in (wanted - d, wanted + d) if t in found)
    while found[total] is not None:
        total, key = found[total]
        yield key
