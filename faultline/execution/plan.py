"""Plans: which cells a run has, frozen into a manifest before anything happens."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

from faultline.agents import control_identity
from faultline.clock import Clock
from faultline.errors import RefusedError
from faultline.kinds import Estimand, RetryPolicy, RunKind, SandboxLevel
from faultline.records import AgentIdentity, Cell, ExternalSandbox, Provenance, Retry, RunManifest, not_applicable, unknown
from faultline.tasks import Task, materialise, pin_task

REPETITIONS = 3
"""Trials of each control, variant and hash seed in a validity run."""
HASH_SEEDS = (0, 1)
"""Values of ``PYTHONHASHSEED`` in a validity run."""
VARIANTS = 3
"""Variants of each task in a validity run, unless more are asked for."""
MAX_ATTEMPTS = 3
"""Attempts at one trial under ``transport-only``."""
_SEEDS = 10_000
"""Fresh variants are drawn from seeds below this."""


@dataclass(frozen=True)
class Planned:
    """What a plan needs beside the tasks."""

    clock: Clock
    provenance: Provenance
    sandbox: SandboxLevel
    external: ExternalSandbox | None = None
    """Whose sandbox it is, when it is that of an installed package."""


def plan_validity(tasks: Sequence[Task], planned: Planned, variants: int = VARIANTS) -> RunManifest:
    """Return the plan that proves both sides of the contract of each task.

    Every control of every task, over a number of variants, :data:`HASH_SEEDS` and :data:`REPETITIONS`; the skins take turns.
    """
    cells: list[Cell] = []
    names: dict[str, None] = {}
    pins = []
    for task in tasks:
        pinned = tuple(materialise(task, seed).pin for seed in range(variants))
        pins.append(pin_task(task, pinned))
        for variant in pinned:
            for control in ("baseline", *task.repairs):
                names[control] = None
                # Trials of one hash seed stand together, so that a worker can keep its warm child between them.
                cells += [
                    Cell(
                        task=task.id, variant=variant.id, agent=control, trial=which * REPETITIONS + repetition, hash_seed=seed
                    )
                    for which, seed in enumerate(HASH_SEEDS)
                    for repetition in range(REPETITIONS)
                ]
    return _manifest(
        planned,
        "validity",
        kind=RunKind.VALIDITY,
        agents=tuple(control_identity(name) for name in sorted(names)),
        tasks=tuple(pins),
        cells=tuple(cells),
        trials=REPETITIONS * len(HASH_SEEDS),
        retry=retry_rule(),
        prices=not_applicable("controls cost nothing"),
    )


def plan_evaluation(
    tasks: Sequence[Task],
    agent: AgentIdentity,
    planned: Planned,
    *,
    trials: int,
    variants: int,
    seeds: Iterable[int] = (),
    retry: Retry | None = None,
) -> RunManifest:
    """Return the plan of one agent over tasks; what its verdicts estimate follows from the retry policy.

    Unless ``seeds`` names them, the variants are drawn afresh, after the agent was frozen, so that no agent can have seen them.
    """
    if trials < 1 or variants < 1:
        raise RefusedError("the plan", "it would be empty", expected="at least one trial and one variant")
    chosen = tuple(seeds) or tuple(Random(planned.clock.token()).sample(range(_SEEDS), variants))  # noqa: S311  (a draw)
    cells: list[Cell] = []
    pins = []
    for task in tasks:
        pinned = tuple(materialise(task, seed).pin for seed in sorted(set(chosen)))
        pins.append(pin_task(task, pinned))
        cells += [
            Cell(task=task.id, variant=variant.id, agent=agent.name, trial=trial, hash_seed=trial)
            for variant in pinned
            for trial in range(trials)
        ]
    return _manifest(
        planned,
        agent.name,
        kind=RunKind.EVALUATION,
        agents=(agent,),
        tasks=tuple(pins),
        cells=tuple(cells),
        trials=trials,
        retry=retry or retry_rule(),
        prices=not_applicable("the agent is a control")
        if agent.kind.is_control
        else unknown("costs come from the agent's own accounting, not from a price table"),
    )


def retry_rule(policy: RetryPolicy = RetryPolicy.TRANSPORT_ONLY, max_attempts: int | None = None) -> Retry:
    """Return the rule by which a run makes another attempt; equal for every agent, since it has no other input.

    Raises :class:`RefusedError` for a limit that the policy cannot have; the *k* of ``best-of-k`` is chosen, never a default.
    """
    if policy is RetryPolicy.NEVER:
        if max_attempts not in (None, 1):
            raise RefusedError("--max-attempts", "the policy never allows one attempt", expected="1", found=str(max_attempts))
        return Retry(policy=policy, max_attempts=1)
    if policy is RetryPolicy.BEST_OF_K and (max_attempts is None or max_attempts < 2):  # noqa: PLR2004  (best of one is pass@1)
        raise RefusedError(
            "--max-attempts",
            "best-of-k needs its k",
            expected="at least 2",
            found="none" if max_attempts is None else str(max_attempts),
        )
    return Retry(policy=policy, max_attempts=max_attempts or MAX_ATTEMPTS)


def _manifest(planned: Planned, name: str, *, retry: Retry, **parts: object) -> RunManifest:
    now = planned.clock.now()
    token = planned.clock.token()
    return RunManifest(
        schema_name="faultline/manifest/1",
        run=f"{name.replace('.', '-')}-{now:%Y-%m-%d}-{token[:6]}",
        planned_at=now,
        retry=retry,
        estimand=Estimand.BEST_OF_K if retry.policy is RetryPolicy.BEST_OF_K else Estimand.PASS_AT_1,
        sandbox=planned.sandbox,
        external=planned.external,
        judge_seed=planned.clock.token(),
        provenance=planned.provenance,
        **parts,  # type: ignore[arg-type]  # checked by the model itself
    )
