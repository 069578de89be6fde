"""Recompute everything about a sealed run from its files, and name what does not match, first things first."""

import base64
import binascii
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from faultline.archive.checks import ARTIFACT_PATH, PlanCheck
from faultline.archive.read import read_lines, read_record
from faultline.archive.values import CONFLICTS, MANIFEST, REVIEWS, SEAL, SETTLEMENTS, TRIALS, Mismatch
from faultline.errors import FaultlineError, MissingInputError
from faultline.kinds import RunKind, digest_bytes
from faultline.records import (
    Absent,
    ArtifactRef,
    Attempt,
    CandidateFile,
    Conflict,
    FrozenCandidate,
    RunManifest,
    Seal,
    Settlement,
    Trial,
    digest_of_plain,
)

_CHUNK = 2**20
_OWN = (MANIFEST, TRIALS, CONFLICTS, SETTLEMENTS)
"""Files that hold records; all others are artifacts, to which a record refers."""


def verify_run(path: Path) -> tuple[Mismatch, ...]:
    """Return what does not match in a sealed run; empty when all of it does.

    Looked at, in this order: the seal; each file against its digest, and files too many or too few; the manifest; each trial
    against the plan, its artifacts, and its candidate against its tree; the refused results; the counts.
    Raises ``MissingInputError`` when there is no such folder. Streams, so that memory does not grow with the trials' content.
    """
    if not path.is_dir():
        raise MissingInputError(path.name, "there is no such run folder")
    return tuple(_verify(path))


def _verify(path: Path) -> Iterator[Mismatch]:
    try:
        seal = read_record(path / SEAL, Seal, SEAL)
    except FaultlineError as error:
        yield _unreadable(SEAL, error)
        return
    present = set(_walk(path))
    sizes: dict[str, int] = {}
    actual: dict[str, str] = {}
    for name in sorted(present | set(seal.files), key=_reading_order):
        if name not in seal.files:
            yield Mismatch(name, "extra-file", "the seal does not know this file")
        elif name not in present:
            yield Mismatch(name, "missing-file", "this file is sealed and not there", seal.files[name])
        elif not _may_be_sealed(name) or (path / name).is_symlink():
            yield Mismatch(name, "path", "a run does not hold such a file")
        else:
            actual[name], sizes[name] = _digest_file(path / name)
            if actual[name] != seal.files[name]:
                yield Mismatch(name, "digest", "the file's digest is not the sealed one", seal.files[name], actual[name])
    for name in (MANIFEST, TRIALS):
        if name not in seal.files:
            yield Mismatch(SEAL, "missing-file", f"the seal does not cover {name}")
    try:
        manifest = read_record(path / MANIFEST, RunManifest, MANIFEST)
    except FaultlineError as error:
        yield _unreadable(MANIFEST, error)
        return
    yield from _Records(path, manifest, actual, sizes).mismatches(seal)


@dataclass(frozen=True)
class CandidateFacts:
    """What a candidate's file says once it was read: the digest of its tree, and of the workspace that it grew from."""

    tree: str
    workspace: str


class _Records:
    """The second half of a verification: what the records say, against the files whose digests are known by now."""

    def __init__(self, path: Path, manifest: RunManifest, actual: dict[str, str], sizes: dict[str, int]) -> None:
        self._path = path
        self._manifest = manifest
        self._actual = actual
        self._sizes = sizes
        self._referred: set[str] = set()
        self._candidates: dict[str, CandidateFacts | None] = {}
        self._rows = 0
        self._refused = 0

    def mismatches(self, seal: Seal) -> Iterator[Mismatch]:
        """Yield what does not match among trials, artifacts, refused results and counts."""
        yield from self._trials()
        yield from self._conflicts()
        yield from self._settlements()
        for name in sorted(self._actual):
            if name not in _OWN and name not in self._referred:
                yield Mismatch(name, "no-row", "no trial refers to this file: an effect without a row")
        counts = (
            ("planned", len(self._manifest.cells), seal.planned),
            ("recorded", self._rows, seal.recorded),
            ("conflicts", self._refused, seal.conflicts),
            ("run", self._manifest.run, seal.run),
        )
        for field, counted, stated in counts:
            if counted != stated:
                yield Mismatch(SEAL, "count", f"the field {field} is not what the files say", str(counted), str(stated))

    def _trials(self) -> Iterator[Mismatch]:
        check = PlanCheck(self._manifest)
        try:
            for trial in read_lines(self._path / TRIALS, Trial, TRIALS):
                self._rows += 1
                yield from check.line(self._rows, trial)
                for attempt in trial.attempts:
                    for artifact in attempt.artifacts:
                        yield from self._artifact(artifact, attempt, trial)
        except FaultlineError as error:
            # What follows a line that cannot be read is not trusted either, and each gap would be reported twice.
            yield _unreadable(f"{TRIALS}:{self._rows + 1}", error)
            return
        yield from check.end()

    def _artifact(self, artifact: ArtifactRef, attempt: Attempt, trial: Trial) -> Iterator[Mismatch]:
        place = f"{TRIALS}:{self._rows}"
        name = artifact.path
        self._referred.add(name)
        if name not in self._actual:
            yield Mismatch(
                place, "missing-file", f"the {artifact.role} {name} is not there: a row without an effect", artifact.sha256
            )
            return
        if self._actual[name] != artifact.sha256:
            yield Mismatch(
                place,
                "artifact",
                f"{name} is not the {artifact.role} that the trial names",
                artifact.sha256,
                self._actual[name],
            )
        if self._sizes[name] != artifact.size:
            yield Mismatch(
                place, "artifact", f"{name} has another size than the trial says", str(artifact.size), str(self._sizes[name])
            )
        if artifact.role == "candidate" and self._manifest.kind is not RunKind.IMPORTED:
            yield from self._candidate(name, attempt, trial)

    def _candidate(self, name: str, attempt: Attempt, trial: Trial) -> Iterator[Mismatch]:
        """Yield what does not match between a trial and its candidate; equal candidates share a file, which is read once."""
        if name not in self._candidates:
            self._candidates[name] = None
            yield from self._candidate_file(name)
        known = self._candidates[name]
        if known is None:
            return
        place = f"{TRIALS}:{self._rows}"
        if not isinstance(attempt.candidate, Absent) and known.tree != attempt.candidate:
            yield Mismatch(place, "candidate", f"{name} is not the candidate of the trial", attempt.candidate, known.tree)
        if not isinstance(trial.workspace_digest, Absent) and known.workspace != trial.workspace_digest:
            problem = f"{name} grew from another workspace"
            yield Mismatch(place, "candidate", problem, trial.workspace_digest, known.workspace)

    def _candidate_file(self, name: str) -> Iterator[Mismatch]:
        try:
            frozen = read_record(self._path / name, FrozenCandidate, name)
        except FaultlineError as error:
            yield _unreadable(name, error)
            return
        self._candidates[name] = CandidateFacts(digest_of_plain(frozen.tree), frozen.workspace_digest)
        yield from candidate_mismatches(frozen, name)

    def _conflicts(self) -> Iterator[Mismatch]:
        if CONFLICTS not in self._actual:
            return
        try:
            for conflict in read_lines(self._path / CONFLICTS, Conflict, CONFLICTS):
                self._refused += 1
                place = f"{CONFLICTS}:{self._refused}"
                for attempt in conflict.trial.attempts:
                    self._referred.update(artifact.path for artifact in attempt.artifacts)
                digest = conflict.trial.content_digest()
                if digest != conflict.refused:
                    yield Mismatch(place, "digest", "the refused result has another digest", conflict.refused, digest)
                if conflict.trial.key != conflict.key or conflict.key.run != self._manifest.run:
                    yield Mismatch(place, "other-run", "the refused result belongs to another cell or run")
        except FaultlineError as error:
            yield _unreadable(f"{CONFLICTS}:{self._refused + 1}", error)

    def _settlements(self) -> Iterator[Mismatch]:
        """Yield settlements that belong to no planned cell of this run."""
        if SETTLEMENTS not in self._actual:
            return
        cells = {cell.key for cell in self._manifest.cells}
        line = 0
        try:
            for settlement in read_lines(self._path / SETTLEMENTS, Settlement, SETTLEMENTS):
                line += 1
                key = settlement.key
                if key.run != self._manifest.run or (key.task, key.variant, key.agent, key.trial) not in cells:
                    yield Mismatch(f"{SETTLEMENTS}:{line}", "other-run", "the settlement belongs to another cell or run")
        except FaultlineError as error:
            yield _unreadable(f"{SETTLEMENTS}:{line + 1}", error)


def candidate_mismatches(frozen: FrozenCandidate, name: str) -> Iterator[Mismatch]:
    """Yield what does not match inside a candidate's file: its digest and its tree, its tree and its contents."""
    tree = digest_of_plain(frozen.tree)
    if tree != frozen.digest:
        yield Mismatch(name, "candidate", "the digest is not that of the listed tree", tree, frozen.digest)
    for path in sorted(frozen.files):
        listed = frozen.tree.get(path)
        content = _content_digest(frozen.files[path])
        if content != listed:
            problem = f"the content of {path} is not the one in the listed tree"
            yield Mismatch(name, "candidate", problem, listed or "no such file", content)


def _reading_order(name: str) -> tuple[int, str]:
    """Manifest and trials first: what they say explains the rest."""
    return (_OWN.index(name) if name in _OWN else len(_OWN), name)


def _may_be_sealed(name: str) -> bool:
    return name in _OWN or ARTIFACT_PATH.match(name) is not None


def _walk(path: Path) -> Iterator[str]:
    """Yield every file of a run folder by its path inside, without the seal and the reviews; links are not followed."""
    for parent, folders, names in os.walk(path):
        inside = Path(parent).relative_to(path)
        if inside == Path():
            if REVIEWS in folders:
                folders.remove(REVIEWS)
            names = [name for name in names if name != SEAL]  # noqa: PLW2901  (the seal is known already)
        yield from ((inside / name).as_posix() for name in names)
        yield from ((inside / name).as_posix() for name in folders if Path(parent, name).is_symlink())


def _digest_file(path: Path) -> tuple[str, int]:
    """Return digest and size of a file, read in pieces."""
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
    return "sha256:" + digest.hexdigest(), size


def _content_digest(file: CandidateFile) -> str:
    if file.text is not None:
        return digest_bytes(file.text.encode("utf-8", "surrogatepass"))
    try:
        return digest_bytes(base64.b64decode(file.base64 or "", validate=True))
    except (binascii.Error, ValueError):
        return "no valid base64"


def _unreadable(place: str, error: FaultlineError) -> Mismatch:
    kind = "missing-file" if isinstance(error, MissingInputError) else "unreadable"
    return Mismatch(place, kind, error.problem, error.expected, error.found)
