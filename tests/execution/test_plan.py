"""Plans: every planned cell is in the manifest before anything happens."""

from datetime import UTC, datetime

import pytest
from tiny import write_benchmark

from faultline.agents import control_identity
from faultline.clock import frozen_clock
from faultline.errors import FaultlineError
from faultline.execution import Planned, gather_provenance, plan_evaluation, plan_validity
from faultline.kinds import SandboxLevel
from faultline.records import RunManifest
from faultline.tasks import load_tasks


@pytest.fixture
def tasks(tmp_path):
    return load_tasks(write_benchmark(tmp_path) / "tasks")


@pytest.fixture
def planned(tmp_path, tasks):
    return Planned(
        frozen_clock(datetime(2026, 1, 2, tzinfo=UTC)),
        gather_provenance(tmp_path, tasks, ("me",), ("it",)),
        SandboxLevel.BUBBLEWRAP,
    )


class TestEvaluation:
    def test_one_cell_for_each_variant_and_trial(self, tasks, planned):
        """Tasks times variants times trials, numbered from 0 without a gap."""
        manifest = plan_evaluation(tasks, control_identity("no-op"), planned, trials=4, variants=2)

        assert 8 == len(manifest.cells)
        assert [0, 1, 2, 3] == sorted({cell.trial for cell in manifest.cells})

    def test_variants_are_drawn_after_the_agent_was_frozen(self, tasks, planned):
        """Two plans made one after the other have different variants."""
        first = plan_evaluation(tasks, control_identity("no-op"), planned, trials=1, variants=3)
        second = plan_evaluation(tasks, control_identity("no-op"), planned, trials=1, variants=3)

        assert first.tasks[0].variants != second.tasks[0].variants

    def test_the_same_clock_gives_the_same_bytes(self, tasks, planned):
        """A plan replays to the byte."""
        clocks = [frozen_clock(datetime(2026, 1, 2, tzinfo=UTC)) for _ in range(2)]
        plans = [
            plan_evaluation(
                tasks, control_identity("no-op"), Planned(clock, planned.provenance, planned.sandbox), trials=1, variants=1
            )
            for clock in clocks
        ]

        assert plans[0].canonical() == plans[1].canonical()

    def test_an_empty_plan_is_refused(self, tasks, planned):
        """A plan without trials is no plan."""
        with pytest.raises(FaultlineError, match="it would be empty"):
            plan_evaluation(tasks, control_identity("no-op"), planned, trials=0, variants=1)

    def test_contributions_of_people_and_assistants_are_kept_apart(self, tasks, planned):
        """The manifest says who wrote the tasks and which assistant helped."""
        provenance = plan_evaluation(tasks, control_identity("no-op"), planned, trials=1, variants=1).provenance

        assert ("Test author: wrote the task count-orders", "me") == provenance.human
        assert ("task count-orders: none", "it") == provenance.assistant


class TestValidity:
    def test_every_control_over_repetitions_hash_seeds_and_variants(self, tasks, planned):
        """3 repetitions x 2 hash seeds x 3 variants for the baseline and each repair."""
        manifest = plan_validity(tasks, planned)

        assert {"baseline", "reference", "valid-loop", "wrong-first-only", "wrong-neighbours"} == {
            cell.agent for cell in manifest.cells
        }
        assert 5 * 3 * 2 * 3 == len(manifest.cells)
        assert {0, 1} == {cell.hash_seed for cell in manifest.cells}


class TestRefusedManifests:
    @pytest.mark.parametrize(
        ("change", "expected"),
        [
            ({"retry": {"policy": "best-of-k", "max_attempts": 3}}, "does not estimate"),
            ({"estimand": "best-of-k"}, "does not estimate"),
            ({"retry": {"policy": "never", "max_attempts": 2}}, "never allows one attempt"),
            ({"agents": []}, "agents"),
        ],
    )
    def test_policy_and_estimand_must_agree(self, tasks, planned, change, expected):
        """A manifest whose retry policy does not give its estimand is refused."""
        plain = plan_evaluation(tasks, control_identity("no-op"), planned, trials=1, variants=1).model_dump(mode="json")

        with pytest.raises(FaultlineError) as caught:
            RunManifest.from_plain(plain | change, "manifest.json")

        assert expected in str(caught.value)

    def test_a_cell_cannot_be_planned_twice(self, tasks, planned):
        """Two cells with one key are refused."""
        plain = plan_evaluation(tasks, control_identity("no-op"), planned, trials=1, variants=1).model_dump(mode="json")
        plain["cells"] *= 2

        with pytest.raises(FaultlineError, match="planned twice"):
            RunManifest.from_plain(plain, "manifest.json")
