"""What the commands share: where the benchmark is, how tables and progress are printed."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from faultline.errors import MissingInputError
from faultline.kinds import safe_text

if TYPE_CHECKING:
    from rich.console import Console

    from faultline.ledger import Progress
    from faultline.tasks import Task


_NO_WIDTH = 10_000


def find_root(start: Path) -> Path:
    """Return the benchmark that a folder lies in: the nearest one above it with ``mkdocs.yml`` and ``tasks/`` or ``runs/``."""
    for folder in (start, *start.parents):
        if (folder / "mkdocs.yml").is_file() and ((folder / "tasks").is_dir() or (folder / "runs").is_dir()):
            return folder
    raise MissingInputError(
        str(start),
        "this is not inside a benchmark",
        expected="a folder with mkdocs.yml and tasks/ or runs/",
        next_step="use --root",
    )


def _root(_ctx: click.Context, _param: click.Parameter, value: Path | None) -> Path:
    return find_root((value or Path.cwd()).resolve())


root_option = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    callback=_root,
    help="The benchmark; by default the one around this folder.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
ledger_option = click.option(
    "--ledger", default="", metavar="URL", help="A PostgreSQL ledger; by default an SQLite file in the run's own folder."
)
artifacts_option = click.option(
    "--artifacts",
    default="",
    metavar="URL",
    help="A folder or bucket for receipts, candidates and traces; by default the run's own folder.",
)

sandbox_option = click.option(
    "--sandbox",
    default="bubblewrap",
    show_default=True,
    metavar="NAME",
    help="Where untrusted code runs: 'bubblewrap', 'container', or, not fit for publication, 'process' or that of a package.",
)


def console(*, err: bool = False) -> "Console":
    """Return a rich console for one stream."""
    from rich.console import Console

    return Console(stderr=err, highlight=False, soft_wrap=True)


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False))


def print_table(headers: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    """Print a table; cells are text, never markup."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for header in headers:
        table.add_column(header, overflow="fold")
    for row in rows:
        table.add_row(*(Text(safe_text(cell, 400)) for cell in row))
    shown = console()
    if not shown.is_terminal:
        # A file or another program has no width: a name that is folded there is found by no search.
        shown.width = _NO_WIDTH
    shown.print(table)


def pick_tasks(root: Path, names: tuple[str, ...]) -> tuple["Task", ...]:
    """Return the named tasks, or all; raises :class:`MissingInputError` for a name that is none."""
    from faultline.tasks import load_task, load_tasks

    if not names:
        return load_tasks(root / "tasks")
    return tuple(load_task(root / "tasks" / name) for name in dict.fromkeys(names))


class ProgressLine:
    """A progress bar on standard error; silent when that is no terminal."""

    def __init__(self, title: str) -> None:
        """Prepare a bar with a title."""
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[counts]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console(err=True),
            disable=not console(err=True).is_terminal,
        )
        self._task = self._bar.add_task(title, total=None, counts="")

    def __enter__(self) -> "Callable[[Progress], None]":
        """Show the bar and return what updates it."""
        self._bar.start()
        return self._update

    def __exit__(self, *_: object) -> None:
        """Leave the bar as it stands."""
        self._bar.stop()

    def _update(self, progress: "Progress") -> None:
        counts = " ".join(f"{count} {fold}" for fold, count in progress.recorded.items() if count)
        if progress.unknown:
            counts += f" {progress.unknown} unknown"
        self._bar.update(self._task, completed=progress.done, total=progress.planned, counts=counts)
