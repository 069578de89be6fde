"""A job's own summary beside the same numbers from its rows, each with what its formula leaves out.

Formulas as in Harbor: 0.26.0 averages over the trials whose reward it calls valid, and counts a reward name that a trial does
not have as 0; 0.1.40 averages over all trials, one without rewards as 0. pass@k is over the tasks with a valid trial
(``harbor/job.py``, ``metrics/``, ``utils/pass_at_k.py``, Apache-2.0).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

from faultline.importers.harbor.fields import Document, at, rows, table, text
from faultline.importers.harbor.rows import Row
from faultline.importers.numbers import count, number
from faultline.kinds import safe_text
from faultline.records import Absent, PublishedNumber, unknown

_NEAR = 1e-9
_AGGREGATES: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": lambda values: sum(values) / len(values),
    "sum": sum,
    "max": max,
    "min": min,
}
_NONE = unknown("the job gives no number")
_NO_ROWS = unknown("the source holds none of its trials")


def headlines(result: Document, config: Document, job_rows: Sequence[Row]) -> list[tuple[str, PublishedNumber]]:
    """Return the published numbers of a job, each with the key of its evaluation, and its cost under the empty key."""
    stats = table(result.get("stats"))
    old = "n_completed_trials" not in stats and "n_trials" in stats
    by_key = defaultdict(list)
    for row in job_rows:
        by_key[evaluation(row, old=old)].append(row)
    found = []
    for key, value in sorted(table(stats.get("evals")).items()):
        made = _Evaluation(key, table(value), by_key.get(key, []), old=old)
        found += [(key, line) for line in (*made.metrics(rows(config.get("metrics"))), *made.pass_at_k())]
    if not old and job_rows and (published := number(stats.get("cost_usd"))) is not None:
        known = [row.dollars for row in job_rows if row.dollars is not None]
        note = f"over {len(known)} of {len(job_rows)} trials, which know their cost; attempts that were retried are not in it"
        found.append(("", _line("cost of the job in USD", published, sum(known), note)))
    return found


def evaluation(row: Row, *, old: bool) -> str:
    """Return the key under which a job counts a trial; it is made, never taken apart, since names hold its separators."""
    agent, model = row.agent.name, text(at(row.folder.result, "agent_info.model_info.name"))
    parts = (agent, model, row.task.source or "adhoc") if model else (agent, row.task.source or "adhoc")
    key = "__".join(parts)
    return key.replace("/", "-") if old else key


class _Evaluation:
    """One entry of a job's summary."""

    def __init__(self, key: str, published: Document, found: Sequence[Row], *, old: bool) -> None:
        self._key, self._published, self._rows, self._old = key, published, found, old
        self._valid = [row for row in found if row.rewards and (old or row.counts)]
        self._out = [row for row in found if not (row.rewards and (old or row.counts))]

    def metrics(self, configured: Sequence[object]) -> list[PublishedNumber]:
        """Return each published metric; that of a script cannot be computed again."""
        found = []
        for position, values in enumerate(rows(self._published.get("metrics"))):
            kind = text(at(configured[position], "type")) if position < len(configured) else "mean"
            for name, value in table(values).items():
                aggregate = name if name in _AGGREGATES and not self._names(several=True) else kind
                found.append(_line(f"{self._key}: {name}", value, self._again(name, aggregate), self._left_out(name)))
        return found

    def pass_at_k(self) -> list[PublishedNumber]:
        """Return each published pass@k."""
        tasks: defaultdict[str, list[float]] = defaultdict(list)
        for row in self._valid:
            tasks[row.task.name] += list(row.rewards.values()) if row.rewards and len(row.rewards) == 1 else [float("nan")]
        found = []
        for text_of_k, value in table(self._published.get("pass_at_k")).items():
            k = int(text_of_k) if text_of_k.isascii() and text_of_k.isdigit() and len(text_of_k) < 6 else 0  # noqa: PLR2004  (digits)
            again: float | Absent
            if not tasks:
                again = _NO_ROWS
            elif k < 1 or any(len(values) < k or not set(values) <= {0.0, 1.0} for values in tasks.values()):
                again = unknown("a task has fewer valid trials than k, or rewards that are not 0 or 1")
            else:
                again = sum(_one_task(len(values), int(sum(values)), k) for values in tasks.values()) / len(tasks)
            every = {row.task.name for row in self._rows}
            note = f"over {len(tasks)} of {len(every)} tasks: those with a valid reward; {self._absent()}"
            found.append(_line(f"{self._key}: pass@{safe_text(text_of_k, 20)}", value, again, note))
        return found

    def _names(self, *, several: bool) -> list[str]:
        names = sorted({name for row in self._valid for name in row.rewards or ()})
        return names if len(names) > 1 or not several else []

    def _again(self, name: str, aggregate: str) -> float | Absent:
        if not self._rows:
            return _NO_ROWS
        if aggregate not in _AGGREGATES:
            return unknown("a script of the dataset computed it")
        counted = self._rows if self._old else self._valid
        if not counted:
            return unknown("no trial has a valid reward")
        if self._names(several=True):
            values = [(row.rewards or {}).get(name, 0.0) for row in counted]
        else:
            values = [next(iter((row.rewards or {}).values()), 0.0) for row in counted]
        again = number(_AGGREGATES[aggregate](values))
        return unknown("a reward is no finite number") if again is None else again

    def _left_out(self, name: str) -> str:
        without = sum(name not in (row.rewards or {}) for row in self._valid)
        zero = f"; {without} of them do not have this reward and count as 0" if self._names(several=True) and without else ""
        if self._old:
            return f"over all {len(self._rows)} trials, {len(self._out)} without a reward as 0{zero}"
        tasks, every = ({row.task.name for row in some} for some in (self._valid, self._rows))
        over = f"over {len(self._valid)} of {len(self._rows)} trials, on {len(tasks)} of {len(every)} tasks"
        return f"{over}{zero}; {self._absent()}"

    def _absent(self) -> str:
        """Return what is left out, by exception."""
        names = Counter(row.ending.decisive.name if row.ending.decisive else "no reward" for row in self._out)
        if not names:
            return "nothing is left out"
        return "left out: " + ", ".join(f"{safe_text(name, 60)} {number_of}" for name, number_of in sorted(names.items()))


def _one_task(total: int, passed: int, k: int) -> float:
    """Return the chance that k trials drawn from a task's hold a pass (Chen and others, 2021)."""
    product = 1.0
    for i in range(k):
        product *= max(0, total - passed - i) / (total - i)
    return 1.0 - product


def _line(name: str, published: object, again: float | Absent, note: str) -> PublishedNumber:
    told = number(published)
    if told is not None and not isinstance(again, Absent) and abs(told - again) > _NEAR:
        note = f"the rows say otherwise; {note}"
    return PublishedNumber(
        name=safe_text(name, 200), published=_NONE if told is None else told, recomputed=again, note=safe_text(note, 480)
    )


def miscounts(result: Document, job_rows: Sequence[Row]) -> list[str]:
    """Return where a job's own counts of trials differ from what lies there."""
    stats = table(result.get("stats"))
    told = count(stats.get("n_completed_trials", stats.get("n_trials")))
    found = len({row.trial.native_id for row in job_rows})
    return [] if told is None or told == found else [f"the job counts {told} finished trials, the source holds {found}"]
