"""Agents of installed packages: other people's code inside the harness, which believes nothing that it can observe itself.

Nothing keeps such code apart: it could read hidden files from the disk or change the judge, which is why a gate refuses its
runs. What is done here is that it is *given* nothing hidden, and that by raising it can neither leave the denominator nor stop
the run.
"""

from collections.abc import Callable

from faultline.agents.atif import MAX_TRACE, own_trajectory, trajectory
from faultline.agents.interface import Agent, Assignment, Repair
from faultline.kinds import safe_text
from faultline.records import Absent, AgentIdentity, Cost, Usage, unknown


class PluginAgent(Agent):
    """Somebody else's agent, watched: its end, its time and its trajectory's session are the harness's own observations."""

    def __init__(self, identity: AgentIdentity, inner: Agent, monotonic: Callable[[], float]) -> None:
        """Wrap an agent; ``monotonic`` returns seconds."""
        super().__init__(identity)
        self._inner, self._monotonic = inner, monotonic

    def repair(self, assignment: Assignment) -> Repair:
        """Let it work; whatever it raises is its own end, and the tree that it left is judged.

        Time is measured and not enforced: work inside this process cannot be ended from outside.
        """
        started = self._monotonic()
        told: object = None
        try:
            told = self._inner.repair(assignment)
            note = "the agent returned" if isinstance(told, Repair) else "the agent returned something that is no Repair"
        except (Exception, SystemExit) as error:  # an OSError too: a plugin has no say in what counts as a fault of the host
            note = safe_text(f"the agent raised {type(error).__name__}: {error}", 400)
        late = self._monotonic() - started > assignment.seconds
        if late:
            note += f", later than its limit of {assignment.seconds:g} s"
        nothing = unknown("the agent handed none over")
        usage, cost = (told.usage, told.cost) if isinstance(told, Repair) else (nothing, nothing)
        return Repair(
            limit=late,
            trace=self._trace(told, assignment, note),
            usage=usage if isinstance(usage, Usage | Absent) else nothing,
            cost=cost if isinstance(cost, Cost | Absent) else nothing,
            note=note,
        )

    def _trace(self, told: object, assignment: Assignment, note: str) -> bytes:
        given = told.trace if isinstance(told, Repair) else None
        own = own_trajectory(given, assignment) if isinstance(given, bytes) and len(given) <= MAX_TRACE else None
        return own or trajectory(self._identity, assignment, "", note=f"{note}; it handed over no trajectory that can be read")
