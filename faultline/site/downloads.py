"""Files of data beside the pages: the card itself, tables of slugs, words and numbers, schemas, and a list with digests.

Nothing is computed here. Free text is in ``card.json`` only: a spreadsheet would take some of it for a formula.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from faultline.card.model import Amount, EvaluationCard, Leaderboard, LeaderboardRow, RunCard, TaskCard
from faultline.card.published import apart, published
from faultline.card.tables import TRIAL_COLUMNS
from faultline.kinds import Fold, digest_bytes
from faultline.records import Absent
from faultline.site.formats import FORMATS
from faultline.site.schemas import schema_of

CARD, MANIFEST = "data/card.json", "data/manifest.json"
_ABOUT_CARD = "What this site shows, as one record; while there is no ranking, each run of an agent is a file of its own."
_SAFE_CELL = re.compile(r"[A-Za-z0-9][A-Za-z0-9 .:_@/+-]*")


@dataclass(frozen=True)
class Download:
    """A file of data."""

    path: str
    """Below the site."""
    title: str
    media_type: str
    content: bytes
    about: str
    """What a row or the file is, as a sentence."""

    @property
    def sha256(self) -> str:
        """Digest of the bytes."""
        return digest_bytes(self.content)


def downloads(card: EvaluationCard) -> tuple[Download, ...]:
    """Return the files of data of a card, without the list of them."""
    csv, data = "text/csv", "application/json"
    found = (
        Download(CARD, "Evaluation card", data, published(card).canonical(), _ABOUT_CARD),
        Download("data/tasks.csv", "Tasks", csv, _csv(_task_rows(card)), "One row a task, with the evidence for its validity."),
        Download(
            "data/runs.csv",
            "Runs",
            csv,
            _csv(_run_rows(card)),
            "One row a run. How trials ended is counted for controls only; for other agents the columns say withheld.",
        ),
        *_ranking(card),
        Download("data/trials.csv", "Trials", csv, _csv(_trial_rows(card)), "One row a trial, in the order of the plans."),
        *(
            Download(
                f"data/runs/{run.run}.json", f"Run {run.run}", data, run.canonical(), "One run with its counts and trials."
            )
            for run in apart(card)
        ),
        *(
            Download(
                f"schemas/{item.name}.schema.json",
                f"Schema of {item.file}",
                "application/schema+json",
                schema_of(item),
                f"JSON Schema of {item.schema}.",
            )
            for item in FORMATS
        ),
    )
    # A table without a row has no columns either, and is no file.
    return tuple(item for item in found if item.content.strip())


def manifest(card: EvaluationCard, files: Sequence[Download]) -> bytes:
    """Return the list of the files with their sizes and digests."""
    plain = {
        "card_digest": published(card).content_digest(),
        "faultline_version": card.faultline_version,
        "as_of": None if isinstance(card.as_of, Absent) else f"{card.as_of:%Y-%m-%dT%H:%M:%SZ}",
        "files": [
            {"path": item.path, "media_type": item.media_type, "size": len(item.content), "sha256": item.sha256}
            for item in files
        ],
    }
    return json.dumps(plain, indent=2, sort_keys=True).encode("ascii") + b"\n"


def cell(value: Any) -> str:
    """Return a value for a table of plain words and numbers; refuses text that a spreadsheet could take for a formula."""
    if isinstance(value, Absent):
        return value.absence.value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, int | Decimal):
        return str(value)
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%dT%H:%M:%SZ}"
    text = str(value)
    if text and not _SAFE_CELL.fullmatch(text):
        raise ValueError("free text does not belong into a table of slugs, words and numbers")
    return text


def _ranking(card: EvaluationCard) -> Iterator[Download]:
    """Yield the rows of the leaderboard, when there is one."""
    if isinstance(card.leaderboard, Leaderboard) and card.leaderboard.rows:
        about = "One row an agent, with ranks, missing verdicts, cost and time; only while every gate holds."
        content = _csv(_board_row(row) for row in card.leaderboard.rows)
        yield Download("data/leaderboard.csv", "Leaderboard", "text/csv", content, about)


def _board_row(row: LeaderboardRow) -> dict[str, Any]:
    cost, latency = row.cost, row.latency
    return {
        "agent": row.agent,
        "rank_low": row.rank.low,
        "rank_high": row.rank.high,
        "agents": row.rank.of,
        "not_separated_from": " ".join(row.rank.ties),
        "pass_at_1_as_failures": row.pass_at_1,
        "pass_at_1_scoreable": row.scoreable,
        "pass_at_1_as_passes": row.as_passes,
        "low": row.low,
        "high": row.high,
        "tasks": row.tasks,
        "families": row.families,
        "planned": row.trials.planned,
        "with_verdict": row.trials.with_verdict,
        "passed": row.trials.passed,
        "copies": row.trials.copies,
        "attempts": row.trials.attempts,
        **_money("usd_of_a_pass", cost.of_pass),
        **_money("usd_of_a_trial", cost.per_trial),
        "usd_total_known": cost.total_usd,
        "usd_unknown": cost.unknown,
        "median_seconds": latency.median.seconds,
        "median_is_a_lower_end": latency.median.at_least,
        "ninth_decile_seconds": latency.tail.seconds,
        "ninth_decile_is_a_lower_end": latency.tail.at_least,
        "seconds_unknown": latency.unknown,
        "ended_by_a_limit": latency.cut,
    }


def _money(name: str, amount: Amount | Absent) -> dict[str, Any]:
    """Return an amount and its limits as cells; an absence stands in all three."""
    if isinstance(amount, Absent):
        return dict.fromkeys((name, f"{name}_low", f"{name}_high"), amount)
    return {name: amount.usd, f"{name}_low": amount.low, f"{name}_high": amount.high}


def _csv(rows: Iterator[dict[str, Any]]) -> bytes:
    """Return rows as CSV with a header, line feeds, and every cell made by :func:`cell`."""
    import pandas as pd  # noqa: PLC0415  (takes long to load, and only downloads need it)

    plain = [{name: cell(value) for name, value in row.items()} for row in rows]
    frame = pd.DataFrame(plain, dtype=object)
    text: str = frame.to_csv(index=False, lineterminator="\n")
    return text.encode("ascii")


def _task_rows(card: EvaluationCard) -> Iterator[dict[str, Any]]:
    yield from (_task_row(task) for task in card.tasks)


def _task_row(task: TaskCard) -> dict[str, Any]:
    validity = task.validity
    wrong = [row for row in validity.controls if row.role == "wrong"]
    valid = [row for row in validity.controls if row.role == "valid"]
    return {
        "task": task.id,
        "family": task.family,
        "failure_class": task.failure_class,
        "version": task.version,
        "digest": task.digest,
        "validity": validity.state,
        "validity_run": validity.run or "none",
        "trials": validity.trials,
        "variants": validity.variants,
        "repetitions": validity.repetitions,
        "hash_seeds": validity.hash_seeds,
        "baseline_code": task.baseline_code,
        "wrong_repairs": len(wrong),
        "wrong_repairs_caught": sum(row.holds for row in wrong),
        "other_valid_repairs": len(valid),
        "other_valid_repairs_passing": sum(row.holds for row in valid),
        "flips": validity.flips,
        "checks": len(task.checks),
        "audits": len(task.audits),
        "corrections": len(task.corrections),
    }


def _run_rows(card: EvaluationCard) -> Iterator[dict[str, Any]]:
    yield from (_run_row(run) for run in card.runs)


def _run_row(run: RunCard) -> dict[str, Any]:
    # Counts of several agents in one table would be a comparison, whatever it is called.
    folds = {fold: run.counts.folds[fold] if run.controls_only else "withheld" for fold in Fold}
    return {
        "run": run.run,
        "kind": run.kind.value,
        "controls_only": run.controls_only,
        "agents": " ".join(sorted(agent.name for agent in run.agents)),
        "planned_at": run.planned_at,
        "sealed_at": run.sealed_at,
        "tasks": len(run.tasks),
        "variants": len(run.variants),
        "trials_per_cell": run.trials_per_cell,
        "planned": run.counts.planned,
        "retry": None if isinstance(run.retry, Absent) else run.retry.policy.value,
        "max_attempts": None if isinstance(run.retry, Absent) else run.retry.max_attempts,
        "estimand": run.estimand.value,
        "sandbox": None if isinstance(run.sandbox, Absent) else run.sandbox.value,
        "synthetic": run.synthetic,
        **{fold.value.replace("-", "_"): count for fold, count in folds.items()},
        "conflicts": run.conflicts,
        "seal_digest": run.seal_digest,
    }


def _trial_rows(card: EvaluationCard) -> Iterator[dict[str, Any]]:
    yield from ({column.name: column.value(row) for column in TRIAL_COLUMNS} for run in card.runs for row in run.trials)
