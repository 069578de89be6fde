"""The commands as a person meets them: output, exit codes, and one line for each thing that is wrong."""

import json
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from tiny import CHECKS, TASK_TOML, write_benchmark, write_files, write_task

from faultline.cli.common import print_table
from faultline.sandbox import IMPLEMENTATIONS, sandbox_named


@pytest.fixture
def root(tmp_path):
    return write_benchmark(tmp_path / "benchmark")


@pytest.fixture
def faultline(root):
    """Run a command inside the tiny benchmark."""

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "faultline.cli", *arguments], cwd=root, capture_output=True, text=True, check=False
        )

    return run


class TestValidate:
    def test_a_sound_task_is_proved(self, faultline, root):
        """All controls end as they must: exit code 0, a table, and a sealed run that verifies."""
        done = faultline("validate")

        assert 0 == done.returncode
        assert "count-orders" in done.stdout
        assert "valid" in done.stdout
        assert 0 == faultline("verify").returncode

    def test_a_check_that_proves_nothing_is_noticed(self, faultline, root):
        """A vacuous check lets a wrong repair through: exit code 3 and a line that names it."""
        vacuous = CHECKS.replace("if candidate.call(", "if 0 and candidate.call(")
        write_files(root / "tasks" / "count-orders", {"hidden/checks.py": vacuous})
        done = faultline("validate", "--no-seal", "--json")
        task = json.loads(done.stdout)["tasks"]["count-orders"]

        assert 3 == done.returncode
        assert "invalid" == task["state"]
        assert ["wrong-first-only"] == [line.split()[0] for line in task["problems"]]
        assert ["every_order_counts"] == task["unkilled"]

    def test_a_baseline_that_fails_for_another_reason_is_no_proof(self, faultline, root):
        """A workspace that does not import fails, but not with the intended reason code."""
        write_files(root / "tasks" / "count-orders", {"workspace/shop/total.py": "import nothing_like_this\n"})
        done = faultline("validate", "--no-seal", "--json")
        controls = json.loads(done.stdout)["tasks"]["count-orders"]["controls"]

        assert 3 == done.returncode
        assert 0 == controls["baseline"]["as_expected"]
        assert {"IMPORT_FAILED": 18} == controls["baseline"]["codes"]


ALSO = "\n\n@check" + CHECKS.split("@check")[1].rstrip().replace("repeats_do_not_count", "no_repeat_counts") + "\n"
"""The first check once more, under another name: whatever is done to it, the first one keeps every control as it must be."""
HIDDEN_MUTATIONS = {
    "removed": ("", "no_repeat_counts is gone", []),
    "made vacuous": (ALSO.replace("if once != again:", "if 0:"), "does not fail it now", ["no_repeat_counts"]),
    "given another code": (ALSO.replace("COUNTED_TWICE", "SOME_LOST"), "fails it with SOME_LOST now", []),
}


@pytest.fixture(scope="module")
def twice_checked(tmp_path_factory):
    """A sealed validity run of the tiny task with one of its checks doubled."""
    root = write_benchmark(tmp_path_factory.mktemp("twice") / "benchmark")
    write_files(root / "tasks" / "count-orders", {"hidden/checks.py": CHECKS + ALSO})
    command = [sys.executable, "-m", "faultline.cli", "validate"]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    return root


class TestTheCheckerIsChecked:
    def test_swapped_reason_codes_are_noticed_and_the_check_is_named(self, faultline, root):
        """Two codes exchanged, declarations included: exit code 3, and the line says which check gave the wrong one."""
        swapped = CHECKS.replace("COUNTED_TWICE", "?").replace("SOME_LOST", "COUNTED_TWICE").replace("?", "SOME_LOST")
        write_files(root / "tasks" / "count-orders", {"hidden/checks.py": swapped})
        done = faultline("validate", "--no-seal")

        assert 3 == done.returncode
        assert "baseline must fail with COUNTED_TWICE" in done.stdout
        assert "SOME_LOST by repeats_do_not_count" in done.stdout

    def test_a_removed_check_is_noticed_and_its_code_named(self, faultline, root):
        """With the check its code has no source any more: the task does not load, and the line names what is missing."""
        write_files(root / "tasks" / "count-orders", {"hidden/checks.py": CHECKS.replace('@check(codes=("SOME_LOST",))', "")})
        done = faultline("validate", "--no-seal")

        assert 2 == done.returncode
        assert "codes.SOME_LOST: no hidden check can give this code" in done.stderr

    @pytest.mark.parametrize("name", HIDDEN_MUTATIONS)
    def test_a_mutation_that_another_check_hides_is_noticed_against_the_records(self, faultline, root, twice_checked, name):
        """Every control ends as it must, and the earlier sealed run remembers what the check did: exit code 3, and its name."""
        source, line, unkilled = HIDDEN_MUTATIONS[name]
        shutil.copytree(twice_checked, root, dirs_exist_ok=True)
        write_files(root / "tasks" / "count-orders", {"hidden/checks.py": CHECKS + source})
        done = faultline("validate", "--no-seal", "--json")
        task = json.loads(done.stdout)["tasks"]["count-orders"]

        assert (3, "valid", [], unkilled) == (done.returncode, task["state"], task["problems"], task["unkilled"])
        assert line in " ".join(task["changed_checks"])
        assert all(sentence.startswith("no_repeat_counts ") for sentence in task["changed_checks"])


class TestRun:
    def test_a_run_is_recorded_sealed_and_verified(self, faultline):
        """From plan to plain files in one command, with JSON for machines."""
        done = faultline("run", "no-op", "--trials", "2", "--variants", "1", "--json")
        counts = json.loads(done.stdout)

        assert (0, 2, 2, 2) == (done.returncode, counts["planned"], counts["recorded"], counts["failed"])
        assert f"{counts['run']}: verified\n" == faultline("verify", counts["run"]).stdout

    def test_every_sandbox_of_this_release_can_be_chosen(self):
        """What `faultline doctor` calls available has a name that `--sandbox` takes."""
        assert [(kind.level, None) for kind in IMPLEMENTATIONS] == [sandbox_named(kind.level.value) for kind in IMPLEMENTATIONS]

    def test_a_run_can_wait_to_be_sealed(self, faultline):
        """Without sealing the run stays live, is shown by status, and can be sealed later."""
        run = json.loads(faultline("run", "reference", "--trials", "1", "--variants", "1", "--no-seal", "--json").stdout)["run"]

        assert run in faultline("status").stdout
        assert f"sealed runs/{run}\n" == faultline("seal", run).stdout
        assert "no live runs" in faultline("status").stdout

    def test_an_agent_of_ones_own(self, faultline, root):
        """A program described by agent.toml is run, and what it did is judged."""
        write_files(
            root / "agent",
            {
                "agent.toml": 'schema = "faultline/agent/1"\nname = "mine"\nmodel = "none"\nversion = "1"\n'
                'command = ["/bin/sh", "{agent}/a.sh"]\n',
                "a.sh": "sed -i 's/sum(order/0 * sum(order/' shop/total.py\n",
            },
        )
        done = faultline("run", "--agent", "agent/agent.toml", "--seed", "0", "--trials", "1", "--json")

        assert 1 == json.loads(done.stdout)["failed"]

    @pytest.mark.parametrize(
        ("script", "mode", "shown"),
        [
            (
                "sed -i 's/    def test_sum/    @unittest.skip(str())\\n&/' tests/test_total.py\n",
                "tampered",
                b'"how":"skipped"',
            ),
            ("echo 'Should an order count twice?'\n", "asked-a-question", b'"question":"Should an order count twice?"'),
            ("echo 'I have a plan.' > plan.md\n", "no-draft", b'"evidence":{}'),
            ("echo '{}' > trace.json\necho done\n", "no-change", b'"evidence":{}'),
        ],
    )
    def test_what_an_agent_did_is_recorded_sealed_and_verified(self, faultline, root, script, mode, shown):
        """A program that skips a test, asks, or writes elsewhere is told apart in the sealed record, and the run verifies."""
        toml = (
            'schema = "faultline/agent/1"\nname = "mine"\nmodel = "none"\nversion = "1"\ntrace_file = "trace.json"\n'
            'command = ["/bin/sh", "{agent}/a.sh"]\n'
        )
        write_files(root / "agent", {"agent.toml": toml, "a.sh": script})
        run = json.loads(faultline("run", "--agent", "agent/agent.toml", "--seed", "0", "--trials", "1", "--json").stdout)[
            "run"
        ]
        line = (root / "runs" / run / "trials.jsonl").read_bytes()

        assert f'"mode":"{mode}"'.encode() in line
        assert shown in line
        assert f"{run}: verified\n" == faultline("verify", run).stdout


BAD = {
    "no agent": (("run",), 2, "name an agent (delete-tests, no-op"),
    "unknown control": (("run", "wrong-neighbours"), 2, "there is no agent of this name"),
    "unknown run": (("resume", "no-such-run"), 2, "there is no live run of this name"),
    "unknown sealed run": (("verify", "no-such-run"), 2, "there is no such run"),
    "unknown task": (("validate", "no-such-task"), 2, "there is no such task folder"),
    "too few trials": (("run", "no-op", "--trials", "0"), 2, "not in the range"),
    "unknown command": (("leaderboard",), 2, "No such command"),
    "no force": (("gates", "--force"), 2, "No such option"),
}


class TestBadInput:
    @pytest.mark.parametrize("name", BAD)
    def test_usage_errors_are_told_and_leave_nothing(self, faultline, root, name):
        """A wrong call ends with its code and a message, no traceback, and no file is written."""
        arguments, code, message = BAD[name]
        done = faultline(*arguments)

        assert code == done.returncode
        assert message in done.stderr
        assert "Traceback" not in done.stderr
        assert [".keep"] == [path.name for path in (root / "runs").iterdir()]

    def test_a_malformed_task_is_one_line_with_file_and_place(self, faultline, root):
        """A broken task.toml is named with its line."""
        write_task(root / "tasks", **{"task.toml": TASK_TOML.replace("version = 1", "version = [")})
        done = faultline("validate")

        assert 2 == done.returncode
        assert 1 == len(done.stderr.splitlines())
        assert done.stderr.startswith("tasks/count-orders/task.toml:")

    def test_a_malformed_agent_file_is_one_line(self, faultline, root):
        """A broken agent.toml is named with its field."""
        write_files(root, {"agent.toml": 'schema = "faultline/agent/1"\nname = "a"\n'})
        done = faultline("run", "--agent", "agent.toml")

        assert (2, "agent.toml: command: this field is missing  [bad-input]\n") == (done.returncode, done.stderr)

    def test_a_malformed_line_of_trials_is_named(self, faultline, root):
        """A damaged record is named with file and line, and the run does not verify."""
        run = json.loads(faultline("run", "no-op", "--trials", "1", "--variants", "1", "--json").stdout)["run"]
        path = root / "runs" / run / "trials.jsonl"
        path.write_bytes(path.read_bytes().replace(b'"verdict":"failed"', b'"verdict":"passed"'))
        done = faultline("verify", run)

        assert 5 == done.returncode
        assert f"{run}/trials.jsonl" in done.stderr
        assert "Traceback" not in done.stderr

    def test_outside_a_benchmark_the_command_says_so(self, tmp_path):
        """A command that needs a benchmark names what it looked for."""
        done = subprocess.run(
            [sys.executable, "-m", "faultline.cli", "gates"], cwd=tmp_path, capture_output=True, text=True, check=False
        )

        assert 2 == done.returncode
        assert "this is not inside a benchmark" in done.stderr


class TestGates:
    def test_a_benchmark_without_audits_is_withheld(self, faultline):
        """Exit code 3, each gate with what it saw and what to do next."""
        done = faultline("gates")

        assert 3 == done.returncode
        assert "leaderboard withheld" in done.stdout
        assert "0 of 20 audited task families" in done.stdout

    def test_json_has_the_same_numbers(self, faultline):
        """What machines read is what people read."""
        report = json.loads(faultline("gates", "--json").stdout)

        assert report["withheld"] is True
        assert f"{report['holding']} of {report['total']} gates hold" in faultline("gates").stdout

    def test_junit_has_the_same_gates(self, faultline, tmp_path):
        """A system that runs tests gets one case a gate, and the exit code stays what it is."""
        done = faultline("gates", "--junit", str(tmp_path / "gates.xml"))
        suite = ET.parse(tmp_path / "gates.xml").getroot()

        assert 3 == done.returncode
        assert f" of {suite.get('tests')} gates hold" in done.stdout
        assert {"faultline.gates"} == {case.get("classname") for case in suite.iter("testcase")}

    def test_a_report_that_cannot_be_written_is_an_error(self, faultline, tmp_path):
        """Without its folder the file is not written, and the exit code says so."""
        done = faultline("gates", "--junit", str(tmp_path / "none" / "gates.xml"))

        assert 8 == done.returncode
        assert "gates.xml" in done.stderr

    def test_a_looser_threshold_is_refused(self, faultline, root):
        """A benchmark may only make thresholds stricter."""
        write_files(root, {"pyproject.toml": "[tool.faultline.gates]\naudited_families = 1\n"})
        done = faultline("gates")

        assert 2 == done.returncode
        assert "pyproject.toml" in done.stderr


class TestDoctor:
    def test_it_says_what_each_sandbox_promises_and_cannot(self, faultline):
        """Every level is listed with promises and gaps; this machine is fit for publication."""
        report = json.loads(faultline("doctor", "--json").stdout)

        assert report["fit_for_publication"] is True
        assert all(item["promises"] and item["gaps"] for item in report["sandboxes"].values())

    def test_a_table_that_is_piped_folds_no_name(self, capsys):
        """A search through piped output finds whole names, however long."""
        name = "a-very-long-name-" * 9
        print_table(("task", "state"), [(name, "valid")])

        assert name in capsys.readouterr().out

    def test_colours_switch_off(self, faultline):
        """Output that is no terminal has no escape sequences."""
        assert "\x1b" not in faultline("gates").stdout + faultline("doctor").stdout
