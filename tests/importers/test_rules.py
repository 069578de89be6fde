"""The table of status rules: every row means something, and no two rows fight."""

import json
from importlib.resources import files

import pytest

from faultline.importers import combined, rule_for, rules
from faultline.kinds import Blame, StatusClass

PLAIN = json.loads(files("faultline.importers").joinpath("rules.json").read_text("utf-8"))


def test_every_id_stands_once():
    """
    A record carries the id, so it names one rule for ever.
    """
    ids = [row["id"] for row in PLAIN["rules"]]
    assert len(ids) == len(set(ids)) == len(rules())


@pytest.mark.parametrize("row", PLAIN["rules"], ids=lambda row: row["id"])
def test_every_rule_has_a_class_a_blame_and_says_whether_it_counts(row):
    """
    A class is a word of the vocabulary, or is taken from another rule and unknown until then.
    """
    rule = rules()[row["id"]]
    assert isinstance(rule.status, StatusClass)
    assert isinstance(rule.blame, Blame)
    assert rule.scoreable in ("yes", "no", "if_reward")
    assert not row["class"].startswith("<") or (rule.status, rule.scoreable) == (StatusClass.UNKNOWN, rule.scoreable)


def test_infrastructure_never_counts_and_is_never_the_agents_doing():
    """
    What the harness observed of itself or its host says nothing about an agent.
    """
    found = [rule for rule in rules().values() if rule.status in (StatusClass.INFRA, StatusClass.VERIFIER)]
    assert found
    assert not [rule.id for rule in found if rule.scoreable != "no" or rule.blame is Blame.AGENT]


def test_a_native_word_finds_its_rule_and_an_unknown_one_the_default():
    """
    A name that nobody knows is unknown and not scoreable.
    """
    assert "HB-01" == rule_for("harbor", "EnvironmentStartTimeoutError", "HB-90").id
    assert ("HB-90", "no") == (
        rule_for("harbor", "BrandNewError", "HB-90").id,
        rule_for("harbor", "BrandNewError", "HB-90").scoreable,
    )


def test_a_rule_behind_a_rule_keeps_both_ids():
    """
    An outage behind an empty patch is the outage's class, and never more scoreable than the outer rule.
    """
    found = combined("SW-08", rules()["HB-13"])
    assert ("SW-08 HB-13", StatusClass.INFRA, Blame.PROVIDER, "no") == (found.id, found.status, found.blame, found.scoreable)
