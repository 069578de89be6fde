"""Under which rules a job ran, and where its trials ran under different ones."""

import json
from collections import Counter
from collections.abc import Sequence

from faultline.importers.harbor.fields import Document, at, rows, table, text
from faultline.importers.harbor.rows import Row
from faultline.importers.numbers import count
from faultline.kinds import safe_text

_OF_JOB = (
    "n_attempts",
    "n_concurrent_trials",
    "orchestrator.n_concurrent_trials",
    "retry.max_retries",
    "retry.include_exceptions",
    "retry.exclude_exceptions",
    "orchestrator.retry.max_retries",
    "orchestrator.retry.include_exceptions",
    "orchestrator.retry.exclude_exceptions",
    "install_only",
)
_MULTIPLIERS = (
    "timeout_multiplier",
    "agent_timeout_multiplier",
    "verifier_timeout_multiplier",
    "agent_setup_timeout_multiplier",
    "environment_build_timeout_multiplier",
)
_OF_TRIAL = (
    *_MULTIPLIERS,
    "override_error_policy",
    "verifier.override_timeout_sec",
    "verifier.max_timeout_sec",
    "verifier.disable",
    "agent.override_timeout_sec",
    "agent.override_setup_timeout_sec",
    "agent.max_timeout_sec",
    "environment.type",
    "environment.import_path",
    "environment.override_cpus",
    "environment.override_memory_mb",
    "environment.override_storage_mb",
    "environment.override_gpus",
)
_APART = {"name", "import_path", "n_concurrent", "concurrency_group"}
"""Fields of an agent's configuration that name it, or bear on no result."""
_LOCK = ("harbor.version", "harbor.git_commit_hash", "harbor.is_editable")
_SHOWN = 160


def protocol(config: Document, lock: Document, result: Document, found: Sequence[Row]) -> dict[str, str]:
    """Return what bears on results, under Harbor's own names; what is null is left out."""
    told: dict[str, str] = {}
    for path in _OF_JOB:
        _tell(told, path, at(config, path))
    for path in _OF_TRIAL:
        values = [at(row.config, path) for row in found]
        # A job says it for all; a trial alone says it for itself.
        _tell(told, path, values[0] if values and values.count(values[0]) == len(values) else at(config, path))
    for path in _LOCK[1:]:
        _tell(told, path, at(lock, path))
    _tell(told, "retries made", at(result, "stats.n_retries"))
    _tell(told, "n_total_trials", result.get("n_total_trials"))
    datasets = [_dataset(item) for item in rows(config.get("datasets"))]
    _tell(told, "datasets", ", ".join(name for name in datasets if name) or None)
    return told


def differences(config: Document, locks: Sequence[Document], found: Sequence[Row]) -> tuple[str, ...]:
    """Return where trials of one run differ in what bears on results: from each other, and from what the job says."""
    lines = []
    paths = list(_OF_TRIAL)
    for part, left_out in (("agent", _APART), ("environment", set()), ("verifier", set())):
        names = {name for row in found for name in table(row.config.get(part)) if isinstance(name, str)} - left_out
        paths += [f"{part}.{name}" for name in sorted(names) if f"{part}.{name}" not in paths]
    for path in paths:
        counted = Counter(_shown(at(row.config, path)) for row in found)
        if len(counted) > 1:
            lines.append(f"{path}: {_listed(counted)}")
        elif path in _MULTIPLIERS and config and counted and _shown(at(config, path)) not in counted:
            lines.append(f"{path}: {next(iter(counted))} in the trials, {_shown(at(config, path))} in the job's configuration")
    versions = Counter(row.trial_version for row in found)
    if len(versions) > 1:
        lines.append(f"agent version: {_listed(versions)}")
    for path in _LOCK:
        values = {_shown(at(lock, path)) for lock in locks if lock}
        if len(values) > 1:
            lines.append(f"{path}: {', '.join(sorted(values))} in copies of the job")
    return tuple(safe_text(line, 480) for line in lines)


def concurrency(config: Document, lock: Document) -> int | None:
    """Return how many trials ran at once."""
    for value in (
        lock.get("n_concurrent_trials"),
        config.get("n_concurrent_trials"),
        at(config, "orchestrator.n_concurrent_trials"),
    ):
        if (found := count(value)) is not None:
            return found
    return None


def most_retries(config: Document, lock: Document) -> int | None:
    """Return how often a trial may have been tried again."""
    for value in (
        at(lock, "retry.max_retries"),
        at(config, "retry.max_retries"),
        at(config, "orchestrator.retry.max_retries"),
    ):
        if (found := count(value)) is not None:
            return found
    return None


def suite(config: Document, source: str) -> str:
    """Return a dataset with the version that the job asked for."""
    for item in rows(config.get("datasets")):
        if text(at(item, "name")) == source and source:
            return _dataset(item)
    return source


def _dataset(item: object) -> str:
    name = text(at(item, "name")) or text(at(item, "path")).replace("\\", "/").rstrip("/").rpartition("/")[2]
    version = text(at(item, "version")) or text(at(item, "ref"))
    return f"{name}@{version}" if name and version else name


def _tell(told: dict[str, str], name: str, value: object) -> None:
    if value not in (None, "", [], {}):
        told[name] = _shown(value, 480)


def _shown(value: object, limit: int = _SHOWN) -> str:
    if isinstance(value, str):
        return safe_text(value, limit)
    try:
        return safe_text(json.dumps(value, sort_keys=True), limit)
    except RecursionError:
        return "a value that is nested too deeply"


def _listed(counted: Counter[str]) -> str:
    return ", ".join(f"{value} in {number} trials" for value, number in sorted(counted.items()))
