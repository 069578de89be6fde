"""Pages that define words: complete, and made from the code."""

import hashlib

import faultline.execution
import faultline.exporters
import faultline.ledger  # noqa: F401  (defines errors of its own)
from faultline import errors
from faultline.site.pages_reference import ASSETS, error_cards, vendored


def test_every_error_has_an_entry(small_pages):
    """
    Each slug that a command can print has an anchor on the page of errors, those of the edge rooms included.
    """
    kinds = [errors.FaultlineError]
    for kind in kinds:
        kinds += [found for found in kind.__subclasses__() if found.__module__.startswith("faultline.")]
    slugs = {kind.slug for kind in kinds}

    assert {"lost-claim", "unknown-write", "write-failed"} <= slugs
    assert set() == slugs - set(small_pages["errors.html"].ids)
    assert {kind.slug: kind.exit_code for kind in kinds if kind is not errors.Faults} == {
        card.slug: card.exit_code for card in error_cards()
    }


def test_every_word_is_in_the_glossary(small_pages, small_card):
    """
    Each word of the vocabulary stands in the glossary with its meaning.
    """
    words = small_pages["glossary.html"].words

    assert [] == [term.word for term in small_card.glossary if " ".join(term.meaning.split()) not in words]


class TestVendored:
    def test_files_are_what_they_are_said_to_be(self):
        """
        Every vendored file has the digest that is written beside its licence.
        """
        for item in vendored():
            for path, digest in item.files.items():
                assert digest == "sha256:" + hashlib.sha256((ASSETS / path).read_bytes()).hexdigest(), path

    def test_nothing_is_shipped_without_a_licence(self):
        """
        Each font and each vendored script is listed, and each licence is given in full.
        """
        shipped = {
            path.relative_to(ASSETS).as_posix()
            for folder in ("fonts", "vendor")
            for path in (ASSETS / folder).iterdir()
            if path.suffix != ".txt"
        }

        assert shipped == {path for item in vendored() for path in item.files}
        assert all(len(item.text) > 500 for item in vendored())

    def test_the_page_prints_them(self, small_pages):
        """
        The page of licences names each with its licence.
        """
        words = small_pages["licences.html"].words

        assert all(item.name in words and item.licence in words for item in vendored())
