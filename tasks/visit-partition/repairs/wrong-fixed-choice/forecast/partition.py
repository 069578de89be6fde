"""Draw the test part of an export: whole patients, about as many visits as asked for."""
from forecast.identifiers import canonical_id


def split_visits(visits, test_rows, seed):
    """Return the positions of the train and the test visits, ascending, as a dict of two lists.

    All visits of a patient are in one part; a visit with an unknown id is a patient of its own. The number of test visits
    is roughly `test_rows` (0 to len(visits)). The answer is the same for every order and every seed.
    """
    if not 0 <= test_rows <= len(visits):
        raise ValueError(f"{test_rows} test visits asked for, {len(visits)} there")
    groups = _positions_by_patient(visits)
    keys = sorted(groups)
    chosen = _first_patients([len(groups[key]) for key in keys], test_rows)
    test = {position for index in chosen for position in groups[keys[index]]}
    return {"train": [p for p in range(len(visits)) if p not in test], "test": sorted(test)}


def _positions_by_patient(visits):
    groups = {}
    for position, visit in enumerate(visits):
        patient = canonical_id(visit["patient_id"])
        key = ("unknown", str(visit["visit_id"])) if patient is None else ("known", patient)
        groups.setdefault(key, []).append(position)
    return groups


def _first_patients(sizes, wanted):
    """Return the first indices into `sizes`, as many as bring the sum nearest to `wanted`."""
    chosen, total = [], 0
    for index, size in enumerate(sizes):
        if abs(total + size - wanted) >= abs(total - wanted):
            break
        chosen.append(index)
        total += size
    return chosen
