"""What a hidden ``checks.py`` is written with: ``check``, ``Failed``, and the handle's values.

A check is a function ``(candidate, rng, parameters)``. It builds inputs from ``rng`` and ``parameters``, lets the candidate
work on them in its child process, and raises :class:`Failed` with a reason code when the answer breaks a requirement.
This module knows nothing of processes; the grading room supplies the ``candidate``.
"""

import datetime as dt
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

__all__ = ["Candidate", "CandidateError", "Check", "Failed", "Handle", "Observation", "Session", "array", "check"]

CANDIDATE_ERRORS = {
    "IMPORT_FAILED": "A module of the candidate does not import.",
    "NAME_MISSING": "A module imports, but a function, class or attribute that the task relies on is gone.",
    "RAISED": "The candidate raised an exception where the task asks for an answer.",
    "CRASHED": "The candidate's process ended without an answer.",
    "TIME_LIMIT": "The candidate used up the time of the check.",
    "MEMORY_LIMIT": "The candidate's processes together held more memory than there is for them.",
    "BAD_ANSWER": "The answer is not plain data of the kind that the task asks for.",
}
"""Reason codes that any check can end with, and what each says."""

_CODE = re.compile(r"^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$")


class Failed(Exception):  # noqa: N818  (reads as the verdict that it is)
    """A requirement does not hold; carries a reason code and the numbers that were measured."""

    def __init__(self, code: str, **measured: float | str) -> None:
        """Name the reason; ``measured`` holds plain numbers or short texts."""
        super().__init__(code, measured)
        self.code = code
        self.measured = measured


class CandidateError(Exception):
    """The candidate gave no usable answer; ``kind`` is one of :data:`CANDIDATE_ERRORS`."""

    def __init__(self, kind: str, type: str = "", message: str = "") -> None:  # noqa: A002  (a task author's word)
        """Describe what happened; ``type`` names the exception's class, ``message`` is hostile text."""
        super().__init__(kind, type, message)
        self.kind = kind
        self.type = type
        self.message = message


@dataclass(frozen=True)
class array:  # noqa: N801  (reads like numpy's)
    """An argument that arrives at the candidate as a numpy array."""

    values: Any
    """Nested lists of numbers or strings."""
    dtype: str = "float64"
    """A numpy type name."""


@dataclass(frozen=True)
class Handle:
    """An object that stays in the candidate's process, to be passed on or have its methods called."""

    number: int

    def method(self, name: str) -> "Method":
        """Return a call target: a method of this object."""
        return Method(self.number, name)


@dataclass(frozen=True)
class Method:
    """A method of an object that stays in the candidate's process."""

    number: int
    name: str


@dataclass(frozen=True)
class Observation:
    """An answer together with the arguments as they are after the call, so that mutation can be seen."""

    value: Any
    arguments: list[Any]
    keywords: dict[str, Any]


class Session(Protocol):
    """Several calls in one process of the candidate."""

    scratch: str
    """A private writable folder inside the child's world."""

    def call(self, target: str | Method, *arguments: Any, **keywords: Any) -> Any:
        """Call ``package.module:name`` and return its answer as plain data."""

    def calls(self, *requests: tuple[Any, ...]) -> list[Any]:
        """Make several calls, each a target and its arguments, in one exchange; the first that fails raises."""

    def make(self, target: str | Method, *arguments: Any, **keywords: Any) -> Handle:
        """Call, keep the result in the child, and return a handle to it."""

    def get(self, handle: Handle, attribute: str) -> Any:
        """Read an attribute as plain data."""

    def observe(self, target: str | Method, *arguments: Any, **keywords: Any) -> Observation:
        """Call, and return the answer with the arguments as they are afterwards."""


class Candidate(Protocol):
    """The only way in which a check reaches candidate code."""

    def call(self, target: str, *arguments: Any, **keywords: Any) -> Any:
        """Call ``package.module:function`` in a fresh process and return its answer as plain data."""

    def session(self) -> AbstractContextManager[Session]:
        """Open one process for several calls."""


CheckFunction = Callable[[Any, Random, dict[str, Any]], None]


@dataclass(frozen=True)
class Check:
    """One hidden requirement."""

    id: str
    codes: tuple[str, ...]
    requirement: str
    """The first sentence of the function's docstring."""
    function: CheckFunction


def check(codes: Sequence[str]) -> Callable[[CheckFunction], CheckFunction]:
    """Mark a function as a hidden check that can fail with these reason codes."""
    for code in codes:
        if not _CODE.match(code):
            raise ValueError(f"{code!r} is not a reason code: upper-case words joined by underscores")

    def mark(function: CheckFunction) -> CheckFunction:
        function.faultline_codes = tuple(codes)  # type: ignore[attr-defined]  # a mark on a function, read by collect()
        return function

    return mark


def collect(namespace: Mapping[str, Any]) -> tuple[Check, ...]:
    """Return the checks that a module defines, in the order of their definition."""
    return tuple(_checks(namespace))


def _checks(namespace: Mapping[str, Any]) -> Iterator[Check]:
    for name, value in namespace.items():
        codes = getattr(value, "faultline_codes", None)
        if codes is not None:
            requirement = " ".join((value.__doc__ or "").split("\n\n")[0].split())
            yield Check(name, codes, requirement, value)


_AS_IT_IS = frozenset({str, int, bool, type(None)})
"""Types that JSON carries as they are; looked up first, since rows of data are made of them."""


def encode(value: Any) -> Any:
    """Return a check's argument as strict JSON; what JSON lacks is an object with the key ``$``.

    Raises :class:`TypeError` for anything that the call protocol does not carry.
    """
    kind = type(value)
    if kind in _AS_IT_IS:
        return value
    if kind is float:
        return value if math.isfinite(value) else {"$": "float", "v": repr(value)}
    if kind is list:
        return [item if type(item) in _AS_IT_IS else encode(item) for item in value]
    if kind is dict:
        if "$" not in value and all(type(key) is str for key in value):
            return {key: item if type(item) in _AS_IT_IS else encode(item) for key, item in value.items()}
        return {"$": "map", "v": [[encode(key), encode(item)] for key, item in value.items()]}
    match value:
        case Handle():
            return {"$": "handle", "v": value.number}
        case array():
            return {"$": "array", "v": encode(value.values), "d": value.dtype}
        case tuple():
            return {"$": "tuple", "v": [encode(item) for item in value]}
        case dt.datetime():
            return {"$": "datetime", "v": value.isoformat()}
        case dt.date():
            return {"$": "date", "v": value.isoformat()}
    raise TypeError(f"a check cannot pass a {kind.__name__} to a candidate")


def decode(value: Any) -> Any:
    """Return a candidate's answer as plain Python values.

    Raises :class:`ValueError` for anything malformed: the answer is hostile.
    """
    if isinstance(value, list):
        return [item if type(item) in _AS_IT_IS else decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$" not in value:
        return {key: item if type(item) in _AS_IT_IS else decode(item) for key, item in value.items()}
    kind, content = value["$"], value.get("v")
    try:
        match kind:
            case "map" if isinstance(content, list):
                return {_key(decode(key)): decode(item) for key, item in content}
            case "float" if content in ("nan", "inf", "-inf"):
                return float(content)
            case "tuple" if isinstance(content, list):
                return tuple(decode(item) for item in content)
            case "datetime" if isinstance(content, str):
                return dt.datetime.fromisoformat(content)
            case "date" if isinstance(content, str):
                return dt.date.fromisoformat(content)
    except TypeError as error:
        raise ValueError(str(error)) from error
    raise ValueError("an answer holds an object that the call protocol does not know")


def _key(value: Any) -> Any:
    """Return a mapping's key; a list becomes a tuple, since a candidate's tuples arrive flattened."""
    return tuple(value) if isinstance(value, list) else value
