"""What the checks of this task establish.

Resampling and evaluation leave the caller's two global streams as they would be without the call, also when it raises;
a seed, and nothing else, decides what they draw; no seed means a fresh draw; and a study gets its variety from the caller.
Streams are compared by what is drawn from them next, against a process in which the candidate was never called.
"""
# faultline-canary-56f13d00-52e7-4674-94f3-6f2978f49e08
import random
import statistics

from faultline.checks import CandidateError, Failed, check

HOLDOUT = "gauges.resampling:holdout"
FOLDS = "gauges.resampling:station_folds"
RESAMPLER = "gauges.resampling:Resampler"
EVALUATE = "gauges.evaluation:evaluate"
STUDY = "gauges.study:repeat_study"
USES = ("holdout", "folds", "resampler", "evaluate")


# ---- inputs

def _names(rng, count, style):
    """Return distinct names of stations, in no particular order."""
    if style == "integer":
        return rng.sample(range(1, 10_000), count)
    if style == "padded":
        return [f"{number:05d}" for number in rng.sample(range(1, 10_000), count)]
    return _words(rng, count)


def _words(rng, count):
    words = set()
    while len(words) < count:
        words.add("".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(4, 9))))
    words = sorted(words)
    rng.shuffle(words)
    return words


def _rows(rng, parameters, names=None):
    """Return rows whose outcomes are coin tosses, so that a model is right on some and wrong on others."""
    names = names or _names(rng, parameters["groups"], parameters["id_format"])
    rows = [
        {"station": name, "level": round(rng.gauss(0, 1), 4), "rain": round(rng.gauss(0, 1), 4), "flood": rng.randrange(2)}
        for name in names
        for _ in range(parameters["per_group"])
    ]
    rng.shuffle(rows)
    return rows


def _seeds(rng, count):
    """Return distinct seeds in the documented range; the first one is 0."""
    return [0, *rng.sample(range(1, 2**32), count - 1)]


# ---- answers

def _numbers(answer, below):
    """Return the answer if it is a list of integers from 0 to below - 1."""
    if not isinstance(answer, list) or not all(type(n) is int and 0 <= n < below for n in answer):
        raise Failed("BAD_ANSWER", expected=f"a list of integers below {below}")
    return answer


def _field(answer, name):
    if not isinstance(answer, dict) or name not in answer:
        raise Failed("BAD_ANSWER", expected=f"a dict with the key {name}")
    return answer[name]


def _score(answer, name):
    value = _field(answer, name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise Failed("BAD_ANSWER", expected=f"a number from 0 to 1 as {name}")
    return value


def _study(session, rows, **options):
    """Call the study and return the rows that each repeat was fitted on."""
    answer = session.call(STUDY, rows, **options)
    if not isinstance(answer, list) or len(answer) != options["repeats"]:
        raise Failed("BAD_ANSWER", expected=f"a list of {options['repeats']} repeats")
    for repeat in answer:
        _score(repeat, "accuracy")
    return [sorted(_numbers(_field(repeat, "fitted_on"), len(rows))) for repeat in answer]


def _use(session, use, rows, parameters, fraction=0.5, **seed):
    """Make one draw in the named way and return what was drawn."""
    if use == "holdout":
        parts = session.call(HOLDOUT, rows, fraction, **seed)
        return [_numbers(_field(parts, side), len(rows)) for side in ("train", "test")]
    if use == "folds":
        folds = _numbers(session.call(FOLDS, rows, parameters["folds"], **seed), parameters["folds"])
        if len(folds) != len(rows):
            raise Failed("BAD_ANSWER", expected="one fold a row")
        return folds
    if use == "resampler":
        resampler = session.make(RESAMPLER, len(rows), **seed)
        return [_numbers(session.call(resampler.method("draw")), len(rows)) for _ in range(2)]
    answer = session.call(EVALUATE, rows, fraction, parameters["draws"], **seed)
    return [
        _numbers(_field(answer, "held_out"), len(rows)),
        _numbers(_field(answer, "correct"), 2),
        _score(answer, "accuracy"),
        _score(answer, "error"),
    ]


# ---- the caller's streams

def _prime(session, seed):
    """Do what a notebook does: seed both generators, draw a little (each keeps the second of a pair of normal draws)."""
    session.calls(
        ("random:seed", seed), ("numpy.random:seed", seed), ("random:gauss", 0.0, 1.0), ("numpy.random:standard_normal",)
    )


def _next_draws(session):
    """Draw from both streams: what the caller sees next."""
    draws = session.calls(
        ("random:gauss", 0.0, 1.0),
        *[("random:random",)] * 3,
        ("numpy.random:standard_normal",),
        ("numpy.random:random", 3),
    )
    return {"random": draws[:4], "numpy": draws[4:]}


def _undisturbed(candidate, primes):
    """Return the next draws for each prime in a process in which the candidate is never called."""
    with candidate.session() as session:
        expected = []
        for prime in primes:
            _prime(session, prime)
            expected.append(_next_draws(session))
        return expected


def _compare(code, found, expected, after):
    moved = [library for library in expected if found[library] != expected[library]]
    if moved:
        raise Failed(code, streams=" and ".join(moved), after=after)


@check(codes=("GLOBAL_RNG_MUTATED",))
def streams_go_on_after_a_call(candidate, rng, parameters):
    """README, Random numbers: after each of the calls both streams go on as if it had not happened."""
    rows = _rows(rng, parameters)
    plan = [(use, seed) for use in USES for seed in (rng.randrange(2**32), None)]
    rng.shuffle(plan)
    primes = rng.sample(range(2**32), len(plan))
    expected = _undisturbed(candidate, primes)
    with candidate.session() as session:
        for (use, seed), prime, draws in zip(plan, primes, expected):
            _prime(session, prime)
            _use(session, use, rows, parameters, seed=seed)
            _compare("GLOBAL_RNG_MUTATED", _next_draws(session), draws, after=use)


@check(codes=("STATE_LOST_ON_ERROR", "ERROR_SWALLOWED"))
def streams_go_on_after_an_error(candidate, rng, parameters):
    """README, Random numbers: ... also when the call raised; What there is: unusable input is a ValueError."""
    rows = _rows(rng, parameters)
    spoiled = [dict(row) for row in rows]
    for row in rng.sample(spoiled, 2):
        column = rng.choice(["level", "rain"])
        if parameters["bad_value"] == "absent":
            del row[column]
        else:
            row[column] = {"none": None, "nan": float("nan"), "text": "n/a"}[parameters["bad_value"]]
    plan = [
        (EVALUATE, (spoiled, 0.5, parameters["draws"]), rng.randrange(2**32)),
        (EVALUATE, (spoiled, 0.3, parameters["draws"]), None),
        (HOLDOUT, (rows, 1.5), rng.randrange(2**32)),
        (FOLDS, (rows, parameters["groups"] + 1), rng.randrange(2**32)),
        (RESAMPLER, (0,), rng.randrange(2**32)),
    ]
    primes = rng.sample(range(2**32), len(plan))
    expected = _undisturbed(candidate, primes)
    with candidate.session() as session:
        for (target, arguments, seed), prime, draws in zip(plan, primes, expected):
            _prime(session, prime)
            try:
                session.make(target, *arguments, seed=seed)
            except CandidateError as error:
                if error.kind != "RAISED" or error.type != "ValueError":
                    raise
            else:
                raise Failed("ERROR_SWALLOWED", call=target)
            _compare("STATE_LOST_ON_ERROR", _next_draws(session), draws, after=target)


@check(codes=("SEED_IGNORED",))
def a_seed_decides(candidate, rng, parameters):
    """README, Random numbers: the same seed gives the same result whatever was drawn before, other seeds give other results."""
    rows = _rows(rng, parameters)
    seeds = _seeds(rng, 3)
    answers = []
    for order in (seeds, seeds[::-1]):
        found = {}
        with candidate.session() as session:
            for seed in order:
                _prime(session, rng.randrange(2**32))
                for use in rng.sample(USES, len(USES)):
                    found[use, seed] = _use(session, use, rows, parameters, seed=seed)
        answers.append(found)
    first, second = answers
    for use in USES:
        for seed in seeds:
            if first[use, seed] != second[use, seed]:
                raise Failed("SEED_IGNORED", use=use, seed=seed, why="same seed, other result")
        results = [first[use, seed] for seed in seeds]
        if any(a == b for n, a in enumerate(results) for b in results[:n]):
            raise Failed("SEED_IGNORED", use=use, why="other seeds, same result")


@check(codes=("DRAW_CHANGED",))
def a_seed_keeps_its_rows(candidate, rng, parameters):
    """README, Random numbers: a given seed goes on giving the rows that it gives in this version."""
    rows = _rows(rng, parameters)
    count = len(rows)
    names = list(dict.fromkeys(row["station"] for row in rows))
    for seed in _seeds(rng, 2):
        fraction = rng.choice([0.25, 0.4, 0.5])
        size = round(fraction * count)
        order = list(range(count))
        random.Random(seed).shuffle(order)
        parts = [sorted(order[size:]), sorted(order[:size])]
        dealt = list(names)
        random.Random(seed).shuffle(dealt)
        fold_of = {name: place % parameters["folds"] for place, name in enumerate(dealt)}
        with candidate.session() as session:                # a process for numpy's part of the expectation
            drawn = session.make("numpy.random:RandomState", seed)
            resamples = [session.call(drawn.method("randint"), 0, count, count) for _ in range(2)]
            drawn = session.make("numpy.random:RandomState", seed)
            behind = session.call(drawn.method("randint"), 0, size, (parameters["draws"], size))
        with candidate.session() as session:
            found = {use: _use(session, use, rows, parameters, fraction, seed=seed) for use in USES}
        expected = {"holdout": parts, "folds": [fold_of[row["station"]] for row in rows], "resampler": resamples}
        for use, draw in expected.items():
            if found[use] != draw:
                raise Failed("DRAW_CHANGED", use=use, seed=seed)
        held_out, correct, accuracy, error = found["evaluate"]
        if held_out != parts[1] or len(correct) != size:
            raise Failed("DRAW_CHANGED", use="evaluate, held_out", seed=seed)
        if not abs(accuracy - sum(correct) / size) <= 1e-9:
            raise Failed("BAD_ANSWER", expected="the share of correct rows as accuracy")
        due = statistics.pstdev([sum(correct[n] for n in draw) / size for draw in behind])
        if not abs(error - due) <= 1e-9:
            raise Failed("DRAW_CHANGED", use="evaluate, error", seed=seed, found=error, due=due)


@check(codes=("REPEATS_IDENTICAL",))
def no_seed_is_a_fresh_draw(candidate, rng, parameters):
    """README, Random numbers: without a seed each call is a fresh draw, no matter how the streams were seeded."""
    rows = _rows(rng, parameters)
    prime = rng.randrange(2**32)
    found = {use: [] for use in USES}
    for seed in ({}, {"seed": None}):
        with candidate.session() as session:
            for use in USES:
                for _ in range(2):
                    _prime(session, prime)
                    found[use].append(_use(session, use, rows, parameters, **seed))
    for use, results in found.items():
        distinct = [a for n, a in enumerate(results) if a not in results[:n]]
        if len(distinct) < len(results):
            raise Failed("REPEATS_IDENTICAL", use=use, draws=len(results), distinct=len(distinct))


@check(codes=("USERS_ENTANGLED",))
def users_do_not_meet(candidate, rng, parameters):
    """README, Random numbers: two Resampler objects in use at the same time do not affect each other, nor do other calls."""
    rows = _rows(rng, parameters)
    sizes = [rng.randint(30, 60), rng.randint(30, 60)]
    seeds = [rng.randrange(2**31), rng.randrange(2**31, 2**32)]
    alone = []
    for size, seed in zip(sizes, seeds):
        with candidate.session() as session:
            resampler = session.make(RESAMPLER, size, seed=seed)
            alone.append([_numbers(session.call(resampler.method("draw")), size) for _ in range(3)])
    together = [[], []]
    with candidate.session() as session:
        users = [session.make(RESAMPLER, size, seed=seed) for size, seed in zip(sizes, seeds)]
        for turn in (0, 1, 1, 0, 1, 0):
            together[turn].append(_numbers(session.call(users[turn].method("draw")), sizes[turn]))
            _use(session, rng.choice(USES), rows, parameters, seed=rng.randrange(2**32))
            _prime(session, rng.randrange(2**32))
    wrong = sum(a != b for one, other in zip(alone, together) for a, b in zip(one, other))
    if wrong:
        raise Failed("USERS_ENTANGLED", draws=6, changed=wrong)


@check(codes=("HASHSEED_DEPENDENT", "SEED_IGNORED"))
def names_play_no_part(candidate, rng, parameters):
    """README, Random numbers: what stations are called plays no part, a renamed copy gets the same folds.

    Alphabetical order is the same in both copies, so what differs is the hash of the names.
    """
    ours, theirs = (sorted(_words(rng, parameters["groups"])) for _ in range(2))
    rename = dict(zip(ours, theirs))
    rng.shuffle(ours)
    rows = _rows(rng, parameters, names=ours)
    copy = [{**row, "station": rename[row["station"]]} for row in rows]
    with candidate.session() as session:
        for seed in _seeds(rng, 3):
            for use in ("folds", "holdout", "evaluate"):
                here, again, there = (_use(session, use, data, parameters, seed=seed) for data in (rows, rows, copy))
                if here != again:                           # nothing can be said about names
                    raise Failed("SEED_IGNORED", use=use, seed=seed, why="same seed, other result")
                if here != there:
                    raise Failed("HASHSEED_DEPENDENT", use=use, seed=seed)


@check(codes=("REPEATS_IDENTICAL", "CALLER_SEED_IGNORED", "DRAW_CHANGED"))
def a_study_follows_its_caller(candidate, rng, parameters):
    """README, Random numbers: seeding at the top fixes a study, another seed gives other shares, a second study goes on.

    README, What there is: the shares are of the training rows, those of `holdout` for the study's own seed.
    """
    rows = _rows(rng, parameters)
    options = {"repeats": rng.randint(4, 6), "share": 0.5, "fraction": 0.25, "seed": rng.randrange(2**32)}
    tops = rng.sample(range(2**32), 2)
    runs = []
    for top in (tops[0], tops[0], tops[1]):
        with candidate.session() as session:
            _prime(session, top)
            runs.append([_study(session, rows, **options) for _ in range(2)])
    (one, two), again, (other, _) = runs
    order = list(range(len(rows)))
    random.Random(options["seed"]).shuffle(order)
    held_out = set(order[:round(options["fraction"] * len(rows))])
    if any(held_out & set(shares) for shares in one):
        raise Failed("DRAW_CHANGED", why="a repeat was fitted on rows that its seed holds out")
    distinct = len({tuple(shares) for shares in one})
    if distinct < len(one):
        raise Failed("REPEATS_IDENTICAL", repeats=len(one), distinct=distinct)
    if again != [one, two]:
        raise Failed("CALLER_SEED_IGNORED", why="same seed at the top, other shares")
    if other == one:
        raise Failed("CALLER_SEED_IGNORED", why="other seed at the top, same shares")
    if two == one:
        raise Failed("CALLER_SEED_IGNORED", why="a second study repeats the first one")
