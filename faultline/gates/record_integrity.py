"""G7: are the records complete, and is every one of them what its digests say?

The archive verifies the bytes of each run before anything is computed; what does not verify is a problem and no run. Here
the counts are compared with the plan again. A run that was deleted whole leaves nothing in a folder by which it could be
missed: the repository's history shows that, and the gate says so.
"""

from collections import Counter
from collections.abc import Iterator

from faultline.gates.facts import Facts, RunFacts
from faultline.gates.gate import Finding, Gate, count_of, lack
from faultline.gates.model import Lack, Link
from faultline.gates.policy import Policy
from faultline.kinds import Digest, RunKind
from faultline.records import Absent


def probe(facts: Facts, policy: Policy) -> Finding:  # noqa: ARG001  (every probe has the same shape)
    """Compare every run with its plan, its seal and the tasks that it pins."""
    if not facts.runs and not facts.problems:
        return Finding("not-run", "No run has been sealed, so there is no record to check", "No run was found.", share=0.0)
    lacking = [problem.lack for problem in facts.problems]
    whole = 0
    for run in facts.runs:
        gaps = list(_gaps(run))
        lacking += gaps
        whole += not gaps
    lacking += _shared_names(facts)
    total = len(facts.runs) + len({problem.place.split(":")[0] for problem in facts.problems if problem.area == "runs"})
    cells = sum(len(run.manifest.cells) for run in facts.runs)
    if facts.problems:
        outcome, headline = "error", "Some records cannot be read or do not verify"
    elif lacking:
        outcome, headline = "fail", "Some records are incomplete or contradict each other"
    else:
        outcome, headline = "pass", "Every record verifies, and every planned trial is there"
    return Finding(
        outcome=outcome,  # type: ignore[arg-type]  # one of three literal words
        headline=headline,
        saw=(
            f"{count_of(len(facts.runs), 'sealed run')} with {count_of(cells, 'planned trial')}; digests of files, tasks, "
            "workspaces and candidates recomputed. That a whole run was removed cannot be seen in a folder; the "
            "repository's history shows it."
        ),
        observed=str(whole),
        needed=str(total),
        unit="runs complete and verified",
        share=whole / total if total else 0.0,
        lacking=tuple(lacking),
        evidence=tuple(run.link for run in facts.runs),
    )


def _gaps(run: RunFacts) -> Iterator[Lack]:
    """Yield what a run lacks against its plan and its seal."""
    keys = Counter((trial.key.task, trial.key.variant, trial.key.agent, trial.key.trial) for trial in run.trials)
    for key, cell in run.cells.items():
        if keys[key] != 1:
            yield lack(_cell_link(run, cell.label), f"one record of this planned trial; {keys[key]} found")
    for key in sorted(set(keys) - set(run.cells)):
        label = ".".join(map(str, key))
        yield lack(_cell_link(run, label), "a place in the plan: this trial was not planned")
    if run.conflicts or run.seal.conflicts:
        number = max(run.conflicts, run.seal.conflicts)
        yield lack(run.link, f"an explanation: {count_of(number, 'second result was', 'second results were')} refused")
    counted = (len(run.manifest.cells), len(run.trials))
    if (run.seal.planned, run.seal.recorded) != counted or run.seal.run != run.name:
        yield lack(
            run.link, f"a seal of these records: it counts {run.seal.planned} planned and {run.seal.recorded} recorded trials"
        )
    if run.manifest.imported is not None and run.manifest.imported.report.partial:
        left = len(run.manifest.imported.report.unreadable)
        yield lack(
            run.link, f"the whole of its source: {count_of(left, 'row')} that could not be read were left out by request"
        )
    if not run.results_digest:
        yield lack(run.link, "a seal that covers trials.jsonl")
    for trial in run.trials:
        pin = run.pins.get(trial.key.task)
        if trial.key.run != run.name:
            yield lack(run.trial_link(trial), f"a record of this run: it belongs to {trial.key.run}")
        elif pin is not None and not _pinned(trial.task_digest, pin.digest, run):
            yield lack(run.trial_link(trial), "the task digest that the manifest pins")


def _pinned(found: Digest | Absent, pinned: Digest, run: RunFacts) -> bool:
    """Return whether a trial names the pinned digest; only a foreign log may not tell."""
    return run.manifest.kind is RunKind.IMPORTED if isinstance(found, Absent) else found == pinned


def _shared_names(facts: Facts) -> Iterator[Lack]:
    """Yield names under which two different agents were evaluated on the tasks as they are now."""
    seen: dict[str, set[Digest]] = {}
    for run in facts.claims:
        for agent in run.manifest.agents:
            seen.setdefault(agent.name, set()).add(agent.content_digest())
    for name in sorted(seen):
        if len(seen[name]) > 1:
            runs = [run for run in facts.claims if name in run.agents]
            yield lack(runs[-1].link, f"a name of its own: {name} stands for {len(seen[name])} different agents")


def _cell_link(run: RunFacts, label: str) -> Link:
    return Link(label=f"{run.name}: {label}", kind="run", target=run.name, anchor=label)


GATE = Gate(
    id="G7",
    name="Record integrity",
    predicate=(
        "Every record can be read, every run verifies against its seal, the recorded trials are exactly the planned ones, "
        "each names the digests that its manifest pins, no second result was refused, and one name stands for one agent."
    ),
    why="A record that is lost or changed can flatter a result. Losing something must make the answer stricter, never kinder.",
    remedy="Restore what is missing from where it was published, and look at what faultline verify names first.",
    command="faultline verify RUN",
    reads=("tasks", "audits", "runs", "reviews"),
    thresholds=(),
    probe=probe,
)
