"""Subjects of exports, made in memory."""

import dataclasses
from functools import lru_cache

import factories

from faultline.archive import load_benchmark
from faultline.card import assemble
from faultline.exporters import Subject
from faultline.gates import evaluate, gate_policy, gather


def subject(benchmark=None, *names, publishing=True, **options):
    """Return a benchmark with its card and its gates, as the command line hands it to an exporter."""
    if benchmark is None:
        return dataclasses.replace(_small(publishing), names=names, options=options)
    evaluation = evaluate(gather(benchmark), gate_policy(benchmark.gates, benchmark.gates_origin), publishing=publishing)
    return Subject(benchmark, assemble(benchmark, evaluation), evaluation, names, options)


@lru_cache
def _small(publishing):
    return subject(factories.small(), publishing=publishing)


def honest(benchmark=None):
    """Return a benchmark without the mark of things made for a test, so that publishing gates look at it."""
    of = benchmark or factories.small()

    def unmarked(records):
        return tuple(record.model_copy(update={"synthetic": False}) for record in records)

    return dataclasses.replace(
        of,
        tasks=tuple(dataclasses.replace(task, audits=unmarked(task.audits)) for task in of.tasks),
        runs=tuple(factories.remanifest(run, synthetic=False) for run in of.runs),
        reviews=unmarked(of.reviews),
    )


def foreign(folder):
    """Return a benchmark whose only run was imported: a pass, a failure with a score, a trial without a verdict."""
    from toy import imported, lines

    rows = ({"id": 1}, {"id": 2, "verdict": "failed"}, {"id": 3, "task": "other", "verdict": None, "rule": "HB-01"})
    (folder / "source").mkdir()
    (folder / "source" / "first.toy").write_text(lines(*rows))
    imported(folder / "source", folder / "runs")
    return load_benchmark(folder)
