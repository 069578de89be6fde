"""What a task's Python files declare, read from their syntax without running them: hidden checks and public tests."""

import ast
from dataclasses import dataclass

from faultline.errors import BadInputError
from faultline.kinds import safe_text
from faultline.tasks.trees import Tree


@dataclass(frozen=True)
class CheckOutline:
    """A hidden check as its source declares it."""

    id: str
    codes: tuple[str, ...]
    requirement: str
    """First paragraph of the docstring, on one line."""


def _parse(source: str, place: str) -> ast.Module:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        raise BadInputError(
            f"{place}:{line}" if line else place, "this is not Python", found=safe_text(str(error), 120)
        ) from error


def outline_checks(source: str, place: str) -> tuple[CheckOutline, ...]:
    """Return the functions decorated with ``@check(codes=…)``, in order.

    Raises :class:`BadInputError` when there is none, when codes are not literal, or when a docstring is missing.
    """
    found: list[CheckOutline] = []
    for node in _parse(source, place).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        codes = next((literal for mark in node.decorator_list if (literal := _codes(mark)) is not None), None)
        if codes is None:
            continue
        docstring = ast.get_docstring(node)
        if not docstring:
            raise BadInputError(
                f"{place}:{node.lineno}", f"the check {node.name} states no requirement", expected="a docstring"
            )
        found.append(CheckOutline(node.name, codes, " ".join(docstring.split("\n\n")[0].split())))
    if not found:
        raise BadInputError(place, "there is no hidden check", expected="functions decorated with @check(codes=(...))")
    if len({item.id for item in found}) != len(found):
        raise BadInputError(place, "two hidden checks have one name")
    return tuple(found)


def _codes(decorator: ast.expr) -> tuple[str, ...] | None:
    if not (isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Name) and decorator.func.id == "check"):
        return None
    values = [keyword.value for keyword in decorator.keywords if keyword.arg == "codes"] or decorator.args
    try:
        return tuple(ast.literal_eval(values[0]))
    except (ValueError, IndexError, TypeError):
        return ()


def outline_tests(workspace: Tree, place: str) -> tuple[str, ...]:
    """Return the ids of the public tests: methods ``test_*`` of ``unittest.TestCase`` classes in ``tests/test_*.py``."""
    found: list[str] = []
    for path in sorted(workspace):
        name = path.rsplit("/", 1)[-1]
        if not (path.startswith("tests/") and name.startswith("test_") and name.endswith(".py")):
            continue
        for node in _parse(workspace[path].decode("utf-8", "replace"), f"{place}/{path}").body:
            if isinstance(node, ast.ClassDef) and any(ast.unparse(base).endswith("TestCase") for base in node.bases):
                found += [
                    f"{path}::{node.name}::{item.name}"
                    for item in node.body
                    if isinstance(item, ast.FunctionDef) and item.name.startswith("test_")
                ]
    if not found:
        raise BadInputError(f"{place}/tests", "there is no public test", expected="unittest methods in tests/test_*.py")
    return tuple(found)
