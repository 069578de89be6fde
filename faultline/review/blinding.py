"""Take names out of what a reader sees, and look whether any is left: agents, models, vendors, people, paths.

Taking out replaces what is found by a word in double brackets; the scan afterwards looks more widely, so that a name in
disguise is found. It does not know letters of other scripts that look alike, nor names drawn with characters.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from faultline.kinds import AgentKind
from faultline.records import RunManifest
from faultline.review.people import names_in

KNOWN_NAMES = (
    "anthropic", "claude", "haiku", "sonnet", "opus", "openai", "chatgpt", "gpt", "codex", "gemini", "deepmind", "google ai",
    "llama", "meta ai", "mistral", "mixtral", "codestral", "devstral", "qwen", "alibaba", "deepseek", "grok", "x.ai",
    "moonshot", "kimi", "zhipu", "minimax", "cohere", "command-r", "bedrock", "vertex ai", "copilot", "cursor agent", "aider",
    "devin", "swe-agent", "openhands", "opendevin", "cline", "windsurf", "terminus", "goose agent",
)  # fmt: skip
"""Vendors, models and scaffolds that readers know; words that ordinary code uses (cursor, glm) are left out."""
_SHORTEST = 3
_STEM = 5
"""Letters of a model's name without its version, from which it is hidden on its own."""
_LONG = 7
"""Letters from which a name is also looked for without regard to what stands between them."""
_VERSION = r"(?:[\W_]?v?\d[\w.]*)?"
_PATH = re.compile(
    r"(?<![\w./])/(?:home|Users|root|tmp|var|private|workspace|mnt|opt|srv|data|etc|usr)(?:/[^\s'\"`()\[\]{}<>,;:|]*|(?![\w-]))"
    r"|(?<!\w)[A-Za-z]:\\[^\s'\"`()\[\]{}<>,;|]+|~/[^\s'\"`()\[\]{}<>,;:|]+"
)
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_SIGNATURE = re.compile(r"(?:co-?authored-by:|signed-off-by:|generated (?:with|by)\b).*", re.IGNORECASE)
_HOME = re.compile(r"(?:/home/|/Users/|[A-Za-z]:\\Users\\)([^\s/\\'\"`()<>,;:|]+)")
_ORDINARY = frozenset({"user", "runner", "root", "ubuntu", "work", "app", "agent", "test", "tests", "builder", "code", "src"})
_SPELLED = re.compile(r"(?<!\w)\w(?:[\W_]\w)+(?!\w)")


def hidden_names(manifest: RunManifest) -> tuple[str, ...]:
    """Return the names that tell which agent of a run it was; a control's name is a plain word and stays, unless it has two."""
    found: set[str] = set()
    for agent in manifest.agents:
        if not agent.kind.is_control:
            found |= {value for value in (agent.name, agent.provider) if isinstance(value, str)}
            found |= set(_spellings(agent.model)) if isinstance(agent.model, str) else set()
        elif agent.kind is AgentKind.CONTROL and agent.name.startswith(("wrong-", "valid-")):
            found.add(agent.name)
    return tuple(sorted(name for name in found if len(_letters(name)) >= _SHORTEST and name.casefold() != "none"))


def _spellings(model: str) -> Iterator[str]:
    """Yield how people write a model's id: whole, without the vendor before a slash, and without its version."""
    for name in {model, *model.split("/")}:
        yield name
        words: list[str] = []
        for word in re.findall(r"[^\W_]+", name):
            if any(sign.isdigit() for sign in word):
                break
            words.append(word)
        if len("".join(words)) >= _STEM:
            yield "-".join(words)


def redact(text: str, names: Iterable[str]) -> str:
    """Return a text without the names, known ones included, and without paths, addresses and lines that sign."""
    plain = _visible(text)
    users = {name for name in _HOME.findall(plain) if len(name) >= _SHORTEST and name.casefold() not in _ORDINARY}
    plain = _SIGNATURE.sub("⟦signature⟧", plain)
    plain = _ADDRESS.sub("⟦address⟧", plain)
    plain = _PATH.sub("⟦path⟧", plain)
    return _pattern(tuple(sorted({*names, *users, *KNOWN_NAMES}))).sub("⟦name⟧", plain)


def leaks(text: str, names: Iterable[str]) -> tuple[int, ...]:
    """Return the lines, counted from 1, that still name somebody, hold a path or an address; never what they hold."""
    wanted = tuple(sorted({*names, *KNOWN_NAMES}))
    return tuple(number for number, line in enumerate(text.split("\n"), start=1) if _leaks(line, wanted))


def _leaks(line: str, names: tuple[str, ...]) -> bool:
    plain = _visible(line)
    if _PATH.search(plain) or _ADDRESS.search(plain) or _SIGNATURE.search(plain):
        return True
    spelled = _SPELLED.sub(lambda match: _letters(match[0]), plain)
    # A word may be glued to a version, or stand in the middle of an identifier.
    parts = re.sub(r"(?<=[a-z])(?=[A-Z0-9])", " ", plain)
    if any(names_in(form, names) for form in (plain, spelled, parts)):
        return True
    letters = _letters(plain).casefold()
    return any(len(bare) >= _LONG and bare in letters for bare in (_letters(name).casefold() for name in names))


def _visible(text: str) -> str:
    """Return a text in its plainest form: wide letters made narrow, signs that nobody sees taken out."""
    plain = unicodedata.normalize("NFKC", text)
    return "".join(sign for sign in plain if unicodedata.category(sign) != "Cf")


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text))


@lru_cache(maxsize=64)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds any of the names, whatever joins their parts, with a version behind it."""
    parts = [r"[\W_]*".join(re.escape(part) for part in re.findall(r"[^\W_]+", name)) for name in names]
    longest_first = sorted((part for part in parts if part), key=len, reverse=True)
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(longest_first)}){_VERSION}(?![^\W_])", re.IGNORECASE)
