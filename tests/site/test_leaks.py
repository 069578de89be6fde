"""A key, a token or a personal detail that would be published stops the build, and the error does not repeat it."""

import pytest
from site_helpers import benchmark_folder, build_card_site

from faultline.errors import RefusedError
from faultline.site.build import build_site
from faultline.site.leaks import refuse_leaks

HOME = "/home"
"""Joined to account names here, so that no scanner takes this file for a leak."""

# Put together here, so that no scanner takes this file for a leak.
TOKEN = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"see {TOKEN}", "github token"),
        ("ask jane@corp.io", "e-mail address"),
        (f"in {HOME}/jdoe/x", "home folder"),
    ],
)
def test_a_leak_in_a_record_stops_the_build(small_card, tmp_path, text, kind):
    """
    The error names page or download, line, column and kind; neither the secret nor a page is written.
    """
    run = small_card.runs[0]
    leaky = run.model_copy(update={"trials": (run.trials[0].model_copy(update={"note": text}), *run.trials[1:])})
    card = small_card.model_copy(update={"runs": (leaky, *small_card.runs[1:])})

    with pytest.raises(RefusedError, match=rf"^\S+:\d+:\d+: .*published: {kind}") as caught:
        build_card_site(card, tmp_path, strict=False)

    assert text.split()[-1] not in str(caught.value)
    assert not list((tmp_path / "site").rglob("*.html"))


def test_a_token_in_a_page_that_people_wrote_stops_the_build(small_card, tmp_path, monkeypatch):
    """
    Hand-written pages are looked at too.
    """
    root = benchmark_folder(tmp_path / "benchmark")
    page = root / "site_src" / "index.md"
    page.write_text(page.read_text() + f"\n\n{TOKEN}\n")
    monkeypatch.setattr("faultline.site.plugin.load_card", lambda _: small_card)

    with pytest.raises(RefusedError, match=r"index\.html:\d+"):
        build_site(root, tmp_path / "site")


def test_an_address_in_a_page_that_people_wrote_is_meant_to_stand_there():
    """
    A contact is no leak.
    """
    refuse_leaks("index.html", "write to editors@corp.io", personal=False)


@pytest.mark.parametrize("text", [r'{"note": "broken\n@pytest.fixture\ndef x"}', r'{"note": "a\t@decorator.name"}'])
def test_a_line_break_before_a_decorator_is_no_address(text):
    """
    In a file of JSON the letter of an escape belongs to no word.
    """
    refuse_leaks("data/card.json", text)


@pytest.mark.parametrize("text", [r'{"note": "ask\njane@corp.io"}', r'{"note": "in C:\\Users\\jdoe\\x"}'])
def test_an_escape_hides_nothing(text):
    """
    What stands after a line break or between escaped backslashes is found.
    """
    with pytest.raises(RefusedError):
        refuse_leaks("data/card.json", text)


def test_digests_and_ids_are_no_leaks(small_card, tmp_path):
    """
    A site without leaks is built.
    """
    assert (build_card_site(small_card, tmp_path) / "index.html").is_file()
