"""Draw the test part of an export."""
import random


def split_visits(visits, test_rows, seed):
    """Return the positions of the train and the test visits, ascending, as a dict of two lists.

    `test_rows` is the number of visits asked for in the test part, 0 to len(visits).
    """
    if not 0 <= test_rows <= len(visits):
        raise ValueError(f"{test_rows} test visits asked for, {len(visits)} there")
    order = list(range(len(visits)))
    random.Random(seed).shuffle(order)
    return {"train": sorted(order[test_rows:]), "test": sorted(order[:test_rows])}
