"""The sample that people read."""

import factories
from hypothesis import given
from hypothesis import strategies as st

from faultline.kinds import digest_bytes
from faultline.review import controls_for_review, sample_for_review

RUN = factories.evaluation_run([factories.task("one"), factories.task("longer")])
ONE, OTHER = digest_bytes(b"one"), digest_bytes(b"other")


@given(order=st.permutations(RUN.trials), size=st.integers(0, 20))
def test_the_draw_depends_on_digest_and_records_only(order, size):
    """
    The same results give the same sample, in whatever order the trials are given.
    """
    assert sample_for_review(ONE, RUN.trials, size) == sample_for_review(ONE, order, size)


def test_other_results_draw_another_sample():
    """
    Nobody can choose the sample without changing the results.
    """
    assert sample_for_review(ONE, RUN.trials, 6) != sample_for_review(OTHER, RUN.trials, 6)


def test_a_larger_sample_contains_the_smaller():
    """
    Asking for more keeps what was drawn.
    """
    assert sample_for_review(ONE, RUN.trials, 4) == sample_for_review(ONE, RUN.trials, 9)[:4]


def test_passed_and_failed_take_turns():
    """
    False passes and false failures are both looked for, whatever the pass rate is.
    """
    verdicts = {trial.key: trial.outcome.verdict for trial in RUN.trials}

    assert {"passed": 3, "failed": 3} == _count(verdicts[key] for key in sample_for_review(ONE, RUN.trials, 6))


def test_all_are_drawn_when_there_are_few():
    """
    A sample larger than the results holds each trial once.
    """
    assert {trial.key for trial in RUN.trials} == set(sample_for_review(ONE, RUN.trials, 1_000))


def test_trials_without_a_verdict_are_not_drawn():
    """
    Where there is no verdict there is nothing to confirm.
    """
    run = factories.retrial(RUN, lambda trial: trial.model_copy(update={"outcome": factories.invalid()}))

    assert () == sample_for_review(ONE, run.trials, 5)


def _count(words):
    found = {}
    for word in words:
        found[str(word)] = found.get(str(word), 0) + 1
    return found


class TestControls:
    KNOWN = factories.validity_run([factories.task("one"), factories.task("longer")])

    def drawn(self, digest=ONE, each=3, trials=KNOWN.trials, tasks=("one", "longer")):
        agents = {agent.name: agent for agent in self.KNOWN.manifest.agents}
        return controls_for_review(digest, trials, agents, tasks, each)

    def test_good_and_bad_ones_of_known_verdict(self):
        """
        Good controls are references and other valid repairs, bad ones wrong repairs; the untouched workspace is neither.
        """
        found = self.drawn(each=100)

        assert {"good-control": {"reference", "valid-other"}, "bad-control": {"wrong-guess", "wrong-half"}} == {
            role: {key.agent for key, kind in found if kind == role} for _, role in found
        }

    def test_one_trial_stands_for_a_repair(self):
        """
        A repair is not read twice.
        """
        keys = [(key.task, key.agent) for key, _ in self.drawn(each=100)]

        assert len(set(keys)) == len(keys) == 8

    def test_tasks_take_turns(self):
        """
        Two good controls are of two tasks.
        """
        assert 2 == len({key.task for key, role in self.drawn(each=2) if role == "good-control"})

    @given(order=st.permutations(KNOWN.trials[:30]))
    def test_the_draw_depends_on_digest_and_records_only(self, order):
        """
        The order of records does not matter.
        """
        assert self.drawn(trials=self.KNOWN.trials[:30]) == self.drawn(trials=order)

    def test_other_results_draw_others(self):
        """
        Nobody can choose the controls without changing the results.
        """
        assert self.drawn() != self.drawn(OTHER)

    def test_a_control_that_did_not_end_as_it_must_is_none(self):
        """
        A wrong repair that passed, or a reference that failed, is no control.
        """
        turned = factories.retrial(
            self.KNOWN,
            lambda t: t.model_copy(
                update={"outcome": factories.failed() if t.outcome.verdict == "passed" else factories.passed()}
            ),
        )

        assert () == self.drawn(trials=turned.trials)

    def test_other_tasks_are_left_out(self):
        """
        Controls are of the tasks that were evaluated.
        """
        assert {"one"} == {key.task for key, _ in self.drawn(tasks=("one",))}


def test_items_tell_nothing_and_are_in_their_own_order():
    """
    An item's name is a hash, and the items stand in the order of their names.
    """
    sample = factories.room(RUN, factories.validity_run([factories.task("one"), factories.task("longer")])).sample

    assert sorted(item.item for item in sample.items) == [item.item for item in sample.items]
    assert {"trajectory", "good-control", "bad-control"} == {item.role for item in sample.items}
