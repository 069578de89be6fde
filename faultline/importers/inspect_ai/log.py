"""An Inspect log, whether ``.eval`` archive or ``.json``: its header, its rows, and a way to read one whole sample again.

Rows come from summaries where those say enough; then no sample is parsed before its trajectory is asked for.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from faultline.errors import BadInputError, FaultlineError, UnfitHostError
from faultline.importers.inspect_ai.archive import Archive, Member
from faultline.importers.inspect_ai.sample import Sample, homeless, is_complete, sample_of
from faultline.importers.inspect_ai.scan import elements, pieces
from faultline.importers.interface import Place
from faultline.importers.reading import Reading
from faultline.importers.tree import decoded, foreign_json, shown

_CHANGED = re.compile(rb'"history"\s*:\s*\[\s*\{')
_BOM = b"\xef\xbb\xbf"
_HEADER = ("eval", "plan", "results", "stats", "status", "invalidated", "log_updates", "error", "version")
_USED = {
    "eval": {
        "created", "task", "task_id", "task_version", "task_args", "eval_id", "eval_set_id", "run_id", "model", "model_roles",
        "model_args", "model_generate_config", "solver", "solver_args", "dataset", "config", "packages", "revision", "scorers",
        "sandbox", "approval",
    },
    "results": {"scores", "total_samples", "completed_samples"},
    "stats": set[str](),
}  # fmt: skip
"""Fields of the header that have a home, by part."""


@dataclass
class Log:
    """One log; what it says of itself is plain and untrusted."""

    path: str
    header: dict[str, Any]
    samples: list[Sample] = field(default_factory=list)
    """Current rows, in the order in which they were written."""
    earlier: list[Sample] = field(default_factory=list)
    """Rows whose place in the archive was taken by a later one."""
    finished: bool = True
    """False when the run died before it could write a header."""
    archive: Archive | None = None
    unreadable: int = 0
    homeless: Counter[str] = field(default_factory=Counter)
    """Fields that have no place in a record, with how many rows had them."""

    @property
    def eval(self) -> dict[str, Any]:
        """What was run."""
        return self.part("eval")

    def part(self, *names: str) -> dict[str, Any]:
        """Return an object below the header, empty when it is none."""
        found: Any = self.header
        for name in names:
            found = found.get(name) if isinstance(found, dict) else None
        return found if isinstance(found, dict) else {}

    def text(self, *names: str) -> str:
        """Return a text below the header, empty when there is none."""
        found = self.part(*names[:-1]).get(names[-1])
        return found[:1_000] if isinstance(found, str) else ""

    @property
    def status(self) -> str:
        """How the run ended, in the log's word."""
        return self.text("status") if self.finished else "started"

    @property
    def edited(self) -> bool:
        """Whether somebody invalidated or changed something afterwards."""
        return bool(self.header.get("invalidated") or self.header.get("log_updates"))

    def archive_holds_earlier(self, sample: Sample) -> bool:
        """Return whether a later member of the same name took a row's place."""
        return any(sample is row for row in self.earlier)

    def whole(self, sample: Sample, reading: Reading) -> dict[str, Any]:
        """Read a whole sample; raises ``BadInputError`` when it is none."""
        if isinstance(sample.where, Member):
            assert self.archive is not None
            data = self.archive.read(sample.where)
        else:
            start, size = sample.where
            with reading.tree.open(self.path) as stream:
                stream.seek(start)
                data = stream.read(size)
        found = foreign_json(data, str(sample.place))
        if not isinstance(found, dict):
            raise BadInputError(str(sample.place), "this sample is no object")
        return found


def open_log(path: str, reading: Reading) -> Log:
    """Read a log; rows that cannot be read are reported to ``reading``.

    Raises ``BadInputError`` when the log as a whole cannot be read.
    """
    log = _archive(path, reading) if path.endswith(".eval") else _document(path, reading)
    if not log.eval:
        raise BadInputError(shown(path), "this log does not say what was run", expected='an object "eval"')
    for part, used in _USED.items():
        for name, value in log.part(part).items():
            if name not in used and value not in (None, {}, [], ""):
                log.homeless[f"{part}.{name}"] += 1
    return log


def _document(path: str, reading: Reading) -> Log:
    data = reading.tree.content(path)
    text = decoded(data, path)
    # Offsets are counted in characters by the parser and in bytes by the file.
    at, byte = 0, len(_BOM) if data.startswith(_BOM) else 0
    plain_text = text.isascii()
    del data
    log = Log(path, {})
    number = 0
    for piece in pieces(text, path, "samples"):
        if not piece.element:
            if piece.key in _HEADER:
                log.header[piece.key] = piece.value
            elif piece.value:
                log.homeless[piece.key] += 1
            continue
        number += 1
        size = piece.end - piece.start
        if plain_text:
            byte += piece.start - at
        else:
            byte += len(text[at : piece.start].encode("utf-8", "surrogatepass"))
            size = len(text[piece.start : piece.end].encode("utf-8", "surrogatepass"))
        _add(log, log.samples, piece.value, Place(path, row=number), (byte, size), reading)
        at, byte = piece.end, byte + size
    return log


def _archive(path: str, reading: Reading) -> Log:
    archive = Archive(reading.tree, path)
    with archive.opened():
        return _rows(archive, reading)


def _rows(archive: Archive, reading: Reading) -> Log:
    path = archive.path
    header = archive.named("header.json") or archive.named("_journal/start.json")
    if header is None:
        raise BadInputError(
            shown(path), "this archive is no Inspect log", expected="a member header.json or _journal/start.json"
        )
    plain = _json(archive, header)
    log = Log(path, plain if isinstance(plain, dict) else {}, finished=header.name == "header.json", archive=archive)
    for name in log.header:
        if name not in _HEADER and log.header[name]:
            log.homeless[name] += 1
    current: dict[str, Member] = {}
    older: list[Member] = []
    for member in archive.members:
        if member.name.startswith("samples/") and member.name.endswith(".json"):
            if member.name in current:
                older.append(current[member.name])
            current[member.name] = member
    for summary, place in _summaries(archive):
        name = _member_name(summary)
        if name not in current:
            _add(log, log.samples, summary, place, None, reading)
        else:
            enough = is_complete(summary, edited=log.edited)
            _add_whole(log, log.samples, archive, current.pop(name), reading, summary if enough else None)
    for member in current.values():  # written, and the run died before its summary was
        _add_whole(log, log.samples, archive, member, reading)
    for member in older:
        _add_whole(log, log.earlier, archive, member, reading)
    return log


def _summaries(archive: Archive) -> Iterator[tuple[Any, Place]]:
    """Yield the last summary of each sample and epoch."""
    if whole := archive.named("summaries.json"):
        yield from _list(archive, whole)
        return
    found: dict[str, tuple[Any, Place]] = {}
    for member in archive.members:
        if member.name.startswith("_journal/summaries/"):
            # Those that name no sample stay apart, and are told of one by one.
            found |= {_member_name(summary) or str(place): (summary, place) for summary, place in _list(archive, member)}
    yield from found.values()


def _list(archive: Archive, member: Member) -> Iterator[tuple[Any, Place]]:
    place = f"{archive.path}!{member.name}"
    for number, summary in enumerate(elements(decoded(archive.read(member), place), place), start=1):
        yield summary, Place(archive.path, member.name, number)


def _member_name(summary: object) -> str:
    if not isinstance(summary, Mapping) or "id" not in summary:
        return ""
    return f"samples/{summary['id']}_epoch_{summary.get('epoch', 1)}.json"


def _json(archive: Archive, member: Member) -> Any:
    return foreign_json(archive.read(member), f"{archive.path}!{member.name}")


def _add_whole(log: Log, target: list[Sample], archive: Archive, member: Member, reading: Reading, summary: Any = None) -> None:
    """Add the sample of a member.

    With a summary that is enough, the member is only unpacked, to see that it is sound and that no score was changed: that
    no summary tells.
    """
    place = Place(log.path, member=member.name)
    try:
        data = archive.read(member)
        plain = foreign_json(data, str(place)) if summary is None or _CHANGED.search(data) else summary
    except UnfitHostError:
        raise
    except FaultlineError as error:
        log.unreadable += 1
        reading.unreadable(error)
        return
    _add(log, target, plain, place, member, reading)


def _add(log: Log, target: list[Sample], plain: Any, place: Place, where: Any, reading: Reading) -> None:
    try:
        target.append(sample_of(plain, place, where))
    except FaultlineError as error:
        log.unreadable += 1
        reading.unreadable(error)
        return
    for name in homeless(plain):
        log.homeless[name] += 1
