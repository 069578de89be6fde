"""Imported runs in ``faultline compare``: the same three numbers, and a refusal where the logs name different protocols."""

import pytest
from toy import imported, lines

from faultline.archive import load_benchmark
from faultline.card.comparison import compare
from faultline.errors import RefusedError
from faultline.gates import gather


def rows(passes, tasks=12, **first):
    """Return two trials each of some tasks; the first ``passes`` of each twelve tasks pass."""
    told = [
        {"id": f"{t}-{i}", "task": f"t{t}", "index": i, "verdict": "passed" if t < passes else "failed"}
        for t in range(tasks)
        for i in (0, 1)
    ]
    return [told[0] | first, *told[1:]]


@pytest.fixture
def compared(tmp_path):
    """Import two runs, each given as meta and rows, and compare them."""

    def of(one, other):
        for name, (meta, found) in {"one": one, "other": other}.items():
            (tmp_path / f"{name}.toy").write_text(lines({"meta": {"agent": name} | meta}, *found))
            imported(tmp_path / f"{name}.toy", tmp_path / "runs")
        return compare(gather(load_benchmark(tmp_path)).claims)

    return of


def test_two_imported_runs_are_paired_by_their_tasks(compared):
    """
    Imported tasks take the place of our own.
    """
    found = compared(({}, rows(9)), ({}, rows(3)))

    assert (12, 1) == (found.tasks, len(found.pairs))
    assert abs(found.pairs[0].difference.estimate) == pytest.approx(0.5)


def test_trials_without_a_verdict_give_three_numbers_and_a_note_on_the_order(compared):
    """
    An errored trial with a score is missing: failed, left out, or passed.
    """
    found = compared(({}, rows(9, rule="IN-03")), ({}, rows(9)))
    (rate,) = [system.rate for system in found.systems if system.rate.missing]

    assert rate.lower < rate.excluded <= rate.upper
    assert "order depends" in found.rank_note


@pytest.mark.parametrize(
    ("meta", "found", "problem"),
    [
        (
            {"protocol": {"timeout multiplier": "2.0"}},
            rows(3),
            r"timeout multiplier \(not told and 2.0\)|timeout multiplier \(2.0 and not told\)",
        ),
        ({"digests": {"checksum": "1"}}, rows(3), "another digest or suite"),
        ({}, rows(3, tasks=11), "t11 is in one of them only"),
    ],
)
def test_runs_under_different_protocols_are_refused_and_the_difference_named(compared, meta, found, problem):
    """
    A doubled time limit, another form of a task, a task that one of them lacks.
    """
    with pytest.raises(RefusedError, match=problem):
        compared(({}, rows(9)), (meta, found))
