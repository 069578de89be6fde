"""What the checks of this task establish.

The test part consists of whole patients under every spelling of their ids, uses every visit once, has the nearest size
that whole patients can reach (the smaller of two), treats visits without a known id as patients of their own, and is
decided by nothing but the visits, the size asked for and the seed. Numbers in brackets are the points of issue.md.
"""
# faultline-canary-bd9cedbb-33bb-4141-8aea-fe525ec09d54
from faultline.checks import Failed, check

SPLIT = "forecast.partition:split_visits"
BLANK = (None, "", " ", "   ", "\t")


@check(codes=("ENTITY_OVERLAP",))
def histories_stay_whole(candidate, rng, parameters):
    """No patient is in both parts, whatever the seed and the spellings (2).

    Every patient has an even number of visits, no two of one patient spelled alike, and the size asked for is odd: who
    cuts by row, or takes spellings for patients, meets the size and must cut a patient in two.
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


@check(codes=("FRACTION_OFF", "ENTITY_OVERLAP"))
def test_part_is_the_nearest(candidate, rng, parameters):
    """No combination of whole patients is nearer to the size asked for (4); which of two near ones does not matter here.

    Six patients with m visits meet the request of 6 m exactly, and many with m + 1 (or m - 1) are in the way of everyone
    who collects patients one by one. Random sizes, and an export where nobody or everybody is nearest, complete it.
    """
    cases = []
    for off in (1, -1, 1, -1):
        middle = rng.randint(9, 12)
        cases.append(([middle] * 6 + [middle + off] * parameters["decoys"], 6 * middle))
    for _ in range(4):
        sizes = [rng.choice((3, 5, 8, 13, 21)) for _ in range(rng.randint(4, 9))]
        cases.append((sizes, rng.randint(0, sum(sizes))))
    most = rng.randint(20, 40)
    cases += [([most, 2], most // 3), ([most, 2], most - most // 3)]
    with candidate.session() as session:
        for sizes, wanted in cases:
            owners, visits = export(rng, parameters, sizes)
            size = len(split(session, visits, wanted, rng.randrange(10**6))["test"])
            nearest = min(abs(total - wanted) for total in reachable(sizes))
            refuse_other_sizes(wanted, size, nearest)


@check(codes=("TIE_BREAK_OFF", "FRACTION_OFF", "ENTITY_OVERLAP"))
def a_tie_goes_to_the_smaller(candidate, rng, parameters):
    """When a smaller and a larger test part are equally near, it is the smaller one (5).

    All sizes are multiples of 2 s, s included twice over, and the size asked for lies s above such a multiple.
    """
    step = parameters["step"]
    with candidate.session() as session:
        for _ in range(4):
            sizes = [2 * step] * rng.randint(5, 8) + [2 * step * rng.randint(2, 3) for _ in range(rng.randint(0, 4))]
            owners, visits = export(rng, parameters, sizes)
            smaller = 2 * step * rng.randint(0, sum(sizes) // (2 * step) - 1)
            size = len(split(session, visits, smaller + step, rng.randrange(10**6))["test"])
            if size == smaller + 2 * step:
                raise Failed("TIE_BREAK_OFF", wanted=smaller + step, found=size, smaller=smaller)
            refuse_other_sizes(smaller + step, size, nearest=step)


@check(codes=("UNKNOWN_GROUPED", "FRACTION_OFF", "ENTITY_OVERLAP"))
def unknown_ids_stand_alone(candidate, rng, parameters):
    """A visit with an unknown id is a patient of its own and can land in either part (3).

    Known patients have four visits each and there are three visits with unknown ids, so a size of 4 a + u (u = 1, 2) is
    met only with exactly u of the three in the test part. All or none of them each time: they were not told apart.
    """
    answers = []
    with candidate.session() as session:
        for needed in (1, 2, 1, 2, 1, 2):
            sizes = [4] * parameters["entities"]
            owners, visits = export(rng, parameters, sizes, unknown=3)
            wanted = 4 * rng.randrange(2, len(sizes) - 2) + needed
            test = split(session, visits, wanted, rng.randrange(10**6))["test"]
            answers.append((wanted, len(test), needed, sum(owners[p] is None for p in test)))
    if all(alone in (0, 3) for _, _, _, alone in answers):
        raise Failed("UNKNOWN_GROUPED", unknown=3, in_test=answers[0][3], needed=answers[0][2])
    for wanted, size, needed, alone in answers:
        refuse_other_sizes(wanted, size, nearest=0)
        if alone != needed:
            raise Failed("ENTITY_OVERLAP", wanted=wanted, unknown=3, in_test=alone, needed=needed)


@check(codes=("ORDER_DEPENDENT",))
def only_visits_size_and_seed_decide(candidate, rng, parameters):
    """The same visits in another order, in another process, give the same test visits (7).

    Many combinations have the size asked for, so an influence of the order shows.
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
    """Where many combinations have the right size, some other seed gives another test part (6)."""
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


def refuse_other_sizes(wanted, size, nearest):
    """Raise unless `size` is `nearest` away from `wanted`; nobody gets nearer without cutting a patient in two."""
    away = abs(size - wanted)
    if away > nearest:
        raise Failed("FRACTION_OFF", wanted=wanted, found=size, away=away, nearest=nearest)
    if away < nearest:
        raise Failed("ENTITY_OVERLAP", wanted=wanted, found=size, away=away, nearest=nearest)


def reachable(sizes):
    """Return every sum of a subset of `sizes`."""
    sums = {0}
    for size in sizes:
        sums |= {total + size for total in sums}
    return sums


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
