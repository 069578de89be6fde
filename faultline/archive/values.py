"""What the archive hands out: a sealed run, a mismatch, a benchmark."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from faultline.errors import FaultlineError, IntegrityError
from faultline.kinds import Digest
from faultline.records import (
    Adjudication,
    Conflict,
    Review,
    ReviewMaterial,
    ReviewSample,
    RunManifest,
    Seal,
    Settlement,
    SignatureCheck,
    Trial,
)
from faultline.tasks import Task

MANIFEST = "manifest.json"
TRIALS = "trials.jsonl"
CONFLICTS = "conflicts.jsonl"
SETTLEMENTS = "settlements.jsonl"
SEAL = "seal.json"
REVIEWS = "reviews"
"""The folder of reviews; people add to it after the seal, so the seal does not cover it."""


@dataclass(frozen=True)
class SealedRun:
    """A finished run as it was read from its folder."""

    name: str
    """Of the folder; the same as the run's id in a benchmark."""
    manifest: RunManifest
    trials: tuple[Trial, ...]
    """In plan order, one for each planned cell."""
    seal: Seal
    seal_digest: Digest
    """Digest of ``seal.json`` as it lies there: names every byte of the run."""
    conflicts: int
    """Refused second results."""
    path: Path = field(compare=False, repr=False)
    """Where it was read from; never published."""
    refused: tuple[Conflict, ...] = ()
    """The refused results themselves: they never score, and they cost something."""
    settlements: tuple[Settlement, ...] = ()
    """Attempts that were unknown for a time, and how each was settled."""
    candidates: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict, compare=False, repr=False)
    """Files that agents changed, by path, for each candidate's artifact; only of runs of agents in a benchmark."""
    carriers: tuple[str, ...] = ()
    """Artifacts that hold a canary of the benchmark's tasks."""

    @property
    def results_digest(self) -> Digest:
        """Digest of ``trials.jsonl``, to which reviews are bound."""
        return self.seal.files[TRIALS]


@dataclass(frozen=True)
class ReviewRoom:
    """What people wrote of a run's trials after it was sealed."""

    run: str
    sample: ReviewSample | None
    """``None`` when nothing was drawn yet."""
    material: ReviewMaterial | None
    """``None`` when no packet was made yet."""
    reviews: tuple[Review, ...]
    """By file name."""
    adjudications: tuple[Adjudication, ...]
    """By file name."""


@dataclass(frozen=True)
class Mismatch:
    """One thing in a sealed run that is not as its digests and its plan say."""

    place: str
    """File inside the run folder, with the line where there is one."""
    kind: str
    """A word for the sort of mismatch, such as ``digest`` or ``two-rows``."""
    problem: str
    expected: str = ""
    found: str = ""

    def error(self, run: str) -> IntegrityError:
        """Return the mismatch as an error for a reader."""
        return IntegrityError(
            f"{run}/{self.place}",
            self.problem,
            expected=self.expected,
            found=self.found,
            next_step="restore the run from where it was published, or leave it out",
        )


@dataclass(frozen=True)
class Benchmark:
    """Everything that a benchmark's folder holds; what could not be read or does not verify stands under problems."""

    root: Path = field(compare=False, repr=False)
    title: str
    tagline: str
    tasks: tuple[Task, ...]
    """Sorted by id."""
    runs: tuple[SealedRun, ...]
    """Sorted by name; verified, all of them."""
    reviews: tuple[Review, ...]
    """Sorted by run and file name; only of runs that verify."""
    gates: Mapping[str, Any]
    """``[tool.faultline.gates]`` as written; the gates room reads it."""
    gates_origin: str
    """The file that ``gates`` came from; empty when there are no settings."""
    valid_until: date | None
    """The last day on which the results may be used, as the settings say; ``None`` when they do not."""
    read_on: date
    """The day on which the folder was read, in UTC; freshness is told against it."""
    problems: tuple[FaultlineError, ...]
    """What was left out, and why; losing something can only make the answer stricter, so this is shown and counted."""
    signatures: Mapping[Digest, SignatureCheck] = field(default_factory=dict)
    """What the signature of each audit shows, by the digest of the audit; one that is not listed here is unsigned."""
    rooms: tuple[ReviewRoom, ...] = ()
    """What else lies beside the reviews of each run: its sample, its material, its adjudications; in the order of runs."""
