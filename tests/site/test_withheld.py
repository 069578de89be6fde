"""While the leaderboard is withheld, nothing that was built compares two agents: every byte is read."""

import re

import factories
import pytest
from site_helpers import Html, built_once, texts_of

from faultline.card import build_card
from faultline.site.shell import Shell

TINKER, MENDER = 187, 149
"""Passed trials of each agent; trials of a cell are numbered below both, so that no index looks like them."""
PLANNED = 262
SPELLINGS = tuple(
    spelling
    for passed in (TINKER, MENDER, PLANNED - TINKER, PLANNED - MENDER)
    for spelling in (
        f"{passed / PLANNED:.4f}",
        f"{100 * passed / PLANNED:.2f}",
        f"{100 * passed / PLANNED:.1f} %",
        f"{passed / PLANNED:.3f}",
    )
)


def ending(passes, planned):
    """Return an ending that passes exactly some number of the cells it is asked about."""
    seen = iter(range(planned))
    return lambda _: factories.passed() if next(seen) * passes % planned < passes else factories.failed()


def two_agents(first, second, trials=PLANNED // 2):
    """Return a benchmark with an evaluation of each of two agents, both on every task."""
    tasks = factories.small_tasks()
    runs = [
        factories.validity_run(tasks),
        factories.evaluation_run(tasks, "evaluation-1", ending=ending(first, 2 * trials), variants=1, trials=trials),
        factories.evaluation_run(
            tasks,
            "evaluation-2",
            factories.agent("mender"),
            ending=ending(second, 2 * trials),
            variants=1,
            trials=trials,
            hours=3.0,
        ),
    ]
    return factories.benchmark(tasks, runs)


@pytest.fixture(scope="module")
def withheld(tmp_path_factory):
    card = build_card(two_agents(TINKER, MENDER))
    assert {TINKER, MENDER} == {run.counts.folds["passed"] for run in card.runs if run.kind == "evaluation"}
    return texts_of(built_once(tmp_path_factory, "withheld", card))


def words_of(page):
    """Return a page's words with whole numbers: thousands are set apart by a thin space, which would cut 3149 to 149."""
    return Html(page.replace("\u202f", "")).words


def test_no_rate_stands_anywhere(withheld):
    """
    No file holds an agent's share of passed or failed trials in any usual spelling.
    """
    assert [] == [f"{name}: {spelling}" for name, text in withheld.items() for spelling in SPELLINGS if spelling in text]


@pytest.mark.parametrize(("run", "passed"), [("evaluation-1", TINKER), ("evaluation-2", MENDER)])
def test_only_the_run_counts_itself(withheld, run, passed):
    """
    How many trials of an agent passed stands on its own run's page, in the run's own file, and nowhere else.
    """
    numbers = re.compile(rf"(?<![\w.-]){passed}(?![\w.-])")
    holding = {
        name
        for name, text in withheld.items()
        if not name.endswith(".svg") and numbers.search(words_of(text) if name.endswith(".html") else text)
    }

    assert {f"runs/{run}.html", f"data/runs/{run}.json"} == {name for name in holding if not name.startswith("schemas/")}


def test_the_page_says_what_is_missing(withheld):
    """
    The leaderboard's address answers with each gate that does not hold, and names no agent.
    """
    page = Html(withheld["leaderboard.html"]).words

    assert "There is no ranking" in page
    assert "G1" in page
    assert "tinker" not in page
    assert "mender" not in page


def test_order_does_not_follow_results():
    """
    With the two agents' results exchanged, no list of runs or agents changes its order.
    """

    def order(body):
        return re.findall(r"evaluation-[12]|tinker|mender", Html(body).words)

    one, other = Shell(build_card(two_agents(2, 5, trials=3))), Shell(build_card(two_agents(5, 2, trials=3)))

    assert [] == [path for path, page in one.pages.items() if order(one.body(page)) != order(other.body(other.pages[path]))]


def test_a_rehearsal_shows_the_table_it_would_be(open_card):
    """
    With every gate open the same address holds a row for each agent, by name, with its interval.
    """
    shell = Shell(open_card)

    words = Html(shell.body(shell.pages["leaderboard"])).words

    assert words.index("mender") < words.index("tinker")
    assert "Interval" in words
