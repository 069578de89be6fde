"""The ledger on a real PostgreSQL server behind a connection that breaks."""

import socket
import threading

import psycopg
import pytest
from ledger_conformance import LEASE
from ledger_proxy import FaultyConnection
from ledger_samples import T0, key_of, manifest, trial

from faultline.errors import BadInputError, LedgerError, MissingInputError
from faultline.ledger import UnknownWriteError, open_ledger


@pytest.fixture
def faulty(postgresql_server):
    with FaultyConnection(postgresql_server.port) as proxy:
        yield proxy


class TestLostReplies:
    def test_a_connection_closed_after_the_commit_is_unknown_and_the_store_has_the_trial(self, faulty, postgresql_store):
        """
        When the connection closes after the commit the write is unknown; the same handle reconnects, asks, and finds it once.
        """
        plan = manifest()
        with open_ledger(faulty.url(postgresql_store.where)) as ledger:
            ledger.register(plan)
            faulty.fault = "after"
            with pytest.raises(UnknownWriteError):
                ledger.record(trial(plan))

            assert trial(plan) == ledger.lookup(key_of(plan)).trial
            assert [trial(plan)] == list(ledger.trials(plan.run))

    def test_a_connection_closed_before_the_commit_is_unknown_and_the_store_has_nothing(self, faulty, postgresql_store):
        """
        When the connection closes before the commit the write is unknown all the same; the store has nothing, and it can be
        written once that is known.
        """
        plan = manifest()
        with open_ledger(faulty.url(postgresql_store.where)) as ledger:
            ledger.register(plan)
            faulty.fault = "before"
            with pytest.raises(UnknownWriteError):
                ledger.record(trial(plan))

            assert ledger.lookup(key_of(plan)) is None
            assert ledger.record(trial(plan)).new

    def test_a_connection_closed_while_reading_is_no_unknown_write(self, faulty, postgresql_store):
        """
        A look that ends without an answer is an ordinary error, since nothing was written.
        """
        plan = manifest()
        with open_ledger(faulty.url(postgresql_store.where)) as ledger:
            ledger.register(plan)
            with psycopg.connect(postgresql_store.where, autocommit=True) as other:
                trials = ledger.all_attempts(plan.run)
                assert [] == list(trials)
                with ledger._translated(), ledger._store.engine().connect() as db:
                    backend = db.exec_driver_sql("SELECT pg_backend_pid()").scalar()
                    other.execute("SELECT pg_terminate_backend(%s, 10000)", [backend])
                    with pytest.raises(LedgerError) as caught, ledger._translated():
                        db.exec_driver_sql("SELECT 1")

            assert not isinstance(caught.value, UnknownWriteError)
            assert 4 == ledger.progress(plan.run, T0).planned

    def test_a_lookup_waits_for_a_write_in_flight(self, postgresql_store):
        """
        Asking the store waits for a write to the cell that is still under way, so that *absent* is never said too early.
        """
        plan = manifest()
        answers = []
        with (
            postgresql_store.open() as writer,
            postgresql_store.open() as asker,
            psycopg.connect(postgresql_store.where) as other,
        ):
            writer.register(plan)
            # Held, so that the server has the record in its hands and cannot finish it yet.
            other.execute("SELECT * FROM faultline_cells WHERE position = 0 FOR UPDATE")
            write = threading.Thread(target=writer.record, args=(trial(plan),))
            write.start()
            self._until_so_many_wait(postgresql_store.where, 1)
            ask = threading.Thread(target=lambda: answers.append(asker.lookup(key_of(plan))))
            ask.start()
            self._until_so_many_wait(postgresql_store.where, 2)
            assert [] == answers
            other.rollback()
            write.join(60)
            ask.join(60)

        assert [trial(plan)] == [answer.trial for answer in answers]

    def test_a_refusal_by_the_server_is_no_unknown_write(self, postgresql_store):
        """
        A record that the server answers with an error has left nothing, and is not unknown.
        """
        plan = manifest()
        with postgresql_store.open() as ledger:
            ledger.register(plan)
            with psycopg.connect(postgresql_store.where, autocommit=True) as other:
                other.execute("ALTER TABLE faultline_trials ADD CONSTRAINT never CHECK (fold = 'nothing')")
                with pytest.raises(LedgerError, match="the database refused") as caught:
                    ledger.record(trial(plan))
                other.execute("ALTER TABLE faultline_trials DROP CONSTRAINT never")

            assert not isinstance(caught.value, UnknownWriteError)
            assert ledger.record(trial(plan)).new

    def test_a_connection_that_died_while_idle_is_replaced(self, postgresql_store, monkeypatch):
        """
        A pooled connection that was not used for a while is asked before it is used, and replaced when it is dead.
        """
        from faultline.ledger import postgresql

        plan = manifest()
        monkeypatch.setattr(postgresql, "IDLE_SECONDS", -1.0)
        with postgresql_store.open() as ledger:
            ledger.register(plan)
            with psycopg.connect(postgresql_store.where, autocommit=True) as other:
                other.execute(
                    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'postgres'"
                )

            assert ledger.record(trial(plan)).new

    def _until_so_many_wait(self, where, number):
        with psycopg.connect(where, autocommit=True) as connection:
            while connection.execute("SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted").fetchone()[0] < number:
                pass


class TestOpening:
    def test_commits_are_on_disk_before_they_are_told(self, postgresql_store):
        """
        A server set to answer early is told not to.
        """
        with postgresql_store.open() as ledger, ledger._store.engine().connect() as db:
            assert "on" == db.exec_driver_sql("SHOW synchronous_commit").scalar()

    def test_a_server_that_is_not_there_is_one_error_without_the_password(self):
        """
        A server that cannot be reached is one error, which does not show the password.
        """
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
            with pytest.raises(LedgerError, match="cannot be reached") as caught:
                open_ledger(f"postgresql://somebody:hunter2@127.0.0.1:{port}/none")

        assert "hunter2" not in str(caught.value)

    def test_a_database_without_a_ledger_is_not_made_one_by_a_reader(self, postgresql_store):
        """
        Opening without leave to create names what is missing and makes no table.
        """
        with pytest.raises(MissingInputError, match="no ledger in this database"):
            open_ledger(postgresql_store.where, create=False)
        with pytest.raises(MissingInputError):
            open_ledger(postgresql_store.where, create=False)

    def test_another_version_is_refused(self, postgresql_store):
        """
        A ledger of a later version is refused, with both versions.
        """
        postgresql_store.open().close()
        with psycopg.connect(postgresql_store.where, autocommit=True) as connection:
            connection.execute("UPDATE faultline_ledger SET version = 99")
        with pytest.raises(LedgerError, match="expected 1; found 99"):
            postgresql_store.open()

    def test_a_malformed_url_is_bad_input(self):
        """
        A URL that does not parse is the caller's mistake.
        """
        with pytest.raises(BadInputError, match="not a database URL"):
            open_ledger("postgresql://host:port:port/x")

    def test_a_busy_cell_is_an_error_in_the_end(self, postgresql_store):
        """
        A write that waits for a cell beyond the limit is an error, not a lost record.
        """
        plan = manifest()
        with postgresql_store.open() as ledger:
            ledger.register(plan)
            with ledger._store.engine().connect() as db:
                db.exec_driver_sql("SET lock_timeout TO '1ms'")
                db.commit()
            with psycopg.connect(postgresql_store.where) as other:
                other.execute("SELECT * FROM faultline_cells FOR UPDATE")
                with pytest.raises(LedgerError, match="another process kept the cell busy"):
                    ledger.record(trial(plan))
                # A claim passes over cells that somebody is just taking.
                assert ledger.claim(plan.run, "w", T0, LEASE) is None
