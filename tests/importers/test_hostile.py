"""Every importer against one corpus of hostile files: one clear error or nothing of the format, never a traceback, never a run.

The corpus is kept here: what once made an importer stumble is added, so that it stays found.
"""

import io
import json
import zipfile
from datetime import UTC, datetime

import pytest

from faultline.clock import frozen_clock
from faultline.errors import FaultlineError
from faultline.importers import Reading, SourceTree, import_runs, load_importer

FORMATS = {
    "harbor": (
        "job/result.json",
        "job/config.json",
        "job/lock.json",
        "job/t__abc/result.json",
        "job/t__abc/agent/trajectory.json",
    ),
    "inspect": ("a.eval", "b.json"),
    "swebench": ("preds.json", "all_preds.jsonl", "m.run.json", "logs/run_evaluation/r/m/i/report.json", "i/i.traj.json"),
    "terminal-bench": ("runs/r/results.json", "runs/r/run_metadata.json", "runs/r/tb.lock", "runs/r/t/t.1-of-1.r/results.json"),
    "eee": ("data/a.json", "data/a_samples.jsonl"),
    "rows": ("a.csv", "a.jsonl", "a.json", "a.yaml"),
    "junit": ("a.xml",),
    "ctrf": ("a.json",),
}
"""Files that each format looks at."""
MARKS = {
    "harbor": '"trial_name": "t__abc", "n_total_trials": 1, ',
    "inspect": '"version": 2, "status": "success", "eval": {}, ',
    "swebench": '"instance_id": "x", "resolved_ids": [], ',
    "terminal-bench": '"results": [], "n_resolved": 0, ',
    "eee": '"evaluation_id": "x", "source_metadata": {}, ',
    "rows": '"t": "x", ',
    "junit": "",
    "ctrf": '"reportFormat": "CTRF", "results": {"tool": {}, "summary": {}}, ',
}
"""By which a format is recognised, so that the hostile rest is read at all."""


def bomb():
    """Return a ZIP whose one member unpacks to 64 MB of zeros, and says that it does not."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("header.json", b"0" * (64 * 2**20))
    return stream.getvalue()


def escaping():
    """Return a ZIP with members outside of it."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        for name in ("../../evil", "/etc/evil", "samples/../../x_epoch_1.json"):
            made.writestr(name, "{}")
    return stream.getvalue()


CORPUS = {
    "empty": lambda _: b"",
    "one byte": lambda _: b"{",
    "no utf-8": lambda _: b"\xff\xfe\x00",
    "nothing but zeros": lambda _: b"\0" * 1000,
    "null": lambda _: b"null",
    "a number": lambda _: b"3",
    "a text": lambda _: b'"x"',
    "a list of lists": lambda _: b"[[[]]]",
    "a list of numbers": lambda _: b"[1, 2]",
    "torn": lambda mark: f"{{{mark}".encode(),
    "twice the same key": lambda mark: f'{{{mark}"id": 1, "id": 2}}'.encode(),
    "deep": lambda mark: f'{{{mark}"x": {"[" * 100_000}{"]" * 100_000}}}'.encode(),
    "deep and torn": lambda mark: f'{{{mark}"x": {"[" * 100_000}'.encode(),
    "an endless number": lambda mark: f'{{{mark}"x": {"9" * 10_000}}}'.encode(),
    "lone surrogates": lambda mark: f'{{{mark}"\\ud800": "\\udfff"}}'.encode(),
    "not finite": lambda mark: f'{{{mark}"x": NaN, "y": -Infinity}}'.encode(),
    "wrong types": lambda mark: (
        f'{{{mark}"id": {{}}, "stats": 3, "samples": "x", "results": 7, "config": [], "tests": null}}'.encode()
    ),
    "nulls": lambda mark: f'{{{mark}"id": null, "stats": null, "samples": null, "config": null, "agent_info": null}}'.encode(),
    "a pointer of git lfs": lambda _: b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    "a bomb": lambda _: bomb(),
    "an archive that escapes": lambda _: escaping(),
    "a torn archive": lambda _: bomb()[:500],
    "xml that grows": lambda _: (
        b'<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]><testsuites><testsuite>&c;</testsuite></testsuites>'
    ),
    "deep xml": lambda _: b"<testsuites>" + b"<testsuite>" * 20_000,
    "a long line": lambda _: b"x" * (17 * 2**20),
}


def attempt(folder, name):
    """Import a folder; return what was raised, if anything was that may be."""
    reading = Reading(SourceTree(folder / "source"), _options(folder, name))
    try:
        import_runs(load_importer(name), reading, folder / "runs", frozen_clock(datetime(2026, 12, 1, tzinfo=UTC)))
    except FaultlineError as error:
        return error
    return None


def _options(folder, name):
    if name != "rows":
        return {}
    (folder / "map.toml").write_text('task = "t"\nverdict = "ok"\n')
    return {"map": str(folder / "map.toml")}


@pytest.mark.parametrize("kind", CORPUS)
@pytest.mark.parametrize("name", FORMATS)
def test_a_hostile_file_is_one_clear_error(tmp_path, name, kind):
    """
    In each file that a format looks at; the error names a place inside the source, and no run is left.
    """
    for number, path in enumerate(FORMATS[name]):
        folder = tmp_path / str(number)
        target = folder / "source" / path
        target.parent.mkdir(parents=True)
        target.write_bytes(CORPUS[kind](MARKS[name]))

        error = attempt(folder, name)

        if error is None:
            # Whatever was read then, it was something of the format, and whole.
            assert list((folder / "runs").glob("*/seal.json"))
        else:
            assert str(tmp_path) not in str(error)
            assert not list(folder.glob("runs/*"))


def test_names_with_lone_surrogates_are_imported_as_text(bring):
    """
    A name that no file system and no page could hold becomes harmless text, and the run verifies.
    """
    _, (run,) = bring(json.loads('{"id": "\\ud800", "task": "\\udfff x", "message": "\\ud83d"}'))

    assert "\\udfff x" == run.manifest.imported.tasks[0].name


def test_a_source_is_never_followed_out_of_itself(tmp_path):
    """
    A link to a real log is not read.
    """
    (tmp_path / "source").mkdir()
    (tmp_path / "secret.xml").write_text('<testsuites><testsuite><testcase name="a"/></testsuite></testsuites>')
    (tmp_path / "source" / "a.xml").symlink_to(tmp_path / "secret.xml")

    assert "nothing of the format" in str(attempt(tmp_path, "junit"))
