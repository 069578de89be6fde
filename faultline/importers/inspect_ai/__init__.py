"""Logs of Inspect AI (``.eval`` and ``.json``), read without Inspect: summaries first, whole samples when they are needed."""

import re
from collections.abc import Iterator, Mapping
from typing import ClassVar

from faultline.errors import BadInputError, FaultlineError, UnfitHostError
from faultline.importers.inspect_ai.log import Log, open_log
from faultline.importers.inspect_ai.runs import lineages, run_of
from faultline.importers.interface import ForeignRun, Importer
from faultline.importers.reading import Reading
from faultline.importers.tree import SourceTree

_LISTS = {"eval-set.json", "logs.json", "listing.json"}
"""Files of a set of logs that name logs and are none."""
_HEADER = re.compile(rb'^\s*(?:\xef\xbb\xbf)?\s*\{\s*"(?:version|status|eval)"\s*:')
_CHOICES = {"", "yes", "no"}


class Inspect(Importer):
    """A run is a task with one model: a log, or a log with those that were retried before it."""

    name = "inspect"
    summary = "logs of Inspect AI: .eval archives and .json"
    options: ClassVar[Mapping[str, str]] = {
        "scorer": "the scorer whose score is the verdict; the first that the log lists unless named",
        "key": "which of a score's several values is the verdict",
        "passed": "the value that counts as passed; 1 or C unless named",
        "role": "the role under test, in logs that have models by role only; target unless named",
        "trajectories": "no to leave the conversations out",
    }

    def recognises(self, tree: SourceTree) -> bool:
        """Return whether a file is an archive called ``.eval`` or begins as a log does."""
        return any(_is_log(tree, path) for path in tree.files)

    def read(self, reading: Reading) -> Iterator[ForeignRun]:
        """Yield a run for each task and model."""
        if reading.option("trajectories") not in _CHOICES:
            raise BadInputError("--option trajectories", "this is neither yes nor no", found=reading.option("trajectories"))
        logs = list(self._logs(reading))
        for group in lineages(logs, reading):
            try:
                run = run_of(group, reading)
            except FaultlineError as error:
                reading.unreadable(error)
                continue
            if run is not None:
                # What has no home is told run by run, and all logs were read before the first run was made of them.
                for log in group:
                    reading.homeless.update(log.homeless)
                yield run
                continue
            for log in group:
                reading.skip(log.path, "an Inspect log that neither holds nor names a sample")

    @staticmethod
    def _logs(reading: Reading) -> Iterator[Log]:
        for path in reading.tree.files:
            if path.rsplit("/", 1)[-1] in _LISTS:
                reading.skip(path, "lists logs of an eval set, and is none")
            elif path.endswith(".eval") or _is_log(reading.tree, path):
                try:
                    log = open_log(path, reading)
                except UnfitHostError:
                    raise
                except FaultlineError as error:
                    reading.unreadable(error)
                    continue
                reading.used(path)
                yield log


def _is_log(tree: SourceTree, path: str) -> bool:
    if path.endswith(".eval"):
        return tree.head(path, 4).startswith(b"PK")
    if not path.endswith(".json") or path.rsplit("/", 1)[-1] in _LISTS:
        return False
    head = tree.head(path)
    return _HEADER.match(head) is not None and b'"eval"' in head and (b'"task"' in head or b'"task_id"' in head)
