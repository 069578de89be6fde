"""Thresholds: each has a floor that is part of the gate; a benchmark may only ask for more."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from faultline.errors import FaultlineError, RefusedError, raise_all
from faultline.gates.model import PolicyRow
from faultline.kinds import safe_text

N = TypeVar("N", int, float)
Origin = Literal["default", "pyproject.toml", "faultline.toml"]


@dataclass(frozen=True)
class Threshold(Generic[N]):
    """A number that a gate compares with, and in which direction it may be moved."""

    gate: str
    name: str
    """Key in ``[tool.faultline.gates]``."""
    floor: N
    stricter: Literal["more", "less"]
    """Whether a larger or a smaller number asks for more."""
    most: N
    """The end of the scale in the stricter direction; nothing beyond it makes sense."""
    meaning: str

    def shown(self, value: float) -> str:
        """Return a value of this threshold for people."""
        text = f"{100 * value:g} %" if isinstance(self.floor, float) else f"{value:d}"
        return f"at least {text}" if self.stricter == "more" else f"at most {text}"


@dataclass(frozen=True)
class Policy:
    """The thresholds in force, all at least as strict as their floors; made by :func:`policy_from`."""

    values: tuple[tuple[Threshold[Any], float], ...]
    origin: Origin
    """Where the values that differ from their floor came from."""

    def __getitem__(self, threshold: Threshold[N]) -> N:
        """Return the value in force of a threshold."""
        value = next((value for known, value in self.values if known == threshold), threshold.floor)
        return type(threshold.floor)(value)

    def rows(self) -> tuple[PolicyRow, ...]:
        """Return every threshold as it is printed."""
        return tuple(
            PolicyRow(
                gate=threshold.gate,
                name=threshold.name,
                meaning=threshold.meaning,
                value=threshold.shown(value),
                floor=threshold.shown(threshold.floor),
                origin="default" if value == threshold.floor else self.origin,
            )
            for threshold, value in self.values
        )


def policy_from(settings: Mapping[str, Any], origin: str, thresholds: Iterable[Threshold[Any]]) -> Policy:
    """Return the policy in force.

    Raises :class:`RefusedError`, or ``Faults`` with all of them, for a setting that is unknown, no number of the right kind,
    or looser than the floor.
    """
    known = {threshold.name: threshold for threshold in thresholds}
    file: Origin = "faultline.toml" if origin == "faultline.toml" else "pyproject.toml"
    table = "gates" if file == "faultline.toml" else "tool.faultline.gates"
    faults: list[FaultlineError] = []
    for key, value in settings.items():
        place = f"{origin or file}: {table}.{safe_text(str(key), 60)}"
        threshold = known.get(key)
        if threshold is None:
            faults.append(
                RefusedError(place, "there is no such threshold", expected=", ".join(sorted(known)), next_step="remove it")
            )
        elif not _may_be(threshold, value):
            faults.append(
                RefusedError(
                    place,
                    "a threshold may only be made stricter than its floor",
                    expected=f"{threshold.shown(threshold.floor)}, and no further than {threshold.shown(threshold.most)}",
                    found=safe_text(repr(value), 60),
                    next_step="remove the setting to get the floor, or ask for more",
                )
            )
    raise_all(faults)
    return Policy(tuple((threshold, settings.get(name, threshold.floor)) for name, threshold in known.items()), file)


def _may_be(threshold: Threshold[Any], value: Any) -> bool:
    """Return whether a setting is a number of the threshold's kind, between its floor and the end of the scale."""
    if isinstance(value, bool) or not isinstance(value, int if isinstance(threshold.floor, int) else int | float):
        return False
    low, high = sorted((threshold.floor, threshold.most))
    return bool(low <= value <= high)
