"""``harbor``: the tasks as a dataset of Harbor (https://harborframework.com), so that any agent it knows can work on them.

Each variant is a Harbor task. The agent's container gets the workspace and nothing else; hidden checks go to the side of the
verifier, which has a container of its own and judges the workspace with Faultline's own judge.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar

import faultline
from faultline import __version__
from faultline.clock import Clock
from faultline.errors import BadInputError, RefusedError
from faultline.exporters.interface import Export, Exporter, Subject
from faultline.kinds import safe_text
from faultline.tasks import Task, TaskVariant, materialise, read_tree

WORKDIR = "/app"
IMAGE = "python:3.12-slim-bookworm"
ROOMS = (
    "__init__.py",
    "kinds.py",
    "errors.py",
    "clock.py",
    "checks.py",
    "plugins.py",
    "records",
    "tasks",
    "sandbox",
    "grading",
)
"""What of Faultline judging needs; a test judges with these alone."""
PARTS = ("task.toml", "issue.md", "variants.toml", "workspace", "hidden", "repairs")
"""What of a task folder its digest covers."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_IMAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/:@-]*")
TEST_SH = """#!/bin/bash
# Judges the agent's workspace with Faultline, in the verifier's own container.
here="$(cd "$(dirname "$0")" && pwd)"
cd /
PYTHONPATH="$here/package" PYTHONSAFEPATH=1 PYTHONDONTWRITEBYTECODE=1 exec python3 -s "$here/verify.py" \\
  "${FAULTLINE_WORKSPACE:-/app}" "${FAULTLINE_LOGS:-/logs/verifier}"
"""


class HarborExporter(Exporter):
    """One folder for each variant of each task."""

    name = "harbor"
    title = "tasks as a Harbor dataset: any agent that Harbor knows can work on them"
    needs = "tasks; Harbor 0.26 with an environment that can build images, for the reader"
    loses = (
        "The isolation of bubblewrap around candidate code, which the container and a user of its own stand in for; "
        "recorded attempts, audits and validity stay here."
    )
    options: ClassVar[Mapping[str, str]] = {
        "seeds": "variants to export, as numbers with commas between them; 0,1,2 by default",
        "organization": "the first part of the tasks' names; faultline by default",
        "image": f"the image that both containers are made from; {IMAGE} by default",
    }

    def export(self, subject: Subject, clock: Clock) -> Export:  # noqa: ARG002  (tasks have no time)
        """Return the folders; tasks that are not proved valid are exported and named."""
        if subject.names:
            raise RefusedError("harbor", "this format holds tasks and no runs", found=" ".join(subject.names))
        seeds = _seeds(subject.options.get("seeds", "0,1,2"))
        for name, form in (("organization", _NAME), ("image", _IMAGE)):
            value = subject.options.get(name)
            if value is not None and not form.fullmatch(value):
                raise BadInputError(
                    f"--set {name}", "Harbor does not take this", expected=form.pattern, found=safe_text(value, 80)
                )
        states = {task.id: task.validity.state for task in subject.card.tasks}
        files = dict[str, bytes]()
        package = dict(_package())
        for task in subject.benchmark.tasks:
            for seed in seeds:
                variant = materialise(task, seed)
                for path, data in _task_files(task, variant, package, subject.options):
                    files[f"{task.id}-{variant.pin.id}/{path}"] = data
        notes = [
            f"the task {task.id} is {states.get(task.id, 'unproven')} in its present form"
            for task in subject.benchmark.tasks
            if states.get(task.id) != "valid"
        ]
        return Export(files, tuple(notes))


def _seeds(text: str) -> tuple[int, ...]:
    try:
        found = tuple(dict.fromkeys(int(part) for part in text.split(",")))
    except ValueError as error:
        raise BadInputError(
            "--set seeds", "these are no numbers", expected="such as 0,1,2", found=safe_text(text, 80)
        ) from error
    if not all(0 <= seed < 2**31 for seed in found):
        raise BadInputError("--set seeds", "a seed is out of range", expected="0 to 2147483647", found=safe_text(text, 80))
    return found


def _task_files(
    task: Task, variant: TaskVariant, package: Mapping[str, bytes], options: Mapping[str, str]
) -> Iterator[tuple[str, bytes]]:
    """Yield one Harbor task. Nothing outside ``tests/`` and ``solution/`` is hidden; only ``tests/`` holds the canary."""
    image = options.get("image", IMAGE)
    yield "task.toml", _config(task, variant, options.get("organization", "faultline")).encode()
    yield "instruction.md", variant.issue.encode()
    runtime = [f"{name}=={version(name)}" for name in task.definition.runtime]
    yield "environment/Dockerfile", _dockerfile(image, runtime, f"WORKDIR {WORKDIR}\nCOPY workspace/ {WORKDIR}/\n")
    for path, data in variant.workspace.items():
        yield f"environment/workspace/{path}", data
    repair = variant.repairs["reference"]
    gone = "".join(f"rm -f -- {shlex.quote(f'{WORKDIR}/{path}')}\n" for path in repair.deleted)
    solve = f'#!/bin/bash\nset -eu\ncp -R "$(cd "$(dirname "$0")" && pwd)/files/." {WORKDIR}/\n{gone}'
    yield "solution/solve.sh", solve.encode()
    for path, data in repair.files.items():
        yield f"solution/files/{path}", data
    judge = _dockerfile(image, [f"pydantic=={version('pydantic')}", *runtime], f"COPY . /tests/\nWORKDIR {WORKDIR}\n")
    yield "tests/Dockerfile", judge
    yield "tests/test.sh", TEST_SH.encode()
    yield "tests/verify.py", Path(__file__).with_name("harbor_verify.py").read_bytes()
    yield "tests/variant.json", _plan(task, variant)
    for part in PARTS:
        source = task.path / part
        found = read_tree(source) if source.is_dir() else {"": source.read_bytes()}
        for path, data in found.items():
            yield f"tests/task/{task.id}/{part}/{path}".rstrip("/"), data
    for path, data in package.items():
        yield f"tests/package/{path}", data


def _package() -> Iterator[tuple[str, bytes]]:
    """Yield the rooms of this very Faultline that judging needs."""
    root = Path(faultline.__file__).parent
    for name in ROOMS:
        source = root / name
        for path in sorted(source.rglob("*.py")) if source.is_dir() else (source,):
            yield f"faultline/{path.relative_to(root).as_posix()}", path.read_bytes()


def _plan(task: Task, variant: TaskVariant) -> bytes:
    """Return which variant is judged, with the digests that it must have."""
    plain = {
        "task": task.id,
        "variant": variant.pin.id,
        "seed": variant.pin.seed,
        "digest": task.digest,
        "workspace_digest": variant.pin.workspace_digest,
        "faultline_version": __version__,
    }
    return json.dumps(plain, indent=2, sort_keys=True).encode("ascii") + b"\n"


def _dockerfile(image: str, packages: list[str], rest: str) -> bytes:
    install = f"RUN pip install --no-cache-dir {shlex.join(packages)}\n" if packages else ""
    return f"FROM {image}\n{install}{rest}".encode()


def _config(task: Task, variant: TaskVariant, organization: str) -> str:
    """Return ``task.toml`` as Harbor has it; the file stays on the host and names no failure class all the same."""
    limits = task.definition.limits
    name = f"{organization}/{task.id}-{variant.pin.id}"
    # Every check may be asked twice, and of the reference repair too; the public tests run on up to three trees.
    seconds = 60 + limits.check_seconds * (4 * len(task.checks) + 8)
    lines = [
        'schema_version = "1.4"',
        f'artifacts = ["{WORKDIR}"]',
        "",
        "[task]",
        f"name = {json.dumps(name)}",
        f"version = {json.dumps(str(task.definition.version))}",
        f"description = {json.dumps(safe_text(task.definition.title))}",
        "",
        "[metadata]",
        'category = "ml-repair"',
        f"faultline_task = {json.dumps(task.id)}",
        f"faultline_variant = {json.dumps(variant.pin.id)}",
        f"faultline_digest = {json.dumps(task.digest)}",
        f"faultline_workspace_digest = {json.dumps(variant.pin.workspace_digest)}",
        f"faultline_family = {json.dumps(task.definition.family)}",
        f"faultline_version = {json.dumps(__version__)}",
        "",
        "[agent]",
        f"timeout_sec = {limits.agent_seconds}",
        "",
        "[environment]",
        f'workdir = "{WORKDIR}"',
        "",
        "[verifier]",
        'environment_mode = "separate"',
        f"timeout_sec = {seconds}",
        "",
        "[verifier.environment]",
        'network_mode = "no-network"',
    ]
    return "\n".join(lines) + "\n"
