"""G12: readers who agree, know good repairs from bad ones, and settle their disagreements."""

import dataclasses

import factories
import pytest

from faultline.gates.reviewer_agreement import GATE

FULL = factories.full()
RUN = FULL.runs[1]
ROOM = FULL.rooms[0]
ROLES = {item.key: item.role for item in ROOM.sample.items}
TRAJECTORIES = [item.key for item in ROOM.sample.items if item.role == "trajectory"]


def own(review):
    return review.results_digest == RUN.results_digest


def changed(change):
    """Return the full benchmark with the readings of its first evaluation changed; ``None`` drops one."""
    reviews = [change(item) if own(item) else item for item in FULL.reviews]
    return dataclasses.replace(FULL, reviews=tuple(item for item in reviews if item is not None))


def reading(word):
    return lambda item: item.model_copy(update={"reading": word})


def test_no_agent_no_readings(ask):
    """
    Without an evaluation of an agent there is nothing to agree about yet.
    """
    assert "not-run" == ask(GATE, factories.benchmark(FULL.tasks, FULL.runs[:1])).outcome


def test_nobody_has_read(ask, needs):
    """
    Without samples the gate names the evaluations.
    """
    found = ask(GATE, factories.benchmark(FULL.tasks, FULL.runs))

    assert ("fail", "0", "2") == (found.outcome, found.observed, found.needed)
    assert "evaluation-1: a sample that people have read" in needs(found)


def test_readers_who_agree_and_see(ask):
    """
    Two readers who agree on twenty families and know every control hold. The numbers stand with raw agreement, and without
    how often each label was given, which would be nearly a rate of the agent.
    """
    found = ask(GATE, FULL)

    assert ("pass", "2", "2") == (found.outcome, found.observed, found.needed)
    assert "raw agreement 100 % on 30 trajectories; alpha 1.00" in found.saw
    assert "alpha is undefined, all reviewers gave one label; AC1 1.00" in found.saw
    assert "good 6 of 6, bad 6 of 6" in found.saw
    assert "50 %" not in found.saw


def test_all_ok_is_found_out_by_the_controls(ask, needs):
    """
    Readers who call everything right agree perfectly and recognise no bad control.
    """
    found = ask(GATE, changed(reading("passed")))

    assert ("fail", "1") == (found.outcome, found.observed)
    assert "bad controls that readers recognise: 0 of 6 readings right, and 90 % are needed" in needs(found)
    assert "agreement: its lower end" not in needs(found)


def test_all_wrong_is_found_out_by_the_controls(ask, needs):
    """
    Readers who call everything wrong do not recognise the good controls.
    """
    assert "good controls that readers recognise: 0 of 6" in needs(ask(GATE, changed(reading("failed"))))


def test_one_of_ten_controls_may_be_missed_and_no_more(ask, needs):
    """
    One of six readings of bad controls that is wrong is more than one in ten.
    """
    bad = next(item for item in FULL.reviews if own(item) and ROLES[item.key] == "bad-control")
    found = ask(GATE, changed(lambda item: reading("passed")(item) if item is bad else item))

    assert "bad controls that readers recognise: 5 of 6" in needs(found)


def test_readers_who_flip_coins(ask, needs):
    """
    Readers who agree on half of the items agree by chance: the lower end is too low.
    """
    half = set(TRAJECTORIES[::2])
    other = {"passed": "failed", "failed": "passed"}
    found = ask(
        GATE,
        changed(
            lambda item: (
                reading(other[item.reading])(item) if item.key in half and item.reviewer == factories.REVIEWERS[0] else item
            )
        ),
    )

    assert "fail" == found.outcome
    assert "agreement: its lower end is" in needs(found)


def test_a_control_that_nobody_read(ask, needs):
    """
    Each control needs as many readers as a trajectory.
    """
    control = next(key for key, role in ROLES.items() if role == "good-control")
    found = ask(GATE, changed(lambda item: None if item.key == control and item.reviewer == "Dot Onlooker" else item))

    assert "1 more reader of the control" in needs(found)


class TestDisagreement:
    KEY = TRAJECTORIES[0]
    OTHER = "cannot-tell"

    def disputed(self):
        return changed(
            lambda item: reading(self.OTHER)(item) if item.key == self.KEY and item.reviewer == "Dot Onlooker" else item
        )

    def test_an_open_one_is_named(self, ask, needs):
        """
        A trajectory on which readers differ is named with what each of them read.
        """
        found = ask(GATE, self.disputed())

        assert ("fail", "1") == (found.outcome, found.observed)
        assert "a settlement by somebody else (faultline review adjudicate): it is recorded as" in needs(found)
        assert "dot onlooker cannot-tell" in needs(found)

    @pytest.mark.parametrize(("who", "outcome"), [("Fay Third", "pass"), ("eli JUDGE", "fail")])
    def test_a_third_person_settles_it(self, ask, who, outcome):
        """
        A settlement by somebody who did not read the item closes it; one by a reader does not.
        """
        benchmark = self.disputed()
        reviews = [item for item in benchmark.reviews if item.key == self.KEY and own(item)]
        settlement = factories.adjudication(RUN, ROOM, reviews, "passed", adjudicator=who)
        rooms = (dataclasses.replace(ROOM, adjudications=(settlement,)), *FULL.rooms[1:])

        assert outcome == ask(GATE, dataclasses.replace(benchmark, rooms=rooms)).outcome

    def test_two_settlements_that_contradict_settle_nothing(self, ask):
        """
        Who asks a second judge until one agrees has not settled anything.
        """
        benchmark = self.disputed()
        reviews = [item for item in benchmark.reviews if item.key == self.KEY and own(item)]
        both = tuple(
            factories.adjudication(RUN, ROOM, reviews, verdict, adjudicator=who)
            for verdict, who in (("passed", "Fay Third"), ("failed", "Gil Fourth"))
        )
        rooms = (dataclasses.replace(ROOM, adjudications=both), *FULL.rooms[1:])

        assert "fail" == ask(GATE, dataclasses.replace(benchmark, rooms=rooms)).outcome


def test_controls_that_somebody_picked(ask, needs):
    """
    Leaving a bad control out of the sample is seen, since the controls are drawn again.
    """
    items = [item for item in ROOM.sample.items if item.role != "bad-control"]
    sample = ROOM.sample.model_copy(update={"items": tuple(items)})
    rooms = (dataclasses.replace(ROOM, sample=sample), *FULL.rooms[1:])
    found = ask(GATE, dataclasses.replace(FULL, rooms=rooms))

    assert "fail" == found.outcome
    assert "the controls that the results draw: others stand in the sample" in needs(found)


def test_fewer_controls_than_asked_for(ask, needs):
    """
    A policy that asks for more controls is not satisfied by a smaller sample.
    """
    found = ask(GATE, FULL, {"controls_of_each_kind": 5})

    assert "5 controls of each kind: 3 were asked for" in needs(found)


def test_publishing_refuses_made_up_settlements(ask):
    """
    An adjudication that is marked synthetic is refused like a review.
    """
    reviews = [item for item in FULL.reviews if item.key == TRAJECTORIES[0] and own(item)]
    settlement = factories.adjudication(RUN, ROOM, reviews, "passed")
    rooms = (dataclasses.replace(ROOM, adjudications=(settlement,)),)
    found = ask(GATE, factories.benchmark(FULL.tasks, FULL.runs, rooms=rooms), publishing=True)

    assert "error" == found.outcome
    assert any("adjudication by Fay Third" in item.what.label for item in found.lacking)
