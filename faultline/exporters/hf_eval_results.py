"""``hf-eval-results``: the leaderboard as evaluation results of the Hugging Face Hub; exists only behind a gate pass.

Form: https://huggingface.co/docs/hub/eval-results. The format's only purpose is publication, so there is nothing to export
while a gate does not hold, and a pass from a rehearsal opens nothing.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar

from faultline.card.model import Leaderboard, LeaderboardRow
from faultline.clock import Clock
from faultline.errors import FaultlineError, RefusedError, raise_all
from faultline.exporters.interface import Export, Exporter, Subject
from faultline.gates import GatePass
from faultline.kinds import safe_text, slug
from faultline.records import Absent


class HfEvalResultsExporter(Exporter):
    """One file for each agent of the leaderboard, for the repository of its model."""

    name = "hf-eval-results"
    title = "the leaderboard as evaluation results of the Hugging Face Hub"
    needs = "every publication gate holds; the settings dataset and task"
    loses = "Everything but rate and date: the format has no field for an interval, which therefore stands in the notes."
    options: ClassVar[Mapping[str, str]] = {
        "dataset": "id of the benchmark's dataset on the Hub; needed",
        "task": "id of the task in the dataset's eval.yaml; needed",
        "revision": "revision of the dataset",
        "source": "address of the published card",
    }

    def export(self, subject: Subject, clock: Clock) -> Export:  # noqa: ARG002  (the records carry their own times)
        """Return the files.

        Raises :class:`RefusedError` while a gate does not hold, for a rehearsal, and for a setting that is missing.
        """
        held, board = subject.evaluation.gate_pass, subject.card.leaderboard
        if held is None or not isinstance(board, Leaderboard):
            raise RefusedError(
                "hf-eval-results", "the leaderboard is withheld", found=subject.gate_status, next_step="faultline gates"
            )
        missing: list[FaultlineError] = [
            RefusedError(f"--set {name}", "this setting is needed", expected=self.options[name].removesuffix("; needed"))
            for name in ("dataset", "task")
            if not subject.options.get(name)
        ]
        if subject.names:
            missing.append(RefusedError("hf-eval-results", "the leaderboard is made from every evaluation; no run is chosen"))
        raise_all(missing)
        as_of = subject.card.as_of
        return Export(results_of(held, board, None if isinstance(as_of, Absent) else as_of, subject.options))


def results_of(gate_pass: GatePass, board: Leaderboard, as_of: datetime | None, options: Mapping[str, str]) -> dict[str, bytes]:
    """Return one file for each row of a leaderboard; the pass is the only way here, and must be a publishing one.

    Raises :class:`RefusedError` for a rehearsal, and for a pass that did not open this leaderboard.
    """
    if not isinstance(gate_pass, GatePass):
        raise TypeError("evaluation results exist only behind a gate pass")
    if not gate_pass.publishing:
        raise RefusedError("hf-eval-results", "this gate pass is from a rehearsal, which publishes nothing")
    if board.gate_pass != gate_pass.report:
        raise RefusedError(
            "hf-eval-results", "this gate pass opened another leaderboard", expected=gate_pass.report, found=board.gate_pass
        )
    if not board.rows:
        raise RefusedError("hf-eval-results", "the leaderboard has no row", next_step="faultline build-site, which says why")
    name = slug(options["dataset"])
    return {f"{slug(row.agent)}/.eval_results/{name}.yaml": _yaml(row, as_of, options) for row in board.rows}


def _yaml(row: LeaderboardRow, as_of: datetime | None, options: Mapping[str, str]) -> bytes:
    """Return a list with one result; texts are quoted as in JSON, of which YAML reads every escape."""
    notes = (
        f"agent {row.agent}; {100 * row.low:.1f} to {100 * row.high:.1f} % ({row.method}); "
        f"{row.families} task families, {row.planned} planned trials"
    )
    lines = [
        "- dataset:",
        f"    id: {_quoted(options['dataset'])}",
        f"    task_id: {_quoted(options['task'])}",
    ]
    if options.get("revision"):
        lines.append(f"    revision: {_quoted(options['revision'])}")
    lines.append(f"  value: {row.pass_at_1!r}")
    if as_of is not None:
        lines.append(f"  date: {_quoted(f'{as_of:%Y-%m-%d}')}")
    if options.get("source"):
        lines += ["  source:", f"    url: {_quoted(options['source'])}", '    name: "Faultline evaluation card"']
    lines.append(f"  notes: {_quoted(notes)}")
    return ("\n".join(lines) + "\n").encode("ascii")


def _quoted(text: str) -> str:
    return json.dumps(safe_text(text), ensure_ascii=True)
