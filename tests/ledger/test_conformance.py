"""Every promise of a ledger, kept by SQLite and by PostgreSQL."""

import ledger_conformance
import pytest


@pytest.mark.parametrize("promise", ledger_conformance.CHECKS, ids=lambda check: check.__name__)
def test_promise(promise, store):
    """
    The store keeps the promise that the check's docstring states.
    """
    promise(store)


def test_every_promise_is_a_sentence():
    """
    Each check of the suite says in its docstring what it promises.
    """
    assert [] == [check.__name__ for check in ledger_conformance.CHECKS if not (check.__doc__ or "").strip().endswith(".")]
