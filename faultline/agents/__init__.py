"""Who repairs: controls whose verdict is known in advance, and programs that work in a directory.

Touches the workspace it is given, and starts programs only through a sandbox. Front door: :func:`open_agent`.
"""

from faultline.agents.atif import last_message
from faultline.agents.command import CommandAgent, command_identity, read_agent_file
from faultline.agents.controls import ControlAgent, control_identity
from faultline.agents.interface import Agent, Assignment, Repair
from faultline.agents.trivial import TRIVIAL, TrivialAgent

__all__ = [
    "TRIVIAL",
    "Agent",
    "Assignment",
    "CommandAgent",
    "ControlAgent",
    "Repair",
    "TrivialAgent",
    "command_identity",
    "control_identity",
    "last_message",
    "read_agent_file",
]
