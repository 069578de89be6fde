"""Features of a visit, among them what the patient's earlier visits were like."""
import statistics

from forecast.identifiers import canonical_id


def features(visits):
    """Return one list a visit: level, duration, and the patient's usual level.

    The usual level is the mean over the visits on earlier days, or the visit's own level if there are none.
    Outcomes are not used. An unknown patient has no earlier visits.
    """
    rows = [None] * len(visits)
    seen = {}
    for position in sorted(range(len(visits)), key=lambda p: visits[p]["day"]):
        visit = visits[position]
        patient = canonical_id(visit["patient_id"])
        earlier = seen.setdefault(patient, []) if patient is not None else []
        before = [other["level"] for other in earlier if other["day"] < visit["day"]]
        rows[position] = [visit["level"], visit["duration"], statistics.fmean(before or [visit["level"]])]
        earlier.append(visit)
    return rows
