"""The judge: controls end as they must, and a candidate that attacks it fails with a reason, in bounded time."""

import dataclasses
import time

import pytest
from grading_helpers import judge_variant
from tiny import CHECKS, REFERENCE, TASK_TOML, write_task

from faultline.checks import CandidateError
from faultline.clock import Clock
from faultline.grading import HarnessFault, Judge, freeze
from faultline.kinds import Fold, Mode, SandboxLevel, StatusClass, Verdict
from faultline.sandbox import open_sandbox
from faultline.tasks import load_task, materialise, write_tree

TOTAL = "shop/total.py"


def codes(graded) -> list[str]:
    return [reason.code for reason in graded.outcome.reasons]


class TestControls:
    def test_the_untouched_workspace_fails_for_the_intended_reason(self, grade):
        """The baseline fails with the code of the task, and is called unchanged."""
        graded = grade()

        assert ["COUNTED_TWICE"] == codes(graded)
        assert Mode.NO_CHANGE is graded.outcome.mode
        assert () == graded.findings.public.regressed

    @pytest.mark.parametrize("name", ["reference", "valid-loop"])
    def test_right_repairs_pass(self, grade_repair, name):
        """Reference and other valid repairs pass every check and public test."""
        graded = grade_repair(name)

        assert Verdict.PASSED is graded.outcome.verdict
        assert 2 == graded.findings.public.passed

    @pytest.mark.parametrize(("name", "code"), [("wrong-first-only", "SOME_LOST"), ("wrong-neighbours", "COUNTED_TWICE")])
    def test_wrong_repairs_fail_with_their_code(self, grade_repair, name, code):
        """A tempting wrong repair is caught by its own code."""
        assert [code] == codes(grade_repair(name))

    @pytest.mark.parametrize("level", [SandboxLevel.BUBBLEWRAP, SandboxLevel.PROCESS])
    def test_every_sandbox_gives_the_same_verdict(self, grade, level):
        """The verdict does not depend on the sandbox."""
        assert Verdict.PASSED is grade(level=level, **{TOTAL: REFERENCE}).outcome.verdict

    def test_the_same_seed_gives_the_same_findings(self, grade):
        """Judging is deterministic."""
        assert grade(seed="a").findings == grade(seed="a").findings


HOSTILE = {
    "exits at import": ("import os\nos._exit(0)\n", {"CRASHED", "IMPORT_FAILED"}),
    "exits politely": ("import sys\nsys.exit(0)\n", {"IMPORT_FAILED"}),
    "exits when called": ("import os\ndef total(orders):\n    os._exit(0)\n", {"CRASHED"}),
    "kills itself after a lie": (
        "import os\ndef total(orders):\n    print('Cannot allocate memory')\n    os.kill(os.getpid(), 9)\n",
        {"CRASHED"},
    ),
    "kills its parent": (
        "import os\ndef total(orders):\n    os.kill(os.getppid(), 9)\n    return 0\n",
        {"CRASHED", "COUNTED_TWICE", "SOME_LOST"},
    ),
    "never returns": ("def total(orders):\n    while True: pass\n", {"TIME_LIMIT"}),
    "skips": ("import unittest\ndef total(orders):\n    raise unittest.SkipTest('x')\n", {"RAISED"}),
    "answers an object that equals everything": (
        (
            "class Any(int):\n    __eq__ = lambda s, o: True\n    __ne__ = lambda s, o: False\n    __lt__ = lambda s, o: False\n"
            "    __sub__ = lambda s, o: 0\ndef total(orders):\n    return Any(sum(o['amount'] for o in orders))\n"
        ),
        {"COUNTED_TWICE"},
    ),
    "answers no data": ("def total(orders):\n    return object()\n", {"BAD_ANSWER"}),
    "answers a deep nest": (
        "def total(orders):\n    x = []\n    for _ in range(10**5): x = [x]\n    return x\n",
        {"BAD_ANSWER", "CRASHED"},
    ),
    "answers a huge number": ("def total(orders):\n    return 10**100000\n", {"BAD_ANSWER"}),
    "answers nan": ("def total(orders):\n    return float('nan')\n", {"COUNTED_TWICE"}),
    "answers a lone surrogate": ("def total(orders):\n    return '\\ud800'\n", {"BAD_ANSWER"}),
    "floods its output": (
        "import sys\nfor _ in range(200): sys.stdout.write('x' * 10**5)\ndef total(orders):\n    return 0\n",
        {"SOME_LOST"},
    ),
    "eats memory": ("def total(orders):\n    return len(bytearray(2**34))\n", {"RAISED"}),
    "writes on every descriptor": (
        "import os\ndef total(orders):\n    for n in range(3, 64):\n        try: os.write(n, b'\\0\\0\\0\\x02A{}')\n        except OSError: pass\n    return 0\n",
        {"BAD_ANSWER", "CRASHED", "SOME_LOST"},
    ),
    "reads the stack": (
        (
            "import inspect\ndef total(orders):\n    for f in inspect.stack():\n        for v in f.frame.f_locals.values():\n"
            "            if 'expected' in str(type(v)): return v\n    return 0\n"
        ),
        {"SOME_LOST"},
    ),
    "forks a daemon": (
        "import os, time\ndef total(orders):\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(600)\n    return 0\n",
        {"SOME_LOST"},
    ),
    "is no Python": ("def total(:\n", {"IMPORT_FAILED"}),
    "lost the function": ("x = 1\n", {"NAME_MISSING"}),
    "needs a module that is not there": ("import pandas\n", {"IMPORT_FAILED"}),
}


class TestHostile:
    @pytest.mark.parametrize("name", HOSTILE)
    def test_an_attack_is_a_failure_with_a_reason(self, grade, name):
        """Whatever a candidate does to itself is its own failure, never infrastructure, and takes bounded time."""
        source, expected = HOSTILE[name]
        started = time.monotonic()
        graded = grade(**{TOTAL: source})

        assert time.monotonic() - started < 60
        assert set(codes(graded)) & expected
        assert graded.outcome.fold in (Fold.FAILED, Fold.INVALID_SUBMISSION)

    def test_a_module_that_does_not_import_is_not_a_missing_name(self, grade):
        """An import that fails is reported as such, and the trial is called damaged."""
        graded = grade(**{TOTAL: "import nothing_of_this_name\ndef total(orders): return 0\n"})

        assert ["IMPORT_FAILED"] == codes(graded)
        assert Mode.DAMAGED is graded.outcome.mode

    def test_state_does_not_survive_between_calls(self, grade):
        """Each call of a check has a process of its own: a counter in the module starts again."""
        counting = REFERENCE.replace(
            "def total(orders):",
            "CALLS = []\n\n\ndef total(orders):\n    CALLS.append(1)\n    if len(CALLS) > 2:\n        return -1",
        )

        assert Verdict.PASSED is grade(**{TOTAL: counting}).outcome.verdict

    def test_files_do_not_survive_between_sessions(self, grade):
        """What a call leaves in its scratch folder is gone at the next call."""
        leaving = REFERENCE.replace(
            "def total(orders):",
            "def total(orders):\n    import os\n    for left in ('/tmp/left', '/dev/shm/left'):\n"
            "        if os.getcwd() != '/candidate' and os.path.exists(left):\n            return -1\n        open(left, 'w').close()",
        )

        assert Verdict.PASSED is grade(**{TOTAL: leaving}).outcome.verdict

    def test_the_candidate_sees_no_expected_value_check_name_or_path(self, grade):
        """Command lines, environment and open files inside say nothing of checks or results."""
        looking = (
            "import os, glob\ndef total(orders):\n    seen = ''\n    for p in glob.glob('/proc/*/cmdline') + glob.glob('/proc/*/environ'):\n"
            "        try: seen += open(p).read()\n        except OSError: pass\n"
            "    raise RuntimeError('found' if 'repeats_do_not' in seen or 'hidden' in seen or 'tasks' in seen else 'nothing')\n"
        )
        graded = grade(**{TOTAL: looking})

        assert "RuntimeError: nothing" == graded.outcome.reasons[0].detail

    def test_what_its_processes_hold_together_is_a_limit_of_its_own(self, tmp_path):
        """A candidate whose processes keep to their limits, and hold too much together, is told from one that crashed."""
        toml = TASK_TOML.replace("check_seconds = 2", "check_seconds = 20\nmemory_mib = 256\nprocesses = 32")
        variant = materialise(load_task(write_task(tmp_path / "tasks", **{"task.toml": toml})), 0)
        hold = "import os, time\ndef total(orders):\n    for _ in range(5):\n        if not os.fork():\n"
        hold += "            kept = bytearray(150 * 2**20)\n            time.sleep(60)\n    time.sleep(60)\n"
        write_tree({**variant.workspace, TOTAL: hold.encode()}, tmp_path / "workspace")
        outcome = judge_variant(variant, tmp_path / "workspace")

        assert {"MEMORY_LIMIT"} == {reason.code for reason in outcome.reasons}
        assert (Verdict.FAILED, Mode.LIMIT_REACHED) == (outcome.verdict, outcome.mode)

    @pytest.mark.parametrize("kind", ["TIME_LIMIT", "MEMORY_LIMIT", "CRASHED", "PASSED"])
    def test_a_child_cannot_claim_what_only_the_judge_observes(self, grade, kind):
        """A limit or a crash that the candidate itself tells of is a bad answer, not a limit that was reached."""
        claim = "import sys\nme = sys.modules['__main__']\ndef total(orders):\n"
        graded = grade(**{TOTAL: f"{claim}    raise me.Trouble({kind!r}, '', '')\n"})
        forged = "import sys\nme = sys.modules['__main__']\ndef say(*_):\n"
        forged += f"    raise me.Trouble({kind!r}, '', '')\nme.flatten = say\ndef total(orders):\n    return 0\n"
        also = grade(**{TOTAL: forged})

        assert {"RAISED"} == set(codes(graded))
        assert {"BAD_ANSWER"} == set(codes(also))
        assert Mode.LIMIT_REACHED is not also.outcome.mode

    def test_a_repair_that_breaks_public_tests_only_is_no_pass(self, grade):
        """Hidden checks alone do not make a pass: a public test that fails is a regression."""
        graded = grade(**{TOTAL: REFERENCE.replace(".values())", ".values()) + (0 if len(orders) > 2 else 1)")})

        assert Verdict.FAILED is graded.outcome.verdict
        assert ["PUBLIC_TEST_FAILED"] == codes(graded)
        assert Mode.REGRESSION is graded.outcome.mode

    def test_an_answer_that_a_check_cannot_read_is_the_candidates_failure(self, grade):
        """A wrong type that makes a check stumble does not become the verifier's fault when a right answer would not."""
        graded = grade(**{TOTAL: "def total(orders):\n    return ['a', 'list']\n"})

        assert Fold.FAILED is graded.outcome.fold
        assert "BAD_ANSWER" in codes(graded)


class TestTheJudgeItself:
    def test_a_check_that_raises_gives_no_verdict(self, variant, workspace):
        """An error inside a hidden check is the verifier's fault, and the trial cannot be scored."""
        broken = dataclasses.replace(variant, hidden_source=CHECKS.replace("once = ", "once = 1 / 0 + "))
        outcome = judge_variant(broken, workspace)

        assert (Verdict.NONE, StatusClass.VERIFIER, Fold.INVALID_INFRA) == (outcome.verdict, outcome.status, outcome.fold)
        assert "ZeroDivisionError" in outcome.note

    def test_a_code_that_was_not_declared_gives_no_verdict(self, variant, workspace):
        """A check may fail only with codes that it declares."""
        broken = dataclasses.replace(variant, hidden_source=CHECKS.replace('Failed("COUNTED_TWICE"', 'Failed("SOMETHING_ELSE"'))
        assert StatusClass.VERIFIER is judge_variant(broken, workspace).status

    def test_a_list_of_checks_that_ran_nothing_is_no_pass(self, variant, workspace):
        """Without checks there is no verdict, however good the candidate."""
        (workspace / TOTAL).write_text(REFERENCE)
        empty = dataclasses.replace(variant, hidden_source='"""Nothing."""\n')
        assert Verdict.NONE is judge_variant(empty, workspace).verdict

    def test_a_missing_check_is_no_pass(self, variant, workspace):
        """A check that the plan requires and that did not run leaves no verdict."""
        (workspace / TOTAL).write_text(REFERENCE)
        fewer = dataclasses.replace(variant, hidden_source=CHECKS.replace('@check(codes=("SOME_LOST",))\n', ""))
        assert Verdict.NONE is judge_variant(fewer, workspace).verdict

    def test_a_host_that_cannot_start_a_child_is_a_fault_of_the_harness(self, variant, workspace, monkeypatch):
        """When the sandbox does not start, the judge says what it observed and blames nobody."""
        monkeypatch.setattr("faultline.grading.handle.CHILD", workspace / "missing.py")
        judge = Judge(variant, open_sandbox(SandboxLevel.BUBBLEWRAP), Clock())

        with judge.sitting(freeze(workspace, variant), 0) as sitting, pytest.raises(HarnessFault, match="did not start"):
            sitting.grade("seed")

    def test_numpy_and_tuple_answers_become_plain(self, grade):
        """Ordinary numeric types of a repair are no reason to fail it."""
        fractions = REFERENCE.replace("return sum(", "import fractions\n    return int(fractions.Fraction(1)) * sum(")

        assert Verdict.PASSED is grade(**{TOTAL: fractions}).outcome.verdict

    def test_a_candidate_error_names_its_kind(self):
        """What a check can catch carries kind, exception type and message."""
        error = CandidateError("RAISED", "ValueError", "no")

        assert ("RAISED", "ValueError", "no") == (error.kind, error.type, error.message)


LEAVES = (
    REFERENCE
    + """
import json, os, socket, subprocess, sys, tempfile, threading

SAID = "left by another candidate"
for folder in ("/tmp", "/dev/shm", "/var/tmp", "/run", "/candidate", "/candidate/shop", tempfile.gettempdir(), os.getcwd()):
    try:
        with open(os.path.join(folder, "left"), "w") as file:
            file.write(SAID)
    except OSError:
        pass
os.environ["LEFT"] = SAID
json.left = SAID
sys.path.insert(0, "/tmp")
if os.fork() == 0:
    os.setsid()
    server = socket.socket(socket.AF_UNIX)
    try:
        server.bind("\\0left")
        server.listen()
        threading.Event().wait(60)
    except OSError:
        pass
    os._exit(0)
"""
)
LOOKS = '''"""Totals."""
import glob, json, os, socket, sys


def found():
    places = ["/tmp/left", "/dev/shm/left", "/var/tmp/left", "/run/left", "/candidate/left", "/candidate/shop/left"]
    seen = [place for place in places + glob.glob("/tmp/*/left") if os.path.exists(place)]
    seen += ["environment"] * ("LEFT" in os.environ) + ["module"] * hasattr(json, "left") + ["path"] * ("/tmp" in sys.path)
    try:
        socket.socket(socket.AF_UNIX).connect("\\0left")
        seen.append("process")
    except OSError:
        pass
    return seen


if found():
    raise RuntimeError(str(found()))

''' + REFERENCE.split("\n", 1)[1]


class TestTheDriver:
    def test_it_loads_what_a_candidate_names_and_nothing_more(self, variant, workspace):
        """A module that a function imports late is there before; one that no file names is not, and can be imported."""
        text = "import sys\n\n\ndef late():\n    import csv\n\n\ndef loaded(name):\n    return name in sys.modules\n\n\n"
        text += "def load(name):\n    return __import__(name).__name__\n"
        (workspace / TOTAL).write_text(text)
        with (
            Judge(variant, open_sandbox(SandboxLevel.BUBBLEWRAP), Clock()).sitting(freeze(workspace, variant), 0) as sitting,
            sitting.child.session(5) as session,
        ):
            assert [True, False] == [session.call("shop.total:loaded", name) for name in ("csv", "zoneinfo")]
            assert "zoneinfo" == session.call("shop.total:load", "zoneinfo")


class TestTwoCandidates:
    def test_state_is_never_shared_between_candidates(self, variant, workspace):
        """What one candidate leaves in files, modules, environment or processes, the next of the same judge does not see."""
        judge = Judge(variant, open_sandbox(SandboxLevel.BUBBLEWRAP), Clock())
        (workspace / TOTAL).write_text(LEAVES)
        first = freeze(workspace, variant)
        (workspace / TOTAL).write_text(LOOKS)
        second = freeze(workspace, variant)

        with judge.sitting(first, 0) as leaving, judge.sitting(second, 0) as looking:
            left, seen = leaving.grade("seed"), looking.grade("seed")
        with judge.sitting(second, 0) as looking:
            after = looking.grade("seed")

        assert {"passed"} == {check.result for check in left.checks}
        assert {"passed"} == {check.result for check in (*seen.checks, *after.checks)}
        assert seen == after
