"""The front page is the card at a glance, and every number on it is the card's."""

import factories
from site_helpers import Html

from faultline.card import build_card
from faultline.site.shell import Shell


def home(benchmark):
    """Return the front page's body, rendered without MkDocs."""
    shell = Shell(build_card(benchmark))
    return Html(shell.body(shell.pages["index"])), shell.card


def test_the_figures_are_the_cards(small_pages, small_card):
    """
    Failure classes, tasks, required outcomes and claims stand with their words, and there is no claim.
    """
    words = small_pages["index.html"].words
    head = small_card.headline

    assert f"required outcomes, two a task {head.required_outcomes}" in words
    assert "headline model claims 0" in words
    assert f"tasks, {head.valid_tasks} valid, {head.variants_per_task} variants each {head.tasks}" in words


def test_every_gate_is_there(small_pages, small_card):
    """
    Each gate stands with its outcome as a word and a link to its evidence.
    """
    page = small_pages["index.html"]

    links = {element.attributes.get("href") for element in page.all("a")}
    assert set() == {f"publication-gate.html#{gate.id.lower()}" for gate in small_card.report.gates} - links
    assert all(gate.headline in page.words for gate in small_card.report.gates)


def test_the_newest_correction_is_told_before_and_after():
    """
    The newest correction stands on the front page with both of its forms.
    """
    page, _ = home(factories.benchmark([factories.task(corrections=[factories.correction()])]))

    assert "Before roughly After exactly" in page.words


def test_an_empty_benchmark_has_a_front_page():
    """
    Without tasks, runs and corrections the page says what is not there yet, and shows nothing as proved.
    """
    page, card = home(factories.benchmark())

    assert "No task is proved yet." in page.words
    assert "No task has been corrected yet." in page.words
    assert 0 == card.headline.model_claims


def test_a_task_without_a_run_is_unproven():
    """
    A task that no validity run covers shows as unproven and its controls as not run, never as failed.
    """
    page, _ = home(factories.benchmark([factories.task()]))

    assert "unproven not run not run not run not run not run" in page.words
