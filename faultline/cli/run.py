"""``run``, ``resume``, ``seal``: evaluations from plan to plain files."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from faultline.cli.common import (
    ProgressLine,
    artifacts_option,
    json_option,
    ledger_option,
    pick_tasks,
    print_json,
    root_option,
    sandbox_option,
)
from faultline.cli.live import conflict_error, counts_of, folds_of
from faultline.errors import raise_all
from faultline.kinds import RetryPolicy

if TYPE_CHECKING:
    from faultline.execution import LiveRun
    from faultline.records import AgentIdentity

workers_option = click.option(
    "--workers", type=click.IntRange(1, 64), default=os.cpu_count() or 1, show_default="processors", help="Worker processes."
)
executor_option = click.option(
    "--executor",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Where workers run; 'ray' is the cluster that RAY_ADDRESS names, or Ray on this machine.",
)
seal_option = click.option("--seal/--no-seal", "sealing", default=True, help="Seal the run when every cell is recorded.")


@click.command()
@click.argument("agent", required=False)
@click.option("--agent", "agent_file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="An agent.toml.")
@click.option("--task", "tasks", multiple=True, help="Only this task; may be given again.")
@click.option("--trials", type=click.IntRange(1, 1000), default=3, show_default=True, help="Trials of each task variant.")
@click.option("--variants", type=click.IntRange(1, 100), default=3, show_default=True, help="Fresh variants of each task.")
@click.option("--seed", "seeds", type=click.IntRange(0), multiple=True, help="Use this variant instead of fresh ones.")
@click.option(
    "--retry",
    type=click.Choice([policy.value for policy in RetryPolicy]),
    default=RetryPolicy.TRANSPORT_ONLY.value,
    show_default=True,
    help="When another attempt may follow; 'best-of-k' changes what the verdicts estimate, and says so wherever they stand.",
)
@click.option("--max-attempts", type=click.IntRange(1, 20), help="Attempts at one trial, the first included.  [default: 3]")
@click.option("--human", multiple=True, help="A contribution of a person, for the provenance; may be given again.")
@click.option("--assistant", multiple=True, help="A contribution of an assistant, for the provenance; may be given again.")
@sandbox_option
@workers_option
@executor_option
@seal_option
@ledger_option
@artifacts_option
@root_option
@json_option
def run(
    *,
    agent: str | None,
    agent_file: Path | None,
    tasks: tuple[str, ...],
    trials: int,
    variants: int,
    seeds: tuple[int, ...],
    retry: str,
    max_attempts: int | None,
    human: tuple[str, ...],
    assistant: tuple[str, ...],
    sandbox: str,
    workers: int,
    executor: str,
    sealing: bool,
    ledger: str,
    artifacts: str,
    root: Path,
    as_json: bool,
) -> None:
    """Let an agent work on the tasks, and record every result exactly once.

    AGENT is a control: `no-op`, `reference`, or one that repairs nothing, `delete-tests` or `random-edit`; or the name of an
    agent that an installed package brings, which works inside the harness and cannot be published. Your own agent is described
    by a file: `--agent agent.toml`.
    The plan is frozen first; Ctrl-C or a crash loses nothing that was recorded, and `faultline resume` goes on.

    \b
    Examples:
      faultline run no-op --trials 3
      faultline run --agent examples/rule-based/agent.toml --task visit-partition
    """
    from faultline.clock import Clock
    from faultline.execution import LiveRun, Planned, gather_provenance, plan_evaluation, retry_rule
    from faultline.sandbox import open_sandbox, sandbox_named

    rule = retry_rule(RetryPolicy(retry), max_attempts)
    identity = _identity(agent, agent_file)
    level, external = sandbox_named(sandbox)
    open_sandbox(level, external)
    chosen = pick_tasks(root, tasks)
    people, helpers = _contributions(agent_file)
    provenance = gather_provenance(root, chosen, (*people, *human), (*helpers, *assistant))
    planned = Planned(Clock(), provenance, level, external)
    manifest = plan_evaluation(chosen, identity, planned, trials=trials, variants=variants, seeds=seeds, retry=rule)
    live = LiveRun(root, manifest.run, ledger, artifacts)
    live.create(manifest, agent_file)
    _finish(live, workers, executor, sealing=sealing, as_json=as_json)


@click.command()
@click.argument("run_id", metavar="RUN")
@workers_option
@executor_option
@seal_option
@ledger_option
@artifacts_option
@root_option
@json_option
def resume(
    *, run_id: str, workers: int, executor: str, sealing: bool, ledger: str, artifacts: str, root: Path, as_json: bool
) -> None:
    """Finish a run that was interrupted; nothing that was recorded is done again.

    \b
    Example:
      faultline resume no-op-2026-11-30-1f3a9c
    """
    from faultline.execution import LiveRun

    live = LiveRun.find(root, run_id, ledger, artifacts)
    _finish(live, workers, executor, sealing=sealing, as_json=as_json)


@click.command()
@click.argument("run_id", metavar="RUN")
@ledger_option
@artifacts_option
@root_option
def seal(*, run_id: str, ledger: str, artifacts: str, root: Path) -> None:
    """Turn a finished run into plain files under runs/, with the digests of all of them.

    \b
    Example:
      faultline seal no-op-2026-11-30-1f3a9c
    """
    from faultline.clock import Clock
    from faultline.execution import LiveRun, seal_live_run

    live = LiveRun.find(root, run_id, ledger, artifacts)
    path = seal_live_run(live, Clock())
    click.echo(f"sealed {path.relative_to(root)}")


def _identity(agent: str | None, agent_file: Path | None) -> "AgentIdentity":
    from faultline.agents import AGENTS, agent_identity, command_identity

    if agent is not None and agent_file is None:
        return agent_identity(agent)
    if agent_file is not None and agent is None:
        return command_identity(agent_file)
    raise click.UsageError(f"name an agent ({', '.join(AGENTS.names())}) or give --agent FILE")


def _contributions(agent_file: Path | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    from faultline.agents import read_agent_file

    if agent_file is None:
        return (), ()
    file = read_agent_file(agent_file)
    return file.human, file.assistant


def _finish(live: "LiveRun", workers: int, executor: str, *, sealing: bool, as_json: bool) -> None:
    """Execute a plan, seal it when it is complete, and say what came of it."""
    from faultline.clock import Clock
    from faultline.execution import execute, execute_on_ray, seal_live_run

    clock = Clock()
    estimates = live.manifest().estimates
    try:
        with ProgressLine(live.run) as report:
            progress = (execute_on_ray if executor == "ray" else execute)(live, workers, clock, report)
    except KeyboardInterrupt:
        click.echo(f"stopped; what is recorded stays. Go on with: faultline resume {live.run}", err=True)
        raise click.exceptions.Exit(130) from None
    with live.open_ledger() as store:
        conflicts = [conflict_error(item) for item in store.conflicts(live.run) if item.why == "other-payload"]
    sealed = seal_live_run(live, clock) if sealing and progress.complete else None
    counts = {"run": live.run} | counts_of(progress) | {"sealed": str(sealed.relative_to(live.root)) if sealed else None}
    if as_json:
        print_json(counts | {"estimand": estimates})
    else:
        click.echo(f"{live.run}: {progress.done} of {progress.planned} recorded: {folds_of(progress)} ({estimates})")
        if sealed:
            click.echo(f"sealed {sealed.relative_to(live.root)}")
        elif progress.unknown:
            click.echo(f"{progress.unknown} attempts are unknown; next: faultline reconcile {live.run}")
        else:
            click.echo(f"not sealed; next: faultline {'seal' if progress.complete else 'resume'} {live.run}")
    raise_all(conflicts)
    if not progress.complete:
        raise click.exceptions.Exit(6)
