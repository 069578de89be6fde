"""``export``: records in other people's formats."""

from pathlib import Path

import click

from faultline.cli.common import json_option, print_json, root_option


@click.command()
@click.argument("name", metavar="FORMAT", required=False)
@click.argument("runs", metavar="[RUN]...", nargs=-1)
@click.option("-o", "--out", type=click.Path(path_type=Path), metavar="FOLDER", help="Where to; made as a whole or not at all.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of the format; see --list.")
@click.option("--replace", is_flag=True, help="Replace an earlier export; anything else that is there stays.")
@click.option("--list", "listing", is_flag=True, help="List the formats, with what each needs and loses.")
@root_option
@json_option
def export(
    *,
    name: str | None,
    runs: tuple[str, ...],
    out: Path | None,
    settings: tuple[str, ...],
    replace: bool,
    listing: bool,
    root: Path,
    as_json: bool,
) -> None:
    """Write sealed runs, tasks and gates in other people's formats; without RUN, everything that the format takes.

    The folder also gets export.json: what it was made from, what was left out, and whether the publication gates hold. An
    export for yourself is like `faultline compare`; while a gate does not hold it is marked as not to be published.

    \b
    Examples:
      faultline export --list
      faultline export csv -o table
      faultline export parquet my-agent-2026-11-30-1f3a9c -o table
      faultline export junit -o reports --replace
    """
    if listing:
        _list(as_json=as_json)
        return
    if name is None or out is None:
        raise click.UsageError("name a format and a target: faultline export FORMAT -o FOLDER; --list shows the formats")
    from faultline.archive import load_benchmark
    from faultline.card import assemble
    from faultline.clock import Clock
    from faultline.exporters import Subject, open_exporter, write_export
    from faultline.exporters import export as make
    from faultline.gates import evaluate, gate_policy, gather

    exporter, clock = open_exporter(name), Clock()
    options = dict(_setting(item) for item in settings)
    benchmark = load_benchmark(root)
    evaluation = evaluate(gather(benchmark), gate_policy(benchmark.gates, benchmark.gates_origin))
    subject = Subject(benchmark, assemble(benchmark, evaluation), evaluation, tuple(dict.fromkeys(runs)), options)
    made = make(exporter, subject, clock)
    write_export(made, out, clock, replace=replace)
    if as_json:
        gates = {"withheld": subject.withheld, "status": subject.gate_status}
        files = {path: len(data) for path, data in sorted(made.files.items())}
        print_json({"format": exporter.name, "gates": gates, "files": files, "notes": list(made.notes)})
        return
    click.echo(f"wrote {len(made.files)} files, {sum(map(len, made.files.values()))} bytes: {exporter.title}")
    click.echo(f"loses  {exporter.loses}")
    click.echo(f"gates  {subject.gate_status}")
    for note in made.notes:
        click.echo(f"note   {note}")


def _setting(item: str) -> tuple[str, str]:
    key, sign, value = item.partition("=")
    if not sign or not key:
        raise click.UsageError("--set takes KEY=VALUE")
    return key, value


def _list(*, as_json: bool) -> None:
    from faultline.exporters import exporter_names, open_exporter

    found = [open_exporter(name) for name in exporter_names()]
    if as_json:
        print_json(
            [
                {"format": e.name, "title": e.title, "needs": e.needs, "loses": e.loses, "settings": dict(e.options)}
                for e in found
            ]
        )
        return
    for exporter in found:
        click.echo(f"{click.style(exporter.name, bold=True)}: {exporter.title}")
        click.echo(f"  needs  {exporter.needs}")
        click.echo(f"  loses  {exporter.loses}")
        for key, meaning in sorted(exporter.options.items()):
            click.echo(f"  --set {key}=…  {meaning}")
