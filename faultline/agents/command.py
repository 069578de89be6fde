"""``command`` agents: any program that works in a directory, started in a sandbox of its own."""

from collections.abc import Mapping
from pathlib import Path

from faultline.agents.atif import MAX_TRACE, own_trajectory, trajectory
from faultline.agents.interface import Agent, Assignment, Repair
from faultline.errors import BadInputError, FaultlineError, RefusedError
from faultline.kinds import AgentKind, safe_text
from faultline.records import Absent, AgentIdentity, Cost, Usage, not_applicable, strict_json, unknown
from faultline.records.agent import AgentFile, UsageFile
from faultline.sandbox import Captured, Launch, Limits, Mount, Sandbox, python_runtime
from faultline.sandbox.interface import interpreter
from faultline.tasks import read_beneath, read_tree, tree_listing
from faultline.tasks.toml import read_toml

INSIDE_AGENT, INSIDE_WORKSPACE = "/agent", "/workspace"
NO_MODEL = "none"
"""What an agent file names as its model when the program uses none."""
MAX_USAGE = 64 * 2**10
"""Bytes of a usage file."""
LIMITS = Limits(memory_mib=8_192, processes=512, file_mib=512, open_files=1_024)
"""What an agent's processes may use; equal for every agent."""


def read_agent_file(path: Path) -> AgentFile:
    """Read ``agent.toml``; raises :class:`BadInputError` with the field."""
    file = read_toml(AgentFile, path)
    for word in file.command:
        if "\0" in word:
            raise BadInputError(f"{path}: command", "a command cannot hold a null character")
    return file


def command_identity(path: Path) -> AgentIdentity:
    """Return the identity of the agent that ``agent.toml`` describes, with a digest of each of its program files."""
    file = read_agent_file(path)
    missing = "the agent file does not name it"
    no_model = not_applicable("the agent uses no model")
    return AgentIdentity(
        name=file.name,
        kind=AgentKind.COMMAND,
        model=no_model if file.model == NO_MODEL else file.model or unknown(missing),
        provider=no_model if file.model == NO_MODEL else file.provider or unknown(missing),
        version=file.version or unknown(missing),
        command=file.command,
        environment=file.environment,
        seconds=file.seconds if file.seconds is not None else not_applicable("the task's limit applies"),
        network=file.network,
        files=tree_listing(read_tree(path.parent)),
        usage_file=file.usage_file or not_applicable("the agent leaves no usage"),
    )


class CommandAgent(Agent):
    """Runs the program of an agent file; the issue is on its standard input and in its workspace."""

    def __init__(self, path: Path, identity: AgentIdentity, sandbox: Sandbox, environment: Mapping[str, str]) -> None:
        """Bind the file to the identity of the manifest.

        Raises :class:`RefusedError` when the agent's files are not those of the manifest, or a variable is not set.
        """
        found = command_identity(path)
        if found != identity:
            raise RefusedError(str(path), "the agent is not the one that the manifest describes", next_step="start a new run")
        unset = [name for name in identity.environment if name not in environment]
        if unset:
            raise RefusedError(f"{path}: environment", "a variable to be passed is not set", found=", ".join(unset))
        super().__init__(identity)
        self._file, self._folder = read_agent_file(path), path.parent
        self._sandbox, self._environment = sandbox, environment

    def repair(self, assignment: Assignment) -> Repair:
        """Run the program to its end or to a limit: of time, or of the memory of all its processes together."""
        allowed = self._identity.seconds
        seconds = min(assignment.seconds, allowed) if isinstance(allowed, int | float) else assignment.seconds
        ended = self._sandbox.capture(self._launch(assignment), stdin=assignment.issue.encode(), seconds=seconds)
        note = _note(ended, seconds)
        usage, cost = self._usage(assignment.workspace)
        own = tuple(name for name in (self._file.trace_file, self._file.usage_file) if name)
        trace = self._trace(assignment, ended, note)
        return Repair(
            limit=ended.timed_out or ended.out_of_memory, trace=trace, usage=usage, cost=cost, note=note, own_files=own
        )

    def _launch(self, assignment: Assignment) -> Launch:
        mounts, modules = python_runtime(assignment.runtime)
        words = {"{agent}": INSIDE_AGENT, "{python}": str(interpreter())}
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": "/tmp",  # noqa: S108  (a folder of the sandbox)
            "TMPDIR": "/tmp",  # noqa: S108
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "PYTHONPATH": modules if mounts else "",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        environment |= {name: self._environment[name] for name in self._identity.environment}
        return Launch(
            argv=tuple(_filled(word, words) for word in self._file.command),
            mounts=(
                *mounts,
                Mount(self._folder.resolve(), INSIDE_AGENT),
                Mount(assignment.workspace, INSIDE_WORKSPACE, writable=True),
            ),
            cwd=INSIDE_WORKSPACE,
            environment=environment,
            limits=LIMITS,
            network=self._identity.network == "allow",
        )

    def _trace(self, assignment: Assignment, ended: Captured, note: str) -> bytes:
        if self._file.trace_file:
            data = read_beneath(assignment.workspace, self._file.trace_file, MAX_TRACE)
            own = own_trajectory(data, assignment) if data is not None else None
            if own is not None:
                return own
            note += "; the trajectory that the agent file names is missing or malformed, so this is the agent's output"
        if ended.dropped:
            note += f"; {ended.dropped} bytes from the middle of the output were dropped"
        return trajectory(self._identity, assignment, ended.output.decode("utf-8", "backslashreplace"), note=note)

    def _usage(self, workspace: Path) -> tuple[Usage | Absent, Cost | Absent]:
        if not self._file.usage_file:
            if self._file.model == NO_MODEL:
                nothing = not_applicable("the agent uses no model")
                return nothing, nothing
            nothing = unknown("the agent file names no usage file")
            return nothing, nothing
        data = read_beneath(workspace, self._file.usage_file, MAX_USAGE)
        if data is None:
            nothing = unknown("the agent left no usage file")
            return nothing, nothing
        try:
            said = UsageFile.from_plain(strict_json(data, self._file.usage_file), self._file.usage_file)
        except FaultlineError as error:
            nothing = unknown(f"the agent's usage file is malformed: {safe_text(error.problem, 200)}")
            return nothing, nothing
        silent = unknown("the agent's usage file does not say")
        usage = Usage(
            uncached_input=silent if said.uncached_input is None else said.uncached_input,
            cache_read=silent if said.cache_read is None else said.cache_read,
            cache_write=silent if said.cache_write is None else said.cache_write,
            output=silent if said.output is None else said.output,
            reasoning=silent if said.reasoning is None else said.reasoning,
            requests=silent if said.requests is None else said.requests,
            source="native",
        )
        cost = silent if said.usd is None else Cost(usd=said.usd, source="the agent's usage file", complete=said.complete)
        return usage, cost


def _filled(word: str, words: Mapping[str, str]) -> str:
    for placeholder, value in words.items():
        word = word.replace(placeholder, value)
    return word


def _note(ended: Captured, seconds: float) -> str:
    if ended.timed_out:
        return f"the agent was ended at its limit of {seconds:g} s"
    if ended.out_of_memory:
        return f"the agent was ended: its processes together held more than {LIMITS.total_bytes // 2**20} MiB of memory"
    return f"the agent ended with exit code {ended.returncode}"
