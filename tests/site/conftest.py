"""Sites built once for all tests of this folder."""

import sys
from pathlib import Path

import factories
import pytest

from faultline.card import build_card, rehearse_card

# The helpers beside this file are imported by name.
sys.path.insert(0, str(Path(__file__).parent))

from site_helpers import built_once, pages_of


@pytest.fixture(scope="session")
def small_card():
    return build_card(factories.small())


@pytest.fixture(scope="session")
def open_card():
    """The card of a made-up benchmark whose gates all hold, which publishing would refuse."""
    return rehearse_card(factories.full())


@pytest.fixture(scope="session")
def small_site(small_card, tmp_path_factory):
    return built_once(tmp_path_factory, "small", small_card)


@pytest.fixture(scope="session")
def small_pages(small_site):
    return pages_of(small_site)
