"""Writing an export: the files beside, then one rename; every export tells what it was made from and under which gates."""

import json
import shutil
from pathlib import Path, PurePosixPath

from faultline import __version__
from faultline.clock import Clock
from faultline.errors import BadInputError, RefusedError
from faultline.exporters.interface import Export, Exporter, Subject
from faultline.files import sync_file, sync_folder, write_failed
from faultline.kinds import digest_bytes, safe_text

RECEIPT = "export.json"
"""Stands in every export; also what tells ``--replace`` that a folder may be replaced."""


def export(exporter: Exporter, subject: Subject, clock: Clock) -> Export:
    """Return the files of an export and its receipt."""
    exporter.check(subject)
    made = exporter.export(subject, clock)
    for path in made.files:
        parts = PurePosixPath(path).parts
        if not parts or path.startswith("/") or ".." in parts or path != "/".join(parts) or path == RECEIPT:
            raise BadInputError(f"format {exporter.name}", "this is no path below the target", found=safe_text(path, 120))
    # What could not be read is in no file, so the reader is told: nothing is lost in silence.
    unread = tuple(f"could not be read, and so is in no file: {problem}" for problem in subject.card.problems)
    told = Export(made.files, (*made.notes, *unread))
    return Export({**told.files, RECEIPT: receipt(exporter, subject, told)}, told.notes)


def receipt(exporter: Exporter, subject: Subject, made: Export) -> bytes:
    """Return what an export was made from: runs with their seals, the state of the gates, files with their digests."""
    plain = {
        "schema": "faultline/export/1",
        "format": exporter.name,
        "faultline_version": __version__,
        "benchmark": subject.card.title,
        "gates": {
            "holding": subject.evaluation.report.holding,
            "total": subject.evaluation.report.total,
            "withheld": subject.withheld,
            "status": subject.gate_status,
        },
        "evidence": subject.evaluation.evidence,
        "runs": {run.name: run.seal_digest for run in subject.runs},
        "options": dict(sorted(subject.options.items())),
        "loses": exporter.loses,
        "notes": list(made.notes),
        "files": {path: digest_bytes(made.files[path]) for path in sorted(made.files)},
    }
    return json.dumps(plain, indent=2, sort_keys=True).encode("ascii") + b"\n"


def write_export(made: Export, target: Path, clock: Clock, *, replace: bool = False) -> None:
    """Write the files of an export as a folder, in one step.

    Raises :class:`RefusedError` when something is there already: without ``replace`` anything, with it whatever is not an
    earlier export; ``WriteError`` when the system refuses, and then what was there stays.
    """
    target = target.absolute()
    name = safe_text(target.name, 80)
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise RefusedError(name, "this is there and is no folder", next_step="choose another target")
    full = target.is_dir() and any(target.iterdir())
    if full and not replace:
        raise RefusedError(name, "this folder is there and not empty", next_step="choose another target, or use --replace")
    if full and not (target / RECEIPT).is_file():
        raise RefusedError(
            name, "this folder is not an earlier export, so --replace does not replace it", expected=f"{RECEIPT} inside it"
        )
    token = clock.token()[-16:]
    beside, old = (target.parent / f".{target.name}.{token}.{end}" for end in ("new", "old"))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            _write(made, beside)
            if target.is_dir():
                target.rename(old)
            try:
                beside.rename(target)
            except OSError:
                if old.is_dir():
                    old.rename(target)
                raise
        finally:
            shutil.rmtree(beside, ignore_errors=True)
        sync_folder(target.parent)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise write_failed(name, error) from error


def _write(made: Export, folder: Path) -> None:
    folder.mkdir()
    for path in sorted(made.files):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(made.files[path])
        if path.endswith(".sh"):
            file.chmod(0o755)
        sync_file(file)
