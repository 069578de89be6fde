"""One template or two?"""

import factories

from faultline.gates.likeness import shape, templates


def test_other_names_have_one_shape():
    """
    Renaming everything, changing every number and adding comments leaves the shape.
    """
    assert shape("def f(a):\n    return a + 1\n") == shape("def gg(bb):  # why\n    return bb + 27\n")


def test_families_are_grouped_transitively():
    """
    Families that are alike through a third one are one template.
    """
    one, other = shape(factories.hidden_source("one")), shape(factories.hidden_source("other"))
    groups = templates({"a": [one], "c": [other], "b": [one, other], "d": [shape(factories.hidden_source("far"))]})

    assert (("a", "b", "c"), ("d",)) == groups


def test_short_and_broken_sources_are_only_like_themselves():
    """
    What cannot be cut into tokens is compared as a whole.
    """
    assert shape("(") == shape("(") != shape("((")
    assert shape("x = 1") == shape("y = 2") != shape("x()")


def test_no_family_no_template():
    """
    Nothing is like nothing.
    """
    assert () == templates({})
