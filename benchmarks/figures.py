"""Print the figures that Faultline is held to: start-up, build, and validation against the same work in plain subprocesses.

    python benchmarks/figures.py [--whole]

Ratios are taken in one run, both sides in turn, so that a busy machine slows both. ``--whole`` adds a complete
``faultline validate`` of this repository's tasks, which takes one to three minutes on two cores.
"""

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from faultline.clock import Clock
from faultline.execution import LiveRun, Planned, gather_provenance, plan_validity
from faultline.execution.worker import Worker
from faultline.grading import handle
from faultline.grading.judge import load_checks, rng_for
from faultline.kinds import SandboxLevel
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
    ours, plain, cells = validation_ratio(options.controls)
    each = f"{ours / cells:.3f} s a trial; plain subprocesses {plain / cells:.3f} s"
    print(f"validate, one worker      {each}; ratio {ours / plain:.2f} over {cells} trials")
    if options.whole:
        whole = seconds([*FAULTLINE, "validate", "--no-seal", "--root", str(ROOT)], repeat=1)[1]
        print(f"faultline validate        {whole:.0f} s, {os.cpu_count()} workers")


if __name__ == "__main__":
    main()
