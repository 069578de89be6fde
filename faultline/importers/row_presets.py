"""Presets of results that are no tables of trials: aider's leaderboards and case files, MLE-bench's grading reports."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from faultline.errors import BadInputError, FaultlineError
from faultline.importers.interface import NO_COST, ForeignAgent, ForeignAttempt, ForeignRun, ForeignTask, ForeignTrial, Place
from faultline.importers.numbers import cost, count, number, usage
from faultline.importers.reading import Reading
from faultline.importers.row_files import rows_of
from faultline.importers.rules import rules
from faultline.importers.times import iso_time
from faultline.importers.tree import shown
from faultline.kinds import safe_text
from faultline.records import Cost, PublishedNumber, unknown

_CASE = ".aider.results.json"
_ROUNDING = 0.06
"""Rates are published in percent with one digit."""
_MOST_CASES = 100_000


def aider_runs(reading: Reading) -> Iterator[ForeignRun]:
    """Yield the runs of aider: trials from case files, or aggregates whose trials all lack a record."""
    cases: dict[str, list[str]] = {}
    for path in reading.tree.files:
        if path.endswith(_CASE):
            # Each case has a folder of its own; the one above them is the run.
            cases.setdefault(str(Path(path).parent.parent), []).append(path)
    for folder in sorted(cases):
        yield from _aider_cases(reading, folder, cases[folder])
    for path in reading.tree.files:
        if not path.endswith((".yml", ".yaml")):
            continue
        reading.used(path)
        try:
            for place, row in rows_of(reading, path):
                try:
                    yield _aider_aggregate(row, place)
                except FaultlineError as error:
                    reading.unreadable(error)
        except FaultlineError as error:
            reading.unreadable(error)


def _aider_aggregate(row: dict[str, Any], place: Place) -> ForeignRun:
    """Return a row of a leaderboard as a run whose every planned trial lacks a record."""
    model, name = row.get("model"), row.get("dirname")
    done, total = count(row.get("test_cases")), count(row.get("total_tests"))
    planned = total or done
    if not isinstance(model, str) or not planned or planned > _MOST_CASES:
        expected = "a model and the number of test cases"
        raise BadInputError(shown(str(place)), "this is no row of aider's leaderboard", expected=expected)
    name = name if isinstance(name, str) and name else f"{model} {place.row}"
    suite = Path(place.path).stem.removesuffix("_leaderboard")
    commit = row.get("commit_hash")
    commit = commit if isinstance(commit, str) else ""
    headlines = []
    for turn in (1, 2):
        rate, passed = number(row.get(f"pass_rate_{turn}")), count(row.get(f"pass_num_{turn}"))
        if rate is None:
            continue
        note = "rows are not in the file"
        if passed is not None:
            bases = {word: base for word, base in (("test_cases", done), ("total_tests", total)) if base}
            fits = [word for word, base in bases.items() if abs(100 * passed / base - rate) < _ROUNDING]
            note = f"{passed} passed; as published this divides by {' or '.join(fits) or 'neither test_cases nor total_tests'}"
        title, no_rows = f"pass_rate_{turn} (percent)", unknown("there are no rows")
        headlines.append(PublishedNumber(name=title, published=rate, recomputed=no_rows, note=note))
    spent = cost(row.get("total_cost"), "aider", zero_is_unknown=True)
    notes = [
        "an aggregate without rows supports nothing: all of its trials stay without a verdict",
        f"total cost there: {spent.usd} USD" if isinstance(spent, Cost) else "its cost is unknown",
    ]
    if done and total and done != total:
        notes.append(f"{total - done} of {total} cases were lost")
    edit = row.get("edit_format")
    return ForeignRun(
        name=name,
        native_id=f"{suite} {name}",
        agent=ForeignAgent("aider", version=str(row.get("versions") or ""), model=model),
        tasks={suite: ForeignTask(suite, suite=f"aider {suite}")},
        trials=(),
        files=(place.path,),
        planned={suite: planned},
        missing_rule="AI-01",
        harness="aider",
        harness_version=str(row.get("versions") or ""),
        harness_commit=commit.removesuffix("-dirty"),
        harness_dirty=commit.endswith("-dirty") if commit else None,
        protocol={"edit format": edit} if isinstance(edit, str) else {},
        headlines=tuple(headlines),
        notes=tuple(notes),
    )


def _aider_cases(reading: Reading, folder: str, paths: list[str]) -> Iterator[ForeignRun]:
    trials, model = [], ""
    for path in paths:
        reading.used(path)
        try:
            found = reading.tree.json(path)
            if not isinstance(found, dict) or not isinstance(outcomes := found.get("tests_outcomes"), list):
                raise BadInputError(shown(path), "this is no case of aider", expected="tests_outcomes")
        except FaultlineError as error:
            reading.unreadable(error)
            continue
        model = model or str(found.get("model") or "")
        verdicts = [item for item in outcomes if isinstance(item, bool)]
        stopped = bool(count(found.get("test_timeouts")))
        name = str(found.get("testcase") or Path(path).parent.name)
        trials.append(
            ForeignTrial(
                native_id=f"{folder} {name}",
                task=name,
                place=Place(path),
                rule=rules()["RO-02" if not verdicts else "AI-02"],
                verdict=None if not verdicts else "passed" if verdicts[-1] else "failed",
                index=0,
                native_status="test time-out" if stopped else "",
                metrics={"tries": float(len(verdicts))},
                attempts=(
                    ForeignAttempt(
                        agent_seconds=number(found.get("duration")),
                        usage=usage(
                            output=count(found.get("completion_tokens")),
                            reasoning=count(found.get("thinking_tokens")),
                            why="aider counts prompts with what it read from a cache",
                        ),
                        cost=cost(found.get("cost"), "aider", zero_is_unknown=True) if "cost" in found else NO_COST,
                    ),
                ),
            )
        )
    if trials:
        yield ForeignRun(
            name=Path(folder).name or reading.tree.name,
            native_id=Path(folder).name or reading.tree.name,
            agent=ForeignAgent("aider", model=model),
            tasks={trial.task: ForeignTask(trial.task, suite="aider") for trial in trials},
            trials=tuple(trials),
            files=tuple(paths),
            harness="aider",
            notes=("passed is the last of its tries, so the estimand is that of the number of tries that were allowed",),
        )


def mle_bench_runs(reading: Reading) -> Iterator[ForeignRun]:
    """Yield the run of each agent: a trial is a run group (a seed), passed when it has the medal that is asked for."""
    medal = reading.option("medal") or "any_medal"
    groups: dict[str, dict[str, list[ForeignTrial]]] = {}
    used: dict[str, list[str]] = {}
    asked: dict[str, dict[str, set[str]]] = {}
    for path in reading.tree.files:
        if not path.endswith("_grading_report.json"):
            continue
        reading.used(path)
        try:
            group = Path(path).parent.name or Path(path).stem
            agent, competitions = _mle_group(reading, path)
            reports = _reports(reading, path)
            used.setdefault(agent, []).append(path)
            asked.setdefault(agent, {})[group] = competitions
            groups.setdefault(agent, {})[group] = [
                _mle_trial(report, Place(path, row=position), group, medal, reading)
                for position, report in enumerate(reports, start=1)
            ]
        except FaultlineError as error:
            reading.unreadable(error)
    for agent, by_group in sorted(groups.items()):
        seeds = {group: number for number, group in enumerate(sorted(by_group))}
        trials = [replace(trial, index=seeds[group]) for group, found in by_group.items() for trial in found]
        names = {trial.task for trial in trials} | {name for found in asked[agent].values() for name in found}
        yield ForeignRun(
            name=agent,
            native_id=f"{agent} {', '.join(sorted(by_group))}",
            agent=ForeignAgent(agent),
            tasks={name: ForeignTask(name, suite="mle-bench") for name in sorted(names)},
            trials=tuple(trials),
            files=tuple(used[agent]),
            planned={name: len(seeds) for name in sorted(names)},
            missing_rule="ML-04",
            harness="mle-bench",
            notes=(f"passed means {medal}; a trial is a run group, numbered by name",),
        )


def _mle_group(reading: Reading, path: str) -> tuple[str, set[str]]:
    """Return agent and competitions of a run group, from its metadata where they are there."""
    beside = str(Path(path).parent / "metadata.json")
    group = Path(path).parent.name
    if not reading.tree.has(beside):
        return group or reading.option("agent") or "unnamed", set()
    reading.used(beside)
    found = reading.tree.json(beside)
    agent = found.get("agent") if isinstance(found, dict) else None
    listed = found.get("runs") if isinstance(found, dict) else None
    # A folder of a run is called after its competition and a suffix of the group.
    names = {key.rpartition("_")[0] or key for key in listed} if isinstance(listed, dict) else set()
    return (agent if isinstance(agent, str) and agent else group), names


def _reports(reading: Reading, path: str) -> list[dict[str, Any]]:
    if reading.tree.head(path, 64).startswith(b"version https://git-lfs"):
        raise BadInputError(shown(path), "this is a pointer of Git LFS and not the report", next_step="git lfs pull")
    found = reading.tree.json(path)
    reports = found.get("competition_reports") if isinstance(found, dict) else None
    if not isinstance(reports, list) or not all(
        isinstance(item, dict) and isinstance(item.get("competition_id"), str) for item in reports
    ):
        raise BadInputError(shown(path), "this is no grading report of MLE-bench", expected="competition_reports")
    return reports


def _mle_trial(report: dict[str, Any], place: Place, group: str, medal: str, reading: Reading) -> ForeignTrial:
    if medal not in report or not isinstance(report[medal], bool):
        raise BadInputError(f"{shown(str(place))}: {safe_text(medal, 40)}", "this report has no such medal")
    name = report["competition_id"]
    if "submission_path" in report:
        reading.homeless["submission_path"] += 1
    rule = "ML-03" if report.get("valid_submission") is not False else "ML-02"
    if report.get("submission_exists") is False:
        rule = "ML-01"
    score = number(report.get("score"))
    if rule == "ML-03" and score is None:
        rule = "RO-02"
    return ForeignTrial(
        native_id=f"{group} {name}",
        task=name,
        place=place,
        rule=rules()[rule],
        verdict=None if rule == "RO-02" else "passed" if report[medal] and rule == "ML-03" else "failed",
        native_status={"ML-01": "no submission", "ML-02": "invalid submission"}.get(rule, ""),
        score=score,
        attempts=(ForeignAttempt(ended_at=iso_time(report.get("created_at"))),),
        extra={"lower is better": "yes"} if report.get("is_lower_better") is True else {},
    )
