"""The card of imported runs: what was read, what is missing, and no rate of an agent while a gate fails."""

import sys
from pathlib import Path

import pytest
from site_helpers import build_card_site, pages_of, texts_of

sys.path.insert(0, str(Path(__file__).parents[1] / "importers"))

from toy import imported, lines

from faultline.archive import load_benchmark
from faultline.card import build_card


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site of two imported runs: an agent's, with duplicates, missing trials and published numbers, and an oracle's."""
    root = tmp_path_factory.mktemp("imported")
    (root / "agent.toy").write_text(
        lines(
            {
                "meta": {
                    "published": {"accuracy": [0.7137, 0.6137], "mean": [0.5, 0.5]},
                    "protocol": {"timeout multiplier": "2.0"},
                    "category": "data leakage",
                }
            },
            {"id": 1, "task": "Split <b>", "message": "boom </pre><script>alert(1)</script>", "extra": {"seed": "3"}},
            {"id": 1, "task": "Split <b>", "message": "boom </pre><script>alert(1)</script>", "extra": {"seed": "3"}},
            {"id": 2, "task": "other", "index": 2, "rule": "HB-01", "status": "EnvironmentStartTimeoutError"},
        )
    )
    (root / "oracle.toy").write_text(
        lines({"meta": {"agent": "oracle", "model": "", "control": "reference"}}, {"id": 3, "task": "other"})
    )
    for name in ("agent", "oracle"):
        imported(root / f"{name}.toy", root / "runs")
    card = build_card(load_benchmark(root))
    return build_card_site(card, tmp_path_factory.mktemp("site")), card


@pytest.fixture(scope="module")
def run_page(site):
    folder, card = site
    run = next(run for run in card.runs if not run.controls_only)
    return pages_of(folder)[f"runs/{run.run}.html"]


@pytest.mark.parametrize(
    "words",
    [
        "Another harness made this run",
        "3 in, 2 trials out",
        "1 repeated another one",
        "2 planned trials have no record",
        "HB-01",
        "EnvironmentStartTimeoutError",
        "timeout multiplier",
        "differs",
        "agrees",
        "none of the levels known here",
    ],
)
def test_the_page_of_a_run_says_what_was_read_and_what_was_not(run_page, words):
    """
    The report of the import stands on the run's page.
    """
    text = run_page.words + " ".join(element.attributes.get("title", "") for element in run_page.all("span"))
    assert words in text


def test_numbers_that_a_source_published_are_withheld_everywhere(site):
    """
    Whether they agree is told; the rates themselves stand on no page and in no download.
    """
    folder, _ = site
    assert not [name for name, text in texts_of(folder).items() if "0.7137" in text or "0.6137" in text]


def test_imported_tasks_have_a_page_that_says_what_is_missing(site):
    """
    Category, reference and baseline of each task, as far as anything tells.
    """
    folder, _ = site
    page = pages_of(folder)["imported-tasks.html"].words

    assert "data leakage" in page
    assert "a baseline that fails; no record of it" in page


def test_text_of_a_log_does_not_come_alive(run_page):
    """
    Markup in names and messages is shown as text.
    """
    assert "alert(1)" in run_page.words
    assert not [element for element in run_page.all("b") if "Split" in element.attributes.values()]


def test_the_index_of_runs_names_them_imported(site):
    """
    A reader sees which runs were made elsewhere.
    """
    folder, _ = site
    assert "Another harness's log, read" in pages_of(folder)["runs/index.html"].words


def test_the_page_of_a_run_says_nothing_of_receipts_that_were_never_written(run_page):
    """
    Receipts and replies are those of a run that was made here; the plan is the log's.
    """
    assert "receipt" not in run_page.words
    assert "What was planned, as far as the log tells" in run_page.words


def test_columns_that_no_log_fills_are_named_once(site):
    """
    A column of unknowns is one sentence, and so is what many tasks lack.
    """
    folder, _ = site
    page = pages_of(folder)["imported-tasks.html"]
    columns = [element for element in page.all("th") if element.attributes.get("scope") == "col"]

    assert "no log tells suite" in page.words
    assert "Suite" not in page.words
    assert "What is missing:" in page.words
    assert columns


def test_terms_of_somebody_elses_results_are_not_ours_to_give(site):
    """
    The description of the data for search engines names no licence where results were imported.
    """
    folder, _ = site
    assert "spdx.org" not in (folder / "data.html").read_text("utf-8")
