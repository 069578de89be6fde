"""Build a site from a card made in memory, and read what came out."""

import fcntl
import gzip
import os
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import pytest

from faultline.card.model import EvaluationCard
from faultline.site import plugin
from faultline.site.build import build_site

REPOSITORY = Path(__file__).parents[2]
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Element(NamedTuple):
    """A start tag."""

    tag: str
    attributes: dict[str, str]
    inside: tuple[str, ...]
    """Tags that are open around it."""


class Html(HTMLParser):
    """The elements and the text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}, tuple(self._open)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}, tuple(self._open)))

    def handle_endtag(self, tag):
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data):
        if not {"script", "style"} & set(self._open):
            self.text.append(data)

    def all(self, tag: str) -> list[Element]:
        return [element for element in self.elements if element.tag == tag]

    @property
    def ids(self) -> list[str]:
        return [element.attributes["id"] for element in self.elements if "id" in element.attributes]

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.text).split())


def benchmark_folder(folder: Path) -> Path:
    """Make a folder with this project's settings and prose, and no task or run."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mkdocs.yml").write_bytes((REPOSITORY / "mkdocs.yml").read_bytes())
    (folder / "site_src").mkdir(exist_ok=True)
    for source in sorted((REPOSITORY / "site_src").rglob("*")):
        if source.is_file():
            target = folder / "site_src" / source.relative_to(REPOSITORY / "site_src")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
    return folder


def build_card_site(card: EvaluationCard, folder: Path, *, strict: bool = True) -> Path:
    """Build the site of a card that exists in memory only."""
    root = benchmark_folder(folder / "benchmark")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plugin, "load_card", lambda _: card)
        return build_site(root, folder / "site", strict=strict)


def built_once(tmp_path_factory, name: str, card: EvaluationCard, *, strict: bool = True) -> Path:
    """Build a site once for all processes of a test session; nobody may change what it holds."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = shared / f"site-{name}"
    with (shared / f"site-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").is_file():
            build_card_site(card, folder, strict=strict)
            (folder / "done").touch()
    return folder / "site"


def pages_of(site: Path) -> dict[str, Html]:
    """Return every page by its path, but for the theme's page of addresses that do not exist."""
    found = sorted(site.rglob("*.html"))
    return {path.relative_to(site).as_posix(): Html(path.read_text("utf-8")) for path in found if path.name != "404.html"}


def tree_of(site: Path) -> dict[str, bytes]:
    """Return every file's bytes."""
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in sorted(site.rglob("*")) if path.is_file()}


def texts_of(site: Path) -> dict[str, str]:
    """Return every file as text, unpacked; what is no text is read byte for byte."""
    found = {}
    for name, data in tree_of(site).items():
        if name.startswith("assets/"):
            continue
        found[name] = (gzip.decompress(data) if name.endswith(".gz") else data).decode("utf-8", "replace")
    return found
