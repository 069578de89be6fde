"""Tables of results, with a column map or a preset: the way in for every harness that has no importer of its own."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar

from faultline.errors import BadInputError, FaultlineError
from faultline.importers.column_map import ColumnMap, StatusColumn, amount, cell, number_of, read_map, text_of, time_of
from faultline.importers.interface import (
    NO_COST,
    ForeignAgent,
    ForeignAttempt,
    ForeignRun,
    ForeignTask,
    ForeignTrial,
    Importer,
    Place,
)
from faultline.importers.messages import trajectory_of
from faultline.importers.numbers import cost, usage
from faultline.importers.reading import Reading
from faultline.importers.row_files import KINDS, rows_of
from faultline.importers.row_presets import aider_runs, mle_bench_runs
from faultline.importers.rules import Rule, rules
from faultline.importers.times import seconds_between
from faultline.importers.tree import SourceTree, shown
from faultline.kinds import digest_bytes, safe_text
from faultline.records import Absent, Usage, canonical_bytes

MAPPED = ("tau-bench", "metr")
"""Presets that are column maps."""
CODED = {"aider": aider_runs, "mle-bench": mle_bench_runs}
"""Presets of files that are no tables of trials."""
MOST_EXTRA = 24
"""Unmapped columns that a record keeps."""


class Rows(Importer):
    """Reads tables."""

    name = "rows"
    summary = "tables of results: CSV, JSON lines, JSON or YAML lists, Parquet, with a column map or preset"
    options: ClassVar = {
        "map": "A TOML file that says which column is which field.",
        "preset": f"A map that is known: {', '.join((*MAPPED, *CODED))}.",
        "medal": "For MLE-bench: which medal is a pass; any_medal by default.",
        "run": "A name for the run; by default the file's.",
        "agent": "Whose rows these are, where no column says so.",
        "model": "Its model, where no column says so.",
    }

    def recognises(self, tree: SourceTree) -> bool:  # noqa: ARG002  (a table does not say what its columns mean)
        """Return false: which column is which field is never guessed."""
        return False

    def read(self, reading: Reading) -> Iterator[ForeignRun]:
        """Yield a run for each file and agent."""
        preset = reading.option("preset")
        if preset in CODED:
            yield from CODED[preset](reading)
            return
        chosen = _map(reading, preset)
        for path in reading.tree.files:
            if path.endswith(KINDS):
                reading.used(path)
                yield from _file(reading, path, chosen)


def _map(reading: Reading, preset: str) -> ColumnMap:
    if preset in MAPPED:
        text = files("faultline.importers").joinpath(f"maps/{preset}.toml").read_text("utf-8")
        return read_map(text, f"preset {preset}")
    if preset:
        known = ", ".join((*MAPPED, *CODED))
        raise BadInputError(f"--option preset={shown(preset)}", "there is no such preset", expected=known)
    if not reading.option("map"):
        raise BadInputError("rows", "a table needs a column map or a preset", next_step="--option map=columns.toml")
    path = Path(reading.option("map"))
    try:
        text = path.read_text("utf-8")
        # What the columns were taken for is part of what a run says: another map under the same name is another reading.
        reading.told["map"] = f"{path.name} {digest_bytes(text.encode())}"
        return read_map(text, path.name)
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(shown(path.name), "this column map cannot be read", found=safe_text(str(error), 120)) from error


@dataclass
class _Group:
    """The rows of one agent in one file."""

    agent: ForeignAgent
    tasks: dict[str, ForeignTask] = field(default_factory=dict)
    trials: list[ForeignTrial] = field(default_factory=list)
    homeless: Counter[str] = field(default_factory=Counter)


def _file(reading: Reading, path: str, chosen: ColumnMap) -> Iterator[ForeignRun]:
    groups: dict[ForeignAgent, _Group] = {}
    left_out = 0
    try:
        for place, row in rows_of(reading, path):
            if chosen.not_trials is not None and text_of(row, chosen.not_trials) in chosen.not_trials.values:
                left_out += 1
                continue
            try:
                agent = ForeignAgent(
                    text_of(row, chosen.agent) or reading.option("agent"),
                    version=text_of(row, chosen.version),
                    model=text_of(row, chosen.model) or reading.option("model"),
                    provider=text_of(row, chosen.provider),
                )
                trial, task = _trial(row, place, chosen)
            except FaultlineError as error:
                reading.unreadable(error)
                continue
            group = groups.setdefault(agent, _Group(agent))
            group.tasks.setdefault(task.name, task)
            group.trials.append(trial)
            group.homeless.update(row.keys() - chosen.columns)
    except FaultlineError as error:
        reading.unreadable(error)
    notes = list(chosen.notes) if not left_out else [*chosen.notes, f"{left_out} rows are no trials of an agent"]
    stem = reading.option("run") or Path(path).stem
    for group in groups.values():
        reading.homeless.update(group.homeless)
        yield ForeignRun(
            name=stem,
            native_id=stem,
            agent=group.agent,
            tasks=group.tasks,
            trials=tuple(group.trials),
            files=(path,),
            notes=tuple(notes),
        )


def _trial(row: Mapping[str, Any], place: Place, chosen: ColumnMap) -> tuple[ForeignTrial, ForeignTask]:
    here = str(place)
    name = text_of(row, chosen.task)
    if not name:
        raise BadInputError(f"{shown(here)}: {chosen.task.column}", "the row names no task")
    index = _index(row, chosen, here)
    score = None if chosen.score is None else cell(row, chosen.score)
    number = _number(score, here, chosen)
    verdict, word = _verdict(row, chosen, number, here)
    rule = _rule(row, chosen.status, verdict, here)
    started, ended = time_of(row, chosen.started, here), time_of(row, chosen.ended, here)
    seconds = number_of(row, chosen.seconds, here)
    native_id = text_of(row, chosen.id) or _identity(row, name, index)
    messages = None if chosen.trajectory is None else cell(row, chosen.trajectory)
    trial = ForeignTrial(
        native_id=native_id,
        task=name,
        place=place,
        rule=rule,
        verdict=verdict,
        index=index,
        native_status=text_of(row, chosen.status) or word,
        message=text_of(row, chosen.message),
        score=number,
        attempts=(
            ForeignAttempt(
                started_at=started,
                ended_at=ended,
                agent_seconds=seconds if seconds is not None else seconds_between(started, ended),
                usage=_usage(row, chosen, here),
                cost=NO_COST if (usd := number_of(row, chosen.cost, here)) is None else cost(usd, chosen.cost_source),
            ),
        ),
        trajectory=(lambda: trajectory_of(native_id, "", "", messages)) if isinstance(messages, list) and messages else None,
        extra=_extra(row, chosen),
    )
    task = ForeignTask(
        name,
        suite=text_of(row, chosen.suite),
        family=text_of(row, chosen.family),
        category=text_of(row, chosen.category),
    )
    return trial, task


def _identity(row: Mapping[str, Any], task: str, index: int | None) -> str:
    """Return what tells a row from others: its trial number, or all that it says when nothing in it is an id."""
    if index is not None:
        return f"{task} {index}"
    plain = canonical_bytes({str(key): repr(value) for key, value in row.items()})
    return f"row {digest_bytes(plain)[7:23]}"


def _index(row: Mapping[str, Any], chosen: ColumnMap, here: str) -> int | None:
    text = text_of(row, chosen.trial)
    if chosen.trial is None or not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 7) or int(text) < chosen.trial.first:  # noqa: PLR2004
        where = f"{shown(here)}: {chosen.trial.column}"
        raise BadInputError(where, "this is no trial number", expected=f"{chosen.trial.first} or more", found=text[:40])
    return int(text) - chosen.trial.first


def _number(score: object, here: str, chosen: ColumnMap) -> float | None:
    if score is None or isinstance(score, bool):
        return None if score is None else float(score)
    found = amount(score)
    if found is None and chosen.score is not None and score == score:  # noqa: PLR0124  (NaN is unknown, not malformed)
        raise BadInputError(f"{shown(here)}: {chosen.score.column}", "this is no score", found=safe_text(repr(score), 60))
    return found


def _verdict(row: Mapping[str, Any], chosen: ColumnMap, score: float | None, here: str) -> tuple[Any, str]:
    """Return the verdict and the word that gave it; raises for a word that the map does not know."""
    if chosen.verdict is not None:
        value: Any = row.get(chosen.verdict.column)
        value = cell(row, chosen.verdict) if value is None else value
        word = "" if value is None else str(value).strip()
        low = word.lower().removesuffix(".0")
        if not word:
            return None, ""
        columns = chosen.verdict
        for verdict, words in (("passed", columns.passed), ("failed", columns.failed), (None, columns.none)):
            if low in {item.lower() for item in words}:
                return verdict, word
        expected = ", ".join((*chosen.verdict.passed, *chosen.verdict.failed))
        where = f"{shown(here)}: {chosen.verdict.column}"
        raise BadInputError(where, "the map does not say what this means", expected=expected, found=safe_text(word, 60))
    assert chosen.score is not None
    assert chosen.score.passed_at is not None
    if score is None:
        return None, ""
    away = score - chosen.score.passed_at
    reached = away <= chosen.score.tolerance if chosen.score.lower_is_better else away >= -chosen.score.tolerance
    return ("passed" if reached else "failed"), ""


def _rule(row: Mapping[str, Any], status: StatusColumn | None, verdict: str | None, here: str) -> Rule:
    """Return the status rule of a row; one without a verdict counts for nothing, whatever its status."""
    if status is None:
        return rules()["RO-02" if verdict is None else "RO-01"]
    word = text_of(row, status)
    if not word:
        name = "RO-02" if verdict is None and status.absent == "RO-01" else status.absent
    else:
        name = next((rule for known, rule in status.rules.items() if known.lower() == word.lower()), status.present)
    if not name:
        where = f"{shown(here)}: {status.column}"
        raise BadInputError(where, "the map has no rule for this", expected=", ".join(status.rules), found=safe_text(word, 60))
    return rules()[name]


def _usage(row: Mapping[str, Any], chosen: ColumnMap, here: str) -> Usage | Absent:
    def tokens(name: str) -> int | None:
        found = number_of(row, getattr(chosen, f"{name}_tokens"), here)
        return None if found is None else int(found)

    entered, read = tokens("input"), tokens("cache_read")
    includes = chosen.input_tokens is not None and chosen.input_tokens.includes_cache
    if includes:
        entered = None if entered is None or read is None or read > entered else entered - read
    return usage(
        uncached_input=entered,
        cache_read=read,
        cache_write=tokens("cache_write"),
        output=tokens("output"),
        reasoning=tokens("reasoning"),
        source="derived" if includes else "native",
    )


def _extra(row: Mapping[str, Any], chosen: ColumnMap) -> dict[str, str]:
    """Return unmapped cells that are plain values; what is nested is only counted."""
    known = chosen.columns
    kept = ((str(key), value) for key, value in row.items() if key not in known and isinstance(value, str | int | float))
    return {key: str(value) for key, value in list(kept)[:MOST_EXTRA] if value != ""}
