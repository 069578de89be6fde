"""From the archive's form to facts: the only functions of the room that see tasks and runs as they were read.

Pure: the archive has read everything.
"""

from collections.abc import Iterable, Mapping

from faultline.archive import Benchmark, SealedRun
from faultline.errors import FaultlineError
from faultline.gates.facts import Area, Control, Facts, Problem, RunFacts, TaskFacts
from faultline.gates.likeness import shape
from faultline.kinds import Digest, digest_bytes, safe_text
from faultline.records import SignatureCheck
from faultline.tasks import Task


def gather(benchmark: Benchmark) -> Facts:
    """Return the facts of a benchmark; pure, since the archive has read everything."""
    return Facts(
        tasks=tuple(task_facts(task, benchmark.signatures) for task in sorted(benchmark.tasks, key=lambda item: item.id)),
        runs=tuple(sorted((run_facts(run) for run in benchmark.runs), key=lambda run: (run.seal.sealed_at, run.name))),
        reviews=tuple(sorted(benchmark.reviews, key=lambda item: (item.key.run, item.canonical()))),
        problems=tuple(problems_of(benchmark.problems, str(benchmark.root))),
        valid_until=benchmark.valid_until,
        read_on=benchmark.read_on,
        rooms={room.run: room for room in benchmark.rooms},
    )


def task_facts(task: Task, signatures: Mapping[Digest, SignatureCheck] | None = None) -> TaskFacts:
    """Return what the gates look at in a task; ``signatures`` are those of all audits, by the digest of the audit."""
    definition = task.definition
    digests = [audit.content_digest() for audit in task.audits]
    return TaskFacts(
        id=task.id,
        family=definition.family,
        author=definition.author,
        digest=task.digest,
        checks=tuple(outline.id for outline in task.checks),
        controls=controls_of(task),
        audits=task.audits,
        shape=shape(task.hidden_source),
        canary=canary_of(task),
        given=_shapes(task.workspace.get(path, b"") for path in task.repairs["reference"].files),
        repair=_shapes(task.repairs["reference"].files.values()),
        version=definition.version,
        corrections=task.corrections,
        signatures={digest: signatures[digest] for digest in digests if digest in signatures} if signatures else {},
        unfinished=tuple(item.file for item in task.audit_files.unfinished),
    )


def canary_of(task: Task) -> str | None:
    """Return the digest of a task's canary if the canary stands in the hidden checks and in nothing that is given away."""
    canary = task.definition.canary
    given = [
        task.issue.encode(),
        *task.workspace.values(),
        *(data for item in task.repairs.values() for data in item.files.values()),
    ]
    if canary not in task.hidden_source or any(canary.encode() in data for data in given):
        return None
    return digest_bytes(canary.encode())


def _shapes(files: Iterable[bytes]) -> frozenset[str]:
    return frozenset[str]().union(*(shape(data.decode("utf-8", "replace")) for data in files))


def controls_of(task: Task) -> tuple[Control, ...]:
    """Return every control that a task must have in its validity run."""
    definition = task.definition
    others = [
        Control(name, "wrong", definition.wrong.get(name)) if name.startswith("wrong-") else Control(name, "valid", None)
        for name in sorted(set(task.repairs) | set(definition.wrong))
        if name != "reference"
    ]
    return (Control("baseline", "baseline", definition.baseline_code), Control("reference", "reference", None), *others)


def run_facts(run: SealedRun) -> RunFacts:
    """Return what the gates look at in a run."""
    return RunFacts(
        run.manifest,
        run.trials,
        run.seal,
        run.seal_digest,
        run.conflicts,
        refused=run.refused,
        settlements=run.settlements,
        candidates=run.candidates,
        carriers=run.carriers,
    )


def problems_of(errors: Iterable[FaultlineError], root: str) -> Iterable[Problem]:
    """Yield what could not be read, with places inside the benchmark: where it lies on this machine concerns nobody."""
    prefix = root.rstrip("/") + "/"
    for error in errors:
        place = error.place.removeprefix(prefix)
        yield Problem(_area(place), safe_text(place, 300), safe_text(str(error).replace(prefix, ""), 600))


def _area(place: str) -> Area:
    """Return the part of the evidence that a place belongs to; what cannot be told concerns every gate."""
    if place.startswith("tasks"):
        return "audits" if "/audits/" in place else "tasks"
    if place.startswith("runs"):
        return "reviews" if "/reviews/" in place else "runs"
    return "settings"
