"""G2: is every family protected against memory, by a holdout or by procedural variants?

A repository that anybody can read holds no secret, so a protected holdout cannot be in it; the variants decide. A variant
is a skin (renamed words) with parameters drawn from a seed; two with the same workspace and values are one.
"""

from faultline.gates.facts import Facts
from faultline.gates.gate import Finding, Gate, and_outdated, count_of, lack
from faultline.gates.model import Lack
from faultline.gates.policy import Policy, Threshold
from faultline.gates.validity import distinct_variants, validity_of
from faultline.kinds import RunKind

VARIANTS = Threshold("G2", "variants_per_family", 3, "more", 1_000, "Distinct variants that every task is proved and tried on.")


def probe(facts: Facts, policy: Policy) -> Finding:
    """Count the families whose every task was exercised on enough distinct variants, by controls and by agents."""
    if not facts.tasks:
        return Finding("not-run", "There is no task that variants could be drawn from", "No task was found.", share=0.0)
    needed = policy[VARIANTS]
    lacking: list[Lack] = []
    short: set[str] = set()
    imported = [claim for claim in facts.claims if claim.manifest.kind is RunKind.IMPORTED]
    own = [claim for claim in facts.claims if claim.manifest.kind is not RunKind.IMPORTED]
    for task in facts.tasks:
        run = validity_of(task, facts).run
        proved = 0 if run is None else distinct_variants(task.id, run)
        if proved < needed:
            short.add(task.family)
            lacking.append(lack(task.link, f"{needed} distinct variants in its validity run; {proved} seen"))
        for claim in own:
            tried = distinct_variants(task.id, claim)
            if tried < needed:
                short.add(task.family)
                lacking.append(lack(claim.link, f"{needed} distinct variants of {task.id}; {tried} seen"))
    # An imported run tried tasks of its own, never ours; another harness has one form of each.
    lacking += [
        lack(claim.link, f"{needed} distinct variants of its tasks; another harness has one form of each") for claim in imported
    ]
    families, good = len(facts.families), len(facts.families) - len(short)
    agents = (
        f"and in {count_of(len(facts.claims), 'evaluation')} of agents" if facts.claims else "(no agent has been evaluated yet)"
    )
    return Finding(
        outcome="fail" if lacking else "pass",
        headline=(
            f"{count_of(len(short), 'task family is', 'task families are')} not exercised on {needed} distinct variants"
            if short
            else f"{count_of(len(imported), 'imported run tried', 'imported runs tried')} one form of each task"
            if imported
            else f"Every task family is exercised on at least {needed} distinct procedural variants; there is no holdout"
        ),
        saw=(
            f"The variants with trials in the newest validity run of each task {agents}. No protected holdout exists: the "
            "repository is public. Variants protect against memorised names and values, since hidden inputs are drawn "
            "from a seed that is made when a run is planned; they do not protect against an agent that was trained on the "
            "tasks' ideas." + and_outdated(facts)
        ),
        observed=str(good),
        needed=str(families),
        unit=f"task families with {needed} distinct variants",
        share=good / families,
        lacking=tuple(lacking),
        evidence=tuple(task.link for task in facts.tasks),
    )


GATE = Gate(
    id="G2",
    name="Holdout or variants",
    predicate=(
        "Either a protected holdout that no public artefact holds, or at least three distinct variants of every task family, "
        "both in its validity run and in every evaluation of an agent."
    ),
    why="Public tasks end up in training data. What was memorised must not count as repaired.",
    remedy="Give the task more skins or wider parameters, and validate and evaluate on at least three variants.",
    command="faultline validate",
    reads=("tasks", "runs"),
    thresholds=(VARIANTS,),
    probe=probe,
)
