"""What agents left in a sealed run, as far as gates look at it: the files they changed, and files that hold a canary.

Controls apply repairs that everybody knows, so only runs of agents are read.
"""

import base64
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import replace

from faultline.archive.read import read_bytes, read_record
from faultline.archive.values import SealedRun
from faultline.errors import BadInputError
from faultline.grading.canary import holders
from faultline.kinds import RunKind
from faultline.records import CandidateFile, FrozenCandidate

MAX_UNPACKED = 256 * 2**20
"""Bytes of a trajectory, unpacked."""


def with_remains(run: SealedRun, canaries: Iterable[str]) -> SealedRun:
    """Return the run with its candidates' changed files and the artifacts that hold one of the canaries.

    Raises ``BadInputError`` or ``MissingInputError`` for an artifact that cannot be read.
    """
    if run.manifest.kind is RunKind.VALIDITY or all(agent.kind.is_control for agent in run.manifest.agents):
        return run
    roles = {artifact.path: artifact.role for trial in run.trials for item in trial.attempts for artifact in item.artifacts}
    wanted = tuple(canaries)
    candidates: dict[str, Mapping[str, bytes]] = {}
    carriers: list[str] = []
    for path, role in sorted(roles.items()):
        place = f"runs/{run.name}/{path}"
        if role == "candidate" and run.manifest.kind is not RunKind.IMPORTED:
            frozen = read_record(run.path / path, FrozenCandidate, place)
            candidates[path] = {name: _bytes(file) for name, file in frozen.files.items()}
            # A name can carry a canary as well as a text; tests that were put back are looked at too.
            tests = {name: _bytes(file) for name, file in frozen.tests.items()}
            looked_at = {**candidates[path], **tests}
            looked_at["names"] = "\n".join((*frozen.tree, *frozen.tests)).encode("utf-8", "surrogatepass")
        else:
            looked_at = {path: _unpacked(read_bytes(run.path / path, place), path, place)}
        if holders(wanted, looked_at):
            carriers.append(path)
    return replace(run, candidates=candidates, carriers=tuple(carriers))


def _unpacked(data: bytes, path: str, place: str) -> bytes:
    """Return an artifact's text; a trajectory is kept as gzip, and one that unpacks without end is refused."""
    if not path.endswith(".gz"):
        return data
    stream = zlib.decompressobj(wbits=31)
    try:
        text = stream.decompress(data, MAX_UNPACKED)
    except zlib.error as error:
        raise BadInputError(place, "this is not gzip", found=str(error)) from error
    if stream.unconsumed_tail or not stream.eof:
        raise BadInputError(place, "this is torn, or too large", expected=f"at most {MAX_UNPACKED} bytes, unpacked")
    return text


def _bytes(file: CandidateFile) -> bytes:
    if file.text is not None:
        return file.text.encode("utf-8", "surrogatepass")
    return base64.b64decode(file.base64 or "", validate=True)
