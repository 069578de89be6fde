"""Retry policies and what they estimate: a policy that looks at the verdict changes the quantity, and says so."""

import subprocess
import sys

import pytest
from execution_samples import judge_nothing, planned_run

from faultline.archive import read_run
from faultline.clock import Clock
from faultline.errors import RefusedError
from faultline.execution import retry_rule, seal_live_run
from faultline.execution.worker import Worker
from faultline.execution.workshop import Workshop
from faultline.grading import HarnessFault
from faultline.kinds import Estimand, Fold, RetryPolicy

NEVER, TRANSPORT, BEST = RetryPolicy.NEVER, RetryPolicy.TRANSPORT_ONLY, RetryPolicy.BEST_OF_K


class SevenOfTen:
    """A simulated agent whose every attempt passes with probability 0.7: of ten first attempts seven, of ten second ones too."""

    def __init__(self):
        self.attempts = {}
        self._drawn = {}

    def __call__(self, cell):
        number = self.attempts[cell.key] = self.attempts.get(cell.key, 0) + 1
        place = self._drawn[number] = self._drawn.get(number, -1) + 1
        return place % 10 < 7


def shown(live):
    """Return the sealed run and its share of passed trials."""
    run = read_run(seal_live_run(live, Clock()))
    return run, sum(trial.outcome.fold is Fold.PASSED for trial in run.trials) / len(run.trials)


class TestTheEstimandFollows:
    @pytest.mark.parametrize(
        ("rule", "expected", "attempts"),
        [
            (retry_rule(NEVER), ("pass@1", 0.70), 100),
            (retry_rule(TRANSPORT), ("pass@1", 0.70), 100),
            (retry_rule(BEST, 2), ("best-of-2", 0.91), 130),
        ],
        ids=["never", "transport-only", "best-of-2"],
    )
    def test_the_070_that_becomes_091(self, benchmark_root, monkeypatch, rule, expected, attempts):
        """One agent, one plan: 0.70 where the verdict is no reason for another attempt, 0.91 under best-of-2, by name."""
        agent = SevenOfTen()
        judge_nothing(monkeypatch, agent)
        live = planned_run(benchmark_root, trials=100, seeds=(0,), retry=rule)
        Worker(live, "w", Clock(), {}).work()
        run, share = shown(live)

        assert expected == (run.manifest.retry.estimates, share)
        assert (Estimand.BEST_OF_K if rule.policy is BEST else Estimand.PASS_AT_1) is run.manifest.estimand
        assert attempts == sum(len(trial.attempts) for trial in run.trials) == sum(agent.attempts.values())


class TestBestOfK:
    def test_it_stops_at_the_first_pass_and_keeps_every_attempt(self, benchmark_root, monkeypatch):
        """Judged attempts before the last one stand in the record with their candidates; the last one counts."""
        verdicts = iter([False, False, True])
        judge_nothing(monkeypatch, lambda _: next(verdicts))
        live = planned_run(benchmark_root, trials=1, seeds=(0,), retry=retry_rule(BEST, 5))
        Worker(live, "w", Clock(), {}).work()
        run, share = shown(live)

        assert 1.0 == share
        assert ["judged", "judged", "judged"] == [attempt.end for attempt in run.trials[0].attempts]
        assert 3 == len(
            {artifact.path for attempt in run.trials[0].attempts for artifact in attempt.artifacts if artifact.role == "trace"}
        )

    def test_it_goes_on_after_a_crash_where_it_was(self, benchmark_root, monkeypatch):
        """A worker that dies after a judged attempt leaves it counted: k is k for every trial."""
        live = planned_run(benchmark_root, trials=1, seeds=(0,), retry=retry_rule(BEST, 3))
        verdicts = iter([False])

        def decide(_):
            for passed in verdicts:
                return passed
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            judge_nothing(patch, decide)
            with pytest.raises(KeyboardInterrupt):
                Worker(live, "w", Clock(), {}).work()
        with live.open_ledger() as ledger:
            ledger.evict(live.run, "w")
        judge_nothing(monkeypatch, lambda _: False)
        Worker(live, "x", Clock(), {}).work()
        run, share = shown(live)

        assert (0.0, ["judged", "unknown", "judged"]) == (share, [attempt.end for attempt in run.trials[0].attempts])


class TestNever:
    def test_a_fault_of_the_host_is_not_retried(self, benchmark_root, monkeypatch):
        """Under never a fault leaves the cell without a verdict after its one attempt."""
        monkeypatch.setattr(Workshop, "_judged", lambda *_: (_ for _ in ()).throw(HarnessFault("no room")))
        live = planned_run(benchmark_root, trials=1, seeds=(0,), retry=retry_rule(NEVER))
        Worker(live, "w", Clock(), {}).work()
        run, _ = shown(live)

        assert [(Fold.INVALID_INFRA, 1)] == [(trial.outcome.fold, len(trial.attempts)) for trial in run.trials]


class TestTransportOnly:
    def test_a_failed_verdict_is_no_reason(self, benchmark_root, monkeypatch):
        """A trial that failed has one attempt, however many are allowed."""
        judge_nothing(monkeypatch, lambda _: False)
        live = planned_run(benchmark_root, trials=2, seeds=(0,), retry=retry_rule(TRANSPORT, 20))
        Worker(live, "w", Clock(), {}).work()
        run, share = shown(live)

        assert (0.0, [1, 1]) == (share, [len(trial.attempts) for trial in run.trials])


class TestRefusals:
    @pytest.mark.parametrize(
        ("policy", "limit", "expected"),
        [
            (NEVER, 2, "the policy never allows one attempt"),
            (BEST, None, "best-of-k needs its k"),
            (BEST, 1, "best-of-k needs its k"),
        ],
    )
    def test_a_limit_that_the_policy_cannot_have(self, policy, limit, expected):
        """Never with a second attempt, and best-of-k without a k or with one, are refused."""
        with pytest.raises(RefusedError, match=expected):
            retry_rule(policy, limit)

    def test_the_command_line_refuses_before_anything_is_planned(self, benchmark_root):
        """``--retry best-of-k`` without ``--max-attempts`` ends with 2 and leaves no run behind."""
        done = subprocess.run(
            [sys.executable, "-m", "faultline.cli", "run", "no-op", "--retry", "best-of-k", "--root", str(benchmark_root)],
            capture_output=True,
            text=True,
            check=False,
        )

        assert (2, True) == (done.returncode, "best-of-k needs its k" in done.stderr)
        assert not (benchmark_root / ".faultline").exists()

    def test_the_name_of_the_estimand_stands_beside_the_number(self, benchmark_root):
        """What the command prints of a best-of-2 run says so."""
        rule = ["--retry", "best-of-k", "--max-attempts", "2"]
        words = ["run", "no-op", *rule, "--trials", "1", "--variants", "1", "--workers", "1", "--no-seal", "--root"]
        done = subprocess.run(
            [sys.executable, "-m", "faultline.cli", *words, str(benchmark_root)],
            capture_output=True,
            text=True,
            check=False,
        )

        assert (0, True) == (done.returncode, "(best-of-2)" in done.stdout)
