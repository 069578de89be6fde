"""Tables as files: CSV, JSON lines, a JSON list, a YAML list, Parquet; rows as plain mappings, each with its place."""

import csv
import io
from collections.abc import Iterator
from itertools import chain
from typing import Any

from faultline.errors import BadInputError, UnfitHostError
from faultline.importers.interface import Place
from faultline.importers.reading import Reading
from faultline.importers.tree import decoded, foreign_json, shown
from faultline.kinds import safe_text

KINDS = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".yml", ".yaml", ".parquet")
MAX_YAML = 16 * 2**20
_LONGEST_CELL = 2**20
_LFS = b"version https://git-lfs"


def rows_of(reading: Reading, path: str) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield the rows of a file.

    Raises ``BadInputError`` with the place for a file or row that cannot be read, ``UnfitHostError`` when Parquet needs a
    library that is not installed.
    """
    if reading.tree.head(path, 64).startswith(_LFS):
        raise BadInputError(shown(path), "this is a pointer of Git LFS and not the file", next_step="git lfs pull")
    if path.endswith((".csv", ".tsv")):
        return _csv(reading, path)
    if path.endswith((".jsonl", ".ndjson")):
        return _json_lines(reading, path)
    if path.endswith((".yml", ".yaml")):
        return _list(_yaml(reading, path), path)
    if path.endswith(".parquet"):
        return _parquet(reading, path)
    return _list(reading.tree.json(path), path)


def _json_lines(reading: Reading, path: str) -> Iterator[tuple[Place, dict[str, Any]]]:
    for line, data in reading.tree.lines(path):
        place = Place(path, row=line)
        try:
            yield place, _row(foreign_json(data, str(place)), place)
        except BadInputError as error:
            reading.unreadable(error)


def _list(found: object, path: str) -> Iterator[tuple[Place, dict[str, Any]]]:
    if not isinstance(found, list):
        raise BadInputError(shown(path), "this is no list of rows", found=type(found).__name__)
    for position, item in enumerate(found, start=1):
        place = Place(path, row=position)
        yield place, _row(item, place)


def _row(item: object, place: Place) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise BadInputError(shown(str(place)), "a row is an object", found=safe_text(repr(item), 60))
    return item


def _csv(reading: Reading, path: str) -> Iterator[tuple[Place, dict[str, Any]]]:
    # Decoded line by line, so that a large file is never held; a quoted cell may hold line feeds.
    lines = (decoded(data, f"{path}:{number}") + "\n" for number, data in reading.tree.lines(path))
    first = next(lines, "")
    separator = "\t" if path.endswith(".tsv") else ";" if first.count(";") > first.count(",") else ","
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(chain([first], lines), delimiter=separator, strict=True)
    try:
        names = next(reader, [])
        if len(set(names)) != len(names) or not names:
            raise BadInputError(f"{shown(path)}:1", "columns need names that differ", found=", ".join(names)[:120])
        for cells in reader:
            place = Place(path, row=reader.line_num)
            if len(cells) != len(names):
                problem = "this row has another number of cells than there are columns"
                error = BadInputError(str(place), problem, expected=str(len(names)), found=str(len(cells)))
                reading.unreadable(error)
                continue
            yield place, dict(zip(names, cells, strict=True))
    except csv.Error as error:
        raise BadInputError(f"{shown(path)}:{reader.line_num}", "this is not CSV", found=str(error)) from error


def _yaml(reading: Reading, path: str) -> object:
    import yaml  # noqa: PLC0415  (only this format needs it)

    text = reading.tree.text(path, MAX_YAML)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        # An alias can make a small text grow without end, so there are none.
        for event in yaml.parse(text, Loader=loader):
            if isinstance(event, yaml.AliasEvent):
                line = event.start_mark.line + 1 if event.start_mark else 0
                raise BadInputError(f"{shown(path)}:{line}", "aliases are not read in YAML")
        return yaml.load(text, Loader=loader)  # noqa: S506  (a safe loader in either case)
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as error:
        raise BadInputError(shown(path), "this is not YAML", found=safe_text(str(error), 160)) from error


def _parquet(reading: Reading, path: str) -> Iterator[tuple[Place, dict[str, Any]]]:
    try:
        from pyarrow import ArrowException  # noqa: PLC0415  (an extra)
        from pyarrow.parquet import ParquetFile  # noqa: PLC0415
    except ImportError as error:
        raise UnfitHostError(
            shown(path), "reading Parquet needs pyarrow", next_step="install faultline with its extra parquet"
        ) from error
    position = 0
    try:
        for batch in ParquetFile(io.BytesIO(reading.tree.content(path))).iter_batches():
            for item in batch.to_pylist():
                position += 1
                yield Place(path, row=position), item
    except (ArrowException, OSError, ValueError) as error:
        raise BadInputError(shown(path), "this is not Parquet", found=safe_text(str(error), 160)) from error
