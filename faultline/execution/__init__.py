"""The life of a trial: plan the cells, claim one, attempt it, record it exactly once; on one machine or many.

Writes the folder of a live run, its artifact store and its ledger, and starts worker processes. Front doors:
:func:`plan_evaluation`, :func:`plan_validity`, :func:`execute` and :func:`reconcile`.
"""

from faultline.execution.audit import LiveAudit, verify_live_run
from faultline.execution.live import LiveRun, live_runs
from faultline.execution.on_ray import execute_on_ray
from faultline.execution.plan import Planned, plan_evaluation, plan_validity, retry_rule
from faultline.execution.provenance import gather_provenance
from faultline.execution.reconcile import reconcile
from faultline.execution.runner import execute, seal_live_run

__all__ = [
    "LiveAudit",
    "LiveRun",
    "Planned",
    "execute",
    "execute_on_ray",
    "gather_provenance",
    "live_runs",
    "plan_evaluation",
    "plan_validity",
    "reconcile",
    "retry_rule",
    "seal_live_run",
    "verify_live_run",
]
