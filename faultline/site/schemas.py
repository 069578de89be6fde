"""Fields and JSON Schemas of the file formats, taken from the models and the docstrings of their fields."""

import json
import types
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import Field, StringConstraints
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from faultline import kinds
from faultline.records import Record
from faultline.site.formats import Format

_NAMED: tuple[tuple[Any, str], ...] = (
    (kinds.Digest, "digest"),
    (kinds.Instant, "instant"),
    (kinds.Count, "count"),
    (kinds.Seconds, "seconds"),
    (kinds.Usd, "dollars"),
    (kinds.ShortText, "text"),
    (kinds.ReasonCode, "reason code"),
    (kinds.CheckId, "name"),
    (kinds.RunId, "run id"),
    (kinds.AgentName, "agent name"),
    (kinds.FailureClass, "failure class"),
    (kinds.TaskId, "slug"),
)
"""Types with a name in the vocabulary; tasks and variants share a form, and so a word."""
_PLAIN: dict[Any, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    date: "date",
    datetime: "instant",
    Decimal: "decimal number",
    type(None): "nothing",
    Any: "anything",
}


@dataclass(frozen=True)
class FieldRow:
    """A field as the format pages list it."""

    name: str
    """As it stands in the file."""
    type: str
    limits: tuple[str, ...]
    """What a value of the type must keep to, as short texts."""
    links: tuple[str, ...]
    """Names of the models that the type is made of."""
    default: str
    """As shown; empty when the field must be there."""
    required: bool
    meaning: str


@dataclass(frozen=True)
class ModelTable:
    """A model and its fields."""

    name: str
    meaning: str
    fields: tuple[FieldRow, ...]


def schema_of(item: Format) -> bytes:
    """Return the JSON Schema of a format."""
    plain = item.model.model_json_schema(by_alias=True, mode="validation")
    plain["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    plain["$id"] = f"urn:{item.schema.replace('/', ':')}"
    plain["title"] = item.schema
    return json.dumps(plain, indent=1, sort_keys=True, ensure_ascii=True).encode("ascii") + b"\n"


def tables_of(model: type[Record]) -> tuple[ModelTable, ...]:
    """Return the fields of a model and of every model inside it, in the order in which they are met."""
    found: dict[str, type[Record]] = {}
    waiting = [model]
    while waiting:
        current = waiting.pop(0)
        if current.__name__ not in found:
            found[current.__name__] = current
            waiting += [inner for hint in get_type_hints(current, include_extras=True).values() for inner in _models(hint)]
    return tuple(_table(item) for item in found.values())


def _table(model: type[Record]) -> ModelTable:
    hints = get_type_hints(model, include_extras=True)
    return ModelTable(
        name=model.__name__,
        meaning=_plain(" ".join((model.__doc__ or "").split())),
        fields=tuple(_row(name, info, hints[name]) for name, info in model.model_fields.items()),
    )


def _row(name: str, info: FieldInfo, hint: Any) -> FieldRow:
    return FieldRow(
        name=info.alias or name,
        type=words(hint),
        limits=tuple(dict.fromkeys(limits_of(hint))),
        links=tuple(dict.fromkeys(inner.__name__ for inner in _models(hint))),
        default="" if info.is_required() else _default(info.default),
        required=info.is_required(),
        meaning=_plain(" ".join((info.description or _meaning_of(hint)).split())),
    )


def _meaning_of(hint: Any) -> str:
    """Return what the type itself says about its meaning, for a field whose name says the rest."""
    parts = [item for item in (hint, *get_args(hint)) if isinstance(item, type)]
    told = [item for item in parts if issubclass(item, kinds.Word) or (issubclass(item, Record) and item.__name__ != "Absent")]
    return (told[0].__doc__ or "") if told else ""


def words(hint: Any) -> str:
    """Return a type in words."""
    for known, name in _NAMED:
        if hint == known:
            return name
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return words(arguments[0])
    if origin is Literal:
        return (
            "the text " + " or ".join(map(str, arguments))
            if len(arguments) == 1
            else "one of " + ", ".join(map(str, arguments))
        )
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(words(item) for item in arguments))
    if origin is tuple:
        return f"list of {words(arguments[0])}"
    if origin is dict:
        return f"map from {words(arguments[0])} to {words(arguments[1])}"
    if isinstance(hint, type) and issubclass(hint, Enum):
        return "one of " + ", ".join(str(item.value) for item in hint)
    if isinstance(hint, type) and issubclass(hint, Record):
        return "absence" if hint.__name__ == "Absent" else hint.__name__
    return _PLAIN.get(hint, "value")


def limits_of(hint: Any) -> Iterator[str]:
    """Yield what the parts of a type demand beyond their kind; types with a name in the vocabulary are explained there."""
    if any(hint == known for known, _ in _NAMED) or get_origin(hint) is Literal:
        return
    arguments = get_args(hint)
    if get_origin(hint) is Annotated:
        found = [text for item in arguments[1:] for text in _limits(item)]
        yield from (text for text in found if not (text == "at least 0" and "more than 0" in found))
        arguments = arguments[:1]
    for argument in arguments:
        yield from limits_of(argument)


def _limits(item: Any) -> Iterator[str]:
    """Yield what an annotation demands, in words."""
    if isinstance(item, StringConstraints):
        if item.pattern:
            yield str(item.pattern)
        if item.max_length:
            yield f"at most {item.max_length} characters"
    elif isinstance(item, FieldInfo):
        for constraint in item.metadata:
            yield from _limits(constraint)
    else:
        if (pattern := getattr(item, "pattern", None)) is not None:
            yield str(pattern)
        for name, word in (("ge", "at least"), ("gt", "more than"), ("le", "at most"), ("lt", "less than")):
            if (value := getattr(item, name, None)) is not None:
                yield f"{word} {value}"
        if (least := getattr(item, "min_length", None)) is not None:
            yield f"{least} or more"
        if (most := getattr(item, "max_length", None)) is not None:
            yield f"at most {most} long"


def _models(hint: Any) -> Iterator[type[Record]]:
    """Yield the models that a type is made of."""
    if isinstance(hint, type) and issubclass(hint, Record):
        yield hint
    for argument in get_args(hint):
        if not isinstance(argument, str | int | StringConstraints) and not isinstance(argument, type(Field())):
            yield from _models(argument)


def _default(value: Any) -> str:
    if value is PydanticUndefined or value is None:
        return "left out"
    if isinstance(value, bool):
        return "true" if value else "false"
    if value in ((), {}, ""):
        return "empty"
    return str(value)


def _plain(text: str) -> str:
    """Return a docstring's sentence without the marks of its markup."""
    return text.replace("``", "").replace(":class:`", "").replace(":func:`", "").replace("`", "")
