"""Skins: the one function that puts a text into other words."""

import re
from collections.abc import Callable

from faultline.records import Skin


def renamer(skin: Skin) -> Callable[[str], str]:
    """Return the function that puts a text into the words of a skin.

    A lower-case key is matched as a whole sub-word in the forms ``word``, ``Word`` and ``WORD``; other keys exactly. Letters
    beside it end the match, so ``patient_id`` is renamed and ``outpatient`` is not. One pass, longest word first.
    """
    forms: dict[str, str] = {}
    for word, target in skin.rename.items():
        forms[word] = target
        if word.islower():
            forms.setdefault(word.capitalize(), target.capitalize())
            forms.setdefault(word.upper(), target.upper())
    if not forms:
        return lambda text: text
    alternatives = "|".join(sorted(map(re.escape, forms), key=len, reverse=True))
    pattern = re.compile(rf"(?<![A-Za-z])({alternatives})(?![A-Za-z])")
    return lambda text: pattern.sub(lambda match: forms[match.group(1)], text)
