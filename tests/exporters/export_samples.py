"""Subjects of exports, made in memory."""

import factories

from faultline.card import assemble
from faultline.exporters import Subject
from faultline.gates import evaluate, gate_policy, gather


def subject(benchmark=None, *names, publishing=True, **options):
    """Return a benchmark with its card and its gates, as the command line hands it to an exporter."""
    found = benchmark or factories.small()
    evaluation = evaluate(gather(found), gate_policy(found.gates, found.gates_origin), publishing=publishing)
    return Subject(found, assemble(found, evaluation), evaluation, names, options)
