"""``doctor``: what this machine can do, what each sandbox promises, and what installed packages bring."""

import platform
import shutil
import sys
from typing import TYPE_CHECKING, Any

import click

from faultline.cli.common import json_option, print_json
from faultline.errors import FaultlineError

if TYPE_CHECKING:
    from faultline.plugins import Group


@click.command()
@json_option
def doctor(*, as_json: bool) -> None:
    """Say what this machine can do: sandboxes with what they promise and cannot promise, programs, versions, plugins.

    Exit code 7 when no sandbox fit for publication is available.

    \b
    Example:
      faultline doctor --json
    """
    from faultline.agents import AGENTS
    from faultline.exporters import EXPORTERS
    from faultline.importers import IMPORTERS
    from faultline.sandbox import SANDBOXES

    groups: tuple[Group[Any], ...] = (AGENTS, SANDBOXES, IMPORTERS, EXPORTERS)
    sandboxes = {name: _sandbox(name) for name in SANDBOXES.names()}
    fit = any(item["available"] and item["fit"] for item in sandboxes.values())
    programs = {name: shutil.which(name) is not None for name in ("bwrap", "git", "chromium")}
    report = {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "programs": programs,
        "sandboxes": sandboxes,
        "found": {group.noun + ("es" if group.noun.endswith("x") else "s"): group.bringers() for group in groups},
        "fit_for_publication": fit,
    }
    if as_json:
        print_json(report)
    else:
        _print(report)
    if not fit:
        sys.exit(7)


def _sandbox(name: str) -> dict[str, Any]:
    """Return what one sandbox says of itself; one of another package may be broken, and then that is said."""
    from faultline.kinds import safe_text
    from faultline.sandbox import SANDBOXES, sandbox_named, unfit_because

    try:
        level, _ = sandbox_named(name)
        sandbox = SANDBOXES.make(name)
    except FaultlineError as error:
        return {"available": False, "why_not": str(error), "fit": False, "promises": (), "gaps": ()}
    why = unfit_because(name, sandbox)
    promises, gaps = (tuple(safe_text(str(line), 300) for line in lines) for lines in (sandbox.promises, sandbox.gaps))
    return {"available": not why, "why_not": why, "fit": level.fit, "promises": promises, "gaps": gaps}


def _print(report: dict[str, Any]) -> None:
    click.echo(f"Python {report['python']} on {report['system']}")
    programs = report["programs"].items()
    click.echo("programs: " + ", ".join(f"{name} {'found' if there else 'missing'}" for name, there in programs))
    for noun, found in report["found"].items():
        click.echo(f"{noun}: " + ", ".join(name + _by(bringers) for name, bringers in found.items()))
    for name, item in report["sandboxes"].items():
        click.echo(f"\nsandbox {name}: {'available' if item['available'] else 'not available: ' + item['why_not']}")
        for sign, lines in (("+", item["promises"]), ("-", item["gaps"])):
            for line in lines:
                click.echo(f"  {sign} {line}")
        if item["available"] and not item["fit"]:
            click.echo("  not fit for publication")
    verdict = "can" if report["fit_for_publication"] else "cannot"
    click.echo(f"\nThis machine {verdict} make records that are fit for publication.")


def _by(bringers: tuple[str, ...]) -> str:
    """Return who brings a name, unless Faultline alone does; a name that two bring is refused when it is asked for."""
    if bringers == ("faultline",):
        return ""
    return f" ({' and '.join(bringers)}{'; claimed twice, and refused' if len(bringers) > 1 else ''})"
