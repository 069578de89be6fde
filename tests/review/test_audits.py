"""Which audits count."""

import factories
import pytest

from faultline.kinds import digest_bytes
from faultline.records import CheckJudgement
from faultline.review import countable_audits

TASK = factories.task()


def standing(*audits):
    return countable_audits(audits, digest=TASK.digest, author=TASK.definition.author, checks=factories.CHECKS)


def judged(*words):
    return tuple(CheckJudgement(check=check, judgement=word) for check, word in zip(factories.CHECKS, words, strict=False))


def test_two_people_count_as_two():
    """
    Two complete audits of the current form by two people other than the author count.
    """
    found = standing(factories.audit(TASK, "Bea"), factories.audit(TASK, "Cy"))

    assert ("bea", "cy") == found.auditors
    assert () == found.set_aside


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"task_digest": digest_bytes(b"one byte earlier")}, "another form of the task"),
        ({"auditor": "ADA  AUTHOR <ada@home.org>"}, "the author"),
        ({"auditor": " "}, "nobody named"),
        ({"judgements": judged("stated")}, "a check left out"),
    ],
)
def test_an_audit_that_does_not_count_says_why(changes, why):
    """
    An audit of another form, by the author, by nobody or of only some checks is set aside with its reason.
    """
    found = standing(factories.audit(TASK, "Bea", **changes))

    assert () == found.counted
    assert [why] == [item.why for item in found.set_aside]


def test_one_person_twice_is_one():
    """
    A second audit by the same person adds no auditor, but its labels count.
    """
    found = standing(factories.audit(TASK, "Bea Reader"), factories.audit(TASK, "bea reader", fairness_severity=3))

    assert (("bea reader",), 3) == (found.auditors, found.worst)


def test_the_worst_label_decides():
    """
    The most critical auditor decides on each scale.
    """
    found = standing(factories.audit(TASK, "Bea", specification_severity=2), factories.audit(TASK, "Cy"))

    assert (2, 1, 2) == (found.specification, found.fairness, found.worst)


def test_one_surprising_check_is_named():
    """
    A check that one auditor found surprising is named.
    """
    found = standing(factories.audit(TASK, "Bea", judgements=judged("stated", "surprising")))

    assert ("order_is_free",) == found.surprising


def test_no_audit_has_no_label():
    """
    Without an audit there is no severity: neither zero nor three.
    """
    found = standing()

    assert (None, None, None) == (found.specification, found.fairness, found.worst)
