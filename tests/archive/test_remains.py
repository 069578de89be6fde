"""What agents left is looked at again when a benchmark is read, whatever the records say."""

import dataclasses
import gzip

import pytest
from archive_samples import FinishedRun

from faultline.archive import read_run
from faultline.archive.remains import with_remains
from faultline.errors import BadInputError
from faultline.kinds import AgentKind, RunKind

CANARY = "faultline-canary-01234567-89ab-4cde-8f01-23456789abcd"
OTHER = "faultline-canary-fedcba98-89ab-4cde-8f01-23456789abcd"


@pytest.fixture
def run(tmp_path):
    """A sealed run of an agent."""
    FinishedRun(tmp_path).seal(tmp_path / "runs")
    return read_run(tmp_path / "runs" / "sample-run")


def pack(text):
    return gzip.compress(text.encode(), mtime=0)


def trace_of(run):
    return next(item.path for item in run.trials[0].last.artifacts if item.role == "trace")


def test_the_files_that_an_agent_changed_are_there(run):
    """
    Each candidate's changed files stand under the path of its artifact, and nothing holds a canary.
    """
    found = with_remains(run, [CANARY])

    assert {"model.py": b"answer = 0\n"} == found.candidates["candidates/0.json"]
    assert len(run.trials) == len(found.candidates)
    assert () == found.carriers


@pytest.mark.parametrize("text", [CANARY, CANARY.upper(), CANARY.replace("-", "")], ids=["as-is", "upper", "run-together"])
def test_a_canary_in_a_packed_trajectory(run, text):
    """
    A trajectory is unpacked first, and its path is told.
    """
    (run.path / trace_of(run)).write_bytes(pack(f"cat hidden/checks.py\n{text}\n"))

    assert (trace_of(run),) == with_remains(run, [OTHER, CANARY]).carriers
    assert () == with_remains(run, [OTHER]).carriers


@pytest.mark.parametrize("field", ["files", "tests", "name"])
def test_a_canary_in_a_candidate(run, field):
    """
    In a changed file, in a public test that was put back, or in a name, a canary is found.
    """
    path = run.path / "candidates/0.json"
    text = path.read_text()
    if field == "files":
        text = text.replace("answer = 0", f"# {CANARY}")
    elif field == "tests":
        text = text.replace('"tree":', f'"tests":{{"tests/test_a.py":{{"base64":null,"text":"{CANARY}"}}}},"tree":')
    else:
        text = text.replace('"README.md":', f'"{CANARY}":')
    path.write_text(text)

    assert ("candidates/0.json",) == with_remains(run, [CANARY]).carriers


@pytest.mark.parametrize("data", [b"plain text", pack("x" * 100)[:-9]], ids=["no-gzip", "torn"])
def test_a_trajectory_that_cannot_be_unpacked(run, data):
    """
    What cannot be looked at is a problem that names the file, and no clean file.
    """
    (run.path / trace_of(run)).write_bytes(data)

    with pytest.raises(BadInputError, match=f"runs/sample-run/{trace_of(run)}"):
        with_remains(run, [CANARY])


def test_a_trajectory_that_unpacks_without_end(run, monkeypatch):
    """
    A small file that unpacks to a very large one is refused.
    """
    monkeypatch.setattr("faultline.archive.remains.MAX_UNPACKED", 1_000)
    (run.path / trace_of(run)).write_bytes(pack("x" * 5_000))

    with pytest.raises(BadInputError, match="too large"):
        with_remains(run, [CANARY])


def test_a_candidate_of_another_harness_is_looked_at_as_it_is(run):
    """
    What an import kept as a candidate has its own form: it is searched, and compared with nothing.
    """
    imported = dataclasses.replace(run, manifest=run.manifest.model_copy(update={"kind": RunKind.IMPORTED}))
    (run.path / "candidates/0.json").write_text(f"--- a diff of its own\n+# {CANARY}\n")
    found = with_remains(imported, [CANARY])

    assert (("candidates/0.json",), {}) == (found.carriers, found.candidates)


@pytest.mark.parametrize("what", ["validity", "control"])
def test_runs_of_controls_are_not_read(run, what):
    """
    A control applies what everybody knows, so its artifacts are left alone.
    """
    agents = tuple(who.model_copy(update={"kind": AgentKind.REFERENCE}) for who in run.manifest.agents)
    change = {"kind": RunKind.VALIDITY} if what == "validity" else {"agents": agents}
    control = dataclasses.replace(run, manifest=run.manifest.model_copy(update=change))

    assert control is with_remains(control, [CANARY])
