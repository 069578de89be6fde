"""What Terminal-Bench publishes of a run, beside the same numbers from its rows, by the harness's own formulas."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from faultline.importers.interface import ForeignTrial
from faultline.importers.numbers import number
from faultline.records import Absent, PublishedNumber, unknown

_NOT_PUBLISHED = unknown("not published")
MOST_K = 20


def headlines(
    results: Mapping[str, Any], metadata: Mapping[str, Any], trials: Sequence[ForeignTrial]
) -> tuple[PublishedNumber, ...]:
    """Return accuracy, counts and pass@k; the accuracy that metadata lacks, as after a resumption, is said to be absent."""
    passed: dict[str, list[bool]] = defaultdict(list)
    for trial in trials:
        passed[trial.task].append(trial.verdict == "passed")
    n, resolved = len(trials), sum(map(sum, passed.values()))
    accuracy: float | Absent = resolved / n if n else unknown("there are no trials")
    found = []
    for where, source in (("results.json", results), ("run_metadata.json", metadata)):
        if source:
            told = number(source.get("accuracy"))
            found.append(
                PublishedNumber(
                    name=f"accuracy in {where}",
                    published=_NOT_PUBLISHED if told is None else told,
                    recomputed=accuracy,
                    note=_note(told, accuracy, f"resolved of the {n} trials that are there; no verdict counts as unresolved"),
                )
            )
    for key, value in (("n_resolved", resolved), ("n_unresolved", n - resolved)):
        told = number(results.get(key))
        if told is not None and told != value:
            found.append(
                PublishedNumber(name=key, published=told, recomputed=float(value), note="the rows say otherwise than the count")
            )
    return (*found, *_pass_at(results, metadata, passed))


def _pass_at(
    results: Mapping[str, Any], metadata: Mapping[str, Any], passed: Mapping[str, list[bool]]
) -> list[PublishedNumber]:
    """Return pass@k for each k that is published, by the unbiased estimator that the harness uses (Chen et al. 2021)."""
    published: dict[int, float] = {}
    for source in (metadata, results):
        told = source.get("pass_at_k")
        for key, value in told.items() if isinstance(told, dict) else ():
            if key.isascii() and key.isdigit() and len(key) <= 4 and (rate := number(value)) is not None:  # noqa: PLR2004
                published[int(key)] = rate
    fewest = min(map(len, passed.values()), default=0)
    most = max(map(len, passed.values()), default=0)
    found = []
    for k, rate in sorted(published.items())[:MOST_K]:
        again: float | Absent = (
            sum(_estimate(len(row), sum(row), k) for row in passed.values()) / len(passed)
            if 0 < k <= fewest
            else unknown(f"a task has only {fewest} trials")
        )
        uneven = f"; tasks have {fewest} to {most} trials, and what was lost is left out" if fewest != most else ""
        note = _note(rate, again, f"mean over {len(passed)} tasks of the unbiased estimator{uneven}")
        found.append(PublishedNumber(name=f"pass@{k}", published=rate, recomputed=again, note=note))
    return found


def _estimate(n: int, c: int, k: int) -> float:
    return 1.0 - math.comb(n - c, k) / math.comb(n, k)


def _note(told: float | None, again: float | Absent, how: str) -> str:
    differs = told is not None and isinstance(again, float) and not math.isclose(told, again, abs_tol=1e-9)
    return f"{how}; the published number is another one" if differs else how
