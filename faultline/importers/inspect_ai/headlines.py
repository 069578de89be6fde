"""The numbers that a log publishes, beside the same ones from its rows, by the log's own reducer of epochs.

Reducers and ``accuracy`` and ``mean`` follow inspect_ai 0.3.285 (MIT), ``scorer/_reducer/reducer.py``: rows without a score,
errored ones mostly, are left out; a score that is NaN is left out of its epochs and, when all are, out of the mean; invalidated
rows stay.
"""

import math
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from faultline.importers.inspect_ai.log import Log
from faultline.importers.inspect_ai.sample import Sample
from faultline.importers.inspect_ai.scores import as_float
from faultline.importers.numbers import count, number
from faultline.kinds import safe_text
from faultline.records import Absent, PublishedNumber, unknown

_RECOMPUTED = {"accuracy", "mean"}
_SPREADS = {"stderr", "std", "var", "ci", "bootstrap_stderr"}
_MOST = 200


def headlines(log: Log) -> Iterator[PublishedNumber]:
    """Yield each published mean or accuracy with what the rows give, and any other metric that is no measure of spread."""
    scores = log.part("results").get("scores")
    for item in (scores if isinstance(scores, list) else [])[:_MOST]:
        metrics = item.get("metrics") if isinstance(item, dict) else None
        for name, metric in metrics.items() if isinstance(metrics, dict) else ():
            if name not in _SPREADS and isinstance(metric, dict):
                yield _headline(log, item, str(name), metric)


def _headline(log: Log, item: dict[str, Any], metric: str, plain: dict[str, Any]) -> PublishedNumber:
    key = _text(item.get("name"))
    scorer = _text(item.get("scorer")) or key
    reducer = _text(item.get("reducer"))
    published = number(plain.get("value"))
    found, note = _recompute(log, scorer, key, reducer, metric, item)
    label = f"{scorer} {metric}" if key == scorer or not key else f"{scorer}.{key} {metric}"
    return PublishedNumber(
        name=safe_text(f"{label} ({reducer})" if reducer else label, 200),
        published=unknown("the log has the metric without a number") if published is None else published,
        recomputed=found,
        note=safe_text(note, 500),
    )


def _recompute(log: Log, scorer: str, key: str, reducer: str, metric: str, item: dict[str, Any]) -> tuple[float | Absent, str]:
    rows = [sample for sample in log.samples if scorer in sample.scores]
    over = next(
        (n for n in (count(item.get("scored_samples")), count(log.part("results").get("completed_samples"))) if n is not None),
        None,
    )
    if not rows:
        return unknown("the source holds no row with a score by this scorer"), f"published over {_number(over)} samples"
    reduce = _reducer(reducer or _configured(log))
    if metric not in _RECOMPUTED or reduce is None:
        return unknown("this metric or reducer is not recomputed here"), ""
    by_id: dict[tuple[type, int | str], list[Any]] = {}
    for sample in rows:
        by_id.setdefault((type(sample.id), sample.id), []).append(_part(sample, scorer, key))
    reduced = [value for value in map(reduce, by_id.values()) if value is not None]
    # Without a reducer the log counts epochs, with one it counts samples.
    if over is not None and over not in (len(reduced), len(rows), len(by_id)):
        return unknown(f"the source holds scores of {len(reduced)} samples"), f"published over {over}: cannot be recomputed"
    if not reduced:
        return unknown("no row has a score that is a number"), ""
    return statistics.fmean(reduced), _left_out(log, rows, reducer or _configured(log))


def _left_out(log: Log, rows: Sequence[Sample], reducer: str) -> str:
    """Say in words which rows the published number leaves out, and which it holds although they do not count."""
    kept = {id(row) for row in rows}
    without = Counter("errored" if row.error is not None else "without a score" for row in log.samples if id(row) not in kept)
    inside = {
        "invalidated": sum(row.invalidation is not None for row in rows),
        "errored": sum(row.error is not None for row in rows),
    }
    parts = [f"{reducer} over epochs, then the mean over samples"]
    if without:
        parts.append("left out: " + ", ".join(f"{number} {word}" for word, number in sorted(without.items())))
    if any(inside.values()):
        parts.append("still in it: " + ", ".join(f"{number} {word}" for word, number in inside.items() if number))
    return "; ".join(parts)


def _part(sample: Sample, scorer: str, key: str) -> Any:
    value = sample.scores[scorer].value
    return value.get(key) if isinstance(value, dict) and key != scorer else value


def _configured(log: Log) -> str:
    plain = log.part("eval", "config").get("epochs_reducer")
    names = [name for name in plain if isinstance(name, str)] if isinstance(plain, list) else []
    return names[0] if names else "mean"


def _reducer(name: str) -> Callable[[list[Any]], float | None] | None:
    """Return a reducer of one sample's values to a number; ``None`` for one that is not known here."""
    at = re.fullmatch(r"(at_least|pass_at|pass_k)_(\d{1,4})", name)
    plain: dict[str, Callable[[list[float]], float]] = {"mean": statistics.fmean, "median": statistics.median, "max": max}
    if name in plain:
        return lambda values: _over(values, plain[name])
    if name == "mode":
        return _mode
    if at is None:
        return None
    word, k = at[1], int(at[2])
    return lambda values: _over(values, lambda numbers: _share(word, k, sum(number >= 1 for number in numbers), len(numbers)))


def _over(values: Sequence[Any], reduce: Callable[[list[float]], float]) -> float | None:
    """Reduce the values that are scores; a value that is no number is 0, as Inspect has it."""
    numbers = [as_float(value) or 0.0 for value in values if _is_score(value)]
    if not numbers:
        return None
    found = reduce(numbers)
    return found if math.isfinite(found) else None


def _mode(values: Sequence[Any]) -> float | None:
    found = [value for value in values if _is_score(value) and not isinstance(value, dict | list)]
    return as_float(Counter(found).most_common(1)[0][0]) or 0.0 if found else None


def _share(word: str, k: int, right: int, total: int) -> float:
    """Return at-least-k, pass@k (Chen et al. 2021, arXiv:2107.03374) or pass^k (Yao et al. 2024, arXiv:2406.12045)."""
    if word == "at_least":
        return float(right >= k)
    if total < k:
        return math.nan
    wrong = total - right
    return 1 - math.comb(wrong, k) / math.comb(total, k) if word == "pass_at" else math.comb(right, k) / math.comb(total, k)


def _is_score(value: Any) -> bool:
    return value is not None and not (isinstance(value, float) and not math.isfinite(value))


def _number(value: int | None) -> str:
    return "an unknown number of" if value is None else str(value)


def _text(value: object) -> str:
    return value[:300] if isinstance(value, str) else ""
