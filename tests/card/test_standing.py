"""How agents stand: laws that hold whatever the outcomes were."""

from hypothesis import given, settings
from hypothesis import strategies as st

from faultline.card.standing import TaskOutcomes, field_of
from faultline.statistics import PlannedCounts

ROW = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)).map(
    lambda it: PlannedCounts(it[0], sum(it) or 1, it[2])
)
TASKS = 7
FIELDS = st.integers(2, 4).flatmap(
    lambda agents: st.lists(st.lists(ROW, min_size=TASKS, max_size=TASKS), min_size=agents, max_size=agents)
)
FAMILIES = st.lists(st.sampled_from("abcd"), min_size=TASKS, max_size=TASKS)


def stand(table, families):
    return field_of({f"agent-{place}": TaskOutcomes(tuple(rows), 0) for place, rows in enumerate(table)}, families)


@settings(max_examples=40, deadline=None)
@given(FIELDS, FAMILIES)
def test_a_range_holds_the_rank_of_the_estimates(table, families):
    """
    No agent's range excludes the rank that its own estimate has, with missing verdicts as failures.
    """
    field = stand(table, families)

    for standing in field.standings:
        ahead = sum(other.rate.lower > standing.rate.lower + 1e-12 for other in field.standings)
        level = sum(abs(other.rate.lower - standing.rate.lower) <= 1e-12 for other in field.standings)
        assert standing.rank_low <= ahead + level
        assert standing.rank_high >= ahead + 1


@settings(max_examples=40, deadline=None)
@given(FIELDS, FAMILIES)
def test_bounds_hold_the_other_numbers(table, families):
    """
    As failures is never above as passes, the scoreable rate of an agent that lost nothing is both, and intervals have width.
    """
    for standing in stand(table, families).standings:
        rate = standing.rate
        assert rate.lower <= rate.upper + 1e-12
        if not rate.missing:
            assert rate.lower == rate.upper
        if rate.interval is not None:
            assert rate.interval.width > 0


@settings(max_examples=40, deadline=None)
@given(FIELDS, FAMILIES)
def test_the_order_of_agents_changes_nothing(table, families):
    """
    Agents given in another order have the same numbers and ranges, and the same pairs with the sign turned.
    """
    forth = {item.name: (item.rate.lower, item.rank_low, item.rank_high) for item in stand(table, families).standings}
    names = [f"agent-{place}" for place in range(len(table))]
    turned = field_of(
        {name: TaskOutcomes(tuple(rows), 0) for name, rows in reversed(list(zip(names, table, strict=True)))}, families
    )

    assert forth == {item.name: (item.rate.lower, item.rank_low, item.rank_high) for item in turned.standings}
    apart = {frozenset((pair.first, pair.second)) for pair in turned.pairs if pair.separated}
    assert apart == {frozenset((pair.first, pair.second)) for pair in stand(table, families).pairs if pair.separated}


@settings(max_examples=30, deadline=None)
@given(FIELDS, FAMILIES)
def test_losing_verdicts_never_raises_the_number_of_the_order(table, families):
    """
    Turning every failure of an agent into a missing verdict leaves the rate that rows are ordered by, and what was held.
    """
    lost = [PlannedCounts(row.passes, row.planned, row.planned - row.passes) for row in table[0]]
    before, after = stand(table, families).standings[0], stand([lost, *table[1:]], families).standings[0]

    assert before.rate.lower == after.rate.lower
    assert after.rate.upper >= before.rate.upper
