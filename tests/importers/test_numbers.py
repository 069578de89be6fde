"""Numbers and times as logs write them: what is none is unknown, and nothing that a log can hold stops an import."""

import math

import pytest

from faultline.importers.numbers import cost, count, number, usage
from faultline.importers.times import epoch_time, iso_time
from faultline.records import Absent

ODD = [None, True, "7", [], {}, math.nan, math.inf, -math.inf, 10**400, -(10**400)]


@pytest.mark.parametrize("value", [*ODD, -1, 0.5, 2**53])
def test_what_is_no_count_is_unknown(value):
    assert count(value) is None


@pytest.mark.parametrize("value", ODD)
def test_what_is_no_finite_number_is_unknown(value):
    assert number(value) is None


@pytest.mark.parametrize("value", [*ODD, -0.01, 1e9, 1e300])
def test_what_is_no_cost_is_unknown(value):
    assert isinstance(cost(value, "the log"), Absent)


def test_a_cost_is_a_decimal_and_zero_is_unknown_where_a_format_says_so():
    assert "0.012500" == str(cost(0.0125, "the log").usd)
    assert "0.000000" == str(cost(0, "the log").usd)
    assert isinstance(cost(0, "the log", zero_is_unknown=True), Absent)


def test_tokens_of_which_nothing_is_known_are_absent_as_a_whole():
    assert isinstance(usage(), Absent)
    assert (0, True) == (usage(output=0).output, isinstance(usage(output=0).uncached_input, Absent))


@pytest.mark.parametrize("text", [None, 7, "", "yesterday", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"])
def test_what_is_no_time_is_unknown(text):
    assert iso_time(text) is None


@pytest.mark.parametrize("value", [None, "x", 0, -1, math.nan, math.inf, 1e300])
def test_what_is_no_unix_time_is_unknown(value):
    assert epoch_time(value) is None


def test_milliseconds_and_seconds_are_told_apart_by_their_size():
    assert epoch_time(1_764_424_000) == epoch_time("1764424000000")
