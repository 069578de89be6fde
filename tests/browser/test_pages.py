"""A real browser opens the site from disk: nothing is refused, nothing is missing, nothing is asked of another host."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import factories
import pytest

from faultline.card import build_card, rehearse_card

sys.path.insert(0, str(Path(__file__).parents[1] / "site"))
sys.path.insert(0, str(Path(__file__).parent))

from chromium import Browser
from site_helpers import Html, built_once

CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--enable-logging=stderr",
    "--v=0",
    # Any name that a page would ask for cannot be found: a request shows as an error on the console.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--virtual-time-budget=4000",
)
PAGES = ("index.html", "publication-gate.html", "tasks/task-00.html", "runs/evaluation-1.html")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="the Debian package chromium is not installed"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return built_once(tmp_path_factory, "small", build_card(factories.small()))


def open_page(address, *flags):
    """Return the page as the browser has it after its scripts ran, and what it wrote on its console."""
    with tempfile.TemporaryDirectory() as profile:
        command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", *flags, "--dump-dom", address]
        done = subprocess.run(command, capture_output=True, check=True, timeout=120)
    said = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if "CONSOLE" in line]
    return Html(done.stdout.decode("utf-8")), said


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", PAGES)
def test_opens_from_disk(site, page, scheme):
    """
    Over file:// a page comes up in the scheme the reader prefers, and its console stays empty.
    """
    flags = ("--force-dark-mode", "--blink-settings=preferredColorScheme=0") if scheme == "dark" else ()

    dom, said = open_page((site / page).as_uri(), *flags)

    assert [] == said
    assert {"light": "default", "dark": "slate"}[scheme] == dom.all("body")[0].attributes["data-md-color-scheme"]
    assert dom.all("h1")
    assert "js" in dom.all("html")[0].attributes["class"].split()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_open_leaderboard_opens_from_disk(tmp_path_factory, scheme):
    """
    The ranking of a rehearsal comes up with its chart and its tables, and the console stays empty.
    """
    card = rehearse_card(factories.ranked({"dune": 3, "anvil": 2}))
    site = built_once(tmp_path_factory, "open", card, strict=False)
    flags = ("--force-dark-mode", "--blink-settings=preferredColorScheme=0") if scheme == "dark" else ()

    dom, said = open_page((site / "leaderboard.html").as_uri(), *flags)

    assert [] == said
    assert [element for element in dom.all("svg") if "fl-chart" in element.attributes.get("class", "")]
    assert len(dom.all("table")) >= 6


def test_search_answers_from_disk(site):
    """
    Over file:// the search finds a task by its title, under the policy of the page.
    """
    dom, said = open_page(f"{(site / 'index.html').as_uri()}?q=gate", "--virtual-time-budget=15000")

    assert [] == said
    found = [link for link in dom.all("a") if "md-search-result__link" in link.attributes.get("class", "")]
    assert [link for link in found if "publication-gate.html" in link.attributes["href"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_is_white_and_says_whether_the_numbers_may_be_used(site, tmp_path, scheme):
    """
    In print the status line stays, the navigation goes, nothing scrolls, and the ground is white in either scheme.
    """
    shown = "(name => getComputedStyle(document.querySelector(name)).{})"
    with Browser(tmp_path) as browser:
        browser.on_paper(scheme)
        browser.open(site / "publication-gate.html")

        assert "none" != browser.run(f"{shown.format('display')}('.md-banner')")
        assert "Leaderboard withheld" in browser.run("document.querySelector('.md-banner').innerText")
        assert "none" == browser.run(f"{shown.format('display')}('.md-tabs')")
        assert "visible" == browser.run(f"{shown.format('overflowX')}('.fl-scroll')")
        assert "rgb(255, 255, 255)" == browser.run(f"{shown.format('backgroundColor')}('body')")


def test_a_foreign_script_is_refused(site, tmp_path):
    """
    A script that the page did not come with does not run, and the console says so: the policy is in force.
    """
    copy = tmp_path / "site"
    shutil.copytree(site, copy)
    page = copy / "index.html"
    page.write_text(page.read_text("utf-8").replace("</body>", "<script>document.title='taken'</script></body>"), "utf-8")

    dom, said = open_page(page.as_uri())

    assert "taken" not in dom.words
    assert any(re.search("Content Security Policy", line) for line in said)
