"""``noise``, ``diagnose`` and ``compare``: what sealed runs say, for the people who run the benchmark."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from faultline.cli.common import json_option, print_json, root_option

if TYPE_CHECKING:
    from faultline.archive import Benchmark
    from faultline.gates import Facts, RunFacts

runs_argument = click.argument("runs", metavar="RUN...", nargs=-1, required=True)
COLOURS = {"red": "red", "amber": "yellow", "note": "green"}


@click.command()
@runs_argument
@root_option
@json_option
def noise(*, runs: tuple[str, ...], root: Path, as_json: bool) -> None:
    """Say which differences between single passes are noise: what identical code shows by itself.

    A pass is every task variant once. Passes of several runs go together when they are of identical code, by digest: agent,
    tasks, workspaces, limits, sandbox, retry policy and versions.

    \b
    Examples:
      faultline noise my-agent-2026-11-30-1f3a9c
      faultline noise monday-run tuesday-run --json
    """
    from faultline.card.noise import noise_of

    _, _, picked = _read(root, runs)
    found = noise_of(picked)
    if as_json:
        print_json([item.model_dump(mode="json") for item in found])
        return
    for place, item in enumerate(found):
        if place:
            click.echo()
        click.echo(
            f"{click.style(item.agent, bold=True)}: {', '.join(item.runs)} (code {item.code.removeprefix('sha256:')[:12]})"
        )
        click.echo(
            f"  passed in each of {item.passes} passes: {', '.join(map(str, item.totals)) or 'none'} of {item.cases} cases"
        )
        click.echo(f"  {item.sentence}")


@click.command()
@click.argument("run", metavar="RUN")
@root_option
@json_option
def diagnose(*, run: str, root: Path, as_json: bool) -> None:
    """Say whether a run's trials look like independent draws: flat lines, drift, idle models, repeated transcripts.

    Earlier runs of the same agent are its history. A red finding keeps gate G3 from holding, and the exit code is 3.

    \b
    Examples:
      faultline diagnose my-agent-2026-11-30-1f3a9c
      faultline diagnose my-agent-2026-11-30-1f3a9c --json
    """
    from faultline.gates.instrument import diagnose as ask

    _, facts, picked = _read(root, (run,))
    found = ask(picked[0], facts)
    red = any(finding.severity == "red" for finding in found)
    if as_json:
        print_json({"run": run, "red": red, "findings": [finding.model_dump(mode="json") for finding in found]})
    else:
        for finding in found:
            click.echo(f"{click.style(f'{finding.severity:5}', fg=COLOURS[finding.severity])} {finding.title} [{finding.id}]")
            click.echo(f"      {finding.saw}")
        click.echo("\nA red finding: gate G3 does not hold until it is explained." if red else "\nNo red finding.")
    if red:
        raise click.exceptions.Exit(3)


def _read(root: Path, names: tuple[str, ...]) -> "tuple[Benchmark, Facts, tuple[RunFacts, ...]]":
    """Return the benchmark, its facts and the named runs; a run that does not verify raises what is wrong with it."""
    from faultline.archive import load_benchmark
    from faultline.errors import FaultlineError, MissingInputError, raise_all
    from faultline.gates import gather

    benchmark = load_benchmark(root)
    facts = gather(benchmark)
    known = {run.name: run for run in facts.runs}
    missing: list[FaultlineError] = []
    for name in dict.fromkeys(names):
        if name not in known:
            broken = [problem for problem in benchmark.problems if problem.place.split("/")[:2] == ["runs", name]]
            broken += [problem for problem in benchmark.problems if problem.place.split("/")[0] == name]
            missing += broken or [MissingInputError(f"runs/{name}", "there is no such run")]
    raise_all(missing)
    return benchmark, facts, tuple(known[name] for name in dict.fromkeys(names))


@click.command()
@runs_argument
@root_option
@json_option
def compare(*, runs: tuple[str, ...], root: Path, as_json: bool) -> None:
    """Compare the agents of two or more evaluations on the tasks they share, for the people who run the benchmark.

    Paired by task and clustered by family; Holm over all pairs; three numbers where verdicts are missing. Runs under different
    protocols are refused. Nothing of this reaches the site while a gate does not hold.

    \b
    Examples:
      faultline compare first-run second-run
      faultline compare first-run second-run third-run --json
    """
    from dataclasses import asdict

    from faultline.card.comparison import compare as ask
    from faultline.gates import evaluate, gate_policy

    benchmark, facts, picked = _read(root, runs)
    found = ask(picked)
    report = evaluate(facts, gate_policy(benchmark.gates, benchmark.gates_origin)).report
    failing = [gate.id for gate in report.gates if not gate.holds]
    if as_json:
        gates = {"holding": report.holding, "total": report.total, "not_holding": failing, "withheld": bool(failing)}
        print_json({"gates": gates} | asdict(found))
        return
    state = f"withheld ({', '.join(failing)} do not hold): not to be published" if failing else "open: every gate holds"
    click.echo(f"{report.holding} of {report.total} gates hold; the leaderboard is {state}.")
    click.echo(f"{found.tasks} tasks of {found.families} families.\n")
    for system in found.systems:
        rate = system.rate
        rank = f"rank {system.rank_low}-{system.rank_high} of {len(found.systems)}"
        click.echo(f"{click.style(system.run, bold=True)} ({system.agent}), {rank}: {system.headline}")
        click.echo(
            f"  missing verdicts as failures {_share(rate.lower)}, scoreable only {_share(rate.excluded)}, "
            f"bounds {_share(rate.lower)} to {_share(rate.upper)}; {rate.missing} of {rate.planned} trials have no verdict"
        )
    click.echo()
    for pair in found.pairs:
        click.echo(pair.sentence)
    click.echo()
    for note in (found.rank_note, *found.notes):
        click.echo(note)


def _share(value: float | None) -> str:
    return "no data" if value is None else f"{100 * value:.1f} %"
