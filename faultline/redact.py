"""Secrets and personal details: taken out of every text on import, and looked for again when the site is built.

Keys and tokens by the patterns of detect-secrets (Apache-2.0), applied to whole texts rather than line by line; providers of
models that it lacks, addresses, home folders and the names that a format's own fields give are added here.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

KEEP = {"root", "user", "username", "runner", "ubuntu", "app", "nobody", "node", "vscode", "agent", "code", "shared", "public"}
"""Account names of machines, which are nobody's."""
_LOCAL = {"localhost", "localhost.localdomain", "unknown", "none", ""}
_PROVIDERS = re.compile(
    r"\b(?:sk-(?:ant|proj|or|svcacct|admin)-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9]{32,}|hf_[A-Za-z0-9]{30,}|AIza[0-9A-Za-z_-]{35}"
    r"|gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{40,}|github_pat_[A-Za-z0-9_]{40,}|glpat-[A-Za-z0-9_-]{20})"
)
_BEARER = re.compile(r"\b[Bb]earer\s+([A-Za-z0-9._~+/-]{24,}=*)")
_EMAIL = re.compile(r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,18}\b")
_HOME = re.compile(r"(?<![A-Za-z0-9_.-])(/home/|/Users/|[A-Za-z]:\\{1,2}Users\\{1,2})([A-Za-z0-9_][A-Za-z0-9_.-]{0,63})")
_JWT = re.compile(
    r"(?<![A-Za-z0-9_=-])eyJ[A-Za-z0-9_=-]{8,4096}\.[A-Za-z0-9_=-]{8,8192}(?:\.[A-Za-z0-9_.+/=-]{0,4096})?(?<![.])"
)
_NPM = re.compile(r"//[^\s]{1,300}?/:_authToken=\s{0,8}[^\s\"']{8,200}")
_SKIPPED = {
    # These name no format: an address or a long word is no secret, and digests are everywhere in a log.
    "Public IP (ipv4)",
    "Secret Keyword",
    "Base64 High Entropy String",
    "Hex High Entropy String",
    # On a text made for it their patterns take quadratic time; ours above find the same in linear time.
    "JSON Web Token",
    "NPM tokens",
    "OpenAI Token",
}
_RESERVED_MAIL = re.compile(
    r"@(?:[a-z0-9-]+\.)*(?:example\.(?:com|org|net)|[a-z0-9-]+\.(?:example|invalid|test))$", re.IGNORECASE
)
_ASSIGNED = re.compile(r"(?:key|pwd|pass|password|token)[\"'\]]{0,3} *(?::=|=>|=|::|:| ) *[\"']?[a-z0-9_-]{24}")
"""For texts in lower case: a pattern that ignores case looks at every character."""
_WORDS: dict[str, tuple[str, ...]] = {
    "model provider key": ("sk-", "hf_", "aiza", "gsk_", "xai-", "github_pat_", "glpat-"),
    "bearer token": ("bearer",),
    "artifactory credentials": ("akc", "ap"),
    "aws access key": ("a3t", "abia", "acca", "akia", "asia", "aws"),
    "cloudant credentials": ("cl",),
    "gitlab token": ("gl", "gr1348941"),
    "json web token": ("eyj",),
    "mailchimp access key": ("-us",),
    "private key": ("private", "putty"),
    "pypi token": ("pypi-",),
    "slack token": ("xox", "hooks.slack"),
    "softlayer credentials": ("sl", "softlayer"),
    "stripe access key": ("k_live_",),
}
"""For kinds whose patterns are many or slow: words in lower case, one of which stands in whatever they find."""
_TELEGRAM = re.compile(r":[0-9A-Za-z_-]{35}")
"""The end of such a token: it begins with a fixed character, which is quicker to look for than a digit."""
_REMEMBERED, _REMEMBERED_LENGTH = 20_000, 300
"""Clean texts that are remembered, and how long they may be."""
SHORTEST, SHORT_SIGNS = 11, ("@", "xox")
"""Nothing shorter is a key or token, unless it holds one of these signs; most texts of a record are short words."""
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""Holds no key or token: all of them have other letters or more of them."""
_ESCAPE = re.compile(r'\\(["\\/bfnrt])')
_BEFORE, _AFTER = 80, 200
"""Characters around an assignment that a detector may need to see."""


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str], bool], ...]:
    """Return kind, pattern, and whether it looks for a long value that is assigned to a word like *key*."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class  # noqa: PLC0415  (slow to load)

    plugins: dict[str, Any] = get_mapping_from_secret_type_to_class()
    return (
        ("model provider key", _PROVIDERS, False),
        ("bearer token", _BEARER, False),
        ("json web token", _JWT, False),
        ("npm token", _NPM, False),
        *(
            # These may begin with anything, and cost a slow scan each; they are tried where something is assigned.
            (kind.lower(), pattern, pattern.pattern.startswith("(?:(?<="))
            for kind, plugin in sorted(plugins.items())
            if kind not in _SKIPPED
            for pattern in getattr(plugin, "denylist", ())
        ),
    )


def find_secrets(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield kind, start and end of each key or token in a text."""
    if (len(text) < SHORTEST and not any(sign in text for sign in SHORT_SIGNS)) or _UUID.fullmatch(text):
        return
    low = text.lower()
    # Letters that become two in lower case move the places: then all of the text is one.
    windows = [(max(0, found.start() - _BEFORE), found.end() + _AFTER) for found in _ASSIGNED.finditer(low)]
    if windows and len(low) != len(text):
        windows = [(0, len(text))]
    absent = {kind for kind, words in _WORDS.items() if not any(word in low for word in words)}
    if _TELEGRAM.search(text) is None:
        absent.add("telegram bot token")
    for kind, pattern, assigned in _patterns():
        if kind in absent:
            continue
        places = windows if assigned else [(0, len(text))]
        for match in (match for start, stop in places for match in pattern.finditer(text, start, stop)):
            # The detectors' own groups hold the secret; what surrounds it stays readable.
            group = max((i for i in range(1, (match.lastindex or 0) + 1) if match[i]), key=lambda i: len(match[i]), default=0)
            if group and len(match[group]) < 16:  # noqa: PLR2004  (a prefix such as ghp)
                group = 0
            yield kind, match.start(group), match.end(group)


def _unescaped(text: str) -> str:
    """Return the text of a JSON document as long as before, where an escaped line feed ends a word as a real one does."""
    return _ESCAPE.sub(lambda match: "\n\n" if match[1] in "bfnrt" else match[0], text) if "\\" in text else text


def find_personal(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield kind, start and end of each e-mail address and each account name in a home folder's path."""
    if "@" in text:
        for match in _EMAIL.finditer(text):
            if not _RESERVED_MAIL.search(match[0]):
                yield "e-mail address", match.start(), match.end()
    for match in _HOME.finditer(text) if "/home/" in text or "Users" in text else ():
        if match[2].lower() not in KEEP:
            yield "home folder", match.start(2), match.end(2)


class Redactor:
    """Takes secrets and personal details out of texts, and counts them by kind; never says what they were."""

    def __init__(self) -> None:
        """Start with no known names and nothing counted."""
        self.counts: Counter[str] = Counter()
        self._names: dict[str, str] = {}
        self._known: re.Pattern[str] | None = None
        # Words and paths come back with every trial: what was looked at and is clean needs no second look.
        self._clean: set[str] = set()

    def learn(self, kind: str, names: Iterable[object]) -> None:
        """Take the names that a format's own field gives (``user name``, ``host name``) out of all texts that follow."""
        for name in names:
            if isinstance(name, str) and len(name) > 2 and name.lower() not in KEEP | _LOCAL:  # noqa: PLR2004  (too common)
                self._names[name] = kind
        self._clean.clear()
        if self._names:
            longest = sorted(map(re.escape, self._names), key=len, reverse=True)
            self._known = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(longest)})(?![A-Za-z0-9])")

    def text(self, text: str) -> str:
        """Return a text with ``[redacted: kind]`` in place of each secret and personal detail."""
        if len(text) < 4 or text in self._clean:  # noqa: PLR2004  (no secret is that short)
            return text
        spans = [(start, 0, -stop, kind) for kind, start, stop in find_secrets(text)]
        spans += [(start, 1, -stop, kind) for kind, start, stop in find_personal(text)]
        if self._known is not None:
            spans += [(match.start(), 2, -match.end(), self._names[match[0]]) for match in self._known.finditer(text)]
        if not spans:
            if len(text) <= _REMEMBERED_LENGTH and len(self._clean) < _REMEMBERED:
                self._clean.add(text)
            return text
        parts, end = [], 0
        for start, _, negative, kind in sorted(spans):
            stop = -negative
            if start < end:
                continue
            parts += [text[end:start], f"[redacted: {kind}]"]
            self.counts[kind] += 1
            end = stop
        return "".join(parts) + text[end:]

    def json_text(self, text: str) -> str:
        """Return a JSON document with its texts redacted, keys too, and still JSON.

        It is looked through as one text first, which is quick and mostly finds nothing.
        """
        if not self._finds(_unescaped(text)):
            return text
        try:
            text = json.dumps(self.plain(json.loads(text)), ensure_ascii=False, separators=(",", ":"))
        except (ValueError, RecursionError):
            return self.text(text)
        # What is a secret only beside its key is found in the text alone.
        return self.text(text) if self._finds(_unescaped(text)) else text

    def _finds(self, text: str) -> bool:
        known = self._known is not None and self._known.search(text) is not None
        return known or any(True for _ in find_secrets(text)) or any(True for _ in find_personal(text))

    def plain(self, value: Any) -> Any:
        """Return plain data with all its texts redacted; keys of mappings are texts too."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key) if isinstance(key, str) else key: self.plain(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.plain(item) for item in value]
        return value
