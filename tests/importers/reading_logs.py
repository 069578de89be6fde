"""What tests of importers share: an import into a folder of its own, what it sealed, and damage done to a log."""

import copy
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from faultline.archive import read_run, verify_run
from faultline.clock import frozen_clock
from faultline.errors import FaultlineError
from faultline.importers import Importer, Reading, SourceTree, import_runs
from faultline.kinds import Verdict
from faultline.records import ImportReport, RunManifest, Trial

CLOCK_TIME = datetime(2026, 12, 1, tzinfo=UTC)
SURPRISES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 3, 0.5, 1e308, float("nan"), float("inf"), 10**30),
    *("", "x", "\ud800", "\x00\x1b[31m", "../../etc/passwd", "x" * 5_000, [], {}, [None], [[1]], {"": None}, {"x": {"y": []}}),
)
"""Values of every JSON type, none of which a format has there."""


@dataclass(frozen=True)
class Read:
    """One run as it was sealed."""

    manifest: RunManifest
    trials: tuple[Trial, ...]
    report: ImportReport
    folder: Path

    @property
    def classes(self) -> dict[str, int]:
        return dict(Counter(trial.outcome.status.value for trial in self.trials))

    @property
    def rules(self) -> dict[str, str]:
        """Rule by task and number."""
        return {f"{trial.key.task} {trial.key.trial}": trial.outcome.rule for trial in self.trials}

    @property
    def numbers(self) -> tuple[int, int, int]:
        """Passed, scoreable, planned."""
        passed = sum(trial.outcome.verdict is Verdict.PASSED for trial in self.trials)
        return passed, sum(trial.outcome.scoreable for trial in self.trials), len(self.trials)

    def trial(self, task: str, number: int = 0) -> Trial:
        return next(trial for trial in self.trials if trial.key.task == task and trial.key.trial == number)


def read_logs(
    importer: Importer, source: Path, target: Path, options: Mapping[str, str] | None = None, *, partial: bool = False
) -> list[Read]:
    """Import a file or folder, verify what was sealed, and return it, ordered by native name."""
    reading = Reading(SourceTree(source), dict(options or {}), partial)
    done = import_runs(importer, reading, target, frozen_clock(CLOCK_TIME))
    found = []
    for item in done:
        sealed = read_run(target / item.run)
        assert not verify_run(target / item.run)
        found.append(Read(sealed.manifest, sealed.trials, item.report, target / item.run))
    return sorted(found, key=lambda item: item.manifest.run)


def import_damaged(importer: Importer, write: Callable[[Path], None]) -> None:
    """Import what a writer writes: nothing but errors for people is raised, and then nothing is left behind."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "source", Path(folder) / "runs"
        source.mkdir()
        write(source)
        with suppress(FaultlineError):
            read_logs(importer, source, target)
            return
        assert not target.exists() or not list(target.iterdir())


def damaged_bytes(data: bytes) -> st.SearchStrategy[bytes]:
    """Return a file cut short, with bits flipped, or with bytes put in."""
    place = st.integers(0, max(0, len(data) - 1))
    cut = place.map(lambda at: data[:at])
    flip = st.lists(st.tuples(place, st.integers(0, 7)), min_size=1, max_size=4).map(lambda flips: _flipped(data, flips))
    put = st.tuples(place, st.sampled_from([b"\x00", b"\xff", b'"', b"{", b"[" * 3_000, b"\\ud800", b"NaN"])).map(
        lambda item: data[: item[0]] + item[1] + data[item[0] :]
    )
    return st.one_of(cut, flip, put)


def damaged_value(value: Any) -> st.SearchStrategy[Any]:
    """Return a JSON value in which one or two places hold a value of another type, or are gone."""
    places = list(_places(value))
    change = st.tuples(st.sampled_from(places), st.sampled_from([*SURPRISES, ...]))
    return st.lists(change, min_size=1, max_size=2).map(lambda changes: _changed(value, changes))


def json_bytes(value: Any) -> bytes:
    """Return JSON as other harnesses write it, with bare NaN."""
    return json.dumps(value).encode()


def _flipped(data: bytes, flips: list[tuple[int, int]]) -> bytes:
    found = bytearray(data)
    for at, bit in flips:
        if found:
            found[at] ^= 1 << bit
    return bytes(found)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from _places(item, (*path, key))


def _changed(value: Any, changes: list[tuple[tuple[Any, ...], Any]]) -> Any:
    found = copy.deepcopy(value)
    for path, new in changes:
        if not path:
            return None if new is ... else new
        here = found
        try:
            for key in path[:-1]:
                here = here[key]
            if new is ...:
                del here[path[-1]]
            else:
                here[path[-1]] = copy.deepcopy(new)
        except (KeyError, IndexError, TypeError):
            continue  # The first change took the place away.
    return found
