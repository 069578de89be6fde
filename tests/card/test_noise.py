"""What identical code shows by itself, in the words of the run page."""

import random

import factories
import pytest

from faultline.card.noise import code_digest, noise_of, sentence
from faultline.gates import gather
from faultline.kinds import SandboxLevel
from faultline.statistics import resolvable_gap

TASKS = factories.small_tasks(5)


def facts_of(*runs):
    return gather(factories.benchmark(TASKS, runs)).runs


def coin(seed):
    rng = random.Random(seed)
    return lambda _: factories.passed() if rng.random() < 0.5 else factories.failed()


def test_enough_passes_give_the_sentence():
    """Ten passes give the gap, the spread and the detectable difference in one sentence, without a warning."""
    (noise,) = noise_of(facts_of(factories.evaluation_run(TASKS, ending=coin(1), trials=10)))

    assert ("ok", 15, 10) == (noise.status, noise.cases, noise.passes)
    assert noise.critical_gap == max(noise.convolution_gap, noise.prediction_gap)
    assert noise.sentence.startswith(
        f"Between two single passes of identical code a difference of {noise.critical_gap} or more cases has probability at "
        f"most 5 % (estimated from 10 passes of 15 cases that scored {min(noise.totals)} to {max(noise.totals)}; run-to-run SD "
    )
    assert (
        f"A true difference of {noise.minimum_detectable_difference} cases would be found four times in five." in noise.sentence
    )


def test_passes_of_identical_code_go_together():
    """Two runs of one digest are one experiment with twice the passes; another agent or limit is another one."""
    first = factories.evaluation_run(TASKS, "evaluation-1", ending=coin(1), trials=3)
    second = factories.evaluation_run(TASKS, "evaluation-2", ending=coin(2), trials=3, hours=3.0)
    other = factories.evaluation_run(TASKS, "evaluation-3", factories.agent("mender"), coin(3), trials=3, hours=4.0)
    found = noise_of(facts_of(first, second, other))

    assert [("tinker", 6), ("mender", 3)] == [(item.agent, item.passes) for item in found]
    assert ("evaluation-1", "evaluation-2") == found[0].runs


def test_another_version_is_other_code():
    """Passes under other versions are another experiment."""
    first = factories.evaluation_run(TASKS, "evaluation-1")
    newer = first.manifest.provenance.model_copy(update={"versions": {"python": "3.12"}})
    one, other = facts_of(first, factories.remanifest(factories.evaluation_run(TASKS, "evaluation-2"), provenance=newer))

    assert code_digest(one, "tinker") != code_digest(other, "tinker")


def test_another_sandbox_of_an_installed_package_is_other_code():
    """Passes in other forms of it are another experiment, though their level is the same word."""
    one, other = facts_of(
        *(
            factories.evaluation_run(
                TASKS, f"evaluation-{version}", sandbox=SandboxLevel.EXTERNAL, external=factories.jail(str(version))
            )
            for version in (1, 2)
        )
    )

    assert code_digest(one, "tinker") != code_digest(other, "tinker")


@pytest.mark.parametrize(
    ("trials", "ending", "words"),
    [
        pytest.param(1, coin(1), "Too few passes: a single pass has no noise floor.", id="one pass"),
        pytest.param(3, coin(1), "Indicative, from too few passes (10 are recommended): between two", id="three passes"),
        pytest.param(4, lambda _: factories.passed(), "not estimable from 4 passes without variation", id="no variation"),
        pytest.param(3, lambda _: factories.invalid(), "no task has a verdict in every pass", id="no verdict"),
    ],
)
def test_too_little_says_so(trials, ending, words):
    """With too few passes, or none that vary, the sentence says so plainly."""
    (noise,) = noise_of(facts_of(factories.evaluation_run(TASKS, ending=ending, trials=trials)))

    assert words in noise.sentence


def test_a_single_pass_in_which_all_passed_is_not_certain():
    """The bound for a single pass is never zero."""
    (noise,) = noise_of(facts_of(factories.evaluation_run(TASKS, ending=lambda _: factories.passed(), trials=1)))

    assert noise.a_priori_sd > 1


def test_a_gap_beyond_the_number_of_cases_says_that_nothing_can_be_told():
    """
    With two cases that flip, no difference is large enough, and the sentence asks for none that cannot exist.
    """
    gap = resolvable_gap([[1, 0, 1, 0], [0, 1, 0, 1]])

    assert gap.critical_gap > gap.n
    assert f"it would take {gap.critical_gap} cases, and there are 2" in sentence(gap)
