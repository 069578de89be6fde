"""The pages of tasks and failure classes show the evidence, and nothing that is hidden."""

import dataclasses

import factories
import pytest
from site_helpers import Html

from faultline.card import build_card
from faultline.site.environment import make_environment
from faultline.site.pages_classes import pages as class_pages
from faultline.site.pages_tasks import pages as task_pages
from faultline.site.pages_tasks import trial_groups
from faultline.site.prose import prose


def render(card, page):
    """Return the body of a page, without MkDocs."""
    template = make_environment().get_template(page.template)
    return template.render(card=card, card_digest="sha256:" + "0" * 64, page=page, root="../", **page.context)


def bodies(card):
    return {page.path: Html(render(card, page)) for page in (*task_pages(card), *class_pages(card))}


@pytest.fixture(scope="module")
def small(small_card):
    return bodies(small_card)


def test_every_task_has_a_page(small, small_card):
    """
    There is the index, a page for each task and the page of failure classes, each with one heading of first level.
    """
    assert {"tasks/index", "failure-classes", *(f"tasks/{task.id}" for task in small_card.tasks)} == set(small)
    assert {1} == {len(page.all("h1")) for page in small.values()}


def test_the_page_shows_both_sides(small, small_card):
    """
    Each control stands with what it must do, how many trials did, its reason codes and its flips.
    """
    task = small_card.tasks[0]
    words = small[f"tasks/{task.id}"].words

    for row in task.validity.controls:
        assert row.name in words
        assert f"{row.as_expected} of {row.planned}" in words
        for item in row.codes:
            assert f"{item.code} {item.count}" in words


def test_a_check_that_nothing_kills_is_named(small, small_card):
    """
    A hidden check that no wrong repair fails in every trial is named above the checks, with what that means.
    """
    task = small_card.tasks[0]

    assert (factories.CHECKS[1],) == task.validity.unkilled
    assert (
        "No wrong repair fails order_is_free in every trial, so nothing shows that it can fail"
        in small[f"tasks/{task.id}"].words
    )


def test_the_page_shows_what_an_agent_is_given(small, small_card):
    """
    Issue, public files with their text, editable paths, limits, checks in outline and codes with their meaning are there.
    """
    task = small_card.tasks[0]
    page = small[f"tasks/{task.id}"]

    assert task.issue.strip() in page.words
    for file in task.files:
        assert file.path in page.words
        assert " ".join(file.text.split()) in page.words
    for check in task.checks:
        assert check.requirement in page.words
        assert check.id in page.ids
    for item in task.codes:
        assert item.meaning in page.words
        assert item.code in page.ids


@pytest.mark.parametrize("secret", ["faultline-canary", "SECRET_SOURCE", "secret repair"])
def test_nothing_hidden_is_shown(small, secret):
    """
    Neither canary nor source of checks or repairs is on any page.
    """
    for page in small.values():
        assert secret not in page.words


def test_no_audit_is_said_plainly():
    """
    A task without an audit says 0 and what it would take; one with audits of an earlier form says that.
    """
    bare = factories.task("alpha")
    stale = factories.audited(factories.task("beta"), task_digest="sha256:" + "5" * 64)
    made = bodies(build_card(factories.benchmark([bare, stale])))

    assert "0 independent audits" in made["tasks/alpha"].words
    assert "Nobody but its author has examined it" in made["tasks/alpha"].words
    assert "Audited only in an earlier form" in made["tasks/beta"].words


def test_an_unproven_task_says_so():
    """
    Without a validity run of the current digest the page says unproven, how to prove it, and shows no control.
    """
    page = bodies(build_card(factories.benchmark([factories.task("alpha")])))["tasks/alpha"]

    assert "unproven" in page.words
    assert "faultline validate alpha" in page.words
    assert "as expected" not in page.words.lower().split("what happened")[0].split("reason codes")[0]


def test_a_correction_links_to_the_history():
    """
    A correction stands before and after, and leads to its entry in the audit history.
    """
    page = bodies(build_card(factories.benchmark([factories.task("alpha", corrections=[factories.correction()])])))[
        "tasks/alpha"
    ]

    assert "../audit-history.html#first-correction" in [link.attributes.get("href") for link in page.all("a")]
    assert "Before roughly After exactly" in page.words


def test_trials_link_to_their_rows(small, small_card):
    """
    Each trial of an evaluation leads to its own row on the page of its run, in the order of the card.
    """
    task = small_card.tasks[0]
    wanted = [f"../runs/{row.run}.html#{row.anchor}" for group in trial_groups(small_card, task) for row in group.rows]
    links = [link.attributes.get("href") for link in small[f"tasks/{task.id}"].all("a")]

    assert wanted == [link for link in links if link in set(wanted)]
    assert len(task.trials) == len(wanted)


def test_a_failure_class_lists_its_tasks(small, small_card):
    """
    Each failure class stands with its three sentences, and leads to the tasks that carry it.
    """
    page = small["failure-classes"]

    for item in small_card.failure_classes:
        assert item.id in page.ids
        for text in (item.title, item.defect, item.flatters, item.invariance):
            assert text in page.words
    assert {f"../tasks/{task.id}.html" for task in small_card.tasks} <= {link.attributes.get("href") for link in page.all("a")}


def test_text_of_a_task_is_text():
    """
    Markup in issue, files and names of a task is shown as written.
    """
    live = "<script>alert(1)</script>"
    task = factories.task("alpha")
    task = dataclasses.replace(
        task,
        issue=f"# {live}\n\n* {live} **{live}** `{live}`\n\n```\n{live}\n```\n",
        workspace={**task.workspace, "README.md": live.encode()},
    )
    page = bodies(build_card(factories.benchmark([task])))["tasks/alpha"]

    assert [] == page.all("script")
    assert 6 == page.words.count(live)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb", "<p>a b</p>"),
        ("* a\n  b\n* c", "<ul><li>a b</li><li>c</li></ul>"),
        ("2. a\n3. b", "<ol><li>a</li><li>b</li></ol>"),
        ("```python\nx < 1\n```", '<pre tabindex="0"><code>x &lt; 1</code></pre>'),
        ("    x\n\n    y", '<pre tabindex="0"><code>x\n\ny</code></pre>'),
        ("a `b*c` **d**", "<p>a <code>b*c</code> <strong>d</strong></p>"),
        ("[a](javascript:b) <b>", "<p>[a](javascript:b) &lt;b&gt;</p>"),
        ("```\nno end", '<pre tabindex="0"><code>no end</code></pre>'),
        ("## T #", '<p class="fl-issue-h fl-issue-h2">T</p>'),
        ("", ""),
    ],
)
def test_prose(text, expected):
    """
    A small part of Markdown becomes HTML; the rest is text.
    """
    assert expected == prose(text)
