"""G1: independent audits of task families."""

from dataclasses import replace

import factories
import pytest

from faultline.gates.audited_families import GATE
from faultline.kinds import AuditQuestion, SignatureState, digest_bytes
from faultline.records import CheckJudgement, SignatureCheck
from faultline.tasks import AuditFiles, UnfinishedAudit

FULL = factories.full()


def first_changed(change):
    """Return the full benchmark with its first task changed, its audits kept as they are."""
    first, *rest = FULL.tasks
    return replace(FULL, tasks=(change(first), *rest))


def test_no_audit(ask, needs):
    """
    A benchmark without audits has 0 of 20 families, says so in one sentence, and names every task.
    """
    found = ask(GATE, factories.benchmark([factories.task("one"), factories.task("two")]))

    assert ("fail", "0", "20", 0.0) == (found.outcome, found.observed, found.needed, found.share)
    assert "No task family has been audited by two people other than its author" == found.headline
    assert "one: 2 more independent auditors of its current form, 2 in all" in needs(found)
    assert "18 more task families to audit" in needs(found)


def test_no_task(ask):
    """
    Without a task nothing is audited.
    """
    assert "fail" == ask(GATE, factories.benchmark()).outcome


def test_twenty_audited_families_hold(ask):
    """
    Twenty families, each with two auditors and a validity run that holds, are enough.
    """
    found = ask(GATE, FULL)

    assert ("pass", "20", 1.0, ()) == (found.outcome, found.observed, found.share, found.lacking)


def judged(*words):
    return tuple(CheckJudgement(check=check, judgement=word) for check, word in zip(factories.CHECKS, words, strict=False))


TRICKS = {
    "one byte changed after the audits": (
        lambda task: replace(task, digest=digest_bytes(b"one byte")),
        "another form of the task",
    ),
    "the author audits": (
        lambda task: factories.audited(replace(task, audits=task.audits[:1]), ["ada author"]),
        "ada author, the author",
    ),
    "one person audits twice": (
        lambda task: factories.audited(replace(task, audits=task.audits[:1]), ["BEA  READER"]),
        "1 more independent auditor",
    ),
    "an auditor found it unclear": (
        lambda task: factories.audited(task, ["Gus"], specification_severity=2),
        "severity 2",
    ),
    "an auditor found it unfair": (lambda task: factories.audited(task, ["Gus"], fairness_severity=3), "severity 3"),
    "an auditor was surprised": (
        lambda task: factories.audited(task, ["Gus"], judgements=judged("stated", "surprising")),
        "order_is_free surprising",
    ),
    "a check left out": (
        lambda task: replace(task, audits=(task.audits[0], factories.audit(task, "Gus", judgements=judged("stated")))),
        "a check left out",
    ),
    "an auditor said no": (
        lambda task: factories.audited(task, ["Gus"], answers=dict.fromkeys(AuditQuestion, "yes") | {AuditQuestion.FAIR: "no"}),
        "an auditor answered no to fair",
    ),
    "a question left open": (
        lambda task: replace(task, audits=(task.audits[0], factories.audit(task, "Gus", answers={AuditQuestion.FAIR: "yes"}))),
        "a question left open",
    ),
    "a checklist that was begun": (
        lambda task: replace(task, audit_files=AuditFiles(unfinished=(UnfinishedAudit("new.toml", ("answers.fair",)),))),
        "an end to the audit that was begun in audits/new.toml",
    ),
    "an audit removed": (lambda task: replace(task, audits=task.audits[:1]), "1 more independent auditor"),
}


@pytest.mark.parametrize("trick", TRICKS)
def test_a_task_that_does_not_count(ask, needs, trick):
    """
    Each way in which one task falls short leaves 19 of 20 families and names the task.
    """
    change, words = TRICKS[trick]
    found = ask(GATE, first_changed(change))

    assert ("fail", "19") == (found.outcome, found.observed)
    assert any("task-00" in line and words in line for line in needs(found).splitlines())


@pytest.mark.parametrize(
    ("state", "observed"),
    [
        ("signed", "20"),
        ("unsigned", "20"),
        ("bad", "19"),
        ("unknown-key", "19"),
        ("missing", "19"),
        ("unchecked", "19"),
    ],
)
def test_a_signature_that_does_not_fit_costs_the_audit(ask, state, observed):
    """
    An audit counts when it is signed, or when no key is listed for its auditor; any other state sets it aside.
    """
    audit = FULL.tasks[0].audits[0]
    check = SignatureCheck(state=SignatureState(state), key="SHA256:one" if state == "signed" else "")

    assert observed == ask(GATE, replace(FULL, signatures={audit.content_digest(): check})).observed


def test_two_names_with_one_key_are_one_person(ask, needs):
    """
    Audits under two names, signed by one key, are those of one person.
    """
    same = SignatureCheck(state=SignatureState.SIGNED, key="SHA256:one")
    found = ask(GATE, replace(FULL, signatures={audit.content_digest(): same for audit in FULL.tasks[0].audits}))

    assert "19" == found.observed
    assert "task-00: 1 more independent auditor" in needs(found)


def test_an_unaudited_sibling_stops_its_family(ask, needs):
    """
    A family counts when all of its tasks do.
    """
    sibling = factories.task("sibling", family="task-00")
    found = ask(GATE, replace(FULL, tasks=(*FULL.tasks, sibling)))

    assert "19" == found.observed
    assert "sibling: 2 more" in needs(found)


def test_variants_of_one_template_are_one_family(ask):
    """
    Twenty tasks of one family are one audited family.
    """
    tasks = [factories.audited(factories.task(f"seed-{n:02d}", family="template")) for n in range(20)]
    found = ask(GATE, factories.benchmark(tasks, [factories.validity_run(tasks, trials=1, hash_seeds=1, variants=1)]))

    assert ("fail", "1") == (found.outcome, found.observed)


def test_families_of_one_shape_are_one_template(ask, needs):
    """
    Renaming a template's words does not make a second family.
    """
    sources = [factories.hidden_source("same"), factories.hidden_source("same").replace("a", "zebra").replace("1", "22")]
    tasks = [factories.audited(factories.task(f"copy-{n}", hidden=source)) for n, source in enumerate(sources)]
    found = ask(GATE, factories.benchmark(tasks, [factories.validity_run(tasks)]))

    assert "1" == found.observed
    assert "copy-1: a template of its own: its hidden checks have the shape of those of copy-0" in needs(found)


def test_an_invalid_task_does_not_count(ask, needs):
    """
    Audits of a task whose validity run does not hold are not enough.
    """
    found = ask(GATE, replace(FULL, runs=FULL.runs[1:]))

    assert "0" == found.observed
    assert "a validity run that holds" in needs(found)


def test_a_stricter_policy_asks_for_more(ask):
    """
    With three auditors asked for, two are too few.
    """
    assert "0" == ask(GATE, FULL, {"auditors_per_task": 3}).observed
