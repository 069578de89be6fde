"""What a site is made of where its folder does not say: settings, navigation, and pages about Faultline itself.

A folder with ``runs/`` and a ``mkdocs.yml`` of one line is enough for a card. Knows no MkDocs.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from faultline.card.model import EvaluationCard

_HERE = Path(__file__).parent


def guide_folder() -> Path:
    """Return the folder of the pages about Faultline: in the package once it is installed, else in the source tree."""
    installed = _HERE / "guide"
    return installed if installed.is_dir() else _HERE.parents[1] / "site_src"


def guide_pages() -> dict[str, Path]:
    """Return those pages by file name; a card has each of them unless its own folder brings one of that name."""
    return {page.name: page for page in sorted(guide_folder().glob("*.md"))}


def missing_settings(own: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """Return settings of MkDocs for whatever ``own``, those of the card in ``root``, leave out."""
    pages = next((root / name for name in ("site_src", "docs") if (root / name).is_dir()), guide_folder())
    defaults: dict[str, Any] = {
        "docs_dir": str(pages.absolute()),
        "theme": {
            "name": "material",
            "language": "en",
            "palette": [_scheme("light", "default", "weather-night"), _scheme("dark", "slate", "weather-sunny")],
            "features": ["navigation.tabs", "navigation.indexes", "toc.follow"],
        },
        "plugins": ["search", "offline", "faultline"],
        "markdown_extensions": ["attr_list", "tables", {"toc": {"permalink": False}}],
    }
    return {name: value for name, value in defaults.items() if name not in own}


def navigation(card: EvaluationCard) -> list[dict[str, Any]]:
    """Return the navigation of a card: without tasks of its own it has no contract and no failure classes to show."""
    tasks = [{"Imported tasks": "imported-tasks.md"}] if card.imported_tasks else []
    if not card.foreign_only:
        benchmark = [
            {"The contract": "contract.md"},
            {"Tasks": "tasks/index.md"},
            *tasks,
            {"Failure classes": "failure-classes.md"},
        ]
    else:
        benchmark = tasks
    return [
        {"Card": "index.md"},
        {"Benchmark": benchmark},
        {
            "Evidence": [
                {"Runs": "runs/index.md"},
                {"Cost and latency": "cost-and-latency.md"},
                {"Audit history": "audit-history.md"},
            ]
        },
        {"Publication": [{"Publication gate": "publication-gate.md"}, {"Leaderboard": "leaderboard.md"}]},
        {
            "Reference": [
                {"Methods": "methods.md"},
                {"Auditing and reviewing": "auditing.md"},
                {"Many machines": "many-machines.md"},
                {"Other harnesses": "importing.md"},
                {"Data": "data.md"},
                {"Exports": "exports.md"},
                {"Plugins": "plugins.md"},
                {"Formats": "formats/index.md"},
                {"Glossary": "glossary.md"},
                {"Errors": "errors.md"},
                {"Licences": "licences.md"},
            ]
        },
    ]


def _scheme(name: str, scheme: str, icon: str) -> dict[str, Any]:
    other = "dark" if name == "light" else "light"
    return {
        "media": f"(prefers-color-scheme: {name})",
        "scheme": scheme,
        "primary": "custom",
        "accent": "custom",
        "toggle": {"icon": f"material/{icon}", "name": f"Use the {other} scheme"},
    }
