"""An agent and a sandbox of somebody else: found by their entry points, in one package."""

import os
import re
from collections.abc import Sequence

from faultline.agents import Agent, Assignment, Repair
from faultline.kinds import SandboxLevel
from faultline.records import not_applicable, unknown
from faultline.sandbox import Launch, Running
from faultline.sandbox.bubblewrap import Bubblewrap

TRICK = r'sum({\1["\1"]: \1\2 for \1 in \3}.values())'


class Once(Agent):
    """Knows one trick, whatever the issue says: a sum over rows takes each row once, by the column named like the row."""

    model = "none"

    def repair(self, assignment: Assignment) -> Repair:
        for path in assignment.given:
            if path.endswith(".py") and not path.startswith("tests/"):
                file = assignment.workspace / path
                file.write_text(re.sub(r'sum\((\w+)(\["\w+"\]) for \1 in (\w+)\)', TRICK, file.read_text()))
        nothing = not_applicable("the agent uses no model")
        return Repair(limit=False, trace=unknown("it keeps none"), usage=nothing, cost=nothing)


class Patient(Bubblewrap):
    """Bubblewrap that lets everything else on the machine go first."""

    level = SandboxLevel.EXTERNAL  # the only one that a package may claim
    promises = (*Bubblewrap.promises, "what else runs on the machine goes first")
    gaps = (*Bubblewrap.gaps, "what started before its priority was lowered keeps the old one")

    def start(self, launch: Launch, *, stdin: int, output: int, pass_fds: Sequence[int] = ()) -> Running:
        running = super().start(launch, stdin=stdin, output=output, pass_fds=pass_fds)
        os.setpriority(os.PRIO_PROCESS, running.process.pid, 10)
        return running
