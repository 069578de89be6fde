"""Every Eval Ever: an aggregate file, and beside it the rows of its instances.

Files that were converted from logs with several epochs repeat the mean of the epochs in every row; such rows hold no verdict of
a trial. A row with an error has none either, whatever ``is_correct`` says beside it.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any, ClassVar

from faultline.errors import BadInputError, FaultlineError
from faultline.importers.interface import ForeignAgent, ForeignAttempt, ForeignRun, ForeignTask, ForeignTrial, Importer, Place
from faultline.importers.numbers import cost, count, number, usage
from faultline.importers.reading import Reading
from faultline.importers.rules import Rule, rules
from faultline.importers.times import epoch_time
from faultline.importers.tree import SourceTree, foreign_json, shown
from faultline.kinds import Blame, StatusClass, digest_bytes, safe_text
from faultline.records import Absent, PublishedNumber, Usage, canonical_bytes, unknown

_PLACEHOLDERS = {"", "unknown", "none", "null", "n/a"}
_KNOWN_ROW = {
    *("schema_version", "evaluation_id", "model_id", "evaluation_name", "evaluation_result_id", "sample_id", "sample_hash"),
    *("evaluation", "token_usage", "performance", "error", "metadata"),
}
_WHOLE = {0.0, 1.0}


class EveryEvalEver(Importer):
    """Reads aggregates with their rows."""

    name = "eee"
    summary = "Every Eval Ever, aggregate files with their instance rows"
    options: ClassVar = {"result": "Which evaluation_result_id gives the verdicts, where a file holds several."}

    def recognises(self, tree: SourceTree) -> bool:
        """Return whether a JSON file carries the keys of an aggregate."""
        return any(path.endswith(".json") and _is_aggregate(tree.head(path)) for path in tree.files)

    def read(self, reading: Reading) -> Iterator[ForeignRun]:
        """Yield a run for each aggregate."""
        for path in reading.tree.files:
            if not path.endswith(".json") or not _is_aggregate(reading.tree.head(path)):
                continue
            reading.used(path)
            try:
                found = _run(path, reading)
            except FaultlineError as error:
                reading.unreadable(error)
            else:
                if found is not None:
                    yield found


def _is_aggregate(head: bytes) -> bool:
    return b'"evaluation_id"' in head and b'"source_metadata"' in head


def _run(path: str, reading: Reading) -> ForeignRun | None:
    aggregate = reading.tree.json(path)
    if not isinstance(aggregate, dict) or not isinstance(aggregate.get("evaluation_id"), str):
        raise BadInputError(shown(path), "this is no aggregate of Every Eval Ever", expected="evaluation_id")
    results = [item for item in _list(aggregate.get("evaluation_results")) if isinstance(item, dict)]
    notes: list[str] = []
    rows_path, rows = _rows(path, aggregate, reading, notes)
    chosen = _chosen(results, rows, reading, path)
    mine = [(place, row) for place, row in rows if row.get("evaluation_result_id") in (chosen, None)]
    if len(mine) < len(rows):
        notes.append(f"{len(rows) - len(mine)} rows belong to other results than {safe_text(chosen or '', 100)}")
    reduced = _reduced(mine)
    if reduced:
        notes.append("reduced: every row of a sample repeats the mean over its epochs, so no trial has a verdict")
    trials = []
    for place, row in mine:
        try:
            trials.append(_trial(row, place, reading, reduced=reduced))
        except FaultlineError as error:
            reading.unreadable(error)
    if moment := epoch_time(aggregate.get("evaluation_timestamp")):
        notes.append(f"evaluated at {moment.isoformat()}")
    model = _dict(aggregate.get("model_info"))
    library = _dict(aggregate.get("eval_library"))
    result = next((item for item in results if item.get("evaluation_result_id") == chosen), results[0] if results else {})
    suite = _told(_dict(result.get("source_data")).get("dataset_name")) or _told(result.get("evaluation_name"))
    planned = {} if trials else _planned(result)
    if not trials and not planned:
        reading.skip(path, "an aggregate that names neither rows nor samples; there is nothing to count")
        return None
    names = {trial.task for trial in trials} | set(planned)
    return ForeignRun(
        name=_told(result.get("evaluation_name")) or "eee",
        native_id=_identity(aggregate),
        agent=ForeignAgent(
            _told(model.get("name")) or _told(model.get("id")),
            model=_told(model.get("id")),
            provider=_told(model.get("inference_platform")) or _told(model.get("developer")),
        ),
        tasks={name: ForeignTask(name, suite=suite) for name in sorted(names)},
        trials=tuple(trials),
        files=(path, *((rows_path,) if rows_path else ())),
        planned=planned,
        harness=_told(library.get("name")),
        harness_version=_told(library.get("version")),
        protocol=_protocol(result, aggregate),
        headlines=tuple(_headlines(results, chosen, trials, reduced=reduced)),
        notes=tuple(notes),
    )


def _identity(aggregate: dict[str, Any]) -> str:
    """Return what makes the evaluation itself: its content without the time of retrieval, new with each conversion."""
    plain = {
        key: value for key, value in aggregate.items() if key not in ("retrieved_timestamp", "detailed_evaluation_results")
    }
    return f"{aggregate['evaluation_id']} {digest_bytes(canonical_bytes(_without_nan(plain)))[7:19]}"


def _without_nan(value: Any) -> Any:
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    return [_without_nan(item) for item in value] if isinstance(value, list) else value


def _rows(
    path: str, aggregate: dict[str, Any], reading: Reading, notes: list[str]
) -> tuple[str, list[tuple[Place, dict[str, Any]]]]:
    """Return the rows' file and its rows, and note where they are not what the aggregate says."""
    details = _dict(aggregate.get("detailed_evaluation_results"))
    beside = f"{path.removesuffix('.json')}_samples.jsonl"
    wanted = details.get("file_path")
    named = PurePosixPath(wanted).name if isinstance(wanted, str) else ""
    folder = path.rpartition("/")[0]
    found = next((name for name in (f"{folder}/{named}".lstrip("/") if named else "", beside) if reading.tree.has(name)), "")
    if not found:
        notes.append("its rows are not beside it, so nothing can be recomputed" if details else "it has no rows")
        return "", []
    reading.used(found)
    rows = []
    for line, data in reading.tree.lines(found):
        place = Place(found, row=line)
        try:
            row = foreign_json(data, str(place))
            if not isinstance(row, dict):
                raise BadInputError(str(place), "a row is an object", found=type(row).__name__)
        except FaultlineError as error:
            reading.unreadable(error)
            continue
        rows.append((place, row))
    if isinstance(details.get("total_rows"), int) and details["total_rows"] != len(rows):
        notes.append(f"the aggregate says {details['total_rows']} rows; the file has {len(rows)}")
    told = details.get("checksum")
    if isinstance(told, str) and details.get("hash_algorithm") == "sha256" and f"sha256:{told}" != reading.tree.digest(found):
        notes.append("the checksum of the rows' file is not the one that the aggregate names")
    return found, rows


def _chosen(
    results: Sequence[dict[str, Any]], rows: Sequence[tuple[Place, dict[str, Any]]], reading: Reading, path: str
) -> str | None:
    """Return which result the verdicts come from; raises when there are several and none was named."""
    wanted = reading.option("result")
    seen = sorted({name for _, row in rows if isinstance(name := row.get("evaluation_result_id"), str)})
    if wanted:
        return wanted
    if len(seen) > 1:
        raise BadInputError(
            shown(path), "its rows belong to several results", expected="--option result=ID", found=", ".join(seen)[:200]
        )
    return seen[0] if seen else _told(results[0].get("evaluation_result_id")) or None if results else None


def _reduced(rows: Sequence[tuple[Place, dict[str, Any]]]) -> bool:
    """Return whether rows repeat the mean over epochs: one score a sample although its epochs differ, a fraction among them."""
    scores: dict[object, set[object]] = defaultdict(set)
    epochs: dict[object, set[object]] = defaultdict(set)
    for _, row in rows:
        sample = str(row.get("sample_id"))
        scores[sample].add(number(_dict(row.get("evaluation")).get("score")))
        epochs[sample].add(repr(_dict(row.get("metadata")).get("epoch")))
    repeated = [sample for sample in scores if len(epochs[sample]) > 1]
    same = all(len(scores[sample]) == 1 for sample in repeated)
    return bool(repeated) and same and any(not scores[sample] <= _WHOLE for sample in repeated)


def _trial(row: dict[str, Any], place: Place, reading: Reading, *, reduced: bool) -> ForeignTrial:
    sample = row.get("sample_id")
    if not isinstance(sample, str | int) or sample == "":
        raise BadInputError(f"{place}: sample_id", "the row names no sample")
    for key in row.keys() - _KNOWN_ROW:
        reading.homeless[safe_text(key, 80)] += 1
    evaluation, metadata = _dict(row.get("evaluation")), _dict(row.get("metadata"))
    correct, score = evaluation.get("is_correct"), number(evaluation.get("score"))
    error = row.get("error")
    error = error if isinstance(error, str) else "" if error is None else repr(error)
    rule = _rule(metadata, error)
    verdict = ("passed" if correct else "failed") if isinstance(correct, bool) else None
    if reduced:
        verdict, rule = None, rules()["EE-04"] if not error else rule
    trial, index = metadata.get("epoch", metadata.get("trial")), None
    if isinstance(trial, str | int) and str(trial).isascii() and str(trial).isdigit() and len(str(trial)) < 7:  # noqa: PLR2004
        index = int(trial) - ("epoch" in metadata) if int(trial) or "epoch" not in metadata else None
    result = row.get("evaluation_result_id")
    return ForeignTrial(
        native_id=f"{row.get('evaluation_id')} {result or ''} {sample} {'' if trial is None else trial}".strip(),
        task=str(sample),
        place=place,
        rule=rule,
        verdict=verdict,  # type: ignore[arg-type]  # one of two words or none
        index=index,
        native_status=_told(metadata.get("status")) or _told(metadata.get("stop_reason")),
        message=error,
        score=score,
        attempts=(
            ForeignAttempt(
                agent_seconds=_milliseconds(_dict(row.get("performance")).get("latency_ms")),
                usage=_usage(row.get("token_usage")),
                cost=cost(_number(metadata.get("cost_usd")), "the file"),
            ),
        ),
        extra={key: value for key, value in metadata.items() if isinstance(value, str) and key not in ("epoch", "trial")},
    )


def _rule(metadata: dict[str, Any], error: str) -> Rule:
    """Return the rule of a row: what Faultline wrote itself is read back, any other error says nothing of its cause."""
    told = metadata.get("status")
    if isinstance(told, str) and told in set(StatusClass) and metadata.get("scoreable") in ("true", "false"):
        base = rules()["EE-02"]
        blame = {"agent": Blame.AGENT, "benchmark": Blame.TASK, "external": Blame.ENVIRONMENT}
        return Rule(
            base.id,
            base.format,
            base.field,
            base.value,
            StatusClass(told),
            blame.get(str(metadata.get("error_attribution")), Blame.UNKNOWN),
            "yes" if metadata["scoreable"] == "true" else "no",
            base.note,
        )
    return rules()["EE-01" if error else "EE-03"]


def _usage(told: object) -> Usage | Absent:
    """Return tokens; converters give those of the last call only, so they are estimates."""
    found = _dict(told)
    return usage(
        uncached_input=count(found.get("input_tokens")),
        cache_read=count(found.get("input_tokens_cache_read")),
        cache_write=count(found.get("input_tokens_cache_write")),
        output=count(found.get("output_tokens")),
        reasoning=count(found.get("reasoning_tokens")),
        source="estimated",
    )


def _headlines(
    results: Sequence[dict[str, Any]], chosen: str | None, trials: Sequence[ForeignTrial], *, reduced: bool
) -> Iterator[PublishedNumber]:
    for result in results:
        score = number(_dict(result.get("score_details")).get("score"))
        if score is None:
            continue
        name = _told(result.get("evaluation_result_id")) or _told(result.get("evaluation_name")) or "score"
        rows: float | Absent = unknown("the rows are of another result")
        note = ""
        if name == chosen or len(results) == 1:
            scores = [trial.score for trial in trials if trial.score is not None]
            rows = sum(scores) / len(scores) if scores else unknown("there are no rows with a score")
            note = f"mean of the scores of {len(scores)} rows"
            errors = sum(bool(trial.message) for trial in trials)
            if errors:
                note += f", {errors} of them beside an error"
            if reduced:
                note += "; each repeats its sample's mean"
        metric = _dict(result.get("metric_config"))
        if metric.get("metric_unit") == "percent" and isinstance(rows, float):
            note += "; percent there"
            score /= 100
        yield PublishedNumber(name=name, published=score, recomputed=rows, note=note)


def _planned(result: dict[str, Any]) -> dict[str, int]:
    """Return the samples that an aggregate without rows names; none of them has a record."""
    source = _dict(result.get("source_data"))
    named = [str(item) for item in _list(source.get("sample_ids")) if isinstance(item, str | int) and item != ""]
    return dict.fromkeys(named, 1)


def _protocol(result: dict[str, Any], aggregate: dict[str, Any]) -> dict[str, str]:
    arguments = _dict(_dict(result.get("generation_config")).get("generation_args"))
    found = {f"limit: {key}": str(value) for key, value in _dict(arguments.get("eval_limits")).items() if value is not None}
    source = _dict(aggregate.get("source_metadata"))
    for key in ("source_type", "evaluator_relationship"):
        if word := _told(source.get(key)):
            found[key.replace("_", " ")] = word
    return found


def _milliseconds(value: object) -> float | None:
    found = number(value)
    return None if found is None or found < 0 else found / 1000


def _number(value: object) -> object:
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return None


def _told(value: object) -> str:
    """Return a text that says something; a placeholder says nothing."""
    return value if isinstance(value, str) and value.strip().lower() not in _PLACEHOLDERS else ""


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
