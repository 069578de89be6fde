"""What the checks of this task establish.

The test part consists of whole patients under every spelling of their ids, uses every visit once, has about the size
asked for, treats visits without a known id as patients of their own, and is decided by nothing but the visits, the size
asked for and the seed. Numbers in brackets are the points of issue.md.
"""
# faultline-canary-bd9cedbb-33bb-4141-8aea-fe525ec09d54
from faultline.checks import Failed, check

SPLIT = "forecast.partition:split_visits"
TOLERANCE = 0.10  # of all visits: how far the size of the test part may be from the one asked for
BLANK = (None, "", " ", "   ", "\t")


@check(codes=("ENTITY_OVERLAP",))
def histories_stay_whole(candidate, rng, parameters):
    """No patient is in both parts, whatever the seed and the spellings (2).

    No two visits of one patient are spelled alike, so that who takes spellings for patients cuts somebody in two.
    """
    with candidate.session() as session:
        for _ in range(6):
            sizes = [rng.choice((2, 2, 4)) for _ in range(parameters["entities"])]
            owners, visits = export(rng, parameters, sizes)
            wanted = 2 * rng.randrange(len(visits) // 8, len(visits) // 3) + 1
            parts = split(session, visits, wanted, rng.randrange(10**6))
            shared = {owners[p] for p in parts["train"]} & {owners[p] for p in parts["test"]}
            if shared:
                raise Failed("ENTITY_OVERLAP", shared=len(shared), patients=len(sizes))


@check(codes=("ROWS_LOST",))
def every_visit_is_used_once(candidate, rng, parameters):
    """Both parts together hold every position exactly once, unknown ids included (1)."""
    with candidate.session() as session:
        for _ in range(4):
            sizes = [rng.randint(2, 6) for _ in range(parameters["entities"])]
            owners, visits = export(rng, parameters, sizes, unknown=rng.randint(2, 6))
            parts = split(session, visits, rng.randrange(len(visits) // 4, len(visits) // 2), rng.randrange(10**6))
            used = parts["train"] + parts["test"]
            if sorted(used) != list(range(len(visits))):
                lost = len(visits) - len(set(used))
                raise Failed("ROWS_LOST", lost=lost, repeated=len(used) - len(set(used)), rows=len(visits))


@check(codes=("FRACTION_OFF",))
def test_part_has_about_the_size(candidate, rng, parameters):
    """The size of the test part is close to the one asked for (4)."""
    with candidate.session() as session:
        for _ in range(4):
            sizes = [rng.randint(1, 7) for _ in range(parameters["entities"])]
            owners, visits = export(rng, parameters, sizes)
            wanted = rng.randint(len(visits) // 4, len(visits) // 3)
            size = len(split(session, visits, wanted, rng.randrange(10**6))["test"])
            if abs(size - wanted) > TOLERANCE * len(visits):
                raise Failed("FRACTION_OFF", wanted=wanted, found=size, rows=len(visits))


@check(codes=("UNKNOWN_GROUPED",))
def unknown_ids_stand_alone(candidate, rng, parameters):
    """A visit with an unknown id is a patient of its own and can land in either part (3).

    Twenty of them and a third of the visits asked for: some seed puts them on both sides unless they are kept together.
    """
    sizes = [rng.randint(1, 3) for _ in range(parameters["entities"])]
    owners, visits = export(rng, parameters, sizes, unknown=20)
    with candidate.session() as session:
        for _ in range(12):
            test = split(session, visits, len(visits) // 3, rng.randrange(10**6))["test"]
            if sum(owners[p] is None for p in test) not in (0, 20):
                return
    raise Failed("UNKNOWN_GROUPED", unknown=20, seeds=12)


@check(codes=("ORDER_DEPENDENT",))
def only_visits_size_and_seed_decide(candidate, rng, parameters):
    """The same visits in another order, in another process, give the same test visits (6).

    There are many ways to reach the size asked for, so an influence of the order shows.
    """
    sizes = [3] * parameters["entities"]
    owners, visits = export(rng, parameters, sizes, unknown=8)
    wanted, seed = 3 * (len(sizes) // 3) + 4, rng.randrange(10**6)
    answers = []
    for attempt in range(3):
        if attempt > 1:
            rng.shuffle(visits)
        parts = split(candidate, visits, wanted, seed)
        answers.append({visits[p]["visit_id"] for p in parts["test"]})
    changed = max(len(answers[0] ^ other) for other in answers[1:])
    if changed:
        raise Failed("ORDER_DEPENDENT", changed=changed, rows=len(visits))


@check(codes=("SEED_IGNORED",))
def the_seed_chooses(candidate, rng, parameters):
    """Among a dozen seeds at least two give different test parts (5)."""
    sizes = [3] * parameters["entities"]
    owners, visits = export(rng, parameters, sizes)
    seeds = rng.sample(range(10**6), 12)
    with candidate.session() as session:
        tests = {tuple(sorted(split(session, visits, 3 * (len(sizes) // 3), seed)["test"])) for seed in seeds}
    if len(tests) < 2:
        raise Failed("SEED_IGNORED", seeds=len(seeds), different=len(tests))


def split(runner, visits, wanted, seed):
    """Call the candidate and return its answer, once it is known to be two lists of positions."""
    parts = runner.call(SPLIT, visits, wanted, seed)
    if not isinstance(parts, dict):
        raise Failed("BAD_ANSWER", expected="a dict", found=type(parts).__name__)
    for name in ("train", "test"):
        positions = parts.get(name)
        if not isinstance(positions, list):
            raise Failed("BAD_ANSWER", expected="a list", part=name, found=type(positions).__name__)
        for position in positions:
            if type(position) is not int or not 0 <= position < len(visits):
                raise Failed("BAD_ANSWER", expected="positions", part=name, found=repr(position)[:40])
        if positions != sorted(positions):
            raise Failed("BAD_ANSWER", expected="ascending positions", part=name, found="another order")
    return parts


def export(rng, parameters, sizes, unknown=0):
    """Return owners and visits in random order: patients with `sizes` visits, and visits with unknown ids (owner None)."""
    numbers = rng.sample(range(1, 900), len(sizes))
    typed = [(number, raw) for number, size in zip(numbers, sizes)
             for raw in spellings(rng, parameters["id_format"], number, size)]
    typed += [(None, rng.choice(BLANK)) for _ in range(unknown)]
    rng.shuffle(typed)
    names = rng.sample(range(10**5), len(typed))
    visits = [{
        "visit_id": f"{name:05d}",
        "patient_id": raw,
        "clinic": rng.choice(("north", "south", "east")),
        "day": rng.randrange(365),
        "level": round(rng.uniform(0, 100), 3),
        "duration": round(rng.uniform(0, 100), 3),
        "outcome": rng.randrange(2),
    } for name, (_, raw) in zip(names, typed)]
    return [owner for owner, _ in typed], visits


def spellings(rng, id_format, number, count):
    """Return `count` spellings of one id; up to four differ by more than the blanks around them."""
    if id_format == "lettered":
        different = [f"{a}{b}-{number}" for a in "Kk" for b in "Qq"]
    else:
        different = ["0" * zeros + str(number) for zeros in range(4)]
        if id_format == "integer":
            different[0] = number
    rng.shuffle(different)
    chosen = [different[n % len(different)] for n in range(count)]
    return [raw if type(raw) is int else rng.choice(("", " ", "  ")) + raw + rng.choice(("", " ")) for raw in chosen]
