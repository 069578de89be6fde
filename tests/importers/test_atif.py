"""Trajectories in ATIF: the outer form is checked, the content is kept."""

import json
from typing import Any

import pytest
from harbor_logs import trajectory

from faultline.errors import BadInputError
from faultline.importers.atif import DELEGATED, VERSIONS, Work, joined, read_trajectory, same_trajectories, trace, work


def read(document: Any) -> dict[str, Any]:
    return read_trajectory(json.dumps(document).encode(), "agent/trajectory.json")


class TestForm:
    @pytest.mark.parametrize("version", VERSIONS)
    def test_versions_1_0_to_1_8_are_read(self, version: str) -> None:
        assert version == read(trajectory(schema_version=version))["schema_version"]

    def test_what_the_form_does_not_name_is_kept(self) -> None:
        document = trajectory(novelty={"a": [1]}, final_metrics={"total_prompt_tokens": 5})

        assert document == read(document)

    @pytest.mark.parametrize(
        ("changed", "words"),
        [
            ({"schema_version": "ATIF-v2.0"}, "the version is none of"),
            ({"schema_version": None}, "schema_version"),
            ({"agent": {"name": "a"}}, "agent.version"),
            ({"steps": []}, "steps"),
            ({"steps": [{"step_id": 2, "source": "user", "message": "x"}]}, "not numbered from 1"),
            ({"steps": [{"step_id": True, "source": "user", "message": "x"}]}, "step_id"),
            ({"steps": [{"step_id": 1, "source": "tool", "message": "x"}]}, "source"),
            ({"steps": [{"step_id": 1, "source": "user", "message": 3}]}, "message"),
            (
                {"steps": [{"step_id": 1, "source": "agent", "message": "", "tool_calls": [{"function_name": "f"}]}]},
                "tool_call_id",
            ),
        ],
    )
    def test_what_others_rest_on_must_have_its_form_and_the_fault_is_named(self, changed: dict[str, Any], words: str) -> None:
        with pytest.raises(BadInputError, match=words):
            read(trajectory(**changed))

    @pytest.mark.parametrize("data", [b"[]", b"null", b'"text"', b"{", b"\xff", b"[" * 100_000])
    def test_what_is_no_object_is_refused(self, data: bytes) -> None:
        with pytest.raises(BadInputError):
            read_trajectory(data, "agent/trajectory.json")


class TestWork:
    def test_steps_copied_for_context_are_no_new_work(self) -> None:
        assert Work(steps=1, tool_calls=2, copied=3) == work(read(trajectory(copied=3, calls=2)))


class TestJoined:
    def test_one_part_stays_what_it_is(self) -> None:
        document = trajectory()

        assert document == joined([("one", document)])

    def test_several_parts_are_numbered_anew_and_each_step_names_its_part(self) -> None:
        found = joined(
            [("one", trajectory()), ("two", trajectory(schema_version="ATIF-v1.8", final_metrics={"total_steps": 2}))]
        )

        assert [(1, "one"), (2, "one"), (3, "two"), (4, "two")] == [
            (step["step_id"], step["extra"]["faultline_part"]) for step in found["steps"]
        ]
        assert "ATIF-v1.8" == read(found)["schema_version"]
        assert "final_metrics" not in found

    def test_embedded_trajectories_are_kept(self) -> None:
        sub = trajectory(trajectory_id="s1")

        assert [sub] == joined([("one", trajectory(**{DELEGATED: [sub]})), ("two", trajectory())])[DELEGATED]


class TestTrace:
    def test_a_trace_names_its_trial_so_that_two_never_share_one(self) -> None:
        assert trace(trajectory(), "a") != trace(trajectory(), "b")
        assert {"x": 1, "faultline_trial": "a"} == json.loads(trace(trajectory(extra={"x": 1}), "a"))["extra"]

    def test_numbers_that_are_not_finite_become_null(self) -> None:
        assert b"NaN" not in trace(trajectory(notes=[float("nan"), float("-inf")]), "a")

    def test_trials_with_one_trajectory_are_found(self) -> None:
        assert [("a", "c")] == same_trajectories([("a", "1"), ("b", "2"), ("c", "1")])
