"""``doctor``: what this machine can do, and what each sandbox promises."""

import platform
import shutil
import sys

import click

from faultline.cli.common import json_option, print_json


@click.command()
@json_option
def doctor(*, as_json: bool) -> None:
    """Say what this machine can do: sandboxes with what they promise and cannot promise, programs, versions.

    Exit code 7 when no sandbox fit for publication is available.

    \b
    Example:
      faultline doctor --json
    """
    from faultline.kinds import SandboxLevel
    from faultline.sandbox import IMPLEMENTATIONS

    sandboxes = {
        str(kind.level): {
            "available": not (why := kind().unfit_because()),
            "why_not": why,
            "promises": kind.promises,
            "gaps": kind.gaps,
        }
        for kind in IMPLEMENTATIONS
    }
    fit = any(item["available"] for name, item in sandboxes.items() if name != SandboxLevel.PROCESS)
    programs = {name: shutil.which(name) is not None for name in ("bwrap", "git", "chromium")}
    report = {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "programs": programs,
        "sandboxes": sandboxes,
        "fit_for_publication": fit,
    }
    if as_json:
        print_json(report)
    else:
        click.echo(f"Python {report['python']} on {report['system']}")
        click.echo("programs: " + ", ".join(f"{name} {'found' if there else 'missing'}" for name, there in programs.items()))
        for name, item in sandboxes.items():
            click.echo(f"\nsandbox {name}: {'available' if item['available'] else 'not available: ' + str(item['why_not'])}")
            for sign, lines in (("+", item["promises"]), ("-", item["gaps"])):
                for line in lines:  # type: ignore[attr-defined]  # a tuple of texts
                    click.echo(f"  {sign} {line}")
        verdict = "can" if fit else "cannot"
        click.echo(f"\nThis machine {verdict} make records that are fit for publication.")
    if not fit:
        sys.exit(7)
