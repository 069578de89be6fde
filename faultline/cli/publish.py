"""``gates`` and ``build-site``: whether a ranking may exist, and the card as pages."""

import os
from pathlib import Path

import click

from faultline.cli.common import json_option, print_json, root_option


@click.command()
@click.option(
    "--junit", "report_file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write JUnit XML as well."
)
@root_option
@json_option
def gates(*, root: Path, report_file: Path | None, as_json: bool) -> None:
    """Say, gate by gate, whether a ranking may be published, what was seen, what is missing and what to do next.

    Exit code 0 when every gate holds, 3 when the leaderboard is withheld, 2 on bad input, 8 when FILE cannot be written. No
    option opens a gate.

    FILE is for systems that run tests: one case a gate in the class faultline.gates; a failure is a gate that does not hold, an
    error one that could not be evaluated, skipped one that does not apply. The exit code is the same with it.

    \b
    Examples:
      faultline gates
      faultline gates --json
      faultline gates --junit gates.xml
    """
    from faultline.archive import load_benchmark
    from faultline.exporters.junit import junit_xml
    from faultline.exporters.report import gate_case
    from faultline.files import atomic_write
    from faultline.gates import evaluate, gate_policy, gather

    benchmark = load_benchmark(root)
    policy = gate_policy(benchmark.gates, benchmark.gates_origin)
    report = evaluate(gather(benchmark), policy).report
    if report_file is not None:
        atomic_write(report_file, junit_xml(gate_case(gate) for gate in report.gates))
    if as_json:
        print_json(report.model_dump(mode="json") | {"withheld": report.holding < report.total})
    else:
        for gate in report.gates:
            sign = "holds   " if gate.holds else f"{gate.outcome:8}"
            colour = "green" if gate.holds else "yellow" if gate.outcome in ("inconclusive", "not-run") else "red"
            click.echo(f"{click.style(gate.id, bold=True):4} {click.style(sign, fg=colour)} {gate.headline}")
            amount = f"{gate.observed} of {gate.needed} {gate.unit}" if gate.needed else f"{gate.observed} {gate.unit}"
            click.echo(f"     saw      {gate.saw} ({amount.strip()})")
            if not gate.holds:
                for lack in gate.lacking[:5]:
                    click.echo(f"     lacks    {lack.what.label}: {lack.needs}")
                if len(gate.lacking) > 5:  # noqa: PLR2004  (what fits on a screen)
                    click.echo(f"     lacks    … and {len(gate.lacking) - 5} more; see --json")
                click.echo(f"     next     {gate.remedy}{f' ({gate.command})' if gate.command else ''}")
        state = "a ranking may be published" if report.holding == report.total else "leaderboard withheld"
        click.echo(f"\n{report.holding} of {report.total} gates hold: {state}")
    for problem in benchmark.problems:
        click.echo("\n".join(problem.diagnostics()).replace(f"{Path.cwd()}/", ""), err=True)
    if report.holding < report.total:
        raise click.exceptions.Exit(3)


@click.command(name="build-site")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Where to; by default site/ in the benchmark.")
@click.option("--strict", is_flag=True, help="Fail on any warning, and when a record does not verify.")
@root_option
def build_site(*, out: Path | None, strict: bool, root: Path) -> None:
    """Build the evaluation card as a static site: the same pages as `mkdocs build`.

    The pages are computed from the sealed runs in runs/ and the tasks, and from nothing else. They open from disk.

    \b
    Examples:
      faultline build-site
      faultline build-site --strict --out public
    """
    from faultline.site.build import build_site as build

    path = build(root, out or root / "site", strict=strict)
    click.echo(f"built {os.path.relpath(path / 'index.html')}")
