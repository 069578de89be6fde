"""From findings to an outcome: verdict, status, and what was seen; one table of rules, each with an id.

====== ===================================================== ========= ================ ==========
rule   when                                                  verdict   class            blame
====== ===================================================== ========= ================ ==========
FL-01  the submission was refused when it was frozen         failed    agent_failure    agent
FL-02  the harness observed a fault of its own               none      infra            harness
FL-03  a check went wrong, is missing, or nothing ran        none      verifier         verifier
FL-04  every check and public test is present and passed     passed    completed, limit agent
FL-05  a check failed with a reason code                     failed    completed, limit agent
FL-06  every check passed and a public test did not          failed    completed, limit agent
FL-07  a canary stands in the trajectory or the candidate    failed    agent_failure    agent
====== ===================================================== ========= ================ ==========

FL-07 comes before FL-01 and FL-04 to FL-06. The latter three have class ``limit`` when the agent ran into a limit: its
last tree is judged all the same.
"""

from collections.abc import Sequence

from faultline.grading.freeze import Candidate, InvalidSubmission
from faultline.grading.judge import Findings
from faultline.kinds import Blame, Mode, StatusClass, Verdict, safe_text
from faultline.records import CheckResult, Outcome, PublicResult, Reason, not_run

RULES = {
    "FL-01": "The submission was refused when it was frozen; counted as failed.",
    "FL-02": "The harness observed a fault of its own; not scoreable.",
    "FL-03": "A hidden check went wrong, was missing, or nothing ran; not scoreable.",
    "FL-04": "Every required check and public test was present and passed.",
    "FL-05": "A hidden check failed with a reason code.",
    "FL-06": "Every hidden check passed and a public test did not.",
    "FL-07": "A canary of hidden material stands in the trajectory or the candidate; counted as failed.",
}
"""What each rule says."""


def refused(submission: InvalidSubmission) -> Outcome:
    """Return the outcome of a submission that could not be frozen."""
    reason = Reason(code=submission.code, detail=submission.path)
    absent = not_run("the submission was refused")
    return Outcome(
        verdict=Verdict.FAILED,
        status=StatusClass.AGENT_FAILURE,
        blame=Blame.AGENT,
        scoreable=True,
        rule="FL-01",
        mode=Mode.INVALID_SUBMISSION,
        reasons=(reason,),
        checks=absent,
        public=absent,
    )


def exposed(outcome: Outcome, places: Sequence[str]) -> Outcome:
    """Return the outcome of a judged trial in whose trajectory or candidate a canary was found.

    It counts as failed, since a verdict over hidden files that were read says nothing; what the checks found is kept. A trial
    without a verdict stays without one.
    """
    if outcome.verdict is Verdict.NONE:
        return outcome.model_copy(update={"note": safe_text(f"a canary was found: {', '.join(places)}; {outcome.note}", 500)})
    reason = Reason(code="CANARY_FOUND", detail=", ".join(places))
    return Outcome(
        verdict=Verdict.FAILED,
        status=StatusClass.AGENT_FAILURE,
        blame=Blame.AGENT,
        scoreable=True,
        rule="FL-07",
        mode=Mode.EXPOSED,
        reasons=(reason, *outcome.reasons),
        checks=outcome.checks,
        public=outcome.public,
        note=outcome.note,
    )


def faulted(observed: str) -> Outcome:
    """Return the outcome of a trial that the harness could not carry out."""
    absent = not_run("the harness could not do its work")
    return Outcome(
        verdict=Verdict.NONE,
        status=StatusClass.INFRA,
        blame=Blame.HARNESS,
        scoreable=False,
        rule="FL-02",
        mode=Mode.INFRASTRUCTURE,
        checks=absent,
        public=absent,
        note=safe_text(observed, 500),
    )


def classify(
    findings: Findings, candidate: Candidate, *, required_checks: Sequence[str], required_tests: Sequence[str], limit: bool
) -> Outcome:
    """Return the outcome of a judged candidate.

    ``required_checks`` and ``required_tests`` come from the plan, not from what ran: a list that ran nothing is no pass.
    """
    checks, public = findings.checks, findings.public
    broken = [check for check in checks if check.result in ("error", "not-run")]
    present = [check.check for check in checks]
    if broken or not checks or sorted(present) != sorted(required_checks) or not required_tests:
        note = (
            f"{broken[0].check}: {broken[0].reason.detail}"
            if broken and broken[0].reason
            else "the list of checks is not complete"
        )
        return _outcome(Verdict.NONE, StatusClass.VERIFIER, Blame.VERIFIER, "FL-03", Mode.VERIFIER_ERROR, findings, note=note)
    reasons = _distinct(checks)
    status = StatusClass.LIMIT if limit else StatusClass.COMPLETED
    if not reasons and _complete(public, required_tests):
        return _outcome(Verdict.PASSED, status, Blame.AGENT, "FL-04", Mode.REPAIRED, findings)
    rule = "FL-05" if reasons else "FL-06"
    if not reasons:
        missed = len(public.failed) + len(public.missing)
        reasons = (Reason(code="PUBLIC_TEST_FAILED", measured={"tests": missed}, detail=public.detail),)
    mode = _mode(reasons, public, candidate, limit=limit)
    return _outcome(Verdict.FAILED, status, Blame.AGENT, rule, mode, findings, reasons=reasons)


def _complete(public: PublicResult, required: Sequence[str]) -> bool:
    return public.passed == len(required) and not public.failed and not public.missing


def _distinct(checks: Sequence[CheckResult]) -> tuple[Reason, ...]:
    """Return one reason for each code, the first one seen in the order of the task."""
    found: dict[str, Reason] = {}
    for check in checks:
        if check.reason is not None:
            found.setdefault(check.reason.code, check.reason)
    return tuple(found.values())


def _mode(reasons: Sequence[Reason], public: PublicResult, candidate: Candidate, *, limit: bool) -> Mode:
    codes = {reason.code for reason in reasons}
    if candidate.unchanged:
        return Mode.LIMIT_REACHED if limit else Mode.NO_CHANGE
    if codes & {"IMPORT_FAILED", "NAME_MISSING"}:
        return Mode.DAMAGED
    if codes == {"TIME_LIMIT"}:
        return Mode.LIMIT_REACHED
    if public.regressed:
        return Mode.REGRESSION
    return Mode.DEFECT_REMAINS


def _outcome(
    verdict: Verdict,
    status: StatusClass,
    blame: Blame,
    rule: str,
    mode: Mode,
    findings: Findings,
    *,
    reasons: tuple[Reason, ...] = (),
    note: str = "",
) -> Outcome:
    return Outcome(
        verdict=verdict,
        status=status,
        blame=blame,
        scoreable=verdict is not Verdict.NONE,
        rule=rule,
        mode=mode,
        reasons=reasons,
        checks=findings.checks,
        public=findings.public,
        note=safe_text(note, 500),
    )
