"""The evaluator and its pass."""

import copy
import dataclasses
import pickle
import random

import factories
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faultline.errors import BadInputError
from faultline.gates import GATES, THRESHOLDS, Finding, GatePass, evaluate, gate_policy, gather
from faultline.gates import evaluate as evaluate_function
from faultline.gates.evaluator import decide
from faultline.gates.gate import Gate

POLICY = gate_policy()
FULL = factories.full()


def saying(finding):
    """Return a probe that always says the same."""
    return lambda _facts, _policy: finding


def rehearse(benchmark):
    return evaluate(gather(benchmark), POLICY, publishing=False)


def outcomes(evaluation):
    return {gate.id: gate.outcome for gate in evaluation.report.gates}


class TestGates:
    def test_ids_are_stable_and_distinct(self):
        """
        The gates of this release carry the ids of the catalogue, in order.
        """
        numbers = [int(gate.id.removeprefix("G")) for gate in GATES]

        assert sorted(set(numbers)) == numbers
        assert {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} <= set(numbers) <= set(range(1, 16))

    def test_each_gate_explains_itself(self):
        """
        Every gate has a name, a predicate, a reason and a remedy, and every threshold a meaning.
        """
        assert all(gate.name and gate.predicate and gate.why and gate.remedy for gate in GATES)
        assert all(threshold.meaning and threshold.gate in {gate.id for gate in GATES} for threshold in THRESHOLDS)

    def test_an_empty_benchmark_is_refused_by_every_gate(self):
        """
        Where there is no evidence, no gate holds.
        """
        found = evaluate(gather(factories.benchmark()), POLICY)

        assert (0, len(GATES), None) == (found.report.holding, found.report.total, found.gate_pass)
        assert {"fail", "not-run"} == set(outcomes(found).values())


class TestSynthetic:
    def test_a_rehearsal_opens(self):
        """
        With synthetic records taken for real ones everything holds, and the pass says that it is a rehearsal.
        """
        found = rehearse(FULL)

        assert {"pass"} == set(outcomes(found).values())
        assert False is found.gate_pass.publishing

    def test_publishing_refuses_what_was_made_for_a_test(self):
        """
        The publishing evaluator answers the same evidence with errors that name the synthetic files.
        """
        found = evaluate(gather(FULL), POLICY)
        audits = next(gate for gate in found.report.gates if gate.id == "G1")

        assert None is found.gate_pass
        assert {"error"} == set(outcomes(found).values())
        assert ("tasks/task-00/audits", "a real record: this one is marked synthetic") == (
            audits.lacking[0].what.target,
            audits.lacking[0].needs,
        )

    @pytest.mark.parametrize(
        ("real", "refused"),
        [("audits", "G1"), ("reviews", "G5"), ("runs", "G6")],
    )
    def test_one_kind_of_synthetic_record_is_enough(self, real, refused):
        """
        When only audits, only reviews or only runs are synthetic, their gate refuses them.
        """
        found = evaluate(gather(only_synthetic(real)), POLICY)

        assert "error" == outcomes(found)[refused]
        assert {"error"} == {outcomes(found)[gate] for gate in ("G7", "G15")}
        assert None is found.gate_pass

    def test_publishing_is_the_default(self):
        """
        Nobody gets the lenient evaluation by forgetting an argument.
        """
        assert True is evaluate(gather(factories.benchmark()), POLICY).publishing


def only_synthetic(kind):
    """Return the full benchmark with only one kind of record marked synthetic."""
    tasks = [
        dataclasses.replace(task, audits=tuple(item.model_copy(update={"synthetic": kind == "audits"}) for item in task.audits))
        for task in FULL.tasks
    ]
    runs = [factories.remanifest(run, synthetic=kind == "runs") for run in FULL.runs]
    readings = [item.model_copy(update={"synthetic": kind == "reviews"}) for item in FULL.reviews]
    return dataclasses.replace(FULL, tasks=tuple(tasks), runs=tuple(runs), reviews=tuple(readings))


class TestGatePass:
    def test_nobody_else_can_make_one(self):
        """
        Constructing, subclassing, copying, storing or changing a pass raises an error.
        """
        held = rehearse(FULL).gate_pass

        with pytest.raises(TypeError, match="made by the gate evaluator"):
            GatePass(object(), evidence=held.evidence, report=held.report, publishing=True)
        with pytest.raises(TypeError, match="no other forms"):
            type("Forged", (GatePass,), {})
        with pytest.raises(TypeError, match="does not change"):
            held.publishing = True
        for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="not stored"):
                duplicate(held)

    def test_it_is_bound_to_its_evidence(self):
        """
        A pass names the evidence and the report that it is for.
        """
        found = rehearse(FULL)

        assert gather(FULL).digest == found.gate_pass.evidence
        assert found.report.content_digest() == found.gate_pass.report

    def test_no_function_of_the_room_takes_a_switch_that_forces(self):
        """
        The evaluator knows facts, policy and whether it is a rehearsal; there is no other way in.
        """
        assert ("facts", "policy", "publishing") == evaluate_function.__code__.co_varnames[:3]


class TestCompleteness:
    RESULTS = tuple(gate.answer(gather(FULL), POLICY, publishing=False) for gate in GATES)

    def test_all_answers_hold(self):
        """
        As many answers that pass as there are gates are as many gates that hold.
        """
        report = decide(self.RESULTS, POLICY)

        assert (len(GATES), len(GATES)) == (report.holding, report.total)

    @pytest.mark.parametrize("index", range(len(GATES)))
    def test_a_missing_answer_is_an_error(self, index):
        """
        A probe that did not report leaves its gate in error.
        """
        report = decide(self.RESULTS[:index] + self.RESULTS[index + 1 :], POLICY)

        assert ("error", len(GATES) - 1, len(GATES)) == (report.gates[index].outcome, report.holding, report.total)

    def test_two_answers_are_an_error(self):
        """
        A gate that answered twice does not hold.
        """
        assert "error" == decide((*self.RESULTS, self.RESULTS[0]), POLICY).gates[0].outcome

    def test_an_unknown_answer_is_an_error(self):
        """
        An answer from a gate that this version does not know keeps everything shut.
        """
        stranger = self.RESULTS[0].model_copy(update={"id": "G99"})
        report = decide((*self.RESULTS, stranger), POLICY)

        assert ("error", len(GATES), len(GATES) + 1) == (report.gates[-1].outcome, report.holding, report.total)


class TestProbesThatFail:
    @staticmethod
    def gate(probe):
        return Gate(
            id="G1", name="n", predicate="p", why="w", remedy="r", command="", reads=("tasks",), thresholds=(), probe=probe
        )

    def test_a_probe_that_raises_is_an_error(self, ask):
        """
        Whatever goes wrong in a probe, its gate does not hold and says why.
        """

        def broken(facts, policy):
            raise KeyError("gone")

        found = ask(self.gate(broken), FULL)

        assert "error" == found.outcome
        assert "KeyError" in found.saw

    @pytest.mark.parametrize(
        ("said", "outcome"), [("pass", "error"), ("not-run", "error"), ("inconclusive", "error"), ("fail", "fail")]
    )
    @pytest.mark.parametrize("place", ["tasks/one/task.toml", "somewhere"])
    def test_unreadable_evidence_keeps_a_gate_shut(self, ask, needs, said, outcome, place):
        """
        A probe that saw only what could be read cannot hold; a failure stays one, and the unreadable place is named.
        """
        benchmark = dataclasses.replace(FULL, problems=(BadInputError(place, "unreadable"),))
        found = ask(self.gate(saying(Finding(said, "h", "s"))), benchmark)

        assert outcome == found.outcome
        assert place in needs(found)

    def test_evidence_that_a_gate_does_not_read_is_not_its_business(self, ask):
        """
        A gate that looks at tasks is not shut by a run that cannot be read; another gate is.
        """
        benchmark = dataclasses.replace(FULL, problems=(BadInputError("runs/one", "unreadable"),))

        assert "pass" == ask(self.gate(saying(Finding("pass", "h", "s"))), benchmark).outcome
        assert "error" == outcomes(rehearse(benchmark))["G7"]

    def test_shares_are_cut(self, ask):
        """
        More than enough is shown as enough.
        """
        assert 1.0 == ask(self.gate(saying(Finding("pass", "h", "s", share=1.7))), FULL).share

    def test_hostile_text_is_made_harmless(self, ask):
        """
        Control characters in what a gate saw are escaped.
        """
        assert "\x1b" not in ask(self.gate(saying(Finding("fail", "h", "\x1b[2J"))), FULL).saw


class TestMonotonic:
    """Records are removed inside what exists; a run that is deleted whole is what G7 says that nobody can see."""

    @settings(max_examples=12, deadline=None)
    @given(seed=st.integers(0, 10**9), first=st.integers(1, 3), more=st.integers(1, 3))
    def test_removing_records_never_opens(self, seed, first, more):
        """
        From evidence that is refused after some trials, audits or reviews were lost, losing more never gives a pass.
        """
        rng = random.Random(seed)
        some = lose(FULL, rng, first)
        fewer = lose(some, rng, more)

        assert None is rehearse(some).gate_pass
        assert None is rehearse(fewer).gate_pass

    @pytest.mark.parametrize("kind", ["trial", "audit", "review"])
    def test_one_record_lost_is_refused(self, kind):
        """
        A single trial, audit or review that is lost is enough to shut the gates.
        """
        assert None is rehearse(lose(FULL, random.Random(1), 1, [kind])).gate_pass

    @pytest.mark.parametrize("name", ["validity-1", "evaluation-1"])
    def test_a_run_that_nothing_replaces(self, name):
        """
        Losing the validity run, or the evaluations, shuts the gates again.
        """
        runs = tuple(run for run in FULL.runs if run.name == "validity-1" != name)

        assert None is rehearse(dataclasses.replace(FULL, runs=runs)).gate_pass


def lose(benchmark, rng, number, kinds=("trial", "audit", "review")):
    """Return a benchmark without some records, every run sealed again so that only the counts tell."""
    for _ in range(number):
        kind = rng.choice(kinds)
        if kind == "trial":
            run = rng.choice([run for run in benchmark.runs if run.trials])
            gone = rng.choice(run.trials)
            kept = tuple(trial for trial in run.trials if trial is not gone)
            seal = run.seal.model_copy(update={"recorded": len(kept)})
            benchmark = factories.swap(benchmark, dataclasses.replace(run, trials=kept, seal=seal))
        elif kind == "audit":
            place = rng.choice([n for n, task in enumerate(benchmark.tasks) if task.audits])
            task = benchmark.tasks[place]
            fewer = list(task.audits)
            fewer.remove(rng.choice(fewer))
            tasks = list(benchmark.tasks)
            tasks[place] = dataclasses.replace(task, audits=tuple(fewer))
            benchmark = dataclasses.replace(benchmark, tasks=tuple(tasks))
        else:
            fewer = list(benchmark.reviews)
            fewer.remove(rng.choice(fewer))
            benchmark = dataclasses.replace(benchmark, reviews=tuple(fewer))
    return benchmark
