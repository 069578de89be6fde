"""The folder of a live run: its plan, its ledger, and the separate record of effects that attempts leave."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, Self, TypeVar, cast
from urllib.parse import parse_qs, urlsplit

from faultline.errors import BadInputError, MissingInputError
from faultline.execution.artifacts import ArtifactStore, open_artifacts
from faultline.files import atomic_write, write_failed
from faultline.kinds import digest_bytes, slug
from faultline.ledger import Ledger, open_ledger
from faultline.records import (
    ArtifactRef,
    Attempt,
    Cell,
    FrozenCandidate,
    Receipt,
    Record,
    RunManifest,
    Settlement,
    digest_of_plain,
)

LIVE = ".faultline"
"""Folder of live runs inside a benchmark; never published."""
ARTIFACTS = "artifacts"
"""Folder in the artifact store of what sealing copies: ``traces/`` and ``candidates/``."""
_SECRET = "not noted: it holds a password"  # noqa: S105  (says that there is one)
R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class LiveRun:
    """Paths and files of a run that is not sealed yet."""

    root: Path
    """Of the benchmark."""
    run: str
    ledger_at: str = ""
    """Where the ledger is, unless it lies in the run's own folder."""
    artifacts_at: str = ""
    """Where receipts, candidates and traces are, unless they lie in the run's own folder."""
    agent_at: str = ""
    """Where the agent's file is on this machine, when it is not the one that planned the run."""

    @classmethod
    def find(cls, root: Path, run: str, ledger_at: str = "", artifacts_at: str = "") -> Self:
        """Return a live run with the places that were noted when it was planned, unless other ones are given.

        Raises :class:`MissingInputError` when there is no such run.
        """
        live = cls(root, run)
        live.manifest()
        note = live._note()
        places = {}
        for name, given in (("ledger", ledger_at), ("artifacts", artifacts_at)):
            noted = note.get(name) or ""
            if noted == _SECRET and not given:
                raise BadInputError(
                    run, f"the URL of its {name} holds a password, which was not noted", next_step=f"give --{name} again"
                )
            places[f"{name}_at"] = given or noted
        return cls(root, run, **places)

    @property
    def folder(self) -> Path:
        """The run's own folder."""
        return self.root / LIVE / "runs" / self.run

    @cached_property
    def store(self) -> ArtifactStore:
        """Where attempts leave their effects."""
        return open_artifacts(f"{self.artifacts_at.rstrip('/')}/{self.run}" if self.artifacts_at else self.folder)

    def create(self, manifest: RunManifest, agent_file: Path | None) -> None:
        """Make the folder, register the plan, and note where ledger, artifacts and the agent's file are."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise write_failed(f"{LIVE}/runs", error) from error
        note = {
            "agent_file": str(agent_file.resolve()) if agent_file else None,
            "ledger": _SECRET if _holds_password(self.ledger_at) else self.ledger_at,
            "artifacts": _SECRET if _holds_password(self.artifacts_at) else self.artifacts_at,
        }
        atomic_write(self.folder / "local.json", json.dumps(note).encode() + b"\n")
        with self.open_ledger(create=True) as ledger:
            ledger.register(manifest)
        # Last, since it is what makes the folder a live run.
        atomic_write(self.folder / "manifest.json", manifest.canonical() + b"\n")

    def open_ledger(self, *, create: bool = False) -> Ledger:
        """Open the run's ledger."""
        return open_ledger(self.ledger_at or self.folder / "ledger.sqlite", create=create)

    @property
    def ledger_file(self) -> Path | None:
        """The ledger's file, when it is one."""
        if not self.ledger_at:
            return self.folder / "ledger.sqlite"
        return Path(self.ledger_at.removeprefix("sqlite:///")) if "postgres" not in self.ledger_at.partition(":")[0] else None

    def manifest(self) -> RunManifest:
        """Read the plan; raises :class:`MissingInputError` when there is no such live run."""
        path = self.folder / "manifest.json"
        try:
            return RunManifest.parse(path.read_bytes(), str(path.relative_to(self.root)))
        except FileNotFoundError as error:
            raise MissingInputError(self.run, "there is no live run of this name", next_step="faultline status") from error
        except OSError as error:
            raise BadInputError(self.run, "the plan of this run cannot be read", found=error.strerror or "") from error

    def agent_file(self) -> Path | None:
        """Return where the agent's file was when the run was planned."""
        value = self.agent_at or self._note().get("agent_file")
        return Path(value) if value else None

    def _note(self) -> dict[str, str]:
        path = self.folder / "local.json"
        try:
            value = json.loads(path.read_bytes())
            value["agent_file"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BadInputError(str(path.relative_to(self.root)), "the note of this run cannot be read") from error
        return cast("dict[str, str]", value)

    # --- effects ------------------------------------------------------------------------------------------------

    def write_candidate(self, record: FrozenCandidate) -> ArtifactRef:
        """Keep a frozen candidate under its own digest; equal trees share one file, unless the agent left other tests."""
        data = record.canonical() + b"\n"
        left = f"-{digest_bytes(data).removeprefix('sha256:')[:8]}" if record.tests else ""
        name = f"candidates/{record.digest.removeprefix('sha256:')[:32]}{left}.json"
        if not self.store.exists(f"{ARTIFACTS}/{name}"):
            self.store.put(f"{ARTIFACTS}/{name}", data)
        return ArtifactRef(role="candidate", path=name, sha256=digest_bytes(data), size=len(data))

    def write_trace(self, cell: Cell, attempt: int, trace: bytes) -> ArtifactRef:
        """Keep a trajectory, compressed with no time in it."""
        data = gzip.compress(trace, mtime=0)
        name = f"traces/{slug(cell.label, 120)}.{attempt}.json.gz"
        self.store.put(f"{ARTIFACTS}/{name}", data)
        return ArtifactRef(role="trace", path=name, sha256=digest_bytes(data), size=len(data))

    def open_artifact(self, path: str) -> BinaryIO:
        """Open a candidate or a trace by the path in its record; raises ``FileNotFoundError``."""
        return self.store.open(f"{ARTIFACTS}/{path}")

    def write_receipt(self, cell: Cell, receipt: Receipt) -> None:
        """Keep what an attempt did, before the ledger hears of it."""
        self.store.put(receipt_name(cell, receipt.attempt), receipt.canonical() + b"\n")

    def receipt(self, cell: Cell, attempt: int) -> Receipt | None:
        """Return what an attempt left, if it left anything."""
        return self._read(Receipt, receipt_name(cell, attempt))

    def write_attempt(self, cell: Cell, attempt: Attempt) -> None:
        """Keep an attempt that did not end the trial, with its time and cost."""
        self.store.put(attempt_name(cell, attempt.number), attempt.canonical() + b"\n")

    def attempt(self, cell: Cell, number: int) -> Attempt | None:
        """Return an attempt that did not end the trial, if it was kept."""
        return self._read(Attempt, attempt_name(cell, number))

    def write_settlement(self, cell: Cell, settlement: Settlement) -> None:
        """Keep how an unknown attempt was settled; the same settlement again is the same file."""
        said = settlement.model_dump(mode="json", exclude={"settled_at"})
        name = f"{slug(cell.label, 120)}.{settlement.attempt}.{digest_of_plain(said)[7:23]}.json"
        self.store.put(f"settlements/{name}", settlement.canonical() + b"\n")

    def settlements(self) -> tuple[Settlement, ...]:
        """Return all settlements, in plan order and then by attempt and time."""
        place = {cell.key: number for number, cell in enumerate(self.manifest().cells)}
        found = [self._read(Settlement, name) for name in self.store.names("settlements")]
        return tuple(
            sorted(
                (item for item in found if item is not None),
                key=lambda item: (
                    place.get((item.key.task, item.key.variant, item.key.agent, item.key.trial), len(place)),
                    item.attempt,
                    item.settled_at,
                ),
            )
        )

    def _read(self, model: type[R], name: str) -> R | None:
        data = self.store.get(name)
        return None if data is None else model.parse(data, f"{self.run}/{name}")


def receipt_name(cell: Cell, attempt: int) -> str:
    """Return where an attempt's receipt stands in the artifact store."""
    return f"receipts/{slug(cell.label, 120)}.{attempt}.json"


def attempt_name(cell: Cell, attempt: int) -> str:
    """Return where an attempt that did not end its trial stands in the artifact store."""
    return f"attempts/{slug(cell.label, 120)}.{attempt}.json"


def live_runs(root: Path) -> Iterator[LiveRun]:
    """Yield the live runs of a benchmark by name; :meth:`LiveRun.find` tells where ledger and artifacts of one are."""
    folder = root / LIVE / "runs"
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if (path / "manifest.json").exists():
            yield LiveRun(root, path.name)


def _holds_password(url: str) -> bool:
    """Whether a URL must not be noted."""
    try:
        parts = urlsplit(url)
        return parts.password is not None or any(
            "pass" in name.lower() or "secret" in name.lower() for name in parse_qs(parts.query)
        )
    except ValueError:
        return True
