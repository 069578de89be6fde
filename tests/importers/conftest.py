"""What the tests of the importers share: the helpers beside this file are imported by name."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from toy import imported, lines

from faultline.archive import read_run


@pytest.fixture
def bring(tmp_path):
    """Write rows as a file of the toy format and import it; returns what the import said and the sealed runs."""

    def bring_in(*rows, name="first", options=None, partial=False):
        source = tmp_path / "source"
        source.mkdir(exist_ok=True)
        (source / f"{name}.toy").write_text(lines(*rows))
        done = imported(source, tmp_path / "runs", options, partial=partial)
        return done, [read_run(tmp_path / "runs" / item.run) for item in done]

    return bring_in
