"""``faultline review``: from the draw to agreement, on a sealed evaluation of a tiny benchmark."""

import json
import re
import shutil

import pytest
from commands import run_command
from evaluated import write_evaluated

from faultline.archive import load_benchmark
from faultline.gates import gate_policy, gather
from faultline.gates.blinded_review import GATE as BLINDED
from faultline.gates.reviewer_agreement import GATE as AGREEMENT
from faultline.records import ReviewMaterial, ReviewSample


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    return write_evaluated(tmp_path_factory.mktemp("reviewed"))


@pytest.fixture
def root(evaluated, tmp_path):
    """A copy of the evaluated benchmark that a test may write into."""
    return shutil.copytree(evaluated, tmp_path / "benchmark")


@pytest.fixture
def run(root):
    return next(path.name for path in (root / "runs").iterdir() if path.name.startswith("tinker-bell"))


@pytest.fixture
def review(root):
    return lambda *arguments: run_command(root, "review", *arguments)


@pytest.fixture
def sampled(review, run, root):
    """Draw the sample and make a packet."""
    assert 0 == review("sample", run).code
    assert 0 == review("packet", run, "--reviewer", "Dot Onlooker", "--out", root / "dot.html").code
    folder = root / "runs" / run / "reviews"
    sample = ReviewSample.parse((folder / "sample.json").read_bytes().strip(), "sample")
    material = ReviewMaterial.parse((folder / "material.json").read_bytes().strip(), "material")
    return sample, material


@pytest.fixture
def answers(sampled, root):
    """Write what a reader sends back: by default every item read as it is on record."""
    sample, material = sampled
    verdicts = {"good-control": "passed", "bad-control": "failed", "trajectory": "failed"}

    def write(name, readings=None, drop=0, **changes):
        plain = {
            "schema": "faultline/review-answers/1",
            "sample": sample.content_digest(),
            "material": material.content_digest(),
            "reviewer": name,
            "saved_at": "2026-12-01T10:00:00.123Z",
            "answers": [
                {
                    "item": item.item,
                    "reading": (readings or {}).get(item.item, verdicts[item.role]),
                    "confidence": 2,
                    "recognised": False,
                    "notes": "",
                }
                for item in sample.items[drop:]
            ],
        }
        path = root / f"{re.sub('[^a-z]', '', name.lower())}.json"
        path.write_text(json.dumps(plain | changes))
        return path

    return write


def trajectory(sample):
    return next(item for item in sample.items if item.role == "trajectory")


class TestSample:
    def test_it_is_drawn_from_the_results(self, review, run, root):
        """
        All trajectories of a small run and the controls that there are; drawing again changes nothing.
        """
        first = review("sample", run)
        again = review("sample", run)

        assert (0, 0) == (first.code, again.code)
        assert "9 trajectories, 2 good and 2 bad controls" in first.out
        assert "drawn already" in again.out

    def test_another_size_does_not_replace_it(self, review, run, root):
        """
        A sample that is there stays: another one is a conflict, exit code 4.
        """
        review("sample", run)
        done = review("sample", run, "--size", "40")

        assert 4 == done.code
        assert "another sample has been drawn already" in done.err

    @pytest.mark.parametrize(("arguments", "words"), [(("--size", "5"), "at least 30"), ((), "there is no such run")])
    def test_what_cannot_be_drawn_is_refused(self, review, run, arguments, words):
        """
        Fewer trajectories than the gate asks for, and a run that is not there, end with exit code 2.
        """
        done = review("sample", run if arguments else "no-such-run", *arguments)

        assert 2 == done.code
        assert words in done.err

    def test_a_validity_run_is_not_read(self, review, root):
        """
        Controls are evidence about tasks: a sample of them alone is refused.
        """
        name = next(path.name for path in (root / "runs").glob("validity-*"))

        assert "no agent's work to read" in review("sample", name).err

    def test_without_a_validity_run_there_are_no_controls(self, review, run, root):
        """
        The controls come from the validity run; without one the command says how to get it.
        """
        for path in (root / "runs").glob("validity-*"):
            shutil.rmtree(path)
        done = review("sample", run)

        assert 2 == done.code
        assert "next: faultline validate" in done.err


class TestPacket:
    def test_it_names_nobody(self, sampled, root, run):
        """
        The file holds neither agent, model, run, path, verdict nor role, and what the agent wrote of itself is taken out.
        """
        page = (root / "dot.html").read_text()

        assert [] == [
            word
            for word in (
                "tinker",
                "Tinker",
                "made-up",
                run,
                "adalovelace",
                "/home",
                "trajectory",
                "control",
                "wrong-",
                "valid-",
            )
            if word in page
        ]
        assert "# As ⟦name⟧, see ⟦path⟧" in page

    def test_it_asks_nothing_of_the_network(self, sampled, root):
        """
        One file: a policy that allows its own script and style only, and no address of another one.
        """
        page = (root / "dot.html").read_text()

        assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
        assert [] == re.findall(r'(?:src|href)="[^"]*"', page)
        assert "http" not in page.replace("http-equiv", "")

    def test_each_reader_has_an_order_of_their_own(self, review, sampled, run, root):
        """
        Two readers see the same items in different orders, and the same reader the same packet again.
        """
        review("packet", run, "--reviewer", "Eli Judge", "--out", root / "eli.html")
        done = review("packet", run, "--reviewer", "Dot Onlooker", "--out", root / "dot.html")
        orders = [re.findall(r'id="item-([0-9a-f]{16})"', (root / name).read_text()) for name in ("dot.html", "eli.html")]

        assert 0 == done.code
        assert orders[0] != orders[1]
        assert sorted(orders[0]) == sorted(orders[1])

    def test_a_packet_does_not_overwrite_another_file(self, review, sampled, run, root):
        """
        A file of another content stays, exit code 2.
        """
        (root / "mine.html").write_text("mine")
        done = review("packet", run, "--reviewer", "Eli Judge", "--out", root / "mine.html")

        assert (2, "mine") == (done.code, (root / "mine.html").read_text())

    def test_the_sample_can_be_named_by_its_file(self, review, sampled, run, root):
        """
        SAMPLE is a run or the path of its sample.
        """
        path = root / "runs" / run / "reviews" / "sample.json"

        assert 0 == review("packet", path, "--reviewer", "Eli Judge", "--out", root / "eli.html").code

    def test_a_sample_picked_by_hand_gets_no_packet(self, review, run, root):
        """
        A plan that is not what the results draw is refused, exit code 5.
        """
        review("sample", run)
        path = root / "runs" / run / "reviews" / "sample.json"
        plain = json.loads(path.read_text())
        plain["items"] = plain["items"][1:]
        path.write_text(json.dumps(plain))
        done = review("packet", run, "--reviewer", "Eli Judge", "--out", root / "eli.html")

        assert 5 == done.code
        assert "not what the results draw" in done.err

    def test_a_name_that_is_left_is_refused_by_its_place(self, review, run, root, monkeypatch):
        """
        Where redaction misses a name the packet is refused with the place and without the name; --mask hides the line.
        """
        review("sample", run)
        # The issue of every item holds the word "mail", which redaction leaves: as a name, glued, only the scan finds it.
        monkeypatch.setattr("faultline.cli.reviews.hidden_names", lambda _: ("weeklymailshows",))
        done = review("packet", run, "--reviewer", "Eli Judge", "--out", root / "eli.html")

        assert 2 == done.code
        assert "item 1, the issue, line 1" in done.err
        assert "weeklymailshows" not in done.err
        assert not (root / "eli.html").exists()
        assert 0 == review("packet", run, "--reviewer", "Eli Judge", "--out", root / "eli.html", "--mask").code
        assert "⟦line hidden⟧" in (root / "eli.html").read_text()

    def test_without_a_sample_there_is_no_packet(self, review, run):
        """
        The error names the command that draws one.
        """
        assert f"next: faultline review sample {run}" in review("packet", run, "--reviewer", "Eli").err


class TestCollect:
    def test_readings_are_stored_with_the_run(self, review, answers, run, root):
        """
        One file a reading, with the agent's name only now; collecting again changes nothing.
        """
        path = answers("Dot Onlooker")
        first, again = review("collect", path), review("collect", path)
        files = [item for item in (root / "runs" / run / "reviews").glob("*.json") if item.name.startswith("dot-onlooker")]

        assert "read 13 items" in first.out
        assert "13 new, 0 there already" in first.out
        assert "0 new, 13 there already" in again.out
        assert 13 == len(files)
        assert "tinker-bell" in files[0].read_text() + files[1].read_text() + "".join(item.read_text() for item in files)
        assert () == load_benchmark(root).problems

    def test_another_answer_is_a_conflict_that_is_named(self, review, answers, sampled, root, run):
        """
        The same reader with another answer: exit code 4, the file that stands, and nothing is written of any file.
        """
        review("collect", answers("Dot Onlooker"))
        item = trajectory(sampled[0]).item
        done = review("collect", answers("Eli Judge"), answers("dot  ONLOOKER", {item: "passed"}))

        assert 4 == done.code
        assert f"{item}.json: this reader has answered otherwise before" in done.err
        assert [] == list((root / "runs" / run / "reviews").glob("eli-judge*"))

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"drop": 2}, "this is a draft: not every item is answered"),
            ({"sample": f"sha256:{'0' * 64}"}, "no run of this benchmark has this sample"),
            ({"material": f"sha256:{'0' * 64}"}, "about something else than readers are shown"),
            ({"reviewer": "."}, "nobody is named"),
            ({"schema": "faultline/review/1"}, "schema"),
            ({"saved_at": "yesterday"}, "saved_at"),
            ({"extra": 1}, "this field does not exist"),
        ],
    )
    def test_what_is_wrong_is_named_and_nothing_written(self, review, answers, root, run, changes, words):
        """
        A draft, answers of another packet, nobody's answers and malformed files end with exit code 2.
        """
        done = review("collect", answers("Dot Onlooker", **changes))

        assert 2 == done.code
        assert words in done.err
        assert [] == list((root / "runs" / run / "reviews").glob("dot*"))

    @pytest.mark.parametrize("change", ["twice", "unknown"])
    def test_items_are_those_of_the_sample_each_once(self, review, answers, change):
        """
        An item that is answered twice, or is none, is named.
        """
        path = answers("Dot Onlooker")
        plain = json.loads(path.read_text())
        if change == "twice":
            plain["answers"].append(plain["answers"][0])
        else:
            plain["answers"][0]["item"] = "0" * 16
        path.write_text(json.dumps(plain))
        done = review("collect", path)

        assert 2 == done.code
        assert {"twice": "this item is answered twice", "unknown": "this item is not in the sample"}[change] in done.err

    def test_a_file_that_is_none(self, review, sampled, root):
        """
        A file that is not there and one that is no JSON are one line each.
        """
        (root / "no.json").write_text("{")
        done = review("collect", root / "gone.json", root / "no.json")

        assert 2 == done.code
        assert 2 == len(done.err.splitlines())


class TestAgreement:
    def test_nothing_drawn(self, review):
        """
        Without a sample the exit code is 3, and the next step is told.
        """
        done = review("agreement")

        assert 3 == done.code
        assert "faultline review sample RUN" in done.out

    def test_numbers_of_two_readers(self, review, answers, run, sampled):
        """
        Raw agreement, prevalence, alpha, AC1, controls and the upper bounds of the grader's errors, in text and JSON.
        """
        item = trajectory(sampled[0]).item
        review("collect", answers("Dot Onlooker"), answers("Eli Judge", {item: "cannot-tell"}))
        (found,) = json.loads(review("agreement", run, "--json").out)
        text = review("agreement").out

        assert 8 / 9 == pytest.approx(found["raw_agreement"])
        assert {"failed": 17 / 18, "cannot-tell": 1 / 18} == pytest.approx(found["prevalence"])
        assert {"items": 2, "readings": 4, "right": 4} == found["controls"]["good"] == found["controls"]["bad"]
        assert (1, 9) == (found["grader_error"]["false_failures"]["errors"], found["grader_error"]["false_failures"]["read"])
        assert (None, 0) == (found["grader_error"]["false_passes"]["errors"], found["grader_error"]["false_passes"]["read"])
        assert [(item, True)] == [(row["item"], row["open"]) for row in found["disagreements"]]
        assert "raw agreement 89 % on 9 trajectories (failed 94 %, cannot-tell 6 %)" in text
        assert "recorded as failed and wrong: 1 of 9 read; at most" in text
        assert f"lacks a settlement of item {item}" in text

    def test_all_ok_is_found_out(self, review, answers, run, sampled):
        """
        Readers who call everything right recognise no bad control.
        """
        ok = {item.item: "passed" for item in sampled[0].items}
        review("collect", answers("Dot Onlooker", ok), answers("Eli Judge", ok))
        done = review("agreement", run)

        assert 3 == done.code
        assert "lacks bad controls that readers recognise: 0 of 4 readings right" in done.out


class TestAdjudicate:
    @pytest.fixture
    def disputed(self, review, answers, sampled):
        item = trajectory(sampled[0]).item
        review("collect", answers("Dot Onlooker"), answers("Eli Judge", {item: "passed"}))
        return item

    def settle(self, review, run, item, who="Fay Third", verdict="failed", why="the README says so"):
        return review("adjudicate", run, item, "--by", who, "--verdict", verdict, "--why", why)

    def test_a_third_person_settles_a_dispute(self, review, run, disputed):
        """
        Who, what and why are kept; the item is open no more, and doing it again changes nothing.
        """
        first, again = self.settle(review, run, disputed), self.settle(review, run, disputed)
        (found,) = json.loads(review("agreement", run, "--json").out)

        assert (0, 0) == (first.code, again.code)
        assert "settled already" in again.out
        assert [("failed", False)] == [(row["settled"], row["open"]) for row in found["disagreements"]]
        assert [("Fay Third", "failed", "the README says so")] == [
            (row["adjudicator"], row["verdict"], row["why"]) for row in found["adjudications"]
        ]
        assert 0 == found["grader_error"]["false_failures"]["errors"]

    @pytest.mark.parametrize(
        ("changes", "code", "words"),
        [
            ({"who": "dot ONLOOKER"}, 2, "a reader of the item cannot settle it"),
            ({"who": "."}, 2, "a reader of the item cannot settle it"),
            ({"why": " "}, 2, "a settlement needs a reason"),
            ({"item": "0" * 16}, 2, "no such item"),
            ({"verdict": "passed"}, 4, "settled it otherwise before"),
        ],
    )
    def test_what_settles_nothing_is_refused(self, review, run, disputed, changes, code, words):
        """
        A reader of the item, nobody, no reason, an unknown item, and a change of mind are refused.
        """
        self.settle(review, run, disputed)
        done = self.settle(review, run, **({"item": disputed} | changes))

        assert code == done.code
        assert words in done.err

    def test_nobody_disagrees(self, review, run, answers, sampled):
        """
        What is not in dispute is not settled.
        """
        review("collect", answers("Dot Onlooker"), answers("Eli Judge"))

        assert "nobody disagrees" in self.settle(review, run, trajectory(sampled[0]).item).err


def test_the_gates_see_what_was_collected(review, answers, run, root):
    """
    After two readers who agree with the record, blinded review holds; agreement on one family proves too little.
    """
    review("collect", answers("Dot Onlooker"), answers("Eli Judge"))
    facts, policy = gather(load_benchmark(root)), gate_policy()

    assert "pass" == BLINDED.answer(facts, policy, publishing=True).outcome
    found = AGREEMENT.answer(facts, policy, publishing=True)
    assert ["agreement: its lower end is 0.05, and more than 0.667 is needed"] == [item.needs for item in found.lacking]
