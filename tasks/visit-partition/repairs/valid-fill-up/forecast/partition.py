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
    """Yield patients in a drawn order for whom there is still room among `wanted` test visits."""
    for key in generator.sample(roster.keys, len(roster.keys)):
        size = len(roster.positions(key))
        if size <= wanted:
            wanted -= size
            yield key
