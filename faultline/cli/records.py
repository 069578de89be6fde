"""``verify``: recompute every digest of sealed runs from their files."""

from pathlib import Path

import click

from faultline.cli.common import json_option, print_json, root_option
from faultline.errors import MissingInputError


@click.command()
@click.argument("runs", metavar="[RUN]...", nargs=-1)
@root_option
@json_option
def verify(*, runs: tuple[str, ...], root: Path, as_json: bool) -> None:
    """Recompute every digest of sealed runs from their files, and name what does not match, first things first.

    \b
    Examples:
      faultline verify                                  every run in runs/
      faultline verify no-op-2026-11-30-1f3a9c --json
    """
    from faultline.archive import verify_run

    folder = root / "runs"
    names = runs or tuple(sorted(path.name for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")))
    found: dict[str, list[str]] = {}
    for name in names:
        path = folder / name
        if not path.is_dir():
            raise MissingInputError(f"runs/{name}", "there is no such run")
        found[name] = [str(mismatch.error(name)) for mismatch in verify_run(path)]
    if as_json:
        print_json(found)
    else:
        for name, mismatches in found.items():
            click.echo(f"{name}: {'verified' if not mismatches else f'{len(mismatches)} mismatches'}")
            for line in mismatches:
                click.echo(f"  {line}", err=True)
    if any(found.values()):
        raise click.exceptions.Exit(5)
