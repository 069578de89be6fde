"""Logs that were damaged at random: an import gives a run, or one of our errors and no run at all."""

import json
import math
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from importers.inspect_logs import accuracy, eval_log, header, imported, member_name, sample, summary, write_zip

from faultline.archive import read_run
from faultline.errors import FaultlineError

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 30),
    st.sampled_from(
        [
            10**400,
            -1,
            2**63,
            0,
            math.nan,
            math.inf,
            1e308,
            "",
            "\ud800",
            "\0",
            "none/none",
            "a/../b",
            [],
            {},
            [[]],
            {"": None},
            [{}],
            "0" * 5000,
        ]
    ),
    st.text(max_size=8),
    st.recursive(
        st.none() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=6,
    ),
)
ROWS = (
    sample("a", 1, role_usage={"grader": {"input_tokens": 1}}, error_retries=[{"message": "x"}]),
    sample(
        "b", 1, limit={"type": "time", "limit": 1, "reason": "r"}, invalidation={"author": "x", "reason": "y", "timestamp": "z"}
    ),
    sample("b", 2, error={"message": "boom"}, scores={"includes": {"value": {"x": 1}, "reason": "refusal"}}),
)
WHOLE = header(*ROWS, results=accuracy(0.5), model_roles={"grader": {"model": "mock/g"}}, revision={"commit": "x"}) | {
    "samples": list(ROWS)
}


def places(plain: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the way to each value of a document."""
    inner = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    return [at, *(way for key, value in inner for way in places(value, (*at, key)))]


def changed(plain: Any, way: tuple[Any, ...], value: Any) -> Any:
    """Return a document with one value replaced."""
    if not way:
        return value
    if isinstance(plain, dict):
        return {key: changed(item, way[1:], value) if key == way[0] else item for key, item in plain.items()}
    if isinstance(plain, list):
        return [changed(item, way[1:], value) if key == way[0] else item for key, item in enumerate(plain)]
    return plain


def survives(log, target, **options) -> None:
    """Assert that an import is all or nothing, and that what it sealed can be read."""
    try:
        runs = imported(log, target, **options)
    except FaultlineError as error:
        told = error.diagnostics()
    else:
        for run in runs:
            assert read_run(target / run.run).trials
        return
    assert told
    assert not target.exists()


@given(st.sampled_from(places(WHOLE)), ODD, st.sampled_from(["", "x"]))
@example((), [], "")
@example(("samples", 0, "id"), 10**400, "")
@example(("eval", "config", "epochs"), 10**9, "")
@settings(max_examples=60, deadline=None)
def test_a_value_of_another_kind_is_read_or_refused(tmp_path_factory, way, value, key):
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "log.json").write_text(json.dumps(changed(WHOLE, way, value)), encoding="utf-8", errors="surrogatepass")

    survives(folder, folder / "runs", **({"key": key} if key else {}))


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_a_value_of_another_kind_in_an_archive_is_read_or_refused(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("fuzz")
    members = {
        "_journal/start.json": WHOLE,
        "summaries.json": [summary(row) for row in ROWS],
        "header.json": {k: v for k, v in WHOLE.items() if k != "samples"},
    }
    members |= {member_name(row): row for row in ROWS}
    name = data.draw(st.sampled_from(sorted(members)))
    members[name] = changed(members[name], data.draw(st.sampled_from(places(members[name]))), data.draw(ODD))

    survives(write_zip(folder / "log.eval", [(key, json.dumps(value)) for key, value in members.items()]), folder / "runs")


@given(st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=4), st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_bytes_of_an_archive_that_were_changed_or_cut_are_read_or_refused(tmp_path_factory, changes, keep):
    folder = tmp_path_factory.mktemp("fuzz")
    log = eval_log(folder / "log.eval", *ROWS)
    raw = bytearray(log.read_bytes())
    for at, byte in changes:
        raw[int(at * len(raw))] = byte
    log.write_bytes(bytes(raw[: int(keep * len(raw))] if keep < 0.5 else raw))

    survives(log, folder / "runs")
