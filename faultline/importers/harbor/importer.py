"""The importer for Harbor's job directories."""

from collections.abc import Iterator
from typing import ClassVar

from faultline.errors import BadInputError, FaultlineError
from faultline.importers.harbor.fields import text
from faultline.importers.harbor.layout import RESULT, TrialFolder, find, recognised
from faultline.importers.harbor.rows import Row, copy_of, learn_names, read_row
from faultline.importers.harbor.runs import runs
from faultline.importers.interface import ForeignRun, Importer
from faultline.importers.reading import Reading
from faultline.importers.tree import SourceTree


class Harbor(Importer):
    """Reads a trial, a job, or a folder of many jobs of Harbor 0.1.40 to 0.26."""

    name = "harbor"
    summary = "Harbor's job directories, with trajectories in ATIF"
    options: ClassVar = {
        "reward": "the reward that is the verdict where a trial has several and none is called reward",
        "maximum": "the reward that is a pass, 1 unless given",
    }

    def recognises(self, tree: SourceTree) -> bool:
        """Return whether there is a job or a trial in it."""
        return recognised(tree)

    def read(self, reading: Reading) -> Iterator[ForeignRun]:
        """Yield one run for each job and agent."""
        maximum = _maximum(reading)
        layout = find(reading)
        for folder in layout.trials:
            learn_names(reading, folder.result)
        found: list[Row] = []
        known: dict[tuple[str, str], Row] = {}
        for folder in layout.trials:
            key = _identity(reading, folder)
            if key in known:
                reading.used(folder.path(RESULT))
                found.append(copy_of(known[key], folder))
                continue
            try:
                known[key] = read_row(reading, folder, maximum)
            except FaultlineError as error:
                reading.unreadable(error)
            else:
                found.append(known[key])
        yield from runs(reading, layout, found)


def _identity(reading: Reading, folder: TrialFolder) -> tuple[str, str]:
    """Return by what copies of one result are known; a copy may lack what lies beside the first one."""
    return text(folder.result.get("id")), reading.tree.digest(folder.path(RESULT))


def _maximum(reading: Reading) -> float:
    given = reading.option("maximum", "1")
    try:
        found = float(given)
    except ValueError:
        found = float("nan")
    if not 0 < found < float("inf"):
        raise BadInputError("--option maximum", "the largest reward must be a number above 0", found=given[:80])
    return found
