"""Canaries: words that stand in hidden files only, looked for in what an agent left behind.

A canary in a trajectory or a candidate shows that hidden files were within the agent's reach. Its absence shows less: an agent
that hides what it read, by encoding it, is not found this way.
"""

import re
from collections.abc import Iterable, Mapping

from faultline.tasks import Tree

PREFIX = "faultline-canary-"


def carriers(canaries: Iterable[str], trace: bytes | None, tree: Tree | None) -> tuple[str, ...]:
    """Return which of ``trajectory`` and ``candidate`` holds a canary, in any case of letters, with or without its hyphens."""
    wanted = _forms(canaries)
    found = []
    if trace is not None and _holds(trace, wanted):
        found.append("trajectory")
    if tree is not None and any(_holds(data, wanted) or _holds(path.encode(), wanted) for path, data in tree.items()):
        found.append("candidate")
    return tuple(found)


def holders(canaries: Iterable[str], files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return the names of the files that hold a canary."""
    wanted = _forms(canaries)
    return tuple(sorted(name for name, data in files.items() if _holds(data, wanted)))


def _forms(canaries: Iterable[str]) -> tuple[bytes, ...]:
    """Return the part of each canary that no other text has, run together."""
    return tuple(canary.removeprefix(PREFIX).lower().replace("-", "").encode() for canary in canaries)


def _holds(data: bytes, wanted: tuple[bytes, ...]) -> bool:
    """Return whether some bytes hold one of the words, which are hexadecimal, wherever hyphens stand in it."""
    if not wanted:
        return False
    # Long runs of such digits are rare, so that the time does not grow with the number of canaries.
    runs = re.findall(b"[0-9a-f]{%d,}" % min(map(len, wanted)), data.lower().replace(b"-", b""))
    return any(word in run for run in runs for word in wanted)
