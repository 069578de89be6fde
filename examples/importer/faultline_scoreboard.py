"""An importer of somebody else: one file ``*.board``, whose lines are ``task trial verdict seconds [error]``."""

from collections.abc import Iterator

from faultline.errors import BadInputError
from faultline.importers import (
    ForeignAgent,
    ForeignAttempt,
    ForeignRun,
    ForeignTask,
    ForeignTrial,
    Importer,
    Place,
    Reading,
    SourceTree,
    decoded,
    rules,
)

VERDICTS = {"pass": "passed", "fail": "failed", "crash": None}


class Scoreboard(Importer):
    name = "scoreboard"
    summary = "boards of an imaginary harness"
    options = {"agent": "Whose board it is."}

    def recognises(self, tree: SourceTree) -> bool:
        return any(path.endswith(".board") for path in tree.files)

    def read(self, reading: Reading) -> Iterator[ForeignRun]:
        for path in reading.tree.files:
            if not path.endswith(".board"):
                continue
            reading.used(path)
            trials = []
            for number, line in reading.tree.lines(path):
                try:
                    trials.append(self.trial(decoded(line, path).split(maxsplit=4), Place(path, row=number)))
                except (ValueError, KeyError) as error:
                    reading.unreadable(BadInputError(f"{path}:{number}", "this is no line of a board", found=str(error)))
            yield ForeignRun(
                name=path.removesuffix(".board"),
                native_id=path.removesuffix(".board"),
                agent=ForeignAgent(reading.option("agent")),
                tasks={trial.task: ForeignTask(trial.task) for trial in trials},
                trials=tuple(trials),
                files=(path,),
            )

    def trial(self, words: list[str], place: Place) -> ForeignTrial:
        task, index, verdict, seconds, *error = words
        rule = rules()["RO-02" if VERDICTS[verdict] is None else "RO-01"]  # one rule a status; its id goes into the record
        attempt = ForeignAttempt(agent_seconds=float(seconds))
        return ForeignTrial(
            f"{task} {index}", task, place, rule, VERDICTS[verdict], int(index), verdict, *error, attempts=(attempt,)
        )
