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
_SKIPPED = {"Public IP (ipv4)", "Secret Keyword", "Base64 High Entropy String", "Hex High Entropy String"}
"""Detectors that name no format: an address or a long word is no secret, and digests are everywhere in a log."""
_RESERVED_MAIL = re.compile(
    r"@(?:[a-z0-9-]+\.)*(?:example\.(?:com|org|net)|[a-z0-9-]+\.(?:example|invalid|test))$", re.IGNORECASE
)
_ESCAPE = re.compile(r'\\(["\\/bfnrt])')
_NEEDLES: dict[str, tuple[str, ...]] = {
    "model provider key": ("sk-", "hf_", "aiza", "gsk_", "xai-", "github_pat_", "glpat-"),
    "bearer token": ("bearer",),
    "artifactory credentials": ("akc", "ap"),
    "cloudant credentials": ("cl",),
    "gitlab token": ("gl", "gr1348941"),
    "ibm cos hmac credentials": ("secret",),
    "mailchimp access key": ("-us",),
    "private key": ("private", "putty"),
    "pypi token": ("pypi-",),
    "slack token": ("xox", "hooks.slack"),
    "softlayer credentials": ("sl", "softlayer"),
    "stripe access key": ("k_live_",),
}
"""For kinds whose patterns are many or slow: words, one of which stands in whatever they find, in lower case."""
_TAILS = {
    "telegram bot token": re.compile(r":[0-9A-Za-z_-]{35}"),
    "ibm cloud iam key": re.compile(
        r"(?:key|pwd|password|pass|token)[\"']?\]? *(?:=|:|:=|=>| +|::) *[\"']?[a-z0-9_-]{44}", re.IGNORECASE
    ),
}
"""For kinds whose patterns may begin with anything: their ends, which begin with few characters and are quick to look for."""
_MENTIONS_KEY = re.compile(r"key|pwd|pass|token|secret|auth", re.IGNORECASE)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str], bool], ...]:
    """Return kind, pattern, and whether it needs a word like *key* in the text, which is cheap to look for first."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class  # noqa: PLC0415  (slow to load)

    plugins: dict[str, Any] = get_mapping_from_secret_type_to_class()
    return (
        ("model provider key", _PROVIDERS, False),
        ("bearer token", _BEARER, False),
        *(
            # A pattern that may begin with anything costs a scan of its own; all of these hold one of the words.
            (kind.lower(), pattern, pattern.pattern.startswith("(?:(?<="))
            for kind, plugin in sorted(plugins.items())
            if kind not in _SKIPPED
            for pattern in getattr(plugin, "denylist", ())
        ),
    )


def find_secrets(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield kind, start and end of each key or token in a text."""
    wordy = _MENTIONS_KEY.search(text) is not None
    low = text.lower()
    absent = {kind for kind, needles in _NEEDLES.items() if not any(needle in low for needle in needles)}
    absent |= {kind for kind, tail in _TAILS.items() if tail.search(text) is None}
    for kind, pattern, needs_word in _patterns():
        if kind in absent or (needs_word and not wordy):
            continue
        for match in pattern.finditer(text):
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

    def learn(self, kind: str, names: Iterable[object]) -> None:
        """Take the names that a format's own field gives (``user name``, ``host name``) out of all texts that follow."""
        for name in names:
            if isinstance(name, str) and len(name) > 2 and name.lower() not in KEEP | _LOCAL:  # noqa: PLR2004  (too common)
                self._names[name] = kind
        if self._names:
            longest = sorted(map(re.escape, self._names), key=len, reverse=True)
            self._known = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(longest)})(?![A-Za-z0-9])")

    def json_text(self, text: str) -> str:
        """Return a JSON document with its texts redacted, keys too, and still JSON.

        It is looked through as one text first, which is quick and finds nothing mostly.
        """
        if not self._spans(_unescaped(text)):
            return text
        try:
            text = json.dumps(self.plain(json.loads(text)), ensure_ascii=False, separators=(",", ":"))
        except (ValueError, RecursionError):
            return self.text(text)
        # What is a secret only beside its key is found in the text alone.
        return self._without(text, self._spans(_unescaped(text)))

    def text(self, text: str) -> str:
        """Return a text with ``[redacted: kind]`` in place of each secret and personal detail."""
        return self._without(text, self._spans(text))

    def _spans(self, text: str) -> list[tuple[str, int, int]]:
        if len(text) < 4:  # noqa: PLR2004  (no secret is that short)
            return []
        spans = [*find_secrets(text), *find_personal(text)]
        if self._known is not None:
            spans += [(self._names[match[0]], match.start(), match.end()) for match in self._known.finditer(text)]
        return spans

    def _without(self, text: str, spans: list[tuple[str, int, int]]) -> str:
        if not spans:
            return text
        parts, end = [], 0
        for kind, start, stop in sorted(spans, key=lambda span: (span[1], -span[2])):
            if start < end:
                continue
            parts += [text[end:start], f"[redacted: {kind}]"]
            self.counts[kind] += 1
            end = stop
        return "".join(parts) + text[end:]

    def plain(self, value: Any) -> Any:
        """Return plain data with all its texts redacted; keys of mappings are texts too."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key) if isinstance(key, str) else key: self.plain(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.plain(item) for item in value]
        return value
