"""Strict reading and canonical bytes: what a record is made of, and what is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultline.errors import BadInputError, FaultlineError
from faultline.kinds import Absence
from faultline.records import Absent, Cost, Usage, canonical_bytes, strict_json, unknown

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)

REFUSED = {
    "not a number": ('{"a": NaN}', "NaN is not JSON"),
    "infinity": ('{"a": -Infinity}', "-Infinity is not JSON"),
    "a number out of range": ('{"a": 1e999}', "out of range"),
    "an endless number": ('{"a": ' + "9" * 5_000 + "}", "5000 digits"),
    "a key twice": ('{"a": 1, "a": 2}', "stands twice"),
    "deep nesting": ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
    "bytes that are no text": (b'{"a": "\xff"}', "not UTF-8"),
    "half a document": ('{"a": 1', "not JSON"),
    "two documents": ("{}{}", "not JSON"),
    "nothing": ("", "not JSON"),
}


class TestStrictJson:
    @pytest.mark.parametrize("name", REFUSED)
    def test_what_is_not_strict_json_is_refused_in_one_line(self, name):
        """Anything but one strict JSON value is refused with place and reason, never a traceback of the parser."""
        text, expected = REFUSED[name]

        with pytest.raises(BadInputError) as caught:
            strict_json(text, "file.json:3")

        assert str(caught.value).startswith("file.json:3")
        assert expected in str(caught.value)
        assert 1 == len(str(caught.value).splitlines())

    def test_line_and_column_are_named(self):
        """In a document of several lines the place has line and column."""
        with pytest.raises(BadInputError, match=r"file.json:2:7"):
            strict_json('{\n  "a" 1}', "file.json")

    @given(PLAIN)
    def test_canonical_bytes_load_as_what_was_dumped(self, value):
        """Reading canonical bytes gives the value again, and dumping that gives the same bytes."""
        data = canonical_bytes(value)

        assert data == canonical_bytes(strict_json(data, "x"))

    @given(st.dictionaries(st.text(), st.integers(), min_size=2, max_size=6))
    def test_the_order_of_keys_does_not_matter(self, value):
        """Two mappings with the same items have the same bytes."""
        assert canonical_bytes(value) == canonical_bytes(dict(reversed(value.items())))

    @given(st.text())
    def test_canonical_bytes_are_ascii_on_one_line(self, value):
        """Any text, lone surrogates included, is one line of ASCII."""
        data = canonical_bytes({"a": value + "\ud800"})

        assert data.isascii()
        assert b"\n" not in data


class TestRecord:
    def test_unknown_fields_are_refused_by_name(self):
        """A field that does not exist is named."""
        with pytest.raises(FaultlineError, match="p: colour: this field does not exist"):
            Cost.parse('{"usd": "1", "source": "x", "complete": true, "colour": 1}', "p")

    def test_all_faults_come_at_once(self):
        """Three faults give three lines, sorted."""
        with pytest.raises(FaultlineError) as caught:
            Cost.parse('{"usd": "-1", "complete": "yes"}', "p")

        assert ["p: complete", "p: source", "p: usd"] == [line[: line.index(":", 3)] for line in caught.value.diagnostics()]

    def test_a_text_is_not_a_number(self):
        """Types are strict: "1" is not 1."""
        with pytest.raises(FaultlineError, match="complete"):
            Cost.parse('{"usd": "1", "source": "x", "complete": 1}', "p")

    def test_an_absence_is_a_word_and_a_reason_and_never_a_zero(self):
        """What is unknown says so after a trip through JSON."""
        nothing = unknown("nobody noted it")
        usage = Usage(
            uncached_input=nothing, cache_read=0, cache_write=nothing, output=5, reasoning=0, requests=1, source="native"
        )
        again = Usage.parse(usage.canonical(), "p")

        assert (Absence.UNKNOWN, "nobody noted it") == (again.uncached_input.absence, again.uncached_input.reason)
        assert 0 == again.cache_read

    def test_a_field_with_several_forms_is_one_line(self):
        """When neither a number nor an absence fits, one line says so."""
        plain = dict.fromkeys(("uncached_input", "cache_read", "cache_write", "output", "reasoning"), 1)
        with pytest.raises(FaultlineError) as caught:
            Usage.from_plain(plain | {"requests": -1, "source": "native"}, "p")

        assert 1 == len(caught.value.diagnostics())
        assert "p: requests: no form allowed here fits" in str(caught.value)

    def test_records_do_not_change(self):
        """A record is frozen."""
        with pytest.raises(Exception, match="frozen"):
            unknown("x").reason = "y"

    def test_the_digest_is_that_of_the_canonical_bytes(self):
        """Equal records have equal digests, whatever the spelling of their JSON."""
        first = Absent.parse('{"absence": "unknown", "reason": "x"}', "p")
        second = Absent.parse(json.dumps({"reason": "x", "absence": "unknown"}, indent=3), "p")

        assert first.content_digest() == second.content_digest()
