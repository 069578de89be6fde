"""Conversations of Inspect samples as trajectories: valid ATIF, complete, redacted."""

import json
from typing import Any

import pytest
from importers.inspect_logs import eval_log, imported, json_log, sample

from faultline.importers.inspect_ai.traces import trajectory

CALL = {"id": "c1", "function": "bash", "arguments": {"cmd": "ls"}, "type": "function"}
TALK = [
    {"id": "m0", "role": "system", "content": "Be brief."},
    {
        "id": "m1",
        "role": "user",
        "content": [{"type": "text", "text": "List the files."}, {"type": "image", "image": "data:…"}],
    },
    {
        "id": "m2",
        "role": "assistant",
        "content": [{"type": "reasoning", "reasoning": "I look."}, {"type": "text", "text": "Looking."}],
        "tool_calls": [CALL],
    },
    {"id": "m3", "role": "tool", "content": "a.py", "tool_call_id": "c1", "function": "bash"},
    {"id": "m4", "role": "tool", "content": "", "tool_call_id": "gone", "error": {"type": "timeout", "message": "too slow"}},
    {"id": "m5", "role": "assistant", "content": "attachment://abc", "model": "mock/model"},
]
EVENTS = [
    {
        "event": "model",
        "timestamp": "2026-11-01T10:00:01+00:00",
        "output": {
            "choices": [{"message": {"id": "m2"}}],
            "usage": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 55, "input_tokens_cache_read": 40},
        },
    },
    {"event": "state"},
    "no event",
]


def told(**fields: Any) -> dict[str, Any]:
    made = trajectory(
        sample(messages=TALK, events=EVENTS, attachments={"abc": "It is a.py."}) | fields, name="generate", model="mock/model"
    )
    assert made is not None
    return json.loads(made)


class TestSteps:
    def test_messages_are_the_steps_in_order(self):
        found = [(step["step_id"], step["source"], step["message"]) for step in told()["steps"]]

        assert [
            (1, "system", "Be brief."),
            (2, "user", "List the files.\n[image]"),
            (3, "agent", "Looking."),
            (4, "system", ""),
            (5, "agent", "It is a.py."),
        ] == found

    def test_a_tools_answer_is_the_observation_of_the_step_that_called_it(self):
        step = told()["steps"][2]

        assert [{"tool_call_id": "c1", "function_name": "bash", "arguments": {"cmd": "ls"}}] == step["tool_calls"]
        assert {"results": [{"source_call_id": "c1", "content": "a.py"}]} == step["observation"]
        assert "I look." == step["reasoning_content"]

    def test_an_answer_whose_call_is_gone_stands_alone(self):
        assert {"results": [{"content": "timeout: too slow"}]} == told()["steps"][3]["observation"]

    def test_time_and_tokens_come_from_the_event_that_made_the_message(self):
        step = told()["steps"][2]

        assert "2026-11-01T10:00:01+00:00" == step["timestamp"]
        assert {"prompt_tokens": 50, "completion_tokens": 5, "cached_tokens": 40} == step["metrics"]

    def test_a_sample_without_messages_has_no_trajectory(self):
        assert trajectory(sample(messages=[]), name="x", model="y") is None

    def test_no_nan_and_no_lone_surrogate_leaves(self):
        odd = CALL | {"arguments": {"x": float("nan"), "y": "\ud800", "z": [float("inf")]}}
        made = told(messages=[{"role": "assistant", "content": "\ud800", "tool_calls": [odd]}])

        assert {"x": "nan", "y": "?", "z": ["inf"]} == made["steps"][0]["tool_calls"][0]["arguments"]

    @pytest.mark.parametrize(
        "message",
        [
            7,
            {"role": 7, "content": 7},
            {"role": "assistant", "content": {"a": 1}, "tool_calls": [7, {"id": 7}]},
            {"role": "tool", "content": None},
        ],
    )
    def test_messages_of_the_wrong_shape_are_no_traceback(self, message):
        assert told(messages=[message, *TALK])["steps"]


class TestInTheRun:
    def key(self):
        return "sk-" + "ant-" + "a1B2" * 6

    @pytest.mark.parametrize("write", [eval_log, json_log])
    def test_the_trace_lies_in_the_run_and_is_redacted(self, tmp_path, write):
        talk = [{"role": "user", "content": f"the key:\n{self.key()}\nis in /home/nora.b/x — keep it"}]

        (run,) = imported(
            write(
                tmp_path / ("log.eval" if write is eval_log else "log.json"), sample(messages=talk), sample("ü", messages=talk)
            ),
            tmp_path / "runs",
        )

        text = "".join(path.read_text("utf-8") for path in (tmp_path / "runs" / run.run / "traces").iterdir())
        assert self.key() not in text
        assert "nora" not in text
        assert 2 == text.count("— keep it")
        assert {"home folder": 2, "model provider key": 2} == run.report.redactions

    def test_no_trajectories_leaves_them_out(self, tmp_path):
        (run,) = imported(json_log(tmp_path / "log.json", sample()), tmp_path / "runs", trajectories="no")

        assert not (tmp_path / "runs" / run.run / "traces").exists()
