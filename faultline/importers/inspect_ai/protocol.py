"""What a log says of the conditions it was made under: versions, limits, retries, epochs, code."""

import json
from collections.abc import Iterable
from typing import Any

from faultline.importers.inspect_ai.log import Log
from faultline.kinds import safe_text

_CONFIG = (
    "limit", "epochs", "epochs_reducer", "fail_on_error", "continue_on_fail", "retry_on_error", "score_on_error",
    "message_limit", "token_limit", "time_limit", "working_limit", "turn_limit", "cost_limit",
    "max_samples", "max_connections", "sandbox_cleanup", "sample_shuffle",
)  # fmt: skip
_EVAL = (
    "task_version",
    "task_args",
    "model_args",
    "model_generate_config",
    "solver_args",
    "sandbox",
    "approval",
    "eval_set_id",
)
_MOST_PACKAGES = 30


def protocol(log: Log) -> dict[str, str]:
    """Return conditions by name, as the log names them; what it leaves out is not in it."""
    found: dict[str, Any] = {name: log.part("eval", "config").get(name) for name in _CONFIG}
    found |= {name.replace("_", " "): log.eval.get(name) for name in _EVAL}
    dataset = log.part("eval", "dataset")
    found |= {f"dataset {name}": dataset.get(name) for name in ("name", "location", "shuffled")}
    packages = log.part("eval", "packages")
    found |= {f"package {name}": version for name, version in sorted(packages.items())[:_MOST_PACKAGES]}
    revision = log.part("eval", "revision")
    found |= {f"code {name}": revision.get(name) for name in ("origin", "commit", "dirty")}
    roles = log.part("eval", "model_roles")
    found |= {f"model of {name}": item.get("model") if isinstance(item, dict) else item for name, item in roles.items()}
    found["created"] = log.eval.get("created")
    found["status"] = log.status
    return {safe_text(name, 200): _words(value) for name, value in found.items() if value not in (None, {}, [], "")}


def differences(logs: Iterable[Log]) -> tuple[str, ...]:
    """Return in words where the logs of one task were made under different conditions."""
    logs = list(logs)
    told = [(log, protocol(log)) for log in logs]
    names = sorted({name for _, conditions in told for name in conditions} - {"created", "status"})
    lines = []
    for name in names:
        values = [(log, conditions.get(name, "not told")) for log, conditions in told]
        if len({value for _, value in values}) > 1:
            lines.append(f"{name}: " + "; ".join(f"{safe_text(value, 100)} in {log.path}" for log, value in values[:5]))
    return tuple(lines)


def _words(value: Any) -> str:
    if isinstance(value, str):
        return safe_text(value, 500)
    return safe_text(json.dumps(value, sort_keys=True, default=str), 500)
