"""Run a command of Faultline in this process, as a person would meet it: exit code, output, one line for each fault."""

from typing import NamedTuple

from click.testing import CliRunner

from faultline.cli.main import cli
from faultline.errors import FaultlineError


class Done(NamedTuple):
    code: int
    out: str
    err: str


def run_command(root, *arguments):
    """Run a command on a benchmark; what is no fault for a person is raised."""
    given = [str(item) for item in arguments] + (["--root", str(root)] if root else [])
    result = CliRunner().invoke(cli, given)
    if isinstance(result.exception, FaultlineError):
        return Done(result.exception.exit_code, result.stdout, "\n".join(result.exception.diagnostics()))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Done(result.exit_code, result.stdout, result.stderr)
