"""Filters that templates print with."""

import pytest

from faultline.site.environment import seconds


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0004, "under 1 ms"),
        (0.4874, "487 ms"),
        (5.54, "5.54 s"),
        (89.0, "1 min 29 s"),
        (3600.0, "1 h 00 min"),
        (247_314.0, "68 h 41 min"),
    ],
)
def test_a_duration_is_told_in_the_unit_that_people_use(value, text):
    """
    Milliseconds, seconds, minutes or hours, by size.
    """
    assert text == seconds(value)
