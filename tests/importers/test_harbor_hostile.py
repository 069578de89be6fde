"""Harbor's files as an enemy would leave them: one clear error or a note, never a traceback, never half a run."""

import copy
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harbor_logs import exception, imported, oracle, step, steps_of, trajectory, trial, trial_lock, write, write_job
from hypothesis import given, settings
from hypothesis import strategies as st

from faultline.archive import verify_run
from faultline.errors import BadInputError, FaultlineError

HOSTILE: list[Any] = [
    None,
    True,
    0,
    -1,
    2**53,
    10**400,
    0.5,
    1e308,
    float("nan"),
    float("-inf"),
    "",
    "\ud800",
    "a\0b\x1b[31m\u202e",
    "../../../../etc/passwd",
    "x" * 5_000,
    "9999-12-31T23:59:59-23:59",
    "0001-01-01T00:00:00+23:59",
    [],
    {},
    [[]],
    [None],
    [{}],
    {"": None},
    {"a": {"b": {"c": [1, {"d": "e"}]}}},
    {"reward": float("inf")},
    [1e400, "null, rewards present"],
]


def whole(folder: Path) -> Path:
    """Write a job that has one of everything, and return it."""
    first = trial("t__a")
    results = (
        first,
        trial("t__b", rewards={"correct": 1, "style": 0.5}),
        steps_of("u__a", step("one"), step("two", raised=exception("AgentTimeoutError", valid=True))),
        trial("v__a", raised=exception("OddError")),
        oracle(trial("t__o")),
    )
    key = "scripted__acme/model-a__tasks"
    stats = {"n_retries": 1, "cost_usd": 0.1, "evals": {key: {"metrics": [{"mean": 1.0}], "pass_at_k": {"2": 1.0}}}}
    job = write_job(folder / "job", *results, attempts=2, stats=stats)
    write(
        job / "t__a/verifier/ctrf.json",
        {"results": {"summary": {"start": 1.0}, "tests": [{"status": "passed", "duration": 1}]}},
    )
    write(job / "t__a/verifier/reward.json", {"reward": 1})
    write(job / "t__a/agent/trajectory.json", trajectory(copied=1, continued_trajectory_ref="more.json"))
    write(job / "t__a/agent/more.json", trajectory())
    write(job / "u__a/steps/one/agent/trajectory.json", trajectory())
    again = trial("t__r", start=50)
    write(folder / "again/t__r/result.json", again)
    write(folder / "again/t__r/lock.json", trial_lock(again, source_trial={"trial_id": first["id"]}))
    return folder


with tempfile.TemporaryDirectory() as _made:
    FILES = {
        path.relative_to(_made).as_posix(): path.read_bytes()
        for path in sorted(whole(Path(_made)).rglob("*"))
        if path.suffix in (".json", ".txt")
    }


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value in plain data."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


PLACES = [(name, path) for name, data in FILES.items() for path in places(json.loads(data))]


def replaced(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Return plain data with another value in one place."""
    if not path:
        return value
    document = copy.deepcopy(document)
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return document


def tried(changed: dict[str, bytes], *, partial: bool = False) -> None:
    """Import the job with other files: it ends in sealed, whole runs, or in a error of ours that leaves nothing."""
    with tempfile.TemporaryDirectory() as name:
        folder, target = Path(name) / "in", Path(name) / "runs"
        for path, data in (FILES | changed).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        try:
            done = imported(folder, target, partial=partial, reward="correct")
        except (FaultlineError, ExceptionGroup) as error:
            assert isinstance(error, FaultlineError) or error.subgroup(FaultlineError) is not None  # noqa: PT017
            assert not target.exists() or not list(target.iterdir())
        else:
            assert not [fault for item in done for fault in verify_run(target / item.run)]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(HOSTILE)), min_size=1, max_size=3), st.booleans())
def test_any_value_in_any_field_is_an_error_of_ours_or_a_whole_run(changes: list[Any], partial: bool) -> None:
    changed: dict[str, bytes] = {}
    for (name, path), value in changes:
        if name not in changed:
            changed[name] = json.dumps(replaced(json.loads(FILES[name]), path, value)).encode()
    tried(changed, partial=partial)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(sorted(FILES)), st.integers(0, 10_000), st.binary(max_size=6), st.booleans())
def test_any_bytes_anywhere_are_an_error_of_ours_or_a_whole_run(name: str, where: int, data: bytes, cut: bool) -> None:
    whole_file = FILES[name]
    where %= len(whole_file)
    tried({name: whole_file[:where] + data + (b"" if cut else whole_file[where + len(data) :])})


RESULT = "job/t__a/result.json"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (FILES[RESULT][:-40], "this is not JSON"),
        (FILES[RESULT].replace(b'"id"', b'"id": 1, "id"', 1), "stands twice"),
        (b'{"trial_name": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (FILES[RESULT].replace(b"org/t", b"org/\xff"), "not UTF-8"),
        (b'{"trial_name": "t__a", "id": ' + b"9" * 5_000 + b"}", "not strict JSON"),
        (b'["trial_name"]', "no document of Harbor"),
    ],
)
def test_a_result_that_cannot_be_read_names_its_file(tmp_path: Path, data: bytes, words: str) -> None:
    whole(tmp_path / "in")
    (tmp_path / "in" / RESULT).write_bytes(data)

    with pytest.raises(BadInputError, match=words) as caught:
        imported(tmp_path / "in", tmp_path / "runs")

    assert RESULT in str(caught.value)
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", 7),
        ("id", " "),
        ("task_name", None),
        ("agent_info", "oracle"),
        ("verifier_result", [1]),
        ("verifier_result", {"rewards": [1]}),
        ("exception_info", "none"),
        ("exception_info", {"exception_type": 3}),
        ("step_results", {}),
        ("step_results", [None]),
        ("step_results", [{"exception_info": []}]),
    ],
)
def test_a_field_that_decides_and_has_the_wrong_type_is_refused_by_name(tmp_path: Path, field: str, value: Any) -> None:
    write_job(tmp_path / "job", trial("t__a"))
    write(tmp_path / "job/t__a/result.json", trial("t__a") | {field: value})

    with pytest.raises(BadInputError, match=rf"t__a/result.json: the field {field}"):
        imported(tmp_path / "job", tmp_path / "runs")


def test_a_link_is_never_followed(tmp_path: Path) -> None:
    write_job(tmp_path / "in/job", trial("t__a"))
    write(tmp_path / "out/result.json", trial("t__z"))
    (tmp_path / "in/job/t__z").symlink_to(tmp_path / "out")

    (done,) = imported(tmp_path / "in", tmp_path / "runs")

    assert 1 == done.report.rows_in
    assert any("never followed" in skipped.why for skipped in done.report.skipped)
