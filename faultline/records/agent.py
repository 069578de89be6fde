"""An agent file and the usage that an agent leaves behind."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from faultline.kinds import AgentName, Count, Seconds, ShortText, Usd
from faultline.records.base import Record

RelativePath = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$")]
"""A path below a folder; never absolute, never upwards."""


class AgentFile(Record):
    """``agent.toml``: a program that works in a directory."""

    schema_name: Literal["faultline/agent/1"] = Field(alias="schema")
    """Format and version."""
    name: AgentName
    model: ShortText | None = None
    """The model's id as its provider writes it; ``none`` for a program without a model."""
    provider: ShortText | None = None
    version: ShortText | None = None
    """The scaffold's version."""
    command: Annotated[tuple[ShortText, ...], Field(min_length=1)]
    """Program and arguments; ``{agent}`` is the folder of this file, ``{python}`` Faultline's interpreter."""
    environment: tuple[Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")], ...] = ()
    """Names of environment variables to pass; their values are never recorded."""
    seconds: Annotated[Seconds, Field(gt=0)] | None = None
    """The agent's own time limit; the task's applies when it is shorter."""
    network: Literal["none", "allow"] = "none"
    """Whether the agent may reach a network."""
    usage_file: RelativePath | None = None
    """Where in its workspace the agent leaves its usage, as ``faultline/usage/1``."""
    trace_file: RelativePath | None = None
    """Where in its workspace the agent leaves its trajectory, as ATIF."""
    human: tuple[ShortText, ...] = ()
    """Contributions of people to the agent, for the run's provenance."""
    assistant: tuple[ShortText, ...] = ()
    """Contributions of assistants to the agent, for the run's provenance."""


class UsageFile(Record):
    """What an agent says it used; a field that is left out is unknown, never zero."""

    schema_name: Literal["faultline/usage/1"] = Field(alias="schema")
    """Format and version."""
    uncached_input: Count | None = None
    """Input tokens billed at the full rate; cached ones are not part of it."""
    cache_read: Count | None = None
    cache_write: Count | None = None
    output: Count | None = None
    reasoning: Count | None = None
    """Part of output."""
    requests: Count | None = None
    usd: Usd | None = None
    """What the agent's own accounting says it cost."""
    complete: bool = False
    """Whether every request is in ``usd``."""
