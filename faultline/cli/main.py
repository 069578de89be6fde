"""The command line's front door; a command's room is imported when the command runs, so that ``--help`` stays quick."""

import importlib
import keyword
import sys
from pathlib import Path

import click

from faultline.errors import FaultlineError

COMMANDS = {
    "validate": "faultline.cli.validate",
    "run": "faultline.cli.run",
    "resume": "faultline.cli.run",
    "seal": "faultline.cli.run",
    "status": "faultline.cli.live",
    "reconcile": "faultline.cli.live",
    "verify": "faultline.cli.records",
    "noise": "faultline.cli.analyse",
    "diagnose": "faultline.cli.analyse",
    "compare": "faultline.cli.analyse",
    "import": "faultline.cli.imports",
    "audit": "faultline.cli.audit",
    "review": "faultline.cli.review",
    "gates": "faultline.cli.publish",
    "build-site": "faultline.cli.publish",
    "export": "faultline.cli.export",
    "doctor": "faultline.cli.doctor",
}
"""Each command and its module; in the order of ``--help``."""
SUMMARIES = {
    "validate": "Prove both sides of the contract of each task.",
    "run": "Let an agent work on the tasks, and record every result.",
    "resume": "Finish a run that was interrupted.",
    "seal": "Turn a finished run into plain files.",
    "status": "Show where live runs stand.",
    "reconcile": "Settle attempts whose reply was lost.",
    "verify": "Recompute every digest, and compare rows with effects.",
    "noise": "Say which differences between passes are noise.",
    "diagnose": "Say whether a run's trials look like independent draws.",
    "compare": "Compare agents on the tasks they share, in the terminal only.",
    "import": "Read another harness's log into sealed runs.",
    "audit": "Let people other than the author examine tasks.",
    "review": "Let people read a blinded sample of trajectories.",
    "gates": "Say whether a ranking may be published.",
    "build-site": "Build the evaluation card as a static site.",
    "export": "Write records in other people's formats.",
    "doctor": "Say what this machine can do.",
}
"""One line for each command, so that ``--help`` imports none of them."""


class LazyGroup(click.Group):
    """A group that imports a command when it is asked for, and prints Faultline's errors."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        """Return the names in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  (click's signature)
        """Import the command's module."""
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        name = cmd_name.replace("-", "_")
        found = getattr(importlib.import_module(module), f"{name}_" if keyword.iskeyword(name) else name)
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  (click's signature)
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SUMMARIES.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="faultline")
def cli() -> None:
    """Tell whether a benchmark of coding agents has earned the right to rank anything.

    \b
    Examples:
      faultline doctor                        what can this machine do?
      faultline validate                      are the tasks sound?
      faultline run reference --trials 3      a control that must pass
      faultline run --agent agent.toml        your own agent
      faultline gates                         may a ranking be published?
      faultline build-site                    publish the card
      faultline export csv -o table           take the records elsewhere

    Colours switch off with NO_COLOR=1. Shell completion: `_FAULTLINE_COMPLETE=bash_source faultline` (or zsh, fish).
    """


def main() -> None:
    """Run the command line; a fault that somebody can mend is one line each and never a traceback."""
    try:
        # Outside its standalone mode click hands back the code of an early exit instead of exiting.
        sys.exit(cli.main(standalone_mode=False) or 0)
    except FaultlineError as error:
        for line in error.diagnostics():
            click.echo(line.replace(f"{Path.cwd()}/", ""), err=True)
        sys.exit(error.exit_code)
    except click.exceptions.Abort:
        click.echo("stopped", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
