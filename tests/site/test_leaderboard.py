"""The leaderboard's page, once a gate pass has opened it: ranges and ties, nothing that stands out, one source of numbers."""

import csv
import io
import json

import factories
import pytest
from site_helpers import Html, built_once, pages_of, tree_of

from faultline.card import build_card, rehearse_card
from faultline.records import not_applicable
from faultline.site.figure_frontier import cost_against_passes
from faultline.site.shell import Shell


@pytest.fixture(scope="module")
def card():
    return rehearse_card(factories.ranked({"dune": 3, "anvil": 2}))


@pytest.fixture(scope="module")
def board(card):
    return card.leaderboard


@pytest.fixture(scope="module")
def body(card):
    return body_of(card)


@pytest.fixture(scope="module")
def site(card, tmp_path_factory):
    return built_once(tmp_path_factory, "open", card, strict=False)


def body_of(card):
    shell = Shell(card)
    return shell.body(shell.pages["leaderboard"])


def with_board(card, **changes):
    return card.model_copy(update={"leaderboard": card.leaderboard.model_copy(update=changes)})


class TestPage:
    def test_every_row_says_what_it_must(self, body, board):
        """
        Rank range, ties, three numbers with the interval, cost, time, trials and conditions of each agent are on the page.
        """
        words = Html(body).words

        for row in board.rows:
            assert f"{row.agent} {row.rank.words} {row.number} {row.tasks} tasks of {row.families} families" in words
            assert f"{100 * row.low:.1f} % to {100 * row.high:.1f} %" in words
            assert row.headline in words
            assert row.method in words
            assert row.latency.median.words in words
            assert row.latency.tail.words in words
            for amount in (row.cost.of_pass, row.cost.per_trial):
                assert getattr(amount, "words", None) or amount.reason in words
        assert board.verdict in words
        assert board.order_note in words

    def test_nothing_stands_out(self, body, board):
        """
        No cell is bold and no row is called best: the range is all that is said of a rank.
        """
        page = Html(body)

        assert [] == [element.tag for element in page.elements if element.tag in ("b", "strong", "mark", "em")]
        assert 1 == page.words.lower().count(" best.")
        assert "Rank 1 is best." in page.words

    def test_pairs_are_shown_with_interval_p_and_what_would_be_found(self, body, board):
        """
        Each pair has its difference, interval, p after Holm and detectable difference; one that is not shown is not called equal.
        """
        words = Html(body).words

        for pair in board.pairs:
            assert f"{100 * pair.difference:+.1f} {100 * pair.low:+.1f} to {100 * pair.high:+.1f}" in words
            assert f"{100 * pair.detectable:.1f} points" in words
        assert "not distinguishable with these tasks" in words

    def test_the_protocol_stands_with_the_rows(self, body, board):
        """
        Digest and limits of each task, sandbox, retry rule and versions are on the page.
        """
        page = Html(body)
        titles = {element.attributes.get("title") for element in page.all("code")}

        assert {pin.digest for pin in board.protocol.tasks} <= titles
        assert "transport-only, at most 2 attempts at a trial" in page.words
        assert "python 3.11" in page.words

    def test_many_pairs_are_left_to_the_download(self, card, board):
        """
        Beyond what a person reads the page names the file that has every pair.
        """
        words = Html(body_of(with_board(card, pairs=board.pairs * 20))).words

        assert "120 pairs are too many to read here" in words

    def test_other_protocols_are_named_instead_of_rows(self, card):
        """
        Where protocols differ the page has no number of an agent, and names every difference.
        """
        why = not_applicable("protocols differ")
        refused = with_board(
            card, rows=(), pairs=(), frontier=why, protocol=why, refused=("a and b: sandbox (bubblewrap and process)",)
        )
        words = Html(body_of(refused)).words

        assert "there is still no ranking" in words
        assert "a and b: sandbox (bubblewrap and process)" in words
        assert "cedar" not in words

    def test_words_of_an_agent_are_text(self, card, board):
        """
        A model or provider that is named like markup is shown as it was written, and is no element of the page.
        """
        hostile = "<script>alert(1)</script>"
        rows = tuple(
            row.model_copy(update={"conditions": row.conditions.model_copy(update={"model": hostile, "provider": hostile})})
            for row in board.rows
        )
        body = body_of(with_board(card, rows=rows))

        assert hostile not in body
        assert hostile in Html(body).words


class TestFrontier:
    def test_the_chart_has_its_numbers_as_a_table(self, board):
        """
        Each point stands in the table with both intervals; an agent without a cost stands there with the reason.
        """
        chart = cost_against_passes(board.frontier)
        rows = {row[0]: row for row in chart.rows}

        for point in board.frontier.points:
            assert (point.cost.words, f"{100 * point.pass_at_1:.1f} %") == rows[point.agent][1:3]
        assert ("not applicable: it has no model", "not drawn") == (rows["dune"][1], rows["dune"][4])

    def test_an_unknown_cost_is_not_drawn_at_zero(self, body, board):
        """
        The drawing has no name of an agent whose cost is no number; the text beside it has, with the reason.
        """
        chart = cost_against_passes(board.frontier)

        assert "cedar" in chart.svg
        assert "dune" not in chart.svg
        assert "Not drawn, since its cost is not a number: dune (not applicable: it has no model)" in Html(body).words

    def test_one_known_cost_is_no_chart(self, card, board):
        """
        Fewer than two agents with a known cost make no chart, and the page says so.
        """
        single = board.frontier.model_copy(update={"points": board.frontier.points[:1]})

        assert cost_against_passes(single) is None
        assert "There is no chart of cost against pass rate" in Html(body_of(with_board(card, frontier=single))).words

    def test_an_interval_that_does_not_exist_is_not_drawn(self, board):
        """
        A cost without limits has its point and no line of zero width.
        """
        bare = not_applicable("no variation between tasks")
        point = board.frontier.points[0]
        flat = point.model_copy(update={"cost": point.cost.model_copy(update={"low": bare, "high": bare})})
        two = board.frontier.model_copy(update={"points": (flat, board.frontier.points[1])})

        whole = cost_against_passes(board.frontier.model_copy(update={"points": board.frontier.points[:2]}))

        assert cost_against_passes(two).svg.count("<line") == whole.svg.count("<line") - 1


class TestFiles:
    def test_page_table_and_card_have_one_source(self, site, board):
        """
        The CSV and the card hold the very numbers of the page's rows.
        """
        files = tree_of(site)
        rows = list(csv.DictReader(io.StringIO(files["data/leaderboard.csv"].decode())))
        plain = json.loads(files["data/card.json"])["leaderboard"]["rows"]
        words = pages_of(site)["leaderboard.html"].words

        assert [row.agent for row in board.rows] == [row["agent"] for row in rows] == [row["agent"] for row in plain]
        for row, cells, record in zip(board.rows, rows, plain, strict=True):
            assert row.pass_at_1 == float(cells["pass_at_1_as_failures"]) == record["pass_at_1"]
            assert (row.low, row.high) == (float(cells["low"]), float(cells["high"])) == (record["low"], record["high"])
            assert (str(row.rank.low), str(row.rank.high)) == (cells["rank_low"], cells["rank_high"])
            assert f"{100 * row.pass_at_1:.1f} %" in words
        assert "not-applicable" == next(cells for cells in rows if cells["agent"] == "dune")["usd_of_a_pass"]

    def test_every_link_of_the_page_leads_somewhere(self, site):
        """
        Files and pages that the leaderboard links to exist.
        """
        page = pages_of(site)["leaderboard.html"]
        targets = {element.attributes.get("href", "").partition("#")[0].partition("?")[0] for element in page.all("a")}
        inside = {target for target in targets if target and "://" not in target and not target.startswith("mailto:")}

        assert set() == {target for target in inside if not (site / target).exists()}

    def test_the_same_records_are_withheld_when_they_are_to_be_published(self):
        """
        Through the evaluator that publishes, the synthetic benchmark has no ranking, no table and no file of one.
        """
        shell = Shell(build_card(factories.ranked()))

        assert "There is no ranking" in Html(shell.body(shell.pages["leaderboard"])).words
        assert "data/leaderboard.csv" not in shell.files
