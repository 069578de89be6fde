"""Draw the test part of an export: whole patients, as near to the size asked for as they can get."""
import random

from forecast.identifiers import canonical_id


def split_visits(visits, test_rows, seed):
    """Return the positions of the train and the test visits, ascending, as a dict of two lists.

    All visits of a patient are in one part; a visit with an unknown id is a patient of its own.
    The number of test visits is the nearest to `test_rows` (0 to len(visits)) that whole patients reach, the smaller one
    of two. The seed decides between combinations of that size; the order of `visits` has no influence.
    """
    if not 0 <= test_rows <= len(visits):
        raise ValueError(f"{test_rows} test visits asked for, {len(visits)} there")
    groups = _positions_by_patient(visits)
    keys = sorted(groups)
    random.Random(seed).shuffle(keys)
    chosen = _nearest_combination([len(groups[key]) for key in keys], test_rows)
    test = {position for index in chosen for position in groups[keys[index]]}
    return {"train": [p for p in range(len(visits)) if p not in test], "test": sorted(test)}


def _positions_by_patient(visits):
    groups = {}
    for position, visit in enumerate(visits):
        patient = canonical_id(visit["patient_id"])
        key = ("unknown", str(visit["visit_id"])) if patient is None else ("known", patient)
        groups.setdefault(key, []).append(position)
    return groups


def _nearest_combination(sizes, wanted):
    """Return the first indices into `sizes` whose sum is nearest to `wanted`."""
    chosen, total = [], 0
    for index, size in enumerate(sizes):
        if abs(total + size - wanted) >= abs(total - wanted):
            break
        chosen.append(index)
        total += size
    return chosen
