"""Turn a finished run into plain files: written beside, complete, then renamed into place with the seal last.

Streaming, so that memory does not grow with the number of trials.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from faultline.archive.checks import PlanCheck
from faultline.archive.values import CONFLICTS, MANIFEST, SEAL, SETTLEMENTS, TRIALS
from faultline.clock import Clock
from faultline.errors import IntegrityError, MissingInputError, RefusedError, UnfinishedError
from faultline.files import sync_file, sync_folder, write_failed
from faultline.records import ArtifactRef, Conflict, Record, RunManifest, Seal, Settlement, Trial

Opener = Callable[[str], BinaryIO]
"""Opens an artifact by its path in a record; raises ``FileNotFoundError``."""
_CHUNK = 2**20


def seal_run(
    target_parent: Path,
    manifest: RunManifest,
    trials: Iterable[Trial],
    conflicts: Iterable[Conflict],
    artifacts: Path | Opener,
    clock: Clock,
    *,
    unsettled: int = 0,
    settlements: Iterable[Settlement] = (),
) -> Path:
    """Write ``target_parent/<run>`` and return it; afterwards it is there whole, or not at all.

    ``trials`` come in plan order; artifacts are copied from a folder, or from where ``artifacts`` opens them, by their path,
    each compared with its digest.
    The same input and clock give the same bytes.

    Raises ``UnfinishedError`` when a planned cell has no trial or ``unsettled`` attempts are unknown, ``IntegrityError`` when
    something would not verify, ``RefusedError`` when the run is sealed already, ``WriteError`` when the disk refuses.
    """
    run = manifest.run
    target = target_parent / run
    if unsettled:
        raise UnfinishedError(run, f"{unsettled} attempts are unknown", next_step=f"faultline reconcile {run}")
    if target.exists():
        raise _sealed_already(run)
    beside = target_parent / f".{run}.sealing-{clock.token()}"
    try:
        target_parent.mkdir(parents=True, exist_ok=True)
        beside.mkdir()
    except OSError as error:
        raise write_failed(run, error) from error
    try:
        opener = _beneath(artifacts) if isinstance(artifacts, Path) else artifacts
        _write_all(beside, manifest, trials, conflicts, settlements, opener, clock)
        _sync_all(beside)
        beside.rename(target)
        sync_folder(target_parent)
    except OSError as error:
        # Another sealer was quicker: its folder stands where ours should go.
        raise (_sealed_already(run) if target.exists() else write_failed(run, error)) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    _remove_leftovers(target_parent, run)
    return target


def _write_all(
    folder: Path,
    manifest: RunManifest,
    trials: Iterable[Trial],
    conflicts: Iterable[Conflict],
    settlements: Iterable[Settlement],
    artifacts: Opener,
    clock: Clock,
) -> None:
    run = manifest.run
    files: dict[str, str] = {}
    with _hashed(folder, MANIFEST, files) as stream:
        stream.write(manifest.canonical() + b"\n")
    check = PlanCheck(manifest)
    cells = iter(manifest.cells)
    with _hashed(folder, TRIALS, files) as stream:
        for number, trial in enumerate(trials, start=1):
            for mismatch in check.line(number, trial):
                raise mismatch.error(run)
            # Compared cell by cell, so that the first gap is named before anything more is copied.
            cell = next(cells)
            if cell.key != (trial.key.task, trial.key.variant, trial.key.agent, trial.key.trial):
                raise _unfinished(run, cell.label)
            for attempt in trial.attempts:
                for artifact in attempt.artifacts:
                    _copy(artifact, artifacts, folder, files, run)
            stream.write(trial.canonical() + b"\n")
    for cell in cells:
        raise _unfinished(run, cell.label)
    refused = _write_lines(folder, CONFLICTS, _with_artifacts(conflicts, artifacts, folder, files, run), files)
    _write_lines(folder, SETTLEMENTS, settlements, files)
    seal = Seal(
        schema_name="faultline/seal/1",
        run=run,
        sealed_at=clock.now(),
        planned=len(manifest.cells),
        recorded=check.seen,
        conflicts=refused,
        files=files,
    )
    (folder / SEAL).write_bytes(seal.canonical() + b"\n")


def _beneath(root: Path) -> Opener:
    return lambda path: (root / path).open("rb")


def _with_artifacts(
    conflicts: Iterable[Conflict], artifacts: Opener, folder: Path, files: dict[str, str], run: str
) -> Iterator[Conflict]:
    """Yield refused results, and copy what they left; one whose files are gone is kept all the same, since it never scores."""
    for conflict in conflicts:
        for attempt in conflict.trial.attempts:
            for artifact in attempt.artifacts:
                with suppress(MissingInputError, IntegrityError):
                    _copy(artifact, artifacts, folder, files, run)
        yield conflict


def _write_lines(folder: Path, name: str, records: Iterable[Record], files: dict[str, str]) -> int:
    """Write records as a file of lines, if there are any, and return their number."""
    iterator = iter(records)
    first = next(iterator, None)
    if first is None:
        return 0
    count = 1
    with _hashed(folder, name, files) as stream:
        stream.write(first.canonical() + b"\n")
        for record in iterator:
            stream.write(record.canonical() + b"\n")
            count += 1
    return count


class _HashedStream:
    """A file that knows the digest of what was written to it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.hash = hashlib.sha256()

    def write(self, data: bytes) -> None:
        self._stream.write(data)
        self.hash.update(data)


@contextmanager
def _hashed(folder: Path, name: str, files: dict[str, str]) -> Iterator[_HashedStream]:
    """Open a new file of the run and enter its digest among the sealed files when it is complete."""
    with (folder / name).open("xb", buffering=_CHUNK) as raw:
        stream = _HashedStream(raw)
        yield stream
    files[name] = "sha256:" + stream.hash.hexdigest()


def _copy(artifact: ArtifactRef, artifacts: Opener, folder: Path, files: dict[str, str], run: str) -> None:
    """Copy one artifact; a candidate may belong to several attempts, and is copied once."""
    if artifact.path in files:
        found = files[artifact.path]
    else:
        (folder / artifact.path).parent.mkdir(exist_ok=True)
        try:
            source = artifacts(artifact.path)
        except FileNotFoundError as error:
            raise MissingInputError(
                f"{run}: {artifact.path}", f"the {artifact.role} that a trial refers to is not in the artifact store"
            ) from error
        with source, _hashed(folder, artifact.path, files) as stream:
            while chunk := source.read(_CHUNK):
                stream.write(chunk)
        found = files[artifact.path]
    if found != artifact.sha256:
        raise IntegrityError(
            f"{run}: {artifact.path}", "the file is not what its trial says", expected=artifact.sha256, found=found
        )
    size = (folder / artifact.path).stat().st_size
    if size != artifact.size:
        raise IntegrityError(
            f"{run}: {artifact.path}",
            "the file's size is not what its trial says",
            expected=str(artifact.size),
            found=str(size),
        )


def _sync_all(folder: Path) -> None:
    """Make everything survive a power cut; after all writing, so that one commit of the file system serves many files."""
    for parent, _, names in os.walk(folder):
        for name in names:
            sync_file(Path(parent, name))
        sync_folder(Path(parent))


def _remove_leftovers(parent: Path, run: str) -> None:
    """Remove what earlier sealers of this run left when they were killed."""
    for leftover in parent.glob(f".{run}.sealing-*"):
        if re.fullmatch(rf"\.{re.escape(run)}\.sealing-[0-9a-f]+", leftover.name):
            shutil.rmtree(leftover, ignore_errors=True)


def _sealed_already(run: str) -> RefusedError:
    return RefusedError(run, "this run is sealed already", next_step=f"faultline verify {run}")


def _unfinished(run: str, label: str) -> UnfinishedError:
    return UnfinishedError(run, f"the planned cell {label} has no trial in its place", next_step=f"faultline resume {run}")
