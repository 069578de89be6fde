"""Print how long imports take, on made-up logs of the size of public ones.

    python benchmarks/imports.py terminal-bench [--site]
    python benchmarks/imports.py rows [--trials 125000]

terminal-bench  13 systems, 80 tasks, 5 trials each, as job folders: import, and site with --site, within 20 s
rows            125,000 trials as JSONL: imported within 30 s and 1 GB
toy             the same rows in the format of the tests, which shows what the core of all importers costs

Each import is a process of its own, as a user starts it; memory is the most that the process had.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from tiny import write_benchmark  # noqa: E402

SYSTEMS, TASKS, ATTEMPTS = 13, 80, 5
MODES = (
    ("unset",) * 12 + ("agent_timeout",) * 4 + ("unknown_agent_error", "test_timeout", "parse_error", "context_length_exceeded")
)
WITHOUT_VERDICT = ("unknown_agent_error", "test_timeout", "parse_error")
COLUMNS = """
id = "id"
agent = "agent"
model = "model"
task = "task"
trial = "trial"
verdict = "passed"
started = "started_at"
seconds = "seconds"
input_tokens = "input_tokens"
output_tokens = "output_tokens"
cost = "cost"
"""
TOY = "from toy import Toy; import faultline.importers as i; i.load_importer = lambda name: Toy()\n"


def made_up_id(rng):
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def terminal_bench(folder, rng):
    """Write the job folders of 13 systems and return how many trials they hold."""
    start = datetime(2026, 11, 1, tzinfo=UTC)
    tasks = [f"task-{number:02}" for number in range(TASKS)]
    for system in range(SYSTEMS):
        run = (start + timedelta(days=system)).strftime("%Y-%m-%d__%H-%M-%S")
        rows = []
        for number, task in enumerate(tasks):
            for i in range(1, ATTEMPTS + 1):
                name = f"{task}.{i}-of-{ATTEMPTS}.{run}"
                row = terminal_bench_trial(rng, task, name, start + timedelta(days=system, minutes=number * 10 + i))
                rows.append(row)
                write_json(folder / run / task / name / "results.json", row)
        resolved = [row["task_id"] for row in rows if row["is_resolved"]]
        other = [row["task_id"] for row in rows if not row["is_resolved"]]
        accuracy = len(resolved) / len(rows)
        write_json(
            folder / run / "results.json",
            {"id": made_up_id(rng), "results": rows, "pass_at_k": {}, "n_resolved": len(resolved), "n_unresolved": len(other)}
            | {"resolved_ids": resolved, "unresolved_ids": other, "accuracy": accuracy},
        )
        agent = {"agent_name": f"agent-{system:02}", "model_name": f"acme/model-{system % 4}"}
        write_json(
            folder / run / "run_metadata.json",
            {"run_id": run, "uuid": made_up_id(rng), "dataset_name": "made-up", "dataset_version": "1", "task_ids": tasks}
            | {"n_attempts": ATTEMPTS, "dataset_size": TASKS, "accuracy": accuracy, "commit_hash": "0" * 40, **agent},
        )
        write_json(
            folder / run / "tb.lock",
            {"harness": {"package": "terminal-bench", "version": "0.2.18"}, "dataset": {"name": "made-up", "task_ids": tasks}},
        )
    return SYSTEMS * TASKS * ATTEMPTS


def terminal_bench_trial(rng, task, name, start):
    mode = rng.choice(MODES)
    resolved = None if mode in WITHOUT_VERDICT else rng.random() < 0.4
    end = start + timedelta(seconds=rng.uniform(30, 900))
    word = "passed" if resolved else "failed"
    return {
        "id": made_up_id(rng),
        "trial_name": name,
        "task_id": task,
        "instruction": "Make the service start again and keep what it stored. " * 12,
        "is_resolved": resolved,
        "failure_mode": mode,
        "parser_results": None if resolved is None else {f"test_{number}": word for number in range(5)},
        "recording_path": f"{name}/sessions/agent.cast",
        "total_input_tokens": rng.randrange(1_000, 400_000),
        "total_output_tokens": rng.randrange(100, 20_000),
        "trial_started_at": start.isoformat(),
        "trial_ended_at": end.isoformat(),
        "agent_started_at": (start + timedelta(seconds=5)).isoformat(),
        "agent_ended_at": (end - timedelta(seconds=9)).isoformat(),
        "test_started_at": (end - timedelta(seconds=8)).isoformat(),
        "test_ended_at": (end - timedelta(seconds=1)).isoformat(),
    }


def rows(folder, rng, trials):
    """Write one table of trials: 5 trials of a task, 500 tasks an agent."""
    with (folder / "results.jsonl").open("w", encoding="utf-8") as stream:
        for number in range(trials):
            start = datetime(2026, 11, 1, tzinfo=UTC) + timedelta(seconds=number)
            stream.write(
                json.dumps(
                    {
                        "id": f"r{number}",
                        "agent": f"agent-{number // 2500:02}",
                        "model": "acme/model-a",
                        "task": f"task-{number // 5 % 500:03}",
                        "trial": number % 5,
                        "passed": rng.random() < 0.4,
                        "started_at": start.isoformat(),
                        "seconds": round(rng.uniform(10, 900), 3),
                        "input_tokens": rng.randrange(1_000, 400_000),
                        "output_tokens": rng.randrange(100, 20_000),
                        "cost": round(rng.random(), 4),
                    }
                )
                + "\n"
            )
    return trials


def toy(folder, rng, trials):
    """Write the same number of rows, one file for each agent, in the format of the tests."""
    for agent in range(-(-trials // 2500)):
        with (folder / f"agent-{agent:02}.toy").open("w", encoding="utf-8") as stream:
            for number in range(agent * 2500, min(trials, (agent + 1) * 2500)):
                start = datetime(2026, 11, 1, tzinfo=UTC) + timedelta(seconds=number)
                row = {
                    "id": f"r{number}",
                    "task": f"task-{number // 5 % 500:03}",
                    "index": number % 5,
                    "start": start.isoformat(),
                }
                stream.write(json.dumps(row | {"verdict": rng.choice(("passed", "failed")), "status": "done"}) + "\n")
    return trials


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=4), encoding="utf-8")


def measured(root, format_name, *words):
    """Run a command of faultline in a process of its own; return seconds, those of the processor, and the most memory in MB."""
    before = TOY if format_name == "toy" else ""
    program = f"{before}from faultline.cli.main import main\nmain()"
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", program, *words, "--root", str(root)],
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tests" / "importers")))},
    )
    _, status, used = os.wait4(process.pid, 0)
    taken = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {process.returncode}")
    return taken, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("format", choices=("terminal-bench", "rows", "toy"))
    parser.add_argument("--site", action="store_true", help="build the site of the benchmark that holds the imported runs")
    parser.add_argument("--trials", type=int, default=125_000, help="of rows and toy")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root, source = write_benchmark(Path(scratch) / "benchmark"), Path(scratch) / "logs"
        source.mkdir()
        # The pages of this repository around the tiny benchmark's own task, as a user's site has them.
        (root / "mkdocs.yml").write_bytes((ROOT / "mkdocs.yml").read_bytes())
        shutil.copytree(ROOT / "site_src", root / "site_src")
        rng = random.Random(20261201)
        if arguments.format == "terminal-bench":
            trials = terminal_bench(source, rng)
        else:
            trials = {"rows": rows, "toy": toy}[arguments.format](source, rng, arguments.trials)
        options = []
        if arguments.format == "rows":
            (Path(scratch) / "columns.toml").write_text(COLUMNS, encoding="utf-8")
            options = ["--option", f"map={Path(scratch) / 'columns.toml'}"]
        total, busy, memory = measured(root, arguments.format, "import", arguments.format, str(source), *options)
        print(f"import {arguments.format}: {trials} trials in {total:.2f} s ({busy:.2f} s of processor), {memory:.0f} MB")
        if arguments.site:
            taken, busy, memory = measured(root, "", "build-site", "--out", str(Path(scratch) / "site"))
            print(f"build-site: {taken:.2f} s ({busy:.2f} s of processor), {memory:.0f} MB; together {total + taken:.2f} s")


if __name__ == "__main__":
    main()
