"""A card needs a name and runs; what its settings leave out is filled in, and what they say wrongly is one error."""

import sys
from pathlib import Path
from urllib.parse import urlsplit

import factories
import pytest
from mkdocs.utils.yaml import yaml_load
from site_helpers import REPOSITORY, pages_of

sys.path.insert(0, str(Path(__file__).parents[1] / "importers"))

from toy import imported, lines

from faultline.card import build_card
from faultline.errors import BadInputError, MissingInputError
from faultline.site.build import build_site
from faultline.site.defaults import guide_pages, missing_settings, navigation


def settings_here():
    with (REPOSITORY / "mkdocs.yml").open("rb") as file:
        return yaml_load(file)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder as the guide to importing makes it: a name, and one imported run."""
    root = tmp_path_factory.mktemp("card")
    (root / "runs").mkdir()
    (root / "mkdocs.yml").write_text("site_name: My results\n")
    (root / "log.toy").write_text(lines({"id": 1, "task": "one"}, {"id": 2, "task": "two"}))
    imported(root / "log.toy", root / "runs")
    return root


@pytest.fixture(scope="module")
def pages(folder):
    return pages_of(build_site(folder, folder / "site", strict=True))


class TestACardOfOneLine:
    def test_it_is_built(self, pages):
        """
        One line of settings and an imported run give a card without a warning, with the pages about Faultline.
        """
        assert {
            "index.html",
            "imported-tasks.html",
            "publication-gate.html",
            *(f"{Path(name).stem}.html" for name in guide_pages()),
        } <= set(pages)

    def test_every_link_of_it_leads_somewhere(self, folder, pages):
        """
        No page of it points at one that is not there.
        """
        dead = [
            (name, href)
            for name, page in pages.items()
            for href in (element.attributes.get("href", "") for element in page.all("a"))
            if href and not urlsplit(href).scheme and (path := urlsplit(href).path)
            if not (folder / "site" / name).parent.joinpath(path).resolve().exists()
        ]
        assert [] == dead

    def test_it_can_be_walked(self, pages):
        """
        The navigation names its pages, and not the contract and the failure classes that its tasks do not have.
        """
        links = {element.attributes.get("href") for element in pages["index.html"].all("a")}

        assert {"imported-tasks.html", "runs/index.html", "importing.html"} <= links
        assert set() == links & {"contract.html", "failure-classes.html", "tasks/index.html"}

    def test_its_front_page_says_what_is_missing(self, pages):
        """
        It counts what was read, claims nothing about tasks of its own, and names what no log shows.
        """
        words = pages["index.html"].words

        assert "imported run 1 tasks of other harnesses, 0 with both sides shown 2" in words
        assert "2 of 2 tasks still to prove." in words
        assert "They were read and not made again" in words
        assert "0 of 2 imported tasks have both sides shown" in words
        for untrue in ("0 of 0", "First the task is tried", "sets agents to work", "Our own mistakes", "required outcomes"):
            assert untrue not in words

    def test_a_table_without_rows_is_no_download(self, folder, pages):
        """
        Without tasks of its own it offers no table of them.
        """
        assert not (folder / "site" / "data" / "tasks.csv").exists()
        assert "tasks.csv" not in (folder / "site" / "data.html").read_text("utf-8")

    def test_pages_about_faultline_have_no_second_navigation(self, pages):
        """
        Tabs and the row below them lead everywhere, so a list of the same pages beside the text is left out.
        """
        for name in ("importing.html", "methods.html", "index.html"):
            sidebar = next(e for e in pages[name].all("div") if e.attributes.get("data-md-type") == "navigation")
            assert "hidden" in sidebar.attributes


class TestDefaults:
    def test_they_are_those_of_this_repository(self):
        """
        Its own settings and the defaults say the same about theme, plugins, extensions and navigation.
        """
        here = settings_here()
        filled = missing_settings({}, REPOSITORY)

        assert here["docs_dir"] == Path(filled["docs_dir"]).name
        assert here["theme"] == {**filled["theme"], "font": False}
        assert (here["plugins"], here["markdown_extensions"]) == (filled["plugins"], filled["markdown_extensions"])
        assert here["nav"] == navigation(build_card(factories.small()))

    def test_what_a_folder_says_itself_stays(self, tmp_path):
        """
        Only what is left out is filled in, and pages of one's own are found.
        """
        (tmp_path / "docs").mkdir()
        filled = missing_settings({"theme": "mkdocs"}, tmp_path)

        assert "theme" not in filled
        assert str(tmp_path / "docs") == filled["docs_dir"]


class TestMistakes:
    @pytest.mark.parametrize(
        ("settings", "said"),
        [
            ("plugins: [search]", "its plugins do not name faultline"),
            ("docs_dir: nowhere", "nowhere.* isn't an existing directory"),
            ("theme: {name: no-such}", "no-such"),
        ],
    )
    def test_wrong_settings_are_one_error_that_names_them(self, tmp_path, settings, said):
        """
        A setting that cannot be is refused with the words of what is wrong; a site without a card is none.
        """
        (tmp_path / "mkdocs.yml").write_text(f"site_name: x\n{settings}\n")

        with pytest.raises(BadInputError, match=said):
            build_site(tmp_path, tmp_path / "site")

    def test_a_folder_without_settings_learns_the_line_it_needs(self, tmp_path):
        """
        The error names the whole remedy.
        """
        with pytest.raises(MissingInputError, match=r"echo 'site_name: My results' > mkdocs\.yml"):
            build_site(tmp_path, tmp_path / "site")
