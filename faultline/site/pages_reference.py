"""Pages that define: the contract, methods, glossary, errors and licences. Words come from the code that uses them."""

import ast
import inspect
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from faultline import errors
from faultline.card.model import EvaluationCard
from faultline.errors import FaultlineError
from faultline.site.page import Page

ASSETS = Path(__file__).with_name("assets")


@dataclass(frozen=True)
class ErrorCard:
    """A kind of error and what a reader can do about it."""

    slug: str
    exit_code: int
    meaning: str


@dataclass(frozen=True)
class VendorCard:
    """Something made elsewhere that is shipped with the site."""

    name: str
    version: str
    licence: str
    source: str
    change: str
    files: dict[str, str]
    """Digest of each file by its path below the assets."""
    text: str
    """The licence in full."""


def pages(card: EvaluationCard) -> Iterator[Page]:
    """Yield the pages; the first two are prose with a part from the card, the others are all from code."""
    yield Page(
        path="contract",
        title="The contract",
        template="contract.html",
        summary="What happens between an issue and a verdict, and what a task must prove before an agent is tried.",
    )
    yield Page(
        path="methods",
        title="Methods",
        template="methods.html",
        context={"groups": [group for group in word_groups(card) if group[0] in _METHOD_GROUPS]},
        summary="What is estimated, how trials are counted, when another attempt is made, and how intervals are computed.",
    )
    yield Page(
        path="glossary",
        title="Glossary",
        template="glossary.html",
        context={"groups": word_groups(card)},
        summary="Every word of the records with what follows from it.",
    )
    yield Page(
        path="errors",
        title="Errors",
        template="errors.html",
        context={"kinds": error_cards()},
        summary="Every kind of error with its exit code and what to do about it.",
    )
    yield Page(
        path="licences",
        title="Licences",
        template="licences.html",
        quotes=True,
        context={"vendored": vendored()},
        summary="What is shipped with this site and was made elsewhere, with licences and digests.",
    )


_METHOD_GROUPS = ("Counted as", "Status class", "Retry policy", "Estimand", "Scope of an interval", "Status of an estimate")


def word_groups(card: EvaluationCard) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Return the glossary by group: name, anchor, and pairs of word and meaning."""
    return [
        (name, name.lower().replace(" ", "-"), [(term.word, term.meaning) for term in terms])
        for name, terms in groupby(card.glossary, key=lambda term: term.group)
    ]


def error_cards() -> list[ErrorCard]:
    """Return every kind of error that a reader can meet, by exit code.

    The edges of other rooms define errors too, and the site must not import those rooms; so the classes are read from the
    package's source, where a class with a slug is an error, and one without an exit code has that of its base.
    """
    classes = {
        node.name: node
        for path in sorted(Path(errors.__file__).parent.rglob("*.py"))
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and "slug" in _constants(node)
    }
    found = [
        ErrorCard(str(_constants(node)["slug"]), _exit_code(node, classes), inspect.cleandoc(ast.get_docstring(node) or ""))
        for node in classes.values()
    ]
    return sorted(found, key=lambda error: (error.exit_code, error.slug))


def _constants(node: ast.ClassDef) -> dict[str, object]:
    """Return the plain class attributes that a class sets."""
    return {
        target.id: item.value.value
        for item in node.body
        if isinstance(item, ast.Assign) and isinstance(item.value, ast.Constant)
        for target in item.targets
        if isinstance(target, ast.Name)
    }


def _exit_code(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> int:
    own = _constants(node).get("exit_code")
    if isinstance(own, int):
        return own
    bases = [base.id for base in node.bases if isinstance(base, ast.Name) and base.id in classes]
    return _exit_code(classes[bases[0]], classes) if bases else FaultlineError.exit_code


def vendored() -> list[VendorCard]:
    """Return what ``VENDOR.toml`` lists, with the text of each licence."""
    listed = tomllib.loads((ASSETS / "VENDOR.toml").read_text("utf-8"))["vendored"]
    return [
        VendorCard(
            name=item["name"],
            version=item["version"],
            licence=item["licence"],
            source=item["source"],
            change=item["change"],
            files=item["files"],
            text=(ASSETS / item["licence_file"]).read_text("utf-8"),
        )
        for item in listed
    ]
