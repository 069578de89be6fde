"""The page for an address that does not exist: the one page that cannot know how deep it lies."""

from urllib.parse import urlsplit

import pytest
from site_helpers import Html, build_card_site


@pytest.fixture
def site(tmp_path, monkeypatch, small_card):
    monkeypatch.setenv("SITE_URL", "https://example.org/cards/ours/")
    return build_card_site(small_card, tmp_path)


def test_every_way_out_leads_somewhere(site):
    """
    Below a path of its host, each link and asset of the page starts at that path and is there.
    """
    page = Html((site / "404.html").read_text("utf-8"))

    named = [value for element in page.elements for name in ("href", "src") if (value := element.attributes.get(name))]
    paths = {urlsplit(value).path for value in named if not urlsplit(value).fragment}
    inside = {path.removeprefix("/cards/ours/") for path in paths}

    assert [] == [path for path in paths if not path.startswith("/cards/ours/")]
    assert [] == [path for path in inside if not (site / path).exists()]
    assert {"index.html", "tasks/index.html", "runs/index.html", "audit-history.html"} <= inside


def test_it_says_so_in_words(site):
    """
    One heading says that there is no such page, and the status line stands there as everywhere.
    """
    page = Html((site / "404.html").read_text("utf-8"))

    assert 1 == len(page.all("h1"))
    assert "There is no page at this address" in page.words
    assert "gates hold" in page.words
