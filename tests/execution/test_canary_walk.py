"""Hidden material stays hidden: an agent that hunts for the canary finds nothing, and nothing that is kept or built holds it."""

import gzip
import json
import time
import uuid

import pytest
from tiny import CANARY, CHECKS, TASK_TOML, write_benchmark, write_files, write_task

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
seconds = 100
"""
HUNT = """
import os, stat, sys, tempfile

WORDS = [bytes.fromhex(word) for word in "@WORDS@".split()]
found, seen, looked = set(), set(), 0


def holds(data):
    return any(word in data for word in WORDS)


def first_time(status):
    place = status.st_dev, status.st_ino
    return not (place in seen or seen.add(place))


def look(path):
    global looked
    looked += 1
    link = os.path.islink(path)
    if holds(os.fsencode(path)) or (link and holds(os.fsencode(os.readlink(path)))):
        found.add(path)
    status = os.stat(path)
    # No file whose content or name was last changed before the word was drawn can hold it; the kernel keeps that time.
    if stat.S_ISREG(status.st_mode) and first_time(status) and (path.startswith("/proc/") or status.st_ctime >= @DRAWN@):
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            if holds(file.read(2**20 if path.startswith("/proc/") else -1) or b""):
                found.add(path)


def walk(top):
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders if anew(os.path.join(folder, name))]
        for name in folders + names:
            try:
                look(os.path.join(folder, name))
            except OSError:
                pass


def anew(folder):
    try:
        return folder != "/sys" and first_time(os.lstat(folder))  # below /sys are values of devices, none of a process
    except OSError:
        return False


def memory(pid):
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as content:
        for line in maps:
            start, end = (int(number, 16) for number in line.split()[0].split("-"))
            try:
                content.seek(start)
                if holds(content.read(end - start)):
                    found.add(f"memory of {pid}")
            except (OSError, ValueError, OverflowError):
                pass


for top in ("/", "/proc/self/root", "/proc/1/root", "/proc/1/cwd/", "/proc/self/cwd/..", tempfile.gettempdir(), "/dev/shm"):
    walk(top)
for pid in os.listdir("/proc"):
    if pid.isdigit() and int(pid) != os.getpid():
        try:
            memory(pid)
        except OSError:
            pass
found |= {name for name, value in os.environb.items() if holds(name + value)}
for name in ("faultline", "tests", "tasks"):
    try:
        __import__(name)
    except ImportError:
        continue
    found.add("module " + name)
print("looked at many files:", looked > 5000)
print("found:", sorted(map(str, found)))
print("repository above:", any(os.path.exists(place + ".git") for place in ("/", "/workspace/", "/workspace/../", "/agent/")))
"""
BAIT = "bait-" + "that-is-found"
CARRIER = 'import sys\nprint("what I know: ' + CANARY[:20] + '" + "' + CANARY[20:] + '")\n'


@pytest.fixture
def benchmark(tmp_path):
    return write_benchmark(tmp_path / "benchmark")


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
        """Files, processes, packages, temporary folders, variables and modules: nothing hidden can be read anywhere.

        The canary is drawn here, so that files of the system need not be read: none that is older can hold it. A bait among
        the agent's own files shows that the hunt finds what is there.
        """
        drawn = time.time() - 2  # the kernel's time of a change is a little behind
        canary = f"faultline-canary-{uuid.uuid4()}"
        change = {"task.toml": TASK_TOML.replace("agent_seconds = 20", "agent_seconds = 100"), "hidden/checks.py": CHECKS}
        write_task(benchmark / "tasks", **{name: text.replace(CANARY, canary) for name, text in change.items()})
        words = " ".join(word.encode().hex() for word in (canary[17:], "repeats_do_not_count", BAIT))
        hunt = HUNT.replace("@WORDS@", words).replace("@DRAWN@", repr(drawn))

        run = evaluate(benchmark, tmp_path / "agent", {"hunt.py": hunt, "bait.txt": f"here: {BAIT}"}, level)
        trace = next(data for name, data in everything(run.path).items() if "/traces/" in name)
        said = json.loads(trace)["steps"][1]["message"]

        assert "looked at many files: True\nfound: ['/agent/bait.txt']\nrepository above: False\n" == said
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
