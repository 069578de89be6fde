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

What was seen, the *mode*, comes from a second table; the first row that holds decides (:data:`MODES`).

====== ================== ===========================================================================================
row    mode               holds when
====== ================== ===========================================================================================
0      exposed            FL-07 decided
1      infrastructure     FL-02 decided
2      invalid-submission FL-01 decided
3      verifier-error     FL-03 decided
4      repaired           FL-04 decided; tampering stays visible as a mark beside it, and changes no verdict
5      tampered           a public test was weakened, skipped or deleted, or configuration was left that changes what runs
6      limit-reached      the agent was ended at its limit
7      asked-a-question   no editable file was changed, and the last line of the last message ends in a question mark
8      no-draft           no editable file was changed, and others were written that are not the agent's own trace or usage
                          file or the leavings of a tool: a draft aside, such as a patch, notes or a new test
9      no-change          no editable file was changed
10     damaged            a public module of the workspace no longer imports, or a public name of it is gone, that the
                          reference and every other valid repair keep
11     limit-reached      every reason is TIME_LIMIT or MEMORY_LIMIT
12     regression         a public test that passes on the baseline does not pass
13     defect-remains     all else that was judged
====== ================== ===========================================================================================

``unknown`` is for planned cells without a record and for logs that do not tell; nothing that was judged here gets it.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from faultline.grading.freeze import LEAVINGS, Candidate, InvalidSubmission
from faultline.grading.judge import Findings
from faultline.kinds import Blame, Mode, StatusClass, Verdict, safe_text
from faultline.records import CheckResult, Evidence, Outcome, PublicResult, Reason, not_run
from faultline.records.trial import CANARY_NOTE

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
        return outcome.model_copy(update={"note": safe_text(f"{CANARY_NOTE}: {', '.join(places)}; {outcome.note}", 500)})
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
        evidence=outcome.evidence,
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
    findings: Findings,
    candidate: Candidate,
    *,
    required_checks: Sequence[str],
    required_tests: Sequence[str],
    limit: bool,
    last_message: str = "",
    own_files: Sequence[str] = (),
) -> Outcome:
    """Return the outcome of a judged candidate.

    ``required_checks`` and ``required_tests`` come from the plan, not from what ran: a list that ran nothing is no pass.
    ``last_message`` is what the agent said last, and ``own_files`` are those that its agent file names for trace and usage.
    """
    checks, public = findings.checks, findings.public
    evidence = Evidence(
        lost=findings.lost,
        tests=findings.tests,
        configuration=candidate.configuration,
        question=question_in(last_message) if candidate.unchanged else "",
    )
    broken = [check for check in checks if check.result in ("error", "not-run")]
    present = [check.check for check in checks]
    if broken or not checks or sorted(present) != sorted(required_checks) or not required_tests:
        note = (
            f"{broken[0].check}: {broken[0].reason.detail}"
            if broken and broken[0].reason
            else "the list of checks is not complete"
        )
        return _outcome(
            Verdict.NONE, StatusClass.VERIFIER, Blame.VERIFIER, "FL-03", Mode.VERIFIER_ERROR, findings, evidence, note=note
        )
    reasons = _distinct(checks)
    status = StatusClass.LIMIT if limit else StatusClass.COMPLETED
    if not reasons and _complete(public, required_tests):
        return _outcome(Verdict.PASSED, status, Blame.AGENT, "FL-04", Mode.REPAIRED, findings, evidence)
    rule = "FL-05" if reasons else "FL-06"
    if not reasons:
        missed = len(public.failed) + len(public.missing)
        reasons = (Reason(code="PUBLIC_TEST_FAILED", measured={"tests": missed}, detail=public.detail),)
    seen = Seen(
        codes=frozenset(reason.code for reason in reasons),
        evidence=evidence,
        regressed=bool(public.regressed),
        unchanged=candidate.unchanged,
        wrote=_wrote(candidate, own_files),
        limit=limit,
    )
    return _outcome(Verdict.FAILED, status, Blame.AGENT, rule, mode_of(seen), findings, evidence, reasons=reasons)


def _complete(public: PublicResult, required: Sequence[str]) -> bool:
    return public.passed == len(required) and not public.failed and not public.missing


def _distinct(checks: Sequence[CheckResult]) -> tuple[Reason, ...]:
    """Return one reason for each code, the first one seen in the order of the task."""
    found: dict[str, Reason] = {}
    for check in checks:
        if check.reason is not None:
            found.setdefault(check.reason.code, check.reason)
    return tuple(found.values())


@dataclass(frozen=True)
class Seen:
    """What the mode of a trial that was judged and did not pass is decided from."""

    codes: frozenset[str] = frozenset()
    evidence: Evidence = field(default_factory=Evidence)
    regressed: bool = False
    unchanged: bool = False
    """Whether every editable file is as it was given."""
    wrote: bool = False
    """Whether something else was written."""
    limit: bool = False


MODES: tuple[tuple[Mode, Callable[[Seen], bool]], ...] = (
    (Mode.TAMPERED, lambda seen: seen.evidence.tampered),
    (Mode.LIMIT_REACHED, lambda seen: seen.limit),
    (Mode.ASKED_A_QUESTION, lambda seen: seen.unchanged and bool(seen.evidence.question)),
    (Mode.NO_DRAFT, lambda seen: seen.unchanged and seen.wrote),
    (Mode.NO_CHANGE, lambda seen: seen.unchanged),
    (Mode.DAMAGED, lambda seen: bool(seen.evidence.lost)),
    (Mode.LIMIT_REACHED, lambda seen: bool(seen.codes) and seen.codes <= {"TIME_LIMIT", "MEMORY_LIMIT"}),
    (Mode.REGRESSION, lambda seen: seen.regressed),
    (Mode.DEFECT_REMAINS, lambda _: True),
)
"""Rows 5 to 13 of the table above; the first that holds decides."""


def mode_of(seen: Seen) -> Mode:
    """Return what was seen in a trial that was judged and did not pass."""
    return next(mode for mode, holds in MODES if holds(seen))


_TAIL = re.compile("[\\s\"'`*_)\\]}>\u00bb\u201d\u2019]+$")
_QUESTION = ("?", "\uff1f", "\u061f")
"""Question marks: of Latin, full width and Arabic script."""


def question_in(message: str) -> str:
    """Return the last line of a message when it is a question, else nothing.

    The rule is plain: blanks, quotes, brackets and marks of emphasis at the end do not count; then the last line that is not
    empty must end in a question mark. What the sentence means is not looked at.
    """
    last = _TAIL.sub("", message[-4_000:]).rsplit("\n", 1)[-1].strip()
    return safe_text(last[-300:], 400) if last.endswith(_QUESTION) else ""


def _wrote(candidate: Candidate, own_files: Sequence[str]) -> bool:
    """Return whether an agent wrote anything outside the editable files that is not a trace of its own or of a tool."""
    own = set(own_files)
    paths = (path for path in candidate.changes.ignored if path not in own and not LEAVINGS & set(path.split("/")))
    return any(paths) or bool(candidate.changes.restored)


def _outcome(
    verdict: Verdict,
    status: StatusClass,
    blame: Blame,
    rule: str,
    mode: Mode,
    findings: Findings,
    evidence: Evidence,
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
        evidence=evidence,
    )
