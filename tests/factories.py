"""Tiny benchmarks made in memory: tasks, sealed runs, audits and reviews, all of them synthetic by mark or by name.

Each function makes something that is in order; a test changes the one thing that it is about.
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from random import Random

from faultline.archive import Benchmark, ReviewRoom, SealedRun
from faultline.kinds import (
    AgentKind,
    AuditQuestion,
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
    Adjudication,
    AgentIdentity,
    ArtifactRef,
    Attempt,
    Audit,
    Cell,
    CheckJudgement,
    CheckResult,
    Choices,
    Correction,
    Cost,
    ExternalSandbox,
    IntegerRange,
    Outcome,
    Provenance,
    PublicResult,
    Reason,
    Retry,
    Review,
    ReviewMaterial,
    ReviewSample,
    RunManifest,
    Seal,
    Skin,
    TaskDefinition,
    TaskLimits,
    TaskVariants,
    Timing,
    Trial,
    TrialKey,
    Usage,
    not_applicable,
    not_run,
    unknown,
)
from faultline.review import Shown, draw_sample, material_of, weighed
from faultline.tasks import CheckOutline, Overlay, Task, materialise, pin_task

T0 = datetime(2026, 3, 1, tzinfo=UTC)
CHECKS = ("rows_stay", "order_is_free")
PUBLIC = ("tests/test_all.py::TestAll::test_one",)
AUTHOR = "Ada Author"
AUDITORS = ("Bea Reader", "Cy Doubter")
REVIEWERS = ("Dot Onlooker", "Eli Judge")
WRONG = {"wrong-half": "ROWS_LOST", "wrong-guess": "ORDER_COUNTS"}
GRADED = AgentKind.CONTROL


def at(hours: float) -> datetime:
    """Return a moment of the made-up calendar."""
    return T0 + timedelta(hours=hours)


def task(
    name: str = "alpha",
    *,
    family: str | None = None,
    author: str = AUTHOR,
    version: int = 1,
    failure_class: str = "entity-leakage",
    audits: Iterable[Audit] = (),
    corrections: Iterable[Correction] = (),
    hidden: str | None = None,
    skins: Sequence[Skin] | None = None,
) -> Task:
    """Return a task with two checks, two wrong repairs, one other valid repair and three skins."""
    canary = f"faultline-canary-{digest_bytes(name.encode())[7:43]}"
    return Task(
        path=Path("tasks") / name,
        definition=TaskDefinition(
            schema_name="faultline/task/1",
            id=name,
            title=f"The task {name}",
            family=family or name,
            failure_class=failure_class,
            version=version,
            author=author,
            assistance="none",
            runtime=(),
            editable=("pkg/*.py",),
            public_failing=(),
            baseline_code="ROWS_LOST",
            canary=canary,
            limits=TaskLimits(agent_seconds=60.0, check_seconds=5.0),
            wrong=WRONG,
            codes={"ROWS_LOST": "Rows are gone.", "ORDER_COUNTS": "The order moves the answer."},
        ),
        issue=f"The numbers of {name} look too good.\n",
        workspace={
            "README.md": b"A patient table.\n",
            "pkg/split.py": b"def split(patients):\n    return patients\n",
            "tests/test_all.py": b"import unittest\n",
        },
        hidden_source=(hidden if hidden is not None else hidden_source(name)) + f"# {canary}\n",
        repairs={
            name: Overlay({"pkg/split.py": f"# secret repair {name}\n".encode()}, ())
            for name in ("reference", "valid-other", *WRONG)
        },
        variants=TaskVariants(
            schema_name="faultline/variants/1",
            skin=tuple(skins)
            if skins is not None
            else (
                Skin(name="clinic", rename={}),
                Skin(name="plant", rename={"patient": "machine", "patients": "machines"}),
                Skin(name="school", rename={"patient": "pupil", "patients": "pupils"}),
            ),
            parameters={"rows": IntegerRange(low=3, high=3_000_000), "kind": Choices(choices=("plain", "odd"))},
        ),
        checks=tuple(
            CheckOutline(check, codes, f"What {check} requires.") for check, codes in zip(CHECKS, _CODES, strict=True)
        ),
        public_tests=PUBLIC,
        corrections=tuple(corrections),
        audits=tuple(audits),
        digest=digest_bytes(f"{name} {version} {author}".encode()),
    )


_CODES = (("ROWS_LOST",), ("ORDER_COUNTS",))


def hidden_source(seed: str) -> str:
    """Return Python text whose shape depends on the seed, so that two families do not look like one template."""
    rng = Random(seed)
    kinds = (
        "a = b + 1",
        "c(d, e)",
        "x = [y for y in z]",
        "assert p",
        "q[r] = s",
        "u = -v",
        "w = f.g(h)",
        "k = {l: m}",
        "n **= 2",
    )
    return "SECRET_SOURCE = 1\n" + "".join(f"{rng.choice(kinds)}\n" for _ in range(120))


def correction(name: str = "first-correction", day: date = date(2026, 2, 3)) -> Correction:
    """Return an entry of an audit history."""
    return Correction(
        id=name,
        title="The required size was told only roughly",
        corrected_at=day,
        kind="specification",
        severity=2,
        found_by="a test",
        before="roughly",
        after="exactly",
        why="a tolerance decided",
        effect="none",
        before_digest=digest_bytes(b"before"),
        after_digest=digest_bytes(b"after"),
        before_commit="1" * 40,
        after_commit="2" * 40,
    )


def audit(of: Task, auditor: str, /, **changes: object) -> Audit:
    """Return an audit that finds nothing wrong with a task as it is."""
    fields: dict[str, object] = {
        "schema_name": "faultline/audit/1",
        "task": of.id,
        "task_digest": of.digest,
        "auditor": auditor,
        "audited_at": date(2026, 3, 2),
        "specification_severity": 0,
        "fairness_severity": 1,
        "judgements": tuple(CheckJudgement(check=check, judgement="stated") for check in CHECKS),
        "answers": dict.fromkeys(AuditQuestion, "yes"),
        "synthetic": True,
    }
    return Audit(**(fields | changes))


def audited(of: Task, auditors: Iterable[str] = AUDITORS, /, **changes: object) -> Task:
    """Return a task with an audit by each of some people."""
    return dataclasses.replace(of, audits=(*of.audits, *(audit(of, name, **changes) for name in auditors)))


def passed(**changes: object) -> Outcome:
    """Return the outcome of a trial in which everything passed."""
    fields: dict[str, object] = {
        "verdict": Verdict.PASSED,
        "status": StatusClass.COMPLETED,
        "blame": Blame.AGENT,
        "scoreable": True,
        "rule": "all-passed",
        "mode": Mode.REPAIRED,
        "checks": tuple(CheckResult(check=check, result="passed") for check in CHECKS),
        "public": PublicResult(passed=len(PUBLIC), failed=(), missing=(), regressed=()),
    }
    return Outcome(**(fields | changes))


def failed(code: str = "ROWS_LOST", **changes: object) -> Outcome:
    """Return the outcome of a trial that a check stopped with a reason code."""
    reason = Reason(code=code)
    fields: dict[str, object] = {
        "verdict": Verdict.FAILED,
        "mode": Mode.DEFECT_REMAINS,
        "rule": "check-failed",
        "reasons": (reason,),
        "checks": (CheckResult(check=CHECKS[0], result="failed", reason=reason), CheckResult(check=CHECKS[1], result="passed")),
    }
    return passed(**(fields | changes))


def invalid(note: str = "fork failed", **changes: object) -> Outcome:
    """Return the outcome of a trial in which the harness could not do its work."""
    fields: dict[str, object] = {
        "verdict": Verdict.NONE,
        "status": StatusClass.INFRA,
        "blame": Blame.HARNESS,
        "scoreable": False,
        "rule": "harness-fault",
        "mode": Mode.INFRASTRUCTURE,
        "checks": not_run("no candidate was judged"),
        "public": not_run("no candidate was judged"),
        "note": note,
    }
    return passed(**(fields | changes))


def attempt(label: str, *, start: datetime, controls: bool = False, number: int = 1, **changes: object) -> Attempt:
    """Return an attempt of an agent with a model, or of a control."""
    nothing = not_applicable("a control has no model")
    fields: dict[str, object] = {
        "number": number,
        "started_at": start,
        "ended_at": start + timedelta(milliseconds=900),
        "end": "judged",
        "observed": "",
        "timing": Timing(setup=0.1, agent=nothing if controls else 2.5, grading=0.5),
        "usage": nothing
        if controls
        else Usage(uncached_input=900, cache_read=0, cache_write=0, output=120, reasoning=0, requests=3, source="native"),
        "cost": nothing if controls else Cost(usd=Decimal("0.0125"), source="a made-up price table", complete=True),
        "candidate": digest_bytes(label.encode()),
        "artifacts": ()
        if controls
        else tuple(
            ArtifactRef(role=role, path=f"{role}s/{label}.json", sha256=digest_bytes(role[0].encode() + label.encode()), size=9)
            for role in ("trace", "candidate")
        ),
    }
    return Attempt(**(fields | changes))


def agent(name: str = "tinker", kind: AgentKind = AgentKind.COMMAND, **changes: object) -> AgentIdentity:
    """Return an agent; a control has no model."""
    nothing = not_applicable("a control has no model")
    fields: dict[str, object] = {
        "name": name,
        "kind": kind,
        "model": nothing if kind.is_control else "made-up-model-1",
        "provider": nothing if kind.is_control else "Nobody Inc",
        "version": unknown("made up"),
        "command": () if kind.is_control else ("tinker",),
        "environment": (),
        "seconds": not_applicable("no limit of its own"),
        "network": "none",
        "files": {},
        "usage_file": not_applicable("leaves none"),
    }
    return AgentIdentity(**(fields | changes))


def provenance() -> Provenance:
    """Return where a made-up run came from."""
    return Provenance(
        commit="0" * 40,
        dirty=False,
        human=("planned the run",),
        assistant=(),
        versions={"python": "3.11"},
        environment={"system": "none"},
    )


Ending = Callable[[Cell], Outcome]


def jail(version: str = "1.0") -> ExternalSandbox:
    """Return the sandbox of an installed package, as a manifest pins it."""
    return ExternalSandbox(name="jail", distribution="jail-package", version=version, files={"jail.py": "sha256:" + "0" * 64})


def run(
    name: str,
    kind: RunKind,
    tasks: Sequence[Task],
    agents: Sequence[AgentIdentity],
    ending: Ending,
    *,
    variants: int = 3,
    trials: int = 3,
    hash_seeds: int = 1,
    hours: float = 1.0,
    sandbox: SandboxLevel = SandboxLevel.BUBBLEWRAP,
    external: ExternalSandbox | None = None,
    synthetic: bool = True,
    retry: Retry | None = None,
    estimand: Estimand = Estimand.PASS_AT_1,
) -> SealedRun:
    """Return a sealed run in which every cell of the plan ended as ``ending`` says."""
    pins = tuple(pin_task(item, tuple(materialise(item, seed).pin for seed in range(variants))) for item in tasks)
    digests = {(pin.id, variant.id): variant.workspace_digest for pin in pins for variant in pin.variants}
    cells = tuple(
        Cell(task=pin.id, variant=variant.id, agent=who.name, trial=number, hash_seed=number % hash_seeds)
        for pin in pins
        for variant in pin.variants
        for who in agents
        for number in range(trials)
    )
    controls = {who.name for who in agents if who.kind.is_control}
    manifest = RunManifest(
        schema_name="faultline/manifest/1",
        run=name,
        kind=kind,
        planned_at=at(hours - 0.5),
        agents=tuple(agents),
        tasks=pins,
        cells=cells,
        trials=trials,
        retry=retry or Retry(policy=RetryPolicy.TRANSPORT_ONLY, max_attempts=2),
        estimand=estimand,
        sandbox=sandbox,
        external=external,
        judge_seed="0" * 32,
        prices=unknown("made up"),
        provenance=provenance(),
        synthetic=synthetic,
    )
    task_digests = {pin.id: pin.digest for pin in pins}
    recorded = tuple(
        Trial(
            schema_name="faultline/trial/1",
            key=TrialKey(run=name, task=cell.task, variant=cell.variant, agent=cell.agent, trial=cell.trial),
            index_origin="native",
            order_known=True,
            task_digest=task_digests[cell.task],
            workspace_digest=digests[cell.task, cell.variant],
            hash_seed=cell.hash_seed,
            sandbox=sandbox,
            outcome=ending(cell),
            changes=unknown("made up"),
            attempts=(attempt(f"{name}-{place}", start=T0 + timedelta(seconds=place), controls=cell.agent in controls),),
            attempts_complete=True,
        )
        for place, cell in enumerate(cells)
    )
    return sealed(manifest, recorded, hours=hours)


def sealed(manifest: RunManifest, trials: Sequence[Trial], *, hours: float = 1.0, conflicts: int = 0) -> SealedRun:
    """Return a run with a seal that fits whatever its trials are, as a cheat would make one too."""
    lines = b"".join(trial.canonical() + b"\n" for trial in trials)
    seal = Seal(
        schema_name="faultline/seal/1",
        run=manifest.run,
        sealed_at=at(hours),
        planned=len(manifest.cells),
        recorded=len(trials),
        conflicts=conflicts,
        files={"manifest.json": manifest.content_digest(), "trials.jsonl": digest_bytes(lines)},
    )
    return SealedRun(
        name=manifest.run,
        manifest=manifest,
        trials=tuple(trials),
        seal=seal,
        seal_digest=seal.content_digest(),
        conflicts=conflicts,
        path=Path("runs") / manifest.run,
        candidates={
            artifact.path: {"pkg/split.py": f"# tried in {artifact.path}\n".encode()}
            for trial in trials
            for artifact in trial.last.artifacts
            if artifact.role == "candidate"
        },
    )


def retrial(of: SealedRun, change: Callable[[Trial], Trial | None]) -> SealedRun:
    """Return a run with every trial replaced by what ``change`` makes of it; ``None`` drops the record."""
    hours = (of.seal.sealed_at - T0) / timedelta(hours=1)
    kept = tuple(new for trial in of.trials if (new := change(trial)) is not None)
    return sealed(of.manifest, kept, hours=hours, conflicts=of.conflicts)


def remanifest(of: SealedRun, **changes: object) -> SealedRun:
    """Return a run with another manifest and the same trials."""
    hours = (of.seal.sealed_at - T0) / timedelta(hours=1)
    return sealed(of.manifest.model_copy(update=changes), of.trials, hours=hours)


CONTROLS = ("baseline", "reference", "valid-other", "wrong-guess", "wrong-half")


def control_ending(cell: Cell) -> Outcome:
    """Return how a control must end."""
    if cell.agent == "baseline":
        return failed("ROWS_LOST")
    return failed(WRONG[cell.agent]) if cell.agent in WRONG else passed()


def validity_run(
    tasks: Sequence[Task], name: str = "validity-1", ending: Ending = control_ending, **changes: object
) -> SealedRun:
    """Return a validity run that holds: three repetitions, two hash seeds, three variants."""
    kinds = {"baseline": AgentKind.NO_OP, "reference": AgentKind.REFERENCE}
    agents = [agent(who, kinds.get(who, AgentKind.CONTROL)) for who in CONTROLS]
    settings: dict[str, object] = {"trials": 6, "hash_seeds": 2}
    return run(name, RunKind.VALIDITY, tasks, agents, ending, **(settings | changes))


def half_right(cell: Cell) -> Outcome:
    """Return a pass for every other trial."""
    return passed() if (cell.trial + len(cell.task)) % 2 else failed()


def evaluation_run(
    tasks: Sequence[Task],
    name: str = "evaluation-1",
    who: AgentIdentity | None = None,
    ending: Ending = half_right,
    **changes: object,
) -> SealedRun:
    """Return an evaluation of one agent with a model: three trials on three variants."""
    settings: dict[str, object] = {"hours": 2.0}
    return run(name, RunKind.EVALUATION, tasks, [who or agent()], ending, **(settings | changes))


def room(of: SealedRun, known: SealedRun, size: int = 30, each: int = 3, **changes: object) -> ReviewRoom:
    """Return the sample of a run with controls from a validity run, and what readers were shown of it."""
    sample = draw_sample(
        of.results_digest,
        (of.manifest, of.trials),
        (known.manifest, known.trials),
        known.results_digest,
        size=size,
        each=each,
    )
    fields: dict[str, object] = {
        "run": of.name,
        "sample": sample,
        "material": material(sample),
        "reviews": (),
        "adjudications": (),
    }
    return ReviewRoom(**(fields | changes))


def material(sample: ReviewSample) -> ReviewMaterial:
    """Return what readers of a sample are shown: one small change each."""
    public = PublicResult(passed=len(PUBLIC), failed=(), missing=(), regressed=())
    shown = Shown("The numbers look too good.\n", {"pkg/split.py": b"old\n"}, {"pkg/split.py": b"new\n"}, public)
    return material_of(sample, {item.item: shown for item in sample.items}, ())


def review(of: SealedRun, key: TrialKey, reviewer: str, /, **changes: object) -> Review:
    """Return a blinded review that agrees with the record."""
    fields: dict[str, object] = {
        "schema_name": "faultline/review/1",
        "key": key,
        "results_digest": of.results_digest,
        "reviewer": reviewer,
        "reviewed_at": at(9),
        "blinded": True,
        "verdict_seen_right": True,
        "synthetic": True,
    }
    return Review(**(fields | changes))


def readings(of: SealedRun, where: ReviewRoom, reviewers: Iterable[str] = REVIEWERS) -> tuple[Review, ...]:
    """Return the reviews that a run's sample needs: everybody reads every item rightly, controls included."""
    verdicts = {trial.key: str(trial.outcome.verdict) for trial in of.trials}
    controls = {"good-control": "passed", "bad-control": "failed"}
    return tuple(
        review(
            of,
            item.key,
            who,
            reading=controls.get(item.role) or verdicts[item.key],
            confidence=3,
            material=where.material.content_digest(),
        )
        for item in where.sample.items
        for who in reviewers
    )


def reviewed(of: Benchmark) -> Benchmark:
    """Return a benchmark in which two people have read the sample of every evaluation."""
    known = next(run for run in of.runs if run.manifest.kind is RunKind.VALIDITY)
    evaluations = [run for run in of.runs if run.manifest.kind is RunKind.EVALUATION]
    claims = [run for run in evaluations if not any(who.kind.is_control for who in run.manifest.agents)]
    rooms = {run.name: room(run, known) for run in claims}
    found = {name: readings(next(run for run in of.runs if run.name == name), where) for name, where in rooms.items()}
    return dataclasses.replace(
        of,
        rooms=tuple(dataclasses.replace(where, reviews=found[name]) for name, where in rooms.items()),
        reviews=tuple(item for name in rooms for item in found[name]),
    )


def adjudication(
    of: SealedRun, where: ReviewRoom, reviews: Iterable[Review], verdict: str, /, **changes: object
) -> Adjudication:
    """Return a settlement by a third person of a dispute about the item that some reviews are about."""
    own = tuple(reviews)
    item = next(item for item in where.sample.items if item.key == own[0].key)
    fields: dict[str, object] = {
        "schema_name": "faultline/adjudication/1",
        "item": item.item,
        "key": item.key,
        "results_digest": of.results_digest,
        "adjudicator": "Fay Third",
        "adjudicated_at": at(10),
        "verdict": verdict,
        "why": "the README says so",
        "reviews": weighed(own),
        "synthetic": True,
    }
    return Adjudication(**(fields | changes))


def benchmark(
    tasks: Iterable[Task] = (), runs: Iterable[SealedRun] = (), readings: Iterable[Review] = (), **changes: object
) -> Benchmark:
    """Return a benchmark's folder as the archive would have read it."""
    fields: dict[str, object] = {
        "root": Path("somewhere"),
        "title": "A made-up benchmark",
        "tagline": "for tests",
        "tasks": tuple(tasks),
        "runs": tuple(runs),
        "reviews": tuple(readings),
        "gates": {},
        "gates_origin": "",
        "valid_until": date(2026, 12, 31),
        "read_on": date(2026, 3, 10),
        "problems": (),
    }
    return Benchmark(**(fields | changes))


@lru_cache
def small_tasks(number: int = 2) -> tuple[Task, ...]:
    """Return a few audited tasks."""
    return tuple(audited(task(f"task-{place:02d}")) for place in range(number))


@lru_cache
def small() -> Benchmark:
    """Return two tasks with a validity run, an evaluation and its reviews: in order, but for the number of families."""
    tasks = small_tasks()
    evaluation = evaluation_run(tasks)
    return reviewed(benchmark(tasks, [validity_run(tasks), evaluation]))


@lru_cache
def full() -> Benchmark:
    """Return a synthetic benchmark that a rehearsal opens: twenty audited families, two agents, all trajectories read.

    Its runs are the validity run, the evaluations of tinker and mender, and one of each agent that repairs nothing.
    """
    tasks = small_tasks(20)
    first = evaluation_run(tasks)
    second = evaluation_run(tasks, "evaluation-2", agent("mender"), lambda _: passed(), hours=3.0)
    runs = [validity_run(tasks), first, second, *(trivial_run(tasks, name) for name in ("delete-tests", "random-edit"))]
    return reviewed(benchmark(tasks, runs))


def trivial_run(tasks: Sequence[Task], name: str, ending: Ending = lambda _: failed(), **changes: object) -> SealedRun:
    """Return a run of an agent that repairs nothing and passes nothing: one trial of one variant."""
    settings: dict[str, object] = {"variants": 1, "trials": 1, "hours": 1.5}
    return evaluation_run(tasks, f"{name}-1", agent(name, AgentKind.TRIVIAL), ending, **(settings | changes))


def lost(trial: Trial, observed: str = "fork failed") -> Trial:
    """Return a trial as it is recorded when the harness observed a fault of its own before anything was judged."""
    nothing = not_run("the attempt ended before")
    last = trial.last.model_copy(
        update={
            "end": "faulted",
            "observed": observed,
            "usage": nothing,
            "cost": nothing,
            "candidate": nothing,
            "artifacts": (),
        }
    )
    return trial.model_copy(update={"outcome": invalid(observed), "attempts": (*trial.attempts[:-1], last)})


def read_again(of: Benchmark, *new: SealedRun) -> Benchmark:
    """Return a benchmark with runs put in place, or added, and every evaluation's sample read by two people again."""
    names = {run.name for run in new}
    runs = (*(run for run in of.runs if run.name not in names), *new)
    return reviewed(dataclasses.replace(of, runs=runs))


STRENGTHS = {"anvil": 0.52, "birch": 0.56, "cedar": 0.93, "dune": 0.55}
"""Chances that the agents of :func:`ranked` pass a trial: one stands out, three do not differ by anything that can be seen."""
PRICES = {"anvil": "0.08", "birch": "0.03", "cedar": "0.05", "dune": ""}
"""Their mean cost of a trial in dollars; the last has no model, so that a cost does not apply to it."""


def ranked(lost: Mapping[str, int] | None = None, strengths: Mapping[str, float] = STRENGTHS) -> Benchmark:
    """Return a synthetic benchmark of several agents that a rehearsal opens, with costs and times that vary.

    ``lost`` has, for an agent, the number of trials to end without a verdict.
    """
    tasks = small_tasks(20)
    runs = [validity_run(tasks)]
    for place, (name, chance) in enumerate(strengths.items()):
        runs.append(_drawn(tasks, name, chance, (lost or {}).get(name, 0), hours=3.0 + place))
    return reviewed(benchmark(tasks, [*runs, *(trivial_run(tasks, name) for name in ("delete-tests", "random-edit"))]))


def _drawn(tasks: Sequence[Task], name: str, chance: float, lost: int, *, hours: float) -> SealedRun:
    """Return an evaluation whose outcomes, costs and times are drawn from a seed that depends on the agent's name only."""
    rng = Random(name)
    hardness = {item.id: rng.gauss(0, 0.12) for item in tasks}
    price = PRICES[name]
    identity = agent(name) if price else agent(name, model=not_applicable("it has no model"), provider=not_applicable("none"))
    ends = iter(range(10_000))

    def ending(cell: Cell) -> Outcome:
        won = rng.random() < chance + hardness[cell.task]
        if next(ends) * lost % 180 < lost:
            return invalid()
        return passed() if won else failed()

    def dressed(trial: Trial) -> Trial:
        if not trial.outcome.scoreable:
            nothing = not_run("the harness met a fault before the agent began")
            gone = {"end": "faulted", "observed": "fork failed", "usage": nothing, "cost": nothing, "candidate": nothing}
            gone |= {"artifacts": (), "timing": Timing(setup=0.1, agent=nothing, grading=nothing)}
            return trial.model_copy(update={"attempts": (trial.last.model_copy(update=gone),)})
        seconds, scale = round(rng.uniform(4, 55), 3), round(rng.uniform(0.4, 1.6), 4)
        number = int(900 * scale) + rng.randrange(50)
        changes: dict[str, object] = {"timing": Timing(setup=0.1, agent=seconds, grading=round(rng.uniform(0.2, 0.9), 3))}
        if price:
            changes["cost"] = Cost(usd=Decimal(price) * Decimal(str(scale)), source="a made-up price table", complete=True)
            changes["usage"] = Usage(
                uncached_input=number,
                cache_read=0,
                cache_write=0,
                output=number // 7 + 1,
                reasoning=0,
                requests=3,
                source="native",
            )
        else:
            nothing = not_applicable("it has no model")
            changes |= {"cost": nothing, "usage": nothing}
        update: dict[str, object] = {"attempts": (trial.last.model_copy(update=changes),)}
        if seconds > 52:
            update["outcome"] = trial.outcome.model_copy(update={"status": StatusClass.LIMIT})
        return trial.model_copy(update=update)

    return retrial(evaluation_run(tasks, f"evaluation-{name}", identity, ending, hours=hours), dressed)


def swap(of: Benchmark, new: SealedRun) -> Benchmark:
    """Return a benchmark with a run put in place of the one of its name."""
    return dataclasses.replace(of, runs=tuple(new if old.name == new.name else old for old in of.runs))
