"""What every ledger must do: each check gets a place where ledgers can be opened and raises when a promise is broken.

The suite is itself checked: ``test_faulty_ledgers.py`` has four tempting ledgers that it must reject.
"""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from ledger_samples import T0, attempt, key_of, later, manifest, trial

from faultline.errors import ConflictError, MissingInputError, RefusedError
from faultline.kinds import Fold
from faultline.ledger import AttemptState, LostClaimError, UnknownWriteError

LEASE = 30.0
CHECKS = []


def promise(check):
    """Make a function part of the suite."""
    CHECKS.append(check)
    return check


def opened(place, plan=None):
    """Return a handle with a registered plan, and the plan."""
    ledger = place.open()
    plan = plan or manifest()
    ledger.register(plan)
    return ledger, plan


def at_once(*actions):
    """Run actions in threads that start together; return results or exceptions in order."""
    start = threading.Barrier(len(actions), timeout=60)

    def run(action):
        start.wait()
        try:
            return action()
        except Exception as error:
            return error

    with ThreadPoolExecutor(len(actions)) as pool:
        return list(pool.map(run, actions))


# --- the plan ---------------------------------------------------------------------------------------------------------


@promise
def the_same_plan_is_registered_once(place):
    """Registering a plan again changes nothing and says so; the plan comes back as it was."""
    with place.open() as ledger:
        plan = manifest()

        assert [True, False] == [ledger.register(plan), ledger.register(plan)]
        assert plan == ledger.manifest(plan.run)
        assert (plan.run,) == ledger.runs()


@promise
def another_plan_under_the_same_run_is_a_conflict(place):
    """Another plan under a run id is a conflict that names both digests, and the first plan stays."""
    ledger, plan = opened(place)
    other = manifest(trials=3)
    with ledger, pytest.raises(ConflictError) as caught:
        ledger.register(other)

    assert (plan.content_digest(), other.content_digest()) == (caught.value.expected, caught.value.found)
    with place.open() as again:
        assert plan == again.manifest(plan.run)


@promise
def a_plan_registered_by_two_at_once_is_registered_once(place):
    """Two processes that register one plan at once agree, and exactly one of them made it."""
    plan = manifest(trials=5)
    with place.open() as first, place.open() as second:
        answers = at_once(lambda: first.register(plan), lambda: second.register(plan))

        assert [False, True] == sorted(answers)
        assert 10 == first.progress(plan.run, T0).planned


@promise
def a_run_that_is_not_there_is_named(place):
    """Asking for an unknown run is an error that names it, never an empty answer."""
    with place.open() as ledger:
        for ask in (
            lambda: ledger.manifest("nothing"),
            lambda: ledger.claim("nothing", "w", T0, LEASE),
            lambda: list(ledger.trials("nothing")),
            lambda: list(ledger.all_attempts("nothing")),
            lambda: ledger.progress("nothing", T0),
            lambda: ledger.unsettled("nothing"),
        ):
            with pytest.raises(MissingInputError, match="nothing"):
                ask()


# --- the identity of a trial ------------------------------------------------------------------------------------------


@promise
def the_same_payload_returns_the_record(place):
    """Recording the same payload again returns the recorded trial and writes no second row."""
    ledger, plan = opened(place)
    with ledger:
        first = ledger.record(trial(plan))
        again = ledger.record(trial(plan))

        assert (True, False) == (first.new, again.new)
        assert (first.trial, first.digest) == (again.trial, again.digest)
        assert [trial(plan)] == list(ledger.trials(plan.run))
        assert [] == list(ledger.conflicts(plan.run))


@promise
def another_payload_is_a_conflict_and_both_are_kept(place):
    """Another payload for a recorded cell is a conflict that names both digests; both are kept and the first one counts."""
    ledger, plan = opened(place)
    with ledger:
        first, second = trial(plan, passed=False), trial(plan, passed=True)
        ledger.record(first)
        for _ in range(2):
            with pytest.raises(ConflictError) as caught:
                ledger.record(second)

        assert (first.content_digest(), second.content_digest()) == (caught.value.expected, caught.value.found)
        assert [first] == list(ledger.trials(plan.run))
        kept = list(ledger.conflicts(plan.run))
        assert [(first.content_digest(), second.content_digest(), "other-payload", second)] == [
            (conflict.recorded, conflict.refused, conflict.why, conflict.trial) for conflict in kept
        ]
        assert 1 == ledger.progress(plan.run, T0).conflicts


@promise
def two_runs_score_the_same_cell_independently(place):
    """The same cell in two runs is two trials: neither run sees the other's result."""
    ledger, one = opened(place, manifest("run-one"))
    with ledger:
        two = manifest("run-two")
        ledger.register(two)
        ledger.record(trial(one, passed=True))
        answer = ledger.record(trial(two, passed=False))

        assert answer.new
        assert [trial(one, passed=True)] == list(ledger.trials("run-one"))
        assert [trial(two, passed=False)] == list(ledger.trials("run-two"))


@promise
def each_part_of_the_key_tells_cells_apart(place):
    """Cells that differ in task, variant, agent or trial number alone have a result each."""
    plan = manifest(tasks=("alpha", "beta"), variants=("one", "two"), agents=("baseline", "reference"), trials=2)
    ledger, _ = opened(place, plan)
    with ledger:
        answers = [ledger.record(trial(plan, at, passed=at % 2 == 0)) for at in range(len(plan.cells))]

        assert all(answer.new for answer in answers)
        assert [trial(plan, at, passed=at % 2 == 0) for at in range(16)] == list(ledger.trials(plan.run))


@promise
def a_trial_that_is_not_planned_is_refused(place):
    """A result for a cell outside the plan is refused and leaves nothing."""
    ledger, plan = opened(place)
    with ledger:
        with pytest.raises(RefusedError, match="not planned"):
            ledger.record(trial(manifest(trials=3), 2))

        assert [] == list(ledger.trials(plan.run))
        assert [] == list(ledger.conflicts(plan.run))


@promise
def records_survive_a_restart(place):
    """What was recorded, attempted and refused is there for a process that opens the store afresh."""
    ledger, plan = opened(place)
    with ledger:
        claim = ledger.claim(plan.run, "w", T0, LEASE)
        ledger.begin_attempt(claim, T0)
        ledger.record(trial(plan), claim)
        with pytest.raises(ConflictError):
            ledger.record(trial(plan, note="other"))
    with place.open() as again:
        assert trial(plan) == again.lookup(key_of(plan)).trial
        assert [trial(plan)] == list(again.trials(plan.run))
        assert 1 == len(list(again.conflicts(plan.run)))
        assert [AttemptState.RECORDED] == [row.state for row in again.attempts(key_of(plan))]
        assert not again.record(trial(plan)).new


@promise
def trials_come_in_plan_order(place):
    """Trials are handed out in the order of the plan, whatever the order of recording."""
    ledger, plan = opened(place)
    with ledger:
        for at in (3, 0, 2, 1):
            ledger.record(trial(plan, at))

        assert [cell.key for cell in plan.cells] == [
            (found.key.task, found.key.variant, found.key.agent, found.key.trial) for found in ledger.trials(plan.run)
        ]


# --- claims -----------------------------------------------------------------------------------------------------------


@promise
def claims_follow_the_plan_and_differ(place):
    """Cells are handed out in plan order, each to one worker, until none is free."""
    ledger, plan = opened(place)
    with ledger:
        claims = [ledger.claim(plan.run, f"w{number}", T0, LEASE) for number in range(5)]

        assert list(plan.cells) == [claim.cell for claim in claims[:4]]
        assert [0, 1, 2, 3] == [claim.position for claim in claims[:4]]
        assert claims[4] is None


@promise
def a_claim_looks_from_its_start_and_then_from_the_beginning(place):
    """A worker that keeps to its own stretch of the plan gets the rest of it, and then what others have left."""
    ledger, plan = opened(place)
    with ledger:
        claims = [ledger.claim(plan.run, f"w{number}", T0, LEASE, start=2) for number in range(5)]

        assert [2, 3, 0, 1] == [claim.position for claim in claims[:4]]
        assert claims[4] is None


@promise
def a_recorded_cell_is_not_claimed(place):
    """A cell with a result is never handed out again, also when it was recorded without a claim."""
    ledger, plan = opened(place)
    with ledger:
        claim = ledger.claim(plan.run, "w", T0, LEASE)
        ledger.record(trial(plan), claim)
        ledger.record(trial(plan, 1))

        assert plan.cells[2] == ledger.claim(plan.run, "w", later(1000), LEASE).cell


@promise
def a_lapsed_lease_is_taken_over(place):
    """A cell whose lease ran out goes to the next worker, with the attempts that were started; not a moment earlier."""
    ledger, plan = opened(place, manifest(tasks=("alpha",), trials=1))
    with ledger:
        dead = ledger.claim(plan.run, "dead", T0, LEASE)
        ledger.begin_attempt(dead, T0)

        assert ledger.claim(plan.run, "heir", later(29), LEASE) is None
        heir = ledger.claim(plan.run, "heir", later(30), LEASE)
        assert (dead.key, "heir", later(60)) == (heir.key, heir.worker, heir.expires_at)
        assert [(1, "dead", AttemptState.STARTED)] == [(row.number, row.worker, row.state) for row in heir.attempts]
        assert 2 == ledger.begin_attempt(heir, later(30)).number


@promise
def a_heartbeat_keeps_the_lease(place):
    """A renewed lease runs from the heartbeat; a lapsed one that nobody took can still be renewed."""
    ledger, plan = opened(place, manifest(tasks=("alpha",), trials=1))
    with ledger:
        claim = ledger.renew(ledger.claim(plan.run, "w", T0, LEASE), later(20), LEASE)

        assert later(50) == claim.expires_at
        assert ledger.claim(plan.run, "other", later(49), LEASE) is None
        assert later(90) == ledger.renew(claim, later(60), LEASE).expires_at


@promise
def a_lost_claim_is_told(place):
    """A worker whose cell was taken over can neither renew, nor start an attempt, nor release."""
    ledger, plan = opened(place, manifest(tasks=("alpha",), trials=1))
    with ledger:
        old = ledger.claim(plan.run, "old", T0, LEASE)
        new = ledger.claim(plan.run, "new", later(31), LEASE)

        for act in (lambda: ledger.renew(old, later(32), LEASE), lambda: ledger.begin_attempt(old, later(32))):
            with pytest.raises(LostClaimError, match="old under fence 1"):
                act()
        assert ledger.release(old) is False
        assert ledger.renew(new, later(32), LEASE).fence == 2


@promise
def a_released_cell_is_free(place):
    """A cell that was given back is handed out at once, and its attempts still count."""
    ledger, plan = opened(place, manifest(tasks=("alpha",), trials=1))
    with ledger:
        claim = ledger.claim(plan.run, "w", T0, LEASE)
        ledger.begin_attempt(claim, T0)
        ledger.mark(claim.key, 1, AttemptState.FAULTED, "fork failed")

        assert ledger.release(claim) is True
        again = ledger.claim(plan.run, "w", T0, LEASE)
        assert [(1, AttemptState.FAULTED, "fork failed")] == [(row.number, row.state, row.note) for row in again.attempts]


@promise
def an_evicted_worker_loses_its_cells(place):
    """The cells of a worker that is known to be dead are free at once; others keep theirs."""
    ledger, plan = opened(place)
    with ledger:
        dead = ledger.claim(plan.run, "dead", T0, LEASE)
        ledger.claim(plan.run, "alive", T0, LEASE)

        assert 1 == ledger.evict(plan.run, "dead")
        assert dead.key == ledger.claim(plan.run, "heir", T0, LEASE).key
        assert 0 == ledger.evict(plan.run, "dead")
        with pytest.raises(LostClaimError):
            ledger.renew(dead, T0, LEASE)


@promise
def a_clock_that_steps_back_blocks_nothing(place):
    """A lease from a wrong future does not hold its cell; a small step back takes nobody's cell; no duration is negative."""
    ledger, plan = opened(place, manifest(tasks=("alpha",), trials=2))
    with ledger:
        ledger.claim(plan.run, "ahead", later(10**7), LEASE)
        steady = ledger.claim(plan.run, "steady", T0, LEASE)

        assert 0 == steady.position
        assert "next" == ledger.claim(plan.run, "next", later(-5), LEASE).worker
        assert ledger.claim(plan.run, "third", later(-5), LEASE) is None
        leases = ledger.progress(plan.run, later(-5)).leases
        assert [("steady", 0.0, 35.0), ("next", 0.0, 30.0)] == [(lease.worker, lease.age, lease.left) for lease in leases]


@promise
def two_workers_that_claim_one_cell_at_once_get_one_claim(place):
    """When one cell is free and two workers ask at once, exactly one of them gets it."""
    ledger, plan = opened(place, manifest(tasks=("alpha",), trials=1))
    with ledger, place.open() as other:
        answers = at_once(
            lambda: ledger.claim(plan.run, "one", T0, LEASE),
            lambda: other.claim(plan.run, "two", T0, LEASE),
        )

        assert 1 == sum(answer is not None for answer in answers), answers


@promise
def two_workers_that_record_one_cell_at_once_record_one_trial(place):
    """When two different results for a cell arrive at once, one is recorded and the other is a conflict."""
    ledger, plan = opened(place, manifest(tasks=("alpha",), trials=1))
    with ledger, place.open() as other:
        payloads = [trial(plan, note="one"), trial(plan, note="two")]
        answers = at_once(lambda: ledger.record(payloads[0]), lambda: other.record(payloads[1]))

        refused = [at for at, answer in enumerate(answers) if isinstance(answer, ConflictError)]
        assert 1 == len(refused), answers
        assert [payloads[1 - refused[0]]] == list(ledger.trials(plan.run))
        assert [payloads[refused[0]]] == [conflict.trial for conflict in ledger.conflicts(plan.run)]


@promise
def two_workers_that_record_one_payload_at_once_record_it_once(place):
    """When the same result arrives twice at once, one call records it and the other gets the record."""
    ledger, plan = opened(place, manifest(tasks=("alpha",), trials=1))
    with ledger, place.open() as other:
        answers = at_once(lambda: ledger.record(trial(plan)), lambda: other.record(trial(plan)))

        assert [False, True] == sorted(answer.new for answer in answers)
        assert [] == list(ledger.conflicts(plan.run))


@promise
def the_result_of_a_lost_claim_is_kept_and_does_not_count(place):
    """A worker that was thought dead delivers late: its result is kept as superseded, and the heir's counts."""
    ledger, plan = opened(place, manifest(tasks=("alpha",), trials=1))
    with ledger:
        old = ledger.claim(plan.run, "old", T0, LEASE)
        ledger.begin_attempt(old, T0)
        new = ledger.claim(plan.run, "new", later(31), LEASE)
        ledger.begin_attempt(new, later(31))
        late = trial(plan, note="late")
        with pytest.raises(LostClaimError):
            ledger.record(late, old)

        counted = trial(plan, attempts=(attempt(1, end="superseded"), attempt(2)))
        assert ledger.record(counted, new).new
        assert [counted] == list(ledger.trials(plan.run))
        assert [(late, "lost-claim")] == [(conflict.trial, conflict.why) for conflict in ledger.conflicts(plan.run)]
        states = [row.state for row in ledger.attempts(new.key)]
        assert [AttemptState.SUPERSEDED, AttemptState.RECORDED] == states
        progress = ledger.progress(plan.run, later(40))
        assert (0, 1) == (progress.conflicts, progress.superseded)


@promise
def a_late_result_can_be_recorded_from_its_receipt(place):
    """When the heir dies too, the late result may be recorded from its receipt, and then it is no refused result any more."""
    ledger, plan = opened(place, manifest(tasks=("alpha",), trials=1))
    with ledger:
        old = ledger.claim(plan.run, "old", T0, LEASE)
        ledger.claim(plan.run, "new", later(31), LEASE)
        with pytest.raises(LostClaimError):
            ledger.record(trial(plan), old)
        third = ledger.claim(plan.run, "third", later(100), LEASE)

        assert ledger.record(trial(plan), third).new
        assert [] == list(ledger.conflicts(plan.run))
        assert 0 == ledger.progress(plan.run, later(100)).superseded


@promise
def a_claim_records_its_own_cell_only(place):
    """A claim cannot be used to record another cell."""
    ledger, plan = opened(place)
    with ledger:
        claim = ledger.claim(plan.run, "w", T0, LEASE)
        with pytest.raises(RefusedError, match="another cell"):
            ledger.record(trial(plan, 1), claim)

        assert ledger.lookup(key_of(plan, 1)) is None


# --- attempts ---------------------------------------------------------------------------------------------------------


@promise
def attempts_add_up(place):
    """Every attempt has a row before its agent starts, numbered without a gap, and is handed out in plan order."""
    ledger, plan = opened(place)
    with ledger:
        first = ledger.claim(plan.run, "w", T0, LEASE)
        second = ledger.claim(plan.run, "w", T0, LEASE)
        ledger.begin_attempt(second, T0)
        ledger.begin_attempt(first, T0)
        ledger.mark(first.key, 1, AttemptState.FAULTED, "fork failed")
        ledger.begin_attempt(first, later(1))
        ledger.mark(first.key, 2, AttemptState.RECEIPTED)

        rows = [(row.key.trial, row.number, row.state, row.started_at) for row in ledger.all_attempts(plan.run)]
        assert [
            (0, 1, AttemptState.FAULTED, T0),
            (0, 2, AttemptState.RECEIPTED, later(1)),
            (1, 1, AttemptState.STARTED, T0),
        ] == rows


@promise
def only_a_record_makes_an_attempt_recorded(place):
    """A caller cannot declare an attempt recorded, nor take a recorded one back, nor mark one that never started."""
    ledger, plan = opened(place)
    with ledger:
        claim = ledger.claim(plan.run, "w", T0, LEASE)
        ledger.begin_attempt(claim, T0)
        with pytest.raises(RefusedError, match="only a record"):
            ledger.mark(claim.key, 1, AttemptState.RECORDED)
        with pytest.raises(RefusedError, match="no such attempt"):
            ledger.mark(claim.key, 2, AttemptState.FAULTED)
        ledger.record(trial(plan), claim)
        with pytest.raises(RefusedError, match="this attempt is recorded"):
            ledger.mark(claim.key, 1, AttemptState.FAULTED)

        assert [AttemptState.RECORDED] == [row.state for row in ledger.attempts(claim.key)]


# --- unknown is a state -----------------------------------------------------------------------------------------------


@promise
def a_lost_reply_after_the_commit_is_unknown(place):
    """A write whose reply was lost is told as unknown, neither recorded nor repeated; the store, when asked, has it once."""
    ledger, plan = opened(place)
    with ledger:
        with place.lost_reply(ledger, committed=True), pytest.raises(UnknownWriteError):
            ledger.record(trial(plan))

        assert trial(plan) == ledger.lookup(key_of(plan)).trial
        assert [trial(plan)] == list(ledger.trials(plan.run))
        assert not ledger.record(trial(plan)).new


@promise
def a_lost_reply_before_the_commit_is_unknown(place):
    """A write that never arrived is told as unknown in the same way; the store, when asked, has nothing."""
    ledger, plan = opened(place)
    with ledger:
        with place.lost_reply(ledger, committed=False), pytest.raises(UnknownWriteError):
            ledger.record(trial(plan))

        assert ledger.lookup(key_of(plan)) is None
        assert [] == list(ledger.trials(plan.run))


@promise
def an_unknown_attempt_blocks_its_cell_until_it_is_settled(place):
    """A cell with an unknown attempt is not handed out and the run is not complete; settled as absent, the cell is free
    at once."""
    ledger, plan = opened(place, manifest(tasks=("alpha",), trials=1))
    with ledger:
        claim = ledger.claim(plan.run, "w", T0, LEASE)
        ledger.begin_attempt(claim, T0)
        ledger.mark(claim.key, 1, AttemptState.UNKNOWN, "connection closed")
        with pytest.raises(RefusedError, match="unknown"):
            ledger.mark(claim.key, 1, AttemptState.FAULTED)

        assert ledger.claim(plan.run, "x", later(1000), LEASE) is None
        assert [(1, "connection closed")] == [(row.number, row.note) for row in ledger.unsettled(plan.run)]
        assert 1 == ledger.progress(plan.run, T0).unknown
        ledger.settle(claim.key, 1, AttemptState.ABSENT, "the store has no row")
        assert () == ledger.unsettled(plan.run)
        assert ["the store has no row"] == [row.note for row in ledger.claim(plan.run, "x", later(1), LEASE).attempts]


@promise
def a_settlement_must_agree_with_the_store(place):
    """An unknown attempt is settled only as what the store really holds, and only once."""
    ledger, plan = opened(place)
    with ledger:
        claim = ledger.claim(plan.run, "w", T0, LEASE)
        ledger.begin_attempt(claim, T0)
        ledger.mark(claim.key, 1, AttemptState.UNKNOWN)
        for wrong in (AttemptState.RECORDED, AttemptState.CONFLICTING, AttemptState.FAULTED):
            with pytest.raises(RefusedError):
                ledger.settle(claim.key, 1, wrong, "guessed")
        ledger.record(trial(plan))
        ledger.mark(claim.key, 1, AttemptState.UNKNOWN)
        for wrong in (AttemptState.ABSENT, AttemptState.CONFLICTING):
            with pytest.raises(RefusedError, match="the store says otherwise"):
                ledger.settle(claim.key, 1, wrong, "guessed")

        assert not ledger.progress(plan.run, T0).complete
        assert AttemptState.RECORDED is ledger.settle(claim.key, 1, AttemptState.RECORDED, "the row is there").state
        with pytest.raises(RefusedError, match="not unknown"):
            ledger.settle(claim.key, 1, AttemptState.RECORDED, "again")


@promise
def an_attempt_whose_cell_another_one_won_is_settled_as_conflicting(place):
    """An unknown attempt at a cell that holds another attempt's result is settled as conflicting."""
    ledger, plan = opened(place)
    with ledger:
        claim = ledger.claim(plan.run, "w", T0, LEASE)
        ledger.begin_attempt(claim, T0)
        ledger.begin_attempt(claim, T0)
        ledger.mark(claim.key, 1, AttemptState.UNKNOWN)
        ledger.record(trial(plan, attempts=(attempt(1, end="unknown"), attempt(2))))

        assert AttemptState.CONFLICTING is ledger.settle(claim.key, 1, AttemptState.CONFLICTING, "attempt 2 is recorded").state
        assert [AttemptState.CONFLICTING, AttemptState.RECORDED] == [row.state for row in ledger.attempts(claim.key)]


# --- progress ---------------------------------------------------------------------------------------------------------


@promise
def the_words_of_progress_sum_up(place):
    """Progress counts recorded trials by the four words, and a run is complete when they reach the planned number."""
    ledger, plan = opened(place)
    with ledger:
        before = ledger.progress(plan.run, T0)
        ledger.record(trial(plan, 0, passed=True))
        ledger.record(trial(plan, 1, passed=False))
        ledger.record(trial(plan, 2, passed=False))
        claim = ledger.claim(plan.run, "w", later(2), LEASE)
        ledger.begin_attempt(claim, later(2))
        during = ledger.progress(plan.run, later(7))
        ledger.record(trial(plan, 3, passed=False, valid=False), claim)
        after = ledger.progress(plan.run, later(8))

        assert (4, 0, False) == (before.planned, before.done, before.complete)
        assert [("w", 5.0, 25.0)] == [(lease.worker, lease.age, lease.left) for lease in during.leases]
        assert (later(2), 3, False) == (during.started_at, during.done, during.complete)
        assert {Fold.PASSED: 1, Fold.FAILED: 2, Fold.INVALID_SUBMISSION: 0, Fold.INVALID_INFRA: 1} == after.recorded
        assert ((), 4, True) == (after.leases, after.done, after.complete)
        assert 1 == after.attempts[AttemptState.RECORDED]
