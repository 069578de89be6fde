"""Re-grades: a verifier run again on what an agent left. The new verdict replaces the old one; no trial is added."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from faultline.errors import BadInputError, ConflictError
from faultline.importers.harbor.fields import text
from faultline.importers.harbor.rows import Row
from faultline.kinds import safe_text


@dataclass(frozen=True)
class Settled:
    """A trial with the verdict that counts."""

    row: Row
    """Placed in the job where the agent worked."""
    replaced: tuple[Row, ...] = ()
    """Earlier verdicts on the same work, the first one first."""


def settled(rows: Sequence[Row]) -> list[Settled]:
    """Return each trial once per copy, re-graded ones with their last verdict.

    A re-grade names its trial by id, else by the folder it lay in; one whose trial is not in the source stands for itself.
    Raises ``BadInputError`` when trials re-grade each other in a circle, ``ConflictError`` as :func:`_again` says.
    """
    first: dict[str, Row] = {}
    for row in rows:
        first.setdefault(row.trial.native_id, row)
    later: dict[str, list[Row]] = {}
    for row in first.values():
        source = _source(row, first)
        if source is not None:
            later.setdefault(source.trial.native_id, []).append(row)
    superseding = {row.trial.native_id for found in later.values() for row in found}
    done: list[Settled] = []
    reached: set[str] = set()
    done += [_chain(row, later, reached) for native, row in first.items() if native not in superseding]
    if lost := sorted(superseding - reached):
        raise BadInputError(
            safe_text(first[lost[0]].folder.folder, 300), "trials re-grade each other in a circle", found=", ".join(lost[:3])
        )
    final = {row.trial.native_id: item for item in done for row in (item.row, *item.replaced)}
    return done + [_again(row, final[row.trial.native_id]) for row in rows if first[row.trial.native_id] is not row]


def _again(row: Row, known: Settled) -> Settled:
    """Return what stands there a second time: a copy says what is known; another content is left to be found as a conflict.

    Raises ``ConflictError`` when it is another content of a trial that was re-graded.
    """
    if row.copied:
        return Settled(
            replace(known.row, trial=replace(known.row.trial, place=row.trial.place), copied=True, flags=frozenset())
        )
    if known.replaced:
        raise ConflictError(
            str(row.trial.place),
            f"two different results have the id {safe_text(row.trial.native_id, 120)}",
            expected=f"the one at {known.row.trial.place}",
            next_step="keep the one that is right, and import again",
        )
    return Settled(row)


def _source(row: Row, known: dict[str, Row]) -> Row | None:
    if not row.re_grade_of:
        return None
    named = text(row.re_grade_of.get("trial_id"))
    if named in known:
        return known[named]
    path = text(row.re_grade_of.get("path")).replace("\\", "/").rstrip("/")
    tail = path.split("/")[-2:]
    found = [other for other in known.values() if tail and _ends_with(other.folder.folder, tail) and other is not row]
    return found[0] if path and len(found) == 1 else None


def _ends_with(folder: str, tail: list[str]) -> bool:
    parts = folder.split("/")
    shared = min(len(parts), len(tail))
    return parts[-shared:] == tail[-shared:]


def _chain(row: Row, later: dict[str, list[Row]], reached: set[str]) -> Settled:
    """Follow re-grades of re-grades; of several of one trial the last started counts."""
    line = [row]
    open_ends = [row]
    while open_ends:
        following = [item for end in open_ends for item in later.get(end.trial.native_id, ())]
        line += following
        reached |= {item.trial.native_id for item in following}
        open_ends = following
    if len(line) == 1:
        return Settled(_alone(row) if row.re_grade_of else row)
    regrades = sorted(line[1:], key=lambda item: (str(item.trial.attempts[-1].started_at or ""), item.trial.native_id))
    last = regrades[-1]
    before = "; ".join(_said(item) for item in (row, *regrades[:-1]))
    # The agent worked once: time, tokens and cost are those of the first record, whose copies the others hold.
    attempt = replace(row.trial.attempts[-1], grading_seconds=last.trial.attempts[-1].grading_seconds)
    trial = replace(
        last.trial,
        task=row.trial.task,
        attempts=(attempt,),
        trajectory=row.trial.trajectory or last.trial.trajectory,
        extra=dict(last.trial.extra) | {"re-grade of": row.trial.native_id, "graded before as": before},
    )
    files = tuple(dict.fromkeys(path for item in line for path in item.files))
    flags = last.flags | {"were graded again, and the last verdict counts"}
    if last.graded[0] != row.graded[0]:
        flags |= {"were graded again by another form of the task than the agent worked on"}
    moved = replace(
        last,
        trial=trial,
        job=row.job,
        agent=row.agent,
        task=row.task,
        lock_digest=row.lock_digest,
        folder_name=row.folder_name,
        folder=replace(last.folder, folder=row.folder.folder),
        files=files,
        flags=flags,
        trace_digest="",
    )
    return Settled(moved, (row, *regrades[:-1]))


def _alone(row: Row) -> Row:
    """Return a re-grade whose trial is not in the source, and say that it is one."""
    named = text(row.re_grade_of.get("trial_id")) or text(row.re_grade_of.get("path")).rstrip("/").rpartition("/")[2]
    return replace(
        row,
        trial=replace(row.trial, extra=dict(row.trial.extra) | {"re-grade of": named or "unknown"}),
        flags=row.flags | {"are re-grades of trials that are not in the source"},
    )


def _said(row: Row) -> str:
    trial = row.trial
    score = "" if trial.score is None else f" with {trial.score:g}"
    return f"{trial.verdict or 'no verdict'}{score} ({row.trial.rule.id})"
