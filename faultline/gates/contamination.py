"""G8: could the answers have been within an agent's reach?

A canary stands in the hidden checks of every task; found in what an agent left, it shows that hidden files were read. The
archive looks for it again in the files of every sealed run of an agent, so that a record which says nothing is not believed. A
submission that repeats the reference repair is no proof of anything, and a person must have looked at it. Names, numbers and
comments do not hide a copy: repairs are compared by shape, without what was given.
"""

from collections.abc import Iterator

from faultline.gates.facts import Facts, RunFacts, TaskFacts
from faultline.gates.gate import Finding, Gate, and_outdated, count_of, lack
from faultline.gates.likeness import shape
from faultline.gates.model import Lack
from faultline.gates.policy import Policy, Threshold
from faultline.kinds import Fold, RunKind
from faultline.records import Absent, Trial
from faultline.review import person

NETWORK = Threshold("G8", "network_share", 1.0, "less", 0.0, "Share of evaluations whose agent may reach a network.")
LIKE = Threshold(
    "G8", "reference_likeness", 0.9, "less", 0.1, "Share of the reference repair from which a copy needs a reader."
)
READERS = Threshold("G8", "copy_readers", 1, "more", 20, "People who must have read a submission like the reference repair.")
OWN = 40
"""Runs of tokens that a reference repair must have of its own; of a shorter one every right repair is a copy."""


def probe(facts: Facts, policy: Policy) -> Finding:
    """Look for canaries in tasks and in what agents left, for copies of the reference repair, and for open networks."""
    if not facts.tasks:
        return Finding("not-run", "No task lies here, so nobody knows whether one has leaked", "No task was found.", share=0.0)
    unmarked = list(_unmarked(facts))
    lacking = [lack(task.link, why) for task, why in unmarked]
    marked = len(facts.tasks) - len(unmarked)
    looked_at = 0
    for run in facts.claims:
        looked_at += len(run.trials)
        lacking += _traces(run)
        for task in facts.tasks:
            lacking += _copies(task, run, facts, policy)
    for run in facts.runs:
        lacking += _exposed(run) if facts.is_current(run) else ()
    networked = [run for run in facts.claims if any(agent.network == "allow" for agent in run.agents.values())]
    untold = [run for run in facts.claims if any(isinstance(agent.network, Absent) for agent in run.agents.values())]
    lacking += [lack(run.link, "whether its agent could reach a network") for run in untold]
    if len(networked) > policy[NETWORK] * len(facts.claims):
        lacking += [lack(run.link, "an agent without a network: its agent file allows one") for run in networked]
    if not facts.claims and not lacking:
        return Finding(
            "not-run",
            "No agent that is not a control has been evaluated, so there is nothing in which a leak could show",
            f"The canaries of {count_of(marked, 'task')}; no evaluation of an agent was found." + and_outdated(facts),
            observed="0",
            unit="trials of agents looked at",
            share=0.0,
        )
    return Finding(
        outcome="fail" if lacking else "pass",
        headline=(
            "Hidden material may have been within an agent's reach"
            if lacking
            else "No canary is in anything that an agent left, and no copy of a reference repair went unread"
        ),
        saw=(
            f"The canaries of {count_of(marked, 'task')}; trajectories and candidates of {count_of(looked_at, 'trial')} of "
            f"agents; {count_of(len(networked), 'evaluation')} with a network allowed. That no canary is found shows less than "
            "that one is: an agent may hide what it read." + and_outdated(facts)
        ),
        observed=str(marked),
        needed=str(len(facts.tasks)),
        unit="tasks with a canary of their own",
        share=marked / len(facts.tasks),
        lacking=tuple(lacking),
        evidence=tuple(run.link for run in facts.claims),
    )


def _unmarked(facts: Facts) -> Iterator[tuple[TaskFacts, str]]:
    """Yield tasks without a canary that would tell of them and of nothing else."""
    seen: dict[str, str] = {}
    for task in facts.tasks:
        if task.canary is None:
            yield task, "a canary in its hidden checks and in nothing that is given away"
        elif task.canary in seen:
            yield task, f"a canary of its own: it shares that of {seen[task.canary]}"
        else:
            seen[task.canary] = task.id


def _exposed(run: RunFacts) -> Iterator[Lack]:
    """Yield trials in which a canary was found, by the record or by looking again."""
    for trial in run.trials:
        paths = {artifact.path for attempt in trial.attempts for artifact in attempt.artifacts}
        if trial.outcome.exposed or not paths.isdisjoint(run.carriers):
            yield lack(
                run.trial_link(trial), "hidden files out of reach: a canary stands in this trial's trajectory or candidate"
            )


def _traces(run: RunFacts) -> Iterator[Lack]:
    """Yield trials of which too little was kept to look for a canary."""
    if run.manifest.kind is RunKind.IMPORTED:
        return
    for trial in run.trials:
        agent = run.agents.get(trial.key.agent)
        roles = {artifact.role for artifact in trial.last.artifacts}
        if "trace" not in roles and trial.outcome.scoreable:
            yield lack(run.trial_link(trial), "a trajectory in which a canary could be looked for")
        elif "trace" not in roles and agent is not None and agent.network != "none" and trial.last.end == "judged":
            yield lack(run.trial_link(trial), "a trajectory: its agent could reach a network")
        if trial.outcome.fold is Fold.PASSED and not _files(trial, run):
            yield lack(run.trial_link(trial), "the candidate that passed, to be compared with the reference repair")


def _files(trial: Trial, run: RunFacts) -> tuple[str, ...]:
    """Return the artifacts that hold a trial's candidate."""
    return tuple(item.path for item in trial.last.artifacts if item.role == "candidate" and item.path in run.candidates)


def _copies(task: TaskFacts, run: RunFacts, facts: Facts, policy: Policy) -> Iterator[Lack]:
    """Yield candidates that passed, repeat the reference repair, and that too few people have read; each candidate once."""
    own = task.repair - task.given
    if len(own) < OWN:
        return
    alike: dict[str, list[Trial]] = {}
    for trial in run.by_task.get(task.id, ()):
        if trial.outcome.fold is Fold.PASSED:
            for path in _files(trial, run):
                if _likeness(own, path, run, facts) >= policy[LIKE]:
                    alike.setdefault(path, []).append(trial)
    for path, trials in alike.items():
        keys = {trial.key for trial in trials}
        readers = {
            person(review.reviewer)
            for review in facts.reviews
            if review.key in keys and review.results_digest == run.results_digest and review.verdict_seen_right
        } - {""}
        missing = policy[READERS] - len(readers)
        if missing > 0:
            yield lack(
                run.trial_link(trials[0]),
                f"{count_of(missing, 'reader')} who looked at this submission: it repeats the reference repair ({path})",
            )


def _likeness(own: frozenset[str], path: str, run: RunFacts, facts: Facts) -> float:
    """Return the share of the reference repair's own shape that a candidate holds."""
    key = ("candidate shape", run.name, path)
    if key not in facts.memo:
        files = run.candidates[path].values()
        facts.memo[key] = frozenset[str]().union(*(shape(data.decode("utf-8", "replace")) for data in files))
    return len(own & facts.memo[key]) / len(own)


GATE = Gate(
    id="G8",
    name="Contamination and canaries",
    predicate=(
        "Every task has a canary of its own in its hidden checks and nowhere else; no canary is in a candidate or trajectory "
        "of an agent, each of which is kept; a submission that holds 90 % of the reference repair was read by a person; and an "
        "agent that may reach a network says so in the run's manifest."
    ),
    why="An agent that has seen the hidden checks or the reference repair shows what it remembers, not what it can do.",
    remedy="Find out how the named trials came by what they hold, close that way, and evaluate the agent again.",
    command="faultline verify RUN",
    reads=("tasks", "runs", "reviews"),
    thresholds=(NETWORK, LIKE, READERS),
    probe=probe,
)
