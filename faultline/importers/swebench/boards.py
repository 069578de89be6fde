"""``leaderboards.json`` of the SWE-bench site: entries with a percentage, and, where they have them, rows by instance."""

from collections.abc import Iterator
from typing import Any

from faultline.errors import BadInputError, FaultlineError
from faultline.importers.identity import readable
from faultline.importers.interface import NO_USAGE, ForeignAgent, ForeignAttempt, ForeignRun, ForeignTask, ForeignTrial, Place
from faultline.importers.numbers import cost, count, number, usage
from faultline.importers.reading import Reading
from faultline.importers.rules import rules
from faultline.importers.tree import shown
from faultline.kinds import safe_text
from faultline.records import Cost, PublishedNumber, unknown

_HOMES = {
    *("name", "folder", "date", "resolved", "cost", "instance_cost", "instance_calls", "os_model", "os_system", "checked"),
    "per_instance_details",
}
_NOT_PUBLISHED = unknown("not published")


def read_boards(reading: Reading, path: str) -> Iterator[ForeignRun]:
    """Yield a run for each entry that has rows; entries that state a number only are named in a note of every run."""
    value = reading.tree.json(path)
    boards = value.get("leaderboards") if isinstance(value, dict) else None
    if not isinstance(boards, list):
        raise BadInputError(shown(path), "these are no leaderboards", expected="an object with a list called leaderboards")
    reading.used(path)
    for at, board in enumerate(boards, start=1):
        entries = board.get("results") if isinstance(board, dict) else None
        if not isinstance(entries, list):
            reading.unreadable(BadInputError(f"{shown(path)}: leaderboard {at}", "this one has no list of results"))
            continue
        yield from _board(reading, path, _text(board, "name") or f"leaderboard {at}", entries)


def _board(reading: Reading, path: str, name: str, entries: list[Any]) -> Iterator[ForeignRun]:
    found, bare = [], []
    for at, entry in enumerate(entries, start=1):
        where = f"{shown(path)}: {safe_text(name, 80)}, entry {at}"
        if not isinstance(entry, dict):
            reading.unreadable(BadInputError(where, "this entry is no object", found=type(entry).__name__))
            continue
        rows = entry.get("per_instance_details")
        if isinstance(rows, dict) and rows:
            found.append((where, entry, rows))
        else:
            bare.append(_text(entry, "name") or f"entry {at}")
    # What one entry of a board was judged on, all of them were.
    everything = sorted({instance for _, _, rows in found for instance in rows})
    note = f"{len(bare)} entries of this board state a number without rows, and are no runs: {readable(bare, 5)}"
    for where, entry, rows in found:
        try:
            yield _entry(reading, path, name, entry, rows, everything, where, (note,) if bare else ())
        except FaultlineError as error:
            reading.unreadable(error)


def _entry(
    reading: Reading,
    path: str,
    board: str,
    entry: dict[str, Any],
    rows: dict[str, Any],
    everything: list[str],
    where: str,
    notes: tuple[str, ...],
) -> ForeignRun:
    folder = _text(entry, "folder") or _text(entry, "name") or where
    reading.homeless.update(f"leaderboards {key}" for key, item in entry.items() if key not in _HOMES and item is not None)
    trials = tuple(_trial(path, f"{board}/{folder}", instance, row, where) for instance, row in sorted(rows.items()))
    told = {key: entry.get(key) for key in ("date", "checked", "os_model", "os_system")}
    return ForeignRun(
        name=f"{board} {folder}",
        native_id=f"{board}/{folder}",
        agent=ForeignAgent(_text(entry, "name") or folder),
        tasks={instance: ForeignTask(instance, suite=f"SWE-bench {board}") for instance in everything},
        trials=trials,
        files=(path,),
        planned=dict.fromkeys(everything, 1),
        missing_rule="SW-09",
        harness="swebench",
        protocol={"board": board} | {key: str(item) for key, item in told.items() if isinstance(item, str | bool)},
        headlines=_headlines(entry, trials, len(everything)),
        notes=notes,
    )


def _trial(path: str, run: str, instance: str, row: Any, where: str) -> ForeignTrial:
    resolved = row.get("resolved") if isinstance(row, dict) else None
    if not isinstance(resolved, bool):
        raise BadInputError(
            f"{where}, {safe_text(instance, 120)}: resolved", "not a verdict", found=safe_text(repr(resolved), 80)
        )
    calls = count(row.get("api_calls"))
    return ForeignTrial(
        native_id=f"{run}/{instance}",
        task=instance,
        place=Place(path, member=f"{run}/{instance}"),
        rule=rules()["SW-01" if resolved else "SW-02"],
        verdict="passed" if resolved else "failed",
        index=0,
        native_status="resolved" if resolved else "unresolved",
        attempts=(
            ForeignAttempt(
                usage=usage(requests=calls) if calls else NO_USAGE,
                cost=cost(row.get("cost"), "harness", zero_is_unknown=calls is None or calls > 0),
            ),
        ),
    )


def _headlines(entry: dict[str, Any], trials: tuple[ForeignTrial, ...], planned: int) -> tuple[PublishedNumber, ...]:
    passed = sum(trial.verdict == "passed" for trial in trials)
    told, again = number(entry.get("resolved")), 100 * passed / planned
    differs = told is not None and abs(told - again) > 0.1  # noqa: PLR2004  (printed with one digit)
    found = [
        PublishedNumber(
            name="resolved, percent",
            published=_NOT_PUBLISHED if told is None else told,
            recomputed=again,
            note=f"{passed} of {planned} instances by the rows" + ("; the published number is another one" if differs else ""),
        )
    ]
    spent = [cell for trial in trials if isinstance(cell := trial.attempts[-1].cost, Cost)]
    if (mean := number(entry.get("instance_cost"))) is not None:
        found.append(
            PublishedNumber(
                name="cost of an instance, dollars",
                published=mean,
                recomputed=float(sum(cell.usd for cell in spent)) / len(spent) if spent else unknown("no row has a cost"),
                note=f"mean over {len(spent)} rows with a known cost",
            )
        )
    return tuple(found)


def _text(value: dict[str, Any], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""
