"""Thresholds with floors."""

import pytest

from faultline.errors import Faults, RefusedError
from faultline.gates import THRESHOLDS, gate_policy
from faultline.gates.audited_families import FAMILIES, SEVERITY
from faultline.gates.cost_reporting import UNKNOWN


def test_without_settings_the_floors_are_in_force():
    """
    Every threshold stands at its floor, and says that this is the default.
    """
    policy = gate_policy()

    assert all(policy[threshold] == threshold.floor for threshold in THRESHOLDS)
    assert {"default"} == {row.origin for row in policy.rows()}
    assert len(THRESHOLDS) == len(policy.rows())


def test_stricter_settings_are_taken_and_named():
    """
    A stricter number is in force, and the row says from which file.
    """
    policy = gate_policy({"audited_families": 25, "unknown_share": 0.02, "worst_severity": 0}, "faultline.toml")
    rows = {row.name: row for row in policy.rows()}

    assert (25, 0.02, 0) == (policy[FAMILIES], policy[UNKNOWN], policy[SEVERITY])
    assert ("at least 25", "at least 20", "faultline.toml") == (
        rows["audited_families"].value,
        rows["audited_families"].floor,
        rows["audited_families"].origin,
    )
    assert "at most 2 %" == rows["unknown_share"].value
    assert "default" == rows["trials_per_variant"].origin


@pytest.mark.parametrize("threshold", THRESHOLDS, ids=lambda threshold: threshold.name)
def test_no_threshold_can_be_looser(threshold):
    """
    One step below the floor is refused for every threshold, with file, key, floor and what was found.
    """
    step = -1 if threshold.stricter == "more" else 1
    looser = threshold.floor + step * (0.01 if isinstance(threshold.floor, float) else 1)

    with pytest.raises(RefusedError) as caught:
        gate_policy({threshold.name: looser}, "pyproject.toml")

    assert f"pyproject.toml: tool.faultline.gates.{threshold.name}" == caught.value.place
    assert threshold.shown(threshold.floor) in caught.value.expected
    assert repr(looser) == caught.value.found


@pytest.mark.parametrize("value", [True, "20", None, [20], 20.5, float("nan"), float("inf"), -1, 10**9])
def test_what_is_no_number_of_the_kind_is_refused(value):
    """
    Booleans, texts, fractions of a count, NaN and absurd numbers are refused.
    """
    with pytest.raises(RefusedError):
        gate_policy({"audited_families": value}, "pyproject.toml")


@pytest.mark.parametrize("value", [float("nan"), "all", False, -0.1])
def test_what_is_no_share_is_refused(value):
    """
    A share is a number between 0 and its floor.
    """
    with pytest.raises(RefusedError):
        gate_policy({"unknown_share": value}, "pyproject.toml")


@pytest.mark.parametrize("name", ["force", "skip", "G1", "publish", "audited-families"])
def test_there_is_no_other_setting(name):
    """
    A setting that is no threshold is refused: nothing can be forced or left out.
    """
    with pytest.raises(RefusedError, match="no such threshold"):
        gate_policy({name: True}, "faultline.toml")


def test_all_faults_are_reported_at_once():
    """
    Two wrong settings give two messages.
    """
    with pytest.raises(Faults) as caught:
        gate_policy({"force": True, "audited_families": 1}, "pyproject.toml")

    assert 2 == len(caught.value.errors)
