"""Agents by name: those of this release, and classes that installed packages bring by ``faultline.agents``."""

from collections.abc import Callable
from typing import Final

from faultline.agents.command import NO_MODEL
from faultline.agents.controls import control_identity
from faultline.agents.interface import Agent
from faultline.agents.plugin import PluginAgent
from faultline.errors import BadInputError, RefusedError
from faultline.kinds import AgentKind, safe_text
from faultline.plugins import Group
from faultline.records import AgentIdentity, not_applicable, unknown

BUILT_IN: Final = {
    "no-op": "faultline.agents.controls:ControlAgent",
    "reference": "faultline.agents.controls:ControlAgent",
    "delete-tests": "faultline.agents.trivial:TrivialAgent",
    "random-edit": "faultline.agents.trivial:TrivialAgent",
}
AGENTS: Final = Group("faultline.agents", Agent, "agent", BUILT_IN, beside=("--agent FILE",))  # type: ignore[type-abstract]  # only classes derived from it are made


def agent_identity(name: str) -> AgentIdentity:
    """Return the identity of an agent that is found by its name; a class of another package never is a control.

    Version and digests are those of the installed package, taken by the harness; only model and provider are the class's word.
    Raises :class:`RefusedError` for a name that is none, or that stands for a control of a task, :class:`BadInputError` for a
    class whose words are no texts, and as :meth:`Group.package`.
    """
    if AGENTS.is_built_in(name):
        AGENTS.load(name)
        return control_identity(name)
    kind = AGENTS.load(name)
    if name == "baseline" or name.startswith(("wrong-", "valid-")):
        raise RefusedError(f"entry point {name}", "the names baseline, wrong-… and valid-… stand for controls of tasks")
    if not (isinstance(kind.model, str) and isinstance(kind.provider, str)):
        raise BadInputError(
            f"entry point {name}", "model and provider of the class are no texts", expected='such as model = "none"'
        )
    package = AGENTS.package(name)
    silent, no_model = unknown("the class does not name it"), not_applicable("the agent uses no model")
    return AgentIdentity(
        name=name,
        kind=AgentKind.PLUGIN,
        model=no_model if kind.model == NO_MODEL else safe_text(kind.model, 200) or silent,
        provider=no_model if kind.model == NO_MODEL else safe_text(kind.provider, 200) or silent,
        version=f"{package.name} {package.version}",
        command=(),
        environment=(),
        seconds=not_applicable("the task's limit applies"),
        network=unknown("it works inside the harness, which keeps it from no network"),
        files=dict(package.files),
        usage_file=not_applicable("the agent hands its usage over"),
    )


def open_plugin(identity: AgentIdentity, monotonic: Callable[[], float]) -> Agent:
    """Return the agent of an installed package that a manifest describes.

    Raises :class:`RefusedError` when it is not the one that is installed here, and as :func:`agent_identity` does.
    """
    if agent_identity(identity.name) != identity:
        raise RefusedError(
            f"entry point {identity.name}",
            "the agent is not the one that the manifest describes",
            expected=str(identity.version),
            next_step="install that one again, or start a new run",
        )
    return PluginAgent(identity, AGENTS.make(identity.name, identity), monotonic)
