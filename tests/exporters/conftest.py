"""What the tests of exporters share: a subject made from a benchmark in memory, and a clock that stands still."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "importers"))

from faultline.clock import frozen_clock


@pytest.fixture
def clock():
    return frozen_clock(datetime(2026, 6, 1, 12, tzinfo=UTC), step=0)
