"""G5: blinded review of sampled trajectories."""

import dataclasses

import factories
import pytest

from faultline.gates.blinded_review import GATE
from faultline.kinds import digest_bytes

SMALL = factories.small()
EVALUATION = SMALL.runs[1]


def with_reviews(readings):
    return dataclasses.replace(SMALL, reviews=tuple(readings))


def test_no_agent_no_trajectory(ask):
    """
    Without an evaluation of an agent there is nothing to review yet.
    """
    assert "not-run" == ask(GATE, factories.benchmark(SMALL.tasks, SMALL.runs[:1])).outcome


def test_no_review(ask):
    """
    Without reviews none of the drawn trajectories counts, and each is named.
    """
    found = ask(GATE, with_reviews(()))

    named = [item for item in found.lacking if item.needs == "2 more blinded reviewers"]
    assert ("fail", "0", "18", 18) == (found.outcome, found.observed, found.needed, len(named))
    assert "No sampled trajectory has been reviewed blindly by enough people" == found.headline


def test_two_readers_of_each_hold(ask):
    """
    Two blinded readers of each drawn trajectory hold.
    """
    assert ("pass", "18") == (ask(GATE, SMALL).outcome, ask(GATE, SMALL).observed)


def reviewed_run(run, **changes):
    """Return a small benchmark with a run that two people have read."""
    return dataclasses.replace(factories.reviewed(factories.benchmark(SMALL.tasks, [SMALL.runs[0], run])), **changes)


LARGE = reviewed_run(factories.evaluation_run(SMALL.tasks, trials=8))


def test_only_the_sample_is_asked_for(ask):
    """
    Thirty of a larger evaluation are drawn, not all.
    """
    assert ("pass", "30") == (ask(GATE, LARGE).outcome, ask(GATE, LARGE).needed)


def first_changed(**changes):
    place = next(n for n, review in enumerate(SMALL.reviews) if review.key.run == EVALUATION.name)
    changed = SMALL.reviews[place].model_copy(update=changes)
    return (*SMALL.reviews[:place], changed, *SMALL.reviews[place + 1 :])


FIRST = first_changed()[next(n for n, review in enumerate(SMALL.reviews) if review.key.run == EVALUATION.name)]
OTHER_READING = "failed" if FIRST.reading == "passed" else "passed"
TRICKS = {
    "one reader only": (tuple(item for item in SMALL.reviews if item != FIRST), "1 more blinded reviewer"),
    "one person under two names": (first_changed(reviewer="ELI  judge"), "1 more blinded reviewer"),
    "open eyes": (first_changed(blinded=False), "1 review does not (not blinded)"),
    "the agent named in the notes": (first_changed(notes="As tinker, I ..."), "1 review does not (the notes name the agent)"),
    "reviews of other results": (first_changed(results_digest=digest_bytes(b"old")), "1 review does not (other results)"),
    "another verdict seen": (first_changed(verdict_seen_right=False), "dot onlooker read another verdict"),
    "another reading, said to agree": (first_changed(reading=OTHER_READING), "dot onlooker read another verdict"),
    "a reader who cannot tell": (first_changed(reading="cannot-tell"), "dot onlooker read another verdict"),
    "something else read": (first_changed(material=digest_bytes(b"else")), "does not (not read from the material)"),
    "no reading": (first_changed(reading=None), "does not (not read from the material)"),
}


@pytest.mark.parametrize("trick", TRICKS)
def test_a_trajectory_that_does_not_count(ask, needs, trick):
    """
    Each way in which one review falls short leaves one trajectory open and says why.
    """
    readings, words = TRICKS[trick]
    found = ask(GATE, with_reviews(readings))

    assert ("fail", "17") == (found.outcome, found.observed)
    assert words in needs(found)


def test_a_sample_picked_by_hand(ask, needs):
    """
    Swapping a drawn item for another, in the sample and in the reviews, names both items and leaves the drawn one unread.
    """
    (room,) = LARGE.rooms
    run = LARGE.runs[1]
    items = list(room.sample.items)
    place = next(n for n, item in enumerate(items) if item.role == "trajectory")
    drawn = {item.key for item in items}
    gone, nicer = items[place], next(trial.key for trial in run.trials if trial.key not in drawn)
    items[place] = gone.model_copy(update={"key": nicer})
    sample = room.sample.model_copy(update={"items": tuple(items)})
    material = factories.material(sample)
    swapped = [
        item.model_copy(update={"key": nicer if item.key == gone.key else item.key, "material": material.content_digest()})
        for item in LARGE.reviews
    ]
    picked = dataclasses.replace(room, sample=sample, material=material)
    found = ask(GATE, dataclasses.replace(LARGE, rooms=(picked,), reviews=tuple(swapped)))

    assert ("fail", "29") == (found.outcome, found.observed)
    assert "2 reviews do not (not drawn)" in needs(found)
    for key, words in ((nicer, "is not what the results draw"), (gone.key, "missing from the sample")):
        label = f"{key.task}.{key.variant}.{key.agent}.{key.trial}"
        assert any(label in line and words in line for line in needs(found).splitlines())


def with_room(**changes):
    (room,) = SMALL.rooms
    return dataclasses.replace(SMALL, rooms=(dataclasses.replace(room, **changes),))


def planted(text):
    """Return the small benchmark with a text in what one reader was shown, and reviews of exactly that."""
    (room,) = SMALL.rooms
    first, *rest = room.material.items
    diff = first.diffs[0].model_copy(update={"diff": f"+# one\n+# {text}"})
    material = room.material.model_copy(update={"items": (first.model_copy(update={"diffs": (diff,)}), *rest)})
    reviews = [item.model_copy(update={"material": material.content_digest()}) for item in SMALL.reviews]
    return dataclasses.replace(with_room(material=material), reviews=tuple(reviews))


@pytest.mark.parametrize(
    "text",
    ["As tinker, I", "MADE_UP_MODEL_1", "nobody-inc", "Claude", "GPT-5 wrote this", "see /home" + "/ada/x.py", "ada@home.org"],
)
def test_a_name_that_readers_saw(ask, needs, text):
    """
    A name of agent, model or vendor, a path or an address in the material keeps the gate shut; the place is told, not the name.
    """
    found = ask(GATE, planted(text))

    assert "fail" == found.outcome
    assert "item 1, the diff of changed file 1, line 2 still tells who it was" in needs(found)
    assert text not in needs(found)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sample": None}, "none was drawn"),
        ({"material": None}, "no packet was made"),
        ({"material": factories.material(LARGE.rooms[0].sample)}, "it was made for another one"),
        ({"sample": SMALL.rooms[0].sample.model_copy(update={"size": 12})}, "30 trajectories: 12 were asked for"),
        (
            {"sample": SMALL.rooms[0].sample.model_copy(update={"controls_run": "gone"})},
            "the validity run gone, of the tasks as they are",
        ),
        (
            {"sample": SMALL.rooms[0].sample.model_copy(update={"results_digest": digest_bytes(b"old")})},
            "the sample was drawn from others",
        ),
    ],
)
def test_a_sample_or_material_that_is_not_the_right_one(ask, needs, changes, words):
    """
    Without the sample of these results and the material of this sample the gate stays shut, and says what is missing.
    """
    found = ask(GATE, with_room(**changes))

    assert "fail" == found.outcome
    assert words in needs(found)


class TestDisputes:
    READINGS = first_changed(reading=OTHER_READING, verdict_seen_right=False)
    OWN = tuple(item for item in READINGS if item.key == FIRST.key)

    def settled(self, verdict, **changes):
        (room,) = SMALL.rooms
        settlement = factories.adjudication(EVALUATION, room, self.OWN, verdict, **changes)
        benchmark = with_room(adjudications=(settlement,))
        return dataclasses.replace(benchmark, reviews=self.READINGS)

    def test_settled_for_the_record_counts(self, ask):
        """
        A third person who weighed the readings and finds the record right closes a dispute.
        """
        assert ("pass", "18") == (ask(GATE, self.settled(FIRST.reading)).outcome, ask(GATE, SMALL).observed)

    def test_settled_against_the_record_asks_for_a_correction(self, ask, needs):
        """
        When the record is found wrong the task needs a correction, and the gate stays shut.
        """
        found = ask(GATE, self.settled(OTHER_READING))

        assert "fail" == found.outcome
        assert f"a correction of the task: it was settled that the trial deserves {OTHER_READING}" in needs(found)

    @pytest.mark.parametrize(
        "changes",
        [{"adjudicator": "ELI Judge"}, {"reviews": ()}, {"results_digest": digest_bytes(b"old")}],
        ids=["by a reader of the item", "of other readings", "of other results"],
    )
    def test_a_settlement_that_settles_nothing(self, ask, needs, changes):
        """
        Readers do not settle their own dispute, and a settlement holds for the readings that it weighed.
        """
        assert "read another verdict" in needs(ask(GATE, self.settled(FIRST.reading, **changes)))


def test_a_verdict_without_a_trajectory(ask, needs):
    """
    A trial that left no trace cannot have been reviewed.
    """
    run = factories.retrial(
        EVALUATION, lambda t: t.model_copy(update={"attempts": (t.attempts[0].model_copy(update={"artifacts": ()}),)})
    )
    found = ask(GATE, reviewed_run(run))

    assert ("fail", "0") == (found.outcome, found.observed)
    assert "a trajectory: none is recorded" in needs(found)


def test_nothing_to_draw_from(ask, needs):
    """
    An evaluation in which nothing could be judged has nothing to review, and does not hold.
    """
    run = factories.evaluation_run(SMALL.tasks, ending=lambda _: factories.invalid())
    found = ask(GATE, factories.benchmark(SMALL.tasks, [run]))

    assert "fail" == found.outcome
    assert "there is none to review" in needs(found)
