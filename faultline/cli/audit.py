"""``audit``: independent examinations of tasks, from an empty checklist to what counts."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from faultline.cli.common import json_option, pick_tasks, print_json, print_table, root_option
from faultline.kinds import short_digest

if TYPE_CHECKING:
    from faultline.cli.audit_rows import AuditRow


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def audit() -> None:
    """Let people other than the author examine tasks, and say which of their audits count.

    \b
    Examples:
      faultline audit new visit-partition --auditor "Your Name"
      faultline audit sign tasks/visit-partition/audits/FILE.toml --key ~/.ssh/id_ed25519
      faultline audit check visit-partition
      faultline audit list
      faultline audit history visit-partition
    """


@audit.command()
@click.argument("task", metavar="TASK")
@click.option("--auditor", default="", metavar="NAME", help="Who will audit; the name is filled in.")
@root_option
def new(*, task: str, auditor: str, root: Path) -> None:
    """Write a checklist to fill in, bound to the task as it is now; nothing is ever overwritten.

    \b
    Examples:
      faultline audit new visit-partition
      faultline audit new visit-partition --auditor "Your Name"
    """
    import os

    from faultline.errors import RefusedError
    from faultline.files import create_file
    from faultline.kinds import slug
    from faultline.review import checklist, person

    (found,) = pick_tasks(root, (task,))
    if auditor and person(auditor) == person(found.definition.author):
        raise RefusedError(f"tasks/{found.id}", "the author cannot audit the task", expected="another person", found=auditor)
    folder = root / "tasks" / found.id / "audits"
    folder.mkdir(exist_ok=True)
    stem = f"{short_digest(found.digest)}-{slug(person(auditor)) if auditor else 'checklist'}"
    path = folder / f"{stem}.toml"
    if not auditor:
        number = 1
        while path.exists():
            number += 1
            path = folder / f"{stem}-{number}.toml"
    create_file(path, checklist(found, auditor).encode())
    click.echo(f"{os.path.relpath(path)}\nfill it in, then: faultline audit check {found.id}")


@audit.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.option(
    "--key", type=click.Path(dir_okay=False, path_type=Path), required=True, help="Your SSH key, private or held by an agent."
)
def sign(*, file: Path, key: Path) -> None:
    """Sign a finished audit with an SSH key, in a file beside it; a change of the audit makes the signature void.

    The signature counts when tasks/allowed_signers lists the key for the auditor's name.

    \b
    Example:
      faultline audit sign tasks/visit-partition/audits/FILE.toml --key ~/.ssh/id_ed25519
    """
    from faultline.errors import BadInputError
    from faultline.files import create_file
    from faultline.review import person
    from faultline.signatures import sign as make
    from faultline.tasks import SIGNATURE, UnfinishedAudit, read_audit

    found = read_audit(file, file.resolve().parent.parent.name)
    if isinstance(found, UnfinishedAudit):
        raise BadInputError(str(file), "this audit is not finished", found=f"open: {', '.join(found.open)}")
    beside = file.with_name(file.name + SIGNATURE)
    create_file(beside, make(found.canonical(), key).encode("ascii"))
    click.echo(
        f'{beside}\nit counts where tasks/allowed_signers lists the key, in a line that begins with: "{person(found.auditor)}"'
    )


@audit.command()
@click.argument("tasks", metavar="[TASK]...", nargs=-1)
@root_option
@json_option
def check(*, tasks: tuple[str, ...], root: Path, as_json: bool) -> None:
    """Read every audit of the tasks, and say which count, which do not and why, and what is still missing.

    Exit code 0 when every task named is audited by enough people and nothing speaks against it, 3 when not yet, 2 when an
    audit cannot be read.

    \b
    Examples:
      faultline audit check
      faultline audit check visit-partition --json
    """
    from faultline.cli.audit_rows import audit_rows

    rows = audit_rows(root, tasks)
    if as_json:
        print_json([row.plain() for row in rows])
    else:
        for row in rows:
            _print_row(row)
    for row in rows:
        for fault in row.task.audit_files.faults:
            click.echo("\n".join(fault.diagnostics()).replace(f"{Path.cwd()}/", ""), err=True)
    if any(row.task.audit_files.faults for row in rows):
        raise click.exceptions.Exit(2)
    if any(row.lacks for row in rows):
        raise click.exceptions.Exit(3)


def _print_row(row: "AuditRow") -> None:
    from faultline.kinds import safe_text
    from faultline.review import person

    click.echo(f"{click.style(row.task.id, bold=True)} {short_digest(row.task.digest)}: {row.state}")
    seen: set[str] = set()
    for item, why in row.judged():
        again = not why and person(item.auditor) in seen
        if not why:
            seen.add(person(item.auditor))
        counts = f"does not count: {why}" if why else "counts; the same person again adds nobody" if again else "counts"
        name = safe_text(item.auditor, 80).replace("\n", " ")
        click.echo(
            f"  {name}, {item.audited_at}, severity {item.specification_severity} and {item.fairness_severity}, "
            f"{row.signature(item).state.value}: {counts}"
        )
    for unfinished in row.task.audit_files.unfinished:
        click.echo(f"  {safe_text(unfinished.file, 120)}: not finished; open: {', '.join(unfinished.open)}")
    for lack in row.lacks:
        click.echo(f"  lacks {lack}")


@audit.command(name="list")
@root_option
@json_option
def list_(*, root: Path, as_json: bool) -> None:
    """List the tasks with their family, form, the people whose audits count, the worst label and the state.

    \b
    Examples:
      faultline audit list
      faultline audit list --json
    """
    from faultline.cli.audit_rows import audit_rows

    rows = audit_rows(root, ())
    if as_json:
        print_json([row.plain() for row in rows])
        return
    print_table(
        ["task", "family", "form", "auditors", "worst severity", "state"],
        [
            [
                row.task.id,
                row.task.definition.family,
                short_digest(row.task.digest),
                ", ".join(row.standing.auditors) or "nobody",
                "none yet" if row.standing.worst is None else f"{row.standing.worst} of 3",
                row.state,
            ]
            for row in rows
        ],
    )


@audit.command()
@click.argument("task", metavar="TASK")
@root_option
@json_option
def history(*, task: str, root: Path, as_json: bool) -> None:
    """Tell the audits and corrections of a task in order, each with the forms before and after.

    \b
    Examples:
      faultline audit history visit-partition
      faultline audit history visit-partition --json
    """
    from faultline.cli.audit_rows import audit_rows
    from faultline.kinds import safe_text

    (row,) = audit_rows(root, (task,))
    entries = row.history()
    if as_json:
        print_json({"task": row.task.id, "digest": row.task.digest, "history": entries})
        return
    if not entries:
        click.echo(f"{row.task.id}: nobody has audited or corrected it")
    for entry in entries:
        form = short_digest(entry["before"])
        if entry["after"] != entry["before"]:
            form += f" became {short_digest(entry['after'])}"
        click.echo(f"{entry['at']} {entry['kind']:10} {form}: {safe_text(entry['title'], 200)}")
        for line in entry["told"]:
            click.echo(f"           {safe_text(line, 400)}")
