"""Agents of installed packages: given nothing hidden, believed in nothing that the harness can see itself."""

import json
import sys
from dataclasses import fields

import pytest
from tiny import CANARY, write_task

from faultline.agents import AGENTS, Agent, Assignment, PluginAgent, Repair, agent_identity, control_identity, open_plugin
from faultline.errors import BadInputError, RefusedError
from faultline.kinds import AgentKind
from faultline.records import Absent, not_applicable, unknown
from faultline.tasks import load_task, materialise, write_tree

CODE = """
from faultline.agents import Agent, Repair
from faultline.records import not_applicable, unknown

class Mender(Agent):
    model, provider = "acme/mender-1", "acme"

    def repair(self, assignment):
        nothing = not_applicable("none")
        return Repair(limit=False, trace=unknown("none"), usage=nothing, cost=nothing)
"""


@pytest.fixture(scope="module")
def variant(tmp_path_factory):
    return materialise(load_task(write_task(tmp_path_factory.mktemp("tasks"))), 0)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Lay a package that brings an agent as an installer leaves it; return how to do so."""

    def lay(name="mender", code=CODE):
        (tmp_path / "mender_package.py").write_text(code)
        info = tmp_path / "mender_package-2.1.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mender-package\nVersion: 2.1\n")
        (info / "entry_points.txt").write_text(f"[faultline.agents]\n{name} = mender_package:Mender\n")
        (info / "RECORD").write_text("mender_package.py,,\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        sys.modules.pop("mender_package", None)

    yield lay
    sys.modules.pop("mender_package", None)


class Told(Agent):
    """Does and hands back what a test says."""

    def __init__(self, act):
        self._act = act

    def repair(self, assignment):
        return self._act(assignment)


def back(**changes):
    nothing = not_applicable("none")
    return Repair(**{"limit": False, "trace": unknown("none"), "usage": nothing, "cost": nothing} | changes)


@pytest.fixture
def watched(variant, tmp_path):
    """Let a function be the agent, and return what the harness makes of it; ``spent`` are the seconds on its clock."""

    def run(act, spent=1.0):
        workspace = tmp_path / "workspace"
        workspace.mkdir()
        write_tree(variant.workspace, workspace)
        agent = PluginAgent(control_identity("no-op"), Told(act), iter([10.0, 10.0 + spent]).__next__)
        return agent.repair(Assignment.of(variant, workspace, 20.0, "run/cell/1"))

    return run


class TestIdentity:
    def test_it_is_pinned_by_its_package_and_is_no_control(self, installed):
        """Version and digests are those of what is installed; only model and provider are the class's word."""
        installed()
        identity = agent_identity("mender")

        assert (AgentKind.PLUGIN, False) == (identity.kind, identity.kind.is_control)
        assert ("acme/mender-1", "acme", "mender-package 2.1") == (identity.model, identity.provider, identity.version)
        assert ["mender_package.py"] == list(identity.files)
        assert isinstance(identity.network, Absent)

    def test_what_a_class_does_not_say_is_unknown(self, installed):
        """Neither a model nor a provider is made up."""
        installed(code=CODE.replace('model, provider = "acme/mender-1", "acme"', ""))
        identity = agent_identity("mender")

        assert {"unknown"} == {identity.model.absence, identity.provider.absence}

    def test_words_that_are_no_texts_are_refused(self, installed):
        """They could not stand in a record; longer ones are cut."""
        installed(code=CODE.replace('"acme/mender-1"', "5"))
        with pytest.raises(BadInputError, match="entry point mender: model and provider of the class are no texts"):
            agent_identity("mender")
        installed(code=CODE.replace('"acme/mender-1"', '"m" * 9_000'))

        assert 200 >= len(agent_identity("mender").model)

    @pytest.mark.parametrize("name", AGENTS.built_in)
    def test_those_of_this_release_are_the_controls_that_they_were(self, name):
        """Their identities are what they are in validity runs."""
        assert control_identity(name) == agent_identity(name)

    @pytest.mark.parametrize("name", ["baseline", "wrong-guess", "valid-other"])
    def test_a_name_of_a_task_s_control_is_refused(self, installed, name):
        """Nobody else may stand in the records under it."""
        installed(name)

        with pytest.raises(RefusedError, match="stand for controls of tasks"):
            agent_identity(name)

    def test_it_is_opened_only_as_the_manifest_describes_it(self, installed):
        """Another form of the package would be another agent."""
        installed()
        identity = agent_identity("mender")

        assert isinstance(open_plugin(identity, float), PluginAgent)
        installed(code=CODE + "\n# another form\n")
        with pytest.raises(RefusedError, match=r"not the one that the manifest describes; expected mender-package 2\.1"):
            open_plugin(identity, float)


class TestHidden:
    def test_an_assignment_holds_nothing_hidden(self, variant, tmp_path):
        """Neither checks nor known repairs nor drawn parameters nor the failure class can be reached from it."""
        given = Assignment.of(variant, tmp_path, 20.0, "run/cell/1")
        seen = repr({field.name: getattr(given, field.name) for field in fields(given)})

        assert {} == given.repairs
        assert not [word for word in (CANARY, "COUNTED_TWICE", "metric-aggregation", "hidden") if word in seen]
        assert variant.repairs == Assignment.of(variant, tmp_path, 20.0, "run/cell/1", control=True).repairs

    def test_changing_what_was_given_changes_nothing_for_the_judge(self, variant, tmp_path):
        """The agent has a copy of its own."""
        Assignment.of(variant, tmp_path, 20.0, "run/cell/1").given.clear()

        assert variant.workspace


class TestWatched:
    @pytest.mark.parametrize("error", [ValueError("oh"), OSError("no disk"), SystemExit(3), RecursionError()])
    def test_what_it_raises_is_its_own_end(self, watched, error):
        """An error of the host is not its to claim, so that it cannot leave the denominator; the run goes on."""

        def act(_):
            raise error

        repair = watched(act)

        assert repair.note.startswith(f"the agent raised {type(error).__name__}")
        assert (False, "unknown") == (repair.limit, repair.usage.absence)

    def test_a_person_who_stops_the_run_is_heard(self, watched):
        """An interrupt is nobody's failure."""

        def act(_):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            watched(act)

    @pytest.mark.parametrize("told", [None, "done", {"limit": True}])
    def test_what_is_no_repair_is_said(self, watched, told):
        """The tree is judged all the same."""
        assert "something that is no Repair" in watched(lambda _: told).note

    @pytest.mark.parametrize(("spent", "late"), [(19.0, False), (21.0, True)])
    def test_the_limit_of_time_is_the_harness_s_observation(self, watched, spent, late):
        """What the agent says about limits counts for nothing."""
        repair = watched(lambda _: back(limit=not late, note="I was quick"), spent)

        assert late is repair.limit
        assert "quick" not in repair.note

    def test_its_trajectory_is_stamped_with_the_attempt(self, watched):
        """One trajectory cannot serve two trials."""
        trace = json.dumps({"agent": {"name": "m"}, "steps": [{"step_id": 1}]}).encode()
        document = json.loads(watched(lambda _: back(trace=trace)).trace)

        assert "run/cell/1" == document["extra"]["faultline_session"]

    @pytest.mark.parametrize("trace", [b"{", b"[]", "text", None, b"{}" + b" " * 2**25])
    def test_a_trajectory_that_cannot_be_read_is_replaced(self, watched, trace):
        """The record has one all the same, and it says so."""
        document = json.loads(watched(lambda _: back(trace=trace)).trace)

        assert "no trajectory that can be read" in document["notes"]

    def test_usage_of_another_kind_is_unknown(self, watched):
        """Neither a number nor a dictionary gets into a record."""
        repair = watched(lambda _: back(usage={"output": 5}, cost=0))

        assert ("unknown", "unknown") == (repair.usage.absence, repair.cost.absence)
