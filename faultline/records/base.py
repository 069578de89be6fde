"""The ground of every record: frozen, strict, canonical bytes, a digest, and errors that name file and place."""

import json
from collections.abc import Mapping
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from faultline.errors import BadInputError, FaultlineError, raise_all
from faultline.kinds import Absence, ShortText, digest_bytes, safe_text

MAX_DIGITS = 400
"""Numbers longer than this are refused: parsing them takes quadratic time."""


class Record(BaseModel):
    """A frozen value with strict types; unknown fields are refused and a new field is a new schema version."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
        populate_by_name=True,
        serialize_by_alias=True,
    )

    def canonical(self) -> bytes:
        """Return the record's only byte form: JSON in ASCII, sorted keys, no spaces, no line feed."""
        return canonical_bytes(self.model_dump(mode="json"))

    def content_digest(self) -> str:
        """Return the digest of the canonical bytes."""
        return digest_bytes(self.canonical())

    @classmethod
    def parse(cls, text: str | bytes, place: str) -> Self:
        """Read strict JSON.

        Raises :class:`BadInputError` (or several as ``Faults``) that names ``place`` and the field.
        """
        return cls.from_plain(strict_json(text, place), place)

    @classmethod
    def from_plain(cls, plain: Any, place: str) -> Self:
        """Build the record from plain JSON values, with the same errors as :meth:`parse`."""
        try:
            return cls.model_validate_json(json.dumps(plain, allow_nan=False))
        except ValidationError as error:
            raise_all(_translate_all(error, plain, place))
            raise
        except (ValueError, RecursionError) as error:
            raise BadInputError(place, "this is not plain data", found=safe_text(str(error), 120)) from error


class Absent(Record):
    """A value that is not there, with the kind of absence and the reason; never zero, never NaN."""

    absence: Absence
    """Why it is missing, as one of four words."""
    reason: ShortText
    """Why it is missing, as a clause for a person."""


def unknown(reason: str) -> Absent:
    """Return an absence: the value exists or existed, and nobody recorded it."""
    return Absent(absence=Absence.UNKNOWN, reason=reason)


def not_applicable(reason: str) -> Absent:
    """Return an absence: the thing cannot have such a value."""
    return Absent(absence=Absence.NOT_APPLICABLE, reason=reason)


def not_run(reason: str) -> Absent:
    """Return an absence: the step that would have produced the value did not take place."""
    return Absent(absence=Absence.NOT_RUN, reason=reason)


T = TypeVar("T")


def present(value: T | Absent) -> T:
    """Return a value that is there by the rules of its record; raises :class:`TypeError` when it is absent."""
    if isinstance(value, Absent):
        raise TypeError(f"a value that must be there is absent: {value.reason}")
    return value


def canonical_bytes(plain: Any) -> bytes:
    """Return plain JSON values as canonical bytes; raises :class:`ValueError` on NaN and infinity."""
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode("ascii")


def digest_of_plain(plain: Any) -> str:
    """Return the digest of plain JSON values."""
    return digest_bytes(canonical_bytes(plain))


def strict_json(text: str | bytes, place: str) -> Any:
    """Parse one JSON value: no NaN, no duplicate key, no deep nesting, no endless number, valid UTF-8.

    Raises :class:`BadInputError` with line and column.
    """

    def refuse_constant(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"the key {twice!r} stands twice")
        return found

    def short_integer(digits: str) -> int:
        if len(digits) > MAX_DIGITS:
            raise ValueError(f"a number of {len(digits)} digits")
        return int(digits)

    try:
        decoded = text.decode("utf-8") if isinstance(text, bytes) else text
        return json.loads(
            decoded, parse_constant=refuse_constant, object_pairs_hook=unique, parse_int=short_integer, parse_float=_finite
        )
    except UnicodeDecodeError as error:
        raise BadInputError(
            place, "this is not UTF-8", found=f"byte {error.object[error.start]:#04x} at {error.start}"
        ) from error
    except json.JSONDecodeError as error:
        where = f"{place}:{error.lineno}:{error.colno}" if error.lineno > 1 else f"{place}, column {error.colno}"
        raise BadInputError(where, "this is not JSON", found=error.msg) from error
    except RecursionError as error:
        raise BadInputError(place, "JSON is nested too deeply") from error
    except ValueError as error:
        raise BadInputError(place, "this is not strict JSON", found=safe_text(str(error), 160)) from error


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"the number {text[:20]} is out of range")
    return value


def _translate_all(error: ValidationError, plain: Any, place: str) -> list[FaultlineError]:
    """Return one line for each field that is wrong; the branches of a union become one line."""
    by_field: dict[str, list[Mapping[str, Any]]] = {}
    for item in error.errors(include_url=False):
        by_field.setdefault(_field(item, plain), []).append(item)
    return [_translate(field, items[0], place, len(items)) for field, items in by_field.items()]


def _field(item: Mapping[str, Any], plain: Any) -> str:
    """Return the path of the field in the data, without pydantic's names for branches of a union."""
    names: list[str] = []
    here = plain
    for index, part in enumerate(item["loc"]):
        last = index == len(item["loc"]) - 1
        if (isinstance(here, dict) and part in here) or (isinstance(here, list) and isinstance(part, int) and part < len(here)):
            here = here[part]
        elif not (last and item["type"] == "missing" and isinstance(here, dict)):
            continue
        names.append(str(part))
    return ".".join(names)


def _translate(name: str, item: Mapping[str, Any], place: str, complaints: int) -> FaultlineError:
    """Turn pydantic's complaints about one field into a line for a person."""
    field = name or "the whole"
    context = item.get("ctx", {})
    found = safe_text(repr(item.get("input")), 80)
    where = f"{place}: {field}"
    if complaints > 1:
        return BadInputError(
            where, "no form allowed here fits", expected=f"{str(item['msg']).lower()}, or an absence", found=found
        )
    match item["type"]:
        case "missing":
            return BadInputError(where, "this field is missing")
        case "extra_forbidden":
            return BadInputError(where, "this field does not exist", next_step="remove it or correct its name")
        case "literal_error" | "enum":
            return BadInputError(where, "not one of the words allowed here", expected=str(context["expected"]), found=found)
        case "string_pattern_mismatch":
            return BadInputError(where, "the text has another form", expected=str(context["pattern"]), found=found)
    return BadInputError(where, safe_text(str(item["msg"]), 200).lower(), found=found)
