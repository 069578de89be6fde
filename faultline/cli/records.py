"""``verify``: recompute every digest of sealed runs, and compare ledger and effects of live ones."""

from pathlib import Path
from typing import Any

import click

from faultline.cli.common import artifacts_option, json_option, ledger_option, print_json, root_option
from faultline.errors import MissingInputError


@click.command()
@click.argument("runs", metavar="[RUN]...", nargs=-1)
@ledger_option
@artifacts_option
@root_option
@json_option
def verify(*, runs: tuple[str, ...], ledger: str, artifacts: str, root: Path, as_json: bool) -> None:
    """Recompute every digest of sealed runs from their files, and name what does not match, first things first.

    A run that is not sealed yet is verified too: rows of the ledger, receipts, candidates and traces are counted independently,
    and any difference is named: a row without an effect, an effect without a row, two rows for one cell.

    \b
    Examples:
      faultline verify                                  every run, sealed or live
      faultline verify no-op-2026-11-30-1f3a9c --json
    """
    found = {name: _one(root, name, ledger, artifacts) for name in runs or _all(root)}
    if as_json:
        print_json(found)
    else:
        for name, answer in found.items():
            count = len(answer["mismatches"])
            said = "verified" if not count else f"{count} mismatches"
            counts = ", ".join(f"{number} {word.replace('_', ' ')}" for word, number in answer["counts"].items())
            click.echo(f"{name}: {said}" + (f" (live: {counts})" if counts else ""))
            for line in answer["mismatches"]:
                click.echo(f"  {line}", err=True)
    if any(answer["mismatches"] for answer in found.values()):
        raise click.exceptions.Exit(5)


def _all(root: Path) -> list[str]:
    from faultline.execution import live_runs

    folder = root / "runs"
    sealed = (
        [path.name for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")] if folder.is_dir() else []
    )
    return sorted(sealed) + [live.run for live in live_runs(root)]


def _one(root: Path, name: str, ledger: str, artifacts: str) -> dict[str, Any]:
    """Return what a verification of one run found; counts only of a live one, since a seal holds its own."""
    path = root / "runs" / name
    if path.is_dir():
        from faultline.archive import verify_run

        return {"state": "sealed", "counts": {}, "mismatches": [str(item.error(name)) for item in verify_run(path)]}
    from faultline.clock import Clock
    from faultline.execution import LiveRun, live_runs, verify_live_run

    if name not in {live.run for live in live_runs(root)}:
        raise MissingInputError(name, "there is no such run, sealed or live", next_step="faultline status")
    audit = verify_live_run(LiveRun.find(root, name, ledger, artifacts), Clock().now())
    return {"state": "live", "counts": dict(audit.counts), "mismatches": [str(error) for error in audit.errors(name)]}
