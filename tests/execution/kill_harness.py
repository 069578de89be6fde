"""Kill the runner at random moments and resume, until a plan is done; then count everything from all sides.

Run as a program, so that its runners are forked from a process that has one thread and has imported all there is:
``python kill_harness.py STORE KILLS SEED FOLDER`` prints what it found as JSON. ``STORE`` is ``sqlite`` or a PostgreSQL URL.
The judge is replaced, since it is not the subject; agents, receipts, ledger and workers are real.
"""

import json
import multiprocessing
import os
import random
import signal
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent))

from execution_samples import planned_run, verdict
from tiny import write_benchmark

from faultline.agents.controls import ControlAgent
from faultline.archive import read_run, verify_run
from faultline.clock import Clock
from faultline.execution import execute, reconcile, retry_rule, runner, seal_live_run, verify_live_run
from faultline.execution.live import receipt_name
from faultline.execution.workshop import Workshop
from faultline.kinds import RetryPolicy

WORKERS = 4
CELLS = 60
FORK = multiprocessing.get_context("fork")


def run_to_its_end(live):
    """Be a runner: whoever forks it may kill it."""
    runner.START_METHOD = "fork"
    real = ControlAgent.repair

    def logged(agent, assignment):
        # One line an attempt, appended in one write: what agents really did, apart from all records.
        descriptor = os.open(live.root / "agents.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(descriptor, assignment.session.encode() + b"\n")
        os.close(descriptor)
        return real(agent, assignment)

    ControlAgent.repair = logged
    Workshop._judged = lambda *_: verdict(passed=True)
    execute(live, WORKERS, Clock(), lambda _: None)
    os._exit(0)


def starts(live):
    """Return the cell of every start of an agent, in order."""
    log = live.root / "agents.log"
    return [line.split("/")[1] for line in log.read_text().splitlines()] if log.exists() else []


def one_run(root, where, draw, kills, found):
    """Execute one plan under fire and check it."""
    live = planned_run(root, ledger_at=where, trials=CELLS, seeds=(0,), retry=retry_rule(RetryPolicy.TRANSPORT_ONLY, 20))
    rounds = []
    while True:
        process = FORK.Process(target=run_to_its_end, args=(live,))
        process.start()
        if found["kills"] < kills:
            if draw.random() < 0.3:
                time.sleep(draw.uniform(0.05, 0.3))
                found["worker_kills"] += kill_a_worker(process.pid, draw)
            process.join(draw.uniform(0.05, 0.7))
            if process.is_alive():
                process.kill()
                found["kills"] += 1
        process.join()
        if process.exitcode == 0:
            break
        # Agents whose work has a receipt by now must never start again.
        names = set(live.store.names("receipts"))
        cells = live.manifest().cells
        rounds.append(
            ({cell.label for cell in cells if any(receipt_name(cell, n) in names for n in range(1, 21))}, len(starts(live)))
        )
    reconcile(live, Clock())
    order = starts(live)
    redone = sum(label in done for done, place in rounds for label in order[place:])
    with live.open_ledger() as ledger:
        progress = ledger.progress(live.run, Clock().now())
        rows = Counter((row.key.task, row.key.variant, row.key.agent, row.key.trial) for row in ledger.all_attempts(live.run))
    differences = [str(error) for error in verify_live_run(live, Clock().now()).errors(live.run)]
    sealed = read_run(seal_live_run(live, Clock()))
    begun = Counter(order)
    found["runs"] += 1
    found["planned"] += progress.planned
    found["trials"] += len({trial.key for trial in sealed.trials})
    found["redone"] += redone
    found["differences"] += differences + [str(item) for item in verify_run(sealed.path)]
    found["attempts"] += sum(rows.values())
    for trial in sealed.trials:
        key = (trial.key.task, trial.key.variant, trial.key.agent, trial.key.trial)
        label = ".".join(map(str, key))
        if [attempt.number for attempt in trial.attempts] != list(range(1, len(trial.attempts) + 1)):
            found["differences"].append(f"{label}: attempts have gaps")
        if not begun[label] <= rows[key] or rows[key] < len(trial.attempts):
            found["differences"].append(f"{label}: {begun[label]} starts, {rows[key]} rows, {len(trial.attempts)} attempts")
    (root / "agents.log").unlink(missing_ok=True)


def kill_a_worker(pid, draw):
    """Kill one of a runner's workers; return how many were killed."""
    with suppress(OSError):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if children:
            os.kill(int(draw.choice(children)), signal.SIGKILL)
            return 1
    return 0


def main():
    store, kills, seed, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    root = write_benchmark(folder / "benchmark")
    found = {
        "kills": 0,
        "worker_kills": 0,
        "runs": 0,
        "planned": 0,
        "trials": 0,
        "attempts": 0,
        "redone": 0,
        "differences": [],
    }
    draw = random.Random(seed)
    while found["kills"] < kills:
        one_run(root, "" if store == "sqlite" else store, draw, kills, found)
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
