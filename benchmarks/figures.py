"""Print the figures that Faultline is held to: start-up, build, judging, floods, and validation against plain subprocesses.

    python benchmarks/figures.py [--whole]

Ratios are taken in one run, both sides in turn, so that a busy machine slows both. ``--whole`` adds a complete
``faultline validate`` of this repository's tasks, which takes one to three minutes on two cores.
"""

import argparse
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from faultline.agents.command import LIMITS as AGENT_LIMITS
from faultline.clock import Clock
from faultline.execution import LiveRun, Planned, gather_provenance, plan_validity
from faultline.execution.worker import Worker
from faultline.grading import Judge, Sitting, classify, freeze, handle
from faultline.grading.freeze import plain_candidate
from faultline.grading.judge import load_checks, rng_for
from faultline.kinds import SandboxLevel
from faultline.sandbox import Launch, open_sandbox
from faultline.tasks import apply_overlay, load_tasks, materialise, write_tree

ROOT = Path(__file__).resolve().parent.parent
FAULTLINE = [sys.executable, "-m", "faultline.cli"]
SERVE = """
import socket, sys
sys.path.insert(0, sys.argv[1])
import child
child.serve(socket.socket(fileno=int(sys.argv[2])), sys.argv[3], {}, sys.argv[4])
"""


def seconds(command, repeat=5, **more):
    """Return the least, the median and the most of several runs of a command."""
    taken = []
    for _ in range(repeat):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
        taken.append(time.perf_counter() - start)
    return min(taken), sorted(taken)[len(taken) // 2], max(taken)


class PlainChild:
    """The same call protocol with a fresh plain interpreter for each session: no sandbox, nothing kept warm."""

    def __init__(self, candidate, hash_seed, clock):
        self.candidate, self.hash_seed, self.clock = candidate, hash_seed, clock

    @contextmanager
    def session(self, seconds):
        ours, theirs = socket.socketpair()
        with tempfile.TemporaryDirectory() as scratch:
            process = subprocess.Popen(
                [
                    sys.executable,
                    "-P",
                    "-c",
                    SERVE,
                    str(Path(handle.__file__).parent),
                    str(theirs.fileno()),
                    str(self.candidate),
                    scratch,
                ],
                pass_fds=(theirs.fileno(),),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONHASHSEED": str(self.hash_seed), "OPENBLAS_NUM_THREADS": "1"},
            )
            theirs.close()
            try:
                yield handle.ChildSession(self, ours, seconds)
            finally:
                ours.close()
                process.kill()
                process.wait()


def plainly(variant, tree, hash_seed, seed):
    """Run the public tests and the checks of one candidate in plain subprocesses."""
    with tempfile.TemporaryDirectory() as folder:
        write_tree(tree, Path(folder, "tree"))
        subprocess.run(
            [sys.executable, "-B", "-m", "unittest", "discover", "-s", "tests", "-t", "."],
            cwd=Path(folder, "tree"),
            check=False,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": str(hash_seed)},
        )
        child = PlainChild(Path(folder, "tree"), hash_seed, Clock())
        for check in load_checks(variant):
            try:
                check.function(handle.CandidateHandle(child, 30.0), rng_for(seed, check.id), dict(variant.parameters))
            except Exception:  # a control that fails takes its time all the same
                continue


def validation_ratio(per_task):
    """Return seconds of a validity run and of the same work in plain subprocesses, over some cells of each task."""
    ours = plain = 0.0
    cells = 0
    for task in load_tasks(ROOT / "tasks"):
        planned = Planned(Clock(), gather_provenance(ROOT, (task,), (), ()), SandboxLevel.BUBBLEWRAP)
        manifest = plan_validity((task,), planned)
        some = manifest.cells[: 6 * per_task]
        with tempfile.TemporaryDirectory() as root:
            shutil.copytree(ROOT / "tasks" / task.id, Path(root, "tasks", task.id))
            live = LiveRun(Path(root), manifest.run)
            live.create(manifest.model_copy(update={"cells": some}), None)
            start = time.perf_counter()
            Worker(live, "bench", Clock(), {}).work()
            ours += time.perf_counter() - start
        start = time.perf_counter()
        for cell in some:
            variant = materialise(task, int(cell.variant.rsplit("-", 1)[1]))
            tree = (
                variant.workspace if cell.agent == "baseline" else apply_overlay(variant.workspace, variant.repairs[cell.agent])
            )
            plainly(variant, tree, cell.hash_seed, f"{manifest.judge_seed}/{cell.task}/{cell.variant}/{cell.trial}")
        plain += time.perf_counter() - start
        cells += len(some)
    return ours, plain, cells


@contextmanager
def stopwatch(owner, name, taken):
    """Add the seconds that calls of a method take to a list, while the block runs."""
    real = getattr(owner, name)

    def timed(*arguments, **keywords):
        start = time.perf_counter()
        try:
            return real(*arguments, **keywords)
        finally:
            taken.append(time.perf_counter() - start)

    setattr(owner, name, timed)
    try:
        yield
    finally:
        setattr(owner, name, real)


def judging_beyond_checks(repeat=5):
    """Return, task by task, the seconds of judging one candidate beyond its own check time, and that time.

    The candidate's own time is what its checks and public tests take once their processes are there. Beyond it lie freezing,
    the copy, the sandbox, the warm child, opening and ending the sessions, and the outcome.
    """
    sandbox = open_sandbox(SandboxLevel.BUBBLEWRAP)
    found = {}
    for task in load_tasks(ROOT / "tasks"):
        variant = materialise(task, 0)
        judge = Judge(variant, sandbox, Clock())
        beyond, own = [], []
        for number in range(repeat):
            work, sessions = [], []
            with (
                tempfile.TemporaryDirectory() as folder,
                stopwatch(Sitting, "decide", work),
                stopwatch(Sitting, "_public", work),
                stopwatch(handle.Child, "_open", sessions),
                stopwatch(handle.Child, "end_session", sessions),
            ):
                write_tree(apply_overlay(variant.workspace, variant.repairs["reference"]), Path(folder, "w"))
                start = time.perf_counter()
                candidate = freeze(Path(folder, "w"), variant)
                with judge.sitting(candidate, 0) as sitting:
                    findings = sitting.grade(f"figure/{number}")
                ids = [outline.id for outline in task.checks]
                classify(findings, candidate, required_checks=ids, required_tests=variant.public_tests, limit=False)
                whole = time.perf_counter() - start
            own.append(sum(work) - sum(sessions))
            beyond.append(whole - own[-1])
        found[task.id] = statistics.median(beyond), statistics.median(own)
    return found


FLOODED = b"import sys\n\n\ndef flood(times):\n    for _ in range(times):\n        sys.stdout.write('x' * 10**6 + chr(10))\n"


def flood_in_a_candidate(repeat=5):
    """Return the seconds that 100 MB on a candidate's standard output add to a call."""
    task = load_tasks(ROOT / "tasks")[0]
    variant = materialise(task, 0)
    candidate = plain_candidate(variant, {**variant.workspace, "flooded.py": FLOODED})
    taken = {0: [], 100: []}
    with Judge(variant, open_sandbox(SandboxLevel.BUBBLEWRAP), Clock()).sitting(candidate, 0) as sitting:
        for _ in range(repeat):
            for times, into in taken.items():
                start = time.perf_counter()
                with sitting.child.session(60) as session:
                    session.call("flooded:flood", times)
                into.append(time.perf_counter() - start)
    return statistics.median(taken[100]) - statistics.median(taken[0])


def flood_of_an_agent(repeat=5):
    """Return the seconds that 100 MB on an agent's standard output add to its run."""
    sandbox = open_sandbox(SandboxLevel.BUBBLEWRAP)
    taken = {0: [], 100: []}
    for _ in range(repeat):
        for times, into in taken.items():
            script = f"i=0; while [ $i -lt {times} ]; do head -c 1000000 /dev/zero; i=$((i+1)); done"
            launch = Launch(
                argv=("/bin/sh", "-c", script),
                mounts=(),
                cwd="/tmp",
                environment={"PATH": "/usr/bin:/bin"},
                limits=AGENT_LIMITS,
            )
            start = time.perf_counter()
            sandbox.capture(launch, stdin=b"", seconds=60)
            into.append(time.perf_counter() - start)
    return statistics.median(taken[100]) - statistics.median(taken[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--whole", action="store_true", help="also time a complete validation")
    parser.add_argument("--controls", type=int, default=3, help="controls of each task in the ratio")
    options = parser.parse_args()

    python = seconds([sys.executable, "-c", "import click"])
    shown = seconds([*FAULTLINE, "--help"])
    ratio = shown[1] / python[1]
    spread = f"{shown[1]:.3f} s median ({shown[0]:.3f} to {shown[2]:.3f})"
    print(f"faultline --help          {spread}; {ratio:.1f} x importing click alone")
    with tempfile.TemporaryDirectory() as out:
        command = [*FAULTLINE, "build-site", "--root", str(ROOT), "--out", out]
        cold = seconds(command, repeat=1)[1]
        warm = seconds(command, repeat=2)[0]
    print(f"faultline build-site      {cold:.1f} s first, {warm:.1f} s again")
    beyond = judging_beyond_checks()
    worst = max(beyond, key=lambda name: beyond[name][0])
    spread = f"{statistics.median(value for value, _ in beyond.values()):.3f} s median of the tasks"
    print(f"judging one candidate     {spread}; {worst} most with {beyond[worst][0]:.3f} s, beyond its own check time")
    for name, (more, own) in beyond.items():
        print(f"    {name:<22}{more:.3f} s beyond {own:.3f} s of its own")
    floods = flood_in_a_candidate(), flood_of_an_agent()
    print(f"flood of 100 MB           adds {floods[0]:.3f} s to a candidate's call, {floods[1]:.3f} s to an agent's run")
    ours, plain, cells = validation_ratio(options.controls)
    each = f"{ours / cells:.3f} s a trial; plain subprocesses {plain / cells:.3f} s"
    print(f"validate, one worker      {each}; ratio {ours / plain:.2f} over {cells} trials")
    if options.whole:
        whole = seconds([*FAULTLINE, "validate", "--no-seal", "--root", str(ROOT)], repeat=1)[1]
        print(f"faultline validate        {whole:.0f} s, {os.cpu_count()} workers")


if __name__ == "__main__":
    main()
