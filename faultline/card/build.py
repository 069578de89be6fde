"""Build the card from a benchmark's records: the same records give the same card, byte for byte.

Everything that is published passes through here. Pure: no file, clock or randomness.
"""

from faultline import __version__
from faultline.archive import Benchmark
from faultline.card.build_glossary import glossary
from faultline.card.build_leaderboard import leaderboard_from
from faultline.card.build_runs import run_card
from faultline.card.build_tasks import failure_class_cards, history_of, task_card
from faultline.card.model import EvaluationCard, Headline, ImportedTaskCard, Leaderboard, RunCard, TaskCard, Withheld
from faultline.errors import IntegrityError
from faultline.gates import Evaluation, Facts, evaluate, foreign_tasks, gate_policy, gather
from faultline.kinds import RunKind, safe_text
from faultline.records import not_run

REHEARSAL = "This card is a rehearsal on records made for a test; it is not published."
"""Stands among the problems of a card that took synthetic records for real ones."""


def build_card(benchmark: Benchmark) -> EvaluationCard:
    """Return the card of a benchmark under the publishing gates.

    Raises :class:`RefusedError` when the benchmark's settings ask for looser gates.
    """
    facts = gather(benchmark)
    return _assemble(benchmark, facts, evaluate(facts, gate_policy(benchmark.gates, benchmark.gates_origin)))


def rehearse_card(benchmark: Benchmark) -> EvaluationCard:
    """Return the card as it would be if synthetic records were real; for tests, and marked as such."""
    facts = gather(benchmark)
    policy = gate_policy(benchmark.gates, benchmark.gates_origin)
    return _assemble(benchmark, facts, evaluate(facts, policy, publishing=False))


def assemble(benchmark: Benchmark, evaluation: Evaluation) -> EvaluationCard:
    """Return the card of a benchmark and an evaluation of these very records.

    Raises :class:`IntegrityError` when the evaluation looked at other records.
    """
    return _assemble(benchmark, gather(benchmark), evaluation)


def _assemble(benchmark: Benchmark, facts: Facts, evaluation: Evaluation) -> EvaluationCard:
    """Return the card; ``facts`` are those of the benchmark."""
    if evaluation.evidence != facts.digest:
        raise IntegrityError(
            "gates",
            "the gates were evaluated on other records than the card is built from",
            expected=facts.digest,
            found=evaluation.evidence,
            next_step="evaluate the gates again",
        )
    runs = tuple(run_card(run, facts, opened=evaluation.gate_pass is not None) for run in reversed(facts.runs))
    tasks = tuple(_task_cards(benchmark, facts, runs))
    leaderboard = _leaderboard(facts, evaluation)
    problems = [problem.text for problem in facts.problems]
    return EvaluationCard(
        schema_name="faultline/card/1",
        title=safe_text(benchmark.title, 200),
        tagline=safe_text(benchmark.tagline, 400),
        faultline_version=__version__,
        as_of=max((run.seal.sealed_at for run in facts.runs), default=not_run("no run has been sealed")),
        headline=_headline(tasks, runs, leaderboard),
        leaderboard=leaderboard,
        report=evaluation.report,
        failure_classes=failure_class_cards(benchmark.tasks),
        tasks=tasks,
        runs=runs,
        imported_tasks=tuple(
            ImportedTaskCard(task=item.task, reference=item.reference, no_op=item.no_op, lacking=item.lacking, runs=item.runs)
            for item in foreign_tasks(facts)
        ),
        history=history_of(tasks),
        glossary=glossary(),
        problems=tuple(problems if evaluation.publishing else [REHEARSAL, *problems]),
    )


def _task_cards(benchmark: Benchmark, facts: Facts, runs: tuple[RunCard, ...]) -> list[TaskCard]:
    """Return the tasks by id, each with the trials of evaluations, oldest run first."""
    known = {task.id: task for task in facts.tasks}
    evaluations = [run for run in reversed(runs) if run.kind is not RunKind.VALIDITY]
    cards = []
    for task in sorted(benchmark.tasks, key=lambda item: item.id):
        rows = tuple(row for run in evaluations for row in run.trials if row.task == task.id)
        cards.append(task_card(task, known[task.id], facts, rows))
    return cards


def _leaderboard(facts: Facts, evaluation: Evaluation) -> Leaderboard | Withheld:
    if evaluation.gate_pass is not None:
        return leaderboard_from(evaluation.gate_pass, facts)
    return Withheld(state="withheld", gates=tuple(gate.id for gate in evaluation.report.gates if not gate.holds))


def _headline(tasks: tuple[TaskCard, ...], runs: tuple[RunCard, ...], leaderboard: Leaderboard | Withheld) -> Headline:
    return Headline(
        failure_classes=len({task.failure_class for task in tasks}),
        tasks=len(tasks),
        valid_tasks=sum(task.validity.state == "valid" for task in tasks),
        variants_per_task=min((task.validity.variants for task in tasks), default=0),
        required_outcomes=2 * len(tasks),
        model_claims=len(leaderboard.rows) if isinstance(leaderboard, Leaderboard) else 0,
        runs=len(runs),
        trials=sum(len(run.trials) for run in runs),
    )
