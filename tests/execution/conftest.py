"""Tiny benchmarks with live runs."""

import sys
from pathlib import Path

import pytest
from tiny import write_benchmark

# The helpers beside this file, and those of the ledger's tests, are imported by name.
for folder in (Path(__file__).parent, Path(__file__).parent.parent / "ledger"):
    sys.path.insert(0, str(folder))

from execution_samples import planned_run  # noqa: E402  (after the path is set)
from ledger_stores import PostgresqlServer  # noqa: E402


@pytest.fixture
def benchmark_root(tmp_path):
    return write_benchmark(tmp_path / "benchmark")


@pytest.fixture
def live(benchmark_root):
    """A planned run of the reference agent: 6 cells, nothing done yet."""
    return planned_run(benchmark_root, trials=3, seeds=(0, 1))


@pytest.fixture(scope="session")
def postgresql_server():
    """One real server for the tests of this process, on loopback and a random port; stopped by its id at the end."""
    with PostgresqlServer() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def live_on(request, benchmark_root):
    """A planned run of 2 cells on each kind of store."""
    at = request.getfixturevalue("postgresql_server").new_schema() if request.param == "postgresql" else ""
    return planned_run(benchmark_root, ledger_at=at, trials=2, seeds=(0,))
