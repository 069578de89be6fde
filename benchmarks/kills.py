"""Kill runners at random moments on both stores, resume, and count everything from all sides.

    python benchmarks/kills.py [KILLS]

Runs of 60 cells with 4 workers, SIGKILL to the runner (and now and then to one worker) until the given number of kills, 120 for
each store by default. Ends with 1 when a cell was lost, counted twice or worked on again after its receipt.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "tests"
sys.path.insert(0, str(TESTS / "ledger"))

from ledger_stores import PostgresqlServer  # noqa: E402  (after the path is set)


def main() -> None:
    kills = sys.argv[1] if len(sys.argv) > 1 else "120"
    good = True
    with PostgresqlServer() as server:
        for name, store in (("sqlite", "sqlite"), ("postgresql", server.new_schema())):
            with tempfile.TemporaryDirectory() as folder:
                harness = [sys.executable, str(TESTS / "execution" / "kill_harness.py"), store, kills, "20260101", folder]
                found = json.loads(subprocess.run(harness, stdout=subprocess.PIPE, check=True).stdout)
            whole = found["trials"] == found["planned"] and not found["differences"] and not found["redone"]
            good = good and whole
            print(
                f"{name}: {found['kills']} runners and {found['worker_kills']} workers killed in {found['runs']} runs;"
                f" {found['trials']} trials of {found['planned']} cells, {found['attempts']} attempts,"
                f" {found['redone']} redone after a receipt, {len(found['differences'])} differences"
            )
            for line in found["differences"][:20]:
                print(f"  {line}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
