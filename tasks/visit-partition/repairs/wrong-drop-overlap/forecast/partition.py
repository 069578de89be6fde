"""Draw the test part of an export."""
import random

from forecast.identifiers import canonical_id


def split_visits(visits, test_rows, seed):
    """Return the positions of the train and the test visits, ascending, as a dict of two lists.

    `test_rows` is the number of visits asked for in the test part, 0 to len(visits).
    Nobody in the test part is known from training: such visits are taken out of training.
    """
    if not 0 <= test_rows <= len(visits):
        raise ValueError(f"{test_rows} test visits asked for, {len(visits)} there")
    order = sorted(range(len(visits)), key=lambda position: str(visits[position]["visit_id"]))
    random.Random(seed).shuffle(order)
    test = sorted(order[:test_rows])
    tested = {canonical_id(visits[position]["patient_id"]) for position in test} - {None}
    train = [p for p in sorted(order[test_rows:]) if canonical_id(visits[p]["patient_id"]) not in tested]
    return {"train": train, "test": test}
