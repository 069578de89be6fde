"""Redaction of whole JSON documents, and the words that let slow patterns be skipped."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faultline import redact
from faultline.redact import Redactor

KEY = "sk-" + "ant-" + "a1B2" * 6


class TestDocument:
    @pytest.mark.parametrize("before", ["\n", "\t", "\r\n", '"', "\\", " "])
    def test_a_key_after_an_escape_is_found(self, before):
        """In the text of a document a line feed is a backslash and an n, which would join the key to a word."""
        found = json.loads(Redactor().json_text(json.dumps({"a": [f"x{before}{KEY}\nend"]})))

        assert {"a": [f"x{before}[redacted: model provider key]\nend"]} == found

    def test_what_a_pattern_takes_with_it_leaves_the_document_whole(self):
        """Some patterns hold the space or quotation mark around a key."""
        document = {"a": "AKC" + "a1b2c3" * 4, "b": "//r/:_authToken=npm_" + "a" * 36, "c": 1}

        found = json.loads(Redactor().json_text(json.dumps(document)))

        assert {"a", "b", "c"} == set(found)
        assert all("redacted" in found[name] for name in "ab")

    def test_a_document_with_nothing_to_hide_keeps_its_bytes(self):
        text = '{"b" : 1, "a": "x\\ny"}'

        assert text == Redactor().json_text(text)

    def test_names_are_redacted_in_keys_too(self):
        redactor = Redactor()
        redactor.learn("user name", ["norab"])

        assert '{"[redacted: user name]":1}' == redactor.json_text('{"norab": 1}')
        assert {"user name": 1} == redactor.counts


@pytest.mark.parametrize("kind", sorted({*redact._WORDS, "telegram bot token"}))
def test_whatever_a_pattern_finds_holds_what_is_looked_for_first(kind):
    patterns = [pattern for name, pattern, _ in redact._patterns() if name == kind]
    assert patterns

    @given(st.one_of([st.from_regex(pattern) for pattern in patterns]))
    @settings(max_examples=25, deadline=None)
    def law(text):
        if kind in redact._WORDS:
            # Two letters that no provider uses are an s and a k to a pattern that ignores case, and to nothing else.
            assert any(word in text.lower() or "\u017f" in text or "\u212a" in text for word in redact._WORDS[kind])
        if kind == "telegram bot token":
            assert redact._TELEGRAM.search(text)

    law()
