"""The pages of runs and of cost: each run by itself, invalid trials beside the counts, unknown apart from zero."""

import factories
import pytest
from site_helpers import Html

from faultline.card import build_card
from faultline.kinds import AgentKind, Estimand, PublicTouch, RetryPolicy, SandboxLevel
from faultline.records import Changes, Evidence, PublicChange, Reason, Retry, unknown
from faultline.site import pages_runs
from faultline.site.environment import make_environment
from faultline.site.pages_cost import pages as cost_pages
from faultline.site.pages_runs import heading
from faultline.site.pages_runs import pages as run_pages


def bodies(card):
    """Return the body of each page of runs and of cost, without MkDocs."""
    environment = make_environment()
    return {
        page.path: Html(
            environment.get_template(page.template).render(
                card=card, card_digest="sha256:" + "0" * 64, page=page, root="../", **page.context
            )
        )
        for page in (*run_pages(card), *cost_pages(card))
    }


def one_task(ending=factories.half_right, **settings):
    """Return a card with one evaluation of one task."""
    tasks = factories.small_tasks(1)
    return build_card(factories.benchmark(tasks, [factories.evaluation_run(tasks, ending=ending, **settings)]))


@pytest.fixture(scope="module")
def small(small_card):
    return bodies(small_card)


def test_the_index_goes_by_date(small, small_card):
    """
    Runs stand newest first, each with kind, planned trials and sandbox, and without how it ended.
    """
    page = small["runs/index"]
    links = [link.attributes["href"] for link in page.all("a")]

    assert [f"../runs/{run.run}.html" for run in small_card.runs] == links
    assert sorted(small_card.runs, key=lambda run: run.sealed_at, reverse=True) == list(small_card.runs)
    assert "passed" not in page.words
    assert "failed" not in page.words


def test_what_was_done_to_public_tests_is_counted_and_shown():
    """
    Touched tests are counted on the run's page as counts of trials; a trial that passed all the same carries a mark, and
    its evidence names the tests, the files and what is gone.
    """
    evidence = Evidence(
        lost=(Reason(code="IMPORT_FAILED", detail="shop.total: SyntaxError"),),
        tests=(PublicChange(test="tests/test_a.py::A::test_it", how=PublicTouch.WEAKENED, on=("baseline",)),),
        configuration=("conftest.py",),
        question="May I <b>?",
    )
    page = bodies(one_task(lambda _: factories.passed(evidence=evidence)))["runs/evaluation-1"]

    assert "edited in 0, weakened in 9, skipped in 0, deleted in 0, configuration left in 9 of 9 judged trials" in page.words
    assert "9 lost a test its say or left configuration, and 9 of them passed" in page.words
    assert 9 == page.words.count("repaired tampered")
    assert "weakened tests/test_a.py::A::test_it seen on baseline" in page.words
    assert "May I <b>?" in page.words
    # What follows is about the instrument and has percentages of its own; about the agent there is none.
    assert "%" not in page.words.partition("What identical code shows by itself")[0]


@pytest.mark.parametrize("invalid", [0, 2])
def test_invalid_trials_stand_beside_the_score(invalid):
    """
    The number of trials that cannot be scored is always shown beside the others, also when it is none.
    """
    seen = iter(range(100))
    card = one_task(lambda _: factories.invalid() if next(seen) < invalid else factories.passed())
    words = bodies(card)["runs/evaluation-1"].words

    assert (
        f"planned 9 passed {9 - invalid} failed 0 invalid submissions, counted as failed 0 invalid, no score possible {invalid}"
        in words
    )


def test_counts_are_no_claim(small):
    """
    The counts of an agent's run are called a diagnostic count and not a claim; those of controls evidence about tasks.
    """
    assert "diagnostic count, not a claim" in small["runs/evaluation-1"].words
    assert "diagnostic count" not in small["runs/validity-1"].words
    assert "evidence about tasks" in small["runs/validity-1"].words


def test_every_trial_has_its_anchor(small, small_card):
    """
    Each trial of an evaluation has a row with a stable id.
    """
    run = next(run for run in small_card.runs if run.kind == "evaluation")

    assert {row.anchor for row in run.trials} <= set(small[f"runs/{run.run}"].ids)


def test_a_validity_run_is_folded(small, small_card):
    """
    A validity run shows each task's controls with trials as expected of those planned, and no row for each trial.
    """
    page = small["runs/validity-1"]

    assert not {row.anchor for run in small_card.runs for row in run.trials} & set(page.ids)
    for task in small_card.tasks:
        for row in task.validity.controls:
            assert f"{row.name} {row.as_expected}/{row.planned}" in page.words
    assert "data/trials.csv" in " ".join(link.attributes.get("href", "") for link in page.all("a"))


def test_too_many_trials_are_left_to_the_download(monkeypatch):
    """
    A run with more trials than can be read has no row for each, and says where they are.
    """
    monkeypatch.setattr(pages_runs, "MOST_ROWS", 8)
    page = bodies(one_task())["runs/evaluation-1"]

    assert "9 trials, as data" in page.words
    assert [] == [name for name in page.ids if name.startswith("task-00.")]


def test_the_evidence_of_a_trial():
    """
    A row holds reasons with measured numbers, checks, what the agent changed, attempts and files with digests.
    """
    reason = Reason(code="ROWS_LOST", measured={"gap": 0.25}, detail="<i>detail</i>")
    run = factories.evaluation_run(factories.small_tasks(1), ending=lambda _: factories.failed(reasons=(reason,)))
    changes = Changes(added=(), modified=("pkg/<b>.py",), deleted=(), ignored=("notes.txt",), restored=("tests/test_all.py",))
    run = factories.retrial(run, lambda trial: trial.model_copy(update={"changes": changes}))
    page = bodies(build_card(factories.benchmark(factories.small_tasks(1), [run])))["runs/evaluation-1"]

    for part in (
        "ROWS_LOST gap=0.25",
        "<i>detail</i>",
        "1 of 2 passed; not passed: rows_stay",
        "Modified pkg/<b>.py Ignored notes.txt Restored tests/test_all.py",
        "by rule check-failed",
        "traces/evaluation-1-0.json",
    ):
        assert part in page.words
    assert [] == page.all("i") + page.all("b.py")


def test_unknown_is_not_zero():
    """
    A cost that nobody recorded is counted as unknown, and shown as that word.
    """
    run = factories.evaluation_run(factories.small_tasks(1))
    run = factories.retrial(
        run,
        lambda trial: trial.model_copy(
            update={"attempts": (trial.last.model_copy(update={"cost": unknown("no accounting"), "usage": unknown("none")}),)}
        ),
    )
    words = bodies(build_card(factories.benchmark(factories.small_tasks(1), [run])))["runs/evaluation-1"].words

    assert "Cost unknown of 9 attempts: known for 0, unknown for 9, not applicable to 0" in words
    assert "$0" not in words


@pytest.mark.parametrize(
    ("settings", "warning"),
    [
        ({"sandbox": SandboxLevel.PROCESS}, "weak sandbox"),
        ({"sandbox": SandboxLevel.EXTERNAL, "external": factories.jail()}, "jail of jail-package 1.0"),
        ({"who": factories.agent("tinker", AgentKind.PLUGIN)}, "agent inside the harness"),
        ({"synthetic": True}, "synthetic"),
    ],
)
def test_warnings_come_first(settings, warning):
    """
    What forbids or limits the use of a run stands above its numbers.
    """
    words = bodies(one_task(**settings))["runs/evaluation-1"].words

    assert -1 < words.index(warning) < words.index("planned")


def test_the_name_of_best_of_k_stands_beside_its_number():
    """
    A run that retried on the verdict prints its estimand, with its k, above the counts and beside the number of passes.
    """
    run = factories.remanifest(
        factories.evaluation_run(factories.small_tasks(1)),
        retry=Retry(policy=RetryPolicy.BEST_OF_K, max_attempts=2),
        estimand=Estimand.BEST_OF_K,
    )
    words = bodies(build_card(factories.benchmark(factories.small_tasks(1), [run])))["runs/evaluation-1"].words

    assert -1 < words.index("best-of-2") < words.index("planned")
    assert "passed (best-of-2)" in words


def test_a_run_of_earlier_tasks_says_so():
    """
    When a task has changed since, the page names it.
    """
    run = factories.evaluation_run([factories.task("alpha")])
    card = build_card(factories.benchmark([factories.task("alpha", version=2)], [run]))
    made = bodies(card)

    assert "alpha has changed since" in made["runs/evaluation-1"].words
    assert "of earlier tasks" in made["runs/index"].words


def test_the_plan_is_there():
    """
    Retry policy, estimand, sandbox and trials of a cell are printed as planned.
    """
    card = one_task(retry=Retry(policy=RetryPolicy.NEVER, max_attempts=1))
    words = bodies(card)["runs/evaluation-1"].words

    for part in (
        "never, at most 1 attempt at a trial",
        "Estimand pass@1",
        "Sandbox bubblewrap",
        "3 for each task, variant and agent",
    ):
        assert part in words
    assert "faultline verify evaluation-1" in words


def test_cost_compares_controls_only(small):
    """
    The page of cost has a row for runs of controls; of another agent's run it has the link and no number.
    """
    page = small["cost-and-latency"]

    assert "../runs/evaluation-1.html#cost" in [link.attributes.get("href") for link in page.all("a")]
    assert "$" not in page.words
    after = page.words[page.words.index("What agents used") :]
    assert not any(character.isdigit() for character in after.replace("evaluation-1", "").replace("1 Mar 2026", ""))


def test_headings_of_runs(small_card):
    """
    A run is called after its agent and the number of its tasks; a validity run after its controls.
    """
    assert {"tinker on 2 tasks", "The controls of 2 tasks"} == {heading(run) for run in small_card.runs}


def test_a_validity_page_stays_small(small_site, small_card):
    """
    The page of a validity run does not grow with its trials.
    """
    run = next(run for run in small_card.runs if run.kind == "validity")

    assert 100_000 > (small_site / f"runs/{run.run}.html").stat().st_size


def test_spend_stands_by_what_it_bought(small_pages):
    """
    The run page shows attempts, cost and time by what they bought, retries and refused results included.
    """
    run = next(page for name, page in small_pages.items() if name.startswith("runs/") and "evaluation" in name)
    text = " ".join(" ".join(run.text).split())

    assert "Spend by what it bought" in text
    for word in ("scored", "retried", "invalid", "refused", "whole"):
        assert word in text
