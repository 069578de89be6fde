"""Which score is the verdict, and what its value means.

The verdict comes from one scorer alone: the one that was named, else the first that the log lists. Of a score with several
values one key is the verdict, which must be named unless there is only one. Values are taken as Inspect's own
``value_to_float`` takes them (inspect_ai, MIT): C, I, P and N are 1, 0, 0.5 and 0.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from faultline.errors import BadInputError
from faultline.importers.inspect_ai.log import Log
from faultline.importers.inspect_ai.sample import Sample, Score, Value
from faultline.importers.numbers import number
from faultline.kinds import safe_text

_WORDS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_BOOLEANS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_MOST_METRICS = 200
"""Values of one sample that are kept as metrics."""


@dataclass(frozen=True, slots=True)
class Choice:
    """How verdicts are read from the scores of a run."""

    scorer: str
    """Empty when the log holds no score at all."""
    key: str = ""
    passed: str = ""
    """The value that counts as passed; empty for 1 and its equals."""
    scaled: bool = True
    """False when values lie outside 0 to 1 and nobody said which one is a pass: then a number is no verdict."""
    note: str = ""

    def value(self, sample: Sample) -> Value:
        """Return the value that is the verdict, NaN when the scorer gave none, and ``None`` when its score does not have it."""
        score = sample.scores.get(self.scorer)
        return None if score is None else self.part(score.value)

    def part(self, value: Value) -> Value:
        """Return the part of a value that is the verdict."""
        several = _several(value)
        if several is None:
            return value
        if not self.key or self.key not in several:
            return None
        found: Value = several[self.key]
        return math.nan if found is None else found

    def score(self, sample: Sample) -> Score | None:
        """Return the score of the scorer that decides."""
        return sample.scores.get(self.scorer)

    def verdict(self, value: Value) -> Literal["passed", "failed"] | None:
        """Return what a value says, ``None`` when it is no verdict."""
        found = as_float(value)
        if value is None or unscored(value) or isinstance(value, dict | list):
            return None
        if self.passed:
            named = as_float(self.passed)
            same = found == named if found is not None and named is not None else value == self.passed
            return "passed" if same else "failed"
        if found is None or not (self.scaled and 0 <= found <= 1):
            return None
        return "passed" if found == 1 else "failed"


def choose(logs: Iterable[Log], *, scorer: str, key: str, passed: str) -> Choice:
    """Return how verdicts are read from logs that are one run.

    Raises ``BadInputError`` when a scorer or key was named that no sample has.
    """
    logs = list(logs)
    rows = [sample for log in logs for sample in log.samples]
    known = list(dict.fromkeys(name for sample in rows for name in sample.scores))
    listed = [name for log in logs for name in scorer_names(log)]
    place = safe_text(logs[-1].path, 300)
    if scorer and known and scorer not in known:
        raise BadInputError(place, f"no sample has a score by {safe_text(scorer, 80)}", expected=_named(known))
    chosen = scorer or next((name for name in listed if name in known), (listed or known or [""])[0])
    values = [sample.scores[chosen].value for sample in rows if chosen in sample.scores]
    keys = list(dict.fromkeys(name for value in values for name in _several(value) or ()))
    if key and keys and key not in keys:
        raise BadInputError(
            place, f"no score of {safe_text(chosen, 80)} has the key {safe_text(key, 80)}", expected=_named(keys)
        )
    note = ""
    if keys and not key:
        key = keys[0] if len(keys) == 1 else ""
        if not key:
            note = f"scores of {chosen} have several values, none named as the verdict: --option key=NAME, of {_named(keys)}"
    choice = Choice(chosen, key, passed)
    numbers = _numbers([choice.part(value) for value in values])
    elsewhere = _numbers([part for value in values for part in (_several(value) or {}).values()])
    # On a scale of 1 to 10, a 1 that stands alone would look like a pass.
    outside = any(not 0 <= found <= 1 for found in numbers) or (
        bool(numbers) and min(numbers) == 1 and any(not 0 <= found <= 1 for found in elsewhere)
    )
    if outside and not passed:
        name = f"{chosen}.{key}" if key else chosen
        low, high = min((*numbers, *elsewhere)), max((*numbers, *elsewhere))
        note = (
            f"values of {name} lie on a scale from {low:g} to {high:g}, and nothing says which is a pass: --option passed=VALUE"
        )
        return Choice(chosen, key, passed, scaled=False, note=note)
    return Choice(chosen, key, passed, note=note)


def _numbers(values: Iterable[Value]) -> list[float]:
    return [found for value in values if isinstance(value, int | float) and (found := as_float(value)) is not None]


def scorer_names(log: Log) -> list[str]:
    """Return the scorers that a log lists, without their package, numbered as Inspect numbers those of one name."""
    plain = log.eval.get("scorers")
    names: list[str] = []
    for item in plain if isinstance(plain, list) else ():
        base = item.get("name") if isinstance(item, dict) else None
        if isinstance(base, str):
            base = base.rsplit("/", 1)[-1]
            name, again = base, 0
            while name in names:
                again += 1
                name = f"{base}{again}"
            names.append(name)
    return names


def metrics(sample: Sample) -> Iterator[tuple[str, float]]:
    """Yield all values of a sample's scores that are finite numbers, by scorer and key."""
    left = _MOST_METRICS
    for name, score in sample.scores.items():
        several = _several(score.value)
        for key, value in {"": score.value}.items() if several is None else several.items():
            found = as_float(value)
            if found is not None and left:
                left -= 1
                yield (f"{name}.{key}" if key else name), found


def as_float(value: Any) -> float | None:
    """Return a scalar value as a finite number; ``None`` when it stands for none."""
    if isinstance(value, bool | int | float):
        return number(int(value) if isinstance(value, bool) else value)
    if not isinstance(value, str):
        return None
    if value in _WORDS:
        return _WORDS[value]
    word = value.strip().lower()
    if word in _BOOLEANS:
        return _BOOLEANS[word]
    try:
        found = float(word) if len(word) < 40 else math.nan  # noqa: PLR2004  (longer than any number that was measured)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def unscored(value: Value) -> bool:
    """Return whether a value is Inspect's mark for "not scored"."""
    return isinstance(value, float) and not math.isfinite(value)


def _several(value: Any) -> dict[str, Any] | None:
    if isinstance(value, list):
        return {str(i): item for i, item in enumerate(value)}
    return value if isinstance(value, dict) else None


def _named(names: list[str]) -> str:
    return safe_text(", ".join(names[:30]), 500)
