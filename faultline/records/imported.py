"""What a run was read from, when another harness made it: its tasks and protocol there, and the report of the import."""

from typing import Annotated, Literal

from pydantic import Field

from faultline.kinds import Count, Digest, ShortText, TaskId
from faultline.records.base import Absent, Record

NATIVE_VARIANT = "native"
"""The one variant of an imported task: as its own harness gave it."""


class ImportedTask(Record):
    """A task as another harness described it; it has no hidden checks here."""

    id: TaskId
    """Made from the name, unique within the run."""
    name: ShortText
    """As its own harness writes it."""
    suite: ShortText | Absent
    """Dataset or benchmark with its version, where the log names it."""
    family: TaskId
    """Tasks from one template share a family; the task itself when nothing says so."""
    category: ShortText | Absent
    """The kind of task, where the source has categories."""
    digests: dict[ShortText, ShortText]
    """Digests of the task by the name of their algorithm or field; two of different names are never compared."""
    split: Literal["public", "holdout", "unknown"]


class Skipped(Record):
    """Files that were seen and not read, by reason."""

    why: ShortText
    files: Count
    examples: tuple[ShortText, ...]
    """The first few, relative to what was imported."""


class Repeated(Record):
    """A result that stood in the source more than once; one counts."""

    native_id: ShortText
    kept: ShortText
    """File, member and row of the one that counts."""
    dropped: ShortText
    same: bool
    """Whether the two have the same content."""


class PublishedNumber(Record):
    """A number that the source published, beside the same number computed from its rows."""

    name: ShortText
    published: float | Absent
    recomputed: float | Absent
    """Absent with the reason when the rows do not allow it."""
    note: ShortText = ""
    """By which formula, and what that leaves out."""


class ImportReport(Record):
    """What an import saw, used, left out and changed; nothing is lost in silence."""

    files_seen: Count
    files_used: Count
    skipped: tuple[Skipped, ...]
    rows_in: Count
    """Rows that the source holds, duplicates and earlier attempts included."""
    rows_out: Count
    """Trials that were recorded from them; missing planned ones are not among them."""
    missing: Count
    """Planned trials of which the source holds no record; recorded without a verdict."""
    earlier_attempts: Count
    """Rows that became earlier attempts of a trial."""
    duplicates: tuple[Repeated, ...]
    more_duplicates: Count
    """Duplicates beyond those listed."""
    homeless: dict[ShortText, Count]
    """Fields of the source that have no place in a record, with the number of rows that had them."""
    rules: dict[ShortText, Count]
    """How many trials each status rule decided."""
    headlines: tuple[PublishedNumber, ...]
    protocol: tuple[ShortText, ...]
    """Differences of protocol inside what the source presents as one entry."""
    redactions: dict[ShortText, Count]
    """What was taken out of texts, by kind."""
    unreadable: tuple[ShortText, ...]
    """Rows that could not be read and were left out by request; each with file and place."""
    notes: tuple[ShortText, ...]

    @property
    def partial(self) -> bool:
        """Whether something was left out because it could not be read; a gate fails then."""
        return bool(self.unreadable)


class Imported(Record):
    """Everything about a run that only its own harness knows."""

    format: ShortText
    importer: ShortText
    """Importer and Faultline version."""
    native_run: ShortText
    """What the source calls the run."""
    source: ShortText
    """Name of what was imported, without the folder it lay in."""
    source_digest: Digest
    """Of the digests of all files that the run was read from; two imports with the same are one."""
    options: dict[ShortText, ShortText]
    """How the source was read, where that was chosen."""
    harness: ShortText | Absent
    harness_version: ShortText | Absent
    protocol: dict[ShortText, ShortText]
    """Limits, multipliers, retries and versions as the log names them."""
    tasks: Annotated[tuple[ImportedTask, ...], Field(min_length=1)]
    report: ImportReport
