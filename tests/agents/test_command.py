"""`command` agents: real programs in a real sandbox, and everything they leave behind is hostile."""

import json
import os
from dataclasses import replace

import pytest
from tiny import write_files, write_task

from faultline.agents import Assignment, CommandAgent, command, command_identity
from faultline.errors import FaultlineError
from faultline.kinds import Absence, SandboxLevel
from faultline.records import Absent
from faultline.sandbox import open_sandbox
from faultline.tasks import load_task, materialise, write_tree

AGENT = """
schema = "faultline/agent/1"
name = "scripted"
model = "none"
version = "7"
command = ["/bin/sh", "{agent}/work.sh"]
"""


@pytest.fixture(scope="module")
def variant(tmp_path_factory):
    return materialise(load_task(write_task(tmp_path_factory.mktemp("tasks"))), 0)


@pytest.fixture
def repair(variant, tmp_path):
    """Run a shell script as an agent and return what it handed back, and its workspace."""

    def run(script, more="", seconds=20.0, environment=None):
        folder = write_files(tmp_path / "agent", {"agent.toml": AGENT + more, "work.sh": script})
        workspace = tmp_path / "workspace"
        workspace.mkdir()
        write_tree(variant.workspace, workspace)
        agent = CommandAgent(
            folder / "agent.toml",
            command_identity(folder / "agent.toml"),
            open_sandbox(SandboxLevel.BUBBLEWRAP),
            environment or {},
        )
        return agent.repair(Assignment.of(variant, workspace, seconds, "run/cell/1")), workspace

    return run


def steps(repair):
    return json.loads(repair.trace)["steps"]


class TestWork:
    def test_the_program_edits_the_workspace(self, repair):
        """What the program writes is in the workspace afterwards, owned by nobody in particular."""
        _, workspace = repair("echo 'x = 1' > shop/total.py")

        assert "x = 1\n" == (workspace / "shop" / "total.py").read_text()

    def test_the_issue_is_on_standard_input_and_in_the_workspace(self, repair, variant):
        """Both copies of the issue are the variant's."""
        done, _ = repair("cat; cmp -s ISSUE.md - < ISSUE.md && echo same")

        assert variant.issue + "same\n" == steps(done)[1]["message"]

    def test_its_whole_output_is_the_trace(self, repair):
        """Without a trajectory of its own, the agent's output is the trace; the exit code is noted."""
        done, _ = repair("echo hello; echo trouble >&2; exit 4")

        assert "hello\ntrouble\n" == steps(done)[1]["message"]
        assert "exit code 4" in done.note

    def test_the_trace_names_its_attempt(self, repair):
        """A trace is bound to the attempt it came from."""
        done, _ = repair("true")

        assert "run/cell/1" == json.loads(done.trace)["session_id"]

    def test_the_memory_of_all_its_processes_is_limited(self, repair, monkeypatch):
        """A program whose processes together hold too much is ended at its limit, and the note says why."""
        monkeypatch.setattr(command, "LIMITS", replace(command.LIMITS, memory_mib=64))
        hold = "import time; x = bytearray(40 * 2**20); time.sleep(60)"
        done, _ = repair(f'for i in 1 2 3 4 5; do "$@" python3 -S -c "{hold}" & done; wait; echo survived')

        assert done.limit
        assert "more than 128 MiB" in done.note
        assert "survived" not in steps(done)[1]["message"]

    def test_the_time_limit_ends_it(self, repair):
        """At the limit the agent is ended, and what it had done is still there."""
        done, workspace = repair("echo 'x = 2' > shop/total.py; sleep 600", seconds=0.7)

        assert done.limit
        assert "x = 2\n" == (workspace / "shop" / "total.py").read_text()

    def test_only_named_variables_are_passed(self, repair):
        """A variable arrives when the agent file names it, and no other does."""
        done, _ = repair("echo $GIVEN-$OTHER", 'environment = ["GIVEN"]\n', environment={"GIVEN": "yes", "OTHER": "no"})

        assert "yes-\n" == steps(done)[1]["message"]

    def test_hidden_files_and_other_tasks_are_out_of_sight(self, repair, variant):
        """The agent cannot read the task's folder."""
        done, _ = repair(f"ls {variant.task.path} {variant.task.path.parent} 2>&1; find / -name checks.py 2>/dev/null")

        assert "checks.py" not in steps(done)[1]["message"].replace("No such file", "")

    def test_there_is_no_history_that_gives_the_answer_away(self, repair):
        """Neither the workspace nor anything above it is a repository, and only the task's public files are in it."""
        done, _ = repair("ls -A . | tr '\\n' ' '; ls -d /.git /workspace/.git 2>/dev/null")

        assert "ISSUE.md README.md shop tests " == steps(done)[1]["message"]

    def test_no_network_unless_its_file_says_so(self, repair):
        """Without a word in the agent file there is only the loopback of its own world, and the identity says `none`."""
        done, _ = repair("cat /proc/net/dev | wc -l")

        assert "3\n" == steps(done)[1]["message"]

    @pytest.mark.parametrize(("line", "policy"), [("", "none"), ('network = "allow"\n', "allow")])
    def test_the_network_policy_is_recorded(self, tmp_path, line, policy):
        """What the agent may reach is part of its identity, which the manifest holds."""
        folder = write_files(tmp_path, {"agent.toml": AGENT + line, "work.sh": "true\n"})

        assert policy == command_identity(folder / "agent.toml").network

    def test_values_of_variables_are_not_recorded(self, tmp_path, monkeypatch):
        """Names of variables are recorded, and never what is in them."""
        monkeypatch.setenv("GIVEN", "hunter2")
        folder = write_files(tmp_path, {"agent.toml": AGENT + 'environment = ["GIVEN"]\n', "work.sh": "true\n"})
        identity = command_identity(folder / "agent.toml")

        assert ("GIVEN",) == identity.environment
        assert b"hunter2" not in identity.canonical()


class TestTraceOfItsOwn:
    OWN = 'trace_file = "out/trace.json"\n'

    def test_a_trajectory_is_taken_over_and_stamped(self, repair):
        """An agent's own trajectory is kept, bound to the attempt."""
        own = '{"schema_version": "ATIF-v1.8", "agent": {"name": "a", "version": "1"}, "steps": []}'
        done, _ = repair(f"mkdir out; echo '{own}' > out/trace.json", self.OWN)

        assert {"faultline_session": "run/cell/1"} == json.loads(done.trace)["extra"]

    @pytest.mark.parametrize(
        "script", ["true", "mkdir out; echo '{' > out/trace.json", "ln -s /etc out", "mkdir out; mkfifo out/trace.json"]
    )
    def test_anything_else_is_replaced_by_the_output(self, repair, script):
        """A missing, malformed, linked or special trajectory is never read; the note says so."""
        done, _ = repair(script + "; echo said", self.OWN)

        assert "said\n" == steps(done)[1]["message"]
        assert "missing or malformed" in json.loads(done.trace)["notes"]


class TestUsage:
    FILE = 'usage_file = "usage.json"\n'

    def test_what_the_agent_says_is_kept_and_what_it_leaves_out_is_unknown(self, repair):
        """A field that is left out of the usage file is unknown, never zero."""
        said = '{"schema": "faultline/usage/1", "output": 12, "usd": "0.25", "complete": true}'
        done, _ = repair(f"echo '{said}' > usage.json", self.FILE.replace("none", "m"))

        assert 12 == done.usage.output
        assert "0.25" == str(done.cost.usd)
        assert Absence.UNKNOWN is done.usage.uncached_input.absence

    @pytest.mark.parametrize(
        "said", ["{", '{"schema": "faultline/usage/1", "output": -1}', '{"schema": "faultline/usage/1", "usd": NaN}']
    )
    def test_a_malformed_usage_file_is_unknown_with_a_reason(self, repair, said):
        """Hostile usage does not end the trial."""
        done, _ = repair(f"echo '{said}' > usage.json", self.FILE)

        assert isinstance(done.usage, Absent)
        assert "malformed" in done.usage.reason

    def test_a_program_without_a_model_has_no_usage(self, repair):
        """For the model `none` usage and cost are not applicable, which is not zero."""
        done, _ = repair("true")

        assert Absence.NOT_APPLICABLE is done.cost.absence


class TestRefused:
    def test_a_changed_program_is_another_agent(self, tmp_path):
        """When a program file differs from the manifest, the run is not continued with it."""
        folder = write_files(tmp_path, {"agent.toml": AGENT, "work.sh": "true\n"})
        identity = command_identity(folder / "agent.toml")
        (folder / "work.sh").write_text("false\n")

        with pytest.raises(FaultlineError, match="not the one that the manifest describes"):
            CommandAgent(folder / "agent.toml", identity, open_sandbox(SandboxLevel.BUBBLEWRAP), os.environ)

    def test_a_variable_that_is_not_set_is_named(self, tmp_path):
        """A missing variable is found before anything runs."""
        folder = write_files(tmp_path, {"agent.toml": AGENT + 'environment = ["NOT_THERE"]\n', "work.sh": "true\n"})
        identity = command_identity(folder / "agent.toml")

        with pytest.raises(FaultlineError, match="NOT_THERE"):
            CommandAgent(folder / "agent.toml", identity, open_sandbox(SandboxLevel.BUBBLEWRAP), {})

    @pytest.mark.parametrize(
        ("change", "expected"),
        [
            ('name = "Bad Name"', "name: the text has another form"),
            ("command = []", "command"),
            ('network = "maybe"', "network: not one of the words allowed here"),
            ("seconds = -1", "seconds"),
            ('usage_file = "../x"', "usage_file"),
        ],
    )
    def test_a_malformed_agent_file_is_one_line_a_fault(self, tmp_path, change, expected):
        """Each fault of agent.toml names file and field."""
        key = change.split(" ")[0]
        kept = "\n".join(line for line in AGENT.splitlines() if not line.startswith(key + " "))
        folder = write_files(tmp_path, {"agent.toml": f"{kept}\n{change}\n"})

        with pytest.raises(FaultlineError) as caught:
            command_identity(folder / "agent.toml")

        assert expected in str(caught.value)
        assert 1 == len(caught.value.diagnostics())
