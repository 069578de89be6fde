"""Facts: what the gates look at, gathered once from a benchmark's folder as it was read (:mod:`faultline.gates.gathering`)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any, Literal

from faultline.archive import ReviewRoom
from faultline.gates.model import Lack, Link
from faultline.kinds import Digest, ReasonCode, RunKind, digest_bytes, safe_text
from faultline.records import (
    AgentIdentity,
    Audit,
    Cell,
    Conflict,
    Correction,
    Review,
    RunManifest,
    Seal,
    Settlement,
    SignatureCheck,
    TaskPin,
    Trial,
    digest_of_plain,
)

Area = Literal["tasks", "audits", "runs", "reviews", "settings"]
"""A part of the evidence; a fault there keeps every gate that reads it from holding."""


@dataclass(frozen=True)
class Control:
    """A repair of a task whose end is known in advance."""

    name: str
    role: Literal["baseline", "reference", "wrong", "valid"]
    code: ReasonCode | None
    """The reason code with which it must fail; ``None`` when it must pass."""


@dataclass(frozen=True)
class TaskFacts:
    """A task as the gates see it."""

    id: str
    family: str
    author: str
    digest: Digest
    checks: tuple[str, ...]
    controls: tuple[Control, ...]
    """Baseline and reference first, then the other repairs by name."""
    audits: tuple[Audit, ...]
    shape: frozenset[str] = field(repr=False)
    """Of the hidden checks, to tell templates apart."""
    canary: Digest | None
    """Digest of the canary; ``None`` when it is not in the hidden checks, or also in something that is given away."""
    given: frozenset[str] = field(repr=False)
    """Shape of the files that the reference repair changes, as they are given."""
    repair: frozenset[str] = field(repr=False)
    """Shape of the same files as the reference repair leaves them."""
    version: int
    """Raised with each correction, and part of the digest."""
    corrections: tuple[Correction, ...]
    """Oldest first."""
    signatures: Mapping[Digest, SignatureCheck] = field(default_factory=dict)
    """What the signatures of the audits show, by the digest of the audit."""
    unfinished: tuple[str, ...] = ()
    """File names of checklists that somebody began and did not finish."""

    @property
    def link(self) -> Link:
        """The task's page."""
        return Link(label=self.id, kind="task", target=self.id)


@dataclass(frozen=True)
class RunFacts:
    """A sealed run as the gates see it."""

    manifest: RunManifest
    trials: tuple[Trial, ...]
    seal: Seal
    seal_digest: Digest
    conflicts: int
    refused: tuple[Conflict, ...] = ()
    """The refused results themselves, for what they cost."""
    settlements: tuple[Settlement, ...] = ()
    """Attempts that were unknown for a time."""
    candidates: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict, repr=False)
    """Files that agents changed, by path, for each candidate's artifact."""
    carriers: tuple[str, ...] = ()
    """Artifacts that hold a canary."""

    @property
    def name(self) -> str:
        """The run's id."""
        return self.manifest.run

    @property
    def results_digest(self) -> Digest:
        """Digest of ``trials.jsonl``, to which reviews are bound."""
        return self.seal.files.get("trials.jsonl", "")

    @property
    def makes_claims(self) -> bool:
        """Whether the run says something about an agent that is not a control."""
        return self.manifest.kind is not RunKind.VALIDITY and not all(agent.kind.is_control for agent in self.manifest.agents)

    @cached_property
    def pins(self) -> dict[str, TaskPin]:
        """The tasks as the run used them, by id."""
        return {pin.id: pin for pin in self.manifest.tasks}

    @cached_property
    def agents(self) -> dict[str, AgentIdentity]:
        """The agents by name."""
        return {agent.name: agent for agent in self.manifest.agents}

    @cached_property
    def cells(self) -> dict[tuple[str, str, str, int], Cell]:
        """The plan by key."""
        return {cell.key: cell for cell in self.manifest.cells}

    @cached_property
    def by_task(self) -> dict[str, tuple[Trial, ...]]:
        """The trials by task."""
        found: dict[str, list[Trial]] = {}
        for trial in self.trials:
            found.setdefault(trial.key.task, []).append(trial)
        return {task: tuple(trials) for task, trials in found.items()}

    @property
    def link(self) -> Link:
        """The run's page."""
        return Link(label=self.name, kind="run", target=self.name)

    def trial_link(self, trial: Trial) -> Link:
        """Return where a trial stands on the run's page."""
        return Link(label=f"{self.name}: {cell_label(trial)}", kind="run", target=self.name, anchor=cell_label(trial))


@dataclass(frozen=True)
class Problem:
    """A piece of evidence that could not be read or does not verify."""

    area: Area
    place: str
    text: str

    @property
    def lack(self) -> Lack:
        """The problem as something that keeps a gate from holding."""
        return Lack(
            what=Link(label=self.place, kind="file", target=self.place), needs=self.text.removeprefix(f"{self.place}: ")
        )


@dataclass(frozen=True)
class Facts:
    """All evidence of a benchmark."""

    tasks: tuple[TaskFacts, ...]
    """By id."""
    runs: tuple[RunFacts, ...]
    """Oldest first, by the moment of sealing."""
    reviews: tuple[Review, ...]
    problems: tuple[Problem, ...]
    valid_until: date | None
    """The last day on which the results may be used, as the settings say."""
    read_on: date
    """The day on which the evidence was read."""
    rooms: Mapping[str, ReviewRoom] = field(default_factory=dict)
    """What lies beside the reviews of each run, by the run's id."""
    memo: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)
    """What was computed from these facts already; they do not change."""

    def is_current(self, run: RunFacts) -> bool:
        """Return whether every task of a run is still the one it used."""
        digests = {task.id: task.digest for task in self.tasks}
        return all(digests.get(pin.id) == pin.digest for pin in run.manifest.tasks)

    @cached_property
    def claims(self) -> tuple[RunFacts, ...]:
        """Runs of agents that are no controls, on the tasks as they are now: what a ranking would be made of."""
        return tuple(run for run in self.runs if run.makes_claims and self.is_current(run))

    @cached_property
    def outdated_claims(self) -> tuple[RunFacts, ...]:
        """Runs of agents on tasks that have changed or gone since; history, and no evidence for a ranking."""
        return tuple(run for run in self.runs if run.makes_claims and not self.is_current(run))

    @cached_property
    def families(self) -> dict[str, tuple[TaskFacts, ...]]:
        """Tasks by family."""
        found: dict[str, list[TaskFacts]] = {}
        for task in self.tasks:
            found.setdefault(task.family, []).append(task)
        return {name: tuple(found[name]) for name in sorted(found)}

    def synthetic(self, area: Area) -> tuple[Link, ...]:
        """Return the records of an area that were made for a test."""
        match area:
            case "audits":
                return tuple(
                    Link(
                        label=f"{task.id}, audit by {safe_text(audit.auditor, 80)}",
                        kind="file",
                        target=f"tasks/{task.id}/audits",
                    )
                    for task in self.tasks
                    for audit in task.audits
                    if audit.synthetic
                )
            case "reviews":
                return tuple(
                    Link(
                        label=f"{review.key.run}, review by {safe_text(review.reviewer, 80)}",
                        kind="file",
                        target=f"runs/{review.key.run}/reviews",
                    )
                    for review in self.reviews
                    if review.synthetic
                ) + tuple(
                    Link(
                        label=f"{name}, adjudication by {safe_text(item.adjudicator, 80)}",
                        kind="file",
                        target=f"runs/{name}/reviews/adjudications",
                    )
                    for name, room in self.rooms.items()
                    for item in room.adjudications
                    if item.synthetic
                )
            case "runs":
                return tuple(
                    Link(label=run.name, kind="file", target=f"runs/{run.name}/manifest.json")
                    for run in self.runs
                    if run.manifest.synthetic
                )
            case _:
                return ()

    @cached_property
    def digest(self) -> Digest:
        """The digest of everything that the gates looked at, so that a pass is bound to it."""
        return digest_of_plain(
            {
                "tasks": {
                    task.id: [
                        task.digest,
                        task.author,
                        sorted(audit.content_digest() for audit in task.audits),
                        [correction.content_digest() for correction in task.corrections],
                        {digest: check.content_digest() for digest, check in task.signatures.items()},
                        list(task.unfinished),
                    ]
                    for task in self.tasks
                },
                "runs": {
                    run.name: [
                        run.seal_digest,
                        run.conflicts,
                        run.manifest.content_digest(),
                        run.seal.content_digest(),
                        # The faster form: this digest compares two readings of the same files within one version.
                        [digest_bytes(trial.model_dump_json().encode()) for trial in run.trials],
                    ]
                    for run in self.runs
                },
                "reviews": sorted(review.content_digest() for review in self.reviews),
                "rooms": {
                    name: [
                        room.sample.content_digest() if room.sample else "",
                        room.material.content_digest() if room.material else "",
                        sorted(item.content_digest() for item in room.adjudications),
                    ]
                    for name, room in self.rooms.items()
                },
                "problems": [[problem.place, problem.text] for problem in self.problems],
                "valid": [str(self.valid_until), str(self.read_on)],
            }
        )


def cell_label(trial: Trial) -> str:
    """Return the label of a trial's cell, which is its anchor on the page of its run."""
    key = trial.key
    return f"{key.task}.{key.variant}.{key.agent}.{key.trial}"
