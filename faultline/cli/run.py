"""``run``, ``resume``, ``seal``, ``status``: evaluations from plan to plain files."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from faultline.cli.common import ProgressLine, json_option, ledger_option, pick_tasks, print_json, root_option
from faultline.errors import RefusedError
from faultline.kinds import SandboxLevel

if TYPE_CHECKING:
    from faultline.execution import LiveRun
    from faultline.ledger import Progress
    from faultline.records import AgentIdentity

workers_option = click.option(
    "--workers", type=click.IntRange(1, 64), default=os.cpu_count() or 1, show_default="processors", help="Worker processes."
)
seal_option = click.option("--seal/--no-seal", "sealing", default=True, help="Seal the run when every cell is recorded.")
sandbox_option = click.option(
    "--sandbox",
    type=click.Choice(["bubblewrap", "process"]),
    default="bubblewrap",
    show_default=True,
    help="Where untrusted code runs; 'process' is not fit for publication.",
)


@click.command()
@click.argument("agent", required=False)
@click.option("--agent", "agent_file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="An agent.toml.")
@click.option("--task", "tasks", multiple=True, help="Only this task; may be given again.")
@click.option("--trials", type=click.IntRange(1, 1000), default=3, show_default=True, help="Trials of each task variant.")
@click.option("--variants", type=click.IntRange(1, 100), default=3, show_default=True, help="Fresh variants of each task.")
@click.option("--seed", "seeds", type=click.IntRange(0), multiple=True, help="Use this variant instead of fresh ones.")
@click.option("--human", multiple=True, help="A contribution of a person, for the provenance; may be given again.")
@click.option("--assistant", multiple=True, help="A contribution of an assistant, for the provenance; may be given again.")
@sandbox_option
@workers_option
@seal_option
@ledger_option
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
    human: tuple[str, ...],
    assistant: tuple[str, ...],
    sandbox: str,
    workers: int,
    sealing: bool,
    ledger: str,
    root: Path,
    as_json: bool,
) -> None:
    """Let an agent work on the tasks, and record every result exactly once.

    AGENT is a control: `no-op` or `reference`. Your own agent is described by a file: `--agent agent.toml`.
    The plan is frozen first; Ctrl-C or a crash loses nothing that was recorded, and `faultline resume` goes on.

    \b
    Examples:
      faultline run no-op --trials 3
      faultline run --agent examples/rule-based/agent.toml --task visit-partition
    """
    from faultline.clock import Clock
    from faultline.execution import LiveRun, Planned, gather_provenance, plan_evaluation
    from faultline.sandbox import open_sandbox

    identity = _identity(agent, agent_file)
    level = SandboxLevel(sandbox)
    open_sandbox(level)
    chosen = pick_tasks(root, tasks)
    people, helpers = _contributions(agent_file)
    provenance = gather_provenance(root, chosen, (*people, *human), (*helpers, *assistant))
    planned = Planned(Clock(), provenance, level)
    manifest = plan_evaluation(chosen, identity, planned, trials=trials, variants=variants, seeds=seeds)
    live = LiveRun(root, manifest.run, ledger)
    live.create(manifest, agent_file)
    _finish(live, workers, sealing=sealing, as_json=as_json)


@click.command()
@click.argument("run_id", metavar="RUN")
@workers_option
@seal_option
@ledger_option
@root_option
@json_option
def resume(*, run_id: str, workers: int, sealing: bool, ledger: str, root: Path, as_json: bool) -> None:
    """Finish a run that was interrupted; nothing that was recorded is done again.

    \b
    Example:
      faultline resume no-op-2026-11-30-1f3a9c
    """
    from faultline.execution import LiveRun

    live = LiveRun(root, run_id, ledger)
    live.manifest()
    _finish(live, workers, sealing=sealing, as_json=as_json)


@click.command()
@click.argument("run_id", metavar="RUN")
@ledger_option
@root_option
def seal(*, run_id: str, ledger: str, root: Path) -> None:
    """Turn a finished run into plain files under runs/, with the digests of all of them.

    \b
    Example:
      faultline seal no-op-2026-11-30-1f3a9c
    """
    from faultline.clock import Clock
    from faultline.execution import LiveRun, seal_live_run

    live = LiveRun(root, run_id, ledger)
    live.manifest()
    path = seal_live_run(live, Clock())
    click.echo(f"sealed {path.relative_to(root)}")


@click.command()
@click.argument("run_id", metavar="[RUN]", required=False)
@ledger_option
@root_option
@json_option
def status(*, run_id: str | None, ledger: str, root: Path, as_json: bool) -> None:
    """Show where live runs stand: planned, recorded by outcome, running, unknown.

    \b
    Examples:
      faultline status
      faultline status no-op-2026-11-30-1f3a9c --json
    """
    from faultline.clock import Clock
    from faultline.execution import LiveRun, live_runs

    chosen = [LiveRun(root, run_id, ledger)] if run_id else list(live_runs(root))
    found: dict[str, dict[str, object]] = {}
    for live in chosen:
        live.manifest()
        with live.open_ledger() as store:
            found[live.run] = _counts(store.progress(live.run, Clock().now()))
    if as_json:
        print_json(found)
    elif not found:
        click.echo("no live runs; sealed ones are in runs/")
    else:
        for name, counts in found.items():
            click.echo(f"{name}: " + ", ".join(f"{word} {count}" for word, count in counts.items()))


def _identity(agent: str | None, agent_file: Path | None) -> "AgentIdentity":
    from faultline.agents import command_identity, control_identity

    if (agent is None) == (agent_file is None):
        raise click.UsageError("name a control (no-op, reference) or give --agent FILE")
    if agent_file is not None:
        return command_identity(agent_file)
    if agent not in ("no-op", "reference"):
        raise RefusedError(
            str(agent),
            "this is no agent that can be evaluated",
            expected="no-op, reference, or --agent FILE",
            next_step="faultline run --help",
        )
    return control_identity(agent)


def _contributions(agent_file: Path | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    from faultline.agents import read_agent_file

    if agent_file is None:
        return (), ()
    file = read_agent_file(agent_file)
    return file.human, file.assistant


def _finish(live: "LiveRun", workers: int, *, sealing: bool, as_json: bool) -> None:
    """Execute a plan, seal it when it is complete, and say what came of it."""
    from faultline.clock import Clock
    from faultline.execution import execute, seal_live_run

    clock = Clock()
    try:
        with ProgressLine(live.run) as report:
            progress = execute(live, workers, clock, report)
    except KeyboardInterrupt:
        click.echo(f"stopped; what is recorded stays. Go on with: faultline resume {live.run}", err=True)
        raise click.exceptions.Exit(130) from None
    sealed = seal_live_run(live, clock) if sealing and progress.complete else None
    counts = {"run": live.run} | _counts(progress) | {"sealed": str(sealed.relative_to(live.root)) if sealed else None}
    if as_json:
        print_json(counts)
    else:
        click.echo(f"{live.run}: {progress.done} of {progress.planned} recorded: {_folds(progress)}")
        click.echo(f"sealed {sealed.relative_to(live.root)}" if sealed else f"not sealed; next: faultline seal {live.run}")
    if not progress.complete:
        raise click.exceptions.Exit(6)


def _folds(progress: "Progress") -> str:
    return ", ".join(f"{count} {fold}" for fold, count in progress.recorded.items())


def _counts(progress: "Progress") -> dict[str, object]:
    return {
        "planned": progress.planned,
        "recorded": progress.done,
        **{str(fold): count for fold, count in progress.recorded.items()},
        "running": len(progress.leases),
        "unknown": progress.unknown,
        "conflicts": progress.conflicts,
    }
