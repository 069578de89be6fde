"""``validate``: prove both sides of the contract of each task, as a run of kind ``validity``."""

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from faultline.cli.common import ProgressLine, json_option, ledger_option, pick_tasks, print_json, print_table, root_option
from faultline.kinds import SandboxLevel

if TYPE_CHECKING:
    from faultline.gates import Validity


@click.command()
@click.argument("tasks", metavar="[TASK]...", nargs=-1)
@click.option("--sandbox", type=click.Choice(["bubblewrap", "process"]), default="bubblewrap", show_default=True)
@click.option("--workers", type=click.IntRange(1, 64), default=os.cpu_count() or 1, show_default="processors")
@click.option("--variants", type=click.IntRange(3, 1000), default=3, show_default=True, help="Variants of each task.")
@click.option("--seal/--no-seal", "sealing", default=True, help="Keep the records as a sealed run in runs/.")
@ledger_option
@root_option
@json_option
def validate(
    *, tasks: tuple[str, ...], sandbox: str, workers: int, variants: int, sealing: bool, ledger: str, root: Path, as_json: bool
) -> None:
    """Prove both sides of the contract of each task: the baseline fails for the intended reason, the reference passes.

    Wrong repairs must fail with their own reason codes, other valid repairs must pass, and no verdict may flip over three
    repetitions, two hash seeds and three variants or more. Exit code 0 only when all of it holds, else 3 and a table of
    what does not.

    \b
    Examples:
      faultline validate
      faultline validate visit-partition --no-seal
    """
    from faultline.archive import read_run
    from faultline.clock import Clock
    from faultline.execution import LiveRun, Planned, execute, gather_provenance, plan_validity, seal_live_run
    from faultline.gates.facts import run_facts, task_facts
    from faultline.gates.validity import validity_in
    from faultline.sandbox import open_sandbox

    level = SandboxLevel(sandbox)
    open_sandbox(level)
    chosen = pick_tasks(root, tasks)
    clock = Clock()
    manifest = plan_validity(chosen, Planned(clock, gather_provenance(root, chosen, (), ()), level), variants)
    live = LiveRun(root, manifest.run, ledger)
    live.create(manifest, None)
    try:
        with ProgressLine(live.run) as report:
            progress = execute(live, workers, clock, report)
    except KeyboardInterrupt:
        click.echo(f"stopped; what is recorded stays. Go on with: faultline resume {live.run}", err=True)
        raise click.exceptions.Exit(130) from None
    if not progress.complete:
        click.echo(f"{live.run}: {progress.done} of {progress.planned} recorded; next: faultline resume {live.run}", err=True)
        raise click.exceptions.Exit(6)
    with tempfile.TemporaryDirectory() as aside:
        path = seal_live_run(live, clock, root / "runs" if sealing else Path(aside))
        facts = run_facts(read_run(path))
        found = {task.id: validity_in(task_facts(task), facts) for task in chosen}
    if as_json:
        print_json({"run": live.run, "sealed": sealing, "tasks": {name: _plain(item) for name, item in found.items()}})
    else:
        _print(found, live.run, sealing=sealing)
    if any(item.state != "valid" for item in found.values()):
        raise click.exceptions.Exit(3)


def _plain(validity: "Validity") -> dict[str, object]:
    return {
        "state": validity.state,
        "trials": validity.trials,
        "variants": validity.variants,
        "hash_seeds": validity.hash_seeds,
        "repetitions": validity.repetitions,
        "flips": validity.flips,
        "problems": list(validity.problems),
        "controls": {
            evidence.control.name: {
                "expected": evidence.control.code or "passed",
                "planned": evidence.planned,
                "as_expected": evidence.as_expected,
                "flips": evidence.flips,
                "codes": dict(evidence.codes),
            }
            for evidence in validity.controls
        },
    }


def _print(found: "dict[str, Validity]", run: str, *, sealing: bool) -> None:
    rows = []
    for name, validity in found.items():
        caught = [item for item in validity.controls if item.control.role == "wrong"]
        passing = [item for item in validity.controls if item.control.role in ("reference", "valid")]
        baseline = next(item for item in validity.controls if item.control.role == "baseline")
        rows.append(
            [
                name,
                validity.state,
                f"fails {baseline.control.code}" if baseline.holds else "does not fail as intended",
                f"{sum(item.holds for item in passing)} of {len(passing)} pass",
                f"{sum(item.holds for item in caught)} of {len(caught)} caught",
                f"{validity.flips} in {validity.trials} trials",
            ]
        )
    print_table(["task", "state", "baseline", "valid repairs", "wrong repairs", "flips"], rows)
    lacking = [[name, problem] for name, validity in found.items() for problem in validity.problems]
    if lacking:
        print_table(["task", "what does not hold"], lacking)
    if sealing:
        click.echo(f"sealed runs/{run}")
