"""One import under way: the tree, the options, and everything that its report will have to say."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from faultline.errors import BadInputError, FaultlineError, raise_all
from faultline.importers.tree import SourceTree, shown
from faultline.records import Skipped
from faultline.redact import Redactor

MOST_ERRORS = 50
"""Rows that cannot be read are named up to this number."""
_EXAMPLES = 3


@dataclass
class Reading:
    """What importers are given, and what they tell as they go."""

    tree: SourceTree
    options: Mapping[str, str] = field(default_factory=dict)
    allow_partial: bool = False
    redactor: Redactor = field(default_factory=Redactor)
    homeless: Counter[str] = field(default_factory=Counter)
    """Fields of the source that have no place in a record, by name."""
    notes: list[str] = field(default_factory=list)
    told: dict[str, str] = field(default_factory=dict)
    """Options as the record tells them, where that is not their text: the digest of a file says more than its path."""
    _used: set[str] = field(default_factory=set)
    _skipped: dict[str, list[str]] = field(default_factory=dict)
    _unreadable: list[FaultlineError] = field(default_factory=list)

    def used(self, *paths: str) -> None:
        """Say that files were read."""
        self._used.update(paths)

    def skip(self, path: str, why: str) -> None:
        """Say that a file was seen and left alone, and why; a file that is used elsewhere counts as used."""
        self._skipped.setdefault(why, []).append(path)

    def unreadable(self, error: FaultlineError) -> None:
        """Report a row or file that cannot be read: the import fails, or with ``--allow-partial`` it is left out and listed."""
        self._unreadable.append(error)
        if len(self._unreadable) > MOST_ERRORS and not self.allow_partial:
            self.check()

    def check(self) -> None:
        """Raise what could not be read, unless leaving it out was asked for."""
        if self._unreadable and not self.allow_partial:
            step = "mend the source, or import the rest with --allow-partial, which a gate holds against the run"
            last = self._unreadable[-1]
            if not last.next_step:
                last.next_step = step
            raise_all(self._unreadable[:MOST_ERRORS])

    def option(self, name: str, default: str = "") -> str:
        """Return an option of the importer."""
        return self.options.get(name, default)

    @property
    def files_used(self) -> int:
        """How many files were read."""
        return len(self._used)

    @property
    def unreadable_rows(self) -> tuple[str, ...]:
        """What was left out, each with file and place."""
        return tuple(str(error) for error in self._unreadable)

    def skipped(self) -> tuple[Skipped, ...]:
        """Return what was left alone, by reason; files that nobody spoke of are foreign to the format."""
        reasons = {why: [path for path in paths if path not in self._used] for why, paths in self._skipped.items()}
        spoken = {path for paths in self._skipped.values() for path in paths}
        if rest := [path for path in self.tree.files if path not in self._used and path not in spoken]:
            reasons["not part of the format's records"] = rest
        if self.tree.links:
            reasons["a link or special file, never followed"] = list(self.tree.links)
        return tuple(
            Skipped(
                why=why,
                files=len(paths),
                examples=tuple(self.redactor.text(shown(path)) for path in sorted(set(paths))[:_EXAMPLES]),
            )
            for why, paths in sorted(reasons.items())
            if paths
        )


def parsed_options(pairs: tuple[str, ...], known: Mapping[str, str], importer: str) -> dict[str, str]:
    """Return ``NAME=VALUE`` options; raises ``BadInputError`` for one that the importer does not have."""
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or name not in known:
            allowed = ", ".join(f"{key}=…" for key in known) or "none"
            raise BadInputError(f"--option {shown(pair)}", f"the importer {importer} has no such option", expected=allowed)
        found[name] = value
    return found
