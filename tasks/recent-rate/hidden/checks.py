"""The recent rate of a row is what production could have computed when it scored the row, and nothing else.

Outcomes that were not in hand (the row's own, later ones, those of the same batch, those not reported yet, those of other
couriers) are changed: the rate must stay. Outcomes that were in hand and inside the window are changed: it must move. The
order of the rows must not matter, and the numbers must be the ones that the README defines, in the training table too.
"""
# faultline-canary-b7a7416f-2389-4301-9d45-5cd2020231b8
from faultline.checks import Failed, check

RATES = "forecast.features:recent_rates"
TABLE = "forecast.table:build_table"
TOLERANCE = 1e-6


# ---------------------------------------------------------------- inputs


def names(rng, count, form):
    """Unique ids of one width, in random order, so that their order as text says nothing about time."""
    numbers = rng.sample(range(1000, 10000), count)
    return [{"padded": f"{n:06d}", "integer": f"{n}", "prefixed": f"x-{n:04x}"}[form] for n in numbers]


def default_of(rng):
    """A default that no share of a few outcomes can equal."""
    return round(rng.uniform(0.3, 0.45), 3) + 0.000417


def courier_rows(rng, parameters, courier, count, ties):
    """Rows of one courier; with ties, some share the time of the row before; without, all times differ."""
    clock = parameters["start"] + rng.randrange(60)
    rows = []
    for _ in range(count):
        if not (ties and rows and rng.randrange(100) < parameters["tie_percent"]):
            clock += rng.randint(1, parameters["step"])
        unknown = rng.randrange(100) < parameters["open_percent"]
        rows.append(row_of(rng, courier, clock, None if unknown else rng.randrange(2)))
    return rows


def row_of(rng, courier, time, late):
    return {"delivery": "", "courier": courier, "time": time, "distance": round(rng.gauss(0, 1), 3), "late": late}


def finish(rng, parameters, rows):
    """Give the rows their ids and mix them."""
    for row, name in zip(rows, names(rng, len(rows), parameters["id_format"])):
        row["delivery"] = name
    return rng.sample(rows, len(rows))


def random_log(rng, parameters, ties=True):
    couriers = names(rng, parameters["entities"], parameters["id_format"])
    rows = []
    for courier in couriers:
        mine = courier_rows(rng, parameters, courier, parameters["per_entity"], ties)
        for position in (1, -1):  # an early and the last outcome are known whatever was drawn
            mine[position]["late"] = rng.randrange(2)
        rows += mine
    return finish(rng, parameters, rows)


def bystanders(rng, parameters):
    """A few rows of other couriers."""
    return [row for name in ("q1", "q2") for row in courier_rows(rng, parameters, name, 6, True)]


def with_outcome(rows, ids, late):
    """The rows with the known outcomes of the named ones replaced; what is open stays open."""
    return [dict(row, late=late) if row["delivery"] in ids and row["late"] is not None else row for row in rows]


def ids_of(rows):
    return {row["delivery"] for row in rows}


# ---------------------------------------------------------------- answers


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < float("inf")


def rates_of(session, rows, window, delay, default):
    """Rates by id; refuses anything but one finite number per row."""
    answer = session.call(RATES, rows, window=window, delay=delay, default=default)
    if not isinstance(answer, list):
        raise Failed("BAD_ANSWER", expected="list", found=type(answer).__name__)
    if len(answer) != len(rows):
        raise Failed("ROWS_LOST", rows=len(rows), rates=len(answer))
    if not all(is_number(rate) for rate in answer):
        raise Failed("BAD_ANSWER", expected="numbers", wrong=sum(not is_number(rate) for rate in answer))
    return {row["delivery"]: rate for row, rate in zip(rows, answer)}


def moved(before, after, ids):
    """How many of the named rows have another rate in the second answer."""
    return sum(not abs(before[name] - after[name]) <= TOLERANCE for name in ids)


def usable(rows, row, delay):
    """The outcomes in hand when the row was scored, oldest first (README, Export and Recent rate)."""
    found = [
        other
        for other in rows
        if other["courier"] == row["courier"]
        and other["late"] is not None
        and other["time"] < row["time"]
        and other["time"] + delay <= row["time"]
    ]
    return sorted(found, key=lambda other: (other["time"], other["delivery"]))


# ---------------------------------------------------------------- checks


@check(codes=("FUTURE_LABEL_INFLUENCE", "ROWS_LOST"))
def own_and_later_outcomes_do_not_count(candidate, rng, parameters):
    """A rate is the number in hand when the row was scored: its own outcome and later ones cannot matter (README, Recent rate)."""
    window, default = parameters["window"], default_of(rng)
    with candidate.session() as session:
        for delay in (0, parameters["delay"]):
            rows = random_log(rng, parameters, ties=False)
            known = [row for row in rows if row["late"] is not None]
            for cut in [row["time"] for row in rng.sample(known, 2)]:
                coming = ids_of(row for row in rows if row["time"] >= cut)
                scored = ids_of(row for row in rows if row["time"] <= cut)
                before, *others = [
                    rates_of(session, variant, window, delay, default)
                    for variant in (rows, with_outcome(rows, coming, 0), with_outcome(rows, coming, 1))
                ]
                if any(moved(before, other, scored) for other in others):
                    count = max(moved(before, other, scored) for other in others)
                    raise Failed("FUTURE_LABEL_INFLUENCE", rows=len(scored), moved=count)
                if delay:  # whether rows that were cut off tell what is reported is the business of another check
                    continue
                past = [row for row in rows if row["time"] <= cut]
                count = moved(before, rates_of(session, past, window, delay, default), scored)
                if count:
                    raise Failed("FUTURE_LABEL_INFLUENCE", rows=len(scored), moved=count)


@check(codes=("TIED_TIMES_INFLUENCE", "ROWS_LOST"))
def one_batch_does_not_see_itself(candidate, rng, parameters):
    """Deliveries with the same time are scored before the outcome of any of them is in, also for delay=0 (README, Export)."""
    window, default = parameters["window"], default_of(rng)
    with candidate.session() as session:
        for size in (2, rng.randint(3, 4)):
            rows = courier_rows(rng, parameters, "m1", rng.randint(0, window), False)
            now = max((row["time"] for row in rows), default=parameters["start"]) + rng.randint(1, parameters["step"])
            batch = [row_of(rng, "m1", now, rng.randrange(2)) for _ in range(size)]
            after = [row_of(rng, "m1", now + rng.randint(1, 9), 1)]
            rows = finish(rng, parameters, rows + batch + after + bystanders(rng, parameters))
            for one in ids_of(batch):
                low, high = (rates_of(session, with_outcome(rows, {one}, late), window, 0, default) for late in (0, 1))
                count = moved(low, high, ids_of(batch) - {one})
                if count:
                    raise Failed("TIED_TIMES_INFLUENCE", batch=size, moved=count)


@check(codes=("UNREPORTED_OUTCOME_USED", "REPORTED_OUTCOME_IGNORED", "ROWS_LOST"))
def outcomes_count_from_their_report_on(candidate, rng, parameters):
    """An outcome is reported exactly delay minutes after its row's time and can be used from that minute on (README, Export)."""
    window, delay, default = parameters["window"], parameters["delay"], default_of(rng)
    with candidate.session() as session:
        for _ in range(2):
            history = courier_rows(rng, parameters, "m1", window + 1, True)
            just_in = row_of(rng, "m1", history[-1]["time"] + rng.randint(1, 30), rng.randrange(2))
            now = just_in["time"] + delay
            between = {just_in["time"] + 1, now - 1, rng.randint(just_in["time"] + 1, now - 1)}
            waiting = [row_of(rng, "m1", time, rng.randrange(2)) for time in sorted(between)]
            target = row_of(rng, "m1", now, rng.randrange(2))
            later = [row_of(rng, "m1", now + 2 * delay + rng.randint(1, 30), rng.randrange(2))]
            others = bystanders(rng, parameters)
            rows = finish(rng, parameters, history + [just_in] + waiting + [target] + later + others)
            name = target["delivery"]
            low, high = (
                rates_of(session, with_outcome(rows, ids_of(waiting), late), window, delay, default)[name] for late in (0, 1)
            )
            if not abs(high - low) <= TOLERANCE:
                raise Failed("UNREPORTED_OUTCOME_USED", delay=delay, change=round(abs(high - low), 6))
            low, high = (
                rates_of(session, with_outcome(rows, {just_in["delivery"]}, late), window, delay, default)[name]
                for late in (0, 1)
            )
            if not high - low > TOLERANCE:
                raise Failed("REPORTED_OUTCOME_IGNORED", delay=delay, change=round(high - low, 6))


@check(codes=("HISTORY_IGNORED", "ROWS_LOST"))
def every_outcome_in_the_window_counts(candidate, rng, parameters):
    """Each of the latest `window` usable outcomes moves the rate; what cannot be used takes no place (README, Recent rate)."""
    window, default = parameters["window"], default_of(rng)
    with candidate.session() as session:
        for delay in (0, parameters["delay"]):
            clock, rows, inside = parameters["start"], [], []
            for place in range(window + 2):
                clock += rng.randint(1, parameters["step"])
                rows.append(row_of(rng, "m1", clock, rng.randrange(2)))
                if place >= 2:
                    inside.append(rows[-1])
                if place == 2 or rng.randrange(3) == 0:
                    clock += rng.randint(1, parameters["step"])
                    rows.append(row_of(rng, "m1", clock, None))
            now = clock + delay + rng.randint(1, parameters["step"])
            target = row_of(rng, "m1", now, rng.randrange(2))
            later = [row_of(rng, "m1", now + delay + rng.randint(1, 30), rng.randrange(2))]
            rows = finish(rng, parameters, rows + [target] + later + bystanders(rng, parameters))
            for row in inside:
                low, high = (
                    rates_of(session, with_outcome(rows, {row["delivery"]}, late), window, delay, default)[target["delivery"]]
                    for late in (0, 1)
                )
                if not high - low > TOLERANCE:
                    raise Failed("HISTORY_IGNORED", window=window, delay=delay, change=round(high - low, 6))


@check(codes=("ORDER_DEPENDENT", "ROWS_LOST"))
def order_of_rows_means_nothing(candidate, rng, parameters):
    """The same log in another order gives every delivery the same rate (README, Export; ties at the window's edge by id)."""
    window, default = parameters["window"], default_of(rng)
    with candidate.session() as session:
        for delay in (0, parameters["delay"]):
            rows = random_log(rng, parameters)
            # A batch wider than the window by the row with the smallest id, the only one that is late, and a row that looks back.
            now = max(row["time"] for row in rows) + 1
            batch = [row_of(rng, "m1", now, 0) for _ in range(window + 1)]
            rows = finish(rng, parameters, rows + batch + [row_of(rng, "m1", now + delay + 1, None)])
            min(batch, key=lambda row: row["delivery"])["late"] = 1
            forward = sorted(rows, key=lambda row: (row["time"], row["delivery"]))
            ids_reversed = sorted(sorted(rows, key=lambda row: row["delivery"], reverse=True), key=lambda row: row["time"])
            expected = rates_of(session, forward, window, delay, default)
            for other in (ids_reversed, forward[::-1], rng.sample(rows, len(rows)), sorted(rows, key=lambda row: row["delivery"])):
                count = moved(expected, rates_of(session, other, window, delay, default), ids_of(rows))
                if count:
                    raise Failed("ORDER_DEPENDENT", rows=len(rows), moved=count)


@check(codes=("ENTITY_BLEED", "ROWS_LOST"))
def other_entities_do_not_count(candidate, rng, parameters):
    """A rate is made of outcomes of the same courier (README, Recent rate): others may change, or be absent."""
    window, default = parameters["window"], default_of(rng)
    with candidate.session() as session:
        for delay in (0, parameters["delay"]):
            rows = random_log(rng, parameters)
            couriers = sorted({row["courier"] for row in rows})
            for courier in rng.sample(couriers, 2) if delay else couriers:
                mine = [row for row in rows if row["courier"] == courier]
                others = ids_of(rows) - ids_of(mine)
                low, high = (rates_of(session, with_outcome(rows, others, late), window, delay, default) for late in (0, 1))
                count = moved(low, high, ids_of(mine))
                if not count and delay == 0:  # with a delay, the last time in the log would be tested too
                    count = moved(low, rates_of(session, mine, window, delay, default), ids_of(mine))
                if count:
                    raise Failed("ENTITY_BLEED", rows=len(mine), moved=count)


@check(codes=("DEFAULT_NOT_USED", "RATE_OFF", "ROWS_LOST"))
def rates_are_what_the_readme_defines(candidate, rng, parameters):
    """Share among the latest usable outcomes, fewer at the start of a history, default without any (README, Recent rate)."""
    default = default_of(rng)
    with candidate.session() as session:
        for window, delay in ((parameters["window"], 0), (parameters["window"], parameters["delay"]), (1, 1), (50, 7)):
            rows = random_log(rng, parameters)
            rates = rates_of(session, rows, window, delay, default)
            wrong_default, wrong_rate = 0, 0
            for row in rows:
                latest = [other["late"] for other in usable(rows, row, delay)[-window:]]
                expected = sum(latest) / len(latest) if latest else default
                off = not abs(rates[row["delivery"]] - expected) <= TOLERANCE
                wrong_default += off and not latest
                wrong_rate += off and bool(latest)
            if wrong_default:
                raise Failed("DEFAULT_NOT_USED", rows=len(rows), wrong=wrong_default)
            if wrong_rate:
                raise Failed("RATE_OFF", rows=len(rows), wrong=wrong_rate)


@check(codes=("RATE_OFF", "ROWS_LOST"))
def training_table_is_complete(candidate, rng, parameters):
    """The table has each row with an outcome once, by time, then id, with the rate over all rows (README, Training table)."""
    window, default = parameters["window"], default_of(rng)
    with candidate.session() as session:
        for delay in (0, parameters["delay"]):
            rows = random_log(rng, parameters)
            table = session.call(TABLE, rows, window=window, delay=delay, default=default)
            columns = {"delivery", "time", "recent_rate", "distance", "late"}
            if not isinstance(table, list) or not all(isinstance(entry, dict) and columns <= set(entry) for entry in table):
                raise Failed("BAD_ANSWER", expected="list of dicts with the columns of the README")
            known = sorted((row for row in rows if row["late"] is not None), key=lambda row: (row["time"], row["delivery"]))
            if [entry["delivery"] for entry in table] != [row["delivery"] for row in known]:
                raise Failed("ROWS_LOST", rows=len(known), found=len(table))
            off = 0
            for row, entry in zip(known, table):
                latest = [other["late"] for other in usable(rows, row, delay)[-window:]]
                expected = sum(latest) / len(latest) if latest else default
                rate = entry["recent_rate"]
                off += not (is_number(rate) and abs(rate - expected) <= TOLERANCE and entry["late"] == row["late"])
            if off:
                raise Failed("RATE_OFF", rows=len(known), wrong=off)
