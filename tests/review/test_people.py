"""Who is who."""

import pytest

from faultline.review import names_in, person


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann Lee", "ann  lee"),
        ("Ann Lee <ann@one.org>", "Ann Lee <lee@two.org>"),
        ("A. Lee", "a lee"),
        ("Ann Lee (work)", "ANN LEE"),
        ("\uff21nn Lee", "Ann Lee"),
    ],
)
def test_one_person_under_two_spellings(one, other):
    """
    Case, spaces, dots, addresses and wide letters do not make a second person.
    """
    assert person(one) == person(other)


def test_two_people_stay_two():
    """
    Different names are different people.
    """
    assert person("Ann Lee") != person("Anna Lee")


def test_an_address_alone_is_a_name():
    """
    A person known only by an address is still somebody.
    """
    assert person("<ann@one.org>") != ""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("As made-up-model-1, I would say", ("made-up-model-1",)),
        ("As Made Up Model 1 I would say", ("made-up-model-1",)),
        ("MADE_UP_MODEL_1!", ("made-up-model-1",)),
        ("a made-up story", ()),
        ("", ()),
    ],
)
def test_names_are_found_however_they_are_joined(text, found):
    """
    A name is found whatever stands between its parts, and not inside other words.
    """
    assert found == names_in(text, ["made-up-model-1", "tinker"])


def test_short_names_are_not_searched_for():
    """
    A name of two letters stands in ordinary text and proves nothing.
    """
    assert () == names_in("it is an O1 case", ["o1"])
