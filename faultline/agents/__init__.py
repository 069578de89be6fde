"""Who repairs: controls whose verdict is known in advance, and programs that work in a directory.

Touches the workspace it is given, and starts programs only through a sandbox. Front doors: :func:`agent_identity`,
:func:`command_identity` and :func:`open_plugin`.
"""

from faultline.agents.atif import last_message
from faultline.agents.command import CommandAgent, command_identity, read_agent_file
from faultline.agents.controls import ControlAgent, control_identity
from faultline.agents.interface import Agent, Assignment, Repair
from faultline.agents.plugin import PluginAgent
from faultline.agents.registry import AGENTS, agent_identity, open_plugin
from faultline.agents.trivial import TRIVIAL, TrivialAgent

__all__ = [
    "AGENTS",
    "TRIVIAL",
    "Agent",
    "Assignment",
    "CommandAgent",
    "ControlAgent",
    "PluginAgent",
    "Repair",
    "TrivialAgent",
    "agent_identity",
    "command_identity",
    "control_identity",
    "last_message",
    "open_plugin",
    "read_agent_file",
]
