"""Text from a benchmark is shown as written and never becomes markup."""

import re
from enum import Enum

import pytest
from pydantic import BaseModel
from site_helpers import built_once, pages_of

PAYLOAD = "</title></script><script>alert(1)</script><img src=x onerror=alert(2)><a href='javascript:alert(3)'>\" onmouseover=\"x {{ 7 * 7 }} [x](javascript:alert(4)) `<b>` <!-- =1+1"
_NAME = re.compile(r"[A-Za-z0-9._:/@+*-]*")


def poisoned(value):
    """Return a value with the payload in place of every text that is not a name, an identifier or a digest."""
    if isinstance(value, BaseModel):
        return value.model_copy(update={name: poisoned(getattr(value, name)) for name in type(value).model_fields})
    if isinstance(value, tuple):
        return tuple(poisoned(item) for item in value)
    if isinstance(value, dict):
        return {poisoned(key): poisoned(item) for key, item in value.items()}
    if isinstance(value, str) and not isinstance(value, Enum) and not _NAME.fullmatch(value):
        return PAYLOAD
    return value


@pytest.fixture(scope="module")
def hostile_pages(small_card, tmp_path_factory):
    card = poisoned(small_card).model_copy(update={"problems": (PAYLOAD,)})
    return pages_of(built_once(tmp_path_factory, "hostile", card, strict=False))


def test_no_element_comes_alive(hostile_pages, small_pages):
    """
    With markup in every text, each page has the scripts and images it has without, and no element handles an event.
    """
    for name, page in hostile_pages.items():
        for tag in ("script", "img", "iframe", "b", "object", "embed"):
            assert len(small_pages[name].all(tag)) == len(page.all(tag)), f"{name}: {tag}"
        for element in page.elements:
            assert not [key for key in element.attributes if key.startswith("on")], f"{name}: {element}"


def test_no_link_runs_anything(hostile_pages):
    """
    No address on any page begins with a scheme that runs.
    """
    for name, page in hostile_pages.items():
        for element in page.elements:
            for key in ("href", "src", "action", "xlink:href"):
                assert not element.attributes.get(key, "").lower().strip().startswith(("javascript:", "data:text")), (
                    f"{name}: {element}"
                )


@pytest.mark.parametrize("name", ["index.html", "tasks/task-00.html", "publication-gate.html", "audit-history.html"])
def test_text_is_shown_as_written(hostile_pages, name):
    """
    The reader sees the text that the record holds, and no template evaluates it.
    """
    words = hostile_pages[name].words

    assert "<script>alert(1)</script>" in words
    assert "{{ 7 * 7 }}" in words


def test_titles_stay_titles(hostile_pages):
    """
    A page's title holds the text of the record and ends where the template ends it.
    """
    page = hostile_pages["tasks/task-00.html"]

    assert 1 == len([element for element in page.all("title") if element.inside[-1:] == ("head",)])
