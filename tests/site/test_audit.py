"""The audit history: newest first, one anchor an entry, and a feed whose ids stay."""

import dataclasses
from datetime import date
from xml.etree import ElementTree as ET

import factories
from site_helpers import Html

from faultline.card import build_card
from faultline.kinds import AuditQuestion, SignatureState
from faultline.records import SignatureCheck
from faultline.site.feed import anchor_of, audit_feed, entry_id
from faultline.site.pages_audit import pages
from faultline.site.shell import Shell

ATOM = {"a": "http://www.w3.org/2005/Atom"}


def card(*corrections, auditors=()):
    return build_card(factories.benchmark([factories.audited(factories.task(corrections=corrections), auditors)]))


def ids(of):
    return [entry.findtext("a:id", namespaces=ATOM) for entry in ET.fromstring(audit_feed(of)).findall("a:entry", ATOM)]


class TestFeed:
    def test_an_entry_keeps_its_id_when_it_is_told_better(self):
        """
        Mending the words of a correction leaves its id as it was.
        """
        first = factories.correction()
        second = first.model_copy(update={"title": "Another title", "why": "told better"})

        assert ids(card(first)) == ids(card(second))

    def test_entries_have_ids_of_their_own(self):
        """
        Two corrections and two audits are four entries with four ids.
        """
        of = card(factories.correction(), factories.correction("second", date(2026, 2, 9)), auditors=factories.AUDITORS)

        assert 4 == len(set(ids(of)))
        assert all(name.startswith("urn:uuid:") for name in ids(of))

    def test_it_is_complete_and_dated_by_its_entries(self):
        """
        The feed has what Atom asks for, and its date is that of the newest entry, not of the build.
        """
        feed = ET.fromstring(audit_feed(card(factories.correction())))

        assert "2026-02-03T00:00:00Z" == feed.findtext("a:updated", namespaces=ATOM)
        for name in ("id", "title", "author/a:name", "entry/a:title", "entry/a:updated", "entry/a:content"):
            assert feed.findtext(f"a:{name}", namespaces=ATOM)

    def test_a_history_without_entries_is_a_feed_too(self):
        """
        Without corrections and audits the feed is valid and empty.
        """
        assert [] == ids(card())

    def test_text_that_no_xml_can_hold_is_left_out(self):
        """
        A control character in a record does not break the feed.
        """
        of = card(factories.correction())
        entry = of.history[0]
        bad = entry.model_copy(update={"title": "a\x00b\x1b[31m<&"})

        feed = ET.fromstring(audit_feed(of.model_copy(update={"history": (bad,)})))

        assert "alpha: ab[31m<&" == feed.findtext("a:entry/a:title", namespaces=ATOM)


class TestAnchors:
    def test_a_correction_is_found_by_its_id(self):
        """
        Links to a correction use its own id.
        """
        (page,) = pages(card(factories.correction("the-name")))

        assert ["the-name"] == page.context["anchors"]

    def test_audits_of_one_day_differ(self):
        """
        Two audits of one task on one day have different anchors.
        """
        of = card(auditors=factories.AUDITORS)

        assert 2 == len({anchor_of(entry) for entry in of.history})
        assert 2 == len({entry_id(entry) for entry in of.history})


def test_newest_first(small_card):
    """
    The page lists what the card lists, in its order.
    """
    days = [entry.at for entry in small_card.history]

    assert sorted(days, reverse=True) == days
    assert dataclasses.is_dataclass(next(iter(pages(small_card))))


class TestStanding:
    @staticmethod
    def body(of):
        shell = Shell(of)
        return Html(shell.body(shell.pages["audit-history"])).words, Html(shell.body(shell.pages["tasks/alpha"])).words

    def test_an_audit_says_whether_it_counts_and_is_signed(self):
        """
        On the history and on its task's page an audit carries its signature's state and why it does not count.
        """
        task = factories.audited(factories.task(), ["Bea Reader"])
        task = factories.audited(task, ["Ada Author"], answers=dict.fromkeys(AuditQuestion, "yes") | {AuditQuestion.FAIR: "no"})
        key = SignatureCheck(state=SignatureState.SIGNED, key="SHA256:made-up")
        benchmark = factories.benchmark([task], signatures={task.audits[0].content_digest(): key})
        history, page = self.body(build_card(benchmark))

        for words in (history, page):
            assert "signed SHA256:made-up" in words
            assert "does not count the author" in words
        assert "Answered no to fair" in history

    def test_a_signature_that_does_not_fit_is_shown(self):
        """
        A bad signature is named where the audit stands.
        """
        task = factories.audited(factories.task(), ["Bea Reader"])
        bad = {task.audits[0].content_digest(): SignatureCheck(state=SignatureState.BAD)}
        history, _ = self.body(build_card(factories.benchmark([task], signatures=bad)))

        assert "bad" in history
        assert "does not count its signature does not fit" in history


class TestReviews:
    """How far readings have come is shown; what was read is not."""

    @staticmethod
    def body(benchmark, path):
        shell = Shell(build_card(benchmark))
        return Html(shell.body(shell.pages[path])).words

    def test_nothing_drawn_yet(self):
        """
        Without a sample the page says so, and which gate asks for one.
        """
        small = factories.small()
        words = self.body(factories.benchmark(small.tasks, small.runs), "audit-history")

        assert "No sample of an evaluation has been drawn" in words
        assert "Gate G5" in words

    def test_a_read_sample(self):
        """
        Drawn and read trajectories, controls, readers and disagreements stand on the history and on the run's page.
        """
        small = factories.small()
        first = next(item for item in small.reviews if item.key.run == "evaluation-1")
        reviews = tuple(item.model_copy(update={"reading": "cannot-tell"}) if item is first else item for item in small.reviews)
        benchmark = dataclasses.replace(small, reviews=reviews)

        assert "evaluation-1 18 18 6 2 0 0 of 1 settled" in self.body(benchmark, "audit-history")
        assert "18 of 18 drawn trajectories read by two people or more; 0 of 1 disagreements settled" in self.body(
            benchmark, "runs/evaluation-1"
        )

    def test_a_sample_that_nobody_has_read(self):
        """
        A drawn sample without readings has no disagreements to count: the page says that nobody has read yet.
        """
        unread = dataclasses.replace(factories.small(), reviews=())

        assert "evaluation-1 18 0 6 0 0 nobody has read yet" in self.body(unread, "audit-history")
        assert "disagreements" not in self.body(unread, "runs/evaluation-1")

    def test_how_often_a_label_was_given_is_not_published(self):
        """
        The share of readings under each label is nearly a pass rate, and stands on no page while nothing is ranked.
        """
        shell = Shell(build_card(factories.small()))
        pages = {path: Html(shell.body(page)).words for path, page in shell.pages.items()}

        assert "raw agreement 100 %" in pages["publication-gate"]
        assert [] == [path for path, words in pages.items() if "passed 50 %" in words or "failed 50 %" in words]
