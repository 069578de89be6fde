"""Files that are no good ledger, and disks that refuse."""

import multiprocessing
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import ledger_workers
import pytest
from ledger_samples import T0, manifest, trial

from faultline.errors import IntegrityError, LedgerError, MissingInputError
from faultline.ledger import open_ledger
from faultline.ledger.sqlite import read_salvage


def filled(path, trials=60):
    """Make a ledger with many recorded trials and return its plan."""
    plan = manifest(trials=trials)
    with open_ledger(path) as ledger:
        ledger.register(plan)
        for at in range(len(plan.cells)):
            ledger.record(trial(plan, at, note="x" * 500))
    return plan


class TestOpening:
    def test_a_missing_ledger_is_not_made_by_a_reader(self, tmp_path):
        """
        Opening without leave to create names what is missing and makes no file.
        """
        with pytest.raises(MissingInputError, match="no such ledger"):
            open_ledger(tmp_path / "none.db", create=False)

        assert [] == list(tmp_path.iterdir())

    def test_a_new_ledger_is_one_file_with_a_log(self, tmp_path):
        """
        A new ledger appears whole under its name, uses a write-ahead log and leaves no other file when closed.
        """
        open_ledger(f"sqlite:///{tmp_path}/deep/new.db").close()

        assert ["new.db"] == [path.name for path in (tmp_path / "deep").iterdir()]
        with closing(sqlite3.connect(tmp_path / "deep" / "new.db")) as db:
            assert "wal" == db.execute("PRAGMA journal_mode").fetchone()[0]

    def test_commits_are_synced(self, tmp_path):
        """
        Every connection syncs each commit and waits for other writers.
        """
        with open_ledger(tmp_path / "new.db") as ledger, ledger._store.engine().connect() as db:
            assert 2 == db.exec_driver_sql("PRAGMA synchronous").scalar()
            assert 60_000 == db.exec_driver_sql("PRAGMA busy_timeout").scalar()

    def test_many_that_make_one_ledger_at_once_agree(self, tmp_path):
        """
        Several openers of a ledger that is not there yet end up with the same one.
        """
        plan = manifest()
        with ThreadPoolExecutor(8) as pool:
            ledgers = list(pool.map(lambda _: open_ledger(tmp_path / "new.db"), range(8)))
        answers = [ledger.register(plan) for ledger in ledgers]
        for ledger in ledgers:
            ledger.close()

        assert [False] * 7 + [True] == sorted(answers)
        assert ["new.db"] == [path.name for path in tmp_path.iterdir()]

    def test_a_path_with_odd_characters_is_a_path(self, tmp_path):
        """
        Brackets, per cent, question mark and hash in a name are part of the name.
        """
        path = tmp_path / "odd [1] 50% #a?b.db"
        plan = filled(path, trials=1)

        assert [path.name] == [found.name for found in tmp_path.iterdir()]
        assert 2 == len(list(read_salvage(path)))
        with open_ledger(path, create=False) as ledger:
            assert plan == ledger.manifest(plan.run)


class TestForeignFiles:
    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            (b"", "this ledger is empty"),
            (b"this is a text and by no means a database " * 40, "no SQLite database"),
            (b"SQLite format 3\x00", "no SQLite database"),
        ],
        ids=["empty", "text", "header-only"],
    )
    def test_a_file_that_is_no_database_is_refused(self, tmp_path, content, problem):
        """
        A file that is no database is named in one error, and stays as it was.
        """
        path = tmp_path / "ledger.db"
        path.write_bytes(content)
        with pytest.raises(LedgerError, match=f"^ledger.db: .*{problem}"):
            open_ledger(path)

        assert content == path.read_bytes()

    def test_another_programs_database_is_refused(self, tmp_path):
        """
        A SQLite database of another program is not written to.
        """
        path = tmp_path / "ledger.db"
        with closing(sqlite3.connect(path)) as db:
            db.execute("CREATE TABLE theirs (x)")
        before = path.read_bytes()
        with pytest.raises(LedgerError, match="another program's database"):
            open_ledger(path)

        assert before == path.read_bytes()

    def test_another_version_is_refused(self, tmp_path):
        """
        A ledger of a later version is refused, with both versions.
        """
        path = tmp_path / "ledger.db"
        open_ledger(path).close()
        with closing(sqlite3.connect(path)) as db:
            db.execute("UPDATE faultline_ledger SET version = 99")
            db.commit()
        with pytest.raises(LedgerError, match="another version; expected 1; found 99"):
            open_ledger(path)

    def test_a_folder_is_refused(self, tmp_path):
        """
        A folder in place of the file is named.
        """
        with pytest.raises(LedgerError, match="not a file"):
            open_ledger(tmp_path)


class TestDamage:
    @pytest.mark.parametrize("part", [0.9, 0.5, 0.3])
    def test_a_truncated_ledger_is_one_clear_error_and_its_beginning_can_be_read(self, tmp_path, part):
        """
        A ledger that was cut is refused with one error; the trials of its undamaged beginning come out whole and in order.
        """
        path = tmp_path / "ledger.db"
        plan = filled(path)
        path.write_bytes(path.read_bytes()[: int(path.stat().st_size * part)])
        with pytest.raises(LedgerError, match=r"ledger.db: the ledger's file is truncated or damaged"):
            open_ledger(path)

        saved = list(read_salvage(path))
        assert 0 < len(saved) < 120
        assert [trial(plan, at, note="x" * 500) for at in range(len(saved))] == saved

    def test_a_changed_payload_is_an_integrity_error(self, tmp_path):
        """
        A payload that was changed in the file is found by its digest and never handed out.
        """
        path = tmp_path / "ledger.db"
        plan = filled(path, trials=1)
        with closing(sqlite3.connect(path)) as db:
            db.execute("UPDATE faultline_trials SET payload = replace(payload, 'passed', 'failed') WHERE task = 'beta'")
            db.commit()
        with open_ledger(path) as ledger, pytest.raises(IntegrityError, match=r"beta.one.sample-agent.0: the stored bytes"):
            list(ledger.trials(plan.run))

        assert [trial(plan, 0, note="x" * 500)] == list(read_salvage(path))

    def test_nothing_can_be_saved_from_a_file_that_is_no_ledger(self, tmp_path):
        """
        Salvage of a foreign file yields nothing and raises nothing.
        """
        (tmp_path / "text").write_bytes(b"no database" * 100)

        assert [] == list(read_salvage(tmp_path / "text"))


class TestDisk:
    def test_a_full_disk_refuses_the_write_and_keeps_what_was_there(self, tmp_path):
        """
        When the disk is full the write is refused with an error that says so, nothing is half written, and later it succeeds.
        """
        path = tmp_path / "ledger.db"
        plan = filled(path, trials=1)
        more = manifest("more", trials=500)
        with open_ledger(path) as ledger:
            with ledger._store.engine().connect() as db:
                # SQLite answers as it does on a full disk; the limit belongs to the one pooled connection.
                db.exec_driver_sql("PRAGMA max_page_count=1")
            with pytest.raises(LedgerError, match="the disk is full; nothing was written"):
                ledger.register(more)
            assert (plan.run,) == ledger.runs()
        with open_ledger(path) as ledger:
            assert ledger.register(more)

    def test_a_write_that_waits_too_long_is_an_error(self, tmp_path):
        """
        A writer that is kept out beyond the limit gets an error; the record is not dropped in silence.
        """
        path = tmp_path / "ledger.db"
        plan = filled(path, trials=1)
        with open_ledger(path) as ledger, closing(sqlite3.connect(path, isolation_level=None)) as other:
            with ledger._store.engine().connect() as db:
                db.exec_driver_sql("PRAGMA busy_timeout=1")
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(LedgerError, match="another process kept the ledger busy"):
                ledger.claim(plan.run, "w", T0, 30.0)

    def test_a_folder_that_may_not_be_written_is_named(self, tmp_path):
        """
        A ledger in a folder without leave to write gives an error with the reason, for a new file and for one that is there.
        """
        folder = tmp_path / "closed"
        filled(folder / "ledger.db", trials=1)
        (folder / "ledger.db").chmod(0o444)
        folder.chmod(0o555)
        for parent in (tmp_path, *tmp_path.parents):
            if parent.stat().st_mode & 0o077 == 0:
                parent.chmod(0o711)
        spawn = multiprocessing.get_context("spawn")
        answers = []
        try:
            for name in ("new.db", "ledger.db"):
                ours, theirs = spawn.Pipe()
                process = spawn.Process(target=ledger_workers.open_in_child, args=(str(folder / name), theirs))
                process.start()
                answers.append(ours.recv())
                process.join()
        finally:
            folder.chmod(0o755)

        assert ["LedgerError", "LedgerError"] == [kind for kind, _ in answers]
        assert all("cannot be opened for writing" in text for _, text in answers)
