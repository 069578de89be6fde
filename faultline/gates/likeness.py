"""Are two families really two? Hidden checks of one shape under other names are one template."""

import io
import keyword
import tokenize
from collections.abc import Iterable, Mapping
from functools import lru_cache

SHINGLE = 12
"""Tokens in a row that are compared."""
ALIKE = 0.5
"""Share of common shingles from which two checks count as one template; independent checks lie below 0.05."""
_SPACING = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.ENCODING}
)


@lru_cache(maxsize=4_096)
def shape(source: str) -> frozenset[str]:
    """Return the runs of tokens of some Python source, with every name, number and text made alike."""
    words: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type in _SPACING:
                continue
            if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
                words.append("n")
            elif token.type in (tokenize.STRING, tokenize.NUMBER):
                words.append("v")
            else:
                words.append(token.string)
    except (tokenize.TokenError, SyntaxError):
        return frozenset({source})
    if len(words) < SHINGLE:
        return frozenset({" ".join(words)})
    return frozenset(" ".join(words[start : start + SHINGLE]) for start in range(len(words) - SHINGLE + 1))


def templates(families: Mapping[str, Iterable[frozenset[str]]]) -> tuple[tuple[str, ...], ...]:
    """Return the families grouped by template: two with a pair of tasks of one shape stand in one group."""
    shapes = {name: tuple(found) for name, found in families.items()}
    groups: list[list[str]] = []
    for name in sorted(shapes):
        alike = [group for group in groups if any(_alike(shapes[name], shapes[other]) for other in group)]
        groups = [group for group in groups if group not in alike] + [[*(item for group in alike for item in group), name]]
    return tuple(sorted(tuple(sorted(group)) for group in groups))


def _alike(one: tuple[frozenset[str], ...], other: tuple[frozenset[str], ...]) -> bool:
    return any(len(a & b) >= ALIKE * len(a | b) for a in one for b in other)
