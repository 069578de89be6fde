"""Finished runs for the tests of the archive."""

import sys
from pathlib import Path

import pytest

# The helpers beside this file, and those of the ledger's tests, are imported by name.
for folder in (Path(__file__).parent, Path(__file__).parent.parent / "ledger"):
    sys.path.insert(0, str(folder))

from archive_samples import FinishedRun  # noqa: E402  (after the path is set)


@pytest.fixture
def finished(tmp_path):
    """A finished run with traces and candidates, not sealed yet."""
    return FinishedRun(tmp_path)


@pytest.fixture
def sealed(finished):
    """The folder of a sealed run."""
    return finished.seal()
