"""What a sealed import says of its source: the manifest, and the report of what was seen, used, left out and changed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from faultline import __version__
from faultline.clock import Clock
from faultline.importers.identity import agent_identity, imported_tasks, task_id
from faultline.importers.interface import ForeignRun, Importer
from faultline.importers.reading import Reading
from faultline.kinds import Estimand, RunKind, safe_text
from faultline.records import (
    NATIVE_VARIANT,
    AgentIdentity,
    Cell,
    Imported,
    ImportedTask,
    ImportReport,
    Provenance,
    Repeated,
    RunManifest,
    unknown,
)

MOST_DUPLICATES = 200
"""Duplicates that are listed one by one."""


@dataclass
class ReadRun:
    """A foreign run, with what was said while it was read."""

    run: ForeignRun
    homeless: Counter[str]
    notes: list[str]


@dataclass(frozen=True)
class Described:
    """What a manifest says of a foreign run, redacted."""

    agent: AgentIdentity
    tasks: tuple[ImportedTask, ...]
    protocol: dict[str, str]
    native_run: str
    source: str


def told_options(reading: Reading) -> dict[str, str]:
    """Return the options as a manifest tells them: a path among them may name a person."""
    return {name: reading.redactor.clean(value, 2_000) for name, value in {**reading.options, **reading.told}.items()}


def described_run(foreign: ForeignRun, planned: Mapping[str, int], reading: Reading) -> Described:
    """Return what a manifest says of a foreign run, redacted."""

    def clean(text: str, limit: int) -> str:
        return reading.redactor.clean(text, limit)

    told = dict(foreign.protocol)
    if foreign.harness_commit:
        told["harness commit"] = foreign.harness_commit
    if foreign.harness_dirty is not None:
        told["harness changed since that commit"] = "yes" if foreign.harness_dirty else "no"
    return Described(
        agent=agent_identity(foreign, reading.redactor),
        tasks=imported_tasks(foreign, planned, reading.redactor),
        protocol={clean(key, 200): clean(value, 500) for key, value in sorted(told.items())},
        native_run=clean(foreign.native_id, 300),
        source=clean(reading.tree.name, 200),
    )


def report_of(
    reading: Reading, read: ReadRun, used: Mapping[str, int], missing: int, duplicates: Sequence[Repeated]
) -> ImportReport:
    """Return the report; made last, so that every redaction is counted."""

    def clean(text: str, limit: int = 500) -> str:
        return reading.redactor.clean(text, limit)

    foreign = read.run
    headlines = tuple(
        item.model_copy(update={"name": clean(item.name, 200), "note": clean(item.note)}) for item in foreign.headlines
    )
    notes = tuple(clean(note) for note in dict.fromkeys((*foreign.notes, *read.notes, *reading.notes)))
    skipped = reading.skipped()
    return ImportReport(
        files_seen=len(reading.tree.files) + len(reading.tree.links),
        files_used=reading.files_used,
        skipped=skipped,
        rows_in=len(foreign.trials) + foreign.earlier_attempts,
        rows_out=len(foreign.trials) - len(duplicates),
        missing=missing,
        earlier_attempts=foreign.earlier_attempts,
        duplicates=tuple(
            Repeated(native_id=clean(item.native_id, 200), kept=clean(item.kept), dropped=clean(item.dropped), same=item.same)
            for item in duplicates[:MOST_DUPLICATES]
        ),
        more_duplicates=max(0, len(duplicates) - MOST_DUPLICATES),
        homeless={clean(name, 200): number for name, number in sorted(read.homeless.items())},
        rules=dict(sorted(used.items())),
        headlines=headlines,
        protocol=tuple(clean(line) for line in foreign.differences),
        unreadable=tuple(clean(line, 600) for line in reading.unreadable_rows),
        notes=notes,
        redactions=dict(sorted(reading.redactor.counts.items())),
    )


def manifest_of(
    importer: Importer,
    reading: Reading,
    run: str,
    foreign: ForeignRun,
    digest: str,
    cells: Sequence[tuple[str, int]],
    described: Described,
    report: ImportReport,
    clock: Clock,
) -> RunManifest:
    """Return the manifest of an import: the plan as far as the log tells it."""
    not_told = unknown("the log does not say")
    version = safe_text(foreign.harness_version, 200)
    return RunManifest(
        schema_name="faultline/manifest/1",
        run=run,
        kind=RunKind.IMPORTED,
        planned_at=clock.now(),
        agents=(described.agent,),
        tasks=(),
        cells=tuple(
            Cell(task=task_id(task), variant=NATIVE_VARIANT, agent=described.agent.name, trial=i, hash_seed=not_told)
            for task, i in cells
        ),
        trials=1 + max(i for _, i in cells),
        retry=not_told,
        estimand=Estimand.PASS_AT_1,
        sandbox=unknown("another harness judged, and its log names none of the levels known here"),
        judge_seed=not_told,
        prices=not_told,
        provenance=Provenance(
            commit=not_told,
            dirty=not_told,
            human=(),
            assistant=(),
            versions={safe_text(foreign.harness, 200): version or "unknown"} if foreign.harness else {},
            environment={},
        ),
        imported=Imported(
            format=importer.name,
            importer=f"{importer.name} {importer.version}, faultline {__version__}",
            native_run=described.native_run,
            source=described.source,
            source_digest=digest,
            options=told_options(reading),
            harness=safe_text(foreign.harness, 200) if foreign.harness else not_told,
            harness_version=version or not_told,
            protocol=described.protocol,
            tasks=described.tasks,
            report=report,
        ),
    )
