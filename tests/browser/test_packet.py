"""A reader fills in a packet in a real browser, offline, and sends the file back."""

import json
import sys
from pathlib import Path

import factories
import pytest
from commands import run_command
from evaluated import write_evaluated

from faultline.records import ReviewAnswers
from faultline.review import Shown, material_of, packet_page, shuffled

sys.path.insert(0, str(Path(__file__).parent))

from chromium import CHROMIUM, Browser

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="the Debian package chromium is not installed"),
]

SAMPLE = factories.small().rooms[0].sample
HOSTILE = '</pre><script>document.title = "taken"</script><img src=x onerror=\'document.title="taken"\'>\n<!--'
FILL = """
for (const item of JSON.parse(document.getElementById("packet").textContent).items.slice(0, %d)) {
  document.querySelector(`input[name="${item}.reading"][value="failed"]`).click();
  document.querySelector(`input[name="${item}.confidence"][value="3"]`).click();
  document.querySelector(`textarea[name="${item}.notes"]`).value = "caf\u00e9 <b>";
}
document.getElementById("save").click();
document.getElementById("progress").textContent
"""


@pytest.fixture
def packet(tmp_path):
    """A packet whose every part is hostile text."""
    shown = Shown(HOSTILE, {"a.py": b"old\n"}, {"a.py": HOSTILE.encode(), HOSTILE: None}, factories.passed().public)
    material = material_of(SAMPLE, {item.item: shown for item in SAMPLE.items}, ())
    path = tmp_path / "packet.html"
    path.write_bytes(packet_page(material, f"Ann {HOSTILE[:60]}"))
    return path, material


def test_the_answers_are_saved_as_a_file_that_reads(packet, tmp_path):
    """
    Filled in over file://, the packet saves one answer for each item, in the reader's order, bound to what was shown; it asks
    nothing of any host, says nothing on its console, and runs nothing of what candidates wrote.
    """
    path, material = packet
    with Browser(tmp_path) as browser:
        browser.open(path)
        said = browser.run(FILL % 1_000)
        saved = browser.saved("review.json")
        title = browser.run("document.title")

    answers = ReviewAnswers.parse(saved, "review.json")
    assert f"{len(SAMPLE.items)} of {len(SAMPLE.items)} answered" == said
    assert [item.item for item in shuffled(material, answers.reviewer)] == [answer.item for answer in answers.answers]
    assert (SAMPLE.content_digest(), material.content_digest()) == (answers.sample, answers.material)
    assert {("failed", 3, False, "café <b>")} == {
        (answer.reading, answer.confidence, answer.recognised, answer.notes) for answer in answers.answers
    }
    assert [] == browser.console
    assert [] == [address for address in browser.requests if not address.startswith(("file:", "blob:"))]
    assert "Blinded review" in title


def test_a_draft_can_be_saved_and_taken_up_again(packet, tmp_path):
    """
    A file saved before the end is called a draft, holds what was answered, and fills the same packet in again; a file of
    another packet does not.
    """
    path, _ = packet
    restore = """(async () => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([%s], "draft.json"));
      const open = document.getElementById("open");
      open.files = transfer.files;
      open.dispatchEvent(new Event("change"));
      await new Promise((done) => setTimeout(done, 200));
      return document.getElementById("progress").textContent;
    })()"""
    with Browser(tmp_path) as browser:
        browser.open(path)
        browser.run(FILL % 2)
        draft = browser.saved("review-draft.json").decode()
        browser.open(path)
        again = browser.run(restore % json.dumps(draft))
        other = browser.run(restore % json.dumps(draft.replace(SAMPLE.content_digest(), "sha256:other")))

    assert 2 == len(json.loads(draft)["answers"])
    assert f"2 of {len(SAMPLE.items)} answered; a file saved now is a draft" == again
    assert "this file belongs to another packet" == other
    assert [] == browser.console


@pytest.mark.slow
def test_what_the_browser_saved_is_collected(tmp_path):
    """
    From a sealed run to its readings: sample, packet, answers given in the browser, collected and counted.
    """
    root = write_evaluated(tmp_path)
    run = next(path.name for path in (root / "runs").iterdir() if path.name.startswith("tinker-bell"))
    assert 0 == run_command(root, "review", "sample", run).code
    assert 0 == run_command(root, "review", "packet", run, "--reviewer", "Ann Lee", "--out", tmp_path / "ann.html").code
    with Browser(tmp_path) as browser:
        browser.open(tmp_path / "ann.html")
        browser.run(FILL % 1_000)
        browser.saved("review.json")
    done = run_command(root, "review", "collect", tmp_path / "review.json")
    (found,) = json.loads(run_command(root, "review", "agreement", run, "--json").out)

    assert (0, True) == (done.code, "13 new, 0 there already" in done.out)
    assert {"items": 2, "readings": 2, "right": 2} == found["controls"]["bad"]
    assert {"items": 2, "readings": 2, "right": 0} == found["controls"]["good"]
