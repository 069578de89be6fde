"""Small plans and trials for tests; every value is made up and says so by its name."""

from datetime import UTC, datetime, timedelta

from faultline.kinds import (
    AgentKind,
    Blame,
    Estimand,
    Mode,
    RetryPolicy,
    RunKind,
    SandboxLevel,
    StatusClass,
    Verdict,
    digest_bytes,
)
from faultline.records import (
    AgentIdentity,
    Attempt,
    Cell,
    Outcome,
    Provenance,
    Retry,
    RunManifest,
    TaskLimits,
    TaskPin,
    Timing,
    Trial,
    TrialKey,
    VariantPin,
    not_applicable,
    not_run,
    unknown,
)

T0 = datetime(2026, 1, 1, tzinfo=UTC)
SAMPLE = unknown("a sample for tests")


def later(seconds: float) -> datetime:
    return T0 + timedelta(seconds=seconds)


def agent(name="sample-agent", kind=AgentKind.NO_OP) -> AgentIdentity:
    return AgentIdentity(
        name=name,
        kind=kind,
        model=not_applicable("no model"),
        provider=not_applicable("no model"),
        version=SAMPLE,
        command=(),
        environment=(),
        seconds=not_applicable("no limit of its own"),
        network="none",
        files={},
        usage_file=not_applicable("leaves none"),
    )


def task_pin(task: str, variants) -> TaskPin:
    return TaskPin(
        id=task,
        family=task,
        failure_class="entity-leakage",
        digest=digest_bytes(task.encode()),
        variants=tuple(
            VariantPin(
                id=variant, skin="sample", seed=0, parameters={}, workspace_digest=digest_bytes(f"{task} {variant}".encode())
            )
            for variant in variants
        ),
        checks=("a_check",),
        public_tests=("tests/test_a.py::TestA::test_a",),
        limits=TaskLimits(agent_seconds=60.0, check_seconds=5.0),
    )


def manifest(
    run="sample-run",
    *,
    tasks=("alpha", "beta"),
    variants=("one",),
    agents=("sample-agent",),
    trials=2,
    kind=None,
    agent_kind=AgentKind.NO_OP,
) -> RunManifest:
    cells = [
        Cell(task=task, variant=variant, agent=name, trial=trial, hash_seed=trial)
        for task in tasks
        for variant in variants
        for name in agents
        for trial in range(trials)
    ]
    return RunManifest(
        schema_name="faultline/manifest/1",
        run=run,
        kind=kind or (RunKind.EVALUATION if len(agents) == 1 else RunKind.VALIDITY),
        planned_at=T0,
        agents=tuple(agent(name, agent_kind) for name in agents),
        tasks=tuple(task_pin(task, variants) for task in tasks),
        cells=tuple(cells),
        trials=trials,
        retry=Retry(policy=RetryPolicy.TRANSPORT_ONLY, max_attempts=3),
        estimand=Estimand.PASS_AT_1,
        sandbox=SandboxLevel.PROCESS,
        judge_seed="0" * 32,
        prices=not_applicable("no costs"),
        provenance=Provenance(commit=SAMPLE, dirty=SAMPLE, human=(), assistant=(), versions={}, environment={}),
        synthetic=True,
    )


def outcome(*, passed=True, note="", valid=True) -> Outcome:
    return Outcome(
        verdict=(Verdict.PASSED if passed else Verdict.FAILED) if valid else Verdict.NONE,
        status=StatusClass.COMPLETED if valid else StatusClass.INFRA,
        blame=Blame.AGENT if valid else Blame.HARNESS,
        scoreable=valid,
        rule="sample",
        mode=Mode.REPAIRED if passed else Mode.NO_CHANGE,
        checks=not_run("a sample for tests"),
        public=not_run("a sample for tests"),
        note=note,
    )


def attempt(number=1, **changes) -> Attempt:
    fields = {
        "number": number,
        "started_at": T0,
        "ended_at": later(1),
        "end": "judged",
        "observed": "",
        "timing": Timing(setup=SAMPLE, agent=SAMPLE, grading=SAMPLE),
        "usage": SAMPLE,
        "cost": SAMPLE,
        "candidate": not_run("a sample for tests"),
        "artifacts": (),
    }
    return Attempt(**(fields | changes))


def key_of(plan: RunManifest, at=0) -> TrialKey:
    cell = plan.cells[at]
    return TrialKey(run=plan.run, task=cell.task, variant=cell.variant, agent=cell.agent, trial=cell.trial)


def trial(plan: RunManifest, at=0, *, passed=True, note="", valid=True, attempts=None) -> Trial:
    """Return a trial of a planned cell; another ``note`` makes another payload."""
    cell = plan.cells[at]
    pin = next(pin for pin in plan.tasks if pin.id == cell.task)
    return Trial(
        schema_name="faultline/trial/1",
        key=key_of(plan, at),
        index_origin="native",
        order_known=True,
        task_digest=pin.digest,
        workspace_digest=next(variant.workspace_digest for variant in pin.variants if variant.id == cell.variant),
        hash_seed=cell.hash_seed,
        sandbox=plan.sandbox,
        outcome=outcome(passed=passed, note=note, valid=valid),
        changes=SAMPLE,
        attempts=attempts or (attempt(),),
        attempts_complete=True,
    )
