"""The artifact store: a folder or a bucket, each name whole or not at all."""

import subprocess
import sys

import pytest
from execution_samples import judge_nothing, planned_run
from fsspec.implementations.memory import MemoryFileSystem

from faultline.archive import read_run, verify_run
from faultline.clock import Clock
from faultline.errors import BadInputError, UnfitHostError
from faultline.execution import LiveRun, buckets, seal_live_run, verify_live_run
from faultline.execution.artifacts import FolderStore, StoreError, open_artifacts
from faultline.execution.worker import Worker
from faultline.files import WriteError


@pytest.fixture(params=["folder", "file://", "memory://", "local://"])
def store(request, tmp_path):
    """A store of each kind; ``local://`` is a file system that fsspec writes to itself."""
    if request.param == "memory://":
        yield open_artifacts(f"memory://{tmp_path.name}")
        MemoryFileSystem.store.clear()
    elif request.param == "local://":
        # The protocol is the same as that of file://, which is written to without fsspec.
        yield buckets.BucketStore(f"file://{tmp_path}/s")
    else:
        yield open_artifacts(f"{request.param.removeprefix('folder')}{tmp_path}/s")


class TestStores:
    def test_what_was_put_is_there(self, store):
        """Bytes come back under their name, once, and the second put replaces the first."""
        store.put("receipts/a.1.json", b"one")
        store.put("receipts/a.1.json", b"two")

        assert b"two" == store.get("receipts/a.1.json")
        assert store.exists("receipts/a.1.json")
        assert ("receipts/a.1.json",) == store.names("receipts")
        with store.open("receipts/a.1.json") as stream:
            assert b"two" == stream.read()

    def test_what_was_not_put_is_absent(self, store):
        """A name that nobody put is None, and a folder that nobody made is empty."""
        assert store.get("receipts/none.json") is None
        assert not store.exists("receipts/none.json")
        assert () == store.names("receipts")
        with pytest.raises(FileNotFoundError):
            store.open("receipts/none.json")

    def test_names_are_sorted_and_flat(self, store):
        """Names directly below a folder, in order, and nothing that is half written."""
        for name in ("traces/b.gz", "traces/a.gz", "receipts/c.json"):
            store.put(name, b"x")

        assert ("traces/a.gz", "traces/b.gz") == store.names("traces")


class TestRefusals:
    def test_a_url_of_no_kind(self):
        """A protocol that fsspec does not know is bad input."""
        with pytest.raises(BadInputError, match="no artifact store has such a URL"):
            open_artifacts("nonsense://bucket")

    def test_a_bucket_whose_driver_is_missing(self):
        """A bucket whose driver is not installed is said in words."""
        with pytest.raises(UnfitHostError, match="the bucket's driver is not installed"):
            open_artifacts("gs://bucket/folder")

    def test_fsspec_itself_is_missing(self, monkeypatch):
        """Without fsspec a URL is refused with what to install."""
        monkeypatch.setattr(buckets, "fsspec", None)

        with pytest.raises(UnfitHostError, match="artifacts extra"):
            open_artifacts("memory://x")

    @pytest.mark.parametrize(
        ("call", "error"), [("put", WriteError), ("get", StoreError), ("exists", StoreError), ("names", StoreError)]
    )
    def test_whatever_a_driver_raises_is_translated(self, monkeypatch, call, error):
        """A driver's own exceptions never reach a reader."""
        store = open_artifacts("memory://x")

        class Broken:
            protocol = "memory"

            def __getattr__(self, name):
                raise RuntimeError("quota exceeded")

        monkeypatch.setattr(store, "_fs", Broken())
        with pytest.raises(error, match="quota exceeded"):
            getattr(store, call)(*(("a/b", b"x") if call == "put" else ("a/b",)))

    def test_a_folder_that_cannot_be_read(self, tmp_path):
        """A name that is no file is the store's error."""
        (tmp_path / "receipts" / "a.json").mkdir(parents=True)

        with pytest.raises(StoreError, match="cannot be read"):
            FolderStore(tmp_path).get("receipts/a.json")

    def test_a_password_is_not_shown(self):
        """Errors name the store without user and password."""
        assert "ftp://host/folder" == buckets.without_password("ftp://me:hunter2@host/folder?key=hunter2")


class TestRuns:
    def test_a_run_whose_artifacts_are_in_a_bucket(self, benchmark_root, monkeypatch):
        """Receipts, candidates and traces go to the bucket, nothing of them to the run's folder; the sealed run is whole."""
        judge_nothing(monkeypatch)
        live = planned_run(benchmark_root, artifacts_at="memory://faultline-tests", trials=2, seeds=(0,))
        Worker(live, "w", Clock(), {}).work()
        inside = [path.name for path in live.folder.iterdir() if path.is_dir()]
        audit = verify_live_run(live, Clock().now())
        path = seal_live_run(live, Clock())

        assert [] == inside
        assert ((), 2, 2) == (audit.mismatches, audit.counts["receipts"], audit.counts["traces"])
        assert () == verify_run(path)
        assert 2 == len(read_run(path).trials)
        MemoryFileSystem.store.clear()

    def test_the_command_line_notes_where_artifacts_are(self, benchmark_root, tmp_path):
        """`--artifacts` is given once: resume, verify and seal find the store again, and sealing leaves it as it is."""
        words = [
            "run",
            "no-op",
            "--trials",
            "1",
            "--variants",
            "1",
            "--workers",
            "1",
            "--no-seal",
            "--artifacts",
            f"file://{tmp_path}/store",
        ]
        command = [sys.executable, "-m", "faultline.cli"]
        at = ["--root", str(benchmark_root)]
        first = subprocess.run([*command, *words, *at], capture_output=True, text=True, check=False)
        name = first.stdout.partition(":")[0]
        verified = subprocess.run([*command, "verify", name, *at], capture_output=True, text=True, check=False)
        sealed = subprocess.run([*command, "seal", name, *at], capture_output=True, text=True, check=False)

        assert [0, 0, 0] == [first.returncode, verified.returncode, sealed.returncode]
        assert "1 rows, 1 receipts, 1 candidates, 1 traces" in verified.stdout
        assert ["artifacts", "receipts"] == sorted(path.name for path in (tmp_path / "store" / name).iterdir())

    @pytest.mark.parametrize("url", ["postgresql://me:hunter2@127.0.0.1/x", "postgresql://127.0.0.1/x?password=hunter2"])
    def test_a_password_is_never_noted(self, benchmark_root, url):
        """A ledger's URL that holds a password must be given again, and stands in no file."""
        live = planned_run(benchmark_root, trials=1, seeds=(0,))
        noted = LiveRun(benchmark_root, live.run, url)
        from faultline.execution.live import _holds_password

        assert _holds_password(url)
        (live.folder / "local.json").write_text(
            '{"agent_file": null, "ledger": "not noted: it holds a password", "artifacts": ""}'
        )
        with pytest.raises(BadInputError, match="was not noted; next: give --ledger again"):
            LiveRun.find(benchmark_root, live.run)
        assert url == LiveRun.find(benchmark_root, live.run, noted.ledger_at).ledger_at
