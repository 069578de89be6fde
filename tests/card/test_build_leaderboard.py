"""The only way to a leaderboard."""

import ast
from pathlib import Path

import factories
import pytest
from pydantic import ValidationError

import faultline
from faultline.card import build_card, rehearse_card
from faultline.card.build_leaderboard import leaderboard_from
from faultline.card.comparison import compare
from faultline.card.model import Leaderboard, Withheld
from faultline.errors import IntegrityError
from faultline.gates import evaluate, evaluator, gate_policy, gather
from faultline.kinds import SandboxLevel, digest_bytes
from faultline.records import Absent, Evidence, unknown

FULL = factories.full()


def held(benchmark=FULL):
    return evaluate(gather(benchmark), gate_policy(), publishing=False).gate_pass


FIELDS = {"state": "open", "gate_pass": digest_bytes(b"x"), "rows": ()}


class TestConstruction:
    @pytest.mark.parametrize(
        "make",
        [
            lambda fields: Leaderboard(**fields),
            Leaderboard.model_validate,
            lambda fields: Leaderboard.model_validate(fields, context={"gate_pass": "please"}),
            lambda fields: Leaderboard.model_validate(fields, context={"gate_pass": held()}),
        ],
    )
    def test_without_the_pass_of_its_report_there_is_none(self, make):
        """
        No constructor, no parser and no other object than the pass of that very report makes a leaderboard.
        """
        with pytest.raises(ValidationError, match="behind a gate pass"):
            make(FIELDS)

    def test_a_pass_for_other_records_is_refused(self):
        """
        A pass opens the records that it is for and no others.
        """
        with pytest.raises(IntegrityError, match="other records"):
            leaderboard_from(held(), gather(factories.small()))

    def test_one_place_in_the_package_makes_one(self):
        """
        No module but the builder's calls the model, and no setting or option of the package forces a ranking.
        """
        package = Path(faultline.__file__).parent
        makers = [path.name for path in sorted(package.rglob("*.py")) if _makes_a_leaderboard(path)]

        assert ["build_leaderboard.py"] == makers


def _makes_a_leaderboard(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called == "Leaderboard" or called.startswith("Leaderboard."):
                return True
    return False


def opened(benchmark):
    """Return the leaderboard of a benchmark whatever most gates say of it: what its numbers are is another question."""
    facts = gather(benchmark)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluator, "GATES", tuple(gate for gate in evaluator.GATES if gate.id == "G7"))
        return leaderboard_from(evaluate(facts, gate_policy(), publishing=False).gate_pass, facts)


class TestRows:
    def test_family_means_with_interval(self):
        """
        A row is the mean over families with an interval that has width, its method, and the planned number.
        """
        rows = {row.agent: row for row in rehearse_card(FULL).leaderboard.rows}

        assert (1.0, 20, 180) == (rows["mender"].pass_at_1, rows["mender"].families, rows["mender"].planned)
        assert 0.8203 == pytest.approx(rows["mender"].low, abs=1e-4)
        assert rows["tinker"].low < rows["tinker"].pass_at_1 < rows["tinker"].high
        assert "95 %" in rows["tinker"].method

    def test_trials_without_a_verdict_count_as_failed(self):
        """
        Relabelling failures as faults of the harness does not raise the number that rows are ordered by, and widens the rest:
        the interval still holds what it held, and no rank is excluded that was not.
        """
        first = FULL.runs[1]
        relabelled = factories.retrial(
            first, lambda t: t.model_copy(update={"outcome": factories.invalid()}) if t.outcome.verdict == "failed" else t
        )
        honest = next(row for row in opened(FULL).rows if row.agent == "tinker")
        found = next(row for row in opened(factories.swap(FULL, relabelled)).rows if row.agent == "tinker")

        assert (honest.pass_at_1, honest.planned) == (found.pass_at_1, found.planned)
        assert found.low <= honest.low < honest.high <= found.high
        assert found.rank.low <= honest.rank.low <= honest.rank.high <= found.rank.high
        assert (1.0, 1.0) == (found.scoreable, found.as_passes)
        assert found.headline.startswith("between ")

    def test_all_evaluations_of_an_agent_count(self):
        """
        Running again does not replace what was measured before: both runs are in the row.
        """
        # Two of three trials passed before and one of three now; were all of them passed, it would be a flat line.
        once = {0: factories.passed(), 1: factories.failed(), 2: factories.failed()}
        again = factories.evaluation_run(FULL.tasks, "evaluation-3", ending=lambda cell: once[cell.trial], hours=7.0)
        row = next(row for row in opened(factories.benchmark(FULL.tasks, (*FULL.runs, again))).rows if row.agent == "tinker")

        assert 360 == row.planned
        assert 0.5 == pytest.approx(row.pass_at_1, abs=1e-4)

    def test_tampering_has_a_rate_and_an_interval_here_and_only_here(self):
        """
        Where the leaderboard is open a row says how often public tests lost their say, over the trials looked at; a row of
        records that do not tell has none.
        """
        some = Evidence(configuration=("conftest.py",))
        first = factories.retrial(
            FULL.runs[1],
            lambda t: t.model_copy(
                update={"outcome": t.outcome.model_copy(update={"evidence": some if t.key.trial == 0 else Evidence()})}
            ),
        )
        rows = {row.agent: row for row in opened(factories.swap(FULL, first)).rows}
        tampered = rows["tinker"].tampered

        assert 1 / 3 == pytest.approx(tampered.rate)
        assert tampered.low < tampered.rate < tampered.high
        assert (180, True) == (tampered.observed, "95 %" in tampered.method)
        assert rows["mender"].tampered is None


RANKED = factories.ranked()


@pytest.fixture(scope="module")
def board():
    return opened(RANKED)


def rows_of(board):
    return {row.agent: row for row in board.rows}


class TestRanking:
    def test_ranges_and_ties(self, board):
        """
        An agent that stands out has one rank and no tie; those that are not separated share a range and name each other.
        """
        rows = rows_of(board)

        assert ("1 of 4", ()) == (rows["cedar"].rank.words, rows["cedar"].rank.ties)
        assert ("2 to 4 of 4", ("birch", "dune")) == (rows["anvil"].rank.words, rows["anvil"].rank.ties)
        assert "3 of 6 pairs are separated" in board.verdict

    def test_rows_follow_the_number_that_no_relabelling_raises(self, board):
        """
        Rows stand by pass@1 with missing verdicts as failures, and by name where it is the same.
        """
        assert sorted(board.rows, key=lambda row: (-row.pass_at_1, row.agent)) == list(board.rows)

    def test_where_nothing_is_separated_the_order_is_called_nothing(self):
        """
        Agents that differ by chance alone all have the whole range, and the verdict says that the order says nothing.
        """
        board = opened(factories.ranked(strengths={"anvil": 0.5, "birch": 0.52, "dune": 0.51}))

        assert {"1 to 3 of 3"} == {row.rank.words for row in board.rows}
        assert "No two agents are separated" in board.verdict
        assert "not evidence that they are equal" in board.verdict

    def test_the_comparison_says_the_same(self, board):
        """
        The leaderboard and ``compare`` have every number from one function: rates, headlines, ranks, pairs and their words.
        """
        facts = gather(RANKED)
        found = compare(facts.claims)
        rows = rows_of(board)

        for system in found.systems:
            row = rows[system.agent]
            assert (system.rate.lower, system.rate.excluded, system.rate.upper) == (row.pass_at_1, row.scoreable, row.as_passes)
            assert (system.headline, system.rank_low, system.rank_high) == (row.headline, row.rank.low, row.rank.high)
        named = [(pair.difference.estimate, pair.p_holm, pair.separated) for pair in found.pairs]
        assert named == [(pair.difference, pair.p_holm, pair.separated) for pair in board.pairs]

    def test_a_task_counts_once_and_a_family_is_a_cluster(self):
        """
        The number is the mean over tasks; tasks of one family do not count as independent in its interval.
        """
        tasks = tuple(
            factories.audited(factories.task(f"task-{place:02d}", family=f"family-{place // 2:02d}")) for place in range(40)
        )
        lucky = {task.id for task in tasks[:26]}
        runs = [
            factories.validity_run(tasks),
            factories.evaluation_run(
                tasks, ending=lambda cell: factories.passed() if cell.task in lucky else factories.failed()
            ),
            factories.evaluation_run(tasks, "evaluation-2", factories.agent("mender"), hours=3.0),
        ]
        benchmark = factories.benchmark(tasks, runs)
        row = rows_of(opened(benchmark))["tinker"]
        found = next(system for system in compare(gather(benchmark).claims).systems if system.agent == "tinker")

        assert (0.65, 40, 20) == (row.pass_at_1, row.tasks, row.families)
        assert (0.65, 40, 20) == (found.rate.excluded, found.rate.n, found.rate.clusters)


class TestMissing:
    def test_three_numbers_and_a_note_when_the_order_turns(self):
        """
        Missing verdicts as failures, left out and as passes stand side by side; a pair whose order turns is named.
        """
        board = opened(factories.ranked({"dune": 9}))
        row = rows_of(board)["dune"]

        assert row.pass_at_1 < row.scoreable < row.as_passes
        assert (9, 171) == (row.trials.missing, row.trials.with_verdict)
        assert "counting 9 trials without a verdict" in row.headline
        assert row.low < row.pass_at_1 < row.as_passes < row.high
        assert "depends on how missing verdicts are counted" in board.order_note
        assert "anvil and dune" in board.order_note

    def test_many_missing_verdicts_make_the_bounds_the_headline(self):
        """
        Where the bounds are wider than half the sampling interval, they are what is shown.
        """
        row = rows_of(opened(factories.ranked({"birch": 40})))["birch"]

        assert row.bounds_lead
        assert row.headline.startswith("between ")

    def test_every_verdict_there_no_choice_was_made(self, board):
        """
        Without missing verdicts the three numbers are one, and the note says that no choice was made.
        """
        assert all(row.pass_at_1 == row.scoreable == row.as_passes for row in board.rows)
        assert "no choice about missing ones was made" in board.order_note


class TestMoney:
    def test_cost_of_a_pass_has_limits(self, board):
        """
        The cost of a passed trial is all that was spent over all passes, with limits around it.
        """
        row = rows_of(board)["cedar"]
        cost = row.cost.of_pass

        assert float(row.cost.total_usd) / row.trials.passed == pytest.approx(cost.usd)
        assert cost.low < cost.usd < cost.high
        assert cost.method.startswith("fieller")

    def test_a_cost_that_does_not_apply_stands_apart(self, board):
        """
        An agent without a price has no place on the axis of cost and none at zero; it is named beside the chart.
        """
        assert ("dune",) == tuple(point.agent for point in board.frontier.apart)
        assert "dune" not in {point.agent for point in board.frontier.points}
        assert isinstance(rows_of(board)["dune"].cost.of_pass, Absent)

    def test_unknown_costs_are_counted_and_not_zero(self):
        """
        A trial whose cost nobody recorded is counted; the mean is that of the others, as if it had cost what they did.
        """

        def forget(trial):
            if trial.key.trial or trial.key.task > "task-07":
                return trial
            return trial.model_copy(
                update={"attempts": (trial.last.model_copy(update={"cost": unknown("the bill was lost")}),)}
            )

        before = factories.ranked()
        run = factories.retrial(
            before.runs[2], lambda t: forget(t) if t.key.variant == before.runs[2].trials[0].key.variant else t
        )
        swapped = factories.swap(before, run)
        row = rows_of(opened(swapped))["birch"]
        honest = rows_of(opened(before))["birch"]

        assert 0 < row.cost.unknown < 9
        assert 180 == row.cost.unknown + row.cost.known
        assert honest.cost.per_trial.usd == pytest.approx(row.cost.per_trial.usd, rel=0.05)

    def test_what_never_ran_is_neither_unknown_nor_zero(self):
        """
        A trial that the harness lost before the agent began has no cost and no time: it is in no mean and not called unknown.
        """
        row = rows_of(opened(factories.ranked({"birch": 7})))["birch"]

        assert (173, 0) == (row.cost.known, row.cost.unknown)
        assert (173, 0) == (row.latency.known, row.latency.unknown)

    def test_frontier_and_clear_domination(self, board):
        """
        The cheapest and the best are on the frontier; one that is shown to be dearer and shown to pass less is dominated.
        """
        points = {point.agent: point for point in board.frontier.points}

        assert {"birch", "cedar"} == {name for name, point in points.items() if point.member}
        assert ("cedar",) == points["anvil"].dominated_by
        assert () == points["birch"].dominated_by
        assert points["anvil"].share < 0.05
        assert points["cedar"].share > 0.95


class TestLatency:
    def test_median_tail_and_what_a_limit_cut(self, board):
        """
        A row says median and ninth decile, how many times are unknown, and how many a limit ended.
        """
        latency = rows_of(board)["birch"].latency

        assert (180, 0, 16) == (latency.known, latency.unknown, latency.cut)
        assert latency.median_low < latency.median.seconds < latency.median_high < latency.tail.seconds


class TestProtocol:
    def test_rows_under_another_protocol_are_not_ranked(self):
        """
        Whatever gates let it pass: with one run in another sandbox there is no row, no pair and no chart, and the
        difference is named.
        """
        runs = list(RANKED.runs)
        runs[2] = factories.remanifest(runs[2], sandbox=SandboxLevel.CONTAINER)

        board = opened(factories.benchmark(RANKED.tasks, runs))

        assert ((), ()) == (board.rows, board.pairs)
        assert any("sandbox (bubblewrap and container)" in line for line in board.refused)
        assert "not ranked" in board.verdict

    def test_the_protocol_is_on_the_board(self, board):
        """
        Digests and limits of every task, variants, trials, sandbox, retries and versions stand with the rows.
        """
        protocol = board.protocol

        assert {task.id: task.digest for task in RANKED.tasks} == {pin.task: pin.digest for pin in protocol.tasks}
        assert ("3", 3, "bubblewrap") == (protocol.variants, protocol.trials_per_cell, protocol.sandbox)
        assert {"python": "3.11"} == protocol.versions


def test_a_rehearsal_opens_it():
    """
    The synthetic benchmark passes every gate when its records are taken for real ones.
    """
    assert isinstance(rehearse_card(RANKED).leaderboard, Leaderboard)


def test_the_publishing_evaluator_withholds_the_same_benchmark():
    """
    Records that are marked as made for a test open nothing outside a rehearsal.
    """
    assert isinstance(build_card(RANKED).leaderboard, Withheld)
