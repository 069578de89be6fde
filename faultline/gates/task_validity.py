"""G6: is every task valid and its grader sound, as far as controls can show?

Each task needs a validity run of its current form in which every control ended as it must, over enough repetitions, hash
seeds and variants, without a flip, judged in a sandbox that keeps candidates apart. A flip that was seen once is not unseen
by validating again: earlier runs of the same form count for flips too.
"""

from collections.abc import Iterator, Sequence

from faultline.gates.facts import Facts, RunFacts, TaskFacts
from faultline.gates.foreign import ForeignTask, foreign_tasks
from faultline.gates.gate import Finding, Gate, count_of, lack
from faultline.gates.model import Lack, Link
from faultline.gates.policy import Policy, Threshold
from faultline.gates.validity import distinct_variants, validity_in, validity_of, validity_runs
from faultline.kinds import AgentKind, SandboxLevel, StatusClass

REPETITIONS = Threshold("G6", "validity_repetitions", 3, "more", 1_000, "Repetitions of each control, variant and hash seed.")
HASH_SEEDS = Threshold("G6", "validity_hash_seeds", 2, "more", 100, "Hash seeds under which each control is repeated.")
VARIANTS = Threshold("G6", "validity_variants", 3, "more", 1_000, "Distinct variants on which each control is tried.")


def probe(facts: Facts, policy: Policy) -> Finding:
    """Count the tasks whose contract is proved, and look at how trials of agents were judged."""
    foreign = [task for task in foreign_tasks(facts) if task.runs]
    if not facts.tasks and not foreign:
        return Finding("not-run", "There is no task whose validity could be proved", "No task was found.", share=0.0)
    lacking: list[Lack] = []
    proved = controls = trials = flips = 0
    for task in facts.tasks:
        gaps = list(_gaps(task, facts, policy))
        proved += not gaps
        lacking += gaps
        validity = validity_of(task, facts)
        controls += len(validity.controls)
        trials += validity.trials
        flips += validity.flips
    for claim in facts.claims:
        lacking += _judged_badly(claim)
    lacking += _foreign_gaps(foreign)
    proved += sum(task.valid for task in foreign)
    total = len(facts.tasks) + len(foreign)
    runs = {run.name: run for task in facts.tasks if (run := validity_of(task, facts).run)}
    return Finding(
        outcome="fail" if lacking else "pass",
        headline=_headline(proved, total, passed=not lacking),
        saw=(
            f"{count_of(controls, 'control')} of {count_of(len(facts.tasks), 'task')} in {count_of(trials, 'trial')}: the "
            "untouched workspace, the reference, tempting wrong repairs and other valid ones; "
            f"{count_of(flips, 'cell')} flipped." + _and_foreign(foreign)
        ),
        observed=str(proved),
        needed=str(total),
        unit="tasks with both sides of the contract proved",
        share=proved / total,
        lacking=tuple(lacking),
        evidence=tuple(runs[name].link for name in sorted(runs)),
    )


def _foreign_gaps(foreign: Sequence[ForeignTask]) -> Iterator[Lack]:
    """Yield how many imported tasks lack evidence, and then each of them."""
    page = Link(label="Imported tasks", kind="page", target="imported-tasks")
    bare = sum(task.reference == task.no_op == "none" for task in foreign)
    if bare:
        yield lack(page, f"controls: no baseline or reference record for {bare} of {count_of(len(foreign), 'imported task')}")
    for task in foreign:
        if task.lacking:
            yield lack(task.link, task.lacking)


def _and_foreign(foreign: Sequence[ForeignTask]) -> str:
    """Return a sentence about imported tasks, or nothing."""
    if not foreign:
        return ""
    return (
        f" {count_of(len(foreign), 'imported task')}, which have no hidden checks here: proved where the oracle and the "
        "do-nothing agent of their own harness were run on the same digest."
    )


def _headline(proved: int, total: int, *, passed: bool) -> str:
    if passed:
        return f"Both sides of the contract are proved for {'the task' if total == 1 else f'all {total} tasks'}"
    if proved == total:
        return "The tasks are proved, and trials of agents were not judged soundly"
    if proved == 0:
        return "No task has both sides of its contract proved in its current form"
    return f"Only {proved} of {total} tasks have both sides of their contract proved in their current form"


def _gaps(task: TaskFacts, facts: Facts, policy: Policy) -> Iterator[Lack]:
    """Yield what keeps a task from being proved."""
    validity = validity_of(task, facts)
    for problem in validity.problems:
        yield lack(task.link, problem)
    run = validity.run
    if run is None:
        return
    wanted = (
        (validity.repetitions, policy[REPETITIONS], "repetitions of each control, variant and hash seed"),
        (validity.hash_seeds, policy[HASH_SEEDS], "hash seeds"),
        (min(validity.variants, distinct_variants(task.id, run)), policy[VARIANTS], "distinct variants of each control"),
    )
    for seen, needed, what in wanted:
        if seen < needed:
            yield lack(task.link, f"{needed} {what} in its validity run; {seen} seen")
    for earlier in validity_runs(task, facts.runs)[:-1]:
        flips = validity_in(task, earlier).flips
        if flips:
            yield lack(earlier.link, f"an explanation: {count_of(flips, 'cell')} of {task.id} flipped in this earlier run")
    yield from _judged_badly(run, task.id)


def _judged_badly(run: RunFacts, task: str | None = None) -> Iterator[Lack]:
    """Yield why a run's verdicts cannot be trusted: no isolation, or a judge that went wrong."""
    trials = run.trials if task is None else run.by_task.get(task, ())
    levels = {run.manifest.sandbox, *(trial.sandbox for trial in trials)}
    if SandboxLevel.PROCESS in levels:
        yield lack(run.link, "a sandbox that keeps candidates apart: it was judged at the level process, which has limits only")
    if SandboxLevel.EXTERNAL in levels:
        yield lack(
            run.link,
            f"a sandbox that keeps candidates apart: it was judged in {run.manifest.sandbox_words}, which an installed package "
            "brought and nobody proved here",
        )
    for agent in run.agents.values():
        if agent.kind is AgentKind.PLUGIN:
            yield lack(
                run.link,
                f"an agent kept from hidden files and from the judge: {agent.name} is a class of an installed package and "
                "worked inside the harness; evaluate it as a program, by an agent file",
            )
    for status in (StatusClass.VERIFIER, StatusClass.TASK_DEFECT):
        number = sum(trial.outcome.status is status for trial in trials)
        if number:
            about = f" of {task}" if task else ""
            yield lack(run.link, f"an explanation: {count_of(number, 'trial')}{about} ended in the class {status}")


GATE = Gate(
    id="G6",
    name="Task validity",
    predicate=(
        "In the newest validity run of every task in its current form, the untouched workspace and each tempting wrong "
        "repair fail with their reason codes, the reference and the other valid repairs pass everything, and no verdict "
        "flips over at least three repetitions, two hash seeds and three variants; nothing is judged at the sandbox levels "
        "process and external, and no agent works inside the harness."
    ),
    why="A check that a wrong repair survives, or that a right one fails, measures the check and not the agent.",
    remedy="Mend the task or its checks, then validate again; a task that was changed is unproven until then.",
    command="faultline validate",
    reads=("tasks", "runs"),
    thresholds=(REPETITIONS, HASH_SEEDS, VARIANTS),
    probe=probe,
)
