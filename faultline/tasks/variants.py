"""Variants: a task in the words of a skin, with parameters drawn from a seed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from faultline.records import Choices, IntegerRange, TaskPin, VariantPin
from faultline.records.task import ParameterValue
from faultline.tasks.folder import Overlay, Task
from faultline.tasks.skins import renamer
from faultline.tasks.trees import Tree, tree_digest

ISSUE_FILE = "ISSUE.md"
"""Where an agent finds the issue in its workspace."""


@dataclass(frozen=True)
class TaskVariant:
    """A task as one cell of a run uses it: everything renamed, parameters drawn."""

    task: Task
    pin: VariantPin
    issue: str
    workspace: Tree
    """What the agent is given, the issue included."""
    parameters: Mapping[str, Any]
    """What the hidden checks are handed: drawn values under names in the words of the skin."""
    hidden_source: str
    repairs: Mapping[str, Overlay]
    editable: tuple[str, ...]
    public_tests: tuple[str, ...]
    public_failing: tuple[str, ...]


def materialise(task: Task, seed: int) -> TaskVariant:
    """Return the variant that a seed stands for: the seed's skin, its parameters, all texts renamed.

    The skins take turns, so that consecutive seeds cover all of them; parameters are drawn by Python's generator
    seeded with the task's id and the seed, which is stable over Python versions.
    """
    skin = task.variants.skin[seed % len(task.variants.skin)]
    rename = renamer(skin)
    rng = Random(f"{task.id}/{seed}")  # noqa: S311  (a reproducible draw, not a secret)
    parameters = {name: _draw(rng, kind) for name, kind in sorted(task.variants.parameters.items())}
    issue = rename(task.issue)
    workspace = _rename_tree(task.workspace, rename) | {ISSUE_FILE: issue.encode()}
    pin = VariantPin(
        id=f"{skin.name}-{seed:04d}",
        skin=skin.name,
        seed=seed,
        parameters=parameters,
        workspace_digest=tree_digest(workspace),
    )
    return TaskVariant(
        task=task,
        pin=pin,
        issue=issue,
        workspace=workspace,
        parameters={rename(name): list(value) if isinstance(value, tuple) else value for name, value in parameters.items()},
        hidden_source=rename(task.hidden_source),
        repairs={
            name: Overlay(_rename_tree(repair.files, rename), tuple(map(rename, repair.deleted)))
            for name, repair in task.repairs.items()
        },
        editable=tuple(map(rename, task.definition.editable)),
        public_tests=tuple(map(rename, task.public_tests)),
        public_failing=tuple(map(rename, task.definition.public_failing)),
    )


def pin_task(task: Task, variants: tuple[VariantPin, ...]) -> TaskPin:
    """Return a task as a manifest holds it."""
    return TaskPin(
        id=task.id,
        family=task.definition.family,
        failure_class=task.definition.failure_class,
        digest=task.digest,
        variants=variants,
        checks=tuple(outline.id for outline in task.checks),
        public_tests=task.public_tests,
        limits=task.definition.limits,
    )


def apply_overlay(workspace: Tree, overlay: Overlay) -> dict[str, bytes]:
    """Return the workspace with a repair laid over it."""
    kept = {path: data for path, data in workspace.items() if path not in overlay.deleted}
    return kept | dict(overlay.files)


def _rename_tree(tree: Tree, rename: Callable[[str], str]) -> dict[str, bytes]:
    return {rename(path): _rename_bytes(data, rename) for path, data in tree.items()}


def _rename_bytes(data: bytes, rename: Callable[[str], str]) -> bytes:
    try:
        return rename(data.decode("utf-8")).encode("utf-8")
    except UnicodeDecodeError:
        return data


def _draw(rng: Random, kind: IntegerRange | Choices) -> ParameterValue:
    if isinstance(kind, IntegerRange):
        return rng.randint(kind.low, kind.high)
    return rng.choice(kind.choices)
