"""The badge says the state of the leaderboard and nothing about an agent."""

import json
from xml.etree import ElementTree as ET

from faultline.site.pages_leaderboard import files


def test_withheld(small_card):
    """
    Picture and data say that the leaderboard is withheld and how many gates hold.
    """
    found = files(small_card)

    report = small_card.report
    assert f"withheld, {report.holding} of {report.total} gates" == json.loads(found["badge.json"])["message"]
    assert "leaderboard: withheld" in ET.fromstring(found["badge.svg"]).findtext("{http://www.w3.org/2000/svg}title")


def test_open(open_card):
    """
    Behind a gate pass the badge says that the leaderboard is open.
    """
    data = json.loads(files(open_card)["badge.json"])

    assert data["message"].startswith("open, ")
    assert data["gates"] == data["gates_holding"]
