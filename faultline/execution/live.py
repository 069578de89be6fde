"""The folder of a live run: its plan, its ledger, and the separate record of effects that attempts leave."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from faultline.errors import BadInputError, MissingInputError
from faultline.files import atomic_write
from faultline.kinds import digest_bytes, slug
from faultline.ledger import Ledger, open_ledger
from faultline.records import ArtifactRef, Attempt, Cell, FrozenCandidate, Receipt, RunManifest

LIVE = ".faultline"
"""Folder of live runs inside a benchmark; never published."""


@dataclass(frozen=True)
class LiveRun:
    """Paths and files of a run that is not sealed yet."""

    root: Path
    """Of the benchmark."""
    run: str
    ledger_at: str = ""
    """Where the ledger is, unless it lies in the run's own folder."""

    @property
    def folder(self) -> Path:
        """The run's own folder."""
        return self.root / LIVE / "runs" / self.run

    @property
    def artifacts(self) -> Path:
        """What sealing copies: ``traces/`` and ``candidates/``."""
        return self.folder / "artifacts"

    def create(self, manifest: RunManifest, agent_file: Path | None) -> None:
        """Make the folder, register the plan, and note where the agent's file is."""
        for name in ("receipts", "attempts", "artifacts/traces", "artifacts/candidates"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        atomic_write(self.folder / "manifest.json", manifest.canonical() + b"\n")
        note = {"agent_file": str(agent_file.resolve()) if agent_file else None}
        atomic_write(self.folder / "local.json", json.dumps(note).encode() + b"\n")
        with self.open_ledger(create=True) as ledger:
            ledger.register(manifest)

    def open_ledger(self, *, create: bool = False) -> Ledger:
        """Open the run's ledger."""
        return open_ledger(self.ledger_at or self.folder / "ledger.sqlite", create=create)

    def manifest(self) -> RunManifest:
        """Read the plan; raises :class:`MissingInputError` when there is no such live run."""
        path = self.folder / "manifest.json"
        try:
            return RunManifest.parse(path.read_bytes(), str(path.relative_to(self.root)))
        except FileNotFoundError as error:
            raise MissingInputError(self.run, "there is no live run of this name", next_step="faultline status") from error

    def agent_file(self) -> Path | None:
        """Return where the agent's file was when the run was planned."""
        path = self.folder / "local.json"
        try:
            value = json.loads(path.read_bytes())["agent_file"]
        except (OSError, ValueError, KeyError) as error:
            raise BadInputError(str(path.relative_to(self.root)), "the note of this run cannot be read") from error
        return Path(value) if value else None

    # --- effects ------------------------------------------------------------------------------------------------

    def write_candidate(self, record: FrozenCandidate) -> ArtifactRef:
        """Keep a frozen candidate under its own digest; equal trees share one file, unless the agent left other tests."""
        data = record.canonical() + b"\n"
        left = f"-{digest_bytes(data).removeprefix('sha256:')[:8]}" if record.tests else ""
        name = f"candidates/{record.digest.removeprefix('sha256:')[:32]}{left}.json"
        path = self.artifacts / name
        if not path.exists():
            atomic_write(path, data)
        return ArtifactRef(role="candidate", path=name, sha256=digest_bytes(data), size=len(data))

    def write_trace(self, cell: Cell, attempt: int, trace: bytes) -> ArtifactRef:
        """Keep a trajectory, compressed with no time in it."""
        data = gzip.compress(trace, mtime=0)
        name = f"traces/{slug(cell.label, 120)}.{attempt}.json.gz"
        atomic_write(self.artifacts / name, data)
        return ArtifactRef(role="trace", path=name, sha256=digest_bytes(data), size=len(data))

    def write_receipt(self, cell: Cell, receipt: Receipt) -> None:
        """Keep what an attempt did, before the ledger hears of it."""
        atomic_write(self._receipt(cell, receipt.attempt), receipt.canonical() + b"\n")

    def receipt(self, cell: Cell, attempt: int) -> Receipt | None:
        """Return what an attempt left, if it left anything."""
        path = self._receipt(cell, attempt)
        if not path.exists():
            return None
        return Receipt.parse(path.read_bytes(), str(path.relative_to(self.root)))

    def write_attempt(self, cell: Cell, attempt: Attempt) -> None:
        """Keep an attempt that ended in a fault, with its time and cost."""
        atomic_write(self._attempt(cell, attempt.number), attempt.canonical() + b"\n")

    def attempt(self, cell: Cell, number: int) -> Attempt | None:
        """Return an attempt that ended in a fault, if it was kept."""
        path = self._attempt(cell, number)
        return Attempt.parse(path.read_bytes(), str(path.relative_to(self.root))) if path.exists() else None

    def _receipt(self, cell: Cell, attempt: int) -> Path:
        return self.folder / "receipts" / f"{slug(cell.label, 120)}.{attempt}.json"

    def _attempt(self, cell: Cell, attempt: int) -> Path:
        return self.folder / "attempts" / f"{slug(cell.label, 120)}.{attempt}.json"


def live_runs(root: Path) -> Iterator[LiveRun]:
    """Yield the live runs of a benchmark by name."""
    folder = root / LIVE / "runs"
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if (path / "manifest.json").exists():
            yield LiveRun(root, path.name)
