"""A score depends on its row and on the last fit, and on nothing else.

The checks fit scorers on generated rows and compare scores that the README says are equal (alone or in company, before or after other
requests, in this process or loaded from the file in another one), and scores that must differ. No expected score is computed here.
"""
# faultline-canary-3acd681a-8245-4e2a-a18d-cb02c74b4480

import math
import statistics

from faultline.checks import Failed, check

SCORER = "parcel_risk.service:Scorer"
LOAD = "parcel_risk.service:load"
TOLERANCE = 1e-9
SHIFTS = {"none": 0.0, "slight": 0.4, "strong": 2.5}


# --- driving the candidate -------------------------------------------------------------------------------------------

def fitted(session, columns, rows, labels):
    """Return a handle of a new scorer, fitted on the rows."""
    scorer = session.make(SCORER, **columns)
    session.make(scorer.method("fit"), rows, labels)  # whatever fit returns stays in the child
    return scorer


def ask(session, scorer, rows):
    """Return the scores of one request, after making sure that they are one probability a row."""
    answer = session.call(scorer.method("predict"), rows)
    if not isinstance(answer, list) or len(answer) != len(rows):
        raise Failed("BAD_ANSWER", rows=len(rows), found=len(answer) if isinstance(answer, list) else type(answer).__name__)
    for score in answer:
        if type(score) not in (int, float) or not 0.0 <= score <= 1.0:
            raise Failed("BAD_ANSWER", score=repr(score)[:40])
    return answer


def ask_singly(session, scorer, rows):
    return [ask(session, scorer, [row])[0] for row in rows]


def require_equal(expected, found, code, tolerance=TOLERANCE, **measured):
    gaps = [abs(a - b) for a, b in zip(expected, found, strict=True)]
    off = [gap for gap in gaps if not gap <= tolerance]
    if off:
        raise Failed(code, rows=len(off), gap=round(max(off), 6), **measured)


# --- generated data --------------------------------------------------------------------------------------------------

def names(rng, count):
    """Return distinct column names."""
    return [f"{rng.choice('abcdefgh')}{number}" for number in rng.sample(range(100, 1000), count)]


def level_names(rng, count, form):
    """Return distinct levels; those of the padded form look like one another as numbers."""
    if form == "padded":
        numbers = rng.sample(range(1, 90), count)
        return [str(number).zfill(rng.choice((1, 3))) for number in numbers[: count // 2]] + [f"{number:04d}" for number in numbers[: count - count // 2]]
    stems = rng.sample([a + b for a in "bdfgklmnprst" for b in "aeiou"], count)
    return stems if form == "plain" else [f"{stem.title()} é/{stem}" for stem in stems]


def top_share(latent, share=0.35):
    """Label the largest values 1: both labels occur, and 1 is the rarer one."""
    order = sorted(range(len(latent)), key=latent.__getitem__, reverse=True)
    chosen = set(order[: max(1, int(share * len(latent)))])
    return [int(place in chosen) for place in range(len(latent))]


class World:
    """Two numeric, one binned and two categorical columns that all matter, and rows of that kind."""

    def __init__(self, rng, parameters, like=None):
        self.rng, self.parameters = rng, parameters
        slots = parameters["slots"]
        self.numeric, self.binned, self.categorical = (like.numeric, like.binned, like.categorical) if like else self._columns()
        self.columns = dict(numeric=self.numeric, binned=self.binned, categorical=self.categorical, bins=parameters["bins"], slots=slots)
        # A world like another one shares its columns and none of its levels or magnitudes.
        count = slots + parameters["rare_levels"] + 2
        pool = level_names(rng, 2 * count, parameters["level_format"])
        self.levels = [level for level in pool if like is None or level not in like.levels][:count]
        self.scale = parameters["scale"] * (1.0 if like is None else 7.0)
        self.centre = parameters["centre"] + (0.0 if like is None else 30.0 * self.scale)
        effects = [2.5 * (-1) ** place for place in range(count)]
        self.rows, latent = [], []
        for _ in range(parameters["train_rows"]):
            position, row = self._row()
            self.rows.append(row)
            latent.append(2 * position[0] - position[1] + abs(position[2]) + effects[position[3]] + rng.gauss(0, 0.5))
        self.labels = top_share(latent)

    def _columns(self):
        made = names(self.rng, 5)
        return made[:2], made[2:3], made[3:]

    def _row(self, shift=0.0):
        rng = self.rng
        position = [rng.gauss(shift, 1) for _ in range(3)]
        place = min(int(rng.expovariate(0.7)), len(self.levels) - 1)
        row = {name: self.centre + self.scale * z for name, z in zip(self.numeric + self.binned, position)}
        row[self.categorical[0]] = self.levels[place]
        row[self.categorical[1]] = rng.choice(self.levels)
        if rng.randrange(100) < self.parameters["missing_percent"]:
            row[rng.choice(self.numeric + self.binned + self.categorical)] = None
        return [*position, place], row

    def request(self):
        """Return rows to score; without a shift they are the training rows, in another order."""
        if self.parameters["shift"] == "none":
            return self.rng.sample(self.rows, len(self.rows))
        return [self._row(SHIFTS[self.parameters["shift"]])[1] for _ in range(self.parameters["batch_rows"])]

    def oddities(self):
        """Return rows unlike any other: absurd numbers, levels nobody has seen, missing values, extra columns."""
        absurd = {name: self.centre + 1e5 * self.scale for name in self.numeric + self.binned}
        unseen = [{**absurd, **{name: f"unseen {place % 2}" for name in self.categorical}} for place in range(len(self.rows))]
        return [*unseen, {}, {**self.rows[0], "remark": "x"}, {name: None for name in absurd}]


# --- checks ----------------------------------------------------------------------------------------------------------

@check(codes=("BATCH_DEPENDENT",))
def company_does_not_matter(candidate, rng, parameters):
    """A row has one score: in one request, alone, in halves, in another order, beside absurd rows (README, What a score depends on)."""
    world = World(rng, parameters)
    rows = world.request()
    with candidate.session() as session:
        scorer = fitted(session, world.columns, world.rows, world.labels)
        together = ask(session, scorer, rows)
        require_equal(together, ask_singly(session, scorer, rows), "BATCH_DEPENDENT", asked="singly")
        order = rng.sample(range(len(rows)), len(rows))
        shuffled = dict(zip(order, ask(session, scorer, [rows[place] for place in order])))
        require_equal(together, [shuffled[place] for place in range(len(rows))], "BATCH_DEPENDENT", asked="permuted")
        cut = rng.randrange(1, len(rows) - 1)
        require_equal(together, ask(session, scorer, rows[:cut]) + ask(session, scorer, rows[cut:]), "BATCH_DEPENDENT", asked="in parts")
        for odd in (world.oddities()[:1], world.oddities()):
            require_equal(together, ask(session, scorer, rows + odd)[: len(rows)], "BATCH_DEPENDENT", asked="beside odd rows")


@check(codes=("VOCABULARY_REFITTED", "UNSEEN_LEVEL_ALIASED", "COLUMN_IGNORED"))
def levels_keep_their_indicator(candidate, rng, parameters):
    """The indicators belong to the levels that are frequent in training; all else is "other" (README, Columns: categorical)."""
    slots, (column,) = parameters["slots"], names(rng, 1)
    made = level_names(rng, slots + parameters["rare_levels"] + 2, parameters["level_format"])
    common, rare, unseen = made[:slots], made[slots:-2], made[-2:]
    examples = [(level, int((case % 5 == 0) != place % 2)) for place, level in enumerate(common) for case in range(6 + 3 * (slots - place))]
    examples += [(level, 1) for level in rare for _ in range(2)]
    rng.shuffle(examples)
    asked = [level for place, level in enumerate(common) for _ in range(2 + 3 * place)] + rare + unseen * (6 + 3 * slots)
    rng.shuffle(asked)
    with candidate.session() as session:
        columns = dict(categorical=[column], slots=slots)
        scorer = fitted(session, columns, [{column: level} for level, _ in examples], [label for _, label in examples])
        alone = dict(zip(made, ask_singly(session, scorer, [{column: level} for level in made])))
        together = ask(session, scorer, [{column: level} for level in asked])
        missing = ask(session, scorer, [{column: None}, {}])
    require_equal([alone[level] for level in asked], together, "VOCABULARY_REFITTED")
    other = alone[rare[0]]
    require_equal([other] * (len(rare + unseen) + 2), [alone[level] for level in rare + unseen] + missing, "UNSEEN_LEVEL_ALIASED")
    for score in (alone[common[1]], other):
        if not abs(score - alone[common[0]]) > 1e-3:
            raise Failed("COLUMN_IGNORED", gap=abs(score - alone[common[0]]))


@check(codes=("BINS_REFITTED", "OUTSIDE_RANGE_MISPLACED", "COLUMN_IGNORED"))
def bins_keep_their_edges(candidate, rng, parameters):
    """The parts are cut at the quantiles of training; what lies outside belongs to an end (README, Columns: binned)."""
    bins, (column,) = parameters["bins"], names(rng, 1)
    values = [parameters["centre"] + parameters["scale"] * (place + rng.uniform(-0.3, 0.3)) for place in range(10 * bins)]
    examples = [({column: value}, int((place % 10 == 3) != (place // 10) % 2)) for place, value in enumerate(values)]
    middles = [values[10 * part + 5] for part in range(bins)]
    ends = [values[0] - 1e4 * parameters["scale"], values[-1] + 1e4 * parameters["scale"]]
    asked = middles + ends + rng.sample(values[-9:], 5)
    rng.shuffle(examples)
    with candidate.session() as session:
        scorer = fitted(session, dict(binned=[column], bins=bins), [row for row, _ in examples], [label for _, label in examples])
        alone = ask_singly(session, scorer, [{column: value} for value in asked])
        together = ask(session, scorer, [{column: value} for value in asked])
    require_equal(alone, together, "BINS_REFITTED")
    require_equal([alone[0], alone[bins - 1]], alone[bins : bins + 2], "OUTSIDE_RANGE_MISPLACED")
    for left, right in zip(alone[: bins - 1], alone[1:bins]):
        if not abs(left - right) > 1e-3:
            raise Failed("COLUMN_IGNORED", gap=abs(left - right))


@check(codes=("TRAIN_STATS_NOT_USED", "STALE_FIT"))
def statistics_come_from_the_last_fit(candidate, rng, parameters):
    """A moved request gets moved scores, whatever was asked before; units cancel; fit starts from nothing (README, both sections)."""
    centre, scale = parameters["centre"], parameters["scale"]
    main, side = names(rng, 2)
    positions = [(rng.gauss(0, 1), rng.gauss(0, 1)) for _ in range(parameters["train_rows"])]
    labels = top_share([2 * a - b + rng.gauss(0, 0.5) for a, b in positions])
    asked = [(rng.uniform(-1, 1), rng.uniform(-1, 1)) for _ in range(parameters["batch_rows"])]
    move = rng.choice((-1, 1)) * rng.uniform(0.7, 1.3)

    def rows(pairs, move=0.0, unit=(1.0, 0.0)):
        return [{main: unit[0] * (centre + scale * (a + move)) + unit[1], side: centre + scale * b} for a, b in pairs]

    spread = rng.choice((0.02, 3.0, 500.0))
    unit = (spread / scale, rng.uniform(-50, 50) * spread)
    first = World(rng, parameters)
    second = World(rng, parameters, like=first)
    request = second.request()
    with candidate.session() as session:
        columns = dict(numeric=rng.sample([main, side], 2))
        fresh = fitted(session, columns, rows(positions), labels)
        moved = ask(session, fresh, rows(asked, move))
        used = fitted(session, columns, rows(positions), labels)
        ask(session, used, rows(positions))
        unmoved = ask(session, used, rows(asked))
        require_equal(moved, ask(session, used, rows(asked, move)), "TRAIN_STATS_NOT_USED", asked="first or later")
        stuck = sum(not math.copysign(1, move) * (b - a) > 1e-6 for a, b in zip(unmoved, moved))
        if stuck:
            raise Failed("TRAIN_STATS_NOT_USED", rows=stuck, asked="moved")
        other_unit = fitted(session, columns, rows(positions, unit=unit), labels)
        require_equal(moved, ask(session, other_unit, rows(asked, move, unit)), "TRAIN_STATS_NOT_USED", 1e-4, asked="in another unit")

        again = fitted(session, first.columns, first.rows, first.labels)
        session.make(again.method("fit"), second.rows, second.labels)
        new = fitted(session, second.columns, second.rows, second.labels)
        require_equal(ask(session, new, request), ask(session, again, request), "STALE_FIT")


@check(codes=("CONSTANT_COLUMN_COUNTS",))
def constant_columns_are_left_out(candidate, rng, parameters):
    """A column with a single value, or none, in training never moves a score (README, Columns: constant columns)."""
    value, (main, *still) = parameters["constant"], names(rng, 5)
    positions = [rng.gauss(0, 1) for _ in range(parameters["train_rows"])]
    labels = top_share([2 * z + rng.gauss(0, 0.5) for z in positions])
    usual = dict(zip(still, (value, value, None, None)))
    row = {main: 0.3, **usual}
    variants = [{**row, name: other} for name in still for other in (value + 5, value - 5, 1e6 * (value + 1), None)]
    with candidate.session() as session:
        columns = dict(numeric=[still[0], main, still[2]], binned=[still[1], still[3]], bins=parameters["bins"])
        scorer = fitted(session, columns, [{main: z, **usual} for z in positions], labels)
        plain, *varied = ask(session, scorer, [row, *variants, {**row, main: -1.0}, {**row, main: 1.0}])
        require_equal([plain] * len(variants), varied[:-2], "CONSTANT_COLUMN_COUNTS", asked="together")
        plain, *varied = ask_singly(session, scorer, [row, *variants])
        require_equal([plain] * len(variants), varied, "CONSTANT_COLUMN_COUNTS", asked="singly")


@check(codes=("FILLED_FROM_REQUEST",))
def missing_numbers_are_the_training_median(candidate, rng, parameters):
    """A missing number scores like the median of the known training numbers, in any company (README, Columns: missing numbers)."""
    centre, scale = parameters["centre"], parameters["scale"]
    columns = names(rng, 2)
    count = parameters["train_rows"]
    known = count - 4 - (count + 1) % 2  # odd: the median is a training number, and no rounding can move it across an edge
    positions = [[rng.gauss(0, 1) for _ in columns] for _ in range(count)]
    labels = top_share([2 * a + b + rng.gauss(0, 0.5) for a, b in positions])
    rows = [{name: centre + scale * z for name, z in zip(columns, pair)} for pair in positions]
    for name in columns:
        for place in rng.sample(range(count), count - known):
            rows[place][name] = None
    median = {name: statistics.median(row[name] for row in rows if row[name] is not None) for name in columns}
    full, gaps = [], []
    for name, value in median.items():
        (other,) = set(columns) - {name}
        rest = {other: centre + 0.4 * scale}
        full += [{**rest, name: value}] * 2
        gaps += [{**rest, name: None}, rest]
    company = [{name: centre + scale * rng.uniform(3, 4) for name in columns} for _ in range(3 * len(full))]
    with candidate.session() as session:
        scorer = fitted(session, dict(numeric=columns[:1], binned=columns[1:], bins=parameters["bins"]), rows, labels)
        answer = ask(session, scorer, full + gaps + company)
        require_equal(answer[:4], answer[4:8], "FILLED_FROM_REQUEST", asked="together")
        require_equal(answer[:4], ask_singly(session, scorer, gaps), "FILLED_FROM_REQUEST", asked="singly")


@check(codes=("STATE_MUTATED_AT_INFERENCE",))
def scoring_leaves_the_scorer_as_it_was(candidate, rng, parameters):
    """The file saved before and after scoring is the same, and so are the scores (README, What a score depends on)."""
    world = World(rng, parameters)
    rows = world.request()
    with candidate.session() as session:
        scorer = fitted(session, world.columns, world.rows, world.labels)

        def saved(name):
            path = f"{session.scratch}/{name}.json"
            session.make(scorer.method("save"), path)
            return session.call(session.make("pathlib:Path", path).method("read_text"), encoding="utf-8")

        before = saved("before")
        scores = ask(session, scorer, rows)
        ask(session, scorer, world.oddities())
        require_equal(scores, ask(session, scorer, rows), "STATE_MUTATED_AT_INFERENCE", seen="scores")
        if saved("after") != before:
            raise Failed("STATE_MUTATED_AT_INFERENCE", seen="file")


@check(codes=("ROUND_TRIP_CHANGED",))
def the_file_is_all_that_load_needs(candidate, rng, parameters):
    """A scorer loaded from the text of the file, in another process, gives the same scores (README, Saved scorers)."""
    world = World(rng, parameters)
    rows = world.request() + world.oddities()[-4:]
    rng.shuffle(rows)
    with candidate.session() as session:
        scorer = fitted(session, world.columns, world.rows, world.labels)
        path = f"{session.scratch}/scorer.json"
        session.make(scorer.method("save"), path)
        text = session.call(session.make("pathlib:Path", path).method("read_text"), encoding="utf-8")
        scores = ask(session, scorer, rows)
    with candidate.session() as session:
        path = f"{session.scratch}/received.json"
        session.make(session.make("pathlib:Path", path).method("write_text"), text, encoding="utf-8")
        scorer = session.make(LOAD, path)
        require_equal(scores[:3], ask(session, scorer, rows[:3]), "ROUND_TRIP_CHANGED", asked="a few")
        require_equal(scores, ask(session, scorer, rows), "ROUND_TRIP_CHANGED", asked="all")
