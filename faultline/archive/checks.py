"""What must hold between a plan and the lines of ``trials.jsonl``; one pass, so that any number of trials fits.

Sealing, reading and verifying ask the same questions, so that nothing can be sealed that does not verify. Pure.
"""

import re
from collections.abc import Iterator

from faultline.archive.values import TRIALS, Mismatch
from faultline.kinds import RunKind
from faultline.records import Absent, ArtifactRef, Cell, RunManifest, Trial

ARTIFACT_PATH = re.compile(r"^(traces|candidates|usage)/[A-Za-z0-9][A-Za-z0-9._-]{0,239}$")
"""Where an artifact may lie inside a run folder; nothing else is ever opened, whatever a record says."""
_FOLDER = {"trace": "traces", "candidate": "candidates", "usage": "usage"}


class PlanCheck:
    """Compares trials, as they come, with the plan."""

    def __init__(self, manifest: RunManifest) -> None:
        """Start with nothing seen."""
        self._manifest = manifest
        self._own = manifest.kind is not RunKind.IMPORTED
        self._controls = {agent.name for agent in manifest.agents if agent.kind.is_control}
        self._place_in_plan = {cell.key: position for position, cell in enumerate(manifest.cells)}
        self._tasks = {task.id: task.digest for task in manifest.tasks}
        self._workspaces = {(task.id, pin.id): pin.workspace_digest for task in manifest.tasks for pin in task.variants}
        self._line_of: dict[tuple[str, str, str, int], int] = {}
        self._trace_paths: dict[str, int] = {}
        self._trace_digests: dict[str, int] = {}
        self._last = -1

    @property
    def seen(self) -> int:
        """How many cells have a trial so far."""
        return len(self._line_of)

    def line(self, number: int, trial: Trial) -> Iterator[Mismatch]:
        """Yield what is wrong with the trial on a line, counted from 1."""
        place = f"{TRIALS}:{number}"
        key = trial.key
        cell_key = (key.task, key.variant, key.agent, key.trial)
        label = f"{key.task}.{key.variant}.{key.agent}.{key.trial}"
        if key.run != self._manifest.run:
            yield Mismatch(place, "other-run", "this trial belongs to another run", self._manifest.run, key.run)
            return
        position = self._place_in_plan.get(cell_key)
        if position is None:
            yield Mismatch(place, "not-planned", "this trial is not in the plan", "a planned cell", label)
            return
        if cell_key in self._line_of:
            yield Mismatch(
                place, "two-rows", f"{label} is recorded twice", "one line a cell", f"line {self._line_of[cell_key]} too"
            )
            return
        self._line_of[cell_key] = number
        if position < self._last:
            yield Mismatch(place, "order", f"{label} is out of place", "the order of the plan")
        self._last = max(self._last, position)
        yield from self._pins(place, trial, self._manifest.cells[position])
        yield from self._effects(place, number, trial)

    def end(self) -> Iterator[Mismatch]:
        """Yield the planned cells that have no trial."""
        for cell in self._manifest.cells:
            if cell.key not in self._line_of:
                yield Mismatch(TRIALS, "no-row", f"the planned cell {cell.label} has no trial")

    def _pins(self, place: str, trial: Trial, cell: Cell) -> Iterator[Mismatch]:
        """Yield what differs from what the plan pins; a plan that was read from a foreign log pins nothing."""
        if not self._own:
            return
        pins = (
            ("task-digest", "the task digest", self._tasks[cell.task], trial.task_digest),
            ("workspace-digest", "the workspace digest", self._workspaces[cell.task, cell.variant], trial.workspace_digest),
            ("hash-seed", "the hash seed", cell.hash_seed, trial.hash_seed),
            ("sandbox", "the sandbox", self._manifest.sandbox, trial.sandbox),
        )
        for kind, name, pinned, stated in pins:
            if isinstance(stated, Absent):
                # A record that forgets which task it judged is no evidence.
                if kind == "task-digest":
                    yield Mismatch(place, kind, f"{name} is missing", str(pinned))
            elif stated != pinned:
                yield Mismatch(place, kind, f"{name} is not the one that the manifest pins", str(pinned), str(stated))

    def _effects(self, place: str, number: int, trial: Trial) -> Iterator[Mismatch]:
        """Yield rows that lack an effect, and effects that two rows share."""
        for attempt in trial.attempts:
            roles = [artifact.role for artifact in attempt.artifacts]
            for artifact in attempt.artifacts:
                if not ARTIFACT_PATH.match(artifact.path) or not artifact.path.startswith(_FOLDER[artifact.role] + "/"):
                    yield Mismatch(
                        place, "path", f"a {artifact.role} cannot lie there", f"{_FOLDER[artifact.role]}/…", artifact.path
                    )
                if artifact.role == "trace":
                    yield from self._shared_trace(place, number, artifact)
            if not self._own:
                continue
            what = f"attempt {attempt.number}"
            if roles.count("candidate") > 1:
                yield Mismatch(place, "two-candidates", f"{what} has more than one candidate")
            if not isinstance(attempt.candidate, Absent) and "candidate" not in roles:
                yield Mismatch(place, "no-candidate", f"{what} names a candidate whose file is not there", attempt.candidate)
            if isinstance(attempt.candidate, Absent) and "candidate" in roles:
                yield Mismatch(place, "no-candidate", f"{what} has a candidate's file and does not name its digest")
            if attempt.end == "judged" and "trace" not in roles and trial.key.agent not in self._controls:
                yield Mismatch(place, "no-trace", f"{what} was judged and left no trace")

    def _shared_trace(self, place: str, number: int, artifact: ArtifactRef) -> Iterator[Mismatch]:
        """Yield a trace that another trial has too, by path or by content: one transcript cannot be two trials."""
        for known, value, word in (
            (self._trace_paths, artifact.path, "path"),
            (self._trace_digests, artifact.sha256, "content"),
        ):
            line = known.setdefault(value, number)
            if line != number:
                yield Mismatch(
                    place,
                    "shared-trace",
                    f"one trace stands under two trials, by its {word}",
                    "a trace of its own",
                    f"line {line} has {artifact.path} too" if word == "path" else f"line {line} has {artifact.sha256} too",
                )
                return
