"""Large JSON read piece by piece: the text is held, its values are made one at a time and dropped again."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from faultline.errors import BadInputError
from faultline.importers.tree import translated, unique_keys

_SPACE = re.compile(r"[ \t\n\r]*")


@dataclass(frozen=True, slots=True)
class Piece:
    """One value of a document."""

    key: str
    """Under which it stands in the outermost object; for an element of the streamed list, that of the list."""
    value: Any
    start: int
    """Where its text begins and ends, in characters."""
    end: int
    element: bool


class _Scanner:
    def __init__(self, text: str, place: str) -> None:
        self.text, self.place = text, place
        self.decoder = json.JSONDecoder(object_pairs_hook=unique_keys)

    def space(self, at: int) -> int:
        found = _SPACE.match(self.text, at)
        return found.end() if found else at

    def value(self, at: int) -> tuple[Any, int]:
        return self.decoder.raw_decode(self.text, at)

    def expect(self, marks: str, at: int) -> tuple[str, int]:
        at = self.space(at)
        found = self.text[at : at + 1]
        if not found or found not in marks:
            raise json.JSONDecodeError(f"Expecting one of {marks}", self.text, at)
        return found, at + 1

    def elements(self, key: str, at: int) -> Iterator[Piece]:
        """Yield the elements of a list whose bracket was read; the last piece is empty and says where the list ends."""
        at = self.space(at)
        mark = "," if self.text[at : at + 1] != "]" else "]"
        at += mark == "]"
        while mark == ",":
            start = self.space(at)
            value, end = self.value(start)
            yield Piece(key, value, start, end, element=True)
            mark, at = self.expect(",]", end)
        yield Piece(key, None, at, at, element=False)

    def end(self, at: int) -> None:
        if (at := self.space(at)) != len(self.text):
            raise json.JSONDecodeError("Extra data", self.text, at)


def pieces(text: str, place: str, streamed: str) -> Iterator[Piece]:
    """Yield the members of an object; the list under the key ``streamed`` is given element by element.

    Raises ``BadInputError`` as ``foreign_json`` does.
    """
    with translated(place):
        scanner, seen = _Scanner(text, place), set()
        _, at = scanner.expect("{", 0)
        mark = "," if text[scanner.space(at) : scanner.space(at) + 1] != "}" else "}"
        at = scanner.space(at) + (mark == "}")
        while mark == ",":
            at = scanner.space(at)
            key, at = scanner.value(at)
            if not isinstance(key, str) or key in seen:
                raise BadInputError(place, "a key of the log stands twice or is no text", found=str(key)[:80])
            seen.add(key)
            at = scanner.space(scanner.expect(":", at)[1])
            if key == streamed and text[at : at + 1] == "[":
                for piece in scanner.elements(key, at + 1):
                    if piece.element:
                        yield piece
                    at = piece.end
            else:
                start = at
                value, at = scanner.value(at)
                yield Piece(key, value, start, at, element=False)
            mark, at = scanner.expect(",}", at)
        scanner.end(at)


def elements(text: str, place: str) -> Iterator[Any]:
    """Yield the elements of a list, one at a time; raises ``BadInputError`` as ``foreign_json`` does."""
    with translated(place):
        scanner = _Scanner(text, place)
        _, at = scanner.expect("[", 0)
        for piece in scanner.elements("", at):
            if piece.element:
                yield piece.value
            else:
                scanner.end(piece.end)
