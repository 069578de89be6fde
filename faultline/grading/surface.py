"""What a workspace offers to others: its public modules, functions, classes and methods, found by syntax alone.

A candidate that lost part of it is *damaged*. What a right repair does without, the reference or another valid one, is not part
of it: helpers may go when nothing needs them any more. What is there is found in the pristine text; what is gone is found by
asking a child, so that moved, re-exported and generated names count as there, and an import that fails is not taken for a
missing name.
"""

import ast
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

from faultline.checks import CandidateError
from faultline.grading.handle import ChildSession
from faultline.records import Reason
from faultline.tasks import TaskVariant, Tree, apply_overlay

Surface = Mapping[str, tuple[str, ...]]
"""Dotted name of a module, and the names in it; a method as ``Class.method``."""
MAX_LOST = 20
"""Places kept in a record; the rest is counted in a last entry."""


def public_surface(workspace: Tree) -> dict[str, tuple[str, ...]]:
    """Return the public surface of a tree; tests, private modules and scripts that only run are no part of it."""
    found: dict[str, tuple[str, ...]] = {}
    for path in sorted(workspace):
        parts = path.removesuffix(".py").split("/")
        if not path.endswith(".py") or parts[0] == "tests" or not all(part.isidentifier() for part in parts):
            continue
        if parts[-1] == "__init__":
            parts.pop()
        if not parts or any(part.startswith("_") for part in parts):
            continue
        try:
            body = ast.parse(workspace[path]).body
        except (SyntaxError, ValueError, RecursionError):
            continue
        found[".".join(parts)] = tuple(dict.fromkeys(_names(body)))
    return found


def required_surface(variant: TaskVariant) -> dict[str, tuple[str, ...]]:
    """Return what of a workspace's public surface every right repair keeps; only that can be damaged."""
    right = [repair for name, repair in variant.repairs.items() if name == "reference" or name.startswith("valid-")]
    kept = [public_surface(apply_overlay(variant.workspace, repair)) for repair in right]
    return {
        module: tuple(name for name in names if all(name in surface[module] for surface in kept))
        for module, names in public_surface(variant.workspace).items()
        if all(module in surface for surface in kept)
    }


def _names(body: list[ast.stmt]) -> list[str]:
    names: list[str] = []
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            names.append(node.name)
            if isinstance(node, ast.ClassDef):
                names += [f"{node.name}.{inner}" for inner in _names(node.body)]
    return names


def gone(
    surface: Surface, session: Callable[[float], AbstractContextManager[ChildSession]], seconds: float
) -> dict[str, tuple[str, str, str]]:
    """Ask a child what of a surface is gone; a module that takes its process down is asked for in one of its own."""
    try:
        with session(seconds) as all_at_once:
            return all_at_once.surface(surface)
    except CandidateError:
        pass
    found: dict[str, tuple[str, str, str]] = {}
    left = seconds
    for module, names in surface.items():
        try:
            with session(max(left, 0.1)) as alone:
                try:
                    found |= alone.surface({module: names})
                finally:
                    left -= alone.waited
        except CandidateError as error:
            found[module] = (error.kind, error.type, error.message)
    return found


def as_reasons(lost: Mapping[str, tuple[str, str, str]]) -> tuple[Reason, ...]:
    """Return what is gone as a record holds it: the code, the place, and what the child said."""
    found = [
        Reason(code=kind, detail=": ".join(part for part in (place, type_name, message) if part))
        for place, (kind, type_name, message) in sorted(lost.items())
    ]
    rest = len(found) - MAX_LOST
    return (*found[:MAX_LOST], Reason(code="NAME_MISSING", detail=f"… and {rest} more")) if rest > 0 else tuple(found)
