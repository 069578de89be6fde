"""``import``: another harness's log becomes sealed runs, with a report of what it holds and what it does not."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from faultline.cli.common import json_option, print_json, print_table, root_option
from faultline.errors import BadInputError

if TYPE_CHECKING:
    from faultline.importers import ImportedRun, Importer, SourceTree
    from faultline.records import ImportReport


def _formats(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from faultline.importers import importers

    for importer in importers():
        click.echo(f"{importer.name}: {importer.summary}")
        for name, meaning in importer.options.items():
            click.echo(f"  --option {name}=…  {meaning}")
    ctx.exit()


def _complete(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    from faultline.importers import importer_names

    return [name for name in ("auto", *importer_names()) if name.startswith(incomplete)]


@click.command("import")
@click.argument("format_name", metavar="FORMAT", shell_complete=_complete)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--option", "options", metavar="NAME=VALUE", multiple=True, help="How to read the format; see --formats.")
@click.option("--allow-partial", is_flag=True, help="Leave out rows that cannot be read; recorded, and a gate fails.")
@click.option("--formats", is_flag=True, is_eager=True, expose_value=False, callback=_formats, help="List formats and options.")
@root_option
@json_option
def import_(
    *, format_name: str, paths: tuple[Path, ...], options: tuple[str, ...], allow_partial: bool, root: Path, as_json: bool
) -> None:
    """Read the log of another harness into sealed runs of the kind imported, below runs/.

    FORMAT is one of those that --formats lists, or auto. A PATH is a file, a run's folder, or a folder of many runs.
    Importing the same source again changes nothing; a source that has changed is a conflict that names both digests (exit 4).
    Each PATH is an import of its own: a row that cannot be read fails it (exit 2), leaves nothing of it behind, and ends the
    command; what was imported from the paths before it stays and is told.

    \b
    Examples:
      faultline import auto jobs/
      faultline import harbor jobs/2026-11-20__10-00-00 --option reward=correct
      faultline import inspect logs/ --json
      faultline import rows results.csv --option map=columns.toml
    """
    from faultline.clock import Clock
    from faultline.importers import Reading, SourceTree, import_runs, parsed_options

    done: list[ImportedRun] = []
    for path in paths:
        tree = SourceTree(path)
        importer = _importer(format_name, tree)
        reading = Reading(tree, parsed_options(options, importer.options, importer.name), allow_partial)
        found = import_runs(importer, reading, root / "runs", Clock())
        done += found
        if not as_json:
            for item in found:
                _print(item)
    if as_json:
        print_json([{"run": item.run, "state": item.state, "report": item.report.model_dump(mode="json")} for item in done])


def _importer(name: str, tree: "SourceTree") -> "Importer":
    from faultline.importers import load_importer, recognised

    if name != "auto":
        return load_importer(name)
    found = recognised(tree)
    if len(found) != 1:
        raise BadInputError(
            tree.name,
            "no importer recognises this" if not found else "more than one importer recognises this",
            found=", ".join(importer.name for importer in found),
            next_step="name the format; faultline import --formats lists them",
        )
    return found[0]


def _print(item: "ImportedRun") -> None:
    report = item.report
    click.echo(f"{item.run}: {item.state}" + (": it was imported before" if item.state == "unchanged" else ""))
    print_table(("", ""), _rows(report))
    for line in (*report.protocol, *report.notes, *report.unreadable):
        click.echo(f"  {line}")


def _rows(report: "ImportReport") -> list[tuple[str, str]]:
    """Return the report as lines of two cells; what says nothing is left out."""
    repeated = len(report.duplicates) + report.more_duplicates
    rows = [("files", f"{report.files_seen} seen, {report.files_used} used")]
    rows += [(f"  {skipped.files} not used", f"{skipped.why}: {', '.join(skipped.examples)}") for skipped in report.skipped]
    rows.append(("rows", f"{report.rows_in} in, {report.rows_out} trials out, {report.earlier_attempts} earlier attempts"))
    rows.append(("missing", f"{report.missing} planned trials without a record" if report.missing else ""))
    rows.append(("duplicates", f"{repeated}; one of each counts" if repeated else ""))
    rows.append(("status rules", ", ".join(f"{rule} {number}" for rule, number in report.rules.items())))
    rows.append(("no home", ", ".join(f"{name} ({number})" for name, number in report.homeless.items())))
    rows.append(("redacted", ", ".join(f"{kind} {number}" for kind, number in report.redactions.items())))
    for line in report.headlines:
        numbers = f"{_number(line.published)}; from the rows {_number(line.recomputed)}"
        rows.append((f"published {line.name}", f"{numbers}. {line.note}"))
    rows.append(("left out", f"{len(report.unreadable)} rows that cannot be read; a gate fails" if report.partial else ""))
    return [(name, text) for name, text in rows if text]


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else f"not known ({value.reason})"
