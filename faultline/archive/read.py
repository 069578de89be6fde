"""Read a sealed run strictly: every error names file and line, and nothing is skipped."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from faultline.archive.checks import PlanCheck
from faultline.archive.values import CONFLICTS, MANIFEST, SEAL, SETTLEMENTS, TRIALS, SealedRun
from faultline.errors import BadInputError, IntegrityError, MissingInputError
from faultline.kinds import digest_bytes
from faultline.records import Conflict, Record, RunManifest, Seal, Settlement, Trial

MAX_LINE = 16 * 2**20
"""Bytes of one line; a longer one is refused before it is held."""
MAX_FILE = 512 * 2**20
"""Bytes of a file that is read as a whole."""

R = TypeVar("R", bound=Record)


def read_run(path: Path) -> SealedRun:
    """Read a sealed run whole.

    Raises ``MissingInputError`` for a file that is not there, ``BadInputError`` for one that is malformed, and
    ``IntegrityError`` where lines and plan disagree. Digests are :func:`verify_run`'s business.
    """
    name = path.name
    raw_seal = read_bytes(path / SEAL, f"{name}/{SEAL}")
    seal = Seal.parse(_one_line(raw_seal, f"{name}/{SEAL}"), f"{name}/{SEAL}")
    manifest = read_record(path / MANIFEST, RunManifest, f"{name}/{MANIFEST}")
    check = PlanCheck(manifest)
    trials = []
    for number, trial in enumerate(read_lines(path / TRIALS, Trial, f"{name}/{TRIALS}"), start=1):
        for mismatch in check.line(number, trial):
            raise mismatch.error(name)
        trials.append(trial)
    for mismatch in check.end():
        raise mismatch.error(name)
    refused = _optional(path / CONFLICTS, Conflict, f"{name}/{CONFLICTS}")
    settlements = _optional(path / SETTLEMENTS, Settlement, f"{name}/{SETTLEMENTS}")
    if TRIALS not in seal.files or (seal.run, seal.recorded, seal.conflicts) != (manifest.run, len(trials), len(refused)):
        raise IntegrityError(f"{name}/{SEAL}", "the seal does not belong to these files", next_step=f"faultline verify {name}")
    return SealedRun(
        name,
        manifest,
        tuple(trials),
        seal,
        digest_bytes(raw_seal),
        len(refused),
        path,
        refused=refused,
        settlements=settlements,
    )


def read_manifest(path: Path) -> RunManifest:
    """Read the manifest of a sealed run alone; digests are :func:`verify_run`'s business."""
    return read_record(path / MANIFEST, RunManifest, f"{path.name}/{MANIFEST}")


def _optional(path: Path, model: type[R], place: str) -> tuple[R, ...]:
    """Read a file of lines that a run has only when there is something to say."""
    return tuple(read_lines(path, model, place)) if path.exists() else ()


def read_record(path: Path, model: type[R], place: str) -> R:
    """Read a file that holds one record on one line."""
    return model.parse(_one_line(read_bytes(path, place), place), place)


def read_lines(path: Path, model: type[R], place: str) -> Iterator[R]:
    """Yield the records of a file of lines; a line that is torn, empty or not canonical is an error with its number."""
    number = 0
    try:
        with path.open("rb") as stream:
            while line := stream.readline(MAX_LINE + 1):
                number += 1
                here = f"{place}:{number}"
                if len(line) > MAX_LINE:
                    raise BadInputError(here, "this line is too long", expected=f"at most {MAX_LINE} bytes")
                if not line.endswith(b"\n"):
                    raise BadInputError(
                        here, "the last line is torn", expected="a line feed at its end", found=f"{len(line)} bytes"
                    )
                record = model.parse(line[:-1], here)
                if record.canonical() != line[:-1]:
                    raise BadInputError(here, "this line is not in canonical form", expected="sorted keys, no spaces, ASCII")
                yield record
    except FileNotFoundError as error:
        raise MissingInputError(place, "this file is missing") from error
    except OSError as error:
        raise _unreadable(place, error) from error


def read_bytes(path: Path, place: str) -> bytes:
    """Read a whole file of bounded size."""
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_FILE + 1)
    except FileNotFoundError as error:
        raise MissingInputError(place, "this file is missing") from error
    except OSError as error:
        raise _unreadable(place, error) from error
    if len(data) > MAX_FILE:
        raise BadInputError(place, "this file is too large", expected=f"at most {MAX_FILE} bytes")
    return data


def _one_line(data: bytes, place: str) -> bytes:
    """Return the text of a file that is one line; one without its line feed was cut."""
    if not data.endswith(b"\n"):
        raise BadInputError(place, "this file is torn", expected="a line feed at its end", found=f"{len(data)} bytes")
    return data[:-1]


def _unreadable(place: str, error: OSError) -> BadInputError:
    return BadInputError(place, "this file cannot be read", found=error.strerror or type(error).__name__)
