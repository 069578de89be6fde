"""G8: canaries, copies of the reference repair, and networks."""

from dataclasses import replace

import factories
import pytest

from faultline.gates.contamination import GATE
from faultline.kinds import Mode, StatusClass, Verdict, digest_bytes
from faultline.tasks import Overlay

FULL = factories.full()
TASKS = FULL.tasks
EVALUATION = FULL.runs[1]
REPAIR = factories.hidden_source("a repair")
RENAMED = REPAIR.replace("f.g(h)", "these.rows(where)").replace("k = ", "kept = ") + "# mine\n"
FIRST = next(trial for trial in EVALUATION.trials if trial.outcome.verdict == "passed")


def with_repair(text=REPAIR):
    """Return the full benchmark with a first task whose reference repair is of some length."""
    repairs = TASKS[0].repairs | {"reference": Overlay({"pkg/split.py": text.encode()}, ())}
    return replace(FULL, tasks=(replace(TASKS[0], repairs=repairs), *TASKS[1:]))


def leaving(benchmark, text, trial=FIRST):
    """Return a benchmark in which one trial left some text as its candidate."""
    path = next(item.path for item in trial.last.artifacts if item.role == "candidate")
    run = replace(EVALUATION, candidates={**EVALUATION.candidates, path: {"pkg/split.py": text.encode()}})
    return factories.swap(benchmark, run)


def reread(benchmark, key=FIRST.key):
    """Return a benchmark in which one person has read one trial."""
    return replace(benchmark, reviews=(*benchmark.reviews, factories.review(EVALUATION, key, "Flo Finder")))


def unread(benchmark, key=FIRST.key):
    """Return a benchmark in which nobody has read one trial."""
    return replace(benchmark, reviews=tuple(item for item in benchmark.reviews if item.key != key))


def test_no_task_and_no_evaluation(ask):
    """
    Without a task or without an evaluation of an agent the gate has not been asked.
    """
    assert "not-run" == ask(GATE, factories.benchmark()).outcome
    assert "not-run" == ask(GATE, factories.benchmark(TASKS, FULL.runs[:1])).outcome


def test_clean_evaluations_hold_and_say_how_little_that_shows(ask):
    """
    Without a canary, a copy or a missing trajectory the gate holds, and it admits what it cannot see.
    """
    found = ask(GATE, FULL)

    assert ("pass", "20") == (found.outcome, found.observed)
    assert "an agent may hide what it read" in found.saw


class TestCanaries:
    def test_a_task_without_one(self, shut):
        """
        A task whose canary is not in its hidden checks, or is in something that is given away, is named.
        """
        bare = replace(TASKS[0], hidden_source=factories.hidden_source("task-00"))
        told = replace(TASKS[0], issue=TASKS[0].issue + TASKS[0].definition.canary)

        for task in (bare, told):
            found = shut(replace(FULL, tasks=(task, *TASKS[1:])))

            assert ["G8"] == list(found)
            assert "task-00: a canary in its hidden checks and in nothing that is given away" in found["G8"]

    def test_two_tasks_with_one(self, shut):
        """
        A canary that two tasks share does not tell which of them leaked.
        """
        definition = TASKS[1].definition.model_copy(update={"canary": TASKS[0].definition.canary})
        twin = replace(TASKS[1], definition=definition, hidden_source=TASKS[1].hidden_source + f"# {definition.canary}\n")
        found = shut(replace(FULL, tasks=(TASKS[0], twin, *TASKS[2:])))

        assert ["G8"] == list(found)
        assert "task-01: a canary of its own: it shares that of task-00" in found["G8"]

    @pytest.mark.parametrize(
        "change",
        [
            {"mode": Mode.EXPOSED},
            {"rule": "FL-07"},
            {"verdict": Verdict.NONE, "scoreable": False, "note": "a canary was found: trajectory; fork failed"},
        ],
        ids=["mode", "rule", "without-verdict"],
    )
    def test_a_trial_that_was_exposed_is_named(self, ask, needs, change):
        """
        However the record tells that a canary was found, the trial is named and nothing is evidence until it is explained.
        """
        outcome = FIRST.outcome.model_copy(update=change)
        run = factories.retrial(EVALUATION, lambda t: t.model_copy(update={"outcome": outcome}) if t == FIRST else t)
        found = ask(GATE, factories.swap(FULL, run))

        assert "fail" == found.outcome
        assert f"{FIRST.key.task}.{FIRST.key.variant}.tinker.{FIRST.key.trial}: hidden files out of reach" in needs(found)

    @pytest.mark.parametrize("role", ["trace", "candidate"])
    def test_a_canary_that_the_record_does_not_tell_of(self, shut, role):
        """
        A canary that the archive finds in an artifact counts, whatever the trial's record says.
        """
        path = next(item.path for item in FIRST.last.artifacts if item.role == role)
        found = shut(factories.swap(FULL, replace(EVALUATION, carriers=(path,))))

        assert ["G8"] == list(found)
        assert f"evaluation-1: {FIRST.key.task}.{FIRST.key.variant}.tinker.{FIRST.key.trial}" in found["G8"]


class TestCopies:
    @pytest.mark.parametrize("text", [REPAIR, RENAMED, "import os\n\n" + REPAIR], ids=["same", "renamed", "padded"])
    def test_a_copy_that_nobody_read(self, ask, needs, text):
        """
        A passing submission with the shape of the reference repair, under other names or with more around it, needs a reader.
        """
        found = ask(GATE, unread(leaving(with_repair(), text)))

        assert "fail" == found.outcome
        assert "1 reader who looked at this submission: it repeats the reference repair" in needs(found)

    def test_a_copy_that_somebody_read(self, ask):
        """
        Once a person has read it and agrees with the verdict, it may stand.
        """
        assert "pass" == ask(GATE, reread(leaving(with_repair(), REPAIR))).outcome

    def test_a_reader_of_other_results_is_none(self, ask):
        """
        A reading that is bound to other results, or that disagrees, does not count.
        """
        copied = unread(leaving(with_repair(), REPAIR))
        for change in ({"results_digest": digest_bytes(b"old")}, {"verdict_seen_right": False}, {"reviewer": " "}):
            reading = factories.review(EVALUATION, FIRST.key, "Flo Finder", **change)

            assert "fail" == ask(GATE, replace(copied, reviews=(*copied.reviews, reading))).outcome

    def test_another_repair_and_a_short_one(self, ask):
        """
        A repair of another shape is no copy, and of a reference of a few tokens every right repair would be one.
        """
        other = factories.hidden_source("another repair")

        assert "pass" == ask(GATE, unread(leaving(with_repair(), other))).outcome
        assert "pass" == ask(GATE, unread(leaving(with_repair("x = 1\n"), "x = 1\n"))).outcome

    def test_more_readers_may_be_asked_for(self, ask):
        """
        A stricter policy asks for more people.
        """
        assert "fail" == ask(GATE, reread(unread(leaving(with_repair(), REPAIR))), {"copy_readers": 2}).outcome


def without(role, trial):
    """Return a trial that kept no artifact of a role."""
    kept = tuple(item for item in trial.last.artifacts if item.role != role)
    return trial.model_copy(update={"attempts": (trial.last.model_copy(update={"artifacts": kept}),)})


class TestWhatWasKept:
    @pytest.mark.parametrize(
        ("role", "words"),
        [("trace", "a trajectory in which a canary could be looked for"), ("candidate", "the candidate that passed")],
    )
    def test_nothing_to_look_at(self, ask, needs, role, words):
        """
        A trial whose trajectory, or whose passing candidate, was not kept opens nothing.
        """
        run = factories.retrial(EVALUATION, lambda t: without(role, t) if t == FIRST else t)
        found = ask(GATE, factories.swap(FULL, run))

        assert "fail" == found.outcome
        assert words in needs(found)

    def test_a_fault_of_the_harness_leaves_nothing_to_look_at(self, ask):
        """
        A trial that ended before an agent worked has no trajectory and needs none.
        """
        run = factories.retrial(EVALUATION, lambda t: factories.lost(t) if t == FIRST else t)

        assert "pass" == ask(GATE, factories.swap(FULL, run)).outcome


class TestNetwork:
    def test_an_open_network_is_told_and_may_be_refused(self, ask, needs):
        """
        How many evaluations had a network is said; a benchmark may refuse them, and the run is named.
        """
        agents = (factories.agent(network="allow"),)
        benchmark = factories.swap(FULL, factories.remanifest(EVALUATION, agents=agents))

        assert "1 evaluation with a network allowed" in ask(GATE, benchmark).saw
        refused = ask(GATE, benchmark, {"network_share": 0.0})
        assert "fail" == refused.outcome
        assert "evaluation-1: an agent without a network" in needs(refused)

    def test_with_a_network_each_judged_trial_leaves_a_trajectory(self, ask, needs):
        """
        Where a network was open, a trial without a verdict is looked at too.
        """
        outcome = factories.invalid(status=StatusClass.VERIFIER)
        run = factories.retrial(
            factories.remanifest(EVALUATION, agents=(factories.agent(network="allow"),)),
            lambda t: without("trace", t.model_copy(update={"outcome": outcome})) if t.key == FIRST.key else t,
        )
        found = ask(GATE, factories.swap(FULL, run))

        assert "a trajectory: its agent could reach a network" in needs(found)
