"""Stores for the tests of the ledger: SQLite files and schemas on a real PostgreSQL server."""

import sys
from pathlib import Path

import pytest

# The helpers beside this file are imported by name, also by spawned processes, which inherit the path.
sys.path.insert(0, str(Path(__file__).parent))

from ledger_stores import PostgresqlServer, PostgresqlStores, SqliteStores


@pytest.fixture(scope="session")
def postgresql_server():
    """One real server for the tests of this process, on loopback and a random port; stopped by its id at the end."""
    with PostgresqlServer() as server:
        yield server


@pytest.fixture
def sqlite_store(tmp_path):
    return SqliteStores(tmp_path).fresh()


@pytest.fixture
def postgresql_store(postgresql_server):
    return PostgresqlStores(postgresql_server).fresh()


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request):
    """A fresh store of each kind."""
    return request.getfixturevalue(f"{request.param}_store")
