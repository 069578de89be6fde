"""The shapes in which an evaluation is summed up, read into one: which instance stands in which list."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from faultline.errors import BadInputError
from faultline.importers.numbers import number
from faultline.importers.tree import shown

LISTS = "submission, lists"
"""The shape that says what was resolved, and of the rest only some of what went wrong."""
Verdict = Literal["passed", "failed"] | None
_OLD_ERRORS = ("no_logs", "install_fail", "reset_failed", "test_errored", "test_timeout")
"""Lists of older submissions whose instances have no verdict."""
_COUNTED = {
    "resolved_instances": "resolved",
    "unresolved_instances": "unresolved",
    "empty_patch_instances": "empty",
    "error_instances": "errors",
    "infra_failure_instances": "infra",
    "ambiguous_failure_instances": "ambiguous",
}


@dataclass
class Summary:
    """One summary of one run."""

    path: str
    shape: str
    """For people: which of the shapes it is."""
    resolved: frozenset[str] = frozenset()
    unresolved: frozenset[str] = frozenset()
    empty: frozenset[str] = frozenset()
    errors: frozenset[str] = frozenset()
    infra: frozenset[str] = frozenset()
    ambiguous: frozenset[str] = frozenset()
    not_applied: frozenset[str] = frozenset()
    incomplete: frozenset[str] = frozenset()
    submitted: frozenset[str] = frozenset()
    reasons: Mapping[str, str] = field(default_factory=dict)
    dataset: frozenset[str] | None = None
    """All instances that were to be evaluated; ``None`` for a shape that does not tell."""
    published: Mapping[str, float] = field(default_factory=dict)
    """Its own counts, by the name of the field."""

    @property
    def named(self) -> frozenset[str]:
        """All instances that any list names."""
        return self.resolved | self.unresolved | self.empty | self.errors | self.incomplete | self.submitted | self.not_applied

    def verdict(self, instance: str) -> Verdict:
        """Return what this summary says of an instance alone."""
        if instance in self.resolved:
            return "passed"
        if instance in self.errors and instance not in self.unresolved:
            return None
        return "failed" if instance in self.unresolved | self.empty | self.not_applied else None

    def counted(self) -> dict[str, tuple[float, int]]:
        """Return published counts beside the length of the list that each belongs to, where the two differ."""
        found = {}
        for name, lists in _COUNTED.items():
            length = len(getattr(self, lists))
            if name in self.published and self.published[name] != length:
                found[name] = self.published[name], length
        return found


def read_summary(value: Any, path: str, predicted: frozenset[str] = frozenset()) -> Summary:
    """Return a summary of any shape; lists name what is not resolved only by what it is not, so that predictions fill the rest.

    Raises ``BadInputError`` when it is no object, has no list of what was resolved, or a list holds something else than ids.
    """
    if not isinstance(value, dict):
        raise BadInputError(shown(path), "this summary is no object", found=type(value).__name__)
    lists = {key: _ids(value, key, path) for key, item in value.items() if isinstance(item, list)}
    resolved = lists.get("resolved_ids", lists.get("resolved"))
    if resolved is None:
        raise BadInputError(shown(path), "this summary does not list what was resolved", expected="resolved_ids or resolved")
    if "completed_ids" in lists or "submitted_ids" in lists:
        return _summary(value, lists, resolved, path)
    return _lists(lists, resolved, path, predicted)


def _summary(value: Mapping[str, Any], lists: Mapping[str, frozenset[str]], resolved: frozenset[str], path: str) -> Summary:
    def of(name: str) -> frozenset[str]:
        return lists.get(name, frozenset())

    if "infra_failure_ids" in lists:
        shape = "summary, version 2 with tiers"
    elif value.get("schema_version") is not None:
        shape = "summary, version 2"
    else:
        shape = "summary, version 1" if "resolved_ids" in lists else "submission, summary"
    told = value.get("failure_reasons")
    known = resolved | of("unresolved_ids") | of("error_ids") | of("completed_ids") | of("empty_patch_ids")
    counts = {key: number(item) for key, item in value.items() if key.endswith("_instances")}
    return Summary(
        path=path,
        shape=shape,
        resolved=resolved,
        unresolved=of("unresolved_ids") - resolved,
        empty=of("empty_patch_ids"),
        errors=of("error_ids"),
        infra=of("infra_failure_ids"),
        ambiguous=of("ambiguous_failure_ids"),
        incomplete=of("incomplete_ids"),
        submitted=of("submitted_ids") or known,
        reasons={k: v for k, v in told.items() if isinstance(v, str)} if isinstance(told, dict) else {},
        # Without a list of what was not run, nobody knows what else was to be.
        dataset=known | of("incomplete_ids") if "incomplete_ids" in lists else None,
        published={key: item for key, item in counts.items() if item is not None},
    )


def _lists(lists: Mapping[str, frozenset[str]], resolved: frozenset[str], path: str, predicted: frozenset[str]) -> Summary:
    empty = lists.get("no_generation", frozenset())
    not_applied = lists.get("no_apply", frozenset())
    errors = frozenset().union(*(lists.get(name, frozenset()) for name in _OLD_ERRORS)) - resolved
    known = frozenset().union(*lists.values()) | predicted
    return Summary(
        path=path,
        shape=LISTS,
        resolved=resolved,
        unresolved=known - resolved - empty - errors - not_applied,
        empty=empty,
        errors=errors,
        not_applied=not_applied,
        submitted=known,
    )


def _ids(value: Mapping[str, Any], key: str, path: str) -> frozenset[str]:
    for item in value[key]:
        if not isinstance(item, str) or not item:
            raise BadInputError(f"{shown(path)}: {key}", "this list holds something else than ids", found=type(item).__name__)
    return frozenset(value[key])
