"""What readers are shown of a sample: issue, README, diff and public tests, redacted, and scanned for what is left of names."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from faultline.kinds import safe_text
from faultline.records import Absent, FileDiff, MaterialItem, PublicResult, ReviewMaterial, ReviewSample, unknown
from faultline.review.blinding import leaks, redact

HIDDEN = "⟦line hidden⟧"
_LONGEST_LINE = 2_000
_LONGEST_DIFF = 300_000
_CONTEXT = 20
"""Lines around a change."""


@dataclass(frozen=True)
class Shown:
    """A drawn trial before it is redacted."""

    issue: str
    before: Mapping[str, bytes]
    """The workspace that the agent was given."""
    after: Mapping[str, bytes | None]
    """Files that differ from it; ``None`` for one that was deleted."""
    public: PublicResult | Absent


@dataclass(frozen=True)
class Leak:
    """A place that names somebody; what stands there is not told."""

    item: int
    """Place in the sample, counted from 1."""
    where: str
    line: int

    def __str__(self) -> str:
        """Return the place for people."""
        return f"item {self.item}, {self.where}, line {self.line}"


def material_of(
    sample: ReviewSample, shown: Mapping[str, Shown], names: Iterable[str], *, mask: bool = False
) -> ReviewMaterial:
    """Return what readers of a sample are shown, redacted; ``shown`` has every item of the sample, by its id.

    With ``mask``, lines that still leak after redaction are hidden whole. :func:`leaks_of` tells what is left.
    """
    hidden = tuple(names)
    return ReviewMaterial(
        schema_name="faultline/review-material/1",
        sample=sample.content_digest(),
        masked=mask,
        items=tuple(_item(item.item, shown[item.item], hidden, mask=mask) for item in sample.items),
    )


def leaks_of(material: ReviewMaterial, names: Iterable[str]) -> tuple[Leak, ...]:
    """Return every place of the material that still names somebody."""
    hidden = tuple(names)
    found: list[Leak] = []
    for number, item in enumerate(material.items, start=1):
        parts = [
            ("the issue", item.issue),
            ("the README", item.readme),
            ("the failed public tests", "\n".join(item.public_failed)),
        ]
        for place, diff in enumerate(item.diffs, start=1):
            parts += [(f"the name of changed file {place}", diff.path), (f"the diff of changed file {place}", diff.diff)]
        found += [Leak(number, where, line) for where, text in parts for line in leaks(text, hidden)]
    return tuple(found)


def _item(name: str, shown: Shown, names: Sequence[str], *, mask: bool) -> MaterialItem:
    def blind(text: str) -> str:
        plain = redact(text, names)
        if mask:
            bad = set(leaks(plain, names))
            plain = "\n".join(HIDDEN if number in bad else line for number, line in enumerate(plain.split("\n"), start=1))
        return plain

    public = shown.public
    failed = () if isinstance(public, Absent) else (*public.failed, *public.missing)
    return MaterialItem(
        item=name,
        issue=blind(safe_text(shown.issue, _LONGEST_DIFF)),
        readme=blind(safe_text(shown.before.get("README.md", b"").decode("utf-8", "replace"), _LONGEST_DIFF)),
        diffs=tuple(
            FileDiff(path=blind(safe_text(path, 300)), diff=blind(_diff(shown.before.get(path), shown.after[path])))
            for path in sorted(shown.after)
        ),
        public_passed=unknown("no public test was run") if isinstance(public, Absent) else public.passed,
        public_failed=tuple(blind(safe_text(test, 300)) for test in failed),
    )


def _diff(before: bytes | None, after: bytes | None) -> str:
    """Return a unified diff without names of files and times."""
    old, new = _lines(before), _lines(after)
    if old is None or new is None:
        return "this file is no text"
    head = "the file is new" if before is None else "the file was deleted" if after is None else ""
    lines = list(difflib.unified_diff(old, new, lineterm="", n=_CONTEXT))[2:]
    text = "\n".join(([head] if head else []) + [safe_text(line, _LONGEST_LINE) for line in lines])
    return text if len(text) <= _LONGEST_DIFF else text[:_LONGEST_DIFF] + "\nthe diff was cut here"


def _lines(data: bytes | None) -> list[str] | None:
    try:
        return [] if data is None else data.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        return None
