"""G15: does everything that the records declare follow from what was recorded?

A verdict is a summary. It is computed here again from the results of the checks and the public tests, and from nothing that
the record says about itself; one that differs is a declaration. Evidence that cannot be read, that was made for a test, or
that came from an import which left something out is no evidence.
"""

from collections.abc import Iterator

from faultline.gates.facts import Facts, RunFacts
from faultline.gates.foreign import partial_imports
from faultline.gates.gate import Finding, Gate, count_of, lack
from faultline.gates.policy import Policy
from faultline.kinds import RunKind, StatusClass, Verdict
from faultline.records import Absent, TaskPin, Trial


def probe(facts: Facts, policy: Policy) -> Finding:  # noqa: ARG001  (every probe has the same shape)
    """Compute the verdict of every trial again, and compare what else the records declare with what they hold."""
    if not facts.runs:
        return Finding(
            "not-run", "No run has been sealed, so there is nothing to compute again", "No run was found.", share=0.0
        )
    lacking = [
        lack(run.link, f"a whole import: {count_of(rows, 'row')} of its source could not be read and were left out")
        for run, rows in partial_imports(facts)
    ]
    trials = differing = 0
    read = sum(len(run.trials) for run in facts.runs if run.manifest.kind is RunKind.IMPORTED)
    for run in facts.runs:
        for trial in run.trials:
            trials += 1
            gaps = list(_gaps(trial, run))
            differing += bool(gaps)
            lacking += [lack(run.trial_link(trial), gap) for gap in gaps]
    return Finding(
        outcome="fail" if lacking else "pass",
        headline=(
            "Some records declare what does not follow from what was recorded"
            if lacking
            else "Every verdict follows from the recorded results of its checks and public tests"
            if not read
            else "Every verdict follows from its checks, or stands as it does in the log that it was read from"
        ),
        saw=(
            f"{count_of(trials, 'trial')} of {count_of(len(facts.runs), 'run')}, each verdict computed again from its checks. "
            "Every gate reads these records, and no summary; the log of another harness stands for itself, with its source"
            + (f": {count_of(read, 'verdict')} can be compared with a log only." if read else ".")
        ),
        observed=str(trials - differing),
        needed=str(trials),
        unit="verdicts that follow from their checks" + (" or their log" if read else ""),
        share=(trials - differing) / trials if trials else 0.0,
        lacking=tuple(lacking),
        evidence=tuple(run.link for run in facts.runs),
    )


def _gaps(trial: Trial, run: RunFacts) -> Iterator[str]:
    outcome, pin = trial.outcome, run.pins.get(trial.key.task)
    if run.manifest.kind is RunKind.IMPORTED:
        if trial.source is None:
            yield "the log that it was read from"
        elif outcome.verdict is Verdict.PASSED and trial.source.native_verdict != "passed":
            yield f"a pass in its log, which says {trial.source.native_verdict or 'nothing'}"
        return
    if pin is None:
        yield "a task that the manifest pins"
        return
    found = recomputed(trial, pin)
    if found is not outcome.verdict:
        yield f"a verdict that follows from its checks: {found} does, and {outcome.verdict} is declared"
    given = {variant.id: variant.workspace_digest for variant in pin.variants}
    if trial.workspace_digest != given.get(trial.key.variant):
        yield "the workspace that the manifest pins"


def recomputed(trial: Trial, pin: TaskPin) -> Verdict:
    """Return the verdict that follows from a trial's recorded results; the rules are those of the judge."""
    outcome = trial.outcome
    if isinstance(outcome.checks, Absent) or isinstance(outcome.public, Absent):
        # Nothing was judged: a submission that was refused has failed, and all else has no verdict.
        refused = outcome.status is StatusClass.AGENT_FAILURE and bool(outcome.reasons)
        return Verdict.FAILED if refused else Verdict.NONE
    results = {check.check: check.result for check in outcome.checks}
    if len(outcome.checks) != len(pin.checks) or set(results) != set(pin.checks):
        return Verdict.NONE
    if set(results.values()) & {"error", "not-run"}:
        return Verdict.NONE
    public = outcome.public
    complete = public.passed == len(pin.public_tests) and not (public.failed or public.missing)
    right = complete and set(results.values()) == {"passed"} and not outcome.exposed
    return Verdict.PASSED if right else Verdict.FAILED


GATE = Gate(
    id="G15",
    name="Recomputed evidence",
    predicate=(
        "The verdict of every trial follows from the recorded results of its hidden checks and public tests by the rules of "
        "the judge; every record can be read, none was made for a test, and no run comes from an import that left things out."
    ),
    why="A summary that nobody can compute again is a claim. What is declared and differs from the records is a false one.",
    remedy="Find out who changed the named record or what wrote it, and restore it from where it was published.",
    command="faultline verify RUN",
    reads=("tasks", "audits", "runs", "reviews"),
    thresholds=(),
    probe=probe,
)
