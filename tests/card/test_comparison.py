"""Agents compared on the tasks they share, for the people who run the benchmark."""

import random
from pathlib import Path

import factories
import pytest

import faultline.site
from faultline.card.comparison import compare
from faultline.errors import RefusedError
from faultline.gates import gather
from faultline.kinds import RetryPolicy, SandboxLevel
from faultline.records import Retry

TASKS = factories.small_tasks(20)
MENDER = factories.agent("mender")


def coin(seed, share=0.5, lost=0.0):
    """Return an ending drawn for each trial, some of them without a verdict."""
    rng = random.Random(seed)

    def ending(_):
        if rng.random() < lost:
            return factories.invalid()
        return factories.passed() if rng.random() < share else factories.failed()

    return ending


def two(first, second, **changes):
    """Return the comparison of two runs with their endings."""
    runs = (
        factories.evaluation_run(TASKS, "run-a", ending=first, **changes),
        factories.evaluation_run(TASKS, "run-b", MENDER, second, hours=3.0, **changes),
    )
    return compared(*runs)


def compared(*runs):
    return compare(gather(factories.benchmark(TASKS, runs)).runs)


class TestPairs:
    def test_a_clear_difference_is_shown_with_its_interval(self):
        """The sentence names both, points, interval, p, p after Holm and the number of shared tasks."""
        found = two(coin(1, 0.9), coin(2, 0.2))
        (pair,) = found.pairs

        assert pair.separated
        assert "run-a - run-b = +" in pair.sentence
        assert "after Holm, 20 shared tasks." in pair.sentence
        assert [(1, 1), (2, 2)] == [(system.rank_low, system.rank_high) for system in found.systems]

    def test_a_difference_that_is_not_seen_is_not_called_equal(self):
        """The words are "not distinguishable with these tasks", with the difference that would have been found."""
        (pair,) = two(coin(1), coin(2)).pairs

        assert not pair.separated
        assert "not distinguishable with these tasks (a true difference of" in pair.sentence
        assert "equal" not in pair.sentence

    def test_mcnemar_only_for_single_trials_without_families(self):
        """One trial of each task is tested by McNemar; repeated trials and shared families by the paired t."""
        (single,) = two(coin(1), coin(2), trials=1, variants=1).pairs
        (repeated,) = two(coin(1), coin(2)).pairs

        assert ("mcnemar-exact", "t") == (single.difference.test, repeated.difference.test)
        assert "mid-p" in single.sentence

    def test_tasks_of_one_family_are_one_cluster(self):
        """Tasks that share a family are not counted as independent, and McNemar is not used on them."""
        tasks = tuple(factories.task(f"task-{place:02d}", family=f"family-{place % 6}") for place in range(12))
        runs = [
            factories.evaluation_run(tasks, "run-a", ending=coin(1), trials=1, variants=1),
            factories.evaluation_run(tasks, "run-b", MENDER, coin(2), trials=1, variants=1, hours=3.0),
        ]
        (pair,) = compare(gather(factories.benchmark(tasks, runs)).runs).pairs

        assert (12, 6, "sign-flip") == (pair.difference.n, pair.difference.clusters, pair.difference.test)

    def test_holm_goes_over_all_pairs(self):
        """With three systems the smallest p is multiplied by three."""
        runs = [
            factories.evaluation_run(TASKS, f"run-{name}", factories.agent(name), coin(seed, share), hours=2.0 + seed)
            for seed, (name, share) in enumerate((("anna", 0.8), ("bert", 0.5), ("carl", 0.45)))
        ]
        pairs = compared(*runs).pairs
        least = min(pairs, key=lambda pair: pair.difference.p_value)

        assert 3 == len(pairs)
        assert least.p_holm == pytest.approx(min(1.0, 3 * least.difference.p_value))


class TestMissing:
    def test_three_numbers(self):
        """Missing verdicts as failures, left out, and as passes stand beside each other; none is dropped in silence."""
        first, _ = two(coin(1, 0.5, lost=0.1), coin(2)).systems

        assert first.rate.lower < first.rate.excluded < first.rate.upper
        assert f"{first.rate.missing} " in first.headline

    def test_wide_bounds_are_the_headline(self):
        """When the bounds are wider than half the sampling interval they are the number."""
        first, second = two(coin(1, 0.5, lost=0.4), coin(2)).systems

        assert first.headline.startswith("between ")
        assert not second.headline.startswith("between ")

    def test_uneven_losses_are_answered_by_bounds(self):
        """When one agent loses more verdicts, the difference is bounded both ways, and nothing inside is a separation."""
        (pair,) = two(coin(1, 0.9, lost=0.8), coin(2, 0.3)).pairs

        assert (True, False) == (pair.missing_differ, pair.separated)
        assert "verdicts are missing unevenly, so the difference lies between" in pair.sentence
        assert pair.difference.p_value < 0.05

    def test_an_order_that_depends_on_the_choice_is_noted(self):
        """The note names the pair whose order turns with the treatment of missing verdicts."""
        assert "run-a and run-b" in two(coin(1, 0.6, lost=0.5), coin(2)).rank_note
        assert "same however" in two(coin(1, 0.95, lost=0.05), coin(2, 0.1)).rank_note
        assert "no choice" in two(coin(1), coin(2)).rank_note


def other_versions(run):
    provenance = run.manifest.provenance.model_copy(update={"versions": {"python": "3.12"}})
    return factories.remanifest(run, provenance=provenance)


def tighter(run):
    pins = tuple(
        pin.model_copy(update={"limits": pin.limits.model_copy(update={"agent_seconds": 7.0})}) for pin in run.manifest.tasks
    )
    return factories.remanifest(run, tasks=pins)


PROTOCOLS = {
    "task digests": (
        lambda: factories.evaluation_run((factories.task("task-00", version=9), *TASKS[1:]), "run-b"),
        "task-00 has another digest",
    ),
    "fewer tasks": (lambda: factories.evaluation_run(TASKS[1:], "run-b"), "task-00 is in one of them only"),
    "limits": (lambda: tighter(factories.evaluation_run(TASKS, "run-b")), "agent_seconds"),
    "sandbox": (
        lambda: factories.evaluation_run(TASKS, "run-b", sandbox=SandboxLevel.PROCESS),
        "sandbox (bubblewrap and process)",
    ),
    "retries": (
        lambda: factories.evaluation_run(TASKS, "run-b", retry=Retry(policy=RetryPolicy.NEVER, max_attempts=1)),
        "retry policy (transport-only, 2 and never, 1)",
    ),
    "versions": (lambda: other_versions(factories.evaluation_run(TASKS, "run-b")), "version of python (3.11 and 3.12)"),
    "trials": (lambda: factories.evaluation_run(TASKS, "run-b", trials=4), "trials a case (3 and 4)"),
}


class TestRefusals:
    @pytest.mark.parametrize("name", PROTOCOLS)
    def test_other_protocols_are_refused_and_named(self, name):
        """Runs under different protocols are not compared, and the error says what differs."""
        make, words = PROTOCOLS[name]

        with pytest.raises(RefusedError) as refused:
            compared(factories.evaluation_run(TASKS, "run-a", hours=1.0), make())
        assert words in str(refused.value)

    def test_controls_of_a_validity_run_are_no_agents(self):
        """A validity run is evidence about tasks and is not compared."""
        with pytest.raises(RefusedError, match="not an evaluation"):
            compared(factories.validity_run(TASKS[:1]), factories.evaluation_run(TASKS[:1]))

    def test_one_run_is_no_comparison(self):
        """It takes two."""
        with pytest.raises(RefusedError, match="nothing to compare"):
            compared(factories.evaluation_run(TASKS))


class TestNotes:
    def test_copies_are_no_trials(self):
        """Trials that repeat a transcript count once, and the note says how many were not counted."""
        run = factories.evaluation_run(TASKS, "run-a", ending=coin(1))
        first = {}

        def repeat(trial):
            trace = first.setdefault(trial.key.task, trial.last.artifacts)
            return trial.model_copy(update={"attempts": (trial.last.model_copy(update={"artifacts": trace}),)})

        found = compared(factories.retrial(run, repeat), factories.evaluation_run(TASKS, "run-b", MENDER, coin(2), hours=3.0))

        assert 20 * 8 == found.systems[0].copies
        assert 20 == found.systems[0].rate.planned
        assert any("repeat another transcript" in note for note in found.notes)

    def test_one_agent_twice_is_noise(self):
        """Two runs of one agent are compared, and the note says what a difference between them is."""
        runs = [
            factories.evaluation_run(TASKS, name, ending=coin(seed), hours=2.0 + seed)
            for seed, name in enumerate(("run-a", "run-b"))
        ]

        assert any("is noise" in note for note in compared(*runs).notes)


def test_no_page_is_made_of_it():
    """No module or template of the site knows the comparison."""
    folder = Path(faultline.site.__file__).parent
    texts = [path.read_text() for path in folder.rglob("*") if path.suffix in (".py", ".html")]

    assert [] == [text for text in texts if "card.comparison" in text or "paired_difference" in text]
