"""What a generated page is, before MkDocs or any other shell is involved."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from faultline.card.model import EvaluationCard


@dataclass(frozen=True)
class Page:
    """A page of the site as data: a template, what it shows, and what search may know of it."""

    path: str
    """Of the page below the site, without suffix: ``tasks/visit-partition``."""
    title: str
    """In the tab, the heading and search; may hold hostile text, and is escaped where it is used."""
    template: str
    """File below ``templates/`` that gives the body; it holds the one ``<h1>``."""
    context: dict[str, Any] = field(default_factory=dict)
    """What the template sees beside ``card``, ``page`` and ``root`` (the relative way to the site's top, such as ``../``)."""
    summary: str = ""
    """One sentence for search and the description; no data of runs."""
    wide: bool = False
    """Whether the page is mostly tables, so that they get the room of the table of contents."""
    quotes: bool = False
    """Whether the page quotes licences, in which their authors' addresses stay."""


class PageFamily(Protocol):
    """A module with one function that makes the pages of one kind."""

    def pages(self, card: EvaluationCard) -> Iterator[Page]:
        """Yield the pages of this kind."""
