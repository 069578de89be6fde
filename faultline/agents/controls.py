"""Controls: repairs whose verdict is known in advance. They are evidence about tasks, never about agents."""

from faultline import __version__
from faultline.agents.atif import trajectory
from faultline.agents.interface import Agent, Assignment, Repair
from faultline.agents.trivial import TRIVIAL
from faultline.kinds import AgentKind
from faultline.records import AgentIdentity, not_applicable
from faultline.tasks import is_editable

_NO_USAGE = not_applicable("a control uses no model")


def control_identity(name: str) -> AgentIdentity:
    """Return the identity of a control: ``baseline`` or ``no-op``, ``reference``, ``wrong-…``, ``valid-…``, a trivial one."""
    kinds = {"no-op": AgentKind.NO_OP, "baseline": AgentKind.NO_OP, "reference": AgentKind.REFERENCE}
    kinds |= dict.fromkeys(TRIVIAL, AgentKind.TRIVIAL)
    return AgentIdentity(
        name=name,
        kind=kinds.get(name, AgentKind.CONTROL),
        model=_NO_USAGE,
        provider=_NO_USAGE,
        version=__version__,
        command=(),
        environment=(),
        seconds=not_applicable("a control has no limit of its own"),
        network="none",
        files={},
        usage_file=_NO_USAGE,
    )


class ControlAgent(Agent):
    """Lays a known repair over the workspace, or nothing at all."""

    deterministic = True

    def repair(self, assignment: Assignment) -> Repair:
        """Apply the overlay that the control is named after."""
        name = self._identity.name
        steps = ["The workspace was left as it was."]
        if self._identity.kind is not AgentKind.NO_OP:
            overlay = assignment.repairs[name]
            for path in overlay.deleted:
                (assignment.workspace / path).unlink()
            for path, data in overlay.files.items():
                if is_editable(path, assignment.editable):
                    target = assignment.workspace / path
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(data)
            steps = [f"Wrote {path}." for path in overlay.files] + [f"Removed {path}." for path in overlay.deleted]
        return Repair(
            limit=False,
            trace=trajectory(self._identity, assignment, "\n".join(steps), note=""),
            usage=_NO_USAGE,
            cost=_NO_USAGE,
        )
