"""The families of pages that make up the site; a new family is a module and a line here."""

from collections.abc import Iterator
from importlib import import_module

from faultline.card.model import EvaluationCard
from faultline.site.page import Page

FAMILIES = (
    "home",
    "gates",
    "leaderboard",
    "audit",
    "reference",
    "tasks",
    "classes",
    "runs",
    "cost",
    "data",
    "formats",
)
"""Each is the module ``faultline.site.pages_<name>`` with a function ``pages(card)`` and, where the family has files beside its
pages (downloads, a feed, a badge), a function ``files(card)`` that gives their bytes by path."""


def all_pages(card: EvaluationCard) -> dict[str, Page]:
    """Return every page of the site by its path; two pages of one path are a mistake in a family."""
    found: dict[str, Page] = {}
    for page in _each(card):
        if page.path in found:
            raise ValueError(f"two pages are called {page.path}")
        found[page.path] = page
    return found


def all_files(card: EvaluationCard) -> dict[str, bytes]:
    """Return every file beside the pages by its path below the site."""
    found: dict[str, bytes] = {}
    for family in FAMILIES:
        module = import_module(f"faultline.site.pages_{family}")
        if hasattr(module, "files"):
            found |= module.files(card)
    return dict(sorted(found.items()))


def _each(card: EvaluationCard) -> Iterator[Page]:
    for family in FAMILIES:
        yield from import_module(f"faultline.site.pages_{family}").pages(card)
