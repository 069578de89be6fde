"""A format made for tests: ``*.toy`` files of JSON lines, one trial a line, with exactly the fields that a test needs."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

from faultline.clock import frozen_clock
from faultline.errors import FaultlineError
from faultline.importers import (
    ForeignAgent,
    ForeignAttempt,
    ForeignRun,
    ForeignTask,
    ForeignTrial,
    ImportedRun,
    Importer,
    Place,
    Reading,
    SourceTree,
    foreign_json,
    import_runs,
    rules,
)
from faultline.importers.times import iso_time
from faultline.records import PublishedNumber, canonical_bytes


class Toy(Importer):
    """One run a file; a line holds id, task, and what else it likes, or what is said of the run as a whole (``meta``)."""

    name = "toy"
    summary = "a format made for tests"
    options: ClassVar = {"planned": "trials planned for each task"}

    def recognises(self, tree: SourceTree) -> bool:
        return any(path.endswith(".toy") for path in tree.files)

    def read(self, reading: Reading) -> Iterator[ForeignRun]:
        for path in reading.tree.files:
            if not path.endswith(".toy"):
                continue
            reading.used(path)
            trials: list[ForeignTrial] = []
            meta: dict[str, Any] = {}
            for number, line in reading.tree.lines(path):
                try:
                    row = foreign_json(line, f"{path}:{number}")
                    if "meta" in row:
                        meta = row["meta"]
                    else:
                        trials.append(self._trial(row, Place(path, row=number)))
                except FaultlineError as error:
                    reading.unreadable(error)
            yield self._run(path, trials, meta, reading)

    @staticmethod
    def _trial(row: dict[str, Any], place: Place) -> ForeignTrial:
        trajectory = row.get("trajectory")
        return ForeignTrial(
            native_id=str(row["id"]),
            task=row.get("task", "fix-it"),
            place=place,
            rule=rules()[row.get("rule", "RO-01")],
            verdict=row.get("verdict", "passed"),
            index=row.get("index"),
            message=row.get("message", ""),
            native_status=row.get("status", ""),
            attempts=(ForeignAttempt(started_at=iso_time(row.get("start"))),),
            trajectory=None if trajectory is None else lambda: canonical_bytes(trajectory),
            extra=row.get("extra", {}),
        )

    @staticmethod
    def _run(path: str, trials: list[ForeignTrial], meta: dict[str, Any], reading: Reading) -> ForeignRun:
        counts: dict[str, int] = defaultdict(int)
        for trial in trials:
            counts[trial.task] = int(reading.option("planned", "0"))
        return ForeignRun(
            name=Path(path).stem,
            native_id=Path(path).stem,
            agent=ForeignAgent(
                meta.get("agent", "toy-agent"), model=meta.get("model", "acme/model-a"), control=meta.get("control", "")
            ),
            tasks={
                task: ForeignTask(task, digests=meta.get("digests", {}), category=meta.get("category", "")) for task in counts
            },
            trials=tuple(trials),
            files=(path,),
            protocol=meta.get("protocol", {}),
            headlines=tuple(
                PublishedNumber(name=name, published=there, recomputed=here, note="mean over rows")
                for name, (there, here) in meta.get("published", {}).items()
            ),
            planned={task: number for task, number in counts.items() if number},
        )


def imported(
    source: Path, target: Path, options: dict[str, str] | None = None, *, partial: bool = False
) -> tuple[ImportedRun, ...]:
    """Import a file or folder of the toy format."""
    reading = Reading(SourceTree(source), options or {}, partial)
    return import_runs(Toy(), reading, target, frozen_clock(datetime(2026, 12, 1, tzinfo=UTC)))


def lines(*rows: dict[str, Any]) -> str:
    """Return rows as a file of the toy format."""
    return "".join(canonical_bytes(row).decode() + "\n" for row in rows)
