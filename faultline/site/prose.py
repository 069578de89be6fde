"""Text from a task as HTML: a small part of Markdown, escaped first, so that nothing in it can become live markup.

Known are headings, paragraphs, lists, fenced and indented code, code and bold in a line. Links, images and HTML are text.
"""

import re
from collections.abc import Callable, Iterator

from markupsafe import Markup, escape

_HEADING = re.compile(r"(#{1,6}) +(.+?) *#*$")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_ITEM = re.compile(r"(?P<mark>[*+-]|\d{1,9}[.)]) +(?P<text>.*)$")
_CODE = re.compile(r"(?P<ticks>`+)(?P<code>.+?)(?P=ticks)(?!`)")
_BOLD = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")


def prose(text: str) -> Markup:
    """Return Markdown text as HTML; what is not known is shown as written."""
    return Markup("\n").join(_blocks(text.splitlines()))


def _blocks(lines: list[str]) -> Iterator[Markup]:
    place = 0
    while place < len(lines):
        line = lines[place]
        if not line.strip():
            place += 1
        elif fence := _FENCE.match(line):
            body, place = _until(lines, place + 1, fence[1])
            yield _pre(body)
        elif line.startswith("    "):
            body, place = _while(lines, place, lambda item: item.startswith("    ") or not item.strip())
            yield _pre([item[4:] for item in body])
        elif heading := _HEADING.match(line):
            # The page has one heading of the first order already; those of the text are set apart by class, not by rank.
            yield Markup('<p class="fl-issue-h fl-issue-h{}">{}</p>').format(min(len(heading[1]), 3), inline(heading[2]))
            place += 1
        elif _ITEM.match(line):
            body, place = _while(
                lines, place, lambda item: bool(item.strip()) and not (_HEADING.match(item) or _FENCE.match(item))
            )
            yield _list(body)
        else:
            body, place = _while(lines, place, lambda item: bool(item.strip()) and not _starts_block(item))
            yield Markup("<p>{}</p>").format(inline(" ".join(body)))


def inline(text: str) -> Markup:
    """Return one line with code and bold marked up."""
    parts, place = [], 0
    for found in _CODE.finditer(text):
        parts += [_bold(text[place : found.start()]), Markup("<code>{}</code>").format(found["code"].strip() or found["code"])]
        place = found.end()
    return Markup("").join([*parts, _bold(text[place:])])


def _bold(text: str) -> Markup:
    # Escaping leaves asterisks alone, so the mark is found in text that is harmless already.
    return Markup(_BOLD.sub(r"<strong>\1</strong>", str(escape(text))))  # noqa: S704  (escaped on this line)


def _starts_block(line: str) -> bool:
    return bool(_HEADING.match(line) or _FENCE.match(line) or _ITEM.match(line))


def _list(lines: list[str]) -> Markup:
    items: list[list[str]] = []
    for line in lines:
        if found := _ITEM.match(line):
            items.append([found["text"]])
        else:
            items[-1].append(line.strip())
    first = _ITEM.match(lines[0])
    name = "ol" if first and first["mark"][0].isdigit() else "ul"
    body = Markup("").join(Markup("<li>{}</li>").format(inline(" ".join(item))) for item in items)
    return Markup("<{0}>{1}</{0}>").format(Markup(name), body)  # noqa: S704  (one of two words)


def _pre(lines: list[str]) -> Markup:
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return Markup('<pre tabindex="0"><code>{}</code></pre>').format("\n".join(lines))


def _until(lines: list[str], place: int, fence: str) -> tuple[list[str], int]:
    """Return the lines before the closing fence, and the place after it."""
    end = next((at for at in range(place, len(lines)) if lines[at].strip() == fence), len(lines))
    return lines[place:end], end + 1


def _while(lines: list[str], place: int, holds: Callable[[str], bool]) -> tuple[list[str], int]:
    """Return the first line and those after it for which something holds, and the place after them."""
    end = place + 1
    while end < len(lines) and holds(lines[end]):
        end += 1
    return lines[place:end], end
