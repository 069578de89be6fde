"""Logs that Inspect itself writes, with its mock model, in both formats."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from importers.inspect_logs import imported, trials

from faultline.kinds import StatusClass, Verdict

PROGRAM = Path(__file__).with_name("inspect_mock.py")


@pytest.mark.slow
@pytest.mark.skipif(find_spec("inspect_ai") is None, reason="inspect-ai is not installed")
@pytest.mark.parametrize("log_format", ["eval", "json"])
def test_a_log_of_the_real_inspect_is_read_in_full(tmp_path, log_format):
    done = subprocess.run(
        [sys.executable, PROGRAM, tmp_path / "logs", log_format, "1", "3", "1"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr

    (run,) = imported(tmp_path / "logs", tmp_path / "runs")

    found = {(trial.key.task, trial.key.trial): trial for trial in trials(tmp_path / "runs", run)}
    assert 6 == len(found)
    assert [Verdict.PASSED, Verdict.FAILED, Verdict.PASSED] == [
        found[f"task-{i}-{tail}", 0].outcome.verdict for i, tail in ids(found)
    ]
    assert 1 == sum(trial.outcome.status is StatusClass.UNKNOWN for trial in found.values())
    assert {1_800, 0} == {
        trial.attempts[-1].usage.uncached_input if hasattr(trial.attempts[-1].usage, "output") else 0
        for trial in found.values()
    }
    assert run.report.headlines[0].published == pytest.approx(run.report.headlines[0].recomputed)
    assert 6 == len(list((tmp_path / "runs" / run.run / "traces").iterdir()))


def ids(found):
    """Return number and digest of each task: an id of digits only is no name of a task."""
    return sorted({tuple(task.removeprefix("task-").split("-", 1)) for task, _ in found})
