"""Under what protocol a run was made, and what differs between two of them: agents are compared under one protocol only."""

from collections.abc import Iterator, Sequence

from faultline.gates import RunFacts

SHOWN = 8
"""Differences beyond this many are counted instead of listed."""


def differences_among(runs: Sequence[RunFacts]) -> list[str]:
    """Return what differs between the protocols of some runs, each held against the first, in words; the most telling few."""
    found = [line for other in runs[1:] for line in protocol_differences(runs[0], other)]
    more = [f"and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
    return found[:SHOWN] + more


def protocol_differences(one: RunFacts, other: RunFacts) -> Iterator[str]:
    """Yield what differs between the protocols of two runs, in words."""
    a, b = one.manifest, other.manifest
    here = f"{one.name} and {other.name}"
    for task in sorted(set(one.pins) | set(other.pins)):
        mine, theirs = one.pins.get(task), other.pins.get(task)
        if mine is None or theirs is None:
            yield f"{here}: {task} is in one of them only"
            continue
        if mine.digest != theirs.digest:
            yield f"{here}: {task} has another digest"
        if mine.limits != theirs.limits:
            fields = mine.limits.model_dump()
            parts = [
                f"{name} {value} and {getattr(theirs.limits, name)}"
                for name, value in fields.items()
                if value != getattr(theirs.limits, name)
            ]
            yield f"{here}: limits of {task} ({', '.join(parts)})"
    for name, x, y in (
        ("sandbox", str(a.sandbox), str(b.sandbox)),
        ("retry policy", f"{a.retry.policy}, {a.retry.max_attempts}", f"{b.retry.policy}, {b.retry.max_attempts}"),
        ("estimand", str(a.estimand), str(b.estimand)),
        ("trials a case", str(a.trials), str(b.trials)),
        ("variants a task", variants_of(one), variants_of(other)),
    ):
        if x != y:
            yield f"{here}: {name} ({x} and {y})"
    x_versions, y_versions = a.provenance.versions, b.provenance.versions
    for name in sorted(set(x_versions) | set(y_versions)):
        if x_versions.get(name) != y_versions.get(name):
            yield f"{here}: version of {name} ({x_versions.get(name, 'none')} and {y_versions.get(name, 'none')})"


def variants_of(run: RunFacts) -> str:
    """Return how many variants each task has, as one number where it is one."""
    numbers = sorted({len(pin.variants) for pin in run.manifest.tasks})
    return " to ".join(map(str, numbers if len(numbers) == 1 else (numbers[0], numbers[-1])))
