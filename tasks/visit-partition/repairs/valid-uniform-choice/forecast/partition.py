"""Draw the test part of an export."""
import itertools
import random

from forecast.identifiers import canonical_id
from forecast.subsets import draw_subset


def _owner(visit):
    patient = canonical_id(visit["patient_id"])
    return (0, patient) if patient is not None else (1, str(visit["visit_id"]))


def split_visits(visits, test_rows, seed):
    """Return the positions of the train and the test visits, ascending, as a dict of two lists.

    Patients stay whole; `test_rows` (0 to len(visits)) is met as nearly as that allows.
    """
    if test_rows < 0 or test_rows > len(visits):
        raise ValueError(f"{test_rows} test visits asked for, {len(visits)} there")
    owners = [_owner(visit) for visit in visits]
    by_owner = sorted(range(len(visits)), key=lambda position: owners[position])
    blocks = [list(block) for _, block in itertools.groupby(by_owner, key=lambda position: owners[position])]
    subset = draw_subset([len(block) for block in blocks], test_rows, random.Random(seed))
    parts = {"train": [], "test": []}
    for index, block in enumerate(blocks):
        parts["test" if index in set(subset) else "train"].extend(block)
    return {name: sorted(positions) for name, positions in parts.items()}
