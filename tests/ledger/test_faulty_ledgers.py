"""The conformance suite is itself checked: it rejects four ledgers that take a tempting shortcut, and each for its shortcut."""

import ledger_conformance
import ledger_faulty
import pytest
from ledger_stores import SqliteStores

RACES = ["two_workers_that_claim_one_cell_at_once_get_one_claim"]
CASES = {
    "dedupe-by-item-alone": (
        ledger_faulty.DedupesByItemAlone,
        [
            "two_runs_score_the_same_cell_independently",
            "each_part_of_the_key_tells_cells_apart",
            "another_payload_is_a_conflict_and_both_are_kept",
        ],
    ),
    "memory-only": (ledger_faulty.RemembersInMemoryOnly, ["records_survive_a_restart"]),
    "retry-any-failure": (
        ledger_faulty.RetriesAnyFailure,
        [
            "another_payload_is_a_conflict_and_both_are_kept",
            "a_lost_reply_after_the_commit_is_unknown",
            "a_lost_reply_before_the_commit_is_unknown",
        ],
    ),
    "sequential-only": (ledger_faulty.KnowsSequentialWorkersOnly, RACES),
}


def broken_promises(kind, folder, checks):
    """Return the names of the checks that a kind of ledger fails."""
    stores = SqliteStores(folder)
    broken = []
    for check in checks:
        place = stores.fresh()
        gap = ledger_faulty.two_in_the_gap() if check.__name__ in RACES else None

        def wrap(ledger, gap=gap):
            faulty = kind(ledger._store)
            faulty.gap = gap
            return faulty

        place.wrap = wrap
        try:
            check(place)
        except (Exception, pytest.fail.Exception):
            broken.append(check.__name__)
    return broken


@pytest.mark.parametrize("case", CASES)
def test_the_suite_rejects(case, tmp_path):
    """
    The suite finds the shortcut, at least by the promises that it breaks.
    """
    kind, expected = CASES[case]

    broken = broken_promises(kind, tmp_path, ledger_conformance.CHECKS)

    assert set(expected) <= set(broken)


def test_the_suite_rejects_nothing_for_being_wrapped(tmp_path):
    """
    The honest ledger in the same wrapping breaks no promise.
    """
    from faultline.ledger.sql import SqlLedger

    checks = [check for check in ledger_conformance.CHECKS if check.__name__ not in RACES]

    assert [] == broken_promises(SqlLedger, tmp_path, checks)


def test_a_sequential_test_would_not_notice(tmp_path):
    """
    The ledger that knows sequential workers only keeps its promise about plan order: only a race finds it out.
    """
    checks = [ledger_conformance.claims_follow_the_plan_and_differ, ledger_conformance.a_recorded_cell_is_not_claimed]

    assert [] == broken_promises(ledger_faulty.KnowsSequentialWorkersOnly, tmp_path, checks)
