"""Verifying: every way in which a sealed run can be damaged or forged is named, first things first."""

import json
import shutil

import pytest
from archive_samples import FinishedRun, content, lines, reseal, rewrite
from hypothesis import given, settings
from hypothesis import strategies as st

from faultline.archive import verify_run
from faultline.errors import MissingInputError
from faultline.kinds import digest_bytes
from faultline.records import canonical_bytes, digest_of_plain

OTHER = "sha256:" + "0" * 64


def first(folder):
    """Return place and kind of the first mismatch."""
    mismatch = verify_run(folder)[0]
    return mismatch.place, mismatch.kind


def test_an_untouched_run_verifies(sealed):
    """
    A run as it was sealed has no mismatch.
    """
    assert () == verify_run(sealed)


def test_a_copy_under_another_name_verifies(sealed, tmp_path):
    """
    The name of the folder is no part of the evidence.
    """
    assert () == verify_run(shutil.copytree(sealed, tmp_path / "copy"))


def test_a_folder_that_is_not_there(tmp_path):
    """
    A run that does not exist is an error and not a run without a mismatch.
    """
    with pytest.raises(MissingInputError, match="no such run folder"):
        verify_run(tmp_path / "none")


class TestFiles:
    @pytest.mark.parametrize("name", ["manifest.json", "trials.jsonl", "traces/cell-1.1.json.gz", "candidates/2.json"])
    def test_a_missing_file(self, sealed, name):
        """
        A sealed file that is gone is named.
        """
        (sealed / name).unlink()

        assert (name, "missing-file") == first(sealed)

    def test_a_missing_seal(self, sealed):
        """
        A run without a seal verifies nothing.
        """
        (sealed / "seal.json").unlink()

        assert [("seal.json", "missing-file")] == [(found.place, found.kind) for found in verify_run(sealed)]

    @pytest.mark.parametrize("name", ["extra.txt", "traces/extra.json.gz", ".hidden", "conflicts.jsonl"])
    def test_an_extra_file(self, sealed, name):
        """
        A file that the seal does not know is named, hidden ones too.
        """
        (sealed / name).write_bytes(b"more\n")

        assert (name, "extra-file") in [(found.place, found.kind) for found in verify_run(sealed)]

    def test_reviews_may_be_added(self, sealed):
        """
        Reviews come after the seal and are not covered by it.
        """
        (sealed / "reviews").mkdir()
        (sealed / "reviews" / "a.json").write_bytes(b"{}")

        assert () == verify_run(sealed)

    def test_a_link_in_place_of_a_file(self, sealed, tmp_path):
        """
        A symbolic link is no sealed file, even when it leads to the right bytes.
        """
        (sealed / "candidates/1.json").rename(tmp_path / "elsewhere")
        (sealed / "candidates/1.json").symlink_to(tmp_path / "elsewhere")

        assert ("candidates/1.json", "path") == first(sealed)

    def test_a_sealed_path_that_leads_out(self, sealed):
        """
        A seal that names a file outside the run is never followed.
        """
        seal = json.loads((sealed / "seal.json").read_bytes())
        (sealed.parent / "outside").write_bytes(b"x")
        reseal(sealed)
        seal["files"]["../outside"] = digest_bytes(b"x")
        (sealed / "seal.json").write_bytes(canonical_bytes(seal) + b"\n")

        assert ("../outside", "missing-file") == first(sealed)

    def test_a_torn_seal(self, sealed):
        """
        A seal that was cut is unreadable.
        """
        (sealed / "seal.json").write_bytes((sealed / "seal.json").read_bytes()[:-20])

        assert ("seal.json", "unreadable") == first(sealed)

    @settings(max_examples=30, deadline=None)
    @given(data=st.data())
    def test_any_changed_byte_is_found(self, tmp_path_factory, data):
        """
        Change any byte of any file, and the run does not verify.
        """
        folder = FinishedRun(tmp_path_factory.mktemp("run")).seal()
        name = data.draw(st.sampled_from(sorted(content(folder))))
        old = (folder / name).read_bytes()
        at = data.draw(st.integers(0, len(old) - 1))
        new = data.draw(st.integers(0, 255).filter(lambda byte: byte != old[at]))
        (folder / name).write_bytes(old[:at] + bytes([new]) + old[at + 1 :])
        # Digits of the seal's own instant are the one thing that only the digest of the seal, cited elsewhere, can pin.
        instant = old.find(b'"sealed_at"')

        assert verify_run(folder) or (name == "seal.json" and instant < at < instant + 40)


class TestRows:
    """Here a forger made the digests fit; the plan and the rows still tell."""

    def test_two_rows_for_one_cell(self, sealed):
        """
        A cell with two rows is named with both lines.
        """
        rows = lines(sealed)
        rewrite(sealed, [*rows[:2], rows[0], *rows[2:]])
        mismatch = verify_run(sealed)[0]

        assert ("trials.jsonl:3", "two-rows", "line 1 too") == (mismatch.place, mismatch.kind, mismatch.found)

    def test_a_cell_without_a_row(self, sealed):
        """
        A planned cell whose trial was dropped is named, and so are its orphaned artifacts and the counts.
        """
        rewrite(sealed, lines(sealed)[:-1])

        assert [
            ("trials.jsonl", "no-row"),
            ("candidates/3.json", "no-row"),
            ("traces/cell-3.1.json.gz", "no-row"),
            ("seal.json", "count"),
        ] == [(found.place, found.kind) for found in verify_run(sealed)]

    @pytest.mark.parametrize(
        ("change", "kind"),
        [
            (
                {"key": {"run": "sample-run", "task": "alpha", "variant": "one", "agent": "sample-agent", "trial": 9}},
                "not-planned",
            ),
            ({"key": {"run": "other", "task": "alpha", "variant": "one", "agent": "sample-agent", "trial": 0}}, "other-run"),
            ({"task_digest": OTHER}, "task-digest"),
            ({"task_digest": {"absence": "unknown", "reason": "lost"}}, "task-digest"),
            ({"workspace_digest": OTHER}, "workspace-digest"),
            ({"hash_seed": 77}, "hash-seed"),
            ({"sandbox": "bubblewrap"}, "sandbox"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_a_row_that_the_plan_does_not_pin(self, sealed, change, kind):
        """
        A row that differs from what the manifest pins is named.
        """
        rows = lines(sealed)
        rows[0] |= change
        rewrite(sealed, rows)

        assert ("trials.jsonl:1", kind) == first(sealed)

    def test_rows_out_of_order(self, sealed):
        """
        The order of lines is the order of the plan.
        """
        rows = lines(sealed)
        rewrite(sealed, [rows[1], rows[0], *rows[2:]])

        assert ("trials.jsonl:2", "order") == first(sealed)

    @pytest.mark.parametrize(
        ("damage", "place"),
        [
            (lambda data: data[:-1], "trials.jsonl:4"),
            (lambda data: data + b"\n", "trials.jsonl:5"),
            (lambda data: data.replace(b'":"', b'": "', 1), "trials.jsonl:1"),
            (lambda data: data.replace(b"}\n{", b"}{", 1), "trials.jsonl:1"),
            (lambda data: b"\xff" + data, "trials.jsonl:1"),
        ],
        ids=["torn", "empty-line", "not-canonical", "glued", "not-utf-8"],
    )
    def test_a_line_that_cannot_be_read(self, sealed, damage, place):
        """
        A malformed line is named by its number, even under a fitting digest.
        """
        path = sealed / "trials.jsonl"
        path.write_bytes(damage(path.read_bytes()))
        reseal(sealed)

        assert (place, "unreadable") == first(sealed)

    @pytest.mark.parametrize("field", ["planned", "recorded", "conflicts"])
    def test_a_count_in_the_seal(self, sealed, field):
        """
        Counts in the seal are counted again.
        """
        reseal(sealed, **{field: 99})

        assert [("seal.json", "count")] == [(found.place, found.kind) for found in verify_run(sealed)]

    def test_a_seal_of_another_run(self, sealed):
        """
        A seal that names another run does not fit.
        """
        reseal(sealed, run="another-run")

        assert ("seal.json", "count") == first(sealed)


class TestEffects:
    """Rows and effects are counted apart, and differences in either direction are named."""

    def change_attempt(self, folder, at, **changes):
        rows = lines(folder)
        rows[at]["attempts"][0] |= changes
        rewrite(folder, rows)

    def test_an_effect_without_a_row(self, sealed):
        """
        A trace that no trial refers to is named.
        """
        (sealed / "traces/orphan.json.gz").write_bytes(b"x")
        reseal(sealed)

        assert [("traces/orphan.json.gz", "no-row")] == [(found.place, found.kind) for found in verify_run(sealed)]

    def test_a_row_without_an_effect(self, sealed):
        """
        A trial whose trace the seal does not hold is named.
        """
        (sealed / "traces/cell-0.1.json.gz").unlink()
        reseal(sealed)

        assert ("trials.jsonl:1", "missing-file") == first(sealed)

    def test_a_judged_agent_without_a_trace(self, sealed):
        """
        An agent that was judged and is no control must have left a trace.
        """
        rows = lines(sealed)
        rows[0]["attempts"][0]["artifacts"].pop(0)
        rewrite(sealed, rows)

        assert ("trials.jsonl:1", "no-trace") == first(sealed)

    def test_a_candidate_without_its_file(self, sealed):
        """
        A trial that names a candidate and has no file of it is named.
        """
        rows = lines(sealed)
        rows[0]["attempts"][0]["artifacts"].pop(1)
        rewrite(sealed, rows)

        assert ("trials.jsonl:1", "no-candidate") == first(sealed)

    def test_a_candidate_that_the_row_does_not_name(self, sealed):
        """
        A trial with a candidate's file must name its digest.
        """
        self.change_attempt(sealed, 0, candidate={"absence": "unknown", "reason": "lost"})

        assert ("trials.jsonl:1", "no-candidate") == first(sealed)

    def test_two_candidates_of_one_attempt(self, sealed):
        """
        An attempt has one candidate.
        """
        rows = lines(sealed)
        rows[0]["attempts"][0]["artifacts"].append(rows[1]["attempts"][0]["artifacts"][1])
        rewrite(sealed, rows)

        assert ("trials.jsonl:1", "two-candidates") == first(sealed)

    @pytest.mark.parametrize("by", ["path", "content"])
    def test_one_trace_under_two_trials(self, sealed, by):
        """
        One transcript cannot be two trials, whether the file is shared or copied.
        """
        rows = lines(sealed)
        shared = dict(rows[0]["attempts"][0]["artifacts"][0])
        old = sealed / rows[1]["attempts"][0]["artifacts"][0]["path"]
        if by == "path":
            old.unlink()
        else:
            old.write_bytes((sealed / shared["path"]).read_bytes())
            shared["path"] = rows[1]["attempts"][0]["artifacts"][0]["path"]
        rows[1]["attempts"][0]["artifacts"][0] = shared
        rewrite(sealed, rows)
        mismatch = verify_run(sealed)[0]

        assert ("trials.jsonl:2", "shared-trace") == (mismatch.place, mismatch.kind)
        assert mismatch.problem.endswith(by)

    def test_an_artifact_with_another_digest(self, sealed):
        """
        A row that names another digest than the file has is named.
        """
        (sealed / "traces/cell-1.1.json.gz").write_bytes(b"rewritten")
        reseal(sealed)

        assert ("trials.jsonl:2", "artifact") == first(sealed)

    def test_an_artifact_with_another_size(self, sealed):
        """
        A row that states another size than the file has is named.
        """
        rows = lines(sealed)
        rows[1]["attempts"][0]["artifacts"][0]["size"] += 1
        rewrite(sealed, rows)

        assert [("trials.jsonl:2", "artifact")] == [(found.place, found.kind) for found in verify_run(sealed)]

    def test_an_artifact_in_the_wrong_place(self, sealed):
        """
        A trace lies among traces.
        """
        rows = lines(sealed)
        rows[0]["attempts"][0]["artifacts"][0]["role"] = "usage"
        rewrite(sealed, rows)

        assert ("trials.jsonl:1", "path") == first(sealed)


class TestCandidates:
    def forge(self, folder, change):
        """Change a candidate's file and make row and seal fit it."""
        path = folder / "candidates/0.json"
        candidate = json.loads(path.read_bytes())
        change(candidate)
        data = canonical_bytes(candidate) + b"\n"
        path.write_bytes(data)
        rows = lines(folder)
        rows[0]["attempts"][0]["artifacts"][1] |= {"sha256": digest_bytes(data), "size": len(data)}
        rewrite(folder, rows)
        return [(found.place, found.kind) for found in verify_run(folder)]

    def test_another_content(self, sealed):
        """
        A changed file whose content is not the listed one is named.
        """
        found = self.forge(sealed, lambda candidate: candidate["files"]["model.py"].update(text="answer = 42\n"))

        assert [("candidates/0.json", "candidate")] == found

    def test_a_content_that_the_tree_does_not_list(self, sealed):
        """
        A changed file that is not in the listed tree is named.
        """
        found = self.forge(sealed, lambda candidate: candidate["files"].update({"other.py": {"text": "", "base64": None}}))

        assert [("candidates/0.json", "candidate")] == found

    def test_a_content_that_is_no_base64(self, sealed):
        """
        Content that does not decode is named.
        """
        found = self.forge(sealed, lambda candidate: candidate["files"].update({"model.py": {"text": None, "base64": "%%%"}}))

        assert [("candidates/0.json", "candidate")] == found

    def test_another_tree_under_the_old_digest(self, sealed):
        """
        A tree that is not the stated digest is named, and that the trial had another one.
        """
        found = self.forge(sealed, lambda candidate: candidate["tree"].update({"README.md": OTHER}))

        assert [("candidates/0.json", "candidate"), ("trials.jsonl:1", "candidate")] == found

    def test_another_tree_with_its_own_digest(self, sealed):
        """
        A candidate that is consistent and not the one the trial names is named.
        """

        def swap(candidate):
            candidate["tree"]["README.md"] = OTHER
            candidate["digest"] = digest_of_plain(candidate["tree"])

        assert [("trials.jsonl:1", "candidate")] == self.forge(sealed, swap)

    def test_another_workspace(self, sealed):
        """
        A candidate that grew from another workspace than the trial's is named.
        """
        found = self.forge(sealed, lambda candidate: candidate.update(workspace_digest=OTHER))

        assert [("trials.jsonl:1", "candidate")] == found

    def test_a_malformed_candidate(self, sealed):
        """
        A candidate's file that does not parse is named.
        """
        found = self.forge(sealed, lambda candidate: candidate.update(more=1))

        assert [("candidates/0.json", "unreadable")] == found

    def test_equal_candidates_may_share_a_file(self, finished):
        """
        Two trials whose candidates are the same tree may refer to one file.
        """
        shared = finished.trials[0].last.artifacts[1]
        last = finished.trials[1].last
        finished.trials[1] = finished.trials[1].model_copy(
            update={
                "attempts": (
                    last.model_copy(
                        update={"candidate": finished.trials[0].last.candidate, "artifacts": (last.artifacts[0], shared)}
                    ),
                )
            }
        )
        folder = finished.seal()

        assert () == verify_run(folder)
        assert not (folder / "candidates/1.json").exists()


class TestRefusedResults:
    @pytest.mark.parametrize(
        ("change", "kind"),
        [({"refused": OTHER}, "digest"), ({"more": 1}, "unreadable")],
        ids=["digest", "malformed"],
    )
    def test_a_changed_refused_result(self, finished, change, kind):
        """
        Refused results are checked like others.
        """
        finished.refuse(0)
        folder = finished.seal()
        conflict = json.loads((folder / "conflicts.jsonl").read_bytes()) | change
        (folder / "conflicts.jsonl").write_bytes(canonical_bytes(conflict) + b"\n")
        reseal(folder)

        assert ("conflicts.jsonl:1", kind) == first(folder)

    def test_a_refused_result_of_another_cell(self, finished):
        """
        A refused result that stands under another cell is named.
        """
        finished.refuse(0)
        folder = finished.seal()
        conflict = json.loads((folder / "conflicts.jsonl").read_bytes())
        conflict["key"]["trial"] = 1
        (folder / "conflicts.jsonl").write_bytes(canonical_bytes(conflict) + b"\n")
        reseal(folder)

        assert ("conflicts.jsonl:1", "other-run") == first(folder)

    def test_a_dropped_refused_result(self, finished):
        """
        A refused result that was dropped is missed by the count.
        """
        finished.refuse(0)
        folder = finished.seal()
        (folder / "conflicts.jsonl").unlink()
        reseal(folder)

        assert [("seal.json", "count")] == [(found.place, found.kind) for found in verify_run(folder)]
