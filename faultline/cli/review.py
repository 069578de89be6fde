"""``review``: blinded readings of sampled trajectories, from the draw to the agreement of readers."""

from pathlib import Path

import click

from faultline.cli.common import json_option, print_json, root_option


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def review() -> None:
    """Let people read a blinded sample of what agents did, and say how far they agree with each other and with the record.

    \b
    Examples:
      faultline review sample RUN                              draw, with controls whose verdict is known
      faultline review packet RUN --reviewer "Your Name"         one HTML file that works offline
      faultline review collect review.json                     what the reader sent back
      faultline review agreement RUN                           alpha, AC1, controls, bounds, disagreements
      faultline review adjudicate RUN ITEM --by "Third Person" --verdict failed --why "..."
    """


@review.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option("--size", type=click.IntRange(1, 100_000), help="Trajectories; by default as many as the gate asks for.")
@root_option
def sample(*, runs: tuple[str, ...], size: int | None, root: Path) -> None:
    """Draw which trials of sealed runs people read, and write the plan into the run's reviews.

    The draw depends on the digest of the results, so that nobody picks and anybody can repeat it: passed and failed trials
    of each agent in turn, and good and bad controls from the newest validity run of the same tasks. A plan that is there
    already is never replaced.

    \b
    Examples:
      faultline review sample my-agent-2026-11-30-1f3a9c
      faultline review sample first-run second-run --size 60
    """
    from faultline.cli.reviews import Reviews

    desk = Reviews.open(root)
    for name in dict.fromkeys(runs):
        path, drawn, fresh = desk.draw(name, size)
        roles = [item.role for item in drawn.items]
        click.echo(
            f"{path}: {roles.count('trajectory')} trajectories, {roles.count('good-control')} good and "
            f"{roles.count('bad-control')} bad controls{'' if fresh else ', drawn already'}"
        )


@review.command()
@click.argument("sample", metavar="SAMPLE")
@click.option("--reviewer", required=True, metavar="NAME", help="Who will read; decides the order of the items.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The file; by default in this folder.")
@click.option("--mask", is_flag=True, help="Hide lines whole that still name somebody after redaction.")
@root_option
def packet(*, sample: str, reviewer: str, out: Path | None, mask: bool, root: Path) -> None:
    """Make one HTML file for a reader: issue, diff and public tests of each item, without names, agents and verdicts.

    SAMPLE is a run with a sample, or its sample.json. Names of agents, models, vendors and people, paths and addresses are
    taken out; then all of it is scanned again, and the packet is refused where a name is left, with its place and without
    the name. The file needs no network, and saves the answers as a file that goes back to `faultline review collect`.

    \b
    Examples:
      faultline review packet my-agent-2026-11-30-1f3a9c --reviewer "Your Name"
      faultline review packet runs/my-agent-2026-11-30-1f3a9c/reviews/sample.json --reviewer "Your Name" --out packet.html
    """
    from faultline.cli.reviews import Reviews
    from faultline.files import create_file
    from faultline.kinds import short_digest, slug
    from faultline.review import packet_page, person

    if not person(reviewer):
        raise click.UsageError("--reviewer needs a name")
    desk = Reviews.open(root)
    run = desk.run_of(sample)
    material = desk.material(run, mask=mask)
    page = packet_page(material, reviewer)
    path = out or Path(f"review-{short_digest(material.sample)}-{slug(person(reviewer))}.html")
    if not (path.is_file() and path.read_bytes() == page):
        create_file(path, page)
    click.echo(f"{path}: {len(material.items)} items; send it to the reader, who needs a browser and nothing else")


@review.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(dir_okay=False, path_type=Path))
@root_option
@json_option
def collect(*, files: tuple[Path, ...], root: Path, as_json: bool) -> None:
    """Check the files that readers sent back, and store each reading with its run; nothing is written when one is wrong.

    Collecting a file twice changes nothing. Another answer by the same reader to the same item is a conflict: exit code 4,
    with the file that stands.

    \b
    Examples:
      faultline review collect review.json
      faultline review collect answers/*.json
    """
    from faultline.cli.reviews import Reviews

    told = Reviews.open(root).collect(files)
    if as_json:
        print_json(told)
        return
    for row in told:
        click.echo(
            f"{row['file']}: {row['reviewer']} read {row['items']} items of {row['run']}: "
            f"{row['new']} new, {row['known']} there already"
        )


@review.command()
@click.argument("runs", metavar="[RUN]...", nargs=-1)
@root_option
@json_option
def agreement(*, runs: tuple[str, ...], root: Path, as_json: bool) -> None:
    """Say how far readers agree, whether they knew the controls, what the grader may have missed, and what is in dispute.

    Raw agreement and prevalence stand beside Krippendorff's alpha and Gwet's AC1. The upper bounds of the grader's errors
    (95 %, one-sided) come apart for passed and failed trials; an open dispute counts as an error. Exit code 3 while gate G12
    would not hold for a run.

    \b
    Examples:
      faultline review agreement
      faultline review agreement my-agent-2026-11-30-1f3a9c --json
    """
    from faultline.cli.reviews import Reviews

    found = Reviews.open(root).agreement(runs)
    if as_json:
        print_json([item.plain() for item in found])
    else:
        for item in found:
            for line in item.lines():
                click.echo(line)
        if not found:
            click.echo("no sample has been drawn: faultline review sample RUN")
    if not found or any(item.lacks for item in found):
        raise click.exceptions.Exit(3)


@review.command()
@click.argument("run", metavar="RUN")
@click.argument("item", metavar="ITEM")
@click.option("--by", "who", required=True, metavar="NAME", help="Somebody who did not read the item.")
@click.option("--verdict", required=True, type=click.Choice(["passed", "failed"]), help="What the trial deserves.")
@click.option("--why", required=True, metavar="TEXT", help="The reason, for anybody who asks later.")
@root_option
def adjudicate(*, run: str, item: str, who: str, verdict: str, why: str, root: Path) -> None:
    """Settle a disagreement: who decided, what, and why; it is kept beside the readings that were weighed.

    \b
    Example:
      faultline review adjudicate my-agent-2026-11-30-1f3a9c 0123456789abcdef --by "Third Person" --verdict failed \\
        --why "point 4 of the issue asks for the smaller of two sizes"
    """
    from faultline.cli.reviews import Reviews

    path, fresh = Reviews.open(root).adjudicate(run, item, who, verdict, why)
    click.echo(f"{path}: settled{'' if fresh else ' already'}")
