"""Who is who: one person under two spellings is one person, and a text that names an agent is not blind."""

import re
import unicodedata
from collections.abc import Iterable

_ADDRESS = re.compile(r"<[^<>]*>|\([^()]*\)")
_SHORTEST = 3
"""Names shorter than this are found in ordinary words, so they are not searched for."""


def person(name: str) -> str:
    """Return the one spelling under which a person is counted: no case, no address, no extra spaces or dots."""
    text = unicodedata.normalize("NFKC", name).casefold()
    bare = _ADDRESS.sub(" ", text)
    return " ".join((bare if bare.strip() else text).replace(".", " ").split())


def names_in(text: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that a text holds as words of their own, whatever joins their parts."""
    seen = _words(text)
    return tuple(sorted({name for name in names if len(_words(name).strip()) >= _SHORTEST and _words(name) in seen}))


def _words(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " " + re.sub(r"[\W_]+", " ", plain).strip() + " "
