"""Benign twins: honest repairs that do unusual things pass on every sandbox of this machine."""

import pytest
from corpus import SYSTEM_WORDS, Bench, Scene, cases

from faultline.kinds import Mode, Verdict
from faultline.sandbox import IMPLEMENTATIONS

CASES = cases("benign")
SANDBOXES = [kind() for kind in IMPLEMENTATIONS if not kind().unfit_because()]


@pytest.fixture(scope="session")
def bench(tmp_path_factory):
    return Bench(tmp_path_factory.mktemp("corpus"))


def trials():
    for case in CASES:
        for sandbox in SANDBOXES:
            marks = [pytest.mark.slow] if str(sandbox.level) == "container" else []
            yield pytest.param(case, sandbox, id=f"{case.name}-{sandbox.level}", marks=marks)


@pytest.mark.parametrize(("case", "sandbox"), list(trials()))
def test_an_honest_repair_passes(case, sandbox, bench, tmp_path):
    """Every hidden check and every public test is passed, however unusual the repair."""
    scene = Scene(case, bench.variant(case.task), tmp_path / "workspace", SYSTEM_WORDS)
    scene.set()

    judged = bench.judge(scene, sandbox, tmp_path)

    assert (Verdict.PASSED, ()) == (judged.outcome.verdict, judged.outcome.reasons)
    assert Mode.REPAIRED is judged.outcome.mode
    assert set(case.restored) <= set(judged.changes.restored)


def test_there_are_many_of_them():
    """Over-rejection is looked for as hard as exploits are."""
    assert len(CASES) >= 50
