"""Laws of the ledger, with generated histories."""

from contextlib import suppress
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ledger_samples import T0, key_of, later, manifest, trial

from faultline.errors import ConflictError
from faultline.ledger import AttemptState, LostClaimError, open_ledger

CELLS = 6
RUNS = count()


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    """One ledger for all examples, each with a run of its own: runs do not see each other."""
    with open_ledger(tmp_path_factory.mktemp("laws") / "ledger.db") as opened:
        yield opened


def fresh_plan(ledger):
    plan = manifest(f"run-{next(RUNS)}", trials=3)
    ledger.register(plan)
    return plan


def recorded(ledger, steps):
    """Record payloads (cell, passed) in a fresh run; return its outcomes by cell and its refused results."""
    plan = fresh_plan(ledger)
    for at, passed in steps:
        try:
            ledger.record(trial(plan, at, passed=passed))
        except ConflictError:
            continue
    trials = [_plain(plan, found) for found in ledger.trials(plan.run)]
    return trials, [_plain(plan, conflict.trial) for conflict in ledger.conflicts(plan.run)]


def _plain(plan, found):
    at = next(at for at in range(CELLS) if key_of(plan, at) == found.key)
    return at, found == trial(plan, at, passed=True)


results = st.lists(st.tuples(st.integers(0, CELLS - 1), st.booleans()), max_size=20)


@settings(max_examples=20, deadline=None)
@given(steps=results)
def test_the_first_result_of_each_cell_counts(ledger, steps):
    """
    Whatever arrives, the first result of a cell is the one that counts, and every other payload is kept once.
    """
    first, others = {}, set()
    for at, passed in steps:
        if first.setdefault(at, passed) != passed:
            others.add((at, passed))

    assert (sorted(first.items()), sorted(others)) == recorded(ledger, steps)


@settings(max_examples=15, deadline=None)
@given(passed=st.lists(st.booleans(), min_size=CELLS, max_size=CELLS), order=st.permutations(range(CELLS)), again=results)
def test_order_and_repetition_change_nothing(ledger, passed, order, again):
    """
    Results in any order, any of them repeated, give the same trials and no conflict.
    """
    steps = [(at, passed[at]) for at in order]
    repeated = [(at, passed[at]) for at, _ in again]

    assert (list(enumerate(passed)), []) == recorded(ledger, steps + repeated)


class _Resume:
    """Workers that claim, die, come back late and record, as generated; time only moves when a step says so."""

    def __init__(self, ledger, plan):
        self.ledger, self.plan = ledger, plan
        self.now = 0.0
        self.claims = []

    def step(self, action, number):
        ledger = self.ledger
        claim = self.claims[number % len(self.claims)] if self.claims else None
        if action == "claim":
            found = ledger.claim(self.plan.run, f"w{len(self.claims)}", later(self.now), 10.0)
            if found:
                ledger.begin_attempt(found, later(self.now))
                self.claims.append(found)
        elif action == "wait":
            self.now += 7.0
        elif action == "back":
            self.now -= 5.0
        elif claim and action == "record":
            with suppress(LostClaimError, ConflictError):
                ledger.record(trial(self.plan, claim.position, note=claim.worker), claim)
        elif claim and action == "renew":
            with suppress(LostClaimError):
                ledger.renew(claim, later(self.now), 10.0)
        elif claim and action == "release":
            ledger.release(claim)


@settings(max_examples=20, deadline=None)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["claim", "claim", "record", "wait", "back", "renew", "release"]), st.integers(0, 20)),
        max_size=40,
    )
)
def test_any_history_of_workers_can_be_resumed(ledger, steps):
    """
    After any history of claims, deaths, late results and clock steps, resuming records every cell exactly once; resuming
    twice changes nothing; no attempt is lost; a result that was recorded under a live claim stays.
    """
    plan = fresh_plan(ledger)
    history = _Resume(ledger, plan)
    for action, number in steps:
        history.step(action, number)
    before = {found.key: found for found in ledger.trials(plan.run)}
    started = len(list(ledger.all_attempts(plan.run)))
    for worker in {claim.worker for claim in history.claims}:
        ledger.evict(plan.run, worker)
    resumed = 0
    while claim := ledger.claim(plan.run, "heir", later(history.now), 10.0):
        ledger.begin_attempt(claim, later(history.now))
        ledger.record(trial(plan, claim.position, note="heir"), claim)
        resumed += 1
    after = list(ledger.trials(plan.run))
    progress = ledger.progress(plan.run, later(history.now))

    assert [key_of(plan, at) for at in range(CELLS)] == [found.key for found in after]
    assert CELLS == len(before) + resumed
    assert all(found == before[found.key] for found in after if found.key in before)
    assert started + resumed == sum(progress.attempts.values())
    assert progress.complete
    assert ledger.claim(plan.run, "again", T0, 10.0) is None
    assert 0 == progress.attempts[AttemptState.UNKNOWN]
