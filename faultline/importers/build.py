"""Foreign runs into sealed runs: merge copies, number trials, record what is missing, redact, seal. One way for all formats."""

import gc
import hashlib
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Literal

from faultline.archive import read_manifest, seal_run
from faultline.clock import Clock
from faultline.errors import BadInputError, ConflictError
from faultline.importers.describe import ReadRun, described_run, manifest_of, report_of, told_options
from faultline.importers.identity import run_id, task_id
from faultline.importers.interface import ForeignRun, ForeignTrial, Importer, Place
from faultline.importers.reading import Reading
from faultline.importers.rules import rules
from faultline.importers.trials import Origin, missing_trial, redacted, trial_record
from faultline.kinds import digest_bytes, safe_text
from faultline.records import (
    ArtifactRef,
    ImportReport,
    Repeated,
    Trial,
    digest_of_plain,
)

MAX_CELLS = 1_000_000
"""Planned trials of a run: a number in a log must not make the import write without end."""
MAX_TRACE = 32 * 2**20
_LATE = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class ImportedRun:
    """What became of one foreign run."""

    run: str
    state: Literal["imported", "unchanged"]
    """``unchanged``: the same source was imported before."""
    report: ImportReport


def import_runs(importer: Importer, reading: Reading, target: Path, clock: Clock) -> tuple[ImportedRun, ...]:
    """Read a tree and seal what it holds below ``target``; everything is checked before the first run is sealed.

    Raises ``BadInputError`` (or several) when a row cannot be read or nothing of the format is there, ``ConflictError`` when
    a run stands there already and was made from another source, or two different results claim one trial.
    """
    with _without_collection():
        return _import_runs(importer, reading, target, clock)


@contextmanager
def _without_collection() -> Iterator[None]:
    """Keep Python from looking for cycles: rows hold none and stay, so that each look costs more and frees nothing."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _import_runs(importer: Importer, reading: Reading, target: Path, clock: Clock) -> tuple[ImportedRun, ...]:
    found = _merged(importer, reading)
    reading.check()
    if not found:
        raise BadInputError(
            reading.tree.name, f"there is nothing of the format {importer.name} in it", next_step="faultline import auto PATH"
        )
    digests = {run: source_digest(reading, read.run) for run, read in found.items()}
    standing = {run for run in found if (target / run).exists()}
    for run in sorted(standing):
        _same_source(target, run, digests[run], told_options(reading))
    for run in sorted(found.keys() - standing):
        _numbered(found[run].run, _unique(found[run].run)[0])
    done = []
    for run, read in found.items():
        if run in standing:
            manifest = read_manifest(target / run)
            assert manifest.imported is not None
            done.append(ImportedRun(run, "unchanged", manifest.imported.report))
        else:
            done.append(ImportedRun(run, "imported", _seal(importer, reading, run, read, digests[run], target, clock)))
    return tuple(done)


def source_digest(reading: Reading, run: ForeignRun) -> str:
    """Return the digest of all files that a run was read from, wherever they lie: a copy of a file adds nothing."""
    return digest_of_plain(sorted({reading.tree.digest(path) for path in run.files}))


def _merged(importer: Importer, reading: Reading) -> dict[str, ReadRun]:
    """Return the runs by id; folders that hold the same run become one, whose duplicates are found later."""
    found: dict[str, ReadRun] = {}
    for run in importer.read(reading):
        # What was said since the run before belongs to this one.
        homeless, notes = Counter(reading.homeless), list(reading.notes)
        reading.homeless.clear()
        reading.notes.clear()
        name = run_id(importer.name, run)
        if name not in found:
            found[name] = ReadRun(run, homeless, notes)
            continue
        known = found[name].run
        planned = {**known.planned, **run.planned}
        found[name].run = replace(
            known,
            trials=known.trials + run.trials,
            files=known.files + run.files,
            tasks={**run.tasks, **known.tasks},
            planned={task: max(known.planned.get(task, 0), run.planned.get(task, 0)) for task in planned},
            notes=(*known.notes, f"{run.name} holds the same run again"),
        )
        found[name].homeless += homeless
        found[name].notes += notes
    return found


def _same_source(target: Path, run: str, digest: str, options: Mapping[str, str]) -> None:
    """Raise unless the run that stands there was read from the same files in the same way."""
    manifest = read_manifest(target / run)
    known = manifest.imported
    if known is None:
        raise ConflictError(run, "a run of this name stands there and was not imported")
    if known.source_digest != digest:
        raise ConflictError(
            run,
            "this run was imported before from another source",
            expected=known.source_digest,
            found=digest,
            next_step="decide which source is right; to take the new one, remove the run's folder first",
        )
    if known.options != dict(options):
        raise ConflictError(
            run,
            "this run was imported before with other options",
            expected=str(known.options),
            found=str(dict(options)),
            next_step="to read it another way, remove the run's folder first",
        )


def _seal(
    importer: Importer, reading: Reading, run: str, read: ReadRun, digest: str, target: Path, clock: Clock
) -> ImportReport:
    """Build one run and seal it; the report is complete before the first byte of the run is written."""
    foreign = read.run
    reading.redactor.counts.clear()
    kept, duplicates = _unique(foreign)
    planned, numbered = _numbered(foreign, kept)
    described = described_run(foreign, planned, reading)
    native = {(trial.task, trial.index) for trial in kept if trial.index is not None}
    with tempfile.TemporaryDirectory(prefix="faultline-import-") as folder:
        spool = Path(folder)
        present: dict[tuple[str, int], tuple[ForeignTrial, str, tuple[ArtifactRef, ...]]] = {}
        for index, trial in numbered:
            label = f"{task_id(trial.task)}.{described.agent.name}.{index}"
            clean = redacted(trial, index, reading.redactor)
            present[trial.task, index] = clean, trial.place.path, _trace(trial, label, reading, spool)
        cells = [(task, i) for task, number in planned.items() for i in range(number)]
        used = Counter(present[cell][0].rule.id if cell in present else foreign.missing_rule for cell in cells)
        report = report_of(reading, read, used, len(cells) - len(present), duplicates)
        manifest = manifest_of(importer, reading, run, foreign, digest, cells, described, report, clock)
        origin = Origin(run, described.agent.name, importer.name, foreign.order_known)

        def lines() -> Iterator[Trial]:
            for task, i in cells:
                if (task, i) not in present:
                    yield missing_trial(origin, task_id(task), i, rules()[foreign.missing_rule])
                    continue
                trial, path, artifacts = present[task, i]
                yield trial_record(
                    trial,
                    artifacts,
                    origin,
                    task=task_id(task),
                    sha256=reading.tree.digest(path),
                    native_index=(task, i) in native,
                )

        seal_run(target, manifest, lines(), (), spool, clock)
    return report


def _unique(foreign: ForeignRun) -> tuple[list[ForeignTrial], list[Repeated]]:
    """Return each result once, and what stood there again.

    Raises ``ConflictError`` when two different results have one native id.
    """
    kept: dict[str, ForeignTrial] = {}
    repeated = []
    for trial in foreign.trials:
        known = kept.setdefault(trial.native_id, trial)
        if known is trial:
            continue
        if _content(known) != _content(trial):
            raise ConflictError(
                str(trial.place),
                f"two different results have the id {safe_text(trial.native_id, 120)}",
                expected=f"{_content(known)} at {known.place}",
                found=_content(trial),
                next_step="keep the one that is right, and import again",
            )
        repeated.append(
            Repeated(
                native_id=safe_text(trial.native_id, 2_000), kept=_shown(known.place), dropped=_shown(trial.place), same=True
            )
        )
    return list(kept.values()), repeated


def _content(trial: ForeignTrial) -> str:
    """Return a digest of what a trial says, wherever it stands."""
    plain = replace(trial, place=Place(""), trajectory=None, extra={})
    return digest_bytes(repr(plain).encode("utf-8", "backslashreplace"))


def _shown(place: Place) -> str:
    return safe_text(str(place), 1_000)


def _numbered(foreign: ForeignRun, kept: Sequence[ForeignTrial]) -> tuple[dict[str, int], list[tuple[int, ForeignTrial]]]:
    """Return how many trials each task has, and each trial with its number: the log's own, or by start time and id.

    Raises ``ConflictError`` when two results claim one number.
    """
    by_task: dict[str, list[ForeignTrial]] = {task: [] for task in [*foreign.planned, *foreign.tasks]}
    for trial in kept:
        by_task.setdefault(trial.task, []).append(trial)
    planned, numbered = {}, []
    for task in sorted(by_task):
        taken: dict[int, ForeignTrial] = {}
        for trial in by_task[task]:
            if trial.index is None:
                continue
            other = taken.setdefault(trial.index, trial)
            if other is not trial:
                raise ConflictError(
                    str(trial.place),
                    f"two results claim trial {trial.index} of {safe_text(task, 120)}",
                    expected=f"one result; {other.place} has another",
                    next_step="tell apart what are two runs, or keep one of the two",
                )
        free = (i for i in count() if i not in taken)
        rest = [trial for trial in by_task[task] if trial.index is None]
        for trial in sorted(rest, key=lambda item: (item.attempts[-1].started_at or _LATE, item.native_id)):
            taken[next(free)] = trial
        number = max(foreign.planned.get(task, 0), max(taken, default=-1) + 1)
        if number:
            planned[task] = number
            numbered += sorted(taken.items())
    if (trials := sum(planned.values())) > MAX_CELLS:
        raise BadInputError(
            safe_text(foreign.name, 200),
            "more trials are planned than can be",
            expected=f"at most {MAX_CELLS}",
            found=str(trials),
        )
    return planned, numbered


def _trace(trial: ForeignTrial, label: str, reading: Reading, spool: Path) -> tuple[ArtifactRef, ...]:
    """Write a trial's trajectory, redacted, and return where it lies; one that cannot be read or is too long is left out."""
    if trial.trajectory is None:
        return ()
    data = trial.trajectory()
    if data is None:
        return ()
    if len(data) > MAX_TRACE:
        reading.notes.append(f"the trajectory of {safe_text(trial.native_id, 120)} is too long and was left out")
        return ()
    # As text: a secret may stand anywhere in it, in keys too, and what replaces it needs no escaping in JSON.
    data = reading.redactor.json_text(data.decode("utf-8", "backslashreplace")).encode("utf-8", "backslashreplace")
    path = f"traces/{label}.json"
    (spool / "traces").mkdir(exist_ok=True)
    (spool / path).write_bytes(data)
    return (ArtifactRef(role="trace", path=path, sha256="sha256:" + hashlib.sha256(data).hexdigest(), size=len(data)),)
