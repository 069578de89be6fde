"""The MkDocs plugin: pages of the card are made in memory and filled in after Markdown and search have run.

The only module that knows MkDocs. It keeps nothing between builds but what a build set itself, so that ``mkdocs serve``
can use one plugin object for many builds.
"""

# ruff: noqa: ARG002  (MkDocs passes every argument of an event by name, so each must be declared)

import html
import os
from collections.abc import Callable
from pathlib import Path

from jinja2 import Environment
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page as MkPage
from mkdocs.structure.toc import AnchorLink, TableOfContents
from mkdocs.utils.templates import TemplateContext

from faultline.card.model import EvaluationCard
from faultline.errors import FaultlineError, IntegrityError, raise_all
from faultline.records import Absent
from faultline.site import charts
from faultline.site.csp import with_policy
from faultline.site.defaults import guide_pages, navigation
from faultline.site.leaks import refuse_leaks
from faultline.site.markup import Heading, fill, headings, mend, source_of
from faultline.site.shell import Shell
from faultline.site.source import load_card

HERE = Path(__file__).parent
ASSETS = HERE / "assets"
ASSETS_AT = "assets/faultline"
"""Where the package's own files stand in the site."""
EPOCH = "SOURCE_DATE_EPOCH"
BEFORE_ANY_RUN = "315532800"
"""The first of January 1980: the date of a site without a sealed run."""

_TEXTS = (".json", ".jsonl", ".csv", ".txt", ".xml", ".svg", ".html", ".toml", ".md")
CONTENTS_FROM = 3
"""Headings that a page needs before a table of contents is of use."""


class Settings(Config):  # type: ignore[no-untyped-call]  # as below
    """The plugin has no settings: nothing in ``mkdocs.yml`` changes what the card says."""


class FaultlinePlugin(BasePlugin[Settings]):  # type: ignore[no-untyped-call]  # it hooks into subclassing without types
    """Make the pages of the evaluation card part of a MkDocs build."""

    def __init__(self) -> None:
        """Start without a card."""
        self._shell: Shell | None = None
        self._set_epoch = False

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Do nothing; having this event makes MkDocs keep one plugin object while it serves."""

    @event_priority(100)
    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Read the card, and settle what must not depend on the settings: no outside request, our own look."""
        root = Path(config.config_file_path).parent
        try:
            card = load_card(root)
            if config.strict:
                raise_all([_unreadable(problem) for problem in card.problems])
        except FaultlineError as error:
            raise PluginError("\n".join(error.diagnostics())) from error
        with charts.cached_in(root / ".cache" / "charts"):
            self._shell = Shell(card)
        self._settle_time(card)
        config.nav = navigation(card) if config.nav is None else config.nav
        config.use_directory_urls = False
        config.theme["font"] = False
        config.theme["favicon"] = f"{ASSETS_AT}/favicon.svg"
        config.theme.dirs.insert(0, str(HERE / "theme"))
        config.extra["generator"] = False
        # The offline plugin would otherwise fetch the shim from a public server each time a page opens.
        config.extra["polyfills"] = [f"{ASSETS_AT}/vendor/iframe-worker.js"]
        config.extra_css.insert(0, f"{ASSETS_AT}/faultline.css")
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add the generated pages, the downloads and the package's own assets; nothing is written to the source folder."""
        for name, guide in guide_pages().items():
            if files.get_file_from_path(name) is None:
                files.append(File.generated(config, name, abs_src_path=str(guide), inclusion=InclusionLevel.NOT_IN_NAV))
        for path, page in self.shell.pages.items():
            if files.get_file_from_path(f"{path}.md") is None:
                source = source_of(page.summary)
                files.append(File.generated(config, f"{path}.md", content=source, inclusion=InclusionLevel.NOT_IN_NAV))
        for path, content in self.shell.files.items():
            if isinstance(content, str) or path.endswith(_TEXTS):
                _refuse_leaks(path, content if isinstance(content, str) else content.decode("utf-8", "replace"), personal=True)
            files.append(File.generated(config, path, content=content))
        for file in [file for file in files if _is_dead_weight(file.src_uri, config.theme["language"])]:
            files.remove(file)
        for asset in sorted(ASSETS.rglob("*")):
            if asset.is_file():
                name = f"{ASSETS_AT}/{asset.relative_to(ASSETS).as_posix()}"
                files.append(File.generated(config, name, abs_src_path=str(asset)))
        return files

    def on_page_markdown(self, markdown: str, *, page: MkPage, config: MkDocsConfig, files: Files) -> str:
        """Name the page; the theme prints titles without escaping, so they are escaped here."""
        made = self.shell.pages.get(_path(page))
        if made is not None:
            page.meta["title"] = html.escape(made.title)
            page.meta["description"] = html.escape(made.summary)
            page.meta["hide"] = ["navigation", "toc"] if made.wide else ["navigation"]
            _adopt(page, files)
        # On a wide screen the tabs and the row of sections below them lead everywhere; phones have the drawer.
        page.meta.setdefault("hide", ["navigation"])
        return markdown

    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        """Give the theme the status line and the footer as finished markup; its own templates print no data."""
        env.globals["faultline_part"] = self.shell.part
        return env

    @event_priority(-100)
    def on_page_context(
        self, context: TemplateContext, *, page: MkPage, config: MkDocsConfig, nav: Navigation
    ) -> TemplateContext:
        """Fill the placeholder, after search has read the page."""
        made = self.shell.pages.get(_path(page))
        if made is not None:
            page.content = fill(page.content or "", self.shell.body(made))
            found = headings(page.content)
            page.toc = _contents(found)
            if len(found) < CONTENTS_FROM:
                page.meta["hide"] = ["navigation", "toc"]
        return context

    @event_priority(-100)
    def on_post_page(self, output: str, *, page: MkPage, config: MkDocsConfig) -> str:
        """Finish a page, and look a last time at what it would publish."""
        made = self.shell.pages.get(_path(page))
        _refuse_leaks(page.file.dest_uri, output, personal=made is not None and not made.quotes)
        return with_policy(mend(output))

    @event_priority(-100)
    def on_post_template(self, output: str, *, template_name: str, config: MkDocsConfig) -> str:
        """Finish the theme's own pages, such as the one for an address that does not exist."""
        return with_policy(mend(output)) if template_name.endswith(".html") else output

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Leave the environment as it was."""
        self._forget_time()

    def on_build_error(self, *, error: Exception) -> None:
        """Leave the environment as it was."""
        self._forget_time()

    def on_serve(self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Callable[..., None]) -> LiveReloadServer:
        """Build again when a task or a run changes."""
        for name in ("tasks", "runs"):
            folder = Path(config.config_file_path).parent / name
            if folder.is_dir():
                server.watch(str(folder))
        return server

    @property
    def shell(self) -> Shell:
        """The card of this build and what is made of it."""
        if self._shell is None:
            raise PluginError("the plugin was asked for pages before its settings")
        return self._shell

    def _settle_time(self, card: EvaluationCard) -> None:
        """Date the site by its newest record instead of the clock, so that the same records give the same bytes."""
        if EPOCH not in os.environ:
            os.environ[EPOCH] = BEFORE_ANY_RUN if isinstance(card.as_of, Absent) else str(int(card.as_of.timestamp()))
            self._set_epoch = True

    def _forget_time(self) -> None:
        if self._set_epoch:
            os.environ.pop(EPOCH, None)
            self._set_epoch = False


def _refuse_leaks(place: str, text: str, *, personal: bool) -> None:
    try:
        refuse_leaks(place, text, personal=personal)
    except FaultlineError as error:
        raise PluginError(str(error)) from error


def _path(page: MkPage) -> str:
    return page.file.src_uri.removesuffix(".md")


def _adopt(page: MkPage, files: Files) -> None:
    """Make a page out of the navigation a child of its folder's index there, so that its tab and section show as active."""
    index = files.get_file_from_path(f"{page.file.src_uri.rpartition('/')[0]}/index.md")
    if page.parent is None and index is not None and index.page is not None and index.page is not page:
        page.parent = index.page.parent


def _is_dead_weight(path: str, language: str) -> bool:
    """Return whether a file of the theme is of no use: source maps, and search in other languages than English."""
    return path.startswith("assets/") and (path.endswith(".map") or (language == "en" and "/lunr/" in path))


def _contents(found: list[Heading]) -> TableOfContents:
    """Return a page's table of contents; headings of third level stand below their second."""
    top: list[AnchorLink] = []
    for heading in found:
        link = AnchorLink(heading.title, heading.id, heading.level)
        (top[-1].children if heading.level > 2 and top else top).append(link)  # noqa: PLR2004  (levels of headings)
    return TableOfContents(top)


def _unreadable(problem: str) -> IntegrityError:
    """Return a problem of the card as an error; its text begins with the place and ends with the slug of its kind."""
    place, _, what = problem.partition(": ")
    return IntegrityError(place, what.partition("  [")[0])
