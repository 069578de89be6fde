"""Names for plain things: slugs that are unique, text that is harmless, words that carry their meaning."""

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultline import errors, kinds
from faultline.errors import BadInputError, Faults
from faultline.kinds import Word, safe_text, slug


class TestSlug:
    @given(st.text(min_size=1), st.text(min_size=1))
    def test_two_names_never_share_a_slug(self, one, other):
        """Whatever a slug loses of a name stands in its digest."""
        assert (slug(one) == slug(other)) == (one == other)

    @given(st.text(min_size=1, max_size=500))
    def test_a_slug_is_a_portable_file_name(self, name):
        """Lower case, short, and nothing that a file system may refuse."""
        assert len(slug(name)) <= 40
        assert set(slug(name)) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")

    def test_a_simple_name_stays(self):
        """A name that is a slug already is its own slug."""
        assert "no-op-2026" == slug("no-op-2026")


class TestSafeText:
    @given(st.text(alphabet=st.characters(codec=None)))
    def test_no_control_character_or_surrogate_is_left(self, text):
        """Escapes, terminal sequences and text direction marks are shown, not obeyed."""
        shown = safe_text(text)

        assert shown == shown.encode("utf-8").decode("utf-8")
        assert not set(shown) & {chr(code) for code in (*range(9), 0x1B, 0x7F, 0x202E, 0x2066, 0x200F)}

    def test_long_text_is_cut_and_says_so(self):
        """A cut text tells how much is missing, and is no longer than its limit."""
        shown = safe_text("x" * 10_000, 100)

        assert len(shown) <= 100
        assert shown.endswith("more)")


class TestWords:
    @pytest.mark.parametrize(
        "kind",
        [value for _, value in inspect.getmembers(kinds, inspect.isclass) if issubclass(value, Word) and value is not Word],
    )
    def test_every_word_says_what_follows_from_it(self, kind):
        """Each member of each enum has its meaning as a sentence."""
        assert [] == [word for word in kind if not (len(word.meaning) > 15 and word.meaning.endswith("."))]


class TestErrors:
    def test_an_error_is_one_line_with_all_its_parts(self):
        """Place, problem, expected, found, next step and slug stand on one line."""
        error = BadInputError("a.toml:3", "this is wrong", expected="x", found="y\nz", next_step="mend it")

        assert r"a.toml:3: this is wrong; expected x; found y\nz; next: mend it  [bad-input]" == str(error)

    def test_several_faults_are_sorted_lines(self):
        """A collection has one line for each fault, sorted by place."""
        found = Faults([BadInputError("b", "second"), BadInputError("a", "first")])

        assert ("a: first  [bad-input]", "b: second  [bad-input]") == found.diagnostics()
        assert 2 == found.exit_code

    def test_slugs_differ(self):
        """Each error class has a slug of its own, since the site has an entry for each."""
        slugs = [
            value.slug
            for _, value in inspect.getmembers(errors, inspect.isclass)
            if hasattr(value, "slug") and value is not Faults
        ]

        assert len(slugs) == len(set(slugs))
