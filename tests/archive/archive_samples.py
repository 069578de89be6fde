"""A finished run with traces and candidates, and ways to damage its sealed form."""

import gzip
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ledger_samples import T0, attempt, key_of, manifest, trial

from faultline.archive import seal_run
from faultline.clock import frozen_clock
from faultline.kinds import AgentKind, RunKind, digest_bytes
from faultline.records import (
    ArtifactRef,
    CandidateFile,
    FrozenCandidate,
    RunManifest,
    Seal,
    Trial,
    canonical_bytes,
    digest_of_plain,
)
from faultline.records.conflict import Conflict


@dataclass
class FinishedRun:
    """Plan, trials, refused results and artifacts of a made-up run of a made-up command agent."""

    folder: Path
    run: str = "sample-run"
    kind: RunKind = RunKind.EVALUATION
    plan: RunManifest = field(init=False)
    trials: list[Trial] = field(init=False)
    conflicts: list[Conflict] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.plan = manifest(self.run, kind=self.kind, agent_kind=AgentKind.COMMAND)
        self.trials = [self.trial(at) for at in range(len(self.plan.cells))]

    @property
    def artifacts(self) -> Path:
        return self.folder / f"artifacts-{self.run}"

    def write(self, role: str, path: str, data: bytes) -> ArtifactRef:
        (self.artifacts / path).parent.mkdir(parents=True, exist_ok=True)
        (self.artifacts / path).write_bytes(data)
        return ArtifactRef(role=role, path=path, sha256=digest_bytes(data), size=len(data))

    def trial(self, at: int) -> Trial:
        plain = trial(self.plan, at, passed=at % 2 == 0)
        content = f"answer = {at}\n"
        tree = {"model.py": digest_bytes(content.encode()), "README.md": digest_bytes(b"about")}
        candidate = FrozenCandidate(
            schema_name="faultline/candidate/1",
            digest=digest_of_plain(tree),
            workspace_digest=plain.workspace_digest,
            tree=tree,
            files={"model.py": CandidateFile(text=content)},
        )
        artifacts = (
            self.write("trace", f"traces/cell-{at}.1.json.gz", gzip.compress(f"{self.run} {at}".encode(), mtime=0)),
            self.write("candidate", f"candidates/{at}.json", candidate.canonical() + b"\n"),
        )
        return plain.model_copy(update={"attempts": (attempt(candidate=candidate.digest, artifacts=artifacts),)})

    def refuse(self, at: int) -> None:
        """Add a refused second result for a cell."""
        other = trial(self.plan, at, note="second")
        self.conflicts.append(
            Conflict(
                schema_name="faultline/conflict/1",
                key=key_of(self.plan, at),
                why="other-payload",
                recorded=self.trials[at].content_digest(),
                refused=other.content_digest(),
                trial=other,
            )
        )

    def seal(self, parent: Path | None = None, **options: Any) -> Path:
        target = parent or self.folder / "runs"
        return seal_run(target, self.plan, iter(self.trials), iter(self.conflicts), self.artifacts, frozen_clock(T0), **options)


def content(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def lines(folder: Path) -> list[Any]:
    """Return the trials of a sealed run as plain values."""
    return [json.loads(line) for line in (folder / "trials.jsonl").read_bytes().splitlines()]


def rewrite(folder: Path, trials: list[Any]) -> None:
    """Write trials back in canonical form, and seal them again as a forger would."""
    (folder / "trials.jsonl").write_bytes(b"".join(canonical_bytes(line) + b"\n" for line in trials))
    reseal(folder)


def reseal(folder: Path, **changes: Any) -> None:
    """Make the seal's digests fit the files that are there, so that only deeper checks can find the damage."""
    seal = json.loads((folder / "seal.json").read_bytes())
    seal["files"] = {
        name: digest_bytes(data)
        for name, data in content(folder).items()
        if name != "seal.json" and not name.startswith("reviews/")
    }
    seal |= changes
    (folder / "seal.json").write_bytes(Seal.parse(json.dumps(seal), "seal").canonical() + b"\n")
