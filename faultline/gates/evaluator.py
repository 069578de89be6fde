"""The evaluator: asks every gate, checks that every gate answered, and alone can open the way to a ranking.

There is no switch that forces a pass. A rehearsal, which accepts records made for a test, gives a pass that is marked as
one and that no published card may carry.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, final

from faultline.gates import (
    audited_families,
    blinded_review,
    contamination,
    cost_reporting,
    equal_conditions,
    freshness,
    invalid_runs,
    procedural_variants,
    recomputed,
    record_integrity,
    repeated_trials,
    resolution,
    reviewer_agreement,
    saturation,
    task_validity,
)
from faultline.gates.facts import Facts
from faultline.gates.gate import Gate
from faultline.gates.model import GateReport, GateResult
from faultline.gates.policy import Policy, Threshold
from faultline.kinds import Digest

GATES: tuple[Gate, ...] = (
    audited_families.GATE,
    procedural_variants.GATE,
    repeated_trials.GATE,
    cost_reporting.GATE,
    blinded_review.GATE,
    task_validity.GATE,
    record_integrity.GATE,
    contamination.GATE,
    resolution.GATE,
    saturation.GATE,
    invalid_runs.GATE,
    reviewer_agreement.GATE,
    equal_conditions.GATE,
    freshness.GATE,
    recomputed.GATE,
)
"""Every gate of this release, in order."""
THRESHOLDS: tuple[Threshold[Any], ...] = tuple(threshold for gate in GATES for threshold in gate.thresholds)
"""Every threshold that a benchmark may make stricter."""
_MINT = object()


@final
class GatePass:
    """Proof that every gate held for one state of the evidence; only :func:`evaluate` can make one."""

    __slots__ = ("evidence", "publishing", "report")

    evidence: Digest
    """Digest of the facts that were looked at."""
    publishing: bool
    """False for a rehearsal."""
    report: Digest
    """Digest of the gate report."""

    def __init__(self, mint: object, *, evidence: Digest, report: Digest, publishing: bool) -> None:
        if mint is not _MINT:
            raise TypeError("a gate pass is made by the gate evaluator and by nothing else")
        object.__setattr__(self, "evidence", evidence)
        object.__setattr__(self, "publishing", publishing)
        object.__setattr__(self, "report", report)

    def __init_subclass__(cls) -> NoReturn:
        raise TypeError("a gate pass has no other forms")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise TypeError("a gate pass does not change")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a gate pass is not stored; it is computed from the evidence each time")


@dataclass(frozen=True)
class Evaluation:
    """What the evaluator decided, and about which state of the evidence."""

    report: GateReport
    evidence: Digest
    publishing: bool
    gate_pass: GatePass | None
    """``None`` unless every gate holds."""


def evaluate(facts: Facts, policy: Policy, *, publishing: bool = True) -> Evaluation:
    """Ask every gate about the facts.

    With ``publishing``, which every command and every page uses, records marked synthetic are refused. Without it the
    evaluation is a rehearsal: its pass says so, and a card that is published does not take it.
    """
    report = decide([gate.answer(facts, policy, publishing=publishing) for gate in GATES], policy)
    evidence = facts.digest
    opened = report.total > 0 and report.holding == report.total
    return Evaluation(
        report=report,
        evidence=evidence,
        publishing=publishing,
        gate_pass=GatePass(_MINT, evidence=evidence, report=report.content_digest(), publishing=publishing) if opened else None,
    )


def decide(results: Sequence[GateResult], policy: Policy) -> GateReport:
    """Turn answers into a report: exactly the known gates must have answered, each once; anything else is an error."""
    gates: list[GateResult] = []
    for gate in GATES:
        own = [result for result in results if result.id == gate.id]
        if len(own) == 1:
            gates.append(own[0])
        else:
            gates.append(gate.failed_to_answer("no probe reported" if not own else f"{len(own)} probes reported"))
    known = {gate.id for gate in GATES}
    gates += [
        result.model_copy(
            update={"outcome": "error", "headline": "A gate reported that this version does not know, so it does not hold"}
        )
        for result in results
        if result.id not in known
    ]
    return GateReport(gates=tuple(gates), policy=policy.rows(), holding=sum(gate.holds for gate in gates), total=len(gates))
