"""The summary of a night is a statement about its questions, not about its log lines.

Each check writes a night in two ways that differ only in something that must not matter (more attempts that decide
nothing, another order, another UTC offset, other names, lost machines) and asks for the same numbers, or lets something
that matters (the policy, the moment, the serial) decide and asks for the numbers that follow by construction.
"""
# faultline-canary-cd37d213-5b2e-43b9-9f8a-2b2f31782f69

import json
from datetime import datetime, timedelta, timezone

from faultline.checks import Failed, check

SUMMARISE = "scoreboard.night:summarise_night"
REPORT = "scoreboard.night:night_report"
COUNTED = ("questions", "passed", "unresolved")
NOT_PASSED = ("fail", "timeout", "crash", "wrong-format")
GROUPS = ("amber", "basalt", "cedar", "delta", "ember", "fjord", "garnet")


# Nights -------------------------------------------------------------------------------------------------------


class Night:
    """Builds the log lines of one night. Every attempt ends a while after the one written before it."""

    def __init__(self, rng, parameters):
        self.rng = rng
        evening = datetime(2025, 3, 1, 20, tzinfo=timezone.utc)
        self.now = evening + timedelta(days=rng.randrange(300), minutes=rng.randrange(600))
        self.first_serial = parameters["first_serial"]
        self.serials = {}
        self.lines = []

    def later(self):
        """The next moment; whole seconds, so that all moments of a night are written with equal width."""
        self.now += timedelta(seconds=self.rng.randint(1, 90))
        return self.now

    def serial(self, key):
        self.serials[key] = self.serials.get(key, self.first_serial - 1) + 1
        return self.serials[key]

    def line(self, key, outcome, reason="scheduled", serial=None, at=None, offset=0):
        """One log line, which is not part of the night yet."""
        finished = (at or self.later()).astimezone(timezone(timedelta(minutes=offset))).isoformat()
        return json.dumps({
            "suite": key[0],
            "question": key[1],
            "serial": self.serial(key) if serial is None else serial,
            "finished": finished,
            "outcome": outcome,
            "worker": f"w{self.rng.randrange(9)}",
            "reason": reason,
        })

    def add(self, key, outcome, reason="scheduled", **how):
        self.lines.append(self.line(key, outcome, reason, **how))


def plan(rng, parameters):
    """The questions of a night as (group, name): groups of different sizes, no name twice."""
    size, keys = parameters["smallest"], []
    for group in rng.sample(GROUPS, parameters["groups"]):
        for _ in range(size):
            number = len(keys) + 8
            forms = {"padded": f"n-{number:04}", "plain": str(number), "free": f"No. {number}: über / {group}"}
            keys.append((group, forms[parameters["names"]]))
        size += rng.randint(1, 3)
    return keys


def groups_of(keys):
    """The groups in the order of the plan; a set would make the inputs depend on the hash seed."""
    return list(dict.fromkeys(key[0] for key in keys))


def failing(rng):
    return rng.choice(NOT_PASSED)


def outcomes(rng, keys):
    """Which questions pass: in all at least two, and at least two do not."""
    passing = {key: rng.random() < 0.5 for key in keys}
    for group in groups_of(keys):
        passing[rng.choice([key for key in keys if key[0] == group])] = True
    sure = rng.sample(keys, 4)
    passing.update({sure[0]: True, sure[1]: True, sure[2]: False, sure[3]: False})
    return passing


def mixed_kinds(rng, keys):
    """What happens to each question: it settles on a pass, on a failure, or passes only in between.

    More settle on a failure than on a pass and at least one passes in between, so the last attempts, the first
    attempts and the best attempts give three different numbers.
    """
    settle = rng.randint(1, (len(keys) - 2) // 2)
    kinds = ["up"] * settle + ["between"] * rng.randint(1, max(1, (len(keys) - 2 * settle - 1) // 2))
    kinds += ["down"] * (len(keys) - len(kinds))
    rng.shuffle(kinds)
    return dict(zip(keys, kinds))


def passed_by(kinds, counts):
    return sum(kind == ("up" if counts == "last" else "down") for kind in kinds.values())


def settings_of(parameters, **change):
    return {"counts": parameters["counts"], "infrastructure": list(parameters["lost"]), **change}


# Answers ------------------------------------------------------------------------------------------------------


def number(row, name):
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Failed("BAD_ANSWER", field=name, found=type(value).__name__)
    return value


def rows_of(answer, groups=()):
    """All rows of a summary by name, the one for everything under None. Rows in groups must be there."""
    if not isinstance(answer, dict) or not isinstance(answer.get("suites"), dict):
        raise Failed("BAD_ANSWER", found=type(answer).__name__)
    rows = {None: answer.get("overall"), **answer["suites"]}
    for name, row in rows.items():
        if not isinstance(row, dict):
            raise Failed("BAD_ANSWER", found=type(row).__name__)
        rows[name] = {field: number(row, field) for field in (*COUNTED, "score")}
    if not set(groups) <= set(rows):
        raise Failed("BAD_ANSWER", rows_missing=len(set(groups) - set(rows)))
    return rows


def same(one, other):
    """Whether two rows agree in every number."""
    return all(abs(one[field] - other[field]) <= 1e-9 for field in one)


def differing(rows, others):
    """How many rows are not the same on both sides."""
    names = set(rows) | set(others)
    return sum(not (name in rows and name in others and same(rows[name], others[name])) for name in names)


# Checks -------------------------------------------------------------------------------------------------------


@check(codes=("SCORE_OFF",))
def score_is_passed_over_planned(candidate, rng, parameters):
    """With one attempt for each question, every row counts its questions and scores passed over questions.

    README, "What the numbers mean".
    """
    keys = plan(rng, parameters)
    # The smallest group passes whole, in each other one the same number passes: the larger a group, the lower its share,
    # so that a mean of the groups is always above the score of the night.
    some, passing = rng.randrange(1, parameters["smallest"]), {}
    for place, group in enumerate(groups_of(keys)):
        mine = [key for key in keys if key[0] == group]
        passing.update(dict.fromkeys(mine if place == 0 else rng.sample(mine, some), True))
    night = Night(rng, parameters)
    for key in keys:
        night.add(key, "pass" if key in passing else failing(rng))
    rows = rows_of(candidate.call(SUMMARISE, night.lines, settings_of(parameters)))
    if set(rows) != {None} | {key[0] for key in keys}:
        raise Failed("SCORE_OFF", rows=len(rows))
    for name, row in rows.items():
        mine = [key for key in keys if name in (None, key[0])]
        share = sum(key in passing for key in mine)
        if not same(row, {"questions": len(mine), "passed": share, "unresolved": 0, "score": share / len(mine)}):
            raise Failed("SCORE_OFF", score=row["score"], expected=share / len(mine))


@check(codes=("ATTEMPT_WEIGHTED",))
def further_attempts_carry_no_weight(candidate, rng, parameters):
    """Lines sent again, attempts that confirm and attempts that decide nothing leave all numbers but `attempts` alone.

    README, "The log" (redelivery, reasons) and "What the numbers mean".
    """
    keys = plan(rng, parameters)
    passing = outcomes(rng, keys)
    sure = [key for key in keys if passing[key]][:2]
    plain, again, more = Night(rng, parameters), [], []
    for key in keys:
        result = "pass" if passing[key] else failing(rng)
        overruled = rng.randint(1, 2) if key in sure or passing[key] and rng.random() < 0.4 else 0
        before, after = (overruled, 0) if parameters["counts"] == "last" else (0, overruled)
        more += [plain.line(key, failing(rng)) for _ in range(before)]
        plain.add(key, result, "retry" if before else "scheduled")
        again += plain.lines[-1:] * rng.randint(1, 3)
        more += plain.lines[-1:]
        more += [plain.line(key, result, "confirmation") for _ in range(rng.randint(key in sure, 3))]
        more += [plain.line(key, failing(rng), "confirmation") for _ in range(after)]
    settings = settings_of(parameters)
    with candidate.session() as s:
        base = rows_of(s.call(SUMMARISE, plain.lines, settings))
        sent_again = rows_of(s.call(SUMMARISE, again, settings))
        extended = rows_of(s.call(SUMMARISE, more, settings))
    for other in (sent_again, extended):
        if differing(base, other):
            raise Failed("ATTEMPT_WEIGHTED", rows=differing(base, other),
                         score=base[None]["score"], with_more_attempts=other[None]["score"])


@check(codes=("BEST_OF_N", "WRONG_ATTEMPT"))
def the_named_attempt_decides(candidate, rng, parameters):
    """`counts` names the attempt that decides, by the moment at which it finished, not by serial or by outcome.

    README, "Settings" and `passed`.
    """
    keys = plan(rng, parameters)
    kinds = mixed_kinds(rng, keys)
    night = Night(rng, parameters)
    for key in keys:
        bad, good = [failing(rng) for _ in range(rng.randint(1, 2))], ["pass"] * rng.randint(1, 2)
        course = {"up": bad + good, "down": good + bad, "between": bad + good + [failing(rng)]}[kinds[key]]
        serials = [parameters["first_serial"] + n for n in range(len(course))]
        if kinds[key] != "between":
            serials.reverse()  # started in the opposite order, on several machines side by side
        for place, (outcome, serial) in enumerate(zip(course, serials)):
            night.add(key, outcome, "confirmation" if place else "scheduled", serial=serial)
    best = len(keys)  # every question has passed once
    with candidate.session() as s:
        for counts in rng.sample(["first", "last"], 2):
            rows = rows_of(s.call(SUMMARISE, night.lines, settings_of(parameters, counts=counts)), groups_of(keys))
            for name, row in rows.items():
                mine = {key: kind for key, kind in kinds.items() if name in (None, key[0])}
                expected = passed_by(mine, counts)
                if not abs(row["passed"] - expected) <= 1e-9:
                    code = "BEST_OF_N" if abs(rows[None]["passed"] - best) <= 1e-9 else "WRONG_ATTEMPT"
                    raise Failed(code, passed=row["passed"], expected=expected)


@check(codes=("CLOCK_MISREAD",))
def moments_do_not_depend_on_the_offset(candidate, rng, parameters):
    """The same moments written with the offsets of other regions are the same night (README, `finished`)."""
    keys = plan(rng, parameters)
    kinds = mixed_kinds(rng, keys)
    at_home, abroad = Night(rng, parameters), []
    for key in keys:
        course = {"up": ["fail", "pass"], "down": ["pass", "fail"], "between": ["fail", "pass", "fail"]}[kinds[key]]
        offset = 60 * parameters["regions"]  # the earlier, the further east: as texts, the times sort backwards
        for outcome in course:
            at, serial = at_home.later(), at_home.serial(key)
            at_home.add(key, outcome, serial=serial, at=at)
            line = at_home.line(key, outcome, serial=serial, at=at, offset=offset)
            abroad.append(line.replace("+00:00", "Z") if offset == 0 else line)
            offset -= 60 * parameters["regions"] + rng.choice((0, 15, 30))
    settings = settings_of(parameters)
    with candidate.session() as s:
        one, other = (rows_of(s.call(SUMMARISE, lines, settings)) for lines in (at_home.lines, abroad))
    if differing(one, other):
        raise Failed("CLOCK_MISREAD", rows=differing(one, other),
                     passed=one[None]["passed"], abroad=other[None]["passed"])


@check(codes=("TIE_MISREAD", "ORDER_DEPENDENT"))
def the_serial_settles_ties(candidate, rng, parameters):
    """Of attempts that finished at the same moment the one with the higher serial is the later one.

    README, `passed`; and "The log": the order of the lines does not settle it.
    """
    keys = plan(rng, parameters)
    kinds = mixed_kinds(rng, keys)
    tied, apart = Night(rng, parameters), Night(rng, parameters)
    for key in keys:
        course = {"up": ["fail", "pass"], "down": ["pass", "fail"], "between": ["fail", "pass", "fail"]}[kinds[key]]
        at = tied.later()
        for outcome in course:
            tied.add(key, outcome, at=at)
            apart.add(key, outcome)
    settings = settings_of(parameters)
    with candidate.session() as s:
        rising = rows_of(s.call(SUMMARISE, tied.lines, settings))
        falling = rows_of(s.call(SUMMARISE, tied.lines[::-1], settings))
        expected = rows_of(s.call(SUMMARISE, apart.lines, settings))
    if differing(rising, falling):
        raise Failed("ORDER_DEPENDENT", rows=differing(rising, falling),
                     passed=rising[None]["passed"], reversed=falling[None]["passed"])
    if differing(rising, expected):
        raise Failed("TIE_MISREAD", rows=differing(rising, expected),
                     passed=rising[None]["passed"], untied=expected[None]["passed"])


@check(codes=("ORDER_DEPENDENT",))
def the_order_of_lines_is_irrelevant(candidate, rng, parameters):
    """The lines of a night may come in any order: same summary, same report (README, "The log")."""
    keys = plan(rng, parameters)
    kinds = mixed_kinds(rng, keys[:-1])
    night = Night(rng, parameters)
    for key, kind in kinds.items():
        if rng.random() < 0.3:
            night.add(key, rng.choice(parameters["lost"]))
        for outcome in {"up": ["fail", "pass"], "down": ["pass", "fail"], "between": ["fail", "pass", "crash"]}[kind]:
            night.add(key, outcome, "retry")
    night.add(keys[-1], parameters["lost"][0])
    orders = [night.lines, night.lines[::-1]] + [rng.sample(night.lines, len(night.lines)) for _ in range(3)]
    settings = settings_of(parameters)
    with candidate.session() as s:
        answers = [rows_of(s.call(SUMMARISE, lines, settings)) for lines in orders]
        reports = [s.call(REPORT, lines, settings) for lines in orders]
    for rows in answers[1:]:
        if differing(answers[0], rows):
            raise Failed("ORDER_DEPENDENT", rows=differing(answers[0], rows),
                         passed=answers[0][None]["passed"], reordered=rows[None]["passed"])
    if any(report != reports[0] for report in reports):
        raise Failed("ORDER_DEPENDENT", reports=len({str(report) for report in reports}))


@check(codes=("INFRA_COUNTED", "TASK_DROPPED"))
def lost_attempts_decide_nothing(candidate, rng, parameters):
    """Lost attempts change nothing, and a question with no other attempt counts like one that did not pass.

    README, "Settings" and `unresolved`.
    """
    keys = plan(rng, parameters)
    passing = outcomes(rng, keys)
    lost = parameters["lost"]
    clean, shaken = Night(rng, parameters), []
    for key in keys:
        shaken += [clean.line(key, rng.choice(lost)) for _ in range(rng.randint(1, 2))]
        clean.add(key, "pass" if passing[key] else failing(rng), "retry")
        shaken += clean.lines[-1:]
        shaken += [clean.line(key, rng.choice(lost), "confirmation") for _ in range(rng.randint(1, 2))]
    # One more group, all of it lost, and two lost questions in each other group, against the same ones failing.
    gone = [("harbour", f"gone {n}") for n in range(rng.randint(1, 4))]
    gone += [(group, f"gone from {group} {n}") for group in groups_of(keys) for n in range(2)]
    never = clean.lines + [clean.line(key, rng.choice(lost)) for key in gone for _ in range(rng.randint(1, 3))]
    failed = clean.lines + [clean.line(key, "fail") for key in gone]
    settings = settings_of(parameters)
    with candidate.session() as s:
        as_clean, as_shaken, as_never, as_failed = (
            rows_of(s.call(SUMMARISE, lines, settings)) for lines in (clean.lines, shaken, never, failed))
    if differing(as_clean, as_shaken):
        raise Failed("INFRA_COUNTED", rows=differing(as_clean, as_shaken),
                     passed=as_clean[None]["passed"], with_lost=as_shaken[None]["passed"])
    for name, row in as_failed.items():
        expected = {**row, "unresolved": sum(name in (None, key[0]) for key in gone)}
        if name not in as_never:
            raise Failed("TASK_DROPPED", rows_missing=1)
        if not same(expected, as_never[name]):
            found = as_never[name]
            raise Failed("TASK_DROPPED", counted=found["questions"], expected=expected["questions"],
                         score=found["score"], expected_score=expected["score"])


@check(codes=("TASK_DROPPED",))
def a_name_belongs_to_its_group(candidate, rng, parameters):
    """Equal names in two groups are two questions, whatever characters the names contain (README, "The log")."""
    one, two = rng.sample(GROUPS, 2)
    mark = rng.choice(("x", "7", "run"))
    own, shared, joined, results = Night(rng, parameters), Night(rng, parameters), Night(rng, parameters), {}
    for n, separator in enumerate(("/", ":", "::", "|", "-", "--", "_", "__", " ", ".", ",", "#", "\t")):
        first, second = "pass", rng.choice(("pass", "fail"))
        name, joins = f"n-{n}", f"{one}{separator}{mark}"
        own.add((one, name), first)
        own.add((two, f"m-{n}"), second)
        shared.add((one, name), first)
        shared.add((two, name), second)
        joined.add((one, f"{mark}{separator}{name}"), first)  # group and name together read the same in both
        joined.add((joins, name), second)
        results[joins] = second == "pass"
    settings = settings_of(parameters)
    with candidate.session() as s:
        expected = rows_of(s.call(SUMMARISE, own.lines, settings), (one, two))
        as_shared = rows_of(s.call(SUMMARISE, shared.lines, settings))
        as_joined = rows_of(s.call(SUMMARISE, joined.lines, settings))
    if differing(expected, as_shared):
        raise Failed("TASK_DROPPED", rows=differing(expected, as_shared),
                     counted=as_shared[None]["questions"], expected=2 * len(results))
    found = {name: [row["questions"], row["passed"]] for name, row in as_joined.items()}
    wanted = {name: [1, passed] for name, passed in results.items()}
    wanted.update({one: [len(results)] * 2, None: [2 * len(results), len(results) + sum(results.values())]})
    if found != wanted:
        raise Failed("TASK_DROPPED", counted=as_joined[None]["questions"], expected=2 * len(results))
