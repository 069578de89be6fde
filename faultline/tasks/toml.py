"""TOML files as records: strict, with the file, the line and the field in every error."""

import json
import re
import tomllib
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, TypeVar

from faultline.errors import BadInputError, MissingInputError
from faultline.kinds import safe_text
from faultline.records import Record

R = TypeVar("R", bound=Record)


def read_toml(model: type[R], path: Path) -> R:
    """Read a TOML file as a record; raises :class:`BadInputError` with the line or the field."""
    return model.from_plain(read_plain(path), str(path))


def read_plain(path: Path) -> Any:
    """Read a TOML file as plain JSON values, dates as text; raises :class:`BadInputError` with the line."""
    try:
        plain = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        where = re.search(r"at line (\d+)", str(error))
        place = f"{path}:{where.group(1)}" if where else str(path)
        raise BadInputError(place, "this is not TOML", found=safe_text(str(error), 120)) from error
    return json.loads(json.dumps(plain, default=_iso))


def read_text(path: Path) -> str:
    """Read a file as UTF-8; raises :class:`MissingInputError` or :class:`BadInputError`."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError as error:
        raise MissingInputError(str(path), "this file is missing") from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(str(path), "this file cannot be read as text", found=safe_text(str(error), 120)) from error


def _iso(value: Any) -> str:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    raise TypeError(f"TOML holds a {type(value).__name__}")
