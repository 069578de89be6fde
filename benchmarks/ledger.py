"""Print the figures of the ledger and the runner: recording, sealing, overhead of a trial, workers beside one.

    python benchmarks/ledger.py [record] [seal] [overhead] [workers]

Ratios are taken in one run, both sides in turn, so that a busy machine slows both. Without words all four are measured; the
seal of 100,000 trials takes a few minutes to prepare.
"""

import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "ledger"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "execution"))

import psycopg
from execution_samples import planned_run
from ledger_samples import manifest, trial
from ledger_stores import PostgresqlServer
from tiny import write_benchmark

from faultline.agents import command_identity
from faultline.clock import Clock
from faultline.execution import LiveRun, Planned, execute, gather_provenance, plan_evaluation, seal_live_run
from faultline.execution.worker import Worker
from faultline.execution.workshop import Workshop
from faultline.kinds import SandboxLevel, digest_bytes
from faultline.ledger import open_ledger
from faultline.tasks import load_tasks

ROUNDS, RECORDS = 7, 300
"""Recording: rounds of each side in turn, and records in each."""
CELLS = 100_000


def rate_of_ledger(where, run):
    """Return records a second through the ledger, and the rows that the other side inserts then."""
    plan = manifest(run, trials=RECORDS // 2)
    with open_ledger(where) as ledger:
        ledger.register(plan)
        claims = []
        for _ in range(RECORDS):
            claim = ledger.claim(run, "w", Clock().now(), 600)
            ledger.begin_attempt(claim, Clock().now())
            claims.append(claim)
        results = [trial(plan, at) for at in range(RECORDS)]
        start = time.perf_counter()
        for result, claim in zip(results, claims, strict=True):
            ledger.record(result, claim)
        taken = time.perf_counter() - start
    return RECORDS / taken, [(result.content_digest(), result.canonical().decode()) for result in results]


def rate_of_sqlite(folder, rows, number):
    """Return bare single-row committed inserts a second into SQLite, as durable as the ledger's."""
    with closing(sqlite3.connect(folder / f"bare-{number}.db", isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        db.execute("CREATE TABLE bare (digest TEXT PRIMARY KEY, payload TEXT NOT NULL)")
        start = time.perf_counter()
        for row in rows:
            db.execute("BEGIN IMMEDIATE")
            db.execute("INSERT INTO bare VALUES (?, ?)", row)
            db.execute("COMMIT")
        return len(rows) / (time.perf_counter() - start)


def rate_of_postgresql(where, rows, number):
    """Return bare single-row committed inserts a second into PostgreSQL, on one connection."""
    with psycopg.connect(where) as db:
        db.execute(f"CREATE TABLE bare_{number} (digest TEXT PRIMARY KEY, payload TEXT NOT NULL)")
        db.commit()
        start = time.perf_counter()
        for row in rows:
            db.execute(f"INSERT INTO bare_{number} VALUES (%s, %s)", row)
            db.commit()
        return len(rows) / (time.perf_counter() - start)


def say_ratios(name, pairs):
    ratios = sorted(ours / bare for ours, bare in pairs)
    ours, bare = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(
        f"recording, {name}: {statistics.median(ratios):.2f} of bare inserts (aim 0.5; {ratios[0]:.2f} to {ratios[-1]:.2f}"
        f" in {len(pairs)} rounds; {ours:,.0f} and {bare:,.0f} a second)"
    )


def record():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pairs = []
        for number in range(ROUNDS):
            ours, rows = rate_of_ledger(folder / "ledger.db", f"run-{number}")
            pairs.append((ours, rate_of_sqlite(folder, rows, number)))
        say_ratios("SQLite", pairs)
    with PostgresqlServer() as server:
        for words, durable in (("PostgreSQL that syncs", True), ("PostgreSQL with fsync off", False)):
            with psycopg.connect(server.url(), autocommit=True) as db:
                db.execute(f"ALTER SYSTEM SET fsync = {'on' if durable else 'off'}")
            server.restart()
            where = server.new_schema()
            pairs = []
            for number in range(ROUNDS):
                ours, rows = rate_of_ledger(where, f"run-{number}")
                pairs.append((ours, rate_of_postgresql(where, rows, number)))
            say_ratios(words, pairs)


SEAL = """
import json, resource, sys, time
from pathlib import Path
from faultline.archive import seal_run, verify_run
from faultline.clock import Clock
from faultline.ledger import open_ledger
folder = Path(sys.argv[1])
start = time.perf_counter()
with open_ledger(folder / "ledger.db") as ledger:
    manifest = ledger.manifest("big")
    path = seal_run(folder, manifest, ledger.trials("big"), ledger.conflicts("big"), folder, Clock())
sealed = time.perf_counter() - start
mismatches = verify_run(path)
print(json.dumps({"sealed": sealed, "whole": time.perf_counter() - start, "mismatches": len(mismatches),
  "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""


def seal():
    """Seal and verify a run of 100,000 trials in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan = manifest("big", trials=CELLS // 2)
        with open_ledger(folder / "ledger.db") as ledger:
            ledger.register(plan)
        # Recorded by one statement: how fast records come in is another figure.
        first = trial(plan, 0).canonical().decode()
        rows = []
        for at in range(CELLS):
            cell = plan.cells[at]
            pin = next(pin for pin in plan.tasks if pin.id == cell.task)
            plain = json.loads(first)
            plain["key"] |= {"task": cell.task, "trial": cell.trial}
            plain |= {
                "hash_seed": cell.hash_seed,
                "task_digest": pin.digest,
                "workspace_digest": pin.variants[0].workspace_digest,
            }
            payload = json.dumps(plain, sort_keys=True, separators=(",", ":"))
            rows.append(
                ("big", cell.task, cell.variant, cell.agent, cell.trial, digest_bytes(payload.encode()), "passed", payload)
            )
        with closing(sqlite3.connect(folder / "ledger.db")) as db, db:
            db.executemany("INSERT INTO faultline_trials VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
            db.execute("UPDATE faultline_cells SET state = 'recorded'")
        said = subprocess.run([sys.executable, "-c", SEAL, name], stdout=subprocess.PIPE, check=True, text=True).stdout
        found = json.loads(said)
        print(
            f"{CELLS:,} trials: sealed in {found['sealed']:.0f} s, sealed and verified in {found['whole']:.0f} s (aim 60),"
            f" {found['mib']:.0f} MiB at most (aim 500 MB), {found['mismatches']} mismatches"
        )


def overhead():
    """Print the time of a trial that is neither the agent's nor the checks'."""
    with tempfile.TemporaryDirectory() as name:
        live = planned_run(write_benchmark(Path(name)), trials=60, seeds=(0, 1))
        inside = []
        judged = Workshop._judged  # noqa: SLF001  (the part that is not overhead)

        def timed(*arguments):
            start = time.perf_counter()
            try:
                return judged(*arguments)
            finally:
                inside.append(time.perf_counter() - start)

        Workshop._judged = timed  # noqa: SLF001
        warm = Worker(live, "warm", Clock(), {})
        warm.work(20)
        inside.clear()
        start = time.perf_counter()
        done = Worker(live, "timed", Clock(), {}, 20).work(100)
        whole = time.perf_counter() - start
        Workshop._judged = judged  # noqa: SLF001
        own = whole - sum(inside)
        print(f"overhead of a trial: {1000 * own / done:.0f} ms (aim 100), of {1000 * whole / done:.0f} ms in all")


AGENT = """
schema = "faultline/agent/1"
name = "busy"
command = ["{python}", "{agent}/work.py"]
model = "none"
"""
COMPUTES = """
import time
end = time.process_time() + 1.0
while time.process_time() < end:
    sum(range(1000))
"""
WAITS = """
import time
time.sleep(1.0)
"""


def taken_by(count, work):
    """Return the seconds that so many workers take for 24 cells of an agent whose attempts take one second."""
    with tempfile.TemporaryDirectory() as name:
        root = write_benchmark(Path(name, "benchmark"))
        agent = Path(name, "agent")
        agent.mkdir()
        (agent / "agent.toml").write_text(AGENT)
        (agent / "work.py").write_text(work)
        tasks = load_tasks(root / "tasks")
        planned = Planned(Clock(), gather_provenance(root, tasks, (), ()), SandboxLevel.BUBBLEWRAP)
        identity = command_identity(agent / "agent.toml")
        plan = plan_evaluation(tasks, identity, planned, trials=24, variants=1, seeds=(0,))
        live = LiveRun(root, plan.run)
        live.create(plan, agent / "agent.toml")
        start = time.perf_counter()
        progress = execute(live, count, Clock(), lambda _: None)
        taken = time.perf_counter() - start
        assert progress.complete
        seal_live_run(live, Clock())
        return taken


def workers():
    """Print how much faster four local workers are than one: with an agent that computes, and with one that waits."""
    for words, work in (("computes", COMPUTES), ("waits", WAITS)):
        ratios = sorted(taken_by(1, work) / taken_by(4, work) for _ in range(3))
        print(
            f"4 local workers on {os.cpu_count()} processors, an agent that {words}: {ratios[1]:.2f} times one"
            f" (aim 1.8; {ratios[0]:.2f} to {ratios[2]:.2f})"
        )


def main() -> None:
    chosen = sys.argv[1:] or ["record", "seal", "overhead", "workers"]
    for name in chosen:
        {"record": record, "seal": seal, "overhead": overhead, "workers": workers}[name]()


if __name__ == "__main__":
    main()
