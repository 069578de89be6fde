"""Verify a live run: count rows, receipts, candidates and traces independently, and report any difference in either direction.

The ledger says what was answered, the artifact store what was done; neither is believed about the other. Reads only.
"""

import dataclasses
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from faultline.archive import Mismatch, PlanCheck, candidate_mismatches
from faultline.errors import FaultlineError, IntegrityError
from faultline.execution.live import ARTIFACTS, LiveRun, attempt_name, receipt_name
from faultline.kinds import slug
from faultline.ledger import AttemptState, Ledger
from faultline.records import (
    Absent,
    ArtifactRef,
    Attempt,
    FrozenCandidate,
    Receipt,
    RunManifest,
    Trial,
    TrialKey,
    digest_of_plain,
)

__all__ = ["LiveAudit", "verify_live_run"]

_CHUNK = 2**20
_Key = tuple[str, str, str, int]


@dataclass(frozen=True)
class LiveAudit:
    """What was counted in a live run, and what does not fit together."""

    counts: Mapping[str, int]
    """``planned``, ``rows``, ``receipts``, ``candidates``, ``traces``, ``attempts``, ``refused``, ``in_flight``."""
    mismatches: tuple[Mismatch, ...]

    def errors(self, run: str) -> tuple[IntegrityError, ...]:
        """Return each mismatch as an error for a reader."""
        return tuple(
            IntegrityError(
                f"{run}: {item.place}",
                item.problem,
                item.expected,
                item.found,
                f"faultline resume {run}" if item.kind == "not-recorded" else "",
            )
            for item in self.mismatches
        )


@dataclass(frozen=True)
class _Row:
    """What is remembered of a recorded trial; its content is not, so that memory stays small."""

    number: int
    digest: str


@dataclass
class _Seen:
    """What was read so far."""

    rows: dict[_Key, _Row] = field(default_factory=dict)
    row_count: int = 0
    attempts: dict[_Key, dict[int, AttemptState]] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    receipts: dict[tuple[_Key, int], str] = field(default_factory=dict)
    referred: set[str] = field(default_factory=set)
    checked: dict[str, FrozenCandidate | None] = field(default_factory=dict)


def verify_live_run(live: LiveRun, now: datetime) -> LiveAudit:
    """Compare the ledger with the artifact store.

    Cells with a live lease are in flight: what their worker has just written is counted and not held against anybody.
    Raises ``LedgerError`` or ``StoreError`` when one of the two cannot be read.
    """
    seen = _Seen()
    with live.open_ledger() as ledger:
        manifest = ledger.manifest(live.run)
        flying = {_cell(lease.key) for lease in ledger.progress(live.run, now).leases}
        audit = _Audit(live, manifest, seen, flying)
        # The effects first: a worker leaves them before its row, so that what is recorded meanwhile is no difference.
        receipts = live.store.names("receipts")
        files = {role: live.store.names(f"{ARTIFACTS}/{role}") for role in ("candidates", "traces")}
        found = [*audit.ledger(ledger), *audit.receipts(receipts), *audit.rows(), *audit.kept(), *audit.files(files)]
    counts = {
        "planned": len(manifest.cells),
        "rows": seen.row_count,
        "receipts": len(receipts),
        "candidates": len(files["candidates"]),
        "traces": len(files["traces"]),
        "attempts": sum(map(len, seen.attempts.values())),
        "refused": len(seen.refused),
        "in_flight": len(flying),
    }
    return LiveAudit(counts, tuple(found))


class _Audit:
    """One verification; each method yields what does not match in one part."""

    def __init__(self, live: LiveRun, manifest: RunManifest, seen: _Seen, flying: set[_Key]) -> None:
        self._live, self._manifest, self._seen, self._flying = live, manifest, seen, flying
        self._cells = {cell.key: cell for cell in manifest.cells}

    def ledger(self, ledger: Ledger) -> Iterator[Mismatch]:
        """Read the ledger: rows against the plan and their artifacts, attempts, refused results."""
        if self._live.manifest() != self._manifest:
            yield Mismatch("manifest.json", "manifest", "the plan in the run's folder is not the one in the ledger")
        for attempt in ledger.all_attempts(self._manifest.run):
            self._seen.attempts.setdefault(_cell(attempt.key), {})[attempt.number] = attempt.state
        try:
            for conflict in ledger.conflicts(self._manifest.run):
                self._seen.refused.add(conflict.refused)
                self._refer(conflict.trial)
            check = PlanCheck(self._manifest)
            for trial in ledger.trials(self._manifest.run):
                self._seen.row_count += 1
                for mismatch in check.line(self._seen.row_count, trial):
                    yield dataclasses.replace(mismatch, place=f"ledger, row {self._seen.row_count}")
                self._seen.rows.setdefault(_cell(trial.key), _Row(trial.last.number, trial.content_digest()))
                self._refer(trial)
                for attempt_of in trial.attempts:
                    yield from self._artifacts(trial, attempt_of)
        except IntegrityError as error:
            yield Mismatch("ledger", "digest", error.problem, error.expected, error.found)

    def rows(self) -> Iterator[Mismatch]:
        """Compare each row with its receipt, and its attempts with the ledger's own list."""
        for key, row in self._seen.rows.items():
            label = self._cells[key].label if key in self._cells else ".".join(map(str, key))
            receipt = self._seen.receipts.get((key, row.number))
            if receipt is None and self._just_written(key, row):
                continue
            if receipt is None:
                yield Mismatch(label, "no-receipt", "a row without an effect: its attempt left no receipt", row.digest)
            elif receipt != row.digest:
                yield Mismatch(label, "payload", "the row is not what the receipt of its attempt holds", receipt, row.digest)
            numbers = sorted(number for number in self._seen.attempts.get(key, {}) if number <= row.number)
            if numbers != list(range(1, row.number + 1)):
                yield Mismatch(
                    label,
                    "attempts",
                    "the attempts of the trial are not those that the ledger saw begin",
                    str(row.number),
                    str(len(numbers)),
                )

    def _just_written(self, key: _Key, row: _Row) -> bool:
        """Whether a receipt that was not there when the names were listed has come since."""
        cell = self._cells.get(key)
        if cell is None:
            return False
        try:
            receipt = self._live.receipt(cell, row.number)
        except FaultlineError:
            return False
        return receipt is not None and receipt.payload_digest == row.digest and receipt.trial.content_digest() == row.digest

    def receipts(self, names: tuple[str, ...]) -> Iterator[Mismatch]:
        """Read the receipts: each holds what it names, and has a row, or is known as refused."""
        for name in names:
            try:
                receipt = Receipt.parse(self._live.store.get(name) or b"", name)
            except FaultlineError as error:
                yield Mismatch(name, "unreadable", error.problem, error.expected, error.found)
                continue
            key = _cell(receipt.key)
            cell = self._cells.get(key)
            if cell is None or receipt.key.run != self._manifest.run or receipt.trial.key != receipt.key:
                yield Mismatch(name, "other-run", "the receipt belongs to another cell or run")
                continue
            if name != receipt_name(cell, receipt.attempt):
                yield Mismatch(
                    name, "two-receipts", "the receipt lies under another attempt's name", receipt_name(cell, receipt.attempt)
                )
                continue
            digest = receipt.trial.content_digest()
            if digest != receipt.payload_digest:
                yield Mismatch(
                    name, "digest", "the receipt does not hold the result that it names", receipt.payload_digest, digest
                )
            self._seen.receipts[key, receipt.attempt] = receipt.payload_digest
            self._refer(receipt.trial)
            if receipt.attempt not in self._seen.attempts.get(key, {}):
                yield Mismatch(name, "attempts", "the ledger never saw the attempt of this receipt begin")
            row = self._seen.rows.get(key)
            if receipt.payload_digest in self._seen.refused or (row is not None and row.number == receipt.attempt):
                continue
            if row is not None:
                problem = f"an effect without a row: the row of the cell is that of attempt {row.number}"
                yield Mismatch(name, "no-row", problem, receipt.payload_digest, row.digest)
            elif key not in self._flying:
                yield Mismatch(name, "not-recorded", "an effect without a row: the ledger has no result for the cell")

    def kept(self) -> Iterator[Mismatch]:
        """Read the attempts that did not end their trial: the ledger has seen each of them."""
        known = {attempt_name(self._cells[key], number) for key, numbers in self._seen.attempts.items() for number in numbers}
        for name in self._live.store.names("attempts"):
            try:
                attempt = Attempt.parse(self._live.store.get(name) or b"", name)
            except FaultlineError as error:
                yield Mismatch(name, "unreadable", error.problem, error.expected, error.found)
                continue
            self._seen.referred.update(artifact.path for artifact in attempt.artifacts)
            if name not in known:
                yield Mismatch(name, "attempts", "the ledger never saw this attempt begin")

    def files(self, names: Mapping[str, tuple[str, ...]]) -> Iterator[Mismatch]:
        """Compare the candidates and traces that are there with what anybody refers to."""
        lost = {
            f"traces/{slug(self._cells[key].label, 120)}.{number}.json.gz"
            for key, numbers in self._seen.attempts.items()
            for number in numbers
            if (key, number) not in self._seen.receipts
        }
        orphans: dict[str, list[str]] = {role: [] for role in names}
        for role, found in names.items():
            for name in found:
                path = name.removeprefix(f"{ARTIFACTS}/")
                if path not in self._seen.referred:
                    orphans[role].append(path)
        for path in orphans["traces"]:
            # A worker that died after its trace and before its receipt: the ledger has seen the attempt begin, and no more.
            if path not in lost:
                yield Mismatch(path, "no-row", "an effect without a row: no result, receipt or attempt refers to this trace")
        if len(orphans["candidates"]) > len(lost):
            for path in orphans["candidates"]:
                yield Mismatch(
                    path, "no-row", "an effect without a row: no result, receipt or attempt refers to this candidate"
                )

    def _refer(self, trial: Trial) -> None:
        self._seen.referred.update(artifact.path for attempt in trial.attempts for artifact in attempt.artifacts)

    def _artifacts(self, trial: Trial, attempt: Attempt) -> Iterator[Mismatch]:
        """Yield artifacts of a row that are not there, or not what the row says."""
        for artifact in attempt.artifacts:
            if artifact.path not in self._seen.checked:
                self._seen.checked[artifact.path] = None
                yield from self._artifact(artifact)
            frozen = self._seen.checked[artifact.path]
            if frozen is None:
                continue
            tree = digest_of_plain(frozen.tree)
            if not isinstance(attempt.candidate, Absent) and tree != attempt.candidate:
                yield Mismatch(
                    artifact.path, "candidate", f"this is not the candidate of {_label(trial)}", attempt.candidate, tree
                )
            if not isinstance(trial.workspace_digest, Absent) and frozen.workspace_digest != trial.workspace_digest:
                problem = "the candidate grew from another workspace"
                yield Mismatch(artifact.path, "candidate", problem, trial.workspace_digest, frozen.workspace_digest)

    def _artifact(self, artifact: ArtifactRef) -> Iterator[Mismatch]:
        digest, size, data = hashlib.sha256(), 0, b""
        try:
            with self._live.open_artifact(artifact.path) as stream:
                while chunk := stream.read(_CHUNK):
                    digest.update(chunk)
                    size += len(chunk)
                    data += chunk if artifact.role == "candidate" else b""
        except OSError:
            yield Mismatch(
                artifact.path, "missing-file", f"a row without an effect: the {artifact.role} is not there", artifact.sha256
            )
            return
        found = "sha256:" + digest.hexdigest()
        if found != artifact.sha256 or size != artifact.size:
            yield Mismatch(
                artifact.path, "artifact", f"this is not the {artifact.role} that the row names", artifact.sha256, found
            )
        if artifact.role == "candidate":
            try:
                frozen = FrozenCandidate.parse(data, artifact.path)
            except FaultlineError as error:
                yield Mismatch(artifact.path, "unreadable", error.problem, error.expected, error.found)
                return
            self._seen.checked[artifact.path] = frozen
            yield from candidate_mismatches(frozen, artifact.path)


def _cell(key: TrialKey) -> _Key:
    return (key.task, key.variant, key.agent, key.trial)


def _label(trial: Trial) -> str:
    return ".".join(map(str, _cell(trial.key)))
