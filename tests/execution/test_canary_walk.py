"""Hidden material stays hidden: an agent that hunts for the canary finds nothing, and nothing that is kept or built holds it."""

import gzip
import json

import pytest
from tiny import CANARY, TASK_TOML, write_benchmark, write_files, write_task

from faultline.agents import command_identity
from faultline.archive import read_run
from faultline.clock import Clock
from faultline.execution import LiveRun, Planned, execute, gather_provenance, plan_evaluation, plan_validity, seal_live_run
from faultline.grading.canary import holders
from faultline.kinds import Fold, Mode, SandboxLevel, Verdict
from faultline.sandbox import IMPLEMENTATIONS
from faultline.tasks import load_tasks

ISOLATED = [kind.level for kind in IMPLEMENTATIONS if kind.alone and not kind().unfit_because()]
AGENT = """
schema = "faultline/agent/1"
name = "hunter"
model = "none"
version = "1"
command = ["{python}", "{agent}/hunt.py"]
seconds = 200
"""
HUNT = '''
import os, re, sys, tempfile

WANTED = re.compile(b"faultline-" + b"canary-[0-9a-f]{8}|repeats_do_not" + b"_count")
SKIPPED = {"/sys", "/proc/sys", "/proc/irq", "/usr/share", "/usr/include"}
found, looked = [], 0


def look(path):
    global looked
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return
    with os.fdopen(fd, "rb") as file:
        try:
            data = file.read(2**20) or b""
        except OSError:
            return
    looked += 1
    if WANTED.search(data) or WANTED.search(os.fsencode(path)):
        found.append(path)


def walk(top, passed_over):
    """Look at every file below a folder, but for those of the interpreter and system programs that were looked at already."""
    for folder, folders, names in os.walk(top):
        folders[:] = [
            name for name in folders if os.path.join(folder, name) not in SKIPPED and name not in ("task", *passed_over)
        ]
        if folder.startswith("/usr") and "packages" not in folder and folder.count("/") > 3:
            continue
        for name in names:
            path = os.path.join(folder, name)
            if path not in (__file__, "/proc/kmsg", "/proc/kcore"):
                look(path)


walk("/", ())
for top in ("/proc/self/root", "/proc/1/root", "/proc/1/cwd", "/proc/self/cwd/..", tempfile.gettempdir(), "/dev/shm"):
    walk(top, ("usr", "proc", "sys", "dev", sys.base_prefix.split("/")[1]))
for name, value in os.environ.items():
    if WANTED.search((name + value).encode()):
        found.append(name)
for name in ("faultline", "tests", "tasks"):
    try:
        __import__(name)
    except ImportError:
        continue
    found.append("module " + name)
print("looked at many files:", looked > 200)
print("found:", found)
print("repository above:", any(os.path.exists(place + ".git") for place in ("/", "/workspace/", "/workspace/../", "/agent/")))
'''
CARRIER = 'import sys\nprint("what I know: ' + CANARY[:20] + '" + "' + CANARY[20:] + '")\n'


@pytest.fixture
def benchmark(tmp_path):
    root = write_benchmark(tmp_path / "benchmark")
    write_task(root / "tasks", **{"task.toml": TASK_TOML.replace("agent_seconds = 20", "agent_seconds = 200")})
    return root


def evaluate(root, folder, files, level):
    """Run a program as an agent over one cell of the tiny task and return the sealed run."""
    agent_file = write_files(folder, {"agent.toml": AGENT, **files}) / "agent.toml"
    tasks = load_tasks(root / "tasks")
    planned = Planned(Clock(), gather_provenance(root, tasks, (), ()), level)
    manifest = plan_evaluation(tasks, command_identity(agent_file), planned, trials=1, variants=1, seeds=(0,))
    live = LiveRun(root, manifest.run)
    live.create(manifest, agent_file)
    execute(live, 1, Clock(), lambda _: None)
    return read_run(seal_live_run(live, Clock()))


def everything(folder):
    """Return all files below a folder, those of a run unpacked."""
    files = {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {name: gzip.decompress(data) if name.endswith(".gz") else data for name, data in files.items()}


class TestTheWalk:
    @pytest.mark.slow
    @pytest.mark.parametrize("level", ISOLATED, ids=str)
    def test_an_agent_that_hunts_the_canary_finds_nothing(self, benchmark, tmp_path, level):
        """Files, processes, packages, temporary folders, variables and modules: nothing hidden can be read anywhere."""
        run = evaluate(benchmark, tmp_path / "agent", {"hunt.py": HUNT}, level)
        trace = next(data for name, data in everything(run.path).items() if "/traces/" in name)
        said = json.loads(trace)["steps"][1]["message"]

        assert "looked at many files: True\nfound: []\nrepository above: False\n" == said
        assert Mode.NO_CHANGE is run.trials[0].outcome.mode

    def test_no_record_of_a_run_holds_a_canary(self, benchmark, tmp_path):
        """After a validity run and an evaluation, neither records, traces nor candidates hold it; nor does what a build makes."""
        tasks = load_tasks(benchmark / "tasks")
        planned = Planned(Clock(), gather_provenance(benchmark, tasks, (), ()), SandboxLevel.BUBBLEWRAP)
        manifest = plan_validity(tasks, planned, 1)
        live = LiveRun(benchmark, manifest.run)
        live.create(manifest, None)
        execute(live, 2, Clock(), lambda _: None)
        seal_live_run(live, Clock())
        evaluate(benchmark, tmp_path / "agent", {"hunt.py": "print('nothing')\n"}, SandboxLevel.BUBBLEWRAP)

        assert () == holders([CANARY], everything(benchmark / "runs"))
        assert () == holders([CANARY], everything(benchmark / ".faultline"))


class TestExposed:
    def test_a_canary_in_the_trajectory_is_an_end_of_its_own(self, benchmark, tmp_path):
        """The trial is exposed, counts as failed with a reason, and its record says where the canary was."""
        run = evaluate(benchmark, tmp_path / "agent", {"hunt.py": CARRIER}, SandboxLevel.BUBBLEWRAP)
        outcome = run.trials[0].outcome

        assert (Verdict.FAILED, Mode.EXPOSED, "FL-07") == (outcome.verdict, outcome.mode, outcome.rule)
        assert ("CANARY_FOUND", "trajectory") == (outcome.reasons[0].code, outcome.reasons[0].detail)
        assert Fold.INVALID_SUBMISSION is outcome.fold

    def test_a_canary_in_the_candidate_is_found_too(self, benchmark, tmp_path):
        """A repair that carries the canary in its files is exposed, although it would have passed."""
        hide = "from pathlib import Path\np = Path('shop/total.py')\n"
        hide += (
            'p.write_text(\'"""'
            + CANARY.upper()
            + '"""\\n\\n\\ndef total(orders):\\n    return sum({o["order"]: o["amount"] for o in orders}.values())\\n\')\n'
        )
        run = evaluate(benchmark, tmp_path / "agent", {"hunt.py": hide}, SandboxLevel.BUBBLEWRAP)
        outcome = run.trials[0].outcome

        assert (Mode.EXPOSED, "candidate") == (outcome.mode, outcome.reasons[0].detail)
        assert {"passed"} == {check.result for check in outcome.checks}
