"""The format pages are true: fields and schemas come from the models, and every example loads."""

import json
import tomllib
from datetime import date

import jsonschema
import pytest
from accept_examples import examples, shown

from faultline.kinds import digest_bytes
from faultline.records import Record, digest_of_plain
from faultline.site.formats import EXAMPLES, FORMATS
from faultline.site.schemas import schema_of, tables_of, words

EVERY = pytest.mark.parametrize("item", FORMATS, ids=lambda item: item.name)


def plain_of(item):
    """Return the example as plain JSON values."""
    if item.is_json:
        return json.loads(item.example_text)

    def iso(value):
        assert isinstance(value, date)
        return value.isoformat()

    return json.loads(json.dumps(tomllib.loads(item.example_text), default=iso))


@EVERY
def test_the_example_loads(item):
    """
    The example of a format is accepted by the model that reads such files.
    """
    plain = plain_of(item)

    assert plain["schema"] == item.model.from_plain(plain, item.example).schema_name == item.schema


@EVERY
def test_the_example_fits_its_schema(item):
    """
    The JSON Schema is one, and accepts the example.
    """
    schema = json.loads(schema_of(item))
    jsonschema.Draft202012Validator.check_schema(schema)

    jsonschema.validate(plain_of(item), schema, cls=jsonschema.Draft202012Validator)


@EVERY
def test_the_schema_refuses_what_the_model_refuses(item):
    """
    A field that does not exist is refused by the schema too.
    """
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(plain_of(item) | {"colour": "red"}, json.loads(schema_of(item)))


@EVERY
def test_every_field_is_on_the_page(item, small_pages):
    """
    Each field of the format's model, and of every model inside it, stands on the page under its name in the file.
    """
    page = small_pages[f"formats/{item.name}.html"]
    words_on_page = {text.strip() for text in page.text}

    for model in models_below(item.model):
        for name, info in model.model_fields.items():
            assert (info.alias or name) in words_on_page, f"{model.__name__}.{name}"


def models_below(model):
    """Return a model and those inside it, by pydantic's own account and not by the one under test."""
    names = {model.__name__, *model.model_json_schema().get("$defs", {})}
    return [found for found in every_record(Record) if found.__name__ in names]


def every_record(of):
    for child in of.__subclasses__():
        yield child
        yield from every_record(child)


@EVERY
def test_the_fields_are_those_of_the_schema(item):
    """
    The tables have exactly the fields of the JSON Schema, and say rightly which may be left out.
    """
    schema = json.loads(schema_of(item))
    for table in tables_of(item.model):
        part = schema["$defs"].get(table.name, schema) if table.name != item.model.__name__ else schema
        assert set(part["properties"]) == {row.name for row in table.fields}
        assert set(part.get("required", ())) == {row.name for row in table.fields if row.required}


@EVERY
def test_the_page_has_every_part(item, small_pages):
    """
    A format's page says purpose, writer, reader, example, fields, rules, digest and changes.
    """
    page = small_pages[f"formats/{item.name}.html"]

    for part in (item.purpose, item.written_by, item.read_by, item.digest, item.schema, *item.rules, "Version 1: the first."):
        assert " ".join(part.split()) in page.words
    assert {"example", "fields", "rules", "digest", "changes"} <= set(page.ids)


def test_every_schema_has_a_version():
    """
    Formats have different names, and each carries the first version.
    """
    names = [item.schema for item in FORMATS]

    assert len(set(names)) == len(names)
    assert [] == [name for name in names if not name.startswith("faultline/") or not name.endswith("/1")]


def test_the_candidate_of_the_example_has_its_digest():
    """
    The example of a frozen candidate is true in itself: its digest is that of its tree, and its file's that of its text.
    """
    plain = plain_of(next(item for item in FORMATS if item.name == "candidate"))

    assert plain["digest"] == digest_of_plain(plain["tree"])
    for path, file in plain["files"].items():
        assert plain["tree"][path] == digest_bytes(file["text"].encode())


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (str, "text"),
        (int | None, "whole number or nothing"),
        (tuple[str, ...], "list of text"),
        (dict[str, int], "map from text to whole number"),
    ],
)
def test_types_are_put_into_words(hint, expected):
    """
    A type is told in words that need no Python.
    """
    assert expected == words(hint)


@pytest.mark.parametrize("name", sorted(examples()))
def test_json_examples_are_what_their_script_makes(name):
    """
    The JSON examples are the records of ``accept_examples.py``, which writes them anew when a record changes.
    """
    assert shown(examples()[name]) == (EXAMPLES / name).read_text(encoding="utf-8")
