"""What a trial used: tokens, cost and time, of the trial or of its steps together; one unknown part makes a sum unknown."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TypeVar

from faultline.importers.harbor.fields import Document, at, rows, table, text
from faultline.importers.interface import ForeignAttempt
from faultline.importers.numbers import cost, count, number, usage
from faultline.importers.times import iso_time, seconds_between

T = TypeVar("T", int, float)
_OFFSET = ("Z", "+", "-")


def attempt(result: Document) -> ForeignAttempt:
    """Return the one execution of a trial that Harbor keeps.

    ``n_input_tokens`` includes cached ones: uncached is the difference, and unknown when one of the two is.
    """
    parts = _contexts(result)
    inputs = _total(parts, "n_input_tokens", count)
    cached = _total(parts, "n_cache_tokens", count)
    uncached = None if inputs is None or cached is None or cached > inputs else inputs - cached
    price = _total(parts, "cost_usd", number)
    environment, agent = _seconds(result, "environment_setup"), _seconds(result, "agent_setup")
    return ForeignAttempt(
        started_at=iso_time(result.get("started_at")),
        ended_at=iso_time(result.get("finished_at")),
        setup_seconds=None if environment is None or agent is None else environment + agent,
        agent_seconds=_phase(result, "agent_execution"),
        grading_seconds=_phase(result, "verifier"),
        usage=usage(
            uncached_input=uncached,
            cache_read=cached,
            output=_total(parts, "n_output_tokens", count),
            source="native" if len(parts) == 1 else "derived",
            why="the job does not count them",
        ),
        cost=cost(price, "harbor"),
    )


def all_input(result: Document) -> int | None:
    """Return the input tokens as Harbor counts them, with cached ones."""
    return _total(_contexts(result), "n_input_tokens", count)


def dollars(result: Document) -> float | None:
    """Return what a trial cost, as far as it is known in full."""
    return _total(_contexts(result), "cost_usd", number)


def oddities(result: Document) -> frozenset[str]:
    """Return what is strange about the numbers, in words for a note."""
    found = set()
    for context in _contexts(result):
        counts = {name: context.get(name) for name in ("n_input_tokens", "n_cache_tokens", "n_output_tokens")}
        if any(value is not None and count(value) is None for value in counts.values()):
            found.add("have a token count that is no count, which is taken as unknown")
        inputs, cached = count(counts["n_input_tokens"]), count(counts["n_cache_tokens"])
        if inputs is not None and cached is not None and cached > inputs:
            found.add("count more cached than all input tokens; their uncached input is unknown")
    stamp = text(result.get("started_at"))
    if stamp and iso_time(stamp) is not None and not any(mark in stamp[10:] for mark in _OFFSET):
        found.add("have times without offset, taken as UTC")
    return frozenset(found)


def _contexts(result: Document) -> list[Document]:
    """Return what counts: the trial's own, else that of each step, in which an absent one is unknown."""
    own = result.get("agent_result")
    if isinstance(own, dict):
        return [own]
    return [table(at(step, "agent_result")) for step in rows(result.get("step_results"))] or [{}]


def _total(parts: Iterable[Document], name: str, read: Callable[[object], T | None]) -> T | None:
    found: list[T] = []
    for part in parts:
        value = read(part.get(name))
        if value is None or value < 0:
            return None
        found.append(value)
    return read(sum(found[1:], start=found[0])) if found else None


def _phase(result: Document, name: str) -> float | None:
    """Return the seconds of a phase: the trial's own, else those of all its steps."""
    if result.get(name) is not None:
        return _seconds(result, name)
    parts = [_seconds(step, name) for step in rows(result.get("step_results"))]
    known = [part for part in parts if part is not None]
    return sum(known) if known and len(known) == len(parts) else None


def _seconds(part: object, name: str) -> float | None:
    return seconds_between(_time(part, f"{name}.started_at"), _time(part, f"{name}.finished_at"))


def _time(part: object, path: str) -> datetime | None:
    return iso_time(at(part, path))
