"""Sealing: whole or not at all, the same bytes each time, and nothing that would not verify."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from archive_samples import FinishedRun, content, lines
from ledger_samples import T0

from faultline.archive import read_run, seal_run, verify_run
from faultline.clock import Clock, frozen_clock
from faultline.errors import IntegrityError, MissingInputError, RefusedError, UnfinishedError
from faultline.files import WriteError
from faultline.kinds import digest_bytes
from faultline.ledger import open_ledger
from faultline.records import Seal, Settlement


def left_over(finished):
    """Return what a refused sealing left in the folder of runs."""
    runs = finished.folder / "runs"
    return sorted(path.name for path in runs.iterdir()) if runs.exists() else []


class TestWhatIsWritten:
    def test_the_folder_holds_plan_trials_artifacts_and_seal(self, sealed):
        """
        A sealed run holds its manifest, its trials, their traces and candidates, and the seal, and nothing else.
        """
        assert sorted(
            ["manifest.json", "trials.jsonl", "seal.json"]
            + [f"candidates/{at}.json" for at in range(4)]
            + [f"traces/cell-{at}.1.json.gz" for at in range(4)]
        ) == list(content(sealed))

    def test_the_seal_names_every_other_file(self, sealed, finished):
        """
        The seal holds the digest of every other file, and the counts.
        """
        files = content(sealed)
        seal = Seal.parse(files.pop("seal.json"), "seal.json")

        assert {name: digest_bytes(data) for name, data in files.items()} == seal.files
        assert ("sample-run", 4, 4, 0, T0) == (seal.run, seal.planned, seal.recorded, seal.conflicts, seal.sealed_at)

    def test_records_are_canonical_lines_in_plan_order(self, sealed, finished):
        """
        Manifest and trials are canonical JSON with a line feed each, trials in the order of the plan.
        """
        assert finished.plan.canonical() + b"\n" == (sealed / "manifest.json").read_bytes()
        assert b"".join(trial.canonical() + b"\n" for trial in finished.trials) == (sealed / "trials.jsonl").read_bytes()

    def test_the_same_input_gives_the_same_bytes(self, finished, tmp_path):
        """
        Sealing twice with the same clock gives the same bytes.
        """
        assert content(finished.seal(tmp_path / "one")) == content(finished.seal(tmp_path / "two"))

    def test_refused_results_are_kept_only_when_there_are_any(self, finished):
        """
        Refused second results stand in a file of their own, which the seal counts.
        """
        finished.refuse(1)
        folder = finished.seal()

        assert (
            b"".join(conflict.canonical() + b"\n" for conflict in finished.conflicts)
            == (folder / "conflicts.jsonl").read_bytes()
        )
        assert 1 == read_run(folder).conflicts
        assert () == verify_run(folder)

    def test_a_ledgers_run_can_be_sealed(self, finished):
        """
        What a ledger hands out is what sealing takes.
        """
        with open_ledger(finished.folder / "ledger.db") as ledger:
            ledger.register(finished.plan)
            for trial in reversed(finished.trials):
                ledger.record(trial)
            run = finished.plan.run
            parent = finished.folder / "runs"
            folder = seal_run(
                parent, ledger.manifest(run), ledger.trials(run), ledger.conflicts(run), finished.artifacts, frozen_clock(T0)
            )

        assert tuple(finished.trials) == read_run(folder).trials


class TestWhatIsRefused:
    @pytest.mark.parametrize("at", [0, 2, 3], ids=["first", "middle", "last"])
    def test_a_missing_cell(self, finished, at):
        """
        A run with a cell that has no trial is unfinished; the cell is named and nothing is left behind.
        """
        label = finished.plan.cells[at].label
        del finished.trials[at]
        with pytest.raises(UnfinishedError, match=f"the planned cell {label} has no trial"):
            finished.seal()

        assert [] == left_over(finished)

    def test_an_unknown_attempt(self, finished):
        """
        A run with an attempt that nobody settled cannot be sealed.
        """
        with pytest.raises(UnfinishedError, match=r"1 attempts are unknown.*faultline reconcile sample-run"):
            finished.seal(unsettled=1)

        assert [] == left_over(finished)

    def test_two_trials_of_one_cell(self, finished):
        """
        A second trial for a cell is refused.
        """
        finished.trials.insert(1, finished.trials[0])
        with pytest.raises(IntegrityError, match=r"trials.jsonl:2: .* is recorded twice"):
            finished.seal()

        assert [] == left_over(finished)

    def test_a_trial_of_another_run(self, finished):
        """
        A trial of another run is refused.
        """
        finished.trials[0] = FinishedRun(finished.folder, "other-run").trials[0]
        with pytest.raises(IntegrityError, match="belongs to another run"):
            finished.seal()

    def test_trials_out_of_order(self, finished):
        """
        Trials that do not come in the order of the plan are refused.
        """
        finished.trials.reverse()
        with pytest.raises(UnfinishedError, match="in its place"):
            finished.seal()

    def test_a_missing_artifact(self, finished):
        """
        A trial whose trace is not in the artifact store cannot be sealed.
        """
        (finished.artifacts / "traces/cell-2.1.json.gz").unlink()
        with pytest.raises(MissingInputError, match=r"traces/cell-2.1.json.gz: the trace that a trial refers to"):
            finished.seal()

        assert [] == left_over(finished)

    def test_a_changed_artifact(self, finished):
        """
        An artifact that is not the one its trial names cannot be sealed.
        """
        (finished.artifacts / "candidates/3.json").write_bytes(b"{}")
        with pytest.raises(IntegrityError, match=r"candidates/3.json: the file is not what its trial says"):
            finished.seal()

    def test_an_artifact_outside_the_run(self, finished):
        """
        A path that leads out of the run folder is refused before anything is opened.
        """
        artifact = finished.trials[0].last.artifacts[0].model_copy(update={"path": "../secret"})
        last = finished.trials[0].last.model_copy(update={"artifacts": (artifact,)})
        finished.trials[0] = finished.trials[0].model_copy(update={"attempts": (last,)})
        with pytest.raises(IntegrityError, match="a trace cannot lie there"):
            finished.seal()

    def test_a_sealed_run(self, finished, sealed):
        """
        A run that is sealed already stays as it is.
        """
        before = content(sealed)
        with pytest.raises(RefusedError, match="sealed already"):
            finished.seal()

        assert before == content(sealed)


class TestCrashes:
    def test_an_error_in_the_middle_leaves_nothing(self, finished):
        """
        When the trials stop with an error, the folder of runs is as it was.
        """

        def broken():
            yield finished.trials[0]
            raise IntegrityError("ledger", "damaged")

        with pytest.raises(IntegrityError, match="damaged"):
            seal_run(finished.folder / "runs", finished.plan, broken(), (), finished.artifacts, frozen_clock(T0))

        assert [] == left_over(finished)

    def test_a_disk_that_refuses_is_one_error(self, finished):
        """
        A target that cannot be written is named.
        """
        (finished.folder / "runs").write_text("a file")
        with pytest.raises(WriteError, match="this could not be written"):
            finished.seal()

    def test_what_a_killed_sealer_left_is_removed(self, finished):
        """
        The half-written folder of a sealer that was killed goes when the run is sealed; other folders stay.
        """
        runs = finished.folder / "runs"
        for name in (".sample-run.sealing-00ff", ".sample-run-2.sealing-00ff", ".sample-run.sealing-mine"):
            (runs / name).mkdir(parents=True)
        finished.seal()

        assert [".sample-run-2.sealing-00ff", ".sample-run.sealing-mine", "sample-run"] == left_over(finished)

    def test_two_sealers_at_once_make_one_run(self, finished):
        """
        When two seal one run at once, one does and the other is told that it is sealed already.
        """
        meet = threading.Barrier(2, timeout=60)

        def late(at):
            yield from finished.trials
            meet.wait()

        def seal(at):
            try:
                return seal_run(
                    finished.folder / "runs", finished.plan, late(at), (), finished.artifacts, Clock(now=lambda: T0)
                )
            except RefusedError as error:
                return error

        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(seal, range(2)))

        assert 1 == sum(isinstance(answer, RefusedError) for answer in answers), answers
        assert ["sample-run"] == left_over(finished)
        assert () == verify_run(finished.folder / "runs" / "sample-run")
        assert 4 == len(lines(finished.folder / "runs" / "sample-run"))


class TestSettlements:
    def settlement(self, finished, **changes):
        fields = {
            "schema_name": "faultline/settlement/1",
            "key": finished.trials[0].key,
            "attempt": 1,
            "state": "recorded",
            "observed": "the connection was closed",
            "stored": finished.trials[0].content_digest(),
            "receipt": finished.trials[0].content_digest(),
            "evidence": "the store holds it",
            "settled_at": T0,
        }
        return Settlement(**(fields | changes))

    def test_settlements_are_sealed_with_the_run(self, finished):
        """
        How lost replies were settled is part of the sealed run, and is read back.
        """
        settlement = self.settlement(finished)
        path = finished.seal(settlements=[settlement])

        assert () == verify_run(path)
        assert (settlement,) == read_run(path).settlements

    def test_a_settlement_of_another_run_does_not_verify(self, finished):
        """
        A settlement that belongs to no cell of the run is named by its line.
        """
        other = finished.trials[0].key.model_copy(update={"run": "another-run"})
        path = finished.seal(settlements=[self.settlement(finished, key=other)])

        assert [("settlements.jsonl:1", "other-run")] == [(item.place, item.kind) for item in verify_run(path)]

    def test_a_torn_settlement_does_not_verify(self, finished):
        """
        A file of settlements that was cut is named, by digest and by line.
        """
        path = finished.seal(settlements=[self.settlement(finished)])
        (path / "settlements.jsonl").write_bytes((path / "settlements.jsonl").read_bytes()[:-9])

        assert ["digest", "unreadable"] == [item.kind for item in verify_run(path)]

    def test_artifacts_may_come_from_anywhere(self, finished):
        """
        The store that artifacts are copied from is whatever opens them by path; the sealed bytes are the same.
        """
        opened = []

        def opener(path):
            opened.append(path)
            return (finished.artifacts / path).open("rb")

        path = seal_run(finished.folder / "other", finished.plan, iter(finished.trials), (), opener, frozen_clock(T0))

        assert content(finished.seal()) == content(path)
        assert 8 == len(opened)

    def test_what_a_refused_result_left_is_sealed_too(self, finished):
        """
        The candidate and the trace of a refused result are copied when they are there, and missed by nobody when they are not.
        """
        finished.refuse(0)
        trace = finished.write("trace", "traces/late.1.json.gz", b"late")
        gone = trace.model_copy(update={"path": "traces/gone.1.json.gz"})
        other = finished.conflicts[0].trial
        late = other.model_copy(update={"attempts": (other.last.model_copy(update={"artifacts": (trace, gone)}),)})
        finished.conflicts[0] = finished.conflicts[0].model_copy(update={"trial": late, "refused": late.content_digest()})
        path = finished.seal()

        assert () == verify_run(path)
        assert b"late" == (path / "traces" / "late.1.json.gz").read_bytes()
