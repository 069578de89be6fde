"""``status``, ``reconcile``: where live runs stand, and what became of writes whose reply was lost."""

from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from faultline.cli.common import artifacts_option, json_option, ledger_option, print_json, print_table, root_option
from faultline.errors import ConflictError, FaultlineError, LedgerError, raise_all
from faultline.records import Absent

if TYPE_CHECKING:
    from faultline.execution import LiveRun
    from faultline.ledger import Lease, Progress
    from faultline.records import Conflict


@click.command()
@click.argument("run_id", metavar="[RUN]", required=False)
@click.option("--watch", is_flag=True, help="Look again and again until every run shown is recorded or gone.")
@click.option("--every", type=click.FloatRange(0.1, 3600), default=2.0, show_default=True, help="Seconds between looks.")
@ledger_option
@artifacts_option
@root_option
@json_option
def status(*, run_id: str | None, watch: bool, every: float, ledger: str, artifacts: str, root: Path, as_json: bool) -> None:
    """Show where live runs stand: planned, recorded by outcome, running, unknown, rate and time left.

    The rate is that of the last ten minutes. With --watch --json each look is one line.

    \b
    Examples:
      faultline status
      faultline status no-op-2026-11-30-1f3a9c --watch
      faultline status no-op-2026-11-30-1f3a9c --json
    """
    from faultline.clock import Clock

    clock, looked = Clock(), False
    while True:
        found, errors = _look(root, run_id, ledger, artifacts, clock.now())
        if looked and run_id and errors and not _exists(root, run_id):
            return  # sealed while it was watched
        looked = True
        if as_json:
            _print_line(found) if watch else print_json(found)
        else:
            _print(found)
        open_runs = [name for name, view in found.items() if view["recorded"] < view["planned"]]
        if not watch or errors or not open_runs:
            break
        clock.sleep(every)
        if run_id and not _exists(root, run_id):
            break
    raise_all(errors)


@click.command()
@click.argument("run_id", metavar="RUN")
@ledger_option
@artifacts_option
@root_option
@json_option
def reconcile(*, run_id: str, ledger: str, artifacts: str, root: Path, as_json: bool) -> None:
    """Settle each attempt whose reply was lost, by what the store and the receipts say.

    Each is settled as recorded (the store has its result), absent (it has not, and the result may be recorded now) or
    conflicting (it has another result; both are kept). Exits with 4 when one is conflicting, and with 8 when the store cannot
    be asked.

    \b
    Example:
      faultline reconcile no-op-2026-11-30-1f3a9c
    """
    from faultline.clock import Clock
    from faultline.execution import LiveRun
    from faultline.execution import reconcile as settle

    live = LiveRun.find(root, run_id, ledger, artifacts)
    settled = settle(live, Clock())
    with live.open_ledger() as store:
        left = len(store.unsettled(run_id))
    counts = Counter[str](item.state for item in settled)
    if as_json:
        print_json(
            {
                "run": run_id,
                "settled": {word: counts[word] for word in ("recorded", "absent", "conflicting")},
                "unknown": left,
                "settlements": [item.model_dump(mode="json") for item in settled],
            }
        )
    else:
        for item in settled:
            key = item.key
            cell = f"{key.task}.{key.variant}.{key.agent}.{key.trial}"
            click.echo(f"{cell}, attempt {item.attempt}: {item.state}; {item.evidence}")
        click.echo(f"{run_id}: {len(settled)} settled, {left} unknown; next: faultline resume {run_id}")
    with live.open_ledger() as store:
        cells = {item.key for item in settled if item.state == "conflicting"}
        raise_all([conflict_error(item) for item in store.conflicts(run_id) if item.key in cells])


def conflict_error(conflict: "Conflict") -> ConflictError:
    """Return a refused second result as an error that names both digests."""
    key = conflict.key
    return ConflictError(
        f"{key.run}: {key.task}.{key.variant}.{key.agent}.{key.trial}",
        "this cell has two results; both are kept and the recorded one counts",
        expected=conflict.recorded if isinstance(conflict.recorded, str) else "",
        found=conflict.refused,
        next_step=f"faultline verify {key.run}",
    )


def _exists(root: Path, run_id: str) -> bool:
    from faultline.execution import live_runs

    return run_id in {live.run for live in live_runs(root)}


def _look(
    root: Path, run_id: str | None, ledger: str, artifacts: str, now: datetime
) -> tuple[dict[str, dict[str, Any]], list[FaultlineError]]:
    """Return where each run stands, and what kept others from being read."""
    from faultline.execution import LiveRun, live_runs

    found: dict[str, dict[str, Any]] = {}
    errors: list[FaultlineError] = []
    for name in [run_id] if run_id else [live.run for live in live_runs(root)]:
        try:
            live = LiveRun.find(root, name, ledger, artifacts)
            try:
                with live.open_ledger() as store:
                    progress = store.progress(name, now)
            except LedgerError as error:
                raise _with_salvage(live, error) from error
            found[name] = _view(live, progress, now)
        except FaultlineError as error:
            errors.append(error)
    return found, errors


def _with_salvage(live: "LiveRun", error: LedgerError) -> LedgerError:
    """Return an error about a ledger's file with what can still be read of it, and of the receipts beside it."""
    from faultline.ledger.sqlite import read_salvage

    path = live.ledger_file
    if path is None or not path.is_file():
        return error
    good = sum(1 for _ in read_salvage(path))
    receipts = len(live.store.names("receipts"))
    return LedgerError(
        error.place,
        error.problem,
        error.expected,
        f"{good} whole trials in its undamaged beginning, {receipts} receipts in the artifact store",
        error.next_step,
    )


def _view(live: "LiveRun", progress: "Progress", now: datetime) -> dict[str, Any]:
    return counts_of(progress) | {
        "superseded": progress.superseded,
        "estimand": live.manifest().estimates,
        "attempts": {str(state): count for state, count in progress.attempts.items() if count},
        "leases": [_lease(lease) for lease in progress.leases],
        "per_minute": _number(progress.per_minute(now), 2),
        "seconds_left": _number(progress.seconds_left(now), 1),
    }


def _lease(lease: "Lease") -> dict[str, Any]:
    key = lease.key
    return {
        "cell": f"{key.task}.{key.variant}.{key.agent}.{key.trial}",
        "worker": lease.worker,
        "age_seconds": round(lease.age, 1),
        "left_seconds": round(lease.left, 1),
    }


def _number(value: float | Absent, digits: int) -> Any:
    return value.model_dump(mode="json") if isinstance(value, Absent) else round(value, digits)


def _print_line(found: dict[str, dict[str, Any]]) -> None:
    import json

    click.echo(json.dumps(found, ensure_ascii=True, allow_nan=False))


def _print(found: dict[str, dict[str, Any]]) -> None:
    if not found:
        click.echo("no live runs; sealed ones are in runs/")
    for name, view in found.items():
        left, rate = view["seconds_left"], view["per_minute"]
        pace = rate["reason"] if isinstance(rate, dict) else f"{rate:g} trials a minute"
        rest = left["reason"] if isinstance(left, dict) else f"about {_duration(left)} left"
        folds = ", ".join(f"{view[word]} {word}" for word in _fold_words())
        click.echo(f"{name}: {view['recorded']} of {view['planned']} recorded: {folds} ({view['estimand']})")
        click.echo(
            f"  running {view['running']}, unknown {view['unknown']}, conflicts {view['conflicts']},"
            f" superseded {view['superseded']}; {pace}; {rest}"
        )
        if view["unknown"]:
            click.echo(f"  next: faultline reconcile {name}")
        if view["leases"]:
            rows = [
                [lease["cell"], lease["worker"], _duration(lease["age_seconds"]), _duration(lease["left_seconds"])]
                for lease in view["leases"]
            ]
            print_table(["cell", "worker", "claimed", "lease ends in"], rows)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _fold_words() -> list[str]:
    from faultline.kinds import Fold

    return [str(fold) for fold in Fold]


def folds_of(progress: "Progress") -> str:
    """Return recorded trials by the four words, for a line of text."""
    return ", ".join(f"{count} {fold}" for fold, count in progress.recorded.items())


def counts_of(progress: "Progress") -> dict[str, Any]:
    """Return the counts of a run that every command prints."""
    return {
        "planned": progress.planned,
        "recorded": progress.done,
        **{str(fold): count for fold, count in progress.recorded.items()},
        "running": len(progress.leases),
        "unknown": progress.unknown,
        "conflicts": progress.conflicts,
    }
