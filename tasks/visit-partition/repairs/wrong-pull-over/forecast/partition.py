"""Draw the test part of an export."""
import random

from forecast.identifiers import canonical_id


def split_visits(visits, test_rows, seed):
    """Return the positions of the train and the test visits, ascending, as a dict of two lists.

    `test_rows` visits (0 to len(visits)) are drawn; all visits of a patient who was drawn follow into the test part.
    """
    if not 0 <= test_rows <= len(visits):
        raise ValueError(f"{test_rows} test visits asked for, {len(visits)} there")
    order = sorted(range(len(visits)), key=lambda position: str(visits[position]["visit_id"]))
    random.Random(seed).shuffle(order)
    drawn = set(order[:test_rows])
    patients = {canonical_id(visits[position]["patient_id"]) for position in drawn} - {None}
    test = [p for p, visit in enumerate(visits) if p in drawn or canonical_id(visit["patient_id"]) in patients]
    return {"train": sorted(set(range(len(visits))) - set(test)), "test": test}
