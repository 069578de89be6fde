"""Print how fast Inspect logs are imported, and in how much memory, beside inspect-ai's own ``samples_df`` on the same logs.

    python benchmarks/imports_inspect.py [--python PATH] [--logs N] [--samples N] [--logs-in FOLDER]

The logs are written by the real inspect-ai with its mock model. ``--python`` names an interpreter that has inspect-ai, pandas
and pyarrow; without it, this one must have them. Every figure is of a process of its own, start and imports included: seconds
of processor time, and the largest resident set. Both sides run in turn, several rounds, so that a busy machine slows both.

Two pairs are compared. Rows: ``samples_df`` as it is called by default, which reads summaries and no conversation, beside an
import without trajectories, which reads the same. Whole: ``samples_df(full=True)``, which parses every sample, beside an import
that also writes, redacts and seals every conversation.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 3
THEIRS = """
import sys
from inspect_ai.analysis import samples_df
print(len(samples_df(sys.argv[1], quiet=True, full=sys.argv[2] == "whole")))
"""
OURS = """
import sys
from pathlib import Path
from faultline.clock import Clock
from faultline.importers import Reading, SourceTree, import_runs
from faultline.importers.inspect_ai import Inspect
options = {} if sys.argv[2] == "whole" else {"trajectories": "no"}
done = import_runs(Inspect(), Reading(SourceTree(Path(sys.argv[1])), options), Path(sys.argv[3]), Clock())
print(sum(run.report.rows_out for run in done))
"""


def measured(python, program, *arguments):
    """Run a program; return the rows it says it read, its processor seconds and its largest resident set in MB."""
    # A process between, which has one child only: the largest set of children is that of the largest child there ever was.
    between = (
        "import json, resource, subprocess, sys; "
        "done = subprocess.run(sys.argv[1:], capture_output=True, text=True, check=True); "
        "used = resource.getrusage(resource.RUSAGE_CHILDREN); "
        "print(json.dumps([int(done.stdout.split()[-1]), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", between, python, "-c", program, *map(str, arguments)],
        capture_output=True, text=True, check=True, env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    return json.loads(done.stdout)


def main():
    """Write logs, measure both sides in turn, print ratios of medians."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--logs", type=int, default=10)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--logs-in")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        logs = Path(chosen.logs_in or folder / "logs")
        if chosen.logs_in is None:
            mock = ROOT / "tests" / "importers" / "inspect_mock.py"
            numbers = [str(chosen.logs), str(chosen.samples), "4"]
            subprocess.run([chosen.python, mock, logs, "eval", *numbers], check=True, capture_output=True)
        size = sum(path.stat().st_size for path in logs.rglob("*"))
        for what in ("rows", "whole"):
            theirs, ours = [], []
            for number in range(ROUNDS):
                theirs.append(measured(chosen.python, THEIRS, logs, what))
                ours.append(measured(sys.executable, OURS, logs, what, folder / f"{what}-{number}"))
            (rows, slow, large), (same, fast, small) = (
                [statistics.median(row) for row in zip(*side, strict=True)] for side in (theirs, ours)
            )
            assert rows == same, f"samples_df read {rows} samples, the import {same}"
            print(f"{what}: {rows:.0f} samples, {size / 1e6:.1f} MB of logs")
            print(f"  samples_df {slow:.2f} s {large:.0f} MB; import {fast:.2f} s {small:.0f} MB", end="")
            print(f"; {slow / fast:.1f} times as fast, {small / large:.2f} of its memory")


if __name__ == "__main__":
    main()
