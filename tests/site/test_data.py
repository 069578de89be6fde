"""The downloads hold what the pages show, name their own digests, and cannot surprise a spreadsheet."""

import csv
import io
import json
import re

import factories
import pytest

from faultline.card import build_card, rehearse_card
from faultline.card.model import EvaluationCard
from faultline.card.published import published
from faultline.kinds import digest_bytes
from faultline.records import unknown
from faultline.site.downloads import cell, downloads
from faultline.site.pages_data import files, json_in_page


@pytest.fixture(scope="module")
def found(small_card):
    return files(small_card)


def rows(data):
    return list(csv.DictReader(io.StringIO(data.decode("ascii"))))


def test_the_list_names_every_file_with_its_digest(found):
    """
    ``manifest.json`` lists each other file with its size and the digest of its bytes.
    """
    listed = json.loads(found["data/manifest.json"])["files"]

    assert set(found) - {"data/manifest.json"} == {item["path"] for item in listed}
    for item in listed:
        assert (len(found[item["path"]]), digest_bytes(found[item["path"]])) == (item["size"], item["sha256"])


def test_the_page_prints_the_digests(found, small_pages):
    """
    The data page names the digest of each table and of the card, and links to every file.
    """
    page = small_pages["data.html"]
    linked = {element.attributes.get("href") for element in page.all("a")}

    for path, data in found.items():
        assert path in linked
        if path.startswith("data/"):
            assert digest_bytes(data) in page.words


def test_files_of_the_site_are_the_downloads(found, small_site):
    """
    What the site serves is byte for byte what was listed.
    """
    for path, data in found.items():
        assert data == (small_site / path).read_bytes()


def test_the_card_loads_again(found, small_card):
    """
    ``card.json`` is a record that reads, and its digest is the card digest of every page.
    """
    data = found["data/card.json"]

    assert published(small_card) == EvaluationCard.parse(data, "card.json")
    assert digest_bytes(data) == json.loads(found["data/manifest.json"])["card_digest"]


def test_no_file_has_the_counts_of_two_agents():
    """
    While there is no ranking, runs of agents are files of their own, and the table of runs withholds their counts.
    """
    tasks = factories.small_tasks()
    second = factories.evaluation_run(tasks, "evaluation-2", factories.agent("mender"), hours=3.0)
    made = files(build_card(factories.benchmark(tasks, [*factories.small().runs, second])))

    assert ["validity-1"] == [run["run"] for run in json.loads(made["data/card.json"])["runs"]]
    assert {"data/runs/evaluation-1.json", "data/runs/evaluation-2.json"} == {name for name in made if "data/runs/" in name}
    counted = {row["run"]: row["passed"] for row in rows(made["data/runs.csv"])}
    assert {"evaluation-1": "withheld", "evaluation-2": "withheld"}.items() <= counted.items()
    assert counted["validity-1"].isdigit()


def test_with_every_gate_open_nothing_is_kept_apart():
    """
    A card with a ranking is published whole.
    """
    card = rehearse_card(factories.full())

    assert card == published(card)
    assert [] == [item.path for item in downloads(card) if "data/runs/" in item.path]


def test_page_and_table_agree_on_tasks(found, small_card, small_pages):
    """
    Digest, trials and flips of a task are the same on its page, in ``tasks.csv`` and in the card.
    """
    table = {row["task"]: row for row in rows(found["data/tasks.csv"])}
    for task in small_card.tasks:
        row, words = table[task.id], small_pages[f"tasks/{task.id}.html"].words

        assert (task.digest, str(task.validity.trials), str(task.validity.flips)) == (
            row["digest"],
            row["trials"],
            row["flips"],
        )
        assert f"in {row['trials']} trials" in words
        assert f"with {row['flips']} flips" in words


def test_page_and_table_agree_on_trials(found, small_card, small_pages):
    """
    Each listed trial has the outcome and mode on its run's page that ``trials.csv`` gives it.
    """
    table = rows(found["data/trials.csv"])

    assert sum(len(run.trials) for run in small_card.runs) == len(table)
    run = next(run for run in small_card.runs if run.kind == "evaluation")
    page = small_pages[f"runs/{run.run}.html"]
    for fold, count in run.counts.folds.items():
        assert count == len([row for row in table if row["run"] == run.run and row["fold"] == fold])
    cells = re.findall(r"(?:^| )(passed|failed) (?:repaired|defect remains) ", page.words)
    assert [row["fold"] for row in table if row["run"] == run.run] == cells


def test_no_cell_is_a_formula(found):
    """
    Every cell of every table begins with a letter or a digit, or is empty.
    """
    for path in ("data/tasks.csv", "data/runs.csv", "data/trials.csv"):
        for row in csv.reader(io.StringIO(found[path].decode("ascii"))):
            assert [] == [value for value in row if value and not value[0].isalnum()]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@sum", "\t=1", "a\n=1", "a,b", 'a"b', "ünknown", " x"])
def test_free_text_is_refused(text):
    """
    Text that is no slug, word or number does not get into a table.
    """
    with pytest.raises(ValueError, match="free text"):
        cell(text)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(unknown("lost"), "unknown"), (True, "yes"), (0, "0"), (0.25, "0.25"), ("ENTITY_OVERLAP", "ENTITY_OVERLAP"), ("", "")],
)
def test_values_of_cells(value, expected):
    """
    A number is itself and an absence is its word.
    """
    assert expected == cell(value)


def test_the_description_is_json_of_a_dataset(small_pages, small_site, found):
    """
    The page describes the data as a schema.org dataset whose files and digests are the downloads.
    """
    text = (small_site / "data.html").read_text("utf-8")
    (block,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', text, re.DOTALL)
    plain = json.loads(block)

    assert "Dataset" == plain["@type"]
    for item in plain["distribution"]:
        assert digest_bytes(found[item["contentUrl"]]).removeprefix("sha256:") == item["sha256"]


def test_json_in_a_page_cannot_end_its_element():
    """
    Neither a closing tag nor a comment nor a line separator survives in a data block, and the data does.
    """
    hostile = {"a": "</script><!-- & \u2028\u2029"}
    made = str(json_in_page(hostile))

    assert not set("<>&\u2028\u2029") & set(made)
    assert hostile == json.loads(made)
