"""Predictions: JSON lines, a list, or a mapping by instance; one patch an instance, of which the last one counts."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from faultline.errors import BadInputError, FaultlineError
from faultline.importers.interface import Place
from faultline.importers.reading import Reading
from faultline.importers.tree import foreign_json
from faultline.kinds import safe_text


@dataclass(frozen=True)
class Prediction:
    """What was handed in for one instance."""

    patch: str
    """Empty for none: the harness takes ``null`` and ``""`` for the same."""
    place: Place


@dataclass
class Predictions:
    """The predictions of one model in one file."""

    path: str
    model: str
    rows: dict[str, Prediction] = field(default_factory=dict)
    repeated: list[tuple[str, Place]] = field(default_factory=list)
    """Rows that say again what the last row of the instance says."""
    unlike: list[str] = field(default_factory=list)
    """Instances with several patches."""

    @property
    def patches(self) -> dict[str, str]:
        """Patch by instance, without what a file system may add at its end."""
        return {instance: row.patch.strip() for instance, row in self.rows.items()}


def read_predictions(reading: Reading, path: str) -> list[Predictions]:
    """Return the predictions of a file by model; a row that cannot be read is reported."""
    found: dict[str, Predictions] = {}
    for place, key, value in _rows(reading, path):
        try:
            instance, model, patch = _prediction(value, key, place)
        except FaultlineError as error:
            reading.unreadable(error)
            continue
        known = found.setdefault(model, Predictions(path, model))
        if before := known.rows.get(instance):
            if before.patch == patch:
                known.repeated.append((instance, before.place))
            else:
                known.unlike.append(instance)
        known.rows[instance] = Prediction(patch, place)
    return list(found.values())


def _rows(reading: Reading, path: str) -> Iterator[tuple[Place, str, Any]]:
    """Yield place, key where there is one, and value of each row."""
    if path.endswith(".jsonl"):
        for number, line in reading.tree.lines(path):
            place = Place(path, row=number)
            try:
                yield place, "", foreign_json(line, str(place))
            except FaultlineError as error:
                reading.unreadable(error)
        return
    value = reading.tree.json(path)
    if isinstance(value, dict) and "model_patch" not in value:
        yield from ((Place(path, row=number), key, item) for number, (key, item) in enumerate(value.items(), start=1))
    elif isinstance(value, dict | list):
        rows = value if isinstance(value, list) else [value]
        yield from ((Place(path, row=number), "", item) for number, item in enumerate(rows, start=1))
    else:
        raise BadInputError(str(Place(path)), "these are no predictions", expected="a list, or an object by instance")


def _prediction(value: Any, key: str, place: Place) -> tuple[str, str, str]:
    if not isinstance(value, dict):
        raise BadInputError(str(place), "this prediction is no object", found=type(value).__name__)
    instance = value.get("instance_id", key)
    if not isinstance(instance, str) or not instance:
        raise BadInputError(f"{place}: instance_id", "this prediction names no instance", found=safe_text(repr(instance), 80))
    patch, model = value.get("model_patch"), value.get("model_name_or_path")
    if patch is not None and not isinstance(patch, str):
        raise BadInputError(f"{place}: model_patch", "this is no patch", expected="a text or null", found=type(patch).__name__)
    if model is not None and not isinstance(model, str):
        raise BadInputError(f"{place}: model_name_or_path", "this is no name", found=type(model).__name__)
    return instance, model or "", patch or ""
