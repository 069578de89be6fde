"""What must hold before a ranking may exist: facts, probes that each answer one question, and a policy that fails closed.

Pure: :func:`gather` takes a benchmark that the archive has read, each module with a ``GATE`` holds one probe, and
:func:`evaluate` decides. Only ``pass`` holds; evidence that is lost, unreadable or made for a test never does.
Front doors: :func:`gather`, :func:`gate_policy`, :func:`evaluate`.
"""

from collections.abc import Mapping
from typing import Any

from faultline.gates.checker import changed_checks, earlier_form, unkilled
from faultline.gates.equal_conditions import protocol_differences, variants_of
from faultline.gates.evaluator import GATES, THRESHOLDS, Evaluation, GatePass, evaluate
from faultline.gates.facts import Control, Facts, Problem, RunFacts, TaskFacts, cell_label
from faultline.gates.foreign import ForeignTask, foreign_tasks, tasks_of
from faultline.gates.gate import Finding, Gate
from faultline.gates.gathering import gather
from faultline.gates.model import OUTCOMES, GateReport, GateResult, Lack, Link, PolicyRow
from faultline.gates.policy import Policy, Threshold, policy_from
from faultline.gates.validity import ControlEvidence, Validity, validity_in, validity_of

__all__ = [
    "GATES",
    "OUTCOMES",
    "THRESHOLDS",
    "Control",
    "ControlEvidence",
    "Evaluation",
    "Facts",
    "Finding",
    "ForeignTask",
    "Gate",
    "GatePass",
    "GateReport",
    "GateResult",
    "Lack",
    "Link",
    "Policy",
    "PolicyRow",
    "Problem",
    "RunFacts",
    "TaskFacts",
    "Threshold",
    "Validity",
    "cell_label",
    "changed_checks",
    "earlier_form",
    "evaluate",
    "foreign_tasks",
    "gate_policy",
    "gather",
    "policy_from",
    "protocol_differences",
    "tasks_of",
    "unkilled",
    "validity_in",
    "validity_of",
    "variants_of",
]


def gate_policy(settings: Mapping[str, Any] | None = None, origin: str = "") -> Policy:
    """Return the policy in force for a benchmark's settings (``[tool.faultline.gates]``) and the file they stand in.

    Raises :class:`RefusedError`, or ``Faults``, for a setting that is unknown or looser than its floor.
    """
    return policy_from(settings or {}, origin, THRESHOLDS)
