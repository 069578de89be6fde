"""One attempt of the model at one question, and how it is read from a log line."""

import json
from dataclasses import dataclass
from datetime import datetime

PASS = "pass"


@dataclass(frozen=True)
class Attempt:
    """What a worker reports when it is done with a question."""

    suite: str
    question: str
    serial: int
    finished: str
    """Kept as the worker wrote it, so that the line can be found again in the log."""
    outcome: str
    worker: str = ""
    reason: str = "scheduled"

    @property
    def passed(self):
        return self.outcome == PASS

    @property
    def moment(self):
        """Sorts the attempts of one question from the first to the last."""
        return datetime.fromisoformat(self.finished), self.serial


def parse_line(line):
    """Read one log line; ValueError says what is wrong with it."""
    fields = json.loads(line)
    if not isinstance(fields, dict):
        raise ValueError("a log line is a JSON object")
    for name in ("suite", "question", "finished", "outcome"):
        if not isinstance(fields.get(name), str) or not fields[name]:
            raise ValueError(f"{name} is missing or not text")
    serial = fields.get("serial")
    if isinstance(serial, bool) or not isinstance(serial, int):
        raise ValueError("serial is missing or not a whole number")
    if datetime.fromisoformat(fields["finished"]).tzinfo is None:
        raise ValueError(f"finished has no UTC offset: {fields['finished']}")
    return Attempt(
        suite=fields["suite"],
        question=fields["question"],
        serial=serial,
        finished=fields["finished"],
        outcome=fields["outcome"],
        worker=fields.get("worker", ""),
        reason=fields.get("reason", "scheduled"),
    )
