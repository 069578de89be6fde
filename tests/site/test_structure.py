"""Every page of a built site: it exists, it is well formed, and what it points at is there."""

import json
import posixpath
import re
from urllib.parse import unquote, urlsplit

import pytest
from site_helpers import Element

FIXED = (
    "index",
    "contract",
    "tasks/index",
    "failure-classes",
    "runs/index",
    "cost-and-latency",
    "publication-gate",
    "audit-history",
    "methods",
    "leaderboard",
    "data",
    "formats/index",
    "glossary",
    "errors",
    "licences",
)
LANDMARKS = {"scope": {"col", "row", "colgroup", "rowgroup"}}


def links(element: Element) -> str:
    return element.attributes.get("href") or element.attributes.get("src") or ""


def test_every_address_is_there(small_pages, small_card):
    """
    The pages with fixed addresses exist, and each task and each run has its own.
    """
    wanted = {f"{name}.html" for name in FIXED}
    wanted |= {f"tasks/{task.id}.html" for task in small_card.tasks} | {f"runs/{run.run}.html" for run in small_card.runs}

    assert set() == wanted - set(small_pages)


def test_each_page_has_one_first_heading(small_pages):
    """
    A page has exactly one heading of first level.
    """
    assert dict.fromkeys(small_pages, 1) == {name: len(page.all("h1")) for name, page in small_pages.items()}


def test_ids_are_unique(small_pages):
    """
    No id stands twice on a page.
    """
    twice = {name: {i for i in page.ids if page.ids.count(i) > 1} for name, page in small_pages.items()}

    assert {} == {name: ids for name, ids in twice.items() if ids}


def test_titles_are_ours(small_pages):
    """
    Every title names the page and the site, and no two pages share one.
    """
    titles = [next(part for part in page.text if part.strip().endswith("- Faultline")).strip() for page in small_pages.values()]

    assert sorted(set(titles)) == sorted(titles)


def test_internal_links_resolve(small_site, small_pages):
    """
    Every relative link leads to a file of the site, and its anchor to an element there.
    """
    broken = []
    for name, page in small_pages.items():
        for element in page.elements:
            target = urlsplit(links(element)) if links(element) else None
            if target is None or target.scheme or target.netloc:
                continue
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(target.path))) if target.path else name
            if path.endswith("/.") or path == "." or (small_site / path).is_dir():
                path = posixpath.join(path, "index.html")
            if not (small_site / path).is_file():
                broken.append(f"{name}: {links(element)}")
            elif target.fragment and path in small_pages and target.fragment not in small_pages[path].ids:
                broken.append(f"{name}: {links(element)} (no such anchor)")

    assert [] == broken


def test_nothing_is_fetched_from_elsewhere(small_pages):
    """
    Only plain links leave the site: no script, style, image, frame or hint names another host.
    """
    outside = [
        f"{name}: {element.tag} {links(element)}"
        for name, page in small_pages.items()
        for element in page.elements
        if element.tag != "a" and re.match(r"(https?:)?//", links(element))
    ]

    assert [] == outside


def test_the_generator_is_not_named(small_pages):
    """
    No page says what made it, and the theme's notice is off.
    """
    for page in small_pages.values():
        assert "generator" not in {element.attributes.get("name") for element in page.all("meta")}
        assert "Made with" not in page.words


def test_tables_can_be_read_aloud(small_pages):
    """
    Each table has a caption, and each heading cell says whether it is of a column or a row.
    """
    for name, page in small_pages.items():
        tables, captions = page.all("table"), page.all("caption")
        assert len(tables) == len(captions), name
        for cell in page.all("th"):
            assert cell.attributes.get("scope") in LANDMARKS["scope"], f"{name}: {cell}"


def test_dialogue_and_regions_have_names(small_pages):
    """
    Everything that announces itself as a region, dialogue, note or picture has a name.
    """
    for name, page in small_pages.items():
        for element in page.elements:
            if element.attributes.get("role") in ("dialog", "region", "note", "img"):
                assert element.attributes.get("aria-label") or element.attributes.get("aria-labelledby"), f"{name}: {element}"


def test_pictures_have_a_text(small_pages):
    """
    Each image has an alternative text, and each drawing is hidden from readers or says what it shows.
    """
    for name, page in small_pages.items():
        for image in page.all("img"):
            assert "alt" in image.attributes, name


@pytest.mark.parametrize("name", ["index.html", "tasks/task-00.html", "publication-gate.html"])
def test_the_status_line_comes_first(small_pages, small_card, name):
    """
    Before anything else a page says whether its numbers may be used: the state, the gates, the tasks, the date, the card.
    """
    page = small_pages[name]

    order = [element.attributes.get("class", "").split(" ")[0] or element.tag for element in page.elements]
    assert order.index("fl-status") < order.index("md-header") < order.index("h1")
    words = page.words
    assert (
        words.index("Leaderboard withheld")
        < words.index(f"0 of {small_card.report.total} gates hold")
        < words.index("2 of 2 tasks valid")
        < words.index("as of")
    )


def test_search_finds_a_task_by_its_id_and_its_failure_class(small_site, small_card):
    """
    What search knows of a task's page names the task's id and failure class, and the page of classes names each class.
    """
    entries = json.loads((small_site / "search" / "search_index.json").read_text("utf-8"))["docs"]
    known = {entry["location"]: entry["text"] for entry in entries}

    for task in small_card.tasks:
        assert task.id in known[f"tasks/{task.id}.html"]
        assert task.failure_class.replace("-", " ") in known[f"tasks/{task.id}.html"]
    for item in small_card.failure_classes:
        assert item.id.replace("-", " ") in known["failure-classes.html"]


def test_search_knows_titles_and_summaries_only(small_site, small_card):
    """
    No trial, digest or reason code of a run is in the search index.
    """
    index = (small_site / "search" / "search_index.json").read_text("utf-8")

    assert "tasks/task-00.html" in index
    assert small_card.runs[0].seal_digest[7:19] not in index
    assert "ROWS_LOST" not in index
    assert (small_site / "search" / "search_index.js").is_file()
