"""Draw the test part of an export.

Patients with equally many visits are interchangeable for the size of the test part. So the plan is how many patients
of each size go there; who they are is drawn afterwards.
"""
import random
from collections import defaultdict

from forecast.identifiers import canonical_id


def split_visits(visits, test_rows, seed):
    """Return the positions of the train and the test visits, ascending, as a dict of two lists.

    `test_rows` is the number of visits asked for in the test part, 0 to len(visits).
    """
    if not 0 <= test_rows <= len(visits):
        raise ValueError(f"{test_rows} test visits asked for, {len(visits)} there")
    names = [_name(visit) for visit in visits]
    counts = defaultdict(int)
    for name in names:
        counts[name] += 1
    classes = defaultdict(list)
    for name in sorted(counts):
        classes[counts[name]].append(name)
    generator = random.Random(f"split {seed}")
    tested = set()
    for size, number in _plan({size: len(members) for size, members in classes.items()}, test_rows).items():
        tested.update(generator.sample(classes[size], number))
    test = [position for position, name in enumerate(names) if name in tested]
    train = [position for position, name in enumerate(names) if name not in tested]
    return {"train": train, "test": test}


def _name(visit):
    known = canonical_id(visit["patient_id"])
    return f"patient {known}" if known else f"visit {visit['visit_id']}"


def _plan(available, wanted):
    """Return {size: number of patients}; `available` tells how many there are of each size."""
    plans = {0: {}}
    for size, members in sorted(available.items()):
        longer = {}
        for total, plan in plans.items():
            for number in range(members + 1):
                longer.setdefault(total + number * size, {**plan, size: number})
        plans = longer
    return plans[min(plans, key=lambda total: (abs(total - wanted), total))]
