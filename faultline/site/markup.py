"""Work on finished HTML: placeholders are filled, headings found, the theme's known gaps mended."""

import html
import re
from dataclasses import dataclass

PLACEHOLDER = re.compile(r'<div data-faultline="body">.*?</div>', re.DOTALL)
"""Where a template's output goes; what stands in it is for search alone."""
_HEADING = re.compile(
    r'<h(?P<level>[23])(?P<attributes>[^>]*)\bid="(?P<id>[^"]+)"[^>]*>(?P<inner>.*?)</h(?P=level)>', re.DOTALL
)
_SHORT = re.compile(r'data-short="(?P<title>[^"]*)"')
_TAG = re.compile(r"<[^>]*>")
_GENERATOR = re.compile(r'\s*<meta name="generator"[^>]*>')


@dataclass(frozen=True)
class Heading:
    """A heading that the table of contents shows."""

    level: int
    id: str
    title: str
    """Escaped text without elements, fit to be printed as it is."""


def source_of(summary: str) -> str:
    """Return the Markdown source of a generated page: a placeholder that holds what search may know."""
    words = html.escape(" ".join(summary.split()))
    return f'<div data-faultline="body">{words}</div>\n'


def fill(content: str, body: str) -> str:
    """Return the page's content with the placeholder filled; a page without one gets the body at its end."""
    # A function as replacement: the body may hold backslashes, which would be read as references to groups.
    filled, count = PLACEHOLDER.subn(lambda _: body, content, count=1)
    return filled if count else f"{content}\n{body}"


def headings(content: str) -> list[Heading]:
    """Return the headings of second and third level that have an id, in order."""
    return [
        Heading(
            int(match["level"]),
            match["id"],
            _short_title(match["attributes"]) or " ".join(_TAG.sub("", match["inner"]).split()),
        )
        for match in _HEADING.finditer(content)
    ]


def _short_title(attributes: str) -> str:
    """Return what a heading asks to be called in the table of contents, escaped as the template left it."""
    found = _SHORT.search(attributes)
    return found["title"] if found else ""


def mend(page: str) -> str:
    """Return a rendered page without the theme's gaps: no generator, and a search dialogue with a name."""
    page = _GENERATOR.sub("", page, count=1)
    page = page.replace(
        'data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"'
    )
    # The theme leaves blanks where a part of it is switched off.
    return "\n".join(line.rstrip() for line in page.splitlines()) + "\n"
