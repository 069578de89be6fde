"""Made-up exports that look like those of the clinics."""
import random

_SPELLINGS = {"north": "{:04d}", "south": " {}", "east": "{:03d} "}
_UNKNOWN_SHARE = 0.03


def simulate(patients, seed, clinics=("north", "south"), first_id=1):
    """Return the visits of `patients` patients, who go to any of `clinics`, in the order of days."""
    generator = random.Random(seed)
    visits = []
    for patient in range(first_id, first_id + patients):
        level, duration = generator.uniform(0, 100), generator.uniform(0, 100)
        inclined = generator.random() < (0.62 if level > 50 else 0.38)
        for _ in range(generator.choice((3, 4, 6, 8, 12))):
            clinic = generator.choice(clinics)
            unknown = generator.random() < _UNKNOWN_SHARE
            visits.append({
                "patient_id": "" if unknown else _SPELLINGS[clinic].format(patient),
                "clinic": clinic,
                "day": generator.randrange(365),
                "level": level + generator.gauss(0, 0.6),
                "duration": duration + generator.gauss(0, 0.6),
                "outcome": int(generator.random() < (0.96 if inclined else 0.04)),
            })
    visits.sort(key=lambda visit: visit["day"])
    return [{"visit_id": f"{first_id}-{n}", **visit} for n, visit in enumerate(visits)]
