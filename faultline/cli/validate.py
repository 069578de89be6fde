"""``validate``: prove both sides of the contract of each task, as a run of kind ``validity``."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from faultline.cli.common import (
    ProgressLine,
    json_option,
    ledger_option,
    pick_tasks,
    print_json,
    print_table,
    root_option,
    sandbox_option,
)

if TYPE_CHECKING:
    from faultline.gates import RunFacts, Validity
    from faultline.tasks import Task


@click.command()
@click.argument("tasks", metavar="[TASK]...", nargs=-1)
@sandbox_option
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

    The checks themselves are looked at too: one that no wrong repair fails in every trial is named, and so is one that is
    gone, fails a control no more or gives other codes than in the newest sealed run of the task's earlier form, unless
    corrections.toml has an entry whose before_digest is that form's. Either ends in exit code 3.

    \b
    Examples:
      faultline validate
      faultline validate visit-partition --no-seal
    """
    from faultline.archive import read_run
    from faultline.clock import Clock
    from faultline.execution import LiveRun, Planned, execute, gather_provenance, plan_validity, seal_live_run
    from faultline.gates import unkilled
    from faultline.gates.gathering import run_facts, task_facts
    from faultline.gates.validity import validity_in
    from faultline.sandbox import open_sandbox, sandbox_named

    level, external = sandbox_named(sandbox)
    open_sandbox(level, external)
    chosen = pick_tasks(root, tasks)
    earlier = _validity_runs(root)
    clock = Clock()
    manifest = plan_validity(chosen, Planned(clock, gather_provenance(root, chosen, (), ()), level, external), variants)
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
        checker = {
            task.id: Checker(unkilled(task_facts(task), found[task.id]), _changed(task, facts, earlier)) for task in chosen
        }
    if as_json:
        plain = {name: _plain(item, checker[name]) for name, item in found.items()}
        print_json({"run": live.run, "sealed": sealing, "tasks": plain})
    else:
        _print(found, checker, live.run, sealing=sealing)
    if any(item.state != "valid" for item in found.values()) or any(item.lines for item in checker.values()):
        raise click.exceptions.Exit(3)


@dataclass(frozen=True)
class Checker:
    """What a validation shows about the hidden checks of one task."""

    unkilled: tuple[str, ...]
    """Checks that no wrong repair fails in every trial."""
    changed: tuple[str, ...]
    """What the checks do otherwise than in an earlier form, unexplained; as sentences."""

    @property
    def lines(self) -> list[str]:
        """Return all of it as sentences."""
        told = "no wrong repair fails it in every trial, so nothing shows that it can fail"
        return [f"{check}: {told}." for check in self.unkilled] + list(self.changed)


def _validity_runs(root: Path) -> "list[RunFacts]":
    """Return the sealed validity runs of a benchmark; one that cannot be read is an error, for nothing may hide a change."""
    from faultline.archive import read_run
    from faultline.gates.gathering import run_facts

    paths = sorted(path.parent for path in (root / "runs").glob("*/seal.json"))
    runs = (read_run(path) for path in paths if b'"kind":"validity"' in (path / "manifest.json").read_bytes())
    return [run_facts(run) for run in runs]


def _changed(task: "Task", now: "RunFacts", earlier: "list[RunFacts]") -> tuple[str, ...]:
    """Return what the checks of a task do otherwise than in its earlier form, unless a correction tells of it."""
    from faultline.gates import changed_checks, earlier_form
    from faultline.gates.gathering import task_facts

    facts = task_facts(task)
    before = earlier_form(facts, earlier)
    if before is None or before.pins[task.id].digest in {item.before_digest for item in task.corrections}:
        return ()
    return changed_checks(facts, now, before)


def _plain(validity: "Validity", checker: Checker) -> dict[str, object]:
    return {
        "state": validity.state,
        "trials": validity.trials,
        "variants": validity.variants,
        "hash_seeds": validity.hash_seeds,
        "repetitions": validity.repetitions,
        "flips": validity.flips,
        "problems": list(validity.problems),
        "unkilled": list(checker.unkilled),
        "changed_checks": list(checker.changed),
        "controls": {
            evidence.control.name: {
                "expected": evidence.control.code or "passed",
                "planned": evidence.planned,
                "as_expected": evidence.as_expected,
                "flips": evidence.flips,
                "codes": dict(evidence.codes),
                "killed_by": list(evidence.killed_by),
            }
            for evidence in validity.controls
        },
    }


def _print(found: "dict[str, Validity]", checker: dict[str, Checker], run: str, *, sealing: bool) -> None:
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
    about = [[name, line] for name, item in checker.items() for line in item.lines]
    if about:
        print_table(["task", "what the hidden checks do not show"], about)
    if sealing:
        click.echo(f"sealed runs/{run}")
