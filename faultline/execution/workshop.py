"""One attempt: prepare a workspace, let the agent repair it, freeze what it left, judge it, and say what happened."""

import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from faultline.agents import Agent, Assignment, CommandAgent, ControlAgent, Repair, TrivialAgent, last_message, open_plugin
from faultline.clock import Clock
from faultline.errors import IntegrityError
from faultline.execution.live import LiveRun
from faultline.grading import (
    Candidate,
    HarnessFault,
    InvalidSubmission,
    Judge,
    Sitting,
    carriers,
    classify,
    exposed,
    faulted,
    freeze,
    refused,
)
from faultline.kinds import AgentKind, RunKind, safe_text
from faultline.records import (
    AgentIdentity,
    Attempt,
    Cell,
    Changes,
    Outcome,
    RunManifest,
    Timing,
    Trial,
    TrialKey,
    not_run,
    present,
    unknown,
)
from faultline.sandbox import Sandbox, open_sandbox
from faultline.tasks import TaskVariant, load_task, materialise, write_tree


@dataclass(frozen=True)
class Worked:
    """What one attempt came to."""

    attempt: Attempt
    outcome: Outcome
    changes: Changes | None
    fault: str
    """What the harness observed, when it could not do its work."""


class Workshop:
    """Carries out attempts of one run; keeps what is slow to load, and a warm child for a control's next trial."""

    def __init__(
        self, live: LiveRun, manifest: RunManifest, clock: Clock, environment: Mapping[str, str], scratch: Path
    ) -> None:
        """Open the sandbox that the plan names; a weaker one is never put in its place."""
        self._live, self._manifest, self._clock, self._scratch = live, manifest, clock, scratch
        self._environment = environment
        self._sandbox: Sandbox = open_sandbox(present(manifest.sandbox), manifest.external)
        self._identities = {agent.name: agent for agent in manifest.agents}
        self._judges: dict[tuple[str, str], tuple[TaskVariant, Judge]] = {}
        self._agents: dict[str, Agent] = {}
        self._warm: tuple[tuple[str, ...], Sitting] | None = None
        self._stack = ExitStack()

    def close(self) -> None:
        """End the warm child."""
        self._warm = None
        self._stack.close()

    def attempt(self, cell: Cell, number: int) -> Worked:
        """Carry out one attempt; every way in which it can end is a value."""
        started_at, started = self._clock.now(), self._clock.monotonic()
        variant, judge = self._judge(cell)
        setup = agent_time = grading = None
        repair: Repair | None = None
        candidate: Candidate | None = None
        fault = ""
        with tempfile.TemporaryDirectory(prefix="work-", dir=self._scratch) as folder:
            workspace = Path(folder, "workspace")
            try:
                workspace.mkdir()
                write_tree(variant.workspace, workspace)
                setup = self._clock.monotonic() - started
                repair = self._agent(cell.agent).repair(
                    Assignment.of(
                        variant,
                        workspace,
                        variant.task.definition.limits.agent_seconds,
                        f"{self._manifest.run}/{cell.label}/{number}",
                        control=self._identities[cell.agent].kind.is_control,
                    )
                )
                agent_time = self._clock.monotonic() - started - setup
                candidate = freeze(workspace, variant)
                outcome = self._judged(cell, judge, candidate, repair)
                grading = self._clock.monotonic() - started - setup - agent_time
            except InvalidSubmission as submission:
                outcome = refused(submission)
            except (HarnessFault, OSError) as error:  # the harness's own observation; nothing a candidate did ends here
                fault = safe_text(str(error), 400)
                outcome = faulted(fault)
        if repair is not None:
            trace = repair.trace if isinstance(repair.trace, bytes) else None
            # Edited public tests are kept beside the candidate, so they are looked at as well.
            kept = None if candidate is None else {**candidate.tree, **candidate.tests}
            places = carriers(self._canaries, trace, kept)
            if places:
                outcome = exposed(outcome, places)
        artifacts = []
        if candidate is not None:
            artifacts.append(self._live.write_candidate(candidate.record))
        if repair is not None and isinstance(repair.trace, bytes) and self._manifest.kind is not RunKind.VALIDITY:
            artifacts.append(self._live.write_trace(cell, number, repair.trace))
        early = not_run("the attempt ended before")
        attempt = Attempt(
            number=number,
            started_at=started_at,
            ended_at=self._clock.now(),
            end="faulted" if fault else "judged",
            observed=fault or (repair.note if repair else ""),
            timing=Timing(
                setup=early if setup is None else round(setup, 6),
                agent=early if agent_time is None else round(agent_time, 6),
                grading=early if grading is None else round(grading, 6),
            ),
            usage=early if repair is None else repair.usage,
            cost=early if repair is None else repair.cost,
            candidate=early if candidate is None else candidate.digest,
            artifacts=tuple(artifacts),
        )
        return Worked(attempt, outcome, None if candidate is None else candidate.changes, fault)

    def trial(self, cell: Cell, earlier: tuple[Attempt, ...], worked: Worked) -> Trial:
        """Return the record of a cell from its attempts."""
        pin = next(pin for pin in self._manifest.tasks if pin.id == cell.task)
        variant = next(variant for variant in pin.variants if variant.id == cell.variant)
        return Trial(
            schema_name="faultline/trial/1",
            key=self.key(cell),
            index_origin="native",
            order_known=False,
            task_digest=pin.digest,
            workspace_digest=variant.workspace_digest,
            hash_seed=cell.hash_seed,
            sandbox=self._manifest.sandbox,
            outcome=worked.outcome,
            changes=worked.changes if worked.changes is not None else not_run("no tree was frozen"),
            attempts=(*earlier, worked.attempt),
            attempts_complete=True,
        )

    def lost(self, number: int, started_at: object, why: str) -> Attempt:
        """Return an attempt whose worker died without leaving a receipt: nothing about it is known but that it started."""
        nothing = unknown("its worker left no receipt")
        return Attempt(
            number=number,
            started_at=started_at,  # type: ignore[arg-type]  # an instant from the ledger
            ended_at=nothing,
            end="unknown",
            observed=why,
            timing=Timing(setup=nothing, agent=nothing, grading=nothing),
            usage=nothing,
            cost=nothing,
            candidate=nothing,
            artifacts=(),
        )

    def key(self, cell: Cell) -> TrialKey:
        """Return the key of a cell's trial."""
        return TrialKey(run=self._manifest.run, task=cell.task, variant=cell.variant, agent=cell.agent, trial=cell.trial)

    def _judged(self, cell: Cell, judge: Judge, candidate: Candidate, repair: Repair) -> Outcome:
        sitting = self._sitting(cell, judge, candidate)
        # The same hidden inputs for every agent of a run, and none that could be known before its plan was frozen.
        findings = sitting.grade(f"{self._manifest.judge_seed}/{cell.task}/{cell.variant}/{cell.trial}")
        pin = next(pin for pin in self._manifest.tasks if pin.id == cell.task)
        outcome = classify(
            findings,
            candidate,
            required_checks=pin.checks,
            required_tests=sitting.variant.public_tests,
            limit=repair.limit,
            last_message=last_message(repair.trace) if candidate.unchanged else "",
            own_files=repair.own_files,
        )
        if not self._agent(cell.agent).deterministic:
            self.close()
        return outcome

    def _sitting(self, cell: Cell, judge: Judge, candidate: Candidate) -> Sitting:
        identity = (cell.task, cell.variant, candidate.digest, str(cell.hash_seed))
        if self._warm is None or self._warm[0] != identity:
            self.close()
            self._warm = (identity, self._stack.enter_context(judge.sitting(candidate, present(cell.hash_seed))))
        return self._warm[1]

    @cached_property
    def _canaries(self) -> tuple[str, ...]:
        """The canaries of every task of the run: one task's hidden files are another's too."""
        return tuple(load_task(self._live.root / "tasks" / pin.id).definition.canary for pin in self._manifest.tasks)

    def _judge(self, cell: Cell) -> tuple[TaskVariant, Judge]:
        found = self._judges.get((cell.task, cell.variant))
        if found is None:
            pin = next(pin for pin in self._manifest.tasks if pin.id == cell.task)
            task = load_task(self._live.root / "tasks" / cell.task)
            wanted = next(variant for variant in pin.variants if variant.id == cell.variant)
            variant = materialise(task, wanted.seed)
            if task.digest != pin.digest or variant.pin != wanted:
                raise IntegrityError(
                    f"tasks/{cell.task}",
                    "the task is not the one that the run was planned with",
                    expected=pin.digest,
                    found=task.digest,
                    next_step="put the task back as it was, or start a new run",
                )
            found = self._judges[cell.task, cell.variant] = (variant, Judge(variant, self._sandbox, self._clock, self._scratch))
        return found

    def _agent(self, name: str) -> Agent:
        if name not in self._agents:
            self._agents[name] = self._open_agent(self._identities[name])
        return self._agents[name]

    def _open_agent(self, identity: AgentIdentity) -> Agent:
        if identity.kind is AgentKind.PLUGIN:
            return open_plugin(identity, self._clock.monotonic)
        if identity.kind is AgentKind.TRIVIAL:
            return TrivialAgent(identity)
        if identity.kind is not AgentKind.COMMAND:
            return ControlAgent(identity)
        path = self._live.agent_file()
        if path is None:
            raise IntegrityError(f"{self._manifest.run}: agent", "nobody noted where the agent's file is")
        return CommandAgent(path, identity, self._sandbox, self._environment)
